"""The live view in a real browser: what people see and do."""

import itertools
import socket
import threading

import numpy as np
import pytest

from gambol import Joint, World, chain
from gambol.shows.registry import find_show
from gambol.view import LiveSource, Parameter, Player, RecordedSource
from gambol.view.holding import strings
from view.motions import BLUE, RED, brick, coloured, slide
from view.window import LIMIT, PANEL, SIZE, eventually

pytest.importorskip("websockets", reason="websockets is not installed (extra `view`)")
from gambol.view import Viewer

MIDDLE = 0.5 * (SIZE["width"] - PANEL)  # [pixels] of what is free beside the panel


def live(**options) -> LiveSource:
    figure = brick(height=1.0)
    return LiveSource.of(World(figure, forces=strings(figure)), **options)


def test_the_figure_is_in_the_middle_beside_the_panel(window):
    _, view = window(live())
    x, y = view.middle_of(RED)
    view.keep("brick")
    assert abs(x - MIDDLE) < 40 and 120 < y < 400
    assert view.elsewhere == [] and view.wrong == []
    view.page.get_by_title("Hide or show the panel").click()
    middle = lambda: np.nonzero(coloured(view.pixels(), RED))[1].mean()
    eventually(lambda: abs(middle() - 0.5 * SIZE["width"]) < 40, "it has all the room")
    view.page.set_viewport_size({"width": 620, "height": 420})
    eventually(lambda: coloured(view.pixels(), RED).mean() > 0.005, "and in a small window")
    view.keep("small")


def test_play_pause_step_and_scrub(window):
    viewer, view = window(live())
    player = viewer.player
    eventually(lambda: player.shown > 0.5 and view.has_button("Pause"), "it plays")
    view.press("Pause")
    eventually(lambda: not player.playing and view.has_button("Play"), "it pauses, the button says so")
    held = player.shown
    for _ in range(20):
        player.ask(lambda: None, timeout=LIMIT)
    assert player.shown == held
    view.press("Step forward")
    eventually(lambda: player.shown == pytest.approx(held + 1 / 60), "a step forward")
    view.page.keyboard.press("ArrowLeft")
    eventually(lambda: player.shown == pytest.approx(held), "a step back by key")
    box = view.page.get_by_label("timeline").bounding_box()
    view.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    eventually(lambda: 0.3 * player.source.last < player.shown < 0.7 * player.source.last, "scrubbing")
    assert not player.playing
    view.page.keyboard.press(" ")
    eventually(lambda: player.shown > held + 0.2, "replay runs on into the present")
    speed = player.speed
    view.page.keyboard.press("-")
    eventually(lambda: player.speed < speed, "slower")
    view.page.get_by_title("speed").select_option("1/4")
    eventually(lambda: player.speed == 0.25, "the speed that was chosen")


def test_a_slider_changes_a_parameter_and_undo_takes_it_back(window):
    turned = {"speed": 1.0, "gait": "walk"}
    parameters = [
        Parameter("walking speed", lambda: turned["speed"], lambda x: turned.update(speed=x), 0.0, 2.0, unit="m/s"),
        Parameter("gait", lambda: turned["gait"], lambda x: turned.update(gait=x), choices=("walk", "trot")),
    ]
    viewer, view = window(live(parameters=parameters))
    view.enter("walking speed [m/s]", 1.5)
    eventually(lambda: turned["speed"] == pytest.approx(1.5), "the speed")
    view.choose("gait", "trot")
    eventually(lambda: turned["gait"] == "trot", "the gait")
    view.enter("slope [°]", 10.0)
    sim = viewer.player.source.sim
    eventually(lambda: sim.gravity[0] == pytest.approx(-9.81 * np.sin(np.radians(10.0))), "the slope")
    view.keep("sliders")
    view.press("Undo")
    eventually(lambda: sim.gravity[0] == pytest.approx(0.0, abs=1e-12), "the slope is taken back")
    view.page.keyboard.press("u")
    eventually(lambda: turned["gait"] == "walk" and turned["speed"] == pytest.approx(1.5), "then the gait")
    before = viewer.player.ask(lambda: viewer.player.source.last)  # once all of that is taken back
    view.press("Restart")
    eventually(lambda: viewer.player.source.last < before, "a restart")
    view.press("Undo")
    eventually(lambda: viewer.player.source.last == before, "which is undone too")


