import numpy as np
import pytest

from gambol import GaitController, PacemakerGait, PhaseNetwork, Reflex, Simulation, StepError, StepReflex, WorldError
from gambol.control.legs.reflexes import Extreme
from gambol.experiments.roach.walking import walk
from gambol.models import walking_roach
from gambol.models.roach import (
    STEP_TIME,
    STICKY,
    STICKY_FRICTION,
    TUNED,
    adjusted_legs,
    legs,
    roach_world,
    settled_roach,
    standing_positions,
    stepping,
)


@pytest.fixture(scope="module")
def standing():
    sim = settled_roach()
    return sim, sim.save()


def walking(standing, cycle=0.1, reflexes=(), kind=PacemakerGait, **options):
    """The standing roach with a gait attached, and the gait's controller."""
    sim, state = standing
    sim.restore(state)
    gait = kind(legs(), step_time=STEP_TIME, cycle=cycle, reflexes=list(reflexes))
    controller = GaitController(gait, **options)
    sim.attach(controller)
    return sim, controller


def test_it_stands(standing):
    sim, state = standing
    sim.restore(state)
    assert sim.q[2] == pytest.approx(0.0118, abs=2e-4)
    assert float(sim.q[sim.coordinates("thorax")][0]) == pytest.approx(0.237, abs=0.01)
    contacts = tuple(f"{body.name} contact" for body in sim.layout.figures[0].bodies)
    weight = sim.elements[contacts].report()["force_z"].sum()
    assert weight == pytest.approx(sim.layout.figures[0].mass * 9.8, rel=0.015)


def test_it_walks_as_fast_as_the_source_says():
    run = walk(seconds=1.2)
    assert 0.052 < run.speed(0.4) < 0.064 and run.upright()
    assert run.clearance(0.4) > 2e-3
    assert run.wobble(0.4)[0] == pytest.approx(10.0, abs=1.3)


def test_strokes_begin_exactly_on_time(standing):
    sim, walk = walking(standing)
    first = walk.next_time(sim)
    sim.run(until=first + 0.6 * STEP_TIME)
    began = walk.log.steps[walk.log.names.index("fl")][0][0]
    assert began == pytest.approx(first, abs=1e-12)
    lift = sim.elements["leg_fl1"]  # the second stroke of the lifting joint
    assert lift.ramp_ends("rest") == pytest.approx(began + STEP_TIME, abs=1e-12)
    assert lift.get("rest") == pytest.approx(0.2 * -0.3 + 0.8 * lift_top(), abs=1e-9)
    assert sim.elements["leg_fl0"].get("rest") == pytest.approx(-0.45 + 0.6 * (-0.7 + 0.45), abs=1e-9)


def lift_top():
    """Where the first stroke of the lifting joint of the left front leg goes."""
    (leg,) = (leg for leg in legs() if leg.name == "fl")
    return next(s.target for s in leg.step.strokes if s.joint == "leg_fl1" and s.start == 0.0)


