"""The live view in a real browser: what people see and do."""

import socket
import threading

import numpy as np
import pytest

from gambol import World
from gambol.shows.registry import find_show
from gambol.view import LiveSource, Parameter, Player, RecordedSource
from gambol.view.holding import strings
from view.motions import BLUE, RED, brick, slide
from view.window import LIMIT, Window, eventually

pytest.importorskip("viser", reason="viser is not installed (extra `view`)")
from gambol.view import Viewer

# The element is made anew whenever there is something new to plot.
SCROLLED = """() => {
    const plot = document.querySelector(".uplot");
    plot?.scrollIntoView();
    return plot !== null;
}"""


def live(**options) -> LiveSource:
    figure = brick(height=1.0)
    return LiveSource.of(World(figure, forces=strings(figure)), **options)


@pytest.fixture
def window(browser, artefacts):
    """Opens windows on viewers and closes both."""
    opened: list = []

    def open_on(what, **options) -> tuple[Viewer, Window]:
        if isinstance(what, LiveSource):
            what.prepare()  # compiling is not waited for with a limit
        viewer = what if isinstance(what, Viewer) else Viewer(what, port=0, rate=20.0).start()
        opened.append(viewer)
        found = Window.on_viewer(browser, options.get("address", viewer.address), artefacts)
        opened.insert(0, found.page)
        return viewer, found

    yield open_on
    for thing in opened:
        thing.close()


def test_the_figure_is_seen_and_nothing_is_fetched_from_elsewhere(window):
    _, view = window(live())
    x, y = view.middle_of(RED)
    view.keep("brick")
    assert 300 < x < 560 and 60 < y < 440
    assert view.elsewhere == []


def test_play_pause_step_and_scrub(window):
    viewer, view = window(live())
    player = viewer.player
    eventually(lambda: player.shown > 0.5 and view.has_button("Pause"), "it plays")
    view.press("Pause")
    eventually(lambda: not player.playing, "it pauses")
    eventually(lambda: view.has_button("Play"), "the button says so")
    held = player.shown
    for _ in range(20):
        player.ask(lambda: None, timeout=LIMIT)
    assert player.shown == held
    view.press("forward")
    eventually(lambda: player.shown == pytest.approx(held + 1 / 60), "a step forward")
    view.press("back")
    eventually(lambda: player.shown == pytest.approx(held), "a step back")
    view.enter("Timeline [s]", 0.25)
    eventually(lambda: player.shown == pytest.approx(0.25), "scrubbing")
    assert not player.playing
    view.keep("scrubbed")
    view.press("Play")
    eventually(lambda: player.shown > held + 0.2, "replay runs on into the present")


def test_the_timeline_is_dragged_by_mouse(window):
    motion = slide(brick(), seconds=4.0, way=0.0)
    viewer, view = window(Player(RecordedSource(motion), playing=False))
    thumb = view.page.get_by_role("slider").first.bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    view.page.mouse.move(x, y)
    view.page.mouse.down()
    view.page.mouse.move(x + 60, y, steps=6)
    view.page.mouse.up()
    eventually(lambda: 0.5 < viewer.player.shown < 3.5, "the middle of the recording")


def test_a_slider_changes_a_parameter(window):
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


def test_dragging_pushes_the_body_and_it_comes_back(window):
    viewer, view = window(live())
    source = viewer.player.source
    x, y = view.middle_of(RED)
    mouse = view.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 25, y)
    eventually(lambda: source.mouse.body == "brick/cube", "the mouse holds the cube")
    mouse.move(x - 200, y, steps=7)
    away = lambda: float(np.linalg.norm(source.sim.q[:2]))  # the strings let it sag, but not aside
    gives = 0.5 * source.mouse.strength / sum(s.stiffness for s in strings(brick(height=1.0)))  # half of what it should
    eventually(lambda: away() > gives, "the cube gives way")
    eventually(lambda: viewer.scenery.pull.visible, "an arrow")
    eventually(lambda: view.page.get_by_text("Pulling at cube").count() > 0, "the panel says so")
    view.keep("dragged")
    force = np.linalg.norm(source.mouse.pulling(viewer.poses, viewer.anatomy.names)[1])
    assert 0 < force <= 1.001 * source.mouse.strength
    mouse.up()
    eventually(lambda: source.mouse.body is None, "it lets go")
    eventually(lambda: away() < 0.1 * gives and np.linalg.norm(source.sim.v) < 1e-3, "rest where it was")
    assert not source.fault