def test_dragging_pulls_the_body_and_it_comes_back(window):
    viewer, view = window(live())
    source = viewer.player.source
    x, y = view.middle_of(RED)
    mouse = view.page.mouse
    mouse.move(x, y)
    eventually(lambda: view.get("gambol.stage.lit") == 0, "it lights up before a click")
    eventually(lambda: view.page.get_by_text("cube", exact=True).count() > 0, "with its name")
    mouse.down()
    mouse.move(x - 25, y)
    eventually(lambda: source.mouse.body == "brick/cube", "the mouse holds the cube")
    mouse.move(x - 200, y, steps=7)
    away = lambda: float(np.linalg.norm(source.sim.q[:2]))  # the strings let it sag, but not aside
    gives = 0.5 * source.mouse.strength / sum(s.stiffness for s in strings(brick(height=1.0)))  # half of what it should
    eventually(lambda: away() > gives, "the cube gives way")
    eventually(lambda: view.get("gambol.overlays.pull.mesh.count") == 1, "an arrow")
    eventually(lambda: view.page.get_by_text("pulling at cube").count() > 0, "the page says so")
    view.keep("dragged")
    force = np.linalg.norm(source.mouse.pulling(viewer.poses, viewer.anatomy.names)[1])
    assert 0 < force <= 1.001 * source.mouse.strength
    mouse.up()
    eventually(lambda: source.mouse.body is None, "it lets go")
    eventually(lambda: away() < 0.1 * gives and np.linalg.norm(source.sim.v) < 1e-3, "rest where it was")
    assert not source.fault and view.wrong == []


def test_a_modifier_moves_the_camera_which_stays_above_the_ground(window):
    viewer, view = window(live())
    x, y = view.middle_of(RED)
    camera = lambda: np.array(view.get("gambol.stage.camera.position.toArray()"))
    before, mouse = camera(), view.page.mouse
    view.page.keyboard.down("Alt")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 120, y, steps=4)
    mouse.up()
    view.page.keyboard.up("Alt")
    eventually(lambda: np.linalg.norm(camera() - before) > 0.1, "the camera went")
    assert viewer.player.source.mouse.body is None and viewer.player.undoable == 0
    mouse.move(30, 300)
    mouse.down()
    mouse.move(30, -2000, steps=6)
    mouse.up()
    view.wait_frames(5)
    assert camera()[2] > 0.0
    for key in "1234567":
        view.page.keyboard.press(key)
        view.wait_frames(4)
        assert camera()[2] > 0.0
    view.page.keyboard.press("5")
    eventually(lambda: view.get("gambol.stage.rig.goal") is None and camera()[2] > 1.5, "from above")
    eventually(lambda: view.sees(RED), "the brick from above")


def test_push_and_pin_by_a_click(window):
    viewer, view = window(Player(live()))
    player = viewer.player
    view.middle_of(RED)
    view.page.keyboard.press("p")
    view.page.get_by_label("push strength").fill("2")
    view.page.get_by_label("push duration").fill("0.5")
    where = lambda: view.place_of(viewer.poses.origins[0])
    mouse = view.page.mouse
    mouse.click(*where())
    eventually(lambda: player.undoable == 1, "a push")
    way = np.array(view.get("gambol.stage.rig.target.clone().sub(gambol.stage.camera.position).normalize().toArray()"))
    went = lambda: max(float(m.q[:2] @ way[:2]) for m in player.source.between(0.0, player.source.last))
    eventually(lambda: went() > 0.002, "it goes away from who pushed")
    eventually(lambda: player.source.mouse.body is None, "and it ends by itself")
    view.press("Pin")
    mouse.click(*where())
    eventually(lambda: player.source.mouse.pinned == "brick/cube", "a pin")
    eventually(lambda: view.page.get_by_text("pinned: cube").count() > 0, "the page says so")
    mouse.click(*where())
    eventually(lambda: player.source.mouse.pinned is None, "and out again")


