"""The classics in a real browser: the finger with its torque functions, a hybrid system, a script with its prompt."""

import time

import numpy as np
import pytest

from gambol.corpus.live import ScriptSource
from gambol.shows.registry import find_show
from gambol.view import Player
from view.window import eventually

SCRIPT = """addworld w
ground on
addcorpus c
get ball from sphere
color ball .85 .2 .15
move ball 0 0 3
addbody ball ball 0 0 1 rotary 1000
setroot ball
corpusinit
dt .02
go 10
"""


def spot(view, canvas, place):
    """A place of a canvas in the window, as shares of its size."""
    left, top, wide, high = canvas.evaluate("c => (b => [b.left, b.top, b.width, b.height])(c.getBoundingClientRect())")
    return left + place[0] * wide, top + place[1] * high


def drag(view, canvas, start, end, steps=4):
    """From one place of a canvas to another."""
    at = lambda place: spot(view, canvas, place)
    view.page.mouse.move(*at(start))
    view.page.mouse.down()
    view.page.mouse.move(*at(end), steps=steps)
    view.page.mouse.up()


def test_the_finger_is_pulled_and_its_torque_functions_are_bent(window):
    source = find_show("finger").make()
    viewer, view = window(source)
    value = lambda label: viewer.player.ask(lambda: next(p.get() for p in source.parameters if p.label == label))
    canvas = view.page.get_by_label("proximal, bend")
    eventually(lambda: canvas.count() == 1 and view.get("gambol.curves.angles?.length") == 9, "curves and angles")
    centre, zone, slope = value("proximal, bend")
    place = lambda angle, torque=0.0: view.get(
        f"(c => [c.x({angle}) / c.canvas.width, c.y({torque}) / c.canvas.height])(gambol.curves.pictures[0])"
    )
    view.page.mouse.move(*spot(view, canvas, (0.05, 0.1)))
    eventually(lambda: view.get("gambol.curves.pictures[0].hot") == "slope", "the slope lights up under the mouse")
    drag(view, canvas, place(centre), place(centre + 0.4))
    eventually(lambda: value("proximal, bend")[0] == pytest.approx(centre + 0.4, abs=0.03), "the zone was moved")
    stale = "gambol.state.parameters.map(p => ({ ...p, value: [0, 0.1, 0] }))"
    view.get(f"gambol.told({{ state: {{ ...gambol.state, done: gambol.asked - 1, parameters: {stale} }} }})")
    assert view.get("gambol.curves.pictures[0].value[0]") == pytest.approx(centre + 0.4, abs=0.03), "old news is none"
    drag(view, canvas, place(centre + 0.4 + zone), place(centre + 0.4 + zone + 0.3))
    eventually(lambda: value("proximal, bend")[1] == pytest.approx(zone + 0.15, abs=0.02), "an edge was moved")
    now = value("proximal, bend")
    far = now[0] - now[1] - 0.6
    drag(view, canvas, place(far, 0.5 * now[2] * 0.6), place(far, 0.3 * now[2]))
    eventually(lambda: value("proximal, bend")[2] == pytest.approx(0.5 * slope, rel=0.15), "the slope was halved")
    view.keep("finger")
    for _ in range(3):
        view.press("Undo")
    eventually(lambda: value("proximal, bend") == pytest.approx((centre, zone, slope), abs=1e-4), "all undone")
    view.enter("ν, steps to a slow band", 4)
    eventually(lambda: source.sim.ratio == 4, "ν")
    assert not view.has_button("Pin"), "the recursion has no pins"
    view.press("Play")
    row = [name for name in viewer.anatomy.names].index("finger/distal")

    def caught() -> bool:
        """It moves: whoever misses it tries again."""
        x, y = view.place_of(viewer.poses.origins[row] + viewer.poses.frames[row] @ (0.02, 0.0, 0.0))
        view.page.mouse.move(x, y)
        view.page.mouse.down()
        view.page.mouse.move(x, y - 90, steps=5)
        for _ in range(20):
            if source.mouse.body is not None:
                return True
            time.sleep(0.05)
        view.page.mouse.up()
        return False

    eventually(caught, "it is held")
    eventually(lambda: view.get("gambol.overlays.pull.mesh.count") == 1, "with an arrow")
    view.page.mouse.up()
    eventually(lambda: source.mouse.body is None, "and let go")
    assert not source.fault and view.wrong == []