def test_overlays_and_the_plot(window):
    viewer, view = window(live())
    for name in ("Transparent", "Centre of mass", "Support polygon", "Joint axes", "Forces"):
        view.page.get_by_label(name, exact=True).check()
    eventually(lambda: all(viewer.scenery.shown.values()), "all overlays")
    eventually(lambda: viewer.scenery.forces.visible and viewer.scenery.centres[0].visible, "arrows and centre")
    view.choose("Of", "brick: height of the centre of mass [m]")
    eventually(lambda: view.page.locator(".uplot").count() > 0, "a plot")
    eventually(lambda: len(viewer.panel.plot.data[0]) > 20, "data in the plot")
    assert np.ptp(viewer.panel.plot.data[1]) < 0.2 and abs(viewer.panel.plot.data[1][-1] - 1.0) < 0.1
    viewer.player.pause()
    eventually(lambda: view.has_button("Play"), "a plot that is drawn no more")
    view.page.wait_for_function(SCROLLED)
    view.wait_frames()
    view.keep("overlays")


def test_two_people_look_at_the_same(window):
    viewer, first = window(live())
    _, second = window(viewer)
    eventually(lambda: first.sees(RED) and second.sees(RED), "both see it")
    first.press("Pause")
    eventually(lambda: second.has_button("Play"), "the other's button follows")
    second.press("Play")
    eventually(lambda: viewer.player.playing and first.has_button("Pause"), "and back")
    second.page.close()
    before = viewer.player.shown
    eventually(lambda: viewer.player.shown > before + 0.3 and first.sees(RED), "one may leave")


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
    before, panel = set(viewer.server.get_clients()), view.page.get_by_role("button", name="Pause").element_handle()
    line.cut()
    eventually(lambda: viewer.server.get_clients() and not before & set(viewer.server.get_clients()), "it comes back")
    view.page.wait_for_function("panel => !panel.isConnected", arg=panel)  # it is made anew
    eventually(lambda: view.sees(RED), "and shows the brick")
    view.press("Pause")
    eventually(lambda: not viewer.player.playing, "and works")
    view.keep("reconnected")
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


def test_the_camera_follows(window):
    motion = slide(brick(), way=30.0, seconds=3.0)
    viewer, view = window(Player(RecordedSource(motion), playing=False))
    eventually(lambda: view.sees(RED), "the brick")
    viewer.player.play()
    eventually(lambda: viewer.player.at_end, "the end")

    def caught_up() -> bool:
        viewer.player.version += 1  # the camera comes nearer with every picture
        return viewer.scenery.offset[0] == pytest.approx(30.0, abs=0.5)

    eventually(caught_up, "the camera, thirty metres on")
    eventually(lambda: view.sees(RED), "the brick there")


def test_the_gait_of_a_walking_roach_is_changed(window):
    source = find_show("roach").make()
    viewer, view = window(source)
    eventually(lambda: source.last > 0.4, "it walks")
    view.choose("gait", "slow wave")
    gait = source.sim.controllers[0].gait
    eventually(lambda: gait.now.cycle[0, 0] == pytest.approx(0.6), "the wave")
    cycle = next(handle for parameter, handle in viewer.panel.inputs if parameter.label == "cycle")
    eventually(lambda: cycle.value == pytest.approx(0.6), "the slider follows")
    changed = source.last
    eventually(lambda: source.last > changed + 0.1, "it walks on")
    view.keep("roach")
    assert not source.fault
