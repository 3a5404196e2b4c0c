"""The person's walk: adult curves, feet placed by feedback."""

import math
from dataclasses import replace

import numpy as np
import pytest

from gambol import Periodic, Rough, Terrain, UnknownNameError
from gambol.control.biped import stride_law
from gambol.control.biped.adult_curves import BUMPS, CURVES, HIP, PHASES, RUN_BUMPS, adult_curve, curve_tables
from gambol.control.biped.gait import GAIT_NUMBERS
from gambol.control.biped.goals_law import GOAL_SPEED, RUN_AHEAD
from gambol.control.biped.standing_law import STRIDE_SPEED
from gambol.control.biped.striding import ROUGHEST
from gambol.experiments.gait.courses import Course, walk_courses
from gambol.experiments.gait.measures import GaitLog
from gambol.experiments.gait.ranges import ADULT_RANGES, RUN_RANGES, SOURCES
from gambol.experiments.gait.search import SCALES
from gambol.models.person import tuned_walk, walk_of, walking_simulation


@pytest.fixture(scope="module")
def walked():
    """Nine seconds of walking: simulation and log."""
    sim = walking_simulation()
    log = GaitLog(walk_of(sim))
    sim.run(9.0, controller=[*sim.controllers, log])
    return sim, log


def test_numbers_and_curves_are_where_the_law_reads_them():
    for k, name in enumerate(GAIT_NUMBERS):
        assert getattr(stride_law, name.upper()) == k
    assert tuple(BUMPS) == tuple(RUN_BUMPS) and len(CURVES) == 14 and stride_law.BUMP_ANKLE_SLAP == 13
    assert set(SCALES) == set(GAIT_NUMBERS)


def test_curves_go_through_what_was_read():
    assert adult_curve(HIP, PHASES) == pytest.approx(HIP)
    for values, slopes in zip(*curve_tables()):
        _joined(values, slopes)


def _joined(values, slopes):
    assert values[:, 0] == pytest.approx(values[:, -1]) and slopes[:, 0] == pytest.approx(slopes[:, -1])
    by_differences = np.gradient(values, 1 / (values.shape[1] - 1), axis=1)[:, 5:-5]
    assert slopes[:, 5:-5] == pytest.approx(by_differences, abs=0.02 * np.abs(slopes).max())


def test_it_walks_as_adults_do(walked):
    _, log = walked
    measured = log.finished().measure()
    outside = {name for name, own in ADULT_RANGES.items() if not own.holds(measured[name])}
    assert not outside and np.isinf(log.fallen[0])


def test_feet_strike_in_turn(walked):
    sim, _ = walked
    strikes = walk_of(sim).strikes
    assert all(a.side != b.side for a, b in zip(strikes, strikes[1:])) and len(strikes) >= 15
    assert len([event for event in sim.events if "strikes" in event.name]) == len(strikes)


def test_it_runs_as_adults_do_and_walks_again():
    sim = walking_simulation(speed=3.0)
    walk, log = walk_of(sim), GaitLog(walk_of(sim))
    sim.run(5.0, controller=[*sim.controllers, log])
    measured = log.finished().measure(after=1.5)
    outside = {name for name, own in RUN_RANGES.items() if not own.holds(measured[name])}
    assert outside <= {"slip"} and measured["speed"] == pytest.approx(3.0, abs=0.2) and walk.modes == ["runs"]
    walk.speed = 1.3
    sim.run(6.0)
    assert walk.modes == ["walks"] and 0.9 < walk.seen[0, 1, 0] < 1.7


def test_a_walk_that_is_told_to_run_runs_on():
    """Its goal stays near what it does: feet placed for a speed it has not yet let it hop on the spot, and fall."""
    sim = walking_simulation()
    walk, ahead = walk_of(sim), []
    walk.speed = 3.0

    def watch(run):
        if walk.modes == ["runs"]:
            ahead.append(walk.goals[0, GOAL_SPEED] - walk.state[0, STRIDE_SPEED])

    sim.run(9.0, controller=[*sim.controllers, Periodic(0.05, watch)])
    assert walk.modes == ["runs"] and 2.7 < walk.seen[0, 1, 0] < 3.4 and max(ahead) < 2.0 * RUN_AHEAD  # it was 2 m/s


def test_what_it_asks_of_its_soles_is_what_they_report(walked):
    sim, _ = walked
    soles = sim.elements[tuple(name for side in "lr" for name in walk_of(sim).soles[side])]
    assert np.array_equal(soles.contact_report("force_z"), soles.report()["force_z"]) and walk_of(sim).loads.sum() > 300


def test_it_goes_on_from_a_saved_state_to_the_bit():
    sim = walking_simulation()
    sim.run(0.7)
    state = sim.save()
    sim.run(0.5)
    first = sim.q.copy()
    sim.restore(state)
    sim.run(0.5)
    assert np.array_equal(sim.q, first)


