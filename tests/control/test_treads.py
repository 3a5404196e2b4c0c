"""Steps of a person over the edges of treads: what it sees, where its feet may lie, how its legs get there."""

import math

import numpy as np
import pytest

from gambol import Director, Ditch, Rough, Stairs, Terrain
from gambol.control.biped import treads_law as law
from gambol.control.biped.goals_law import GOALS
from gambol.control.biped.sight import EDGE, SAMPLES, SEEN_BEHIND, Sight
from gambol.control.biped.standing_law import NOWHERE, SHANK, STANCE_SIDE, THIGH
from gambol.control.biped.stride_law import STATE
from gambol.experiments.gait.stairs import Flight, climbs, depth_in, sole_places
from gambol.jit import entry
from gambol.models.person import walk_of, walking_simulation

RECIPE = "tests/control/test_treads.py"
FLIGHT = Stairs(start=0.0, length=0.29, rise=0.17, steps=5)


@entry(recipe=RECIPE)
def lie_down(profile, since, wanted, level, found):
    """Where a foot is put that is wanted at a place, and what is wrong there."""
    found[0] = law.foothold(profile, since, wanted, level)
    found[1] = law.misfit(profile, since, found[0], level)


@entry(recipe=RECIPE)
def leg(ahead, aside, down, pitch, roll, turned, found):
    """Flexion, bend and abduction."""
    found[0], found[1], found[2] = law.leg_in_pelvis(ahead, aside, down, pitch, roll, turned)


def look(terrain, x=-0.5, size=1.0):
    """What is seen by one whose feet are side by side at x [m], the left one carrying."""
    seen, goals, state = np.zeros((1, 8, 3)), np.zeros((1, GOALS)), np.zeros((1, STATE))
    seen[0, 2:4, 0], seen[0, 2:4, 1] = x, (0.08, -0.08)
    assert state[0, STANCE_SIDE] == 0
    return Sight(terrain, 1, size).look(seen, goals, state)


@pytest.mark.parametrize("terrain", [Terrain(slope_x=0.1), Rough(amplitude=0.0107, length=1.5, octaves=4, seed=7.0)])
def test_on_ground_without_edges_nothing_is_looked_at(terrain):
    seen = look(terrain)
    assert seen.heights.shape[2] == 0 and np.isnan(seen.since[0]) and np.isinf(seen.edge[0])


def test_an_edge_is_seen_from_afar_and_stepped_over_when_near():
    far, near = look(FLIGHT, -1.5), look(FLIGHT, -0.5)
    assert far.edge[0] == pytest.approx(1.5, abs=0.01) and np.isnan(far.since[0])
    assert near.edge[0] == pytest.approx(0.5, abs=0.01) and near.since[0] == pytest.approx(-0.5 - SEEN_BEHIND)
    assert np.isinf(look(FLIGHT, -3.0).edge[0])
    assert look(Ditch(start=0.0, width=0.3, depth=0.5), -0.5).edge[0] == pytest.approx(0.5, abs=0.01)


def test_a_child_sees_stairs_as_an_adult_sees_bigger_ones():
    small = look(Stairs(start=0.0, length=0.145, rise=0.085, steps=5), -0.25, size=0.5)
    big = look(FLIGHT, -0.5)
    assert small.heights.shape == (1, 2, SAMPLES) and np.abs(small.heights - big.heights).max() < 10 * EDGE
    assert np.median(np.abs(small.heights - big.heights)) < 1e-9 and small.edge[0] == pytest.approx(
        big.edge[0], abs=0.01
    )


@pytest.mark.parametrize(
    "x, descends",
    [(-0.9, 0.0), (-0.3, 1.0), (0.1, 1.0), (1.0, 1.0), (1.16 + 0.4, 1.0), (1.16 + 0.6, 0.0)],
)
def test_stairs_that_go_down_are_told_from_those_that_go_up(x, descends):
    """From a little before the first edge until half a metre beyond the last one."""
    assert look(Flight(down=True).terrain, x).descends[0] == descends
    assert look(FLIGHT, x).descends[0] == 0.0


def test_a_bench_behind_is_no_tread():
    bench = Stairs(start=-0.1, length=3.0, rise=-0.45, steps=1, level=0.45)
    seen = look(bench, 0.0)
    assert np.isnan(seen.since[0]) and seen.descends[0] == 0.0


