"""Live sources of other engines: the hinge recursion, hybrid systems, scripts of the command language."""

import math
import time

import numpy as np
import pytest

from gambol import GambolError, HybridRun, ViewError
from gambol.corpus.live import ScriptSource, script_source
from gambol.hybrid.models import BouncingBall, StickSlip
from gambol.shows.registry import find_show
from gambol.view import Player
from gambol.view.desk import Desk
from gambol.view.hybrids import HybridSource
from gambol.view.parameters import CurveParameter

NEVER = math.inf


# ------------------------------------------------------------ the finger
@pytest.fixture
def finger():
    return find_show("finger").make()


def test_a_pull_moves_the_finger_and_is_taken_back_to_the_bit(finger):
    finger.advance(1.0, NEVER)
    alone = finger.checkpoint()
    finger.advance(1.5, NEVER)
    settled = finger.at(1.5).q
    finger.go_back(alone)
    finger.mouse.grab("finger/distal", (0.03, 0.0, 0.0))
    at = finger.sim.point("distal", (0.03, 0.0, 0.0))
    finger.mouse.pull(at + np.array([0.0, 0.0, 0.05]))
    finger.advance(1.5, NEVER)
    assert finger.sim.point("distal", (0.03, 0.0, 0.0))[2] > at[2] + 0.005 and not finger.fault
    poses, names = finger.place(finger.at(1.5).q), [f"finger/{name}" for name in finger.sim.layout.names]
    _, force = finger.mouse.pulling(poses, names)
    assert 0 < np.linalg.norm(force) <= 1.001 * finger.mouse.strength
    finger.go_back(alone)
    finger.advance(1.5, NEVER)
    assert np.array_equal(finger.at(1.5).q, settled)


def test_a_push_ends_by_itself(finger):
    finger.mouse.push("finger/tip", (0.0, 0.0, 0.0), (0.0, 0.0, 0.3), 0.1)
    assert finger.mouse.lasting
    finger.advance(0.3, NEVER)
    assert finger.mouse.body is None and not finger.fault


@pytest.mark.parametrize("ratio", [1, 2, 4])
def test_a_hard_pull_does_not_shake_it_to_pieces(finger, ratio):
    finger.sim.set_ratio(ratio)
    finger.mouse.grab("finger/distal", (0.03, 0.0, 0.0))
    finger.mouse.pull((0.0, 0.0, 0.3))
    finger.advance(1.5, NEVER)
    finger.mouse.release()
    finger.mouse.grab("finger/middle", (0.01, 0.005, 0.0))
    finger.mouse.pull((0.1, 0.1, 0.1))
    finger.advance(4.5, NEVER)  # two taps while it is held
    finger.mouse.release()
    finger.advance(8.0, NEVER)
    assert not finger.fault and finger.last == pytest.approx(8.0)


def test_a_bent_torque_function_holds_the_finger_elsewhere(finger):
    curve = next(p for p in finger.parameters if p.label == "proximal, bend")
    assert isinstance(curve, CurveParameter)
    finger.advance(1.9, NEVER)
    before = curve.angle(finger.at(finger.last))
    centre, zone, slope = curve.get()
    curve.set((centre + 0.5, zone, slope))
    assert curve.get() == pytest.approx((centre + 0.5, zone, slope))
    finger.restart()
    assert curve.get()[0] == pytest.approx(centre + 0.5), "what was chosen stays"
    finger.advance(1.9, NEVER)
    assert curve.angle(finger.at(finger.last)) == pytest.approx(before + 0.5, abs=0.1)
    with pytest.raises(ViewError, match="zone and slope not negative"):
        curve.checked((0.0, -1.0, 1.0))


def test_undo_takes_back_a_whole_drag_of_a_curve(finger):
    player = Player(finger, playing=False).start()
    desk = Desk(player, [])
    usual = next(p.get() for p in finger.parameters if p.label == "middle, bend")
    for k in range(3):
        desk.act({"do": "set", "label": "middle, bend", "value": [0.1 * k, 0.2, 0.05], "first": k == 0})
    curve = lambda: player.ask(lambda: next(p.get() for p in finger.parameters if p.label == "middle, bend"))
    assert curve() == pytest.approx((0.2, 0.2, 0.05)) and player.undoable == 1
    desk.act({"do": "undo"})
    assert curve() == pytest.approx(usual)
    with pytest.raises(ValueError, match="middle, bend"):
        desk.act({"do": "set", "label": "middle, bend", "value": [9.0, 0.2, 0.05]})
    player.close()


