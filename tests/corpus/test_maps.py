"""Texture, reflection and transparency maps, and shadow maps, by scan conversion."""

import numpy as np
import pytest
from PIL import Image

from gambol import ScriptError

ABOVE = """\
hardware off
screensize 40 40
antialias off
eye 0 0 2
lookat 0 0 0
up 0 1 0
fov 53.13
get floor grid
lightpos light.1 0 0 50
shadeparam floor 1 0 1 0
"""


def colours(session) -> np.ndarray:
    """The picture, rows from the top, from 0 to 255."""
    return np.asarray(session.interpreter.buffer.shown, float)[..., :3]


@pytest.fixture
def halves(session, tmp_path):
    """A map that is red on the left and blue on the right, and one that is white in its upper half."""
    image = np.zeros((16, 16, 3), np.uint8)
    image[:, :8, 0], image[:, 8:, 2] = 255, 255
    Image.fromarray(image).save(tmp_path / "halves.png")
    grey = np.zeros((16, 16), np.uint8)
    grey[:8] = 255
    Image.fromarray(grey).save(tmp_path / "upper.png")
    session(ABOVE + "getmap halves from halves.png 16 16 1 1\ngetmapbw upper from upper.png 16 16 1 1\n")
    return session


def test_a_texture_lies_on_the_box_about_an_object(halves):
    halves("objxyuv floor floor.uv\nobjmap floor halves NULL 0 1 0\nrender\n")
    seen = colours(halves)
    left, right = seen[15:25, 12:16].mean(axis=(0, 1)), seen[15:25, 24:28].mean(axis=(0, 1))
    assert left[0] > 200 and left[2] < 5 and right[2] > 200 and right[0] < 5
    assert len((halves.folder / "floor.uv").read_text().splitlines()) == 121


def test_shares_repeats_and_alpha(halves, tmp_path):
    halves("objxyuv floor\nobjmap floor halves NULL .5 .5 0\ncolor floor 0 1 0\nrender\n")
    red, green, blue = colours(halves)[20, 13]
    assert red == pytest.approx(green, abs=12) and 110 < red < 140 and blue < 5
    halves("getmap many from halves.png 16 16 4 1\nobjmap floor many NULL 0 1 0\nrender\n")
    row = colours(halves)[20, 11:29]
    assert np.sum(np.abs(np.diff(row[:, 0] > 128))) >= 7  # red and blue in turn
    halves("mergergba halves.png upper.png 16 16 both.png\ngetmapa both from both.png 16 16 1 1\n")
    halves("color floor 0 1 0\nobjmap floor both NULL .5 .5 0\nrender\n")
    assert colours(halves)[13, 13, 0] > 100 and colours(halves)[27, 13, 0] < 5  # its alpha is 0 below


def test_a_small_picture_of_a_large_map_is_its_mean(session, tmp_path):
    board = (np.indices((256, 256)).sum(axis=0) % 2 * 255).astype(np.uint8)
    Image.fromarray(board).save(tmp_path / "board.png")
    session(ABOVE + "getmapbw board from board.png 256 256 1 1\nobjxyuv floor\nobjmap floor board NULL 0 1 0\nrender\n")
    middle = colours(session)[14:26, 14:26, 0]
    assert np.ptp(middle) < 30 and 100 < middle.mean() < 150
    session("makemip board.png 256 256 small.png 8\n")
    assert Image.open(tmp_path / "small.png").size == (8, 8)


def test_a_transparency_map_lets_the_background_through(halves):
    halves("backgroundcolor 0 1 0\ncolor floor 1 0 0\nobjxyuv floor\ntransmap floor upper\nrender\n")
    seen = colours(halves)
    assert seen[13, 20, 1] > 250 and seen[27, 20, 0] > 200 and seen[27, 20, 1] < 5
    halves("transmap floor NULL\nrender\n")
    assert colours(halves)[13, 20, 0] > 200
    halves("pointtrans floor 60 1\nrender\n")  # its middle vertex
    assert colours(halves)[20, 20, 1] > 100 and colours(halves)[27, 13, 1] < 20