def test_a_joint_is_turned_by_hand(window):
    arm = chain(2, Joint("hinge", (0, 1, 0), damping=0.05), length=0.4, radius=0.05)
    viewer, view = window(Player(LiveSource.of(World(arm), ground=-1.5), playing=False))
    source = viewer.player.source
    view.page.keyboard.press("j")
    row = 1
    x, y = view.place_of(viewer.poses.origins[row] + viewer.poses.frames[row] @ (0.0, 0.0, -0.2))
    view.page.mouse.move(x, y)
    eventually(lambda: view.get("gambol.stage.lit") == row, "it lights up")
    view.page.mouse.down()
    view.page.mouse.move(x + 60, y, steps=6)
    view.page.mouse.up()
    bent = lambda: source.at(source.last).q
    eventually(lambda: bent()[1] == pytest.approx(0.6, abs=0.02) and bent()[0] == 0.0, "the second hinge alone")
    assert viewer.player.undoable == 1 and source.last == source.first
    view.press("Undo")
    eventually(lambda: bent()[1] == 0.0, "undone whole")
    assert view.wrong == []


def test_overlays_and_the_plot(window):
    _, view = window(live())
    for name in ("contact forces", "friction cones", "centre of mass", "capture point", "joint axes"):
        view.page.get_by_label(name, exact=True).check()
    shown = lambda name: view.get(f"gambol.overlays.{name}.mesh.count")
    eventually(lambda: shown("forces") == 3 and shown("cones") == 3 and shown("plumb") == 1, "forces and the centre")
    eventually(lambda: view.get("gambol.overlays.captures[0].visible"), "the capture point")
    for name in ("inertia", "trails", "transparent bodies", "joint torques"):
        view.page.get_by_label(name, exact=True).check()
    eventually(lambda: view.get("gambol.overlays.trails.visible && gambol.overlays.ellipsoids.visible"), "all of them")
    view.page.get_by_text("Plot", exact=True).click()
    view.choose("plot of", "brick: height of the centre of mass [m]")
    curve = "Object.values(gambol.panel.plotWindow.curves ?? {})[0]"
    eventually(lambda: view.get(f"({curve} ?? {{t: []}}).t.length") > 20, "a curve")
    assert abs(view.get(f"{curve}.y.at(-1)") - 1.0) < 0.1
    box = view.page.locator(".plot").bounding_box()
    view.page.mouse.move(box["x"] + 30, box["y"] + 12)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + 90, box["y"] - 88, steps=3)
    view.page.mouse.up()
    moved = view.page.locator(".plot").bounding_box()
    assert moved["x"] - box["x"] == pytest.approx(60, abs=3) and moved["y"] - box["y"] == pytest.approx(-100, abs=3)
    view.keep("overlays")
    assert view.wrong == []


def test_pictures_and_pages_are_saved(window, tmp_path):
    viewer, view = window(live())
    eventually(lambda: viewer.player.shown > 0.3, "something to play")
    view.page.get_by_text("Save", exact=True).click()
    with view.page.expect_download() as picture:
        view.press("Picture")
    assert picture.value.suggested_filename == "brick.png"
    picture.value.save_as(tmp_path / "a.png")
    from PIL import Image

    assert coloured(Image.open(tmp_path / "a.png").convert("RGB"), RED).mean() > 0.005
    with view.page.expect_download() as replayed:
        view.page.get_by_text("Page that plays").click()
    replayed.value.save_as(tmp_path / "a.html")
    assert '"frames"' in (tmp_path / "a.html").read_text()


