"""The hexapod's leg: virtual power, every derivative against differences, motors, battery, clock, terrains."""

import math

import numpy as np
import pytest
from numba import njit

from gambol.forces.electric import drain_rate, limit_torque, motor_electrical
from gambol.hybrid.models.compliant_hexapod import MOTOR_AS_PRINTED, CompliantHexapod, time_to_empty
from gambol.hybrid.models.compliant_hexapod.battery import DISCHARGE_CURVE, DISCHARGE_TABLE
from gambol.hybrid.models.compliant_hexapod.clock import leg_reference, wrapped
from gambol.hybrid.models.compliant_hexapod.leg import (
    LegForces,
    body_state,
    force_on_body,
    hip_to_toe,
    leg_angles,
    leg_parameters,
    leg_rates,
    spring_energy,
    toe_against_hip,
    toe_position,
    torque_on_body,
)
from gambol.hybrid.models.compliant_hexapod.parameters import (
    BODY_ATTITUDE,
    BODY_POSITION,
    BODY_SPIN,
    BODY_VELOCITY,
    STATE_SIZE,
    TOE_POSITION,
)
from gambol.hybrid.models.compliant_hexapod.start import reference_angle
from gambol.hybrid.models.compliant_hexapod.terrain import ditch, plane, unit_normal, waves
from gambol.math.scalar import arctan2
from gambol.math.vector import Vec3

P = CompliantHexapod().p


# ---------------------------------------------------------------- jitted windows into the model
@njit
def angles_and_rates(leg, u):
    a = leg_angles(Vec3(leg[0], leg[1], leg[2]))
    r = leg_rates(a, Vec3(u[0], u[1], u[2]))
    return np.array([a.theta, a.phi, a.rho]), np.array([r.theta, r.phi, r.rho])


@njit
def leg_of(x, p, i):
    leg = hip_to_toe(body_state(x), leg_parameters(p, i), toe_position(x, i))
    return np.array([leg.x, leg.y, leg.z])


@njit
def seen_velocity(x, p, i, v):
    body, leg_p = body_state(x), leg_parameters(p, i)
    u = toe_against_hip(body, leg_p, hip_to_toe(body, leg_p, toe_position(x, i)), Vec3(v[0], v[1], v[2]))
    return np.array([u.x, u.y, u.z])


@njit
def powers(x, p, i, v, pull):
    """Power given to the body and the toe; power of the leg."""
    body, leg_p = body_state(x), leg_parameters(p, i)
    a = leg_angles(hip_to_toe(body, leg_p, toe_position(x, i)))
    rates = leg_rates(a, toe_against_hip(body, leg_p, a.leg, Vec3(v[0], v[1], v[2])))
    made = LegForces(pull[0], pull[1], pull[2])
    f = force_on_body(a, made)
    tau = torque_on_body(leg_p, a, made, f)
    on_toe = body.R @ f
    given = f.x * body.v.x + f.y * body.v.y + f.z * body.v.z
    given += tau.x * body.w.x + tau.y * body.w.y + tau.z * body.w.z
    given -= on_toe.x * v[0] + on_toe.y * v[1] + on_toe.z * v[2]
    return given, made.radial * rates.rho + made.lateral * rates.theta + made.hip * rates.phi


@njit
def energy_of(leg, p, i):
    return spring_energy(p, leg_parameters(p, i), leg_angles(Vec3(leg[0], leg[1], leg[2])))


@njit
def limit(p, link, torque, speed):
    return limit_torque(p, link, torque, speed)


@njit
def motor(p, torque, speed):
    e = motor_electrical(p, torque, speed)
    return e.current, e.voltage


@njit
def clock(p, t, second, share=1.0):
    return leg_reference(p, t, second, share)


@njit
def wrap(x):
    return wrapped(x)


@njit
def drained(i):
    return drain_rate(DISCHARGE_TABLE, 0, i)


@njit
def atan2_(y, x):
    return arctan2(y, x)


@njit
def ground(leg_p, p, x, y):
    if leg_p == 0:
        return plane(p, x, y)
    if leg_p == 1:
        return waves(p, x, y)
    return ditch(p, x, y)


