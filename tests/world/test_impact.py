"""Impacts as instants: momentum is kept, restitution recovered, friction within its cone."""

import math

import numpy as np
import pytest

from gambol import Body, Box, Figure, Joint, Part, Simulation, Sphere, World, WorldError, chain, collide, kick

FREE = (0.0, 0.0, 0.0)


def two_bodies():
    """A box and a ball that flies at its side."""
    box = Figure("box", (Body("box", joint=Joint("free"), parts=(Part(Box((0.4, 0.6, 0.2)), mass=3.0),)),))
    ball = Figure("ball", (Body("ball", joint=Joint("free"), parts=(Part(Sphere(0.1), mass=1.0),)),))
    sim = Simulation(World((box, ball), FREE))
    sim.reset([0, 0, 0, 1, 0, 0, 0, 0.3, 0.2, 0.05, 1, 0, 0, 0], [0, 0, 0.3, 0.1, 0, 0, 0, 5.0, 0, -2.0, 0.7, 0.3])
    return sim


@pytest.mark.parametrize("friction", (0.0, 0.02, 5.0))
@pytest.mark.parametrize("restitution", (0.0, 0.5, 1.0))
def test_two_free_bodies(restitution, friction):
    sim = two_bodies()
    m, n = sim.mechanics, np.array([1.0, 0.0, 0.0])
    touch = (-0.1, 0.0, 0.0)

    def meeting():
        J = m.jacobian(sim.q, "ball", touch)[3:] - m.jacobian(sim.q, "box", (0.2, 0.2, 0.05))[3:]
        return J @ sim.v

    before, momentum, energy = meeting(), m.momentum(sim.q, sim.v), m.kinetic_energy(sim.q, sim.v)
    impulse = collide(sim, "ball", touch, n, other="box", restitution=restitution, friction=friction)
    after = meeting()
    assert m.momentum(sim.q, sim.v) == pytest.approx(momentum, abs=1e-12)
    assert after @ n == pytest.approx(-restitution * (before @ n), abs=1e-12) and before @ n < -1.0
    along = impulse - impulse @ n * n
    assert np.linalg.norm(along) <= friction * (impulse @ n) + 1e-12
    if friction == 5.0:
        assert after - after @ n * n == pytest.approx(np.zeros(3), abs=1e-12)  # friction held
        if restitution == 0.0:
            assert after == pytest.approx(np.zeros(3), abs=1e-12)
    if friction == 0.02:
        assert np.linalg.norm(along) == pytest.approx(0.02 * impulse @ n)
    change = m.kinetic_energy(sim.q, sim.v) - energy
    if friction == 0.0 and restitution == 1.0:
        assert change == pytest.approx(0.0, abs=1e-12)
    else:
        assert change < -1e-3
    assert sim.ledger()["jumps"] == pytest.approx(0.0, abs=1e-12)  # nothing has moved yet: a run begins here


def test_the_books_count_an_impact():
    sim = two_bodies()
    sim.run(0.01)
    before = sim.mechanics.kinetic_energy(sim.q, sim.v)
    collide(sim, "ball", (-0.1, 0, 0), (1, 0, 0), other="box")
    lost = sim.mechanics.kinetic_energy(sim.q, sim.v) - before
    assert sim.ledger()["jumps"] == pytest.approx(lost) and abs(sim.ledger()["numerical"]) < 1e-9


def test_points_that_part_do_not_collide():
    sim = two_bodies()
    sim.v = -sim.v
    speeds = sim.v
    assert np.all(collide(sim, "ball", (-0.1, 0, 0), (1, 0, 0), other="box") == 0.0) and np.array_equal(sim.v, speeds)


def test_a_kick_at_a_free_body():
    """The textbook: J/m and I⁻¹ (r × J)."""
    sim = two_bodies()
    before, impulse, point = sim.v, np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.3, -0.1])
    kick(sim, "box", impulse, point)
    change = sim.v - before
    inertia = 3.0 / 12.0 * np.array([0.6**2 + 0.2**2, 0.4**2 + 0.2**2, 0.4**2 + 0.6**2])
    assert change[3:6] == pytest.approx(impulse / 3.0)
    assert change[:3] == pytest.approx(np.cross(point, impulse) / inertia)
    assert np.all(change[6:] == 0.0)


def test_a_rod_struck_at_its_centre_of_percussion():
    """Hung at one end it gives the hinge no blow: the free rod's end would not have moved either."""
    rod = chain(1, length=1.2, mass=2.0, radius=1e-3)
    sim = Simulation(World(rod, FREE))
    change = kick(sim, "chain_0", (1.0, 0.0, 0.0), (0.0, 0.0, -0.8))
    free = Simulation(World(chain(1, "free", length=1.2, mass=2.0, radius=1e-3), FREE))
    kick(free, "chain_0", (1.0, 0.0, 0.0), (0.0, 0.0, -0.8))
    assert free.v[:3] == pytest.approx([0.0, change[0], 0.0], rel=1e-3)
    assert free.v[3:] == pytest.approx(np.zeros(3), abs=1e-3)


def test_driven_joints_keep_their_speeds():
    figure = chain(3, root=Joint("hinge", (0, 1, 0), driven=True))
    sim = Simulation(World(figure))
    sim.reset(None, [0.7, 0.0, 0.0])
    change = kick(sim, "chain_2", (1.0, 0.0, 0.0), (0.0, 0.0, -1.0))
    assert change[0] == 0.0 and sim.v[0] == 0.7 and np.abs(change[1:]).min() > 1e-3
    speed = lambda: (sim.mechanics.jacobian(sim.q, "chain_2", (0, 0, -1.0))[3:] @ sim.v)[0]
    before = speed()
    collide(sim, "chain_2", (0, 0, -1.0), (-math.copysign(1.0, before), 0, 0), restitution=0.5)
    assert speed() == pytest.approx(-0.5 * before) and sim.v[0] == 0.7


def test_errors():
    with pytest.raises(WorldError, match="single worlds"):
        kick(Simulation(World(chain(2)), worlds=3), "chain_0", (1, 0, 0))
    with pytest.raises(WorldError, match="must not be negative"):
        collide(two_bodies(), "ball", (0, 0, 0), (1, 0, 0), friction=-1.0)
