"""Runs that start exactly on the value of a boundary: at rest nothing happens, in motion it is crossed once."""

import itertools

import numpy as np
import pytest

from gambol import Body, Boundary, Figure, Joint, Mass, Simulation, World

WATCHES, DIRECTIONS = ("position", "speed", "height"), ("falling", "rising", "either")
METHODS = ("rkf45", "dormand-prince", "euler", "implicit-pair")
WAYS = {"falling": -1.0, "rising": 1.0}


def block(watch, direction, *, value=0.0, pull=0.0):
    """1 kg on a slide along z; its joint stands at z = 0, so that height and position are the same."""
    body = Body("block", joint=Joint("slide", (0.0, 0.0, 1.0)), mass=Mass.point(1.0))
    edge = Boundary(name="edge", watch=watch, body="block", value=value, direction=direction)
    return World(Figure("slider", (body,)), gravity=(0.0, 0.0, pull), boundaries=[edge])


@pytest.mark.parametrize(("watch", "direction", "method"), list(itertools.product(WATCHES, DIRECTIONS, METHODS)))
def test_at_rest_on_a_boundary_nothing_happens(watch, direction, method):
    sim = Simulation(block(watch, direction), stepping=method)
    sim.run(0.3)
    assert sim.time == 0.3 and sim.events == []


@pytest.mark.parametrize(("watch", "direction"), list(itertools.product(("position", "height"), DIRECTIONS)))
@pytest.mark.parametrize("value", [0.0, 1.0, -0.3])
def test_motion_through_it_is_one_crossing_in_its_direction(watch, direction, value):
    for way in WAYS.values():
        sim = Simulation(block(watch, direction, value=value), stepping="rkf45")
        sim.reset([value], [2.0 * way])
        sim.run(0.3)
        wanted = direction == "either" or WAYS[direction] == way
        assert len(sim.events) == wanted and all(event.time < 1e-9 for event in sim.events)


@pytest.mark.parametrize(("watch", "direction", "method"), list(itertools.product(WATCHES, DIRECTIONS, METHODS)))
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_what_begins_to_move_crosses_once(watch, direction, method, value):
    """Pulled from rest: in the direction of the pull, either way alike, also where rounding hides the first motion."""
    for way in WAYS.values():
        sim = Simulation(block(watch, direction, value=value, pull=9.81 * way), stepping=method)
        sim.reset([value], [value if watch == "speed" else 0.0])
        sim.run(0.3)
        wanted = direction == "either" or WAYS[direction] == way
        assert len(sim.events) == wanted, (way, sim.events)
        # Euler's method has positions that begin to move a step later than they should
        assert all(event.time <= (1.1e-3 if method == "euler" else 1e-9) for event in sim.events)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_it_crosses_when_it_is_set_in_motion(direction):
    sim = Simulation(block("position", direction))
    sim.run(0.3)
    sim.command = [5.0]
    sim.run(0.3)
    assert [round(event.time, 6) for event in sim.events] == ([] if direction == "falling" else [0.3])
    sim.command = [-50.0]
    sim.run(0.3)  # 0.225 m out at 1.5 m/s, back again through zero
    back = 0.6 + (1.5 + np.sqrt(1.5**2 + 2 * 50 * 0.225)) / 50
    later = [event.time for event in sim.events if event.time > 0.4]
    assert np.allclose(later, [] if direction == "rising" else [back], rtol=0, atol=1e-9)


def test_what_comes_to_rest_on_it_fires_once():
    """A handler that stops the block on the boundary, with nothing that pulls: no second event."""
    sim = Simulation(block("position", "either", value=1.0), stepping="rkf45")
    sim.reset([0.0], [5.0])
    sim.run(0.5, on_event=lambda sim, event: setattr(sim, "v", [0.0]))
    assert [round(event.time, 9) for event in sim.events] == [0.2] and sim.q[0] == pytest.approx(1.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_worlds_of_a_batch_each_for_themselves(dtype):
    sim = Simulation(block("height", "either"), worlds=3, dtype=dtype)
    sim.reset(np.zeros((3, 1)), [[0.0], [1.0], [-1.0]])
    sim.run(0.1)
    assert sorted(event.world for event in sim.events) == [1, 2]