def test_a_film_is_recorded_and_saved(window, tmp_path):
    _, view = window(live())
    view.page.keyboard.press("r")
    eventually(lambda: view.get("gambol.panel.recorder?.state") == "recording", "it records")
    eventually(lambda: view.get("gambol.panel.filmed") > 5000, "something was filmed")
    with view.page.expect_download() as film:
        view.page.keyboard.press("r")
    assert film.value.suggested_filename in ("brick.mp4", "brick.webm")
    film.value.save_as(tmp_path / "film")
    assert (tmp_path / "film").stat().st_size > 5000
    eventually(lambda: view.get("gambol.panel.recorder") is None and view.wrong == [], "and can begin anew")


def test_events_are_marked_on_the_timeline(window):
    source = RecordedSource(slide(brick(), seconds=2.0), events=[(0.5, "heel strike"), (1.5, "toe off")])
    _, view = window(Player(source, playing=False))
    eventually(lambda: view.page.locator(".marks i").count() == 2, "two marks")
    marks = "[...document.querySelectorAll('.marks i')]"
    named = lambda: view.get(f"{marks}.map(mark => mark.title)")
    assert named() == ["heel strike, 0.50 s", "toe off, 1.50 s"]
    line = view.page.locator(".marks").bounding_box()
    wanted = [line["x"] + share * line["width"] for share in (0.25, 0.75)]
    places = lambda: view.get(f"{marks}.map(mark => mark.getBoundingClientRect().left)")
    eventually(lambda: places() == pytest.approx(wanted, abs=3), "where they happened")


def test_the_dark_theme_is_dark_and_can_be_read(window):
    _, view = window(live(), color_scheme="dark")
    eventually(lambda: view.sees(RED), "the brick")
    panel = lambda: view.pixels()[:, SIZE["width"] - PANEL + 2 :].astype(float).mean(axis=2)
    eventually(lambda: np.median(panel()) < 90, "dark paper")
    eventually(lambda: np.percentile(panel(), 99.5) > 170, "light ink")
    eventually(lambda: np.median(view.scene()) < 110, "dark ground and sky")
    eventually(lambda: view.scene()[:60, :80].max() > 170, "with a title that can be read")
    view.keep("dark")
    view.page.emulate_media(color_scheme="light")
    eventually(lambda: np.median(view.scene()) > 150 and view.sees(RED), "the theme follows that of the reader")


def test_long_names_keep_clear_of_the_panel(window):
    figure = brick(height=1.0, name="the_" + 12 * "very_" + "long_name_of_a_brick")
    _, view = window(LiveSource.of(World(figure, forces=strings(figure))))
    right = """name => {
        const words = document.createRange();
        words.selectNodeContents(document.querySelector(name));
        return words.getBoundingClientRect().right;
    }"""
    ends = lambda name: view.page.evaluate(right, name)
    edge = lambda: view.page.locator(".panel").bounding_box()["x"]
    drawn = lambda: view.page.locator("#stage > canvas").bounding_box()["width"]
    for wide in (SIZE["width"], 1100):
        view.page.set_viewport_size({"width": wide, "height": SIZE["height"]})
        eventually(lambda w=wide: w - PANEL - 20 < edge() < w, "the panel at the right")
        eventually(lambda: ends("h1") <= edge() and ends(".status") <= edge(), "the words end before it")
        eventually(lambda: drawn() == pytest.approx(edge(), abs=1), "nothing is drawn behind the panel")


def test_the_quality_is_told_and_can_be_chosen(window):
    _, view = window(live())
    eventually(lambda: view.get("gambol.stage.software") is True and view.get("gambol.stage.plain") is True, "no card")
    eventually(lambda: view.page.get_by_text("plain light").count() > 0, "it says so")
    eventually(lambda: view.get("gambol.stage.renderer.getPixelRatio() <= 1"), "no finer than the page while it moves")
    view.choose("quality", "fine")
    eventually(lambda: view.get("gambol.stage.plain") is False and view.sees(RED), "fine light")
    eventually(lambda: view.page.get_by_text("fine light").count() > 0, "which it says too")
    view.choose("quality", "fast")
    eventually(lambda: view.get("gambol.stage.plain && gambol.stage.renderer.getPixelRatio()") == 0.5, "fewer pixels")
    view.choose("quality", "adapts itself")
    view.press("Pause")
    eventually(lambda: view.get("gambol.stage.refined"), "what stands still is drawn finely")
    assert view.sees(RED) and view.wrong == []


