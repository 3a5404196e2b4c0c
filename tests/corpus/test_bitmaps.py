"""Bitmaps and lines over pictures; x to the right, y up from the lower left corner."""

import numpy as np
import pytest
from PIL import Image

from gambol import ScriptError


def pixel(session, x, y):
    """Red, green and blue of the picture at (x, y)."""
    shown = session.interpreter.buffer.shown
    return shown.getpixel((x, shown.height - 1 - y))[:3]


@pytest.fixture
def red(session):
    session("glopen 20 10\nblitmake red 4 2 255 0 0\nblit red 3 5\n")
    return session


def test_a_bitmap_on_the_picture(red):
    assert pixel(red, 3, 5) == pixel(red, 6, 6) == (255, 0, 0)
    assert pixel(red, 2, 5) == pixel(red, 3, 7) == pixel(red, 7, 6) == (0, 0, 0)


def test_parts_are_saved_loaded_moved_and_turned(red, tmp_path):
    red("bitsave 3 5 4 2 part.png\nbitload 10 0 4 2 part.png\n")
    assert Image.open(tmp_path / "part.png").size == (4, 2) and pixel(red, 10, 0) == (255, 0, 0)
    red("bitmove 3 5 4 2 0 8\n")
    assert pixel(red, 0, 9) == (255, 0, 0)
    red("glopen 4 4\nblitmake dot 1 1 0 0 255\nblit dot 0 0\nturnover 0 0 4 4\n")
    assert pixel(red, 0, 3) == (0, 0, 255)
    red("turnaround 0 0 4 4\n")
    assert pixel(red, 3, 3) == (0, 0, 255)
    red("bitrotate 0 0 4 4\n")
    assert pixel(red, 0, 0) == (0, 0, 255)
    red("enlarge\n")
    assert red.interpreter.buffer.shown.size == (16, 16) and pixel(red, 3, 3) == (0, 0, 255)


def test_brightness_and_gamma(session):
    session("glopen 2 2\nblitmake grey 2 2 64 64 64\nblit grey 0 0\nbitramp 0 0 1 2 2\n")
    assert pixel(session, 0, 0) == (128, 128, 128) and pixel(session, 1, 0) == (64, 64, 64)
    session("bitgamma 1 0 1 2 2\n")
    assert pixel(session, 1, 0)[0] == round(255 * (64 / 255) ** 0.5)
    session("blitramp grey dark .5\n")
    assert session.interpreter.buffer.bitmaps["dark"].getpixel((0, 0)) == (32, 32, 32, 255)


def test_layers(session):
    session("blitmake a 2 2 200 0 0\nblitmake b 2 2 0 100 0\nblitlayertrans a b half .5\nblitlayerb a b over\n")
    bitmaps = session.interpreter.buffer.bitmaps
    assert bitmaps["half"].getpixel((0, 0))[:3] == (100, 50, 0)
    assert bitmaps["over"].getpixel((0, 0))[:3] == (0, 100, 0)
    session("blitlayerred b a through\nblitlayer a b sum\n")
    mixed = bitmaps["through"].getpixel((0, 0))[:3]
    assert mixed == pytest.approx((200 * 200 / 255, 100 * 55 / 255, 0), abs=1)
    assert bitmaps["sum"].getpixel((0, 0))[:3] == (0, 100, 0)
    session("blitscale a large 3\nblitinsert b large 2 2\nblitcopy large piece 2 2 2 2\n")
    assert bitmaps["large"].size == (6, 6) and bitmaps["piece"].getpixel((0, 0))[:3] == (0, 100, 0)


def test_files_of_bitmaps(session, tmp_path):
    session("blitmake a 3 2 10 20 30\nblitwrite a.png a\nblitwritebyte a.raw a\nblitread a.png again 2 1 1 0\n")
    assert (tmp_path / "a.raw").read_bytes() == bytes([10] * 6)
    assert session.interpreter.buffer.bitmaps["again"].size == (2, 1)
    session("blitreadbyte a.raw grey 3 2\nglopen 3 2\nbobload 0 0 a.png\nbobloadt 0 0 1 a.png\n")
    assert session.interpreter.buffer.bitmaps["grey"].getpixel((0, 0))[:3] == (10, 10, 10) and pixel(session, 0, 0) == (
        10,
        20,
        30,
    )
    session("glopen 3 2\nbobloadb 0 0 a.png 10 20 30\n")
    assert pixel(session, 1, 1) == (0, 0, 0)
    session("blitmake mask 3 2 255 255 255\nblitwrite m.png mask\nalphablit a.png m.png\n")
    assert pixel(session, 1, 1) == (10, 20, 30)


def test_lines_rectangles_and_letters(session):
    session("glopen 40 20\nlineinit\nlinecolor 0 1 0\nlinemove 0 10 1\nlinedraw 39 10 1\nfill_color 0 0 1\n")
    session(
        "rectangle 2 1 5 4\nlinetrans .5\nlineclip 0 0 9 19\nlinemove 0 15 1\nlinedraw 39 15 1\nlineclipoff\nlinedone\n"
    )
    assert pixel(session, 20, 10) == (0, 255, 0) and pixel(session, 3, 2) == (0, 0, 255)
    assert pixel(session, 5, 15)[1] in range(120, 136) and pixel(session, 20, 15) == (0, 0, 0)
    before = np.array(session.interpreter.buffer.shown)
    session("linetrans 0\nlabel 12 1 8 12 s\n")
    assert np.any(np.array(session.interpreter.buffer.shown) != before)


def test_a_render_is_the_picture_that_is_drawn_on(session, tmp_path):
    session("get a from unit_cube\nscreensize 60 40\nbackgroundcolor 0 0 1\nrender\nlinecolor 1 0 0\n")
    session("linemove 0 1 1\nlinedraw 59 1 1\nbitsave 0 0 60 40 marked.png\n")
    marked = np.array(Image.open(tmp_path / "marked.png"))
    assert marked.shape[:2] == (40, 60) and tuple(marked[38, 5, :3]) == (255, 0, 0)
    assert tuple(marked[0, 0, :3]) == (0, 0, 255) and marked[20, 30, 0] > 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("bitsave 0 0 5 5 f.png", "there is no picture yet"),
        ("glopen 4 4\nbitsave 2 2 5 5 f.png", "does not lie inside the picture of 4 by 4"),
        ("blit nobody 0 0", "there is no bitmap 'nobody'"),
        ("glopen 0 4", "1 to 10000 pixels"),
        ("glopen 4 4\nlinedraw 1 1 1", "linemove comes first"),
        ("blitmake a 1 1 0 0 0\nblitmake b 2 1 0 0 0\nblitlayerb a b c", "'a' is 1 by 1, 'b' is 2 by 1"),
        ("write t.png\nno picture\n.\nblitread t.png a 1 1", "t.png is not a picture"),
    ],
)
def test_faults(session, text, fault):
    with pytest.raises(ScriptError, match=fault):
        session(text)