@pytest.mark.parametrize("wanted", np.linspace(-0.4, 1.0, 15))
def test_a_foothold_bears_the_sole_and_leaves_the_toes_room(wanted):
    seen = look(FLIGHT, -0.2)
    found, level = np.zeros(2), FLIGHT.height(wanted, 0.0)
    lie_down(np.ascontiguousarray(seen.heights[0, 1]), float(seen.since[0]), float(wanted), level, found)
    at = found[0]
    assert found[1] < NOWHERE and abs(at - wanted) < 0.3
    tread = FLIGHT.height(at + law.MID_SOLE, 0.0)
    assert FLIGHT.height(at - law.HEEL_BEARS + 0.006, 0.0) == FLIGHT.height(at + law.BALL_BEARS - 0.006, 0.0) == tread
    assert FLIGHT.height(at + law.TOES_AHEAD, 0.0) <= tread


def test_where_no_sole_can_lie_there_is_no_foothold():
    seen, found = look(Stairs(start=0.0, length=0.1, rise=0.17, steps=20), -0.2), np.zeros(2)
    lie_down(np.ascontiguousarray(seen.heights[0, 0]), float(seen.since[0]), 0.55, 0.17 * 6, found)
    assert found[1] >= NOWHERE


@pytest.mark.parametrize("turned", [-0.3, 0.0, 0.2])
def test_a_leg_in_a_leaning_pelvis_reaches_where_it_should(turned):
    """Forward: flexion about y, abduction about the turned x, rotation along the thigh, then the knee."""
    rng, found = np.random.default_rng(3), np.zeros(3)
    for ahead, aside, down, pitch, roll in rng.uniform(
        (-0.2, -0.2, 0.5, -0.1, -0.1), (0.35, 0.2, 0.7, 0.3, 0.1), (40, 5)
    ):
        leg(ahead, aside, down, pitch, roll, turned, found)
        flexion, bend, abduction = found
        shank = np.array([-SHANK * math.sin(bend), 0.0, -THIGH - SHANK * math.cos(bend)])
        place = about(2, turned) @ shank
        place = about(1, pitch) @ about(0, roll) @ about(1, -flexion) @ about(0, abduction) @ place
        assert place == pytest.approx([ahead, aside, -down], abs=1e-9)


def about(axis, angle):
    """A rotation matrix."""
    c, s = math.cos(angle), math.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    found = np.eye(3)
    found[a, a] = found[b, b] = c
    found[a, b], found[b, a] = -s, s
    return found


def test_depth_of_a_place_beside_an_edge_is_that_to_the_riser():
    places = np.array([[0.01, 0.0, 0.05], [0.15, 0.0, 0.16], [-0.1, 0.0, 0.02], [0.2, 0.0, 0.0]])
    assert depth_in(Flight().terrain, places) == pytest.approx([0.01, 0.01, 0.0, 0.17], abs=3e-3)
    assert len(sole_places()) == 32 and np.ptp(sole_places()[:, 0]) > 0.2


def test_a_directed_person_slows_down_and_steps_onto_the_first_treads():
    sim = walking_simulation(standing=True, terrain=Stairs(start=0.8, length=0.29, rise=0.17, steps=5))
    walk, director = walk_of(sim), Director(sim)
    director.walk_to(3.0, 0.0, speed=1.25)
    sim.run(3.9)
    treads = {round(strike.place[2] / 0.17 - 0.43) for strike in walk.strikes}
    assert {0, 1} <= treads and walk.modes == ["steps"] and walk.seen[0, 1, 0] < 0.9
    on = [strike.place[0] - 0.8 for strike in walk.strikes if strike.place[2] > 0.2]
    assert all(law.HEEL_BEARS - 0.01 < x % 0.29 < 0.29 - law.BALL_BEARS for x in on)


def test_persons_go_down_stairs_foot_over_foot():
    made = climbs(Flight(down=True), 6, 12)
    assert made.arrive.sum() >= 4
    treads = made.treads(int(np.flatnonzero(made.arrive)[0]))
    assert [t for k, t in enumerate(treads) if k == 0 or t != treads[k - 1]] == [0, 1, 2, 3, 4, 5]
    assert len([t for t in treads if 0 < t < 5]) <= 6
