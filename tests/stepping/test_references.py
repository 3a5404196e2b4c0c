"""Independent numbers: pendulum, torque-free bodies, bouncing ball."""

import numpy as np
import pytest

from gambol import Body, Boundary, Figure, Joint, Mass, Simulation, Stepping, World, ZenoError

TIGHT = Stepping(method="rkf45", eps=1e-13)


def pendulum():
    """A point mass on a massless rod, released level (IFToMM A01)."""
    rod = Body("rod", joint=Joint("hinge", axis=(0.0, -1.0, 0.0)), mass=Mass.point(1.0, (-1.0, 0.0, 0.0)))
    return World(Figure("pendulum", [rod]))


def test_pendulum_is_where_the_reference_says():
    sim = Simulation(pendulum(), stepping=TIGHT)
    path = sim.run(10.0, every=5.0)
    expected = {5.0: (-0.942305435044, -0.334754338414), 10.0: (-0.275087462576, -0.961419205099)}
    for time, q in zip(path.time, path.q):
        x, _, z = sim.mechanics.point(q, "rod", (-1.0, 0.0, 0.0))
        assert (x, z) == pytest.approx(expected[time], abs=2e-11)


def test_pendulum_period():
    """It is at rest where it began after one period."""
    rest = Boundary(name="rest", watch="speed", body="rod")
    sim = Simulation(World(pendulum().figures, boundaries=[rest]), stepping=TIGHT)
    sim.run(5.0)
    times = [e.time for e in sim.events if e.time > 0.1]
    assert np.diff(times) == pytest.approx(2.367841947576 / 2, abs=1e-10)
    assert len(times) == 4


def spinning(inertia, spin):
    body = Body("top", joint=Joint("free"), mass=Mass(1.0, (0.0, 0.0, 0.0), (*inertia, 0.0, 0.0, 0.0)))
    world = World(Figure("top", [body]), gravity=(0.0, 0.0, 0.0))
    sim = Simulation(world, stepping=Stepping(method="rkf45", eps=1e-12))
    sim.reset(v=[*spin, 0.0, 0.0, 0.0])
    return sim


def test_axisymmetric_body_without_torque():
    """Closed form: in body axes the angular velocity turns about the axis at ((I - J)/I) ω_z."""
    I, J, (x, y, z) = 0.3, 0.5, (0.7, -0.4, 2.0)
    sim = spinning((I, I, J), (x, y, z))
    s = (I - J) / I * z
    for sample in range(1, 6):
        sim.run(until=0.7 * sample)
        t = sim.time
        body_axes = sim.mechanics.frames(sim.q)["top/top"].T @ sim.v[:3]
        expected = (x * np.cos(s * t) + y * np.sin(s * t), -x * np.sin(s * t) + y * np.cos(s * t), z)
        assert body_axes == pytest.approx(expected, abs=1e-9)


def test_axisymmetric_body_precesses_at_the_known_rate():
    """The body's axis goes around the angular momentum at √(ω_x² + ω_y² + (ω_z J/I)²)."""
    I, J, spin = 0.3, 0.5, (0.7, -0.4, 2.0)
    sim = spinning((I, I, J), spin)
    rate = np.sqrt(spin[0] ** 2 + spin[1] ** 2 + (spin[2] * J / I) ** 2)
    start = sim.mechanics.frames(sim.q)["top/top"][:, 2]
    sim.run(until=2 * np.pi / rate)
    assert sim.mechanics.frames(sim.q)["top/top"][:, 2] == pytest.approx(start, abs=1e-9)
    sim.run(until=3 * np.pi / rate)
    assert np.linalg.norm(sim.mechanics.frames(sim.q)["top/top"][:, 2] - start) > 0.1


def test_asymmetric_body_keeps_momentum_and_energy_through_its_flips():
    """About the middle axis it tumbles; the angular momentum vector and the energy do not change."""
    sim = spinning((0.2, 0.3, 0.4), (1e-3, 3.0, 0.0))
    before = sim.mechanics.momentum(sim.q, sim.v), sim.mechanics.kinetic_energy(sim.q, sim.v)
    upright = []
    for sample in range(1, 60):
        sim.run(until=0.5 * sample)
        upright.append(sim.mechanics.frames(sim.q)["top/top"][1, 1])
    after = sim.mechanics.momentum(sim.q, sim.v), sim.mechanics.kinetic_energy(sim.q, sim.v)
    assert after[0] == pytest.approx(before[0], abs=1e-8)
    assert after[1] == pytest.approx(before[1], rel=1e-9)
    assert min(upright) < -0.9 and max(upright) > 0.9  # it did tumble


def bouncing(method="rkf45", **options):
    ball = Figure("ball", [Body("ball", joint=Joint("slide", axis=(0.0, 0.0, 1.0)), mass=Mass.point(1.0))])
    floor = Boundary(name="floor", watch="position", body="ball", direction="falling")
    sim = Simulation(World(ball, boundaries=[floor]), stepping=Stepping(method=method, step=0.01, **options))
    sim.reset([1.0])
    return sim


def bounce(restitution):
    def handler(sim, event):
        sim.v = -restitution * sim.v

    return handler


@pytest.mark.parametrize("method", ["rkf45", "rk4", "dormand-prince", "rk3", "rk4-doubling", "euler-1994"])
def test_first_impact(method):
    sim = bouncing(method, eps=1e-10)
    sim.run(1.0, stop=["floor"])
    assert sim.events[0].time == pytest.approx(0.451523640986, abs=1e-11)


def test_zeno_is_named_with_its_limit():
    sim = bouncing(eps=1e-11, precision=1e-14, touch_tolerance=1e-16, zeno_gap=1e-8)
    with pytest.raises(ZenoError, match="floor") as caught:
        sim.run(2.0, on_event=bounce(0.5))
    assert caught.value.limit == pytest.approx(1.354570922957, abs=2e-11)
    gaps = np.array(caught.value.gaps)
    assert len(gaps) > 4 and np.all(gaps < 1e-7)
    assert caught.value.trajectory is not None


@pytest.mark.parametrize("method", ["rkf45", "rk4", "semi-implicit-euler", "implicit-pair"])
def test_ball_never_falls_through(method):
    """Two hundred elastic bounces, then ever smaller ones: above the floor, or a named end."""
    sim = bouncing(method, eps=1e-8)
    try:
        sim.run(40.0, on_event=lambda sim, event: bounce(1.0 if len(sim.events) < 40 else 0.5)(sim, event))
    except ZenoError:
        pass
    assert sim.q[0] > -1e-9 and len(sim.events) > 40


def test_free_fall_is_exact_with_the_euler_of_1994():
    sim = bouncing("euler-1994")
    sim.reset([100.0])
    sim.run(2.0)
    assert sim.q[0] == pytest.approx(100.0 - 0.5 * 9.81 * 4.0, abs=1e-11)