def test_a_ghost_of_another_run(window):
    motion, other = slide(brick(), way=0.2, seconds=2.0), slide(brick(colour=BLUE), way=0.8, seconds=2.0)
    viewer = Viewer(Player(RecordedSource(motion), playing=False), port=0, rate=20.0, ghost=other).start()
    _, view = window(viewer)
    eventually(lambda: view.sees(RED), "the run itself")
    place = lambda: view.get("gambol.stage.ghost.poses[0].elements[12]")
    assert place() == pytest.approx(0.0)
    viewer.player.seek(1.5)
    eventually(lambda: place() == pytest.approx(0.6, abs=0.03), "the ghost at the same time")
    assert view.get("gambol.stage.poses[0].elements[12]") == pytest.approx(0.15, abs=0.01)
    view.middle_of(RED)  # the camera has come to rest
    x, y = map(int, view.place_of((0.45, 0.0, 0.4)))
    around = lambda: view.pixels()[y - 5 : y + 5, x - 5 : x + 5].astype(float).mean(axis=(0, 1))
    seen = around()
    view.keep("ghost")
    view.page.get_by_label("ghost", exact=True).uncheck()
    eventually(lambda: np.abs(around() - seen).max() > 10, "what was seen there was the ghost")
    assert view.wrong == []


def test_one_drives_and_the_others_watch(window):
    viewer, first = window(live())
    _, second = window(viewer)
    eventually(lambda: first.sees(RED) and second.sees(RED), "both see it")
    second.page.keyboard.press(" ")
    second.press("Take the controls")
    eventually(lambda: viewer.driver == 2, "the second drives")
    assert viewer.player.playing  # what it asked for before was not done
    second.page.keyboard.press(" ")
    eventually(lambda: not viewer.player.playing and first.has_button("Play"), "the other's button follows")
    eventually(lambda: first.page.get_by_text("Somebody else drives").is_visible(), "the first is told")
    second.page.close()
    eventually(lambda: viewer.driver == 1, "who stays drives")
    first.page.keyboard.press(" ")
    eventually(lambda: viewer.player.playing, "and plays")


class Line:
    """A line to the viewer that can be cut: forwards connections until told to drop them."""

    def __init__(self, port: int):
        self.target, self.ends = port, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            self.ends += [near, far]
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(a, b), daemon=True).start()

    @staticmethod
    def _pump(a, b) -> None:
        try:
            while data := a.recv(65536):
                b.sendall(data)
        except OSError:
            pass
        for end in (a, b):
            end.close()

    def cut(self) -> None:
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.ends.clear()


def test_a_dropped_connection_comes_back_by_itself(window):
    source = live()
    source.prepare()
    viewer = Viewer(source, port=0, rate=20.0).start()
    line = Line(viewer.port)
    _, view = window(viewer, address=f"http://127.0.0.1:{line.port}/{viewer.guard.token}")
    eventually(lambda: view.sees(RED) and len(viewer.server.get_clients()) == 1, "one looks")
    before = set(viewer.server.get_clients())
    line.cut()
    eventually(lambda: viewer.server.get_clients() and not before & set(viewer.server.get_clients()), "it comes back")
    eventually(lambda: not view.page.get_by_text("The connection is lost").is_visible(), "and says so")
    view.press("Pause")
    eventually(lambda: not viewer.player.playing, "and works")
    line.listener.close()


def test_several_figures(window):
    other = brick(height=1.0, colour=BLUE, name="other").replace("cube", placement=brick().root.placement)
    world = World((brick(height=1.2), other), forces=[*strings(brick(height=1.2)), *strings(other)])
    q = np.array([*brick().zero, *other.zero])
    q[8] += 1.0
    forces = [*strings(brick(height=1.2)), *strings(other, q[7:])]
    _, view = window(LiveSource.of(World(world.figures, forces=forces), q=q))
    eventually(lambda: view.sees(RED) and view.sees(BLUE), "a red and a blue brick")
    view.keep("two")