def test_a_mirror_shows_what_is_above_it(session, tmp_path):
    sky = np.zeros((64, 64, 3), np.uint8)
    sky[:32, :, 2], sky[32:, :, 0] = 255, 255  # blue above, red below
    Image.fromarray(sky).save(tmp_path / "sky.png")
    session(ABOVE + "getmap sky from sky.png 64 64 1 1\ncolor floor 0 0 0\nobjmap floor NULL sky 1 0 1\nrender\n")
    assert colours(session)[20, 13, 2] > 200 and colours(session)[20, 13, 0] < 10


SHADOWED = ABOVE.replace("lightpos light.1 0 0 50", "lightpos light.1 3 0 3") + (
    "get post unit_cube\nscale post .2 .2 .4\nmove post 0 0 .2\nshadows on\n"
)


def test_a_shadow_map_darkens_what_lies_behind(session):
    session(SHADOWED + "lightshadow light.1 depth.npy\nrender\n")
    dark = colours(session)[20, 13:16, 0].mean()  # away from the light
    lit = colours(session)[26, 24:27, 0].mean()
    assert dark < 5 and lit > 100
    depth = np.load(session.folder / "depth.npy")
    assert depth.shape == (512, 512) and 3.5 < np.min(depth) < 4.5
    session("shadowlightdensity light.1 .5\nshadowmapsize 200 100\nshadowres 2\nrender\n")
    assert colours(session)[20, 13:16, 0].mean() == pytest.approx(0.5 * lit, rel=0.2)
    assert np.load(session.folder / "depth.npy").shape == (200, 400)
    session("unshadow post\nrender\n")
    assert colours(session)[20, 13:16, 0].mean() > 100
    session("shadow post\nshadowminsize 300\nrender\n")  # smaller than that on the map
    assert colours(session)[20, 13:16, 0].mean() > 100
    session("shadowminsize 0\nlightshadow light.1 NULL\nshadows off\nrender\n")
    assert colours(session)[20, 13:16, 0].mean() > 100


def test_a_surface_does_not_shade_itself(session):
    session(SHADOWED + "unpost post\nshadows off\nrender\n")
    plain = colours(session)
    session("shadows on\nlightshadow light.1 depth.npy\nrender\n")
    assert np.abs(colours(session) - plain).max() < 3


@pytest.mark.parametrize(
    "text, says",
    [
        ("objmap floor nomap NULL 1 1 0", "there is no map 'nomap'"),
        ("objmap floor halves NULL 1 2 0", "goes from 0 to 1"),
        ("getmap x of halves.png 16 16 1 1", "expected `from`"),
        ("getmap x from halves.png 8 8 1 1", "is 16 by 16 pixels, not 8 by 8"),
        ("getmap x from halves.png 16 16 0 1", "positive"),
        ("getmap NULL from halves.png 16 16 1 1", "cannot be the name"),
        ("pointuv floor 500 0 0", "there is no 500"),
        ("objuv floor halves.txt", "there is no file"),
        ("shadowmapsize 0 5", "1 to"),
        ("shadowbias -1 0", "must not be negative"),
    ],
)
def test_what_is_wrong_is_told(halves, text, says):
    with pytest.raises(ScriptError, match=says):
        halves(text + "\n")


def test_a_map_without_coordinates_and_whole_polygons_are_told(halves):
    assert any("no texture coordinates" in line for line in halves("objmap floor halves NULL 0 1 0\nrender\n"))
    assert any("hardware off" in line for line in halves("hardware on\nrender\n"))


def test_coordinates_are_written_read_and_projected(halves):
    halves("objxyuv floor a.uv\nobjuv floor a.uv\n")
    obj = halves.interpreter.scene.find("floor")
    assert np.abs(obj.texture_points[:, 0] - (obj.geometry.vertices[:, 0] + 0.5)).max() < 1e-8
    halves("renderuv floor b.uv\n")
    assert np.ptp(obj.texture_points[:, 0]) == pytest.approx(0.5, abs=0.01)  # it fills half of the picture
