"""A person's hands and head, whatever its legs do."""

import numpy as np
import pytest

from gambol import Director, WorldError
from gambol.control.directing.script import parse_directions
from gambol.models.person import walk_of, walking_simulation


def test_a_hand_reaches_the_head_looks_and_both_come_back():
    sim = walking_simulation(standing=True)
    director = Director(sim)
    point = (0.45, -0.25, 1.15)
    director.look_at((2.0, 1.0, 1.2), meanwhile=True)
    director.reach("right", point)
    sim.run(3.0)
    walk, names = walk_of(sim), [event.name for event in sim.events]
    assert director.done and {"right hand to (0.45, -0.25, 1.15): done", "look at (2, 1, 1.2): done"} <= set(names)
    assert walk.gestures.reach(sim, 0, 1, point) < 0.03 and walk.modes == ["stands"]
    assert sim.q[sim.coordinates("head3")][0] > 0.2  # to the left
    state = sim.save()
    director.lower("right")
    director.look_at()
    sim.run(3.0)
    end = sim.q.copy()
    assert director.done and not walk.gestures.led.any() and abs(end[sim.coordinates("r_forearm")][0] + 0.35) < 0.15
    sim.restore(state)
    director.lower("right")
    director.look_at()
    sim.run(3.0)
    assert np.array_equal(sim.q, end)


def test_it_walks_with_a_hand_up_and_gives_up_what_is_too_far():
    sim = walking_simulation()
    director = Director(sim)
    director.reach("left", (-3.0, 1.0, 1.4), meanwhile=True)
    director.go(1.2, seconds=3.0)
    sim.run(4.0)
    names = [event.name for event in sim.events]
    assert director.done and "go at 1.2 m/s: done" in names and walk_of(sim).modes == ["walks"]
    assert any(name.startswith("left hand to (-3, 1, 1.4): given up") for name in names)


def test_gestures_as_directions():
    orders = parse_directions(
        "- look at: [1, 0, 1.5]\n- reach: {hand: right, point: [1, 0, 1], meanwhile: true}\n"
        "- lower: right\n- look ahead\n"
    )
    told = ["look at (1, 0, 1.5)", "right hand to (1, 0, 1)", "right hand down", "look ahead"]
    assert [str(order) for order in orders] == told and orders[1].meanwhile


@pytest.mark.parametrize(
    ("hand", "point", "words"),
    [("third", (0, 0, 1), "a hand is left or right"), ("left", (0, 1), r"a point is \(x, y, z\)")],
)
def test_what_no_hand_can_do(hand, point, words):
    director = Director(walking_simulation(standing=True))
    with pytest.raises(WorldError, match=words):
        director.reach(hand, point)
