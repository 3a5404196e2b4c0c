"""The vector field, the boundary functions and the transitions of the hexapod, for a terrain.

Written for single worlds and for packs; `chart` has a bit for every leg in stance.
"""

import math

from gambol.hybrid.models.compliant_hexapod.battery import drain
from gambol.hybrid.models.compliant_hexapod.clock import beat_of
from gambol.hybrid.models.compliant_hexapod.leg import (
    angles_of,
    body_of,
    force_on_body,
    hip_to_toe,
    kind_of,
    pull_of,
    rates_of,
    spring_energy,
    toe_against_hip,
    toe_of,
    toe_velocity_of,
    torque_on_body,
)
from gambol.hybrid.models.compliant_hexapod.motor import electrical
from gambol.hybrid.models.compliant_hexapod.parameters import (
    ATTITUDE,
    COUNT,
    DAMPED,
    DRAINED,
    ELECTRICAL,
    FALLEN,
    HEAT,
    IMPACT,
    LIFT,
    LINK,
    POSITION,
    SIZE,
    SLIPPED,
    SPIN,
    TOE,
    TOE_VELOCITY,
    UNFELT,
    VELOCITY,
    WORK,
)
from gambol.hybrid.models.compliant_hexapod.terrain import upright
from gambol.jit import function
from gambol.math.memory import load_quat, load_vec3, store_quat, store_vec3
from gambol.math.rotation import Quat
from gambol.math.scalar import absolute, constant, floor, load, maximum, minimum, sincos, sqrt, store, where_positive
from gambol.math.vector import Vec3, cross, dot, transposed_times, zero3

LIGHTEST = 1e-3  # [m/N] a force on the toe as a height: how the two are compared at touchdown


@function
def stands(chart, i):
    """1 where leg i is in stance, else 0 (and for the fallen)."""
    whole = chart / 2.0**i
    half = floor(whole * 0.5)
    return floor(whole) - half - half


@function
def quat_rate(q, w):
    """Rate of an attitude that turns with w (world frame)."""
    return Quat(
        (w.x * q.x + w.y * q.y + w.z * q.z) * -0.5,
        (w.x * q.w + w.y * q.z - w.z * q.y) * 0.5,
        (w.y * q.w + w.z * q.x - w.x * q.z) * 0.5,
        (w.z * q.w + w.x * q.y - w.y * q.x) * 0.5,
    )


@function
def slip_velocity(p, force, normal):
    """Of a toe in stance under a force: the tangential part beyond friction, times the mobility."""
    press = dot(force, normal)
    along = force - normal * press
    size = sqrt(dot(along, along))
    excess = maximum(size - p.friction * absolute(press), constant(size, 0.0))
    return along * (excess * p.mobility / maximum(size, constant(size, 1e-12)))


def make_flow(surface):
    """flow(chart, t, x, p, dx) on a terrain."""

    @function
    def flow(chart, t, x, p, dx):
        zero, one = constant(t, 0.0), constant(t, 1.0)
        chart = chart + zero
        body, beat = body_of(x), beat_of(p, t)
        link = load(x, LINK)
        force, torque = zero3(t), zero3(t)
        power, heat, work, damped, slipped, unfelt = zero, zero, zero, zero, zero, zero
        current, voltage = zero, zero
        for i in range(COUNT):
            stance = stands(chart, i)
            kind, toe, moving = kind_of(p, i), toe_of(x, i), toe_velocity_of(x, i)
            a = angles_of(hip_to_toe(body, kind, toe))
            seen = toe_against_hip(body, kind, a.leg, moving)
            rates = rates_of(a, seen)
            pull = pull_of(p, kind, a, rates, beat, link)
            own_force = force_on_body(a, pull)
            own_torque = torque_on_body(kind, a, pull, own_force)
            force, torque = force + own_force * stance, torque + own_torque * stance
            on_toe = -(body.R @ own_force)
            _, along_x, along_y = surface(p, toe.x, toe.y)
            slip = slip_velocity(p, on_toe, upright(along_x + zero, along_y + zero)) * stance
            flight = one - stance
            store_vec3(dx, TOE + 3 * i, moving * flight + slip)
            store_vec3(dx, TOE_VELOCITY + 3 * i, on_toe * (flight / p.toe_mass))
            # the books; motors turn as the controller sees them, and what slides takes its energy from the springs
            sliding = rates_of(a, transposed_times(body.R, slip))
            motor = electrical(p, pull.hip, rates.phi)
            power = power + motor.current * motor.voltage
            heat = heat + motor.current * motor.current * p.resistance
            work = work + pull.hip * rates.phi
            damped = damped + kind.damping * rates.rho * rates.rho + kind.lateral_damping * rates.theta * rates.theta
            slipped = slipped + kind.stiffness * (p.rest_length - a.rho) * sliding.rho
            slipped = slipped - kind.lateral_stiffness * (a.theta - kind.lateral_rest) * sliding.theta
            unfelt = unfelt + (dot(own_force, body.v) + dot(own_torque, body.w)) * flight
            current = current + absolute(motor.current)
            voltage = maximum(absolute(motor.voltage), voltage)
        move_body(p, x, dx, body, force, torque)
        used = load(x, DRAINED)
        full = p.supply * (one - p.droop * used)
        store(dx, LINK, (full - p.sag * current - link) / p.link_time)
        store(dx, ELECTRICAL, power)
        store(dx, HEAT, heat)
        store(dx, WORK, work)
        store(dx, DAMPED, damped)
        store(dx, SLIPPED, slipped)
        store(dx, UNFELT, unfelt)
        store(dx, IMPACT, zero)
        store(dx, DRAINED, voltage / p.nominal_voltage * drain(current))
        alive = where_positive(chart - (FALLEN - 0.5), zero, one)
        for k in range(SIZE):
            store(dx, k, load(dx, k) * alive)

    return flow