# ------------------------------------------------------------ hybrid systems
def test_the_charts_of_a_hybrid_run_are_followed_and_taken_back():
    source = HybridSource(HybridRun(BouncingBall(restitution=0.8)), turned=("restitution",))
    source.advance(2.0, NEVER)
    late = source.charts.late(2.0)
    assert late["changed"] > 1 and late["stretches"][-1][2] == late["chart"]
    ends = [stretch[1] for stretch in late["stretches"]]
    assert ends == sorted(ends) and ends[-1] == 2.0
    before = source.charts.late(0.5)
    end = source.at(2.0).q
    source.resume_at(0.5)
    assert source.charts.late(0.5) == before and len(source.charts.times) == before["changed"] + 1
    source.advance(2.0, NEVER)
    assert np.array_equal(source.at(2.0).q, end) and source.charts.late(2.0) == late
    bounce = source.parameters[0]
    bounce.set(0.2)
    source.restart()
    source.advance(2.0, NEVER)
    assert bounce.get() == 0.2 and not np.array_equal(source.at(2.0).q, end)


def test_a_system_without_a_display_says_so():
    with pytest.raises(ViewError, match="has a display"):
        HybridSource(HybridRun(StickSlip()))


# ------------------------------------------------------------ scripts
FALL = """addworld w
addcorpus c
get ball from sphere
move ball 0 0 3
addbody ball ball 0 0 1 rotary 1000
setroot ball
corpusinit
rootmotion free
dt .02
go 20
@ fallen
"""


@pytest.fixture
def script(tmp_path):
    made = []

    def run(text: str) -> ScriptSource:
        (tmp_path / "fall.corpus").write_text(text)
        made.append(ScriptSource(tmp_path / "fall.corpus"))
        return made[-1]

    yield run
    for source in made:
        source.halt()


def until(source: ScriptSource, condition) -> None:
    ending = time.perf_counter() + 60.0
    while not condition():
        assert time.perf_counter() < ending
        source.advance(source.last + 0.1, time.perf_counter() + 0.05)


def test_a_script_runs_as_far_as_it_is_looked_at(script):
    source = script(FALL)
    assert [figure.name for figure in source.figures] == ["ball"] and source.last == 0.0
    assert source.prompt.state()["busy"], "it waits in the middle of go"
    source.advance(0.1, time.perf_counter() + 60.0)
    assert source.last == pytest.approx(0.1, abs=0.021)
    until(source, lambda: not source.prompt.state()["busy"])
    assert source.prompt.lines[-1] == "fallen" and source.last == pytest.approx(0.4)
    heights = [moment.q[2] for moment in source.between(0.0, source.last)]
    assert heights[0] == pytest.approx(3.0) and heights[-1] == pytest.approx(3.0 - 0.5 * 9.81 * 0.4**2, abs=0.01)


def test_commands_at_the_prompt_are_executed_and_answered(script):
    source = script(FALL)
    source.prompt.type("move nothing 1 2 3")
    source.prompt.type("go 5")
    until(source, lambda: source.last > 0.49 and not source.prompt.state()["busy"])
    said = "\n".join(source.prompt.lines)
    assert "corpus> go 5" in said and "error: <prompt>:1" in said and "nothing" in said
    edition = source.edition
    source.prompt.type("get block from unit_cube")
    until(source, lambda: source.edition > edition)
    assert [figure.name for figure in source.figures] == ["ball", "block"]
    assert len(source.at(source.last).q) == 14


def test_a_script_begins_anew(script):
    source = script(FALL)
    until(source, lambda: not source.prompt.state()["busy"])
    end = source.at(source.last).q
    source.restart()
    assert source.last == 0.0 and source.at(0.0).q[2] == pytest.approx(3.0)
    until(source, lambda: not source.prompt.state()["busy"])
    assert np.array_equal(source.at(source.last).q, end)


def test_what_is_wrong_in_a_script_is_told_at_the_prompt(script, tmp_path):
    source = script("addworld w\nfly away\n")
    assert any("fly" in line and line.startswith("error") for line in source.prompt.lines)
    assert not source.prompt.state()["busy"] and [f.name for f in source.figures] == ["origin"]
    with pytest.raises(GambolError, match="cannot be read"):
        script_source(tmp_path / "none.corpus")
