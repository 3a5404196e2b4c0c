"""Pictures: something is drawn, it is the figure, and wrong input is said so."""

import io

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from gambol import (
    Body,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Figure,
    GambolError,
    Hull,
    Joint,
    Mass,
    Mesh,
    Part,
    Placement,
    Simulation,
    Sphere,
    World,
    chain,
)
from gambol.plot import Viewpoint, film_strip, plot_trajectory, save
from gambol.plot.joined import joined
from gambol.plot.surfaces import surface

CUBE = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip
SHAPES = [
    Box((1.0, 2.0, 0.5)), Sphere(0.7), Capsule(0.3, 1.0), Capsule(0.3, 0.0), Cylinder(0.4, 0.9), Cone(0.4, 0.9),
    Ellipsoid((0.5, 0.2, 0.9)), Hull(tuple(CUBE)), Mesh(tuple(CUBE), tuple(FACES)),
]  # fmt: skip


def pixels(picture) -> np.ndarray:
    FigureCanvasAgg(picture)
    picture.set_dpi(60)
    picture.canvas.draw()
    return np.asarray(picture.canvas.buffer_rgba())[..., :3].astype(int)


def near(image: np.ndarray, colour) -> int:
    """Pixels whose hue is that of a colour (shading changes only their brightness)."""
    wanted = np.asarray(colour, float) / np.linalg.norm(colour)
    norm = np.linalg.norm(image, axis=-1)
    return int(np.sum((image @ wanted / np.maximum(norm, 1) > 0.995) & (norm > 40)))


@pytest.fixture(scope="module")
def swing():
    sim = Simulation(World(chain(2, Joint("hinge", (0, 1, 0), damping=0.02), length=0.5)))
    sim.reset(q=[1.0, 0.5])
    return sim, sim.run(0.6, every=0.05)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_surfaces_are_closed_and_wound_outwards(shape):
    triangles = surface(shape)
    volume = np.einsum("ij,ij->i", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])).sum() / 6.0
    assert volume == pytest.approx(shape.volume, rel=0.05)
    assert volume <= shape.volume * (1 + 1e-9)  # facets lie inside a round shape


def test_the_figure_is_seen_in_its_colours():
    red = Figure("ball", (Body("ball", parts=(Part(Sphere(0.5), Placement.at(0, 0, 1), colour=(0.9, 0.1, 0.1)),)),))
    image = pixels(film_strip(red, width=4))
    assert near(image, (0.9, 0.1, 0.1)) > 0.1 * image.shape[0] * image.shape[1]
    assert near(pixels(film_strip(red, width=4)), (0.1, 0.1, 0.9)) == 0


def test_nearer_parts_hide_farther_ones():
    def scene(first, second):
        parts = [Part(Box((1, 0.1, 1)), Placement.at(0, y, 1), colour=c) for y, c in (first, second)]
        return pixels(film_strip(Figure("f", (Body("b", parts=tuple(parts)),)), camera=Viewpoint(-90, 0), width=3))

    red, blue = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    for image in (scene((-1.0, red), (1.0, blue)), scene((1.0, blue), (-1.0, red))):  # the viewer stands at -y
        assert near(image, red) > 500 and near(image, blue) == 0


def test_strip_has_a_panel_a_time_and_one_scene_together(swing):
    _, path = swing
    assert len(film_strip(path, times=4).axes) == 4
    assert len(film_strip(path, times=[0.1, 0.5]).axes) == 2
    scene = film_strip(path, times=5, together=True)
    assert len(scene.axes) == 1 and len({tuple(p) for p in pixels(scene).reshape(-1, 3)}) > 50


def test_the_pose_is_that_of_the_time(swing):
    _, path = swing
    first, last = (pixels(film_strip(path, times=[t], width=3)) for t in (path.time[0], path.time[-1]))
    assert first.shape != last.shape or not np.array_equal(first, last)


def test_curves_have_units_a_legend_and_the_work_of_forces(swing):
    sim, path = swing
    picture = plot_trajectory(path, simulation=sim, title="swing")
    angles, energy = picture.axes
    assert angles.get_ylabel() == "angle [°]" and energy.get_ylabel() == "energy [J]"
    assert energy.get_xlabel() == "time [s]"
    names = [text.get_text() for text in energy.get_legend().get_texts()]
    assert names == ["kinetic", "gravity (from the start)", "kinetic + gravity", "work of joints"]
    drawn = next(line for line in angles.get_lines() if line.get_label() == "chain_0")
    np.testing.assert_allclose(drawn.get_ydata(), np.degrees(path.position("chain_0")))


def test_curves_of_a_figure_without_angles():
    sim = Simulation(
        World(Figure("mass", (Body("mass", joint=Joint("free"), mass=Mass(1.0, inertia=(1, 1, 1, 0, 0, 0))),)))
    )
    path = sim.run(0.2, every=0.1)
    assert len(plot_trajectory(path).axes) == 1
    with pytest.raises(GambolError, match="has no angle"):
        plot_trajectory(path, joints=["mass"])
    with pytest.raises(GambolError, match="nothing to draw"):
        film_strip(path)


def test_files(tmp_path, swing):
    _, path = swing
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        file = save(film_strip(path, times=2, width=4), tmp_path / "new" / f"strip{suffix}")
        assert file.read_bytes().startswith(start) and file.stat().st_size > 2000
    with pytest.raises(GambolError, match=r"written as \.png, \.svg, \.pdf"):
        save(film_strip(path, times=1), tmp_path / "strip.bmp")


def test_no_window_is_needed_nor_left_open(swing):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    film_strip(swing[1], times=1).savefig(io.BytesIO(), format="png")
    assert plt.get_fignums() == before


def test_wrong_input(swing):
    _, path = swing
    for wrong in (3, "path", None):
        with pytest.raises(GambolError, match="Figure or a Trajectory, not"):
            film_strip(wrong)
        with pytest.raises(GambolError, match="of a Trajectory, not"):
            plot_trajectory(wrong)
    with pytest.raises(GambolError, match="at least one time, not 0"):
        film_strip(path, times=0)
    with pytest.raises(GambolError, match="no pieces"):
        joined([])
    with pytest.raises(GambolError, match="chain_0"):
        plot_trajectory(path, joints=["chain_9"])


def test_one_world_of_many(swing):
    arm = chain(2, length=0.5)
    sim = Simulation(World(arm), worlds=2)
    sim.reset(q=np.array([[0.0, 0.0], [1.5, 0.0]]))
    path = sim.run(0.01, every=0.01)
    straight, bent = (pixels(film_strip(path, world=k, width=3)) for k in (0, 1))
    assert straight.shape != bent.shape or not np.array_equal(straight, bent)
    with pytest.raises(GambolError, match="there are 2 worlds"):
        film_strip(path, world=2)


def test_pieces_join(swing):
    sim, _ = swing
    sim.reset(q=[1.0, 0.5])
    whole = joined([sim.run(0.1, every=0.05), sim.run(0.1, every=0.05)])
    np.testing.assert_allclose(whole.time, [0.05, 0.1, 0.15, 0.2])
    assert whole.q.shape == (4, 2) and len(whole) == 4