def test_samples_do_not_change_when_legs_step(standing):
    logs = []
    for every in (None, 0.013):
        sim, walk = walking(standing)
        sim.run(0.25, every=every)
        logs.append(walk.footfalls().steps)
    for one, two in zip(*logs):
        assert np.allclose(np.array(one), np.array(two), atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("reflexes", [False, True])
def test_saved_and_restored_to_the_bit(standing, reflexes):
    sim, walk = walking(standing, reflexes=[StepReflex({"fl": Extreme("leg_fl0", -0.5, 1.0)})] if reflexes else ())
    sim.run(0.07)
    state = sim.save()
    sim.run(0.08)
    first, steps = sim.q, walk.footfalls().steps
    sim.restore(state)
    sim.run(0.08)
    assert np.array_equal(sim.q, first)
    assert all(np.array_equal(np.array(a), np.array(b), equal_nan=True) for a, b in zip(walk.footfalls().steps, steps))


def test_strokes_of_moved_joints_end_elsewhere(standing):
    ends = []
    for moved in ({}, {"leg_ml0": 0.1, "leg_ml1": -0.05}):
        sim, walk = walking(standing, cycle=10.0)
        walk.moved |= moved
        sim.run(5.0)
        state = sim.save()
        walk.moved = {}
        sim.restore(state)
        assert walk.moved == moved
        ends.append([sim.elements[joint].get("rest") for joint in ("leg_ml0", "leg_ml1", "leg_fl0")])
    assert np.ravel(np.subtract(*ends[::-1])) == pytest.approx([0.1, -0.05, 0.0], abs=1e-9)


@pytest.mark.parametrize("reflexes", [(), (Reflex(),)])
def test_legs_with_cycles_of_their_own_walk(standing, reflexes):
    """Each stance program takes as long as its leg's own cycle leaves; saved and restored to the bit."""
    cycles = {leg.name: 0.12 + 0.02 * k for k, leg in enumerate(legs())}
    sim, walk = walking(standing, cycles, reflexes, PhaseNetwork)
    stood = 0
    for _ in range(20):
        sim.run(0.01)
        for k, leg in enumerate(walk.gait.legs):
            if walk.gait.now.steps[0, k] and walk.gait.now.state[0, k] == 0:
                since = walk.gait.now.since[0, k]
                ends = sim.elements[leg.joints[0]].ramp_ends("rest")
                assert ends == pytest.approx(since + cycles[leg.name] - STEP_TIME, abs=1e-9)
                stood += 1
    assert stood > 10
    state = sim.save()
    ends = []
    for _ in range(2):
        sim.run(0.05)
        ends.append((sim.q, walk.gait.now.clock.copy(), walk.gait.now.cycle.copy()))
        sim.restore(state)
    assert all(np.array_equal(a, b) for a, b in zip(*ends))


def test_a_walk_in_pieces_is_the_same_walk(standing):
    ends = []
    for pieces in (1, 4):
        sim, _ = walking(standing, cycle=0.15)
        begin = sim.latest_time
        for k in range(pieces):
            sim.run(until=begin + 0.2 * (k + 1) / pieces)
        ends.append(sim.q)
    assert np.abs(ends[0][:3] - ends[1][:3]).max() < 2e-3  # [m]; ends of pieces split steps


def test_feet_stick_in_stance_only():
    sim = walking_roach(roach_world(sticky=STICKY, friction=STICKY_FRICTION), cycle=0.3)
    (walk,) = sim.controllers
    seen = set()
    for _ in range(60):
        sim.run(0.005)
        for k, leg in enumerate(legs()):
            sticky = np.max(sim.elements[f"{leg.foot} contact"].get("sticky"))
            if walk.gait.now.steps[0, k]:
                assert sticky == (0.0 if walk.gait.now.state[0, k] == 2 else 1.0)
                seen.add(sticky)
    assert seen == {0.0, 1.0}


def test_steering_turns_both_ways():
    turns = [walk(seconds=1.2, limbs=adjusted_legs(*TUNED), steer=s).turning(0.3) for s in (-0.3, 0.0, 0.3)]
    assert turns[0] * turns[2] < 0 and abs(turns[1]) < 0.5 * min(abs(turns[0]), abs(turns[2]))


def test_a_batch_walks_as_single_ones_do():
    """In packs, each on its own clock: fixed steps, so that the walks are the same to rounding.

    Its feet begin in the ground, and rounding grows ten thousand times in each 20 ms from there.
    """
    cycles = np.array([0.1, 0.15, 0.3])
    fixed = dict(method="implicit-euler")
    walks, steps = [], []
    for c in cycles:
        sim = Simulation(roach_world(), stepping=stepping_fixed(**fixed), ledger=False)
        sim.reset(standing_positions(0.0125))
        sim.run(0.04, controller=GaitController(PacemakerGait(legs(), step_time=STEP_TIME, cycle=c)))
        walks.append(sim.q)
        steps.append(float(sim.counts["steps"]))
    many = Simulation(roach_world(), stepping=stepping_fixed(**fixed), worlds=3, ledger=False)
    many.reset(np.array([standing_positions(0.0125)] * 3))
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=cycles, worlds=3)
    many.run(0.04, controller=GaitController(gait))
    assert many.counts["steps"].tolist() == steps  # no world's strokes split the steps of another
    assert np.abs(many.q - np.array(walks)).max() < 1e-9


def test_samples_of_a_batch_are_those_of_single_walks():
    cycles = np.array([0.1, 0.15, 0.3])
    many = walking_roach(cycle=cycles, worlds=3, settle=0.05)
    path = many.run(0.06, every=0.01)
    assert path.q.shape == (6, 3, many.layout.nq) and np.array_equal(path.q[-1], many.q)
    assert np.ptp(many.counts["steps"]) > 0  # steps of their own
    for world, cycle in enumerate(cycles):
        alone = walking_roach(cycle=cycle, settle=0.05).run(0.06, every=0.01)
        assert np.array_equal(alone.time, path.time)
        assert np.abs(alone.q - path.q[:, world]).max() < 1e-6


