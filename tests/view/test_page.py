"""The one-file replay: what is written, and that a browser plays it without a network."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import gambol.view
from gambol import Body, Figure, Joint, Mass, Mesh, Part, ViewError
from gambol.draw.render import Scene
from gambol.draw.solids import with_world
from gambol.figure.texture import Texture
from gambol.models import hexapod30
from gambol.view import replay
from gambol.view.page import page
from view.motions import RED, brick, coloured, slide
from view.window import Window, eventually

PLAYER = Path(gambol.view.__file__).parent / "player"


def unpacked(text: str) -> tuple[dict, dict[str, np.ndarray]]:
    about = json.loads(re.search(r'id="about">(.*?)</script>', text, re.DOTALL).group(1))
    data = gzip.decompress(base64.b64decode(re.search(r'id="motion">(.*?)</script>', text, re.DOTALL).group(1)))
    arrays, at = {}, 0
    for name, kind, count in about["layout"]:
        arrays[name] = np.frombuffer(data, f"<{kind}", count, at)
        at += arrays[name].nbytes
    assert at == len(data)
    return about, arrays


def test_the_page_holds_every_pose():
    motion = slide(hexapod30(), seconds=1.0, rate=30.0)
    about, arrays = unpacked(page(motion, rate=30.0))
    assert about["frames"] == 31 and about["bodies"] == 25
    frame = 17
    poses = motion.poses(frame / 30.0)
    places = arrays["places"].reshape(31, 25, 3)[frame]
    turns = arrays["turns"].reshape(31, 25, 4)[frame] / 32767.0
    assert np.allclose(places, poses.origins, atol=1e-6)
    scene = Scene(motion.figures)
    for k, batch in enumerate(scene.batches):
        owners, locals_ = arrays[f"bodies{k}"], arrays[f"locals{k}"].reshape(-1, 4, 4).transpose(0, 2, 1)
        placed = batch.placed(with_world(poses))
        for i in (0, len(owners) - 1):
            w, x, y, z = turns[owners[i]]
            turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                             [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                             [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip
            assert np.allclose(turn @ locals_[i, :3, :3], placed.frames[i] * batch.scales[i], atol=2e-4)
            assert np.allclose(places[owners[i]] + turn @ locals_[i, :3, 3], placed.origins[i], atol=2e-4)


def test_the_player_was_built_from_its_source():
    sources = sorted(path for path in PLAYER.glob("*.js") if path.name != "player.min.js")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    built = (PLAYER / "player.min.js").read_text(encoding="utf-8")
    assert built.startswith(f"/* player.js {digest},"), "run scripts/build-player"
    assert "MIT" in (PLAYER / "THREE_LICENSE").read_text(encoding="utf-8")


def test_names_cannot_break_out_of_the_page():
    text = page(brick(), title="</script><script>alert(1)</script>")
    assert "<script>alert" not in text
    assert unpacked(text)[0]["title"].startswith("</script>")


@pytest.mark.parametrize(("options", "words"), [({"rate": 0.0}, "rate must be positive"), ({"world": 1}, None)])
def test_pages_that_cannot_be_written(tmp_path, options, words):
    if words:
        with pytest.raises(ViewError, match=words):
            replay(brick(), tmp_path / "a.html", **options)
    with pytest.raises(ViewError, match=r"a\.mp3: a page is written as \.html"):
        replay(brick(), tmp_path / "a.mp3")
    assert list(tmp_path.iterdir()) == []


def test_a_browser_plays_it_without_a_network(browser, artefacts, tmp_path):
    path = replay(slide(brick(), seconds=2.0, way=1.0), tmp_path / "a.html", title="A brick")
    assert path.stat().st_size < 1_000_000
    context = browser.new_context(offline=True, viewport={"width": 640, "height": 420})
    wrong: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    view = Window(opened, artefacts)
    try:
        opened.goto(path.as_uri())
        opened.wait_for_selector(".bar")
        eventually(lambda: coloured(view.pixels(), RED).mean() > 0.005, "a red brick")
        now = lambda: opened.evaluate("() => window.gambol.time")
        before = now()
        eventually(lambda: now() != before, "it plays by itself")

        def paused() -> bool:
            """It may have come to its end as it was clicked, and begun anew."""
            if not opened.get_by_title("Play").count():
                opened.get_by_title(re.compile("^(Play|Pause)$")).click()
            opened.wait_for_timeout(200)
            return opened.get_by_title("Play").count() > 0

        eventually(paused, "it stands still")
        held = now()
        view.wait_frames(20)
        assert now() == held
        opened.evaluate("() => { const s = document.querySelector('input[type=range]'); s.value = 1.5; s.oninput(); }")
        eventually(lambda: now() == pytest.approx(1.5), "scrubbing")
        opened.keyboard.press("ArrowRight")
        eventually(lambda: now() == pytest.approx(1.5 + 1 / 60), "a step")
        view.keep("replay")
        assert opened.title() == "A brick" and wrong == []
    finally:
        context.close()


def test_the_shadow_is_below_the_figure_whichever_picture_it_is_of(browser, tmp_path):
    """Its picture is drawn for every third picture only; it goes along with the figure meanwhile."""
    path = replay(slide(brick(), way=8.0), tmp_path / "fast.html")
    page = browser.new_page(viewport={"width": 480, "height": 320})
    page.goto(path.as_uri())
    page.wait_for_function("() => window.gambol?.stage.cast.box")
    page.evaluate("() => { gambol.playing = false; gambol.stage.drawn = 0; }")
    for k in range(4):
        page.evaluate("t => { gambol.show(t); gambol.stage.paint(); }", 0.1 + 0.4 * k)
        middle = """() => { const { cast, middle } = gambol.stage, box = cast.uniforms.castBox.value;
            return [box.x + box.y - 2 * middle.dot(cast.right), box.z + box.w - 2 * middle.dot(cast.up)]; }"""
        assert np.abs(page.evaluate(middle)).max() < 0.05, k
    page.close()


def test_the_camera_is_above_the_ground_where_it_is_and_not_where_that_is_highest(browser, tmp_path):
    from gambol import Stairs

    path = replay(slide(brick()), tmp_path / "stairs.html", ground=Stairs(start=3.0, length=0.3, rise=0.2), speed=0.25)
    page = browser.new_page(viewport={"width": 480, "height": 320})
    page.goto(path.as_uri())
    page.wait_for_function("() => window.gambol?.stage.ground.tops && window.gambol.stage.rig.started")
    page.evaluate("() => { gambol.playing = false; gambol.seek(0); }")
    assert page.evaluate("() => gambol.speed") == 0.25 == float(page.get_by_title("speed").input_value())
    camera = page.evaluate("() => gambol.stage.camera.position.z")
    here, there = (page.evaluate("x => gambol.stage.ground.top({ x, y: 0 })", x) for x in (0, 8))
    assert 0.0 < camera < 2.0 and abs(here) < 1e-6 and 2.0 < there < 5.0
    page.close()


def test_a_browser_lays_textures_over_meshes(browser, artefacts, tmp_path):
    """A board that faces the camera: the left half of its picture is red, the right half blue, the top green."""
    picture = Image.new("RGB", (64, 64), (230, 20, 20))
    picture.paste((20, 30, 230), (32, 0, 64, 64))
    picture.paste((20, 220, 20), (0, 0, 64, 16))
    corners = ((0.0, -1.0, 1.0), (0.0, 1.0, 1.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0))
    places = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    faces = ((0, 2, 1), (0, 3, 2))
    board = Mesh(corners, faces, Texture.of(picture, places[np.array(faces)]))
    part = Part(board, inertial=False)
    weight = Mass(1.0, inertia=(1, 1, 1, 0, 0, 0))
    figure = Figure("board", (Body("board", joint=Joint("free"), parts=(part,), mass=weight),))
    path = replay(slide(figure, way=0.0), tmp_path / "a.html")
    view = Window(browser.new_page(viewport={"width": 640, "height": 420}), artefacts)
    try:
        view.page.goto(path.as_uri())
        view.page.wait_for_selector(".bar")

        def middle(colour):
            rows, columns = np.nonzero(coloured(view.pixels(), colour))
            return (columns.mean(), rows.mean()) if len(rows) > 500 else None

        red, blue, green = (0.9, 0.1, 0.1), (0.1, 0.1, 0.9), (0.1, 0.9, 0.1)
        eventually(lambda: all(middle(c) for c in (red, blue, green)), "three colours")
        view.keep("board")
        place = "p => window.gambol.stage.middle.clone().set(...p).project(window.gambol.stage.camera).x"
        seen = [view.page.evaluate(place, point) for point in ([0, -1, 0.3], [0, 1, 0.3])]
        (left, _), (right, low), (_, top) = middle(red), middle(blue), middle(green)
        assert (left < right) == (seen[0] < seen[1]) and top < low and not view.wrong
    finally:
        view.page.close()
