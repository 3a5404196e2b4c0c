"""Stills, strips, sheets and films: what must be in the picture is, where it must be."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from gambol import (
    Body,
    Box,
    Ditch,
    Figure,
    Grid,
    Joint,
    Mass,
    Part,
    Placement,
    Simulation,
    Sphere,
    Stairs,
    ViewError,
    Waves,
    World,
)
from gambol.draw import Camera, Motion, chronophotograph, film, save_image, sheet, still, strip
from gambol.draw.picture import Studio
from gambol.draw.render import Scene
from gambol.draw.shadows import SPREAD, lit, shadow_of
from gambol.draw.solids import ROUND, Block, blunt, is_closed, smooth, solids_of
from gambol.draw.terrain import earth_over
from gambol.jit import entry
from gambol.models import hexapod30, person90
from gambol.models.roach import roach
from view.motions import BLUE, RED, brick, coloured, dumb_bell, slide


def middle(mask):
    rows, columns = np.nonzero(mask)
    return columns.mean(), rows.mean()


def test_the_figure_is_whole_and_in_the_middle():
    picture = np.asarray(still(brick(), size=(320, 240)))
    red = coloured(picture, RED)
    assert 0.05 < red.mean() < 0.8
    assert not red[0].any() and not red[-1].any() and not red[:, 0].any() and not red[:, -1].any()
    x, y = middle(red)
    assert abs(x - 160) < 8 and abs(y - 120) < 8


def test_a_camera_behind_sees_left_at_the_left():
    picture = np.asarray(still(dumb_bell(), camera=Camera(azimuth=180.0, elevation=5.0), size=(320, 200)))
    assert middle(coloured(picture, RED))[0] < 130 and middle(coloured(picture, BLUE))[0] > 190
    front = np.asarray(still(dumb_bell(), camera=Camera(azimuth=0.0, elevation=5.0), size=(320, 200)))
    assert middle(coloured(front, RED))[0] > 190


def test_the_projection_is_that_of_a_pinhole():
    camera = Camera(azimuth=-90.0, elevation=0.0, field=40.0, distance=5.0, target=(0.0, 0.0, 0.5))
    picture = np.asarray(still(brick(), camera=camera, size=(400, 400), ground=None))
    red = coloured(picture, RED)
    width = np.ptp(np.nonzero(red)[1]) + 1
    front = 5.0 - 0.2  # the near face of the cube
    assert width == pytest.approx(400 * 0.4 / (2 * front * math.tan(math.radians(20))), abs=1.5)


def test_nearer_things_hide_farther_ones():
    behind = Part(Box((0.1, 0.4, 0.4)), Placement.at(-0.5, 0.0, 0.0), mass=1.0, colour=BLUE)
    front = Part(Box((0.1, 0.8, 0.8)), Placement.at(0.5, 0.0, 0.0), mass=1.0, colour=RED)
    for parts in ((behind, front), (front, behind)):
        figure = Figure("two", (Body("body", joint=Joint("free"), placement=Placement.at(0, 0, 1), parts=parts),))
        picture = np.asarray(still(figure, camera=Camera(azimuth=0.0, elevation=0.0), size=(200, 200)))
        assert coloured(picture, RED).any() and not coloured(picture, BLUE).any()


def test_the_shadow_falls_away_from_the_light():
    from gambol.plot.scene import LIGHT

    camera = Camera(azimuth=-90.0, elevation=60.0, field=40.0, distance=6.0, target=(0.0, 0.0, 0.0))
    with_figure = np.asarray(still(brick(height=1.0), camera=camera, size=(300, 300))).astype(int)
    bare = np.asarray(still(brick(height=50.0), camera=camera, size=(300, 300))).astype(int)
    dark = (bare.sum(axis=2) - with_figure.sum(axis=2) > 60) & ~coloured(with_figure, RED)
    assert dark.sum() > 300
    place = np.array([0.0, 0.0, 1.0]) - LIGHT / LIGHT[2]  # where the middle's shadow falls on z = 0
    x, _ = middle(dark)
    assert np.sign(x - 150) == np.sign(place @ camera.axes[0]) and abs(x - 150) > 5


def test_ground_is_drawn_only_when_there_is_some():
    low = Camera(elevation=3.0)
    with_ground = np.asarray(still(brick(), camera=low, size=(200, 150)))
    without = np.asarray(still(brick(), camera=low, size=(200, 150), ground=None))
    assert np.abs(with_ground[-20:].astype(int) - without[-20:].astype(int)).mean() > 5
    assert np.abs(with_ground[:10].astype(int) - without[:10].astype(int)).mean() < 1


def test_the_camera_follows_or_shows_the_whole_way():
    motion = slide(brick())
    following = Studio(motion, size=(240, 160))
    for time in (0.0, 1.0, 2.0):
        assert abs(middle(coloured(following.frame(time), RED))[0] - 120) < 60
    still_camera = Studio(motion, camera=Camera(follow=False, azimuth=-90.0), size=(240, 160))
    xs = [middle(coloured(still_camera.frame(time), RED))[0] for time in (0.0, 1.0, 2.0)]
    assert xs[0] < 60 and 100 < xs[1] < 140 and xs[2] > 180
    assert still_camera.distance > 1.5 * following.distance


def test_strips_and_sheets_have_a_picture_a_moment():
    made = strip(slide(brick()), times=4, size=(100, 90))
    assert made.size == (4 * 104 - 4, 112)
    panels = [np.asarray(made)[:90, 104 * k : 104 * k + 100] for k in range(4)]
    assert all(coloured(panel, RED).any() for panel in panels)
    rows = sheet(slide(brick()), times=5, columns=3, size=(80, 60), title="brick")
    assert rows.size == (3 * 84 - 4, 34 + 2 * 82)


def test_moments_in_one_scene_are_the_paler_the_earlier():
    made = np.asarray(chronophotograph(slide(brick(), way=6.0), times=3, camera=Camera(azimuth=-90.0), size=(360, 120)))
    red = coloured(made, RED)
    columns = np.flatnonzero(red.any(axis=0))
    assert len(np.flatnonzero(np.diff(columns) > 5)) >= 1 and columns[-1] - columns[0] > 120
    strength = made[..., 0].astype(int) - made[..., 1]
    middle_one, last = (strength[:90, x - 12 : x + 12].max() for x in (180, columns[-1] - 12))
    assert last > middle_one + 20


def test_blocks_are_round_at_their_edges_and_as_large_as_they_are():
    surface = blunt(Block.of((4.0, 1.0, 0.1)))
    assert Block.of((4.0, 1.0, 0.1)).halvings == (5, 3, 0) and Block.of((4.1, 0.95, 0.1)) == Block.of((4.0, 1.0, 0.1))
    assert is_closed(surface.vertices[surface.faces]) and np.allclose(np.linalg.norm(surface.normals, axis=1), 1.0)
    assert np.array_equal(np.ptp(surface.vertices, axis=0), np.ones(3))
    used = surface.vertices[np.unique(surface.faces)]
    assert np.abs(used).min(axis=0) == pytest.approx([0.5 - ROUND / 2**k for k in (5, 3, 0)])


def test_the_same_picture_every_time():
    assert np.array_equal(np.asarray(still(hexapod30())), np.asarray(still(hexapod30())))


def test_the_shipped_figures_have_skins():
    for figure in (person90(), hexapod30()):
        assert len({solid.colour for solid in solids_of([figure])}) >= 3
        picture = np.asarray(still(figure, size=(160, 120)))
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 200


def test_a_figure_without_shapes_is_drawn_as_sticks():
    weight = Mass(1.0, (0.0, 0.0, -0.3), (0.01, 0.01, 0.01, 0, 0, 0))
    upper = Body("upper", joint=Joint("hinge", (0, 1, 0)), placement=Placement.at(0, 0, 1), mass=weight)
    lower = Body("lower", "upper", Joint("hinge", (0, 1, 0)), Placement.at(0, 0, -0.5), mass=weight)
    solids = solids_of([Figure("bare", (upper, lower))])
    assert {solid.body for solid in solids} == {0, 1}
    assert still(Figure("bare", (upper, lower)), size=(80, 80)).size == (80, 80)


def test_edges_stay_sharp_and_round_things_smooth():
    from gambol.plot.surfaces import surface

    ball = smooth(surface(Sphere(1.0)))
    assert np.einsum("ij,ij->i", ball.normals, ball.vertices).min() > 0.99
    block = smooth(surface(Box((1.0, 2.0, 3.0))))
    assert np.allclose(np.abs(block.normals).max(axis=1), 1.0)


def silhouette(picture) -> np.ndarray:
    """The highest row of the colour in every column that has it."""
    mask = coloured(picture, RED)
    return np.array([np.flatnonzero(mask[:, x])[0] for x in np.flatnonzero(mask.any(axis=0))])


def test_silhouettes_are_round_at_any_zoom():
    ball = Figure("ball", (Body("ball", parts=(Part(Sphere(1.0), mass=1.0, colour=RED),)),))
    camera = Camera(azimuth=-90.0, elevation=0.0, field=20.0, distance=60.0, target=(0.0, 0.0, 0.0))
    for distance in (60.0, 8.0):
        picture = np.asarray(still(ball, camera=replace(camera, distance=distance), size=(640, 480), ground=None))
        rows = silhouette(picture)
        radius = 240.0 * math.tan(math.asin(1.0 / distance)) / math.tan(math.radians(10.0))
        x = np.arange(len(rows)) - 0.5 * (len(rows) - 1)
        inner = np.abs(x) < 0.7 * radius
        off = rows[inner] + np.sqrt(radius**2 - x[inner] ** 2)
        assert np.abs(off - np.median(off)).max() < 1.3  # [pixels]; 24 facets would miss by 1.5, and half a pixel


def test_there_is_a_sky_and_nothing_is_black_in_shade():
    picture = np.asarray(still(brick(), camera=Camera(elevation=4.0), size=(320, 200))).astype(int)
    top, horizon = picture[2].mean(axis=0), picture[60:70, :20].mean(axis=(0, 1))
    assert top[2] - top[0] > 15 and horizon.sum() > top.sum()  # blue above, brighter towards the horizon
    alone = np.asarray(still(roach(), camera=Camera(azimuth=120.0, elevation=4.0), size=(320, 200), transparent=True))
    body = alone[alone[..., 3] == 255][:, :3].astype(int)
    assert np.percentile(body.max(axis=1), 5) > 45


def test_feet_have_contact_shadows():
    """The sky is hidden where something stands: darker beside a low box than under a high one."""
    camera = Camera(azimuth=-90.0, elevation=25.0, target=(0.0, 0.0, 0.2), distance=3.0)
    shade = lambda height: np.asarray(still(brick(height=height), camera=camera, size=(240, 180))).astype(int)
    low, high = shade(0.21), shade(0.6)
    place = np.array([0.0, -0.24, 0.0]) - np.asarray(Studio(brick(), camera=camera).view(0.0).eye)
    right, up, towards = camera.axes
    zoom = 90.0 / math.tan(math.radians(0.5 * camera.field))
    x, y = 120.0 - zoom * (place @ right) / (place @ towards), 90.0 + zoom * (place @ up) / (place @ towards)
    assert low[round(y), round(x)].sum() < high[round(y), round(x)].sum() - 20


@entry
def sunlit(shadow, places, facing, shares):
    """The share of the sun at each place, over all turns of its disc."""
    for k in range(places.shape[0]):
        total = 0.0
        for turn in range(16):
            total += lit(shadow, places[k, 0], places[k, 1], places[k, 2], facing, turn)
        shares[k] = total / 16.0


def test_shadows_are_soft_far_from_what_throws_them():
    """From light to dark is a way that grows with the height of the brick; in the middle it is dark, aside light."""
    from gambol.plot.scene import LIGHT

    for height in (0.3, 0.5, 0.9):  # softer ones than that end at WIDEST
        scene = Scene([brick(height=height)])
        corners = scene.corners(Motion.of(brick(height=height)).poses(0.0))[0]
        shadow = shadow_of(corners, corners, scene.faces)
        middle = height * -LIGHT / LIGHT[2]
        across = np.linspace(-1.0, 1.0, 801)
        places, share = np.tile([middle[0], middle[1], 0.0], (801, 1)), np.empty(801)
        places[:, 0] += across
        sunlit(shadow, places, float(LIGHT[2]), share)
        assert share[400] < 0.05 and share[0] == share[-1] == 1.0
        way = np.ptp(across[(share > 0.05) & (share < 0.95) & (across > 0)])
        assert way == pytest.approx(2.0 * SPREAD * (height - 0.2) / LIGHT[2], rel=0.5, abs=0.01)


def test_ground_lines_fade_before_they_would_swim():
    """Near the horizon a row of pixels is one colour; near the camera it is not."""
    camera = Camera(azimuth=-60.0, elevation=5.0, target=(0.0, 0.0, 0.0), distance=12.0)
    picture = np.asarray(still(brick(height=90.0), camera=camera, size=(480, 270))).astype(float)
    spread = picture.sum(axis=2).std(axis=1)
    horizon = int(np.argmin(np.abs(np.diff(picture[:, :, 2].mean(axis=1)))[60:160])) + 60
    assert spread[horizon : horizon + 4].max() < 6.0 < spread[-60:].max()


def test_stairs_and_ditches_have_their_own_edges():
    stairs = earth_over(Stairs(start=0.5, length=0.3, rise=0.2), (-1.0, -1.0), (2.0, 1.0), 60, room=5.0)
    near = np.all(np.abs(stairs.vertices[:, :2]) < 1.9, axis=1)
    steps = stairs.vertices[near, 2] / 0.2
    assert np.abs(steps - np.round(steps)).max() < 1e-6, "no place between two steps"
    upward = np.abs(stairs.normals[near, 2])
    assert np.all((upward > 0.999) | (upward < 0.02)) and (upward < 0.02).any(), "treads are level, risers upright"
    assert stairs.vertices[:, 0].max() == pytest.approx(7.0) and stairs.vertices[:, 1].min() < -5.5  # the room around
    ditch = earth_over(Ditch(start=0.2, width=0.5, depth=0.3, edge=1e-3), (-1.0, -1.0), (1.0, 1.0), 60)
    assert set(np.round(ditch.vertices[:, 2], 6)) == {0.0, -0.3}
    grid = Grid(table=((0.0, 0.1, 0.0), (0.0, 0.3, 0.2), (0.1, 0.0, 0.0)), cell=0.5, x0=-0.5, y0=-0.5)
    made = earth_over(grid, (-1.0, -1.0), (1.0, 1.0), 60)
    middles = made.vertices[made.faces].mean(axis=1)
    assert np.allclose(middles[:, 2], grid.heights_at(middles[:, :2])), "its triangles are those that are stood upon"


def test_what_hides_the_sky_shows_a_step():
    """A riser in the shade is darker than a tread, far from the figure too, and a brink has a line."""
    camera = Camera(azimuth=180.0, elevation=12.0, target=(0.0, 0.0, 0.4), distance=6.0)
    look = {"camera": camera, "size": (240, 160)}
    flat, stairs = (
        np.asarray(still(brick(height=0.4), ground=ground, **look)).astype(float).mean(axis=2)
        for ground in (0.0, Stairs(start=0.8, length=0.4, rise=0.2))
    )
    column = slice(5, 25)  # beside the figure
    assert stairs[20:90, column].std() > 4.0 * flat[60:90, column].std() + 5.0


def test_pictures_show_the_terrain_of_the_world():
    """A wave whose crest is before the camera hides the lower half of what stands behind it."""
    sim = Simulation(World(brick(height=0.5), terrain=Waves(amplitude=0.5, length_x=0.0, length_y=4.0)))
    camera = Camera(azimuth=-90.0, elevation=2.0, target=(0.0, 0.0, 0.5), distance=3.0)
    look = {"camera": camera, "size": (200, 150)}
    flat, own = (coloured(still(sim, **look, **g), RED).sum() for g in ({"ground": None}, {}))
    behind = replace(camera, azimuth=90.0)
    assert own == pytest.approx(flat, abs=0.02 * flat)  # a trough lies before it
    assert coloured(still(sim, camera=behind, size=(200, 150)), RED).sum() < 0.8 * flat
    assert (
        coloured(still(sim, **look, ground=Waves(amplitude=-0.5, length_x=0.0, length_y=4.0)), RED).sum() < 0.8 * flat
    )


def test_dark_pictures_are_dark_around_the_same_figure():
    day, dark = (np.asarray(still(brick(), size=(160, 120), dark=on)).astype(float) for on in (False, True))
    own = coloured(day, RED) & coloured(dark, RED)  # but for its rim, where ground shines through
    assert own.mean() > 0.05 and np.abs(day[own] - dark[own]).mean() < 2.0, "its light is the same"
    around = lambda pixels: pixels[~own].mean()
    assert around(dark) < 90 and around(day) > 140


def test_what_is_transparent_is_the_figure_alone(tmp_path):
    made = still(brick(), size=(160, 120), transparent=True)
    pixels = np.asarray(made)
    assert made.mode == "RGBA" and pixels[0, 0, 3] == 0 and pixels[60, 80, 3] == 255
    assert coloured(pixels[pixels[..., 3] > 0], RED).all()  # no sky at its edges
    path = film(slide(brick(), seconds=0.4, way=0.0), tmp_path / "a.webp", size=(64, 64), rate=5, transparent=True)
    with Image.open(path) as moving:
        assert moving.n_frames >= 1 and moving.convert("RGBA").getpixel((1, 1))[3] == 0
    with pytest.raises(ViewError, match="an MP4 is never transparent"):
        film(brick(), tmp_path / "a.mp4", transparent=True)
    with pytest.raises(ViewError, match="a JPEG is never transparent"):
        save_image(made, tmp_path / "a.jpg")


def test_films_have_the_pictures_and_the_length_asked_for(tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    told = []
    path = film(slide(brick(), seconds=1.0), tmp_path / "new" / "a.mp4", size=(160, 121), speed=0.5, rate=20,
                progress=lambda done, of: told.append((done, of)))  # fmt: skip
    reader = imageio_ffmpeg.read_frames(str(path))
    about = next(reader)
    frames = [np.frombuffer(frame, np.uint8).reshape(120, 160, 3) for frame in reader]
    assert about["size"] == (160, 120) and about["fps"] == 20 and len(frames) == 41 and told[-1] == (41, 41)
    assert all(coloured(frame, RED).any() for frame in frames)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("suffix", ("mp4", "gif"))
def test_a_film_that_is_stopped_at_its_first_picture_leaves_the_old_one(tmp_path, suffix):
    pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(b"old")

    def stop(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        film(slide(brick(), seconds=1.0), path, size=(64, 64), progress=stop)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_gif_needs_no_ffmpeg(tmp_path):
    path = film(slide(brick(), seconds=0.5), tmp_path / "a.gif", size=(80, 60), rate=10)
    with Image.open(path) as made:
        assert made.n_frames == 6


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: still(42), "a int cannot be shown"),
        (lambda: still(slide(brick()), 7.0), "from 0 to 2 s; there is no 7 s"),
        (lambda: strip(slide(brick()), times=0), "at least one time"),
        (lambda: strip(slide(brick()), times=[]), "no times"),
        (lambda: still(brick(), size=(4, 4)), "from 16 to 8192"),
        (lambda: Camera(elevation=90.0), "elevation"),
        (lambda: Camera(distance=0.0), "distance"),
        (lambda: Camera(field=0.0), "field"),
        (lambda: save_image(still(brick(), size=(16, 16)), "a.txt"), r"a\.txt: pictures are written as \.png"),
        (lambda: film(brick(), "a.avi"), r"a\.avi: films are written as \.mp4"),
        (lambda: film(brick(), "a.mp4", rate=0), "rate and speed must be positive"),
        (lambda: film(brick(), "a.webp", quality=2), "quality must be from 0 to 1, not 2"),
        (lambda: still(brick(), ground="flat"), "ground must be a height, a Terrain, None or 'own', not 'flat'"),
        (lambda: Motion((brick(),), np.zeros(0), np.zeros((0, 7))), "empty"),
        (lambda: Motion((brick(),), np.zeros(1), np.zeros((1, 3))), r"shape \(1, 7\), not \(1, 3\)"),
        (lambda: Motion((brick(),), np.zeros(1), np.full((1, 7), np.nan)), "not finite from t = 0 s"),
    ],
)
def test_what_cannot_be_drawn_is_said(act, words):
    with pytest.raises(ViewError, match=words):
        act()


# ---------------------------------------------------------------- lines over pictures
def test_overlays_lie_where_things_are():
    from gambol import Anchor, Nail, Simulation, World, chain
    from gambol.draw.overlays import NAIL, SPRING, VELOCITY, marks

    spring = Anchor(body="chain_1", point=(0, 0, -0.5), place=(0.4, 0.0, -0.2), stiffness=5.0)
    nail = Nail(body="chain_2", point=(0, 0, -1.0), place=(0.5, 0.0, -2.6), velocity=(0.1, 0.0, 0.0))
    sim = Simulation(World(chain(3, length=1.0), forces=[spring], constraints=[nail]))
    sim.reset([0.2, 0.1, 0.0], [1.0, -0.5, 0.3])
    q, v, time = sim.q, sim.v, 0.0
    motion = Motion.of(sim)
    found = marks(motion, time, ("springs", "nails", "velocities"))
    assert [m.kind for m in found] == ["spring", "nail", *["velocity"] * 3]
    assert np.allclose(found[0].start, sim.mechanics.point(q, "chain_1", (0, 0, -0.5)))
    assert np.allclose(found[0].end, spring.place) and np.allclose(found[1].end, nail.place)
    for k, mark in enumerate(found[2:]):
        middle = motion.figures[0].bodies[k].mass_properties.centre
        velocity = sim.mechanics.jacobian(q, f"chain_{k}", middle)[3:] @ v
        assert np.allclose(mark.end - mark.start, 0.15 * velocity, atol=1e-5)
    plain = np.asarray(still(sim, size=(240, 180)))
    for name, colour in (("springs", SPRING), ("nails", NAIL), ("velocities", VELOCITY)):
        drawn = np.asarray(still(sim, size=(240, 180), overlays=name))
        assert np.any(np.all(drawn == colour, axis=2)) and not np.any(np.all(plain == colour, axis=2))


def test_overlays_that_cannot_be():
    from gambol import chain

    with pytest.raises(ViewError, match="did you mean 'springs'"):
        still(chain(2), overlays=("spring",))
    with pytest.raises(ViewError, match="has no speeds"):
        still(chain(2), overlays="velocities")
    with pytest.raises(ViewError, match="knows no world"):
        still(chain(2), overlays="nails")