def test_it_stands_sets_off_and_comes_to_stand():
    sim = walking_simulation(standing=True)
    walk = walk_of(sim)
    sim.run(2.0)
    assert walk.modes == ["stands"] and np.hypot(*walk.seen[0, 1, :2]) < 0.05 and not walk.strikes
    walk.speed = 1.1
    sim.run(0.2)
    assert walk.modes == ["sets off"]
    state = sim.save()
    sim.run(4.8)
    assert walk.modes == ["walks"] and walk.seen[0, 1, 0] > 0.7
    walk.speed = 0.0
    sim.run(6.0)
    end = sim.q.copy()
    assert walk.modes == ["stands"] and np.hypot(*walk.seen[0, 1, :2]) < 0.05
    names = [event.name for event in sim.events if "strikes" not in event.name]
    sim.restore(state)
    sim.run(4.8)
    walk.speed = 0.0
    sim.run(6.0)
    assert np.array_equal(sim.q, end)
    walk.speed = 1.0  # and again
    sim.run(6.0)
    assert walk.modes == ["walks"] and walk.seen[0, 1, 0] > 0.7
    assert names[:3] == ["sets off", "steps", "walks"] and names[-2:] == ["steps", "stands"]


@pytest.mark.parametrize("speed", [-0.2, 0.4])
def test_slow_steps(speed):
    sim = walking_simulation(standing=True, speed=speed)
    sim.run(4.0)
    begin = walk_of(sim).seen[0, 0, 0]
    sim.run(3.0)
    assert walk_of(sim).modes == ["steps"]
    assert (walk_of(sim).seen[0, 0, 0] - begin) / 3.0 == pytest.approx(speed, abs=0.1)


def test_it_turns_on_the_spot():
    sim = walking_simulation(standing=True)
    walk = walk_of(sim)
    walk.heading = -1.5
    sim.run(8.0)
    assert walk.modes == ["stands"] and walk.seen[0, 7, 2] == pytest.approx(-1.5, abs=0.25)
    assert np.hypot(*walk.seen[0, 0, :2]) < 0.6


def test_it_squats_and_rises():
    sim = walking_simulation(standing=True)
    walk = walk_of(sim)
    high = walk.seen[0, 0, 2]
    walk.crouch = 0.25
    sim.run(3.0)
    assert high - walk.seen[0, 0, 2] == pytest.approx(0.22, abs=0.05) and walk.modes == ["stands"]
    walk.crouch = 0.0
    sim.run(3.0)
    assert walk.seen[0, 0, 2] == pytest.approx(high, abs=0.02) and np.hypot(*walk.seen[0, 1, :2]) < 0.05


@pytest.mark.parametrize("slope", [-0.06, 0.06])
def test_it_feels_the_slope_it_walks_on(slope):
    sim = walking_simulation(terrain=Terrain(slope_x=slope))
    log = GaitLog(walk_of(sim))
    sim.run(7.0, controller=[*sim.controllers, log])
    assert np.isinf(log.fallen[0]) and walk_of(sim).slope[0] == pytest.approx(slope, abs=0.015)


def test_it_walks_over_rough_ground_that_it_knows_of():
    sim = walking_simulation(terrain=Rough(amplitude=0.0107, length=1.5, octaves=4, seed=7.0))
    log = GaitLog(walk_of(sim))
    sim.run(9.0, controller=[*sim.controllers, log])
    assert np.isinf(log.fallen[0]) and walk_of(sim).rough == ROUGHEST and tuned_walk().by_rough


def test_the_ankle_that_carries_keeps_it_from_falling_aside():
    """Places where it fell, mostly to the side, while its subtalar joints did nothing."""
    places = np.random.default_rng(35).uniform(-300.0, 300.0, (24, 2))[[2, 5, 6, 12, 17, 23]]
    courses = [Course("uneven", place=tuple(place)) for place in places]
    walk, ground = tuned_walk(), Rough(amplitude=0.0107, length=1.5, octaves=4, seed=35.0)
    idle = replace(walk, by_rough={**walk.by_rough, "ankle_aside": 0.0})
    fell = [np.isfinite(walk_courses([w] * 6, courses, 13.0, terrain=ground).log.fallen).sum() for w in (walk, idle)]
    assert fell[0] == 0 and fell[1] >= 2


def test_level_ground_is_not_rough(walked):
    sim, _ = walked
    assert walk_of(sim).rough == 0.0


def test_it_walks_in_a_circle():
    sim = walking_simulation()
    walk = walk_of(sim)
    sim.run(2.0)
    for _ in range(2):
        walk.heading += 1.5
        sim.run(4.2)
    yaw = walk.seen[0, 7, 2]
    assert abs(math.remainder(yaw - walk.heading, 2 * math.pi)) < 0.3 and walk.seen[0, 0, 2] > 0.9


def test_every_range_names_its_source():
    assert all(own.source in SOURCES for own in (*ADULT_RANGES.values(), *RUN_RANGES.values()))


def test_feet_without_a_walk():
    with pytest.raises(UnknownNameError, match="no walk was found for complex feet"):
        tuned_walk("complex")
    with pytest.raises(UnknownNameError, match=r"'rigd'.*rigid"):
        tuned_walk("rigd")
