"""Timed writes: each world changes its own cells at its own times inside the march, exactly as by hand at a stop."""

import numpy as np
import pytest

from gambol import JointSpring, Recorder, Simulation, Stepping, World, WorldError, chain
from gambol.stepping.timetable import Timetable

TIMES = np.array([0.031, 0.0517, 0.052, 0.11, 0.173])
METHODS = ("semi-implicit-euler", "rk4", "rkf45", "implicit-pair")


def simulation(method="implicit-pair", **options):
    springs = [
        JointSpring(joint=f"chain_{k}", stiffness=5.0, damping=0.1, rest=0.1, name=f"spring {k}") for k in range(2)
    ]
    sim = Simulation(World(chain(2), forces=springs), stepping=Stepping(method=method, step=1e-3, eps=1e-5), **options)
    sim.reset(v=[0.5, -0.3])
    return sim


@pytest.mark.parametrize("method", METHODS)
def test_the_same_bits_as_by_hand_at_a_stop(method):
    by_hand, ahead = simulation(method), simulation(method)
    for k, time in enumerate(TIMES):
        by_hand.run(until=time)
        by_hand.elements["spring 0"].set("stiffness", 4.0 + k)
        by_hand.elements["spring 1"].ramp("rest", 0.1 * (k - 2), 0.04)
    by_hand.run(until=0.25)
    for k, time in enumerate(TIMES):
        ahead.elements["spring 0"].set("stiffness", 4.0 + k, at=time)
        ahead.elements["spring 1"].ramp("rest", 0.1 * (k - 2), 0.04, at=time)
    ahead.run(until=0.25)
    assert ahead.elements["spring 0"].get("stiffness") == 8.0
    assert by_hand.counts == ahead.counts
    assert np.array_equal(by_hand.q, ahead.q) and np.array_equal(by_hand.v, ahead.v)


@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"dtype": np.float32}])
def test_every_world_of_a_batch_on_its_own_clock(options):
    worlds, rng = 19, np.random.default_rng(4)
    times = np.sort(rng.uniform(0.01, 0.19, (3, worlds)), axis=0)
    many = simulation(worlds=worlds, **options)
    for k, own in enumerate(times):
        many.elements["spring 0"].set("stiffness", 3.0 + k + np.arange(worlds), at=own)
        many.elements["spring 1"].ramp("rest", 0.3 * (k - 1), 0.05, at=own)
    many.run(until=0.2)
    for world in (0, 7, 8, 18):
        one = simulation()
        for k, own in enumerate(times[:, world]):
            one.elements["spring 0"].set("stiffness", 3.0 + k + world, at=own)
            one.elements["spring 1"].ramp("rest", 0.3 * (k - 1), 0.05, at=own)
        one.run(until=0.2)
        tolerance = 1e-12 if many.dtype is np.float64 else 2e-4
        assert many.q[world] == pytest.approx(one.q, abs=tolerance)
        rest = one.elements["spring 1"].get("rest")
        assert many.elements["spring 1"].get("rest")[world] == pytest.approx(rest, abs=1e-6)


def planned_ahead(**options):
    sim = simulation(**options)
    for k, time in enumerate(TIMES):
        sim.elements["spring 1"].ramp("rest", 0.2 * (k - 2), 0.06, at=time)
    return sim


@pytest.mark.parametrize("worlds", [1, 9])
def test_saved_in_the_middle_of_a_ramp_with_more_to_come(worlds):
    sim = planned_ahead(worlds=worlds)
    sim.run(until=0.06)
    state = sim.save()
    assert state.writes is not None and set(np.round(state.writes.time, 6)) == {0.11, 0.173}
    sim.run(until=0.25)
    end = sim.save()
    assert end.writes is None
    sim.restore(state)
    sim.run(until=0.25)
    assert sim.save().same(end)
    other = simulation(worlds=worlds)
    other.restore(state)
    other.run(until=0.25)
    assert other.save().same(end) and not other.save().same(state)


def test_a_recording_goes_on_with_what_was_still_to_be_written(tmp_path):
    whole = planned_ahead()
    with Recorder(whole, tmp_path / "whole.h5", every=0.01) as recorder:
        recorder.run(0.25)
    first = planned_ahead()
    with Recorder(first, tmp_path / "part.h5", every=0.01) as recorder:
        recorder.run(0.06)
    second = simulation()
    with Recorder.resume(second, tmp_path / "part.h5") as recorder:
        recorder.run(0.19)
    assert second.save().same(whole.save())


def test_the_later_entry_counts_and_what_is_past_is_written_at_once():
    sim = simulation()
    sim.run(0.1)
    sim.elements["spring 0"].set("stiffness", 1.0, at=0.15)
    sim.elements["spring 0"].set("stiffness", 2.0, at=0.15)
    sim.elements["spring 1"].set("stiffness", 3.0, at=0.02)
    sim.run(until=0.1 + 1e-9)
    assert sim.elements["spring 1"].get("stiffness") == 3.0 and sim.elements["spring 0"].get("stiffness") == 5.0
    sim.run(until=0.15)
    assert sim.elements["spring 0"].get("stiffness") == 2.0


def test_a_ramp_begins_where_the_one_before_it_will_be():
    sim = simulation()
    sim.elements["spring 1"].ramp("rest", 1.1, 0.2, at=0.1)
    sim.elements["spring 1"].ramp("rest", 0.0, 0.1, at=0.2)  # in the middle of the other
    values = []
    for time in (0.1, 0.15, 0.2, 0.25, 0.35):
        sim.run(until=time)
        values.append(sim.elements["spring 1"].get("rest"))
    assert values == pytest.approx([0.1, 0.35, 0.6, 0.3, 0.0], abs=1e-12)


def test_commands_of_a_world_without_force_elements():
    by_hand, ahead = (Simulation(World(chain(2)), stepping=Stepping(method="rkf45", eps=1e-9)) for _ in range(2))
    by_hand.run(until=0.05)
    by_hand.command = [0.1, -0.2]
    by_hand.run(until=0.1)
    ahead.timetable.add(0.05, ahead.memory.commands, [0.1, -0.2])
    ahead.run(until=0.1)
    assert np.array_equal(by_hand.q, ahead.q)


def test_reset_and_clear_forget():
    sim = planned_ahead()
    sim.run(until=0.04)
    sim.timetable.clear()
    sim.run(until=0.25)
    assert sim.elements["spring 1"].get("rest") == pytest.approx(-0.4)
    sim = planned_ahead()
    sim.reset()
    sim.run(until=0.25)
    assert sim.elements["spring 1"].get("rest") == 0.1


def test_what_cannot_be_written():
    sim = simulation()
    with pytest.raises(WorldError, match=r"the time `at` .* must be finite, not inf"):
        sim.elements["spring 0"].set("stiffness", 1.0, at=np.inf)
    table = Timetable(sim.memory)
    with pytest.raises(WorldError, match="saved"):
        table.add(0.1, [sim.memory.saved], [1.0])
    with pytest.raises(WorldError, match="shape"):
        table.add(0.1, sim.memory.commands, [1.0, 2.0, 3.0])