@njit
def normal(sx, sy):
    n = unit_normal(sx, sy)
    return np.array([n.x, n.y, n.z])


def random_state(rng):
    x = np.zeros(STATE_SIZE)
    x[BODY_POSITION : BODY_POSITION + 3] = rng.normal(size=3)
    x[BODY_ATTITUDE : BODY_ATTITUDE + 4] = rng.normal(size=4)
    x[BODY_VELOCITY : BODY_VELOCITY + 3], x[BODY_SPIN : BODY_SPIN + 3] = rng.normal(size=3), rng.normal(size=3)
    x[TOE_POSITION : TOE_POSITION + 18] = rng.normal(size=18)
    return x


# ---------------------------------------------------------------- kinematics
def spherical(leg):
    x, y, z = leg
    return np.array([math.atan(x / math.hypot(y, z)), math.atan2(y, -z), np.linalg.norm(leg)])


def test_angles_and_their_inverse():
    rng = np.random.default_rng(1)
    for _ in range(100):
        leg = rng.normal(size=3)
        (theta, phi, rho), _ = angles_and_rates(leg, np.zeros(3))
        assert np.allclose([theta, phi, rho], spherical(leg), rtol=1e-13)
        back = rho * np.array([math.sin(theta), math.cos(theta) * math.sin(phi), -math.cos(theta) * math.cos(phi)])
        assert np.allclose(back, leg, rtol=1e-13)


def test_rates_by_differences():
    rng = np.random.default_rng(2)
    for _ in range(200):
        leg, u = rng.normal(size=3), rng.normal(size=3)
        step = 1e-6
        difference = (spherical(leg + step * u) - spherical(leg - step * u)) / (2 * step)
        _, rates = angles_and_rates(leg, u)
        assert np.allclose(rates, difference, rtol=1e-6, atol=1e-6 * np.abs(difference).max())