@function
def move_body(p, x, dx, body, force, torque):
    """Rates of the body under a force and torque in its frame, and weight."""
    w = body.w
    own = Vec3(p.inertia_x * w.x, p.inertia_y * w.y, p.inertia_z * w.z)
    turn = torque - cross(w, own)
    spin = body.R @ Vec3(turn.x / p.inertia_x, turn.y / p.inertia_y, turn.z / p.inertia_z)
    push = body.R @ force
    zero = constant(w.x, 0.0)
    per_mass = constant(w.x, 1.0) / p.mass
    store_vec3(dx, POSITION, load_vec3(x, VELOCITY))
    store_quat(dx, ATTITUDE, quat_rate(load_quat(x, ATTITUDE), load_vec3(x, SPIN)))
    store_vec3(dx, VELOCITY, push * per_mass - Vec3(zero, zero, p.gravity + zero))
    store_vec3(dx, SPIN, spin)


def make_boundaries(surface):
    """boundaries(chart, t, x, p, h): two for every leg, then the fall.

    A leg in flight touches down where the toe is below the terrain, would be pressed down if it stopped there, and is
    not too long; one in stance lifts off where it grows too long or the ground would have to pull it.
    """

    @function
    def boundaries(chart, t, x, p, h):
        zero, one = constant(t, 0.0), constant(t, 1.0)
        chart = chart + zero
        alive = (FALLEN - 0.5) - chart
        body, beat = body_of(x), beat_of(p, t)
        link = load(x, LINK)
        for i in range(COUNT):
            kind, toe = kind_of(p, i), toe_of(x, i)
            a = angles_of(hip_to_toe(body, kind, toe))
            rates = rates_of(a, toe_against_hip(body, kind, a.leg, zero3(t)))
            pull = pull_of(p, kind, a, rates, beat, link)
            height, along_x, along_y = surface(p, toe.x, toe.y)
            lifts = -dot(body.R @ force_on_body(a, pull), upright(along_x + zero, along_y + zero))
            touch = maximum(maximum(toe.z - height, lifts * LIGHTEST), a.rho - p.touchdown_length)
            stance = stands(chart, i) - 0.5
            store(h, 2 * i, where_positive(alive, where_positive(stance, p.liftoff_length - a.rho, touch), one))
            store(h, 2 * i + 1, where_positive(alive, where_positive(stance, -lifts, one), one))
        ground, _, _ = surface(p, body.r.x, body.r.y)
        _, steep = sincos(p.tilt + zero)
        upright_by = minimum(body.R.z.z - steep, body.r.z - ground - p.low)
        store(h, 2 * COUNT, where_positive(alive, upright_by, one))

    return boundaries


def make_transition(surface):
    """transition(chart, t, x, p, fired): legs land and lift; single worlds only."""

    @function
    def leg_energy(x, p, i):
        """Springs of a leg and motion of its toe [J]."""
        kind = kind_of(p, i)
        a = angles_of(hip_to_toe(body_of(x), kind, toe_of(x, i)))
        moving = toe_velocity_of(x, i)
        return spring_energy(p, kind, a) + 0.5 * p.toe_mass * dot(moving, moving)

    @function
    def transition(chart, t, x, p, fired):
        if fired[2 * COUNT] > 0.0:
            return FALLEN
        for i in range(COUNT):
            if fired[2 * i] > 0.0 or fired[2 * i + 1] > 0.0:
                if chart >> i & 1 == 0:
                    before = leg_energy(x, p, i)
                    toe = toe_of(x, i)
                    height, _, _ = surface(p, toe.x, toe.y)
                    x[TOE + 3 * i + 2] = height + LIFT
                    store_vec3(x, TOE_VELOCITY + 3 * i, Vec3(0.0, 0.0, 0.0))
                    x[IMPACT] += before - leg_energy(x, p, i)
                chart = chart ^ (1 << i)
        return chart

    return transition


@function
def total_energy(p, chart, x):
    """Body, springs of all legs and toes in flight [J]: what the ledger accounts for."""
    body = body_of(x)
    w, v = body.w, body.v
    energy = 0.5 * p.mass * dot(v, v) + p.mass * p.gravity * body.r.z
    energy += 0.5 * (p.inertia_x * w.x**2 + p.inertia_y * w.y**2 + p.inertia_z * w.z**2)
    for i in range(COUNT):
        kind = kind_of(p, i)
        energy += spring_energy(p, kind, angles_of(hip_to_toe(body, kind, toe_of(x, i))))
        moving = toe_velocity_of(x, i)
        energy += 0.5 * p.toe_mass * dot(moving, moving)
    return energy


@function
def attitude_angles(R):
    """Roll (about forward, right side down), pitch (nose up) and yaw (to the left) [rad]."""
    return math.atan2(-R.x.z, R.z.z), math.asin(min(1.0, max(-1.0, R.y.z))), math.atan2(-R.y.x, R.y.y)
