import numpy as np
import pytest

from gambol import PacemakerGait, Simulation, StepError, Walker, WorldError
from gambol.experiments.roach.walking import settled, walk
from gambol.models import walking_roach
from gambol.models.roach import (
    STEP_TIME,
    STICKY,
    STICKY_FRICTION,
    TUNED,
    adjusted_legs,
    legs,
    roach_world,
    standing_positions,
    stepping,
)


@pytest.fixture(scope="module")
def standing():
    sim = settled(roach_world())
    return sim, sim.save()


def walker_of(standing, cycle=0.1, **options):
    sim, state = standing
    sim.restore(state)
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=cycle)
    gait.reset(cycle, time=float(sim.time))
    return Walker(sim, gait, **options)


def test_it_stands(standing):
    sim, state = standing
    sim.restore(state)
    assert sim.q[2] == pytest.approx(0.0118, abs=2e-4)
    assert float(sim.q[sim.coordinates("thorax")][0]) == pytest.approx(0.237, abs=0.01)
    weight = sum(sim.report(f"{body.name} contact")["force_z"].sum() for body in sim.layout.figures[0].bodies)
    assert weight == pytest.approx(sim.layout.figures[0].mass * 9.8, rel=0.015)


def test_it_walks_as_fast_as_the_source_says():
    run = walk(seconds=1.2)
    assert 0.052 < run.speed(0.4) < 0.064 and run.upright()
    assert run.clearance(0.4) > 2e-3
    assert run.wobble(0.4)[0] == pytest.approx(10.0, abs=1.3)


def test_strokes_begin_exactly_on_time(standing):
    walker = walker_of(standing)
    sim = walker.sim
    start = walker.gait.now.time
    first = walker.gait.next_time()
    walker.run(first + 0.6 * STEP_TIME - start)
    stepping_leg = walker.log.names.index("fl")
    began = walker.log.steps[stepping_leg][0][0]
    assert began == pytest.approx(first, abs=1e-12)
    lift = sim.memory.of(0)[walker._rest_cells("leg_fl1")]
    assert lift[2] == pytest.approx(began + 0.5 * STEP_TIME, abs=1e-12)  # the second stroke of the lifting joint
    assert lift[1] == -0.3 and lift[3] == pytest.approx(0.5 * STEP_TIME)
    assert sim.parameter("leg_fl0", "rest") == pytest.approx(-0.45 + 0.6 * (-0.7 + 0.45), abs=1e-9)


def test_samples_do_not_change_when_legs_step(standing):
    logs = []
    for every in (None, 0.013):
        walker = walker_of(standing)
        walker.run(0.25, every=every)
        logs.append(walker.log.footfalls(0.0).steps)
    for one, two in zip(*logs):
        assert np.allclose(np.array(one), np.array(two), atol=1e-12, equal_nan=True)


def test_saved_and_restored_to_the_bit(standing):
    walker = walker_of(standing)
    walker.run(0.07)
    state = walker.save()
    walker.run(0.08)
    first = walker.sim.q
    walker.restore(state)
    walker.run(0.08)
    assert np.array_equal(walker.sim.q, first)


def test_feet_stick_in_stance_only():
    sim = settled(roach_world(sticky=STICKY, friction=STICKY_FRICTION))
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=0.3)
    gait.reset(0.3, time=float(sim.time))
    walker = Walker(sim, gait)
    seen = set()
    for _ in range(60):
        walker.run(0.005)
        for k, leg in enumerate(legs()):
            sticky = np.max(sim.parameter(f"{leg.foot} contact", "sticky"))
            if gait.now.steps[0, k]:
                assert sticky == (0.0 if gait.now.state[0, k] == 2 else 1.0)
                seen.add(sticky)
    assert seen == {0.0, 1.0}


def test_steering_turns_both_ways():
    turns = [walk(seconds=1.2, limbs=adjusted_legs(*TUNED), steer=s).turning(0.3) for s in (-0.3, 0.0, 0.3)]
    assert turns[0] * turns[2] < 0 and abs(turns[1]) < 0.5 * min(abs(turns[0]), abs(turns[2]))