def test_rates_as_settled():
    """θ̇ = N/(√C F), φ̇ = (yż − zẏ)/C, ρ̇ = E/√F, with the letters of the source."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        (x, y, z), (dx, dy, dz) = rng.normal(size=3), rng.normal(size=3)
        A, C, D = z * dx - x * dz, y * y + z * z, y * y * dx - x * y * dy
        E, F = x * dx + y * dy + z * dz, x * x + y * y + z * z
        _, rates = angles_and_rates(np.array([x, y, z]), np.array([dx, dy, dz]))
        settled = [(D + A * z) / (math.sqrt(C) * F), (y * dz - z * dy) / C, E / math.sqrt(F)]
        assert np.allclose(rates, settled, rtol=1e-11)


def second_rates(v, dv, ddv):
    """θ̈, φ̈, ρ̈ as settled; none is needed by the model."""
    (x, y, z), (dx, dy, dz), (ax, ay, az) = v, dv, ddv
    A, B, C = z * dx - x * dz, y * dy + z * dz, y * y + z * z
    D, E, F = y * y * dx - x * y * dy, x * dx + y * dy + z * dz, x * x + y * y + z * z
    N = D + A * z
    inner = 3 * B * B * x - 2 * B * C * dx + C * C * ax - C * x * (dy * dy + dz * dz + y * ay + z * az)
    theta = (-2 * x * N * N + F * inner) / (C**1.5 * F * F)
    phi = (2 * B * (z * dy - y * dz) - C * (z * ay - y * az)) / C**2
    rho = (F * (dx * dx + dy * dy + dz * dz + x * ax + y * ay + z * az) - E * E) / F**1.5
    return np.array([theta, phi, rho])


def test_second_derivatives_by_differences():
    rng = np.random.default_rng(4)
    for _ in range(100):
        v, dv, ddv = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        step = 1e-5

        def rates(t, v=v, dv=dv, ddv=ddv):
            return angles_and_rates(v + t * dv + 0.5 * t * t * ddv, dv + t * ddv)[1]

        difference = (rates(step) - rates(-step)) / (2 * step)
        assert np.allclose(second_rates(v, dv, ddv), difference, rtol=1e-5, atol=1e-5 * np.abs(difference).max())


def test_toe_seen_from_the_hip():
    """v̄̇ = Rᵀ(ḟ − ṙ − Ṙ(v̄ + a)): the leg of a moved body, by differences."""
    rng = np.random.default_rng(5)
    for i in range(6):
        x = random_state(rng)
        velocity = rng.normal(size=3)
        step = 1e-6
        legs = []
        for t in (-step, step):
            moved = x.copy()
            moved[BODY_POSITION : BODY_POSITION + 3] += t * x[BODY_VELOCITY : BODY_VELOCITY + 3]
            w = x[BODY_SPIN : BODY_SPIN + 3]
            half = np.array([1.0, *(0.5 * t * w)])
            a, b = half, x[BODY_ATTITUDE : BODY_ATTITUDE + 4]
            moved[BODY_ATTITUDE : BODY_ATTITUDE + 4] = [
                a[0] * b[0] - a[1:] @ b[1:],
                *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])),
            ]
            moved[TOE_POSITION + 3 * i : TOE_POSITION + 3 * i + 3] += t * velocity
            legs.append(leg_of(moved, P, i))
        difference = (legs[1] - legs[0]) / (2 * step)
        assert np.allclose(seen_velocity(x, P, i, velocity), difference, rtol=1e-6, atol=1e-7)


def test_virtual_power():
    """What body and toe receive is what springs and motor give: over random states, to rounding."""
    rng = np.random.default_rng(6)
    worst = 0.0
    for _ in range(2000):
        given, made = powers(random_state(rng), P, int(rng.integers(6)), rng.normal(size=3), rng.normal(size=3))
        worst = max(worst, abs(given - made) / max(1.0, abs(made)))
    print(f"virtual power: {worst:.1e}")
    assert worst < 1e-12


def test_spring_forces_are_derivatives_of_the_energy():
    rng = np.random.default_rng(7)
    for i in range(6):
        leg, u = np.array([0.02, 0.03, -0.16]) + 0.02 * rng.normal(size=3), rng.normal(size=3)
        step = 1e-6
        difference = (energy_of(leg + step * u, P, i) - energy_of(leg - step * u, P, i)) / (2 * step)
        (theta, _, rho), (d_theta, _, d_rho) = angles_and_rates(leg, u)
        middle = i % 3 == 1
        k, lateral = (1600.0, 400.0) if middle else (1200.0, 300.0)
        rest = 0.05 if i >= 3 else -0.05
        assert difference == pytest.approx(-k * (0.17 - rho) * d_rho + lateral * (theta - rest) * d_theta, rel=1e-6)


# ---------------------------------------------------------------- motor, battery, clock, terrain
def test_motor_line():
    stall = 24.0 / P.resistance * P.torque_constant * P.gear
    free = 24.0 / (P.back_emf * P.gear)
    assert stall == pytest.approx(9.53, abs=0.01)
    strong = P._replace(torque_cap=1e9)
    assert limit(strong, 24.0, 100.0, 0.0) == pytest.approx(stall)
    assert limit(strong, 24.0, 100.0, free) == pytest.approx(0.0, abs=1e-12)
    assert limit(strong, 24.0, 100.0, 0.5 * free) == pytest.approx(0.5 * stall)
    assert limit(strong, 24.0, -100.0, 0.5 * free) == pytest.approx(-1.5 * stall)  # braking adds the back-EMF
    assert limit(strong, 12.0, 100.0, 0.0) == pytest.approx(0.5 * stall)
    assert limit(P, 24.0, 100.0, 0.0) == 4.0 and limit(P, 24.0, -100.0, 0.0) == -4.0
    assert limit(P, 24.0, 1.5, 3.0) == 1.5
    as_printed = CompliantHexapod(**MOTOR_AS_PRINTED).p
    assert 24.0 / (as_printed.back_emf * as_printed.gear) == pytest.approx(40.2, abs=0.05)


def test_motor_power():
    """voltage × current = heat + work, for the usual constant; with the printed pair it is not."""
    rng = np.random.default_rng(8)
    for torque, speed in rng.normal(size=(20, 2)) * (3.0, 20.0):
        i, v = motor(P, torque, speed)
        assert v * i == pytest.approx(i * i * P.resistance + torque * speed, rel=1e-12, abs=1e-12)
        i, v = motor(P._replace(**MOTOR_AS_PRINTED), torque, speed)
        assert abs(v * i - i * i * P.resistance - torque * speed) > 0.1 * abs(torque * speed)


def test_discharge_curve():
    for current, seconds in DISCHARGE_CURVE:
        assert time_to_empty(current) == pytest.approx(seconds) and 1 / drained(current) == pytest.approx(seconds)
    currents = np.geomspace(0.01, 30.0, 200)
    times = time_to_empty(currents)
    assert np.all(np.diff(times) < 0)
    assert np.allclose([1 / drained(i) for i in currents], times, rtol=1e-12)
    middle = math.sqrt(DISCHARGE_CURVE[2][0] * DISCHARGE_CURVE[3][0])
    assert time_to_empty(middle) == pytest.approx(math.sqrt(DISCHARGE_CURVE[2][1] * DISCHARGE_CURVE[3][1]))


def test_clock():
    p = CompliantHexapod(cycle=0.53, duty=0.6226, sweep=0.6981, offset=-0.15).p
    assert clock(p, 0.0, 0.0)[0] == pytest.approx(-0.15)  # mid-sweep
    for t in np.linspace(-0.4, 1.9, 47):
        for second in (0.0, 1.0):
            angle, speed = clock(p, t, second)
            assert angle == pytest.approx(reference_angle(p, t, second), abs=1e-12)
            assert clock(p, t + 0.5 * 0.53, 1.0 - second)[0] == pytest.approx(angle, abs=1e-9)
            after = clock(p, t + 1e-7, second)[0]
            assert wrap(after - angle) / 1e-7 == pytest.approx(speed, rel=1e-4)
            for share in (0.4, -0.4, -1.0, 0.0):
                assert clock(p, t, second, share)[0] == pytest.approx(reference_angle(p, t, second, share), abs=1e-12)
            back, back_speed = clock(p, -t, second, -1.0)  # the same motion, time reversed; its offset too
            assert back - angle == pytest.approx(0.3, abs=1e-12) and back_speed == pytest.approx(-speed, rel=1e-12)
    slow, fast = -0.6981 / (0.6226 * 0.53), -(2 * math.pi - 0.6981) / ((1 - 0.6226) * 0.53)
    assert clock(p, 0.0, 0.0)[1] == pytest.approx(slow) and clock(p, 0.0, 1.0)[1] == pytest.approx(fast)


def test_wrapping_and_arctangent():
    for angle in np.linspace(-20, 20, 81):
        assert (
            math.remainder(angle, 2 * math.pi) == pytest.approx(wrap(angle), abs=1e-12)
            or abs(abs(wrap(angle)) - math.pi) < 1e-9
        )
        assert atan2_(math.sin(angle), math.cos(angle)) == pytest.approx(
            math.atan2(math.sin(angle), math.cos(angle)), abs=1e-14
        )


def test_terrains():
    p = CompliantHexapod(slope_x=0.1, slope_y=-0.2, ground=0.3, amplitude=0.02, waves_x=1.5, waves_y=2.0).p
    rng = np.random.default_rng(9)
    for leg_p in (0, 1, 2):
        for x, y in rng.normal(size=(20, 2)):
            height, along_x, along_y = ground(leg_p, p, x, y)
            assert height == pytest.approx(0.3 + 0.1 * x - 0.2 * y, abs=0.06)
            step = 1e-6
            if leg_p < 2:
                d = (ground(leg_p, p, x + step, y)[0] - ground(leg_p, p, x - step, y)[0]) / (2 * step)
                assert d == pytest.approx(along_x, abs=1e-6)
                d = (ground(leg_p, p, x, y + step)[0] - ground(leg_p, p, x, y - step)[0]) / (2 * step)
                assert d == pytest.approx(along_y, abs=1e-6)
            n = normal(along_x, along_y)
            assert np.linalg.norm(n) == pytest.approx(1.0) and n @ [1, 0, along_x] == pytest.approx(0, abs=1e-14)
    assert ground(2, p, 0.0, 1.05)[0] == pytest.approx(ground(0, p, 0.0, 1.05)[0] - p.ditch_depth)
    assert ground(2, p, 0.0, 1.15)[0] == pytest.approx(ground(0, p, 0.0, 1.15)[0])