def test_a_gait_entered_ahead_is_the_gait_that_ticks(standing):
    ends = []
    for watchful in (False, True):
        sim, walk = walking(standing, cycle=0.15, reflexes=[Reflex()] if watchful else ())
        sim.run(0.2)
        joints = tuple(joint for leg in legs() for joint in leg.joints)
        handle = sim.elements[joints]
        ramps = np.array([handle.get("rest"), handle.ramp_ends("rest")])
        ends.append((walk.footfalls().steps, ramps, sim.q))
    for one, two in zip(ends[0][0], ends[1][0]):
        assert np.allclose(np.array(one), np.array(two), atol=1e-12, equal_nan=True)
    assert ends[0][1] == pytest.approx(ends[1][1], abs=1e-9)
    assert np.abs(ends[0][2][:3] - ends[1][2][:3]).max() < 2e-3  # [m]; ticks every 2.5 ms split the steps


def test_a_batch_is_saved_in_mid_stroke_to_the_bit():
    sim = walking_roach(cycle=np.array([0.1, 0.13, 0.2]), worlds=3, settle=0.05)
    sim.run(0.0611)
    state = sim.save()
    assert state.controllers[0][1]["queue"]  # the second strokes of steps under way
    sim.run(0.07)
    first = sim.save()
    sim.restore(state)
    sim.run(0.07)
    assert sim.save().same(first)


def test_something_due_may_change_the_gait(standing):
    sim, walk = walking(standing, cycle=0.3)
    sim.at(sim.latest_time + 0.1, lambda sim: walk.set_cycle(0.1))
    sim.run(0.3)
    assert np.all(walk.gait.now.cycle == 0.1) and walk.gait.now.steps.sum() > 6


def test_a_change_of_cycle_does_not_jump_the_phases(standing):
    """Changed when nothing happens, a cycle counts from then on, wherever the legs last stepped."""
    sim, walk = walking(standing, cycle=0.6)
    begin = sim.latest_time
    sim.at(begin + 0.043, lambda sim: walk.set_cycle(0.3))
    sim.run(0.143)
    phase = walk.gait.now.clock[0] + (sim.latest_time - walk.gait.now.time) / 0.3
    assert phase == pytest.approx(0.043 / 0.6 + 0.1 / 0.3)


def test_a_failure_leaves_the_gait_where_the_walk_ended(standing):
    sim, walk = walking(standing)
    begin = sim.latest_time
    sim.elements["leg_fl2"].set("rest", 40.0, at=begin + 0.03)
    with pytest.raises(StepError):
        sim.run(0.5)
    assert begin + 0.03 <= walk.gait.now.time == sim.latest_time < begin + 0.5
    assert all(step[0] <= walk.gait.now.time for steps in walk.log.steps for step in steps)
    assert sim.save().writes is None


def stepping_fixed(method):
    from dataclasses import replace

    return replace(stepping(), method=method, step=2e-5, eps=None)


def test_wrong_numbers_of_worlds(standing):
    sim, _ = standing
    with pytest.raises(WorldError, match="the gait is for 2 worlds, the simulation has 1"):
        sim.attach(GaitController(PacemakerGait(legs(), step_time=STEP_TIME, cycle=0.1, worlds=2)))


def test_linear_springs_collapse_and_exponential_ones_hold():
    heights = []
    for linear in (False, True):
        sim = Simulation(roach_world(linear=linear), stepping=stepping(), ledger=False)
        sim.reset(standing_positions())
        sim.run(0.5)
        heights.append(float(sim.q[2]))
    assert heights[0] > 0.011 and heights[1] < 0.008


def test_a_run_that_fails_says_why(standing):
    sim, state = standing
    sim.restore(state)
    for leg in legs():
        sim.elements[leg.joints[1]].set("rest", 30.0)
    with pytest.raises(StepError):
        sim.run(0.1)
    sim.restore(state)


def test_short_runs_in_single_precision_go_on():
    """Ends of runs and strokes fall together where the clock holds neither exactly."""
    sim = walking_roach(worlds=4, dtype=np.float32, eps=4e-2)
    for _ in range(14):
        sim.run(0.1)
    assert np.all(np.abs(sim.time - 1.7125) < 1e-5) and sim.controllers[0].gait.now.steps.sum() > 300