def test_the_charts_of_a_hybrid_system_change_before_ones_eyes(window):
    source = find_show("simsect").make()
    viewer, view = window(source)
    words = view.page.locator(".charts strong")
    seen = set()

    def several() -> bool:
        if text := words.text_content():
            seen.add(text)
        return len(seen) >= 3

    eventually(several, "several charts")
    assert all(text.startswith("chart: ") for text in seen)
    eventually(lambda: view.get("gambol.charts.canvas.getContext('2d').getImageData(0, 0, 640, 96).data.some(x => x)"))
    changed = source.charts.late(source.last)["changed"]
    eventually(lambda: source.charts.late(source.last)["changed"] > changed, "it goes on")
    view.enter("cycle [s]", 0.9)
    eventually(lambda: viewer.player.ask(lambda: source.parameters[0].get()) == 0.9, "its clock is slower")
    view.keep("simsect")
    assert not source.fault and view.wrong == []


def test_a_script_is_shown_with_its_prompt(window, tmp_path):
    (tmp_path / "fall.corpus").write_text(SCRIPT)
    source = ScriptSource(tmp_path / "fall.corpus")
    _, view = window(Player(source))
    typing = view.page.get_by_label("command", exact=True)
    eventually(lambda: source.last > 0.19 and view.page.get_by_text("corpus>").count() > 0, "it has run")
    typing.fill("dumpcog ball")
    typing.press("Enter")
    eventually(lambda: "corpus> dumpcog ball" in view.page.locator(".prompt pre").inner_text(), "its echo")
    place = lambda: source.at(source.last).q[2]
    before = place()
    typing.fill("go 5")
    typing.press("Enter")
    eventually(lambda: place() < before - 0.05, "it falls on")
    typing.fill("get block from unit_cube")
    typing.press("Enter")
    view.page.wait_for_function("() => window.gambol?.about.names.length === 2")  # the page is loaded anew
    eventually(lambda: "get block from" in view.page.locator(".prompt pre").inner_text(), "what was said is kept")
    eventually(lambda: np.isfinite(view.get("gambol.stage.middle.x")) and view.get("gambol.pictures") > 0, "and seen")
    view.keep("corpus")
    view.press("Restart")
    view.page.wait_for_function("() => window.gambol?.about.names.length === 1")  # it begins anew
    assert view.wrong == []


def test_muscles_are_coloured_by_their_activation_and_forces_make_a_field(window):
    source = find_show("muscles").make()
    _, view = window(source)
    view.page.get_by_label("muscles", exact=True).check()
    shown = "gambol.overlays.muscles.mesh"
    eventually(lambda: view.get(f"{shown}.count") == 4, "four muscles")
    red = lambda k: view.get(f"{shown}.instanceColor?.array[{3 * k}]") or 0.0
    eventually(lambda: red(2) > red(3) + 0.1, "the biceps is redder than the triceps")
    view.enter("triceps", 1.0)
    eventually(lambda: red(3) > red(2), "now the other way round")
    view.keep("muscles")
    _, frog = window(find_show("frog").make())
    eventually(lambda: frog.get("gambol.overlays.field.mesh.count") == 64, "a field of arrows")
    matrix = "[...gambol.overlays.field.mesh.instanceMatrix.array.slice(0, 160)]"
    before = np.array(frog.get(matrix))
    frog.enter("extensors", 1.0)
    eventually(lambda: np.abs(np.array(frog.get(matrix)) - before).max() > 1e-4, "which follows the muscles")
    frog.keep("frog")
    assert view.wrong == [] and frog.wrong == []
