"""Stops that nobody gave a stiffness hold what is beyond the joint."""

import numpy as np
import pytest

from gambol import Body, Capsule, Figure, Joint, Part, Placement, Simulation, World

ROD = Part(Capsule(0.02, 1.0), Placement.at(0, 0, -0.5), mass=2.0)


def hanging_rod(stop=None):
    """A rod level at zero, on a massless link that may turn by 0.3 rad and a hinge across that cannot fall."""
    first = Joint("hinge", (0, 1, 0), range=(-0.3, 0.3), damping=1.0, stop=stop)
    level = Placement.about((0, 1, 0), -0.5 * np.pi)
    second = Joint("hinge", (1, 0, 0), damping=1.0)
    return Figure("rod", (Body("link", None, first, level), Body("rod", "link", second, parts=(ROD,))))


def test_a_massless_link_is_held_by_the_weight_beyond_it():
    world = World(hanging_rod())
    sim = Simulation(world)
    sim.run(3.0)
    assert abs(sim.q[0]) == pytest.approx(0.3, abs=0.011)  # the weight, held out level, gives 0.01 rad
    assert any("rod/link: stop at -0.3 … 0.3 rad given stiffness 981" in note for note in world.notes)


def test_a_stop_that_is_given_is_taken():
    world = World(hanging_rod(stop=(2000.0, 3.0)))
    (limit,) = [e for e in world.elements if e.line == "stops"]
    assert (limit.stiffness, limit.damping) == (2000.0, 3.0) and not world.notes
    assert hanging_rod(stop=(2.0, 1.0)).scaled(2.0)["link"].joint.stop == pytest.approx((32.0, 16 * 2**0.5))


def test_a_ball_joint_stops_at_its_cone():
    ball = Joint("ball", range=(-0.5, 0.5), damping=0.5)
    level = Placement.about((0, 1, 0), -0.5 * np.pi)
    sim = Simulation(World(Figure("rod", (Body("rod", None, ball, level, (ROD,)),))))
    sim.run(3.0)
    assert 2 * np.arccos(sim.q[0]) == pytest.approx(0.5, abs=0.011)


def test_a_stop_pushes_and_never_pulls():
    """What is on its way back into the range, faster than the stop pushes, moves freely."""
    slide = Joint("slide", (0, 0, 1), range=(0.0, 1.0), stop=(100.0, 50.0))
    sim = Simulation(World(Figure("bead", (Body("bead", None, slide, parts=(ROD,)),)), gravity=(0, 0, 0)))
    accelerations = []
    for q, v in ((1.1, -10.0), (1.1, 0.0), (1.1, 1.0), (-0.1, 10.0), (-0.1, 0.0)):
        sim.reset([q], [v])
        accelerations.append(sim.acceleration[0])
    assert accelerations == pytest.approx([0.0, -5.0, -30.0, 0.0, 5.0])
