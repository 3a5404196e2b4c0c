"""A height field of MJCF is the ground: as high as where MuJoCo's rays end, and things lie on it as they do there."""

import numpy as np
import pytest

from gambol import Grid, Terrain, read_scene

mujoco = pytest.importorskip("mujoco")

TEXT = """<mujoco>
  <asset><hfield name="hills" nrow="5" ncol="{columns}" size="2 {half} 0.4 0.1" elevation="{heights}"/></asset>
  <worldbody><geom name="hills" type="hfield" hfield="hills" pos="0.5 0.2 -0.3"/>
  <body name="ball" pos="0.4 0.3 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


def text(columns, half, flat=False):
    heights = np.zeros(5 * columns) if flat else np.random.default_rng(0).uniform(size=5 * columns)
    return TEXT.format(columns=columns, half=half, heights=" ".join(f"{x:.4f}" for x in heights))


@pytest.mark.parametrize("columns, half", [(5, 2.0), (9, 2.0)])
def test_the_ground_is_as_high_as_mujocos(columns, half):
    """At its corners, whether cells are square or not (between corners of others rectangles are cut otherwise)."""
    scene = read_scene(text(columns, half))
    assert isinstance(scene.world.terrain, Grid) and "height fields" not in scene.left_out
    model = mujoco.MjModel.from_xml_string(text(columns, half))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    hit, corner = np.zeros(1, np.int32), np.random.default_rng(1)
    for _ in range(20):
        i, j = corner.integers(1, columns - 1), corner.integers(1, 4)
        x, y = 0.5 - 2.0 + 4.0 * i / (columns - 1), 0.2 - half + 2.0 * half * j / 4
        way = mujoco.mj_ray(model, data, np.array([x + 1e-9, y + 1e-9, 5.0]), np.array([0, 0, -1.0]), None, 1, 1, hit)
        assert scene.world.terrain.height(x, y) == pytest.approx(5.0 - way, abs=1e-6)
    assert any("ground" in force.name for force in scene.world.forces)


def test_a_flat_one_is_a_plane_and_one_beside_a_plane_is_left_out():
    assert read_scene(text(5, 2.0, flat=True)).world.terrain == Terrain(level=-0.3)
    both = read_scene(text(5, 2.0).replace("<worldbody>", '<worldbody><geom type="plane" size="1 1 1"/>'))
    assert both.world.terrain == Terrain() and both.left_out["height fields"] == ("hills",)