def test_a_batch_walks_as_single_ones_do():
    """In packs, each on its own clock: fixed steps, so that the walks are the same to rounding."""
    cycles = np.array([0.1, 0.15, 0.3])
    fixed = dict(method="implicit-euler")
    walks = []
    for c in cycles:
        sim = Simulation(roach_world(), stepping=stepping_fixed(**fixed), ledger=False)
        sim.reset(standing_positions(0.0125))
        gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=c)
        Walker(sim, gait).run(0.06)
        walks.append(sim.q)
    many = Simulation(roach_world(), stepping=stepping_fixed(**fixed), worlds=3, ledger=False)
    many.reset(np.array([standing_positions(0.0125)] * 3))
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=cycles, worlds=3)
    Walker(many, gait).run(0.06)
    assert np.abs(many.q - np.array(walks)).max() < 1e-9  # no world's strokes split the steps of another


def test_samples_of_a_batch_are_those_of_single_walks():
    cycles = np.array([0.1, 0.15, 0.3])
    many = walking_roach(cycle=cycles, worlds=3, settle=0.05)
    times, q = many.run(0.06, every=0.01)
    assert q.shape == (6, 3, many.sim.layout.nq) and np.array_equal(q[-1], many.sim.q)
    assert np.ptp(many.sim.counts["steps"]) > 0  # steps of their own
    for world, cycle in enumerate(cycles):
        one = walking_roach(cycle=cycle, settle=0.05)
        alone = one.run(0.06, every=0.01)
        assert np.array_equal(alone[0], times)
        assert np.abs(alone[1] - q[:, world]).max() < 1e-6


class Watchful:
    """A reflex that does nothing: the walker ticks as it does with reflexes."""

    def act(self, gait, sensed):
        pass


def test_a_gait_entered_ahead_is_the_gait_that_ticks(standing):
    ends = []
    for watchful in (False, True):
        walker = walker_of(standing, cycle=0.15)
        walker.gait.reflexes = [Watchful()] if watchful else []
        walker.run(0.2)
        ramps = walker.sim.memory.of(0)[walker._cells]
        ends.append((walker.log.steps, ramps, walker.sim.q, walker.sim.counts["steps"]))
    for one, two in zip(ends[0][0], ends[1][0]):
        assert np.allclose(np.array(one), np.array(two), atol=1e-12, equal_nan=True)
    assert ends[0][1] == pytest.approx(ends[1][1], abs=1e-9)
    assert np.abs(ends[0][2][:3] - ends[1][2][:3]).max() < 2e-3  # [m]; ticks every 2.5 ms split the steps
    assert ends[0][3] < ends[1][3]


def test_a_batch_is_saved_in_mid_stroke_to_the_bit():
    walker = walking_roach(cycle=np.array([0.1, 0.13, 0.2]), worlds=3, settle=0.05)
    walker.run(0.0611)
    state = walker.save()
    assert state.agenda  # the second strokes of steps under way
    walker.run(0.07)
    first = walker.save()
    walker.restore(state)
    walker.run(0.07)
    assert walker.save().simulation.same(first.simulation)


def test_something_due_may_change_the_gait(standing):
    walker = walker_of(standing, cycle=0.3)
    begin = float(walker.sim.time)
    walker.sim.at(begin + 0.1, lambda sim: walker.gait.set_cycle(0.1))
    walker.run(0.3)
    assert walker.gait.now.cycle[0] == 0.1 and walker.gait.now.steps.sum() > 6


def test_a_failure_leaves_the_gait_where_the_walk_ended(standing):
    walker = walker_of(standing)
    begin = float(walker.sim.time)
    walker.sim.set_parameter("leg_fl2", "rest", 40.0, at=begin + 0.03)
    with pytest.raises(StepError):
        walker.run(0.5)
    assert begin + 0.03 <= walker.gait.now.time == float(walker.sim.time) < begin + 0.5
    assert all(step[0] <= walker.gait.now.time for steps in walker.log.steps for step in steps)
    assert walker.sim.save().writes is None


def stepping_fixed(method):
    from dataclasses import replace

    return replace(stepping(), method=method, step=2e-5, eps=None)


def test_wrong_numbers_of_worlds(standing):
    sim, _ = standing
    with pytest.raises(WorldError, match="the gait is for 2 worlds, the simulation has 1"):
        Walker(sim, PacemakerGait(legs(), step_time=STEP_TIME, cycle=0.1, worlds=2))


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
        sim.set_parameter(leg.joints[1], "rest", 30.0)
    with pytest.raises(StepError):
        sim.run(0.1)
    sim.restore(state)