def test_the_camera_follows_also_while_scrubbing(window):
    motion = slide(brick(), way=30.0, seconds=3.0)
    viewer, view = window(Player(RecordedSource(motion), playing=False))
    eventually(lambda: view.sees(RED), "the brick")
    for time in (3.0, 1.2):
        viewer.player.seek(time)
        eventually(lambda t=time: view.get("gambol.frame.t") == pytest.approx(t), "the moment")
        eventually(lambda: abs(view.middle_of(RED)[0] - MIDDLE) < 50, "the brick in the middle")
    view.page.get_by_label("follow", exact=True).uncheck()
    viewer.player.seek(3.0)
    eventually(lambda: not view.sees(RED), "it stays where it was told to")


def test_the_gait_of_a_walking_roach_is_changed(window):
    source = find_show("roach").make()
    _, view = window(source)
    eventually(lambda: source.last > 0.4, "it walks")
    view.choose("gait", "slow wave")
    gait = source.sim.controllers[0].gait
    eventually(lambda: gait.now.cycle[0, 0] == pytest.approx(0.6), "the wave")
    number = view.page.get_by_label("cycle [s], number", exact=True)
    eventually(lambda: float(number.input_value()) == pytest.approx(0.6), "the slider follows")
    changed = source.last
    eventually(lambda: source.last > changed + 0.1, "it walks on")
    eventually(lambda: any(view.get("gambol.pattern.flashing")), "an oscillator flashes as its leg steps")
    data = "gambol.pattern.canvas.getContext('2d').getImageData(0, 0, 640, 270).data"
    assert view.get(f"{data}.filter((x, i) => i % 4 === 1 && x === 0x5e).length") > 500  # bars of the legs that stood
    view.keep("roach")
    assert not source.fault


def test_a_roach_goes_where_keys_and_clicks_direct_it(window):
    source = find_show("director").make()
    _, view = window(Player(source, speed=1.0))
    place = lambda: np.array(source.sim.q[:2])
    began = place()
    view.page.keyboard.down("ArrowUp")
    eventually(lambda: place()[0] > began[0] + 0.02, "ahead")
    view.page.keyboard.down("ArrowLeft")
    eventually(lambda: source.pilot.director.look().heading > 0.5, "to the left")
    view.page.keyboard.up("ArrowLeft")
    view.page.keyboard.up("ArrowUp")
    eventually(lambda: source.pilot.director.speed == 0.0, "it stops")
    goals = itertools.cycle(([0.02, 0.06], [0.06, 0.04], [-0.04, 0.06], [0.05, 0.0]))

    def sent_somewhere() -> bool:  # a click may meet a leg instead
        view.page.mouse.click(*view.place_of((*(place() + np.array(next(goals))), 0.0)))
        view.wait_frames(5)
        return source.pilot.goal is not None

    eventually(sent_somewhere, "it is sent somewhere")
    sent = np.array(source.pilot.goal)
    eventually(lambda: not source.pilot.mark().size, "it has come there")
    assert np.linalg.norm(place() - sent) < 0.05
    eventually(lambda: any("walk to" in name for _, name in view.get("gambol.state.events")), "which is marked")
    view.page.keyboard.press("d")
    corners = [place() + np.array(by) for by in ([-0.03, 0.02], [-0.02, 0.04], [0.01, 0.05])]
    at = [view.place_of((*corner, 0.0)) for corner in corners]
    view.page.mouse.move(*at[0])
    view.page.mouse.down()
    for spot in at[1:]:
        view.page.mouse.move(*spot, steps=6)
    eventually(lambda: view.get("gambol.steering.line.mesh.count") > 2, "a line is drawn under the mouse")
    view.page.mouse.up()
    eventually(lambda: len(source.pilot.way()) > 2, "it follows the line")
    assert not source.fault and view.wrong == []
