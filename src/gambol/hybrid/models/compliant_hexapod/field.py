"""The vector field, the boundary functions and the transitions of the hexapod, for a terrain.

Written for single worlds and for packs; `chart` has a bit for every leg in stance.
"""

import math

import gambol.hybrid.models.compliant_hexapod.leg as legs
import gambol.hybrid.models.compliant_hexapod.parameters as slot
from gambol.forces.electric import drain_rate, link_rate, motor_electrical
from gambol.hybrid.models.compliant_hexapod.battery import DISCHARGE_TABLE
from gambol.hybrid.models.compliant_hexapod.clock import tripod_references
from gambol.hybrid.models.compliant_hexapod.terrain import unit_normal
from gambol.jit import function
from gambol.math.memory import load_quat, load_vec3, store_quat, store_vec3
from gambol.math.rotation import Quat
from gambol.math.scalar import absolute, constant, floor, load, maximum, minimum, sincos, sqrt, store, where_positive
from gambol.math.vector import Vec3, cross, dot, transposed_times, zero3

HEIGHT_PER_FORCE = 1e-3  # [m/N] a force on the toe as a height: how the two are compared at touchdown


@function
def in_stance(chart, i):
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
        body, references = legs.body_state(x), tripod_references(p, t)
        link = load(x, slot.LINK_VOLTAGE)
        force, torque = zero3(t), zero3(t)
        power, heat, work, damping, sliding_loss, flight_work = zero, zero, zero, zero, zero, zero
        current, voltage = zero, zero
        for i in range(slot.LEG_COUNT):
            stance = in_stance(chart, i)
            leg_p, toe, moving = legs.leg_parameters(p, i), legs.toe_position(x, i), legs.toe_velocity(x, i)
            a = legs.leg_angles(legs.hip_to_toe(body, leg_p, toe))
            seen = legs.toe_against_hip(body, leg_p, a.leg, moving)
            rates = legs.leg_rates(a, seen)
            forces = legs.leg_forces(p, leg_p, a, rates, references, link)
            own_force = legs.force_on_body(a, forces)
            own_torque = legs.torque_on_body(leg_p, a, forces, own_force)
            force, torque = force + own_force * stance, torque + own_torque * stance
            on_toe = -(body.R @ own_force)
            _, along_x, along_y = surface(p, toe.x, toe.y)
            slip = slip_velocity(p, on_toe, unit_normal(along_x + zero, along_y + zero)) * stance
            flight = one - stance
            store_vec3(dx, slot.TOE_POSITION + 3 * i, moving * flight + slip)
            store_vec3(dx, slot.TOE_VELOCITY + 3 * i, on_toe * (flight / p.toe_mass))
            # the energy ledger; motors turn as the controller sees them, what slides takes its energy from the springs
            sliding = legs.leg_rates(a, transposed_times(body.R, slip))
            motor = motor_electrical(p, forces.hip, rates.phi)
            power = power + motor.current * motor.voltage
            heat = heat + motor.current * motor.current * p.resistance
            work = work + forces.hip * rates.phi
            damping = (
                damping + leg_p.damping * rates.rho * rates.rho + leg_p.lateral_damping * rates.theta * rates.theta
            )
            sliding_loss = sliding_loss + leg_p.stiffness * (p.rest_length - a.rho) * sliding.rho
            sliding_loss = sliding_loss - leg_p.lateral_stiffness * (a.theta - leg_p.lateral_rest) * sliding.theta
            flight_work = flight_work + (dot(own_force, body.v) + dot(own_torque, body.w)) * flight
            current = current + absolute(motor.current)
            voltage = maximum(absolute(motor.voltage), voltage)
        move_body(p, x, dx, body, force, torque)
        used = load(x, slot.BATTERY_USED)
        full = p.supply * (one - p.droop * used)
        store(dx, slot.LINK_VOLTAGE, link_rate(full, p.sag, current, link, p.link_time))
        store(dx, slot.ELECTRICAL_ENERGY, power)
        store(dx, slot.MOTOR_HEAT, heat)
        store(dx, slot.MOTOR_WORK, work)
        store(dx, slot.DAMPING_LOSS, damping)
        store(dx, slot.SLIDING_LOSS, sliding_loss)
        store(dx, slot.FLIGHT_LEG_WORK, flight_work)
        store(dx, slot.IMPACT_LOSS, zero)
        store(dx, slot.BATTERY_USED, voltage / p.nominal_voltage * drain_rate(DISCHARGE_TABLE, 0, current))
        alive = where_positive(chart - (slot.FALLEN_CHART - 0.5), zero, one)
        for k in range(slot.STATE_SIZE):
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
    store_vec3(dx, slot.BODY_POSITION, load_vec3(x, slot.BODY_VELOCITY))
    store_quat(dx, slot.BODY_ATTITUDE, quat_rate(load_quat(x, slot.BODY_ATTITUDE), load_vec3(x, slot.BODY_SPIN)))
    store_vec3(dx, slot.BODY_VELOCITY, push * per_mass - Vec3(zero, zero, p.gravity + zero))
    store_vec3(dx, slot.BODY_SPIN, spin)


def make_boundaries(surface):
    """boundaries(chart, t, x, p, h): two for every leg, then the fall.

    A leg in flight touches down where the toe is below the terrain, would be pressed down if it stopped there, and is
    not too long; one in stance lifts off where it grows too long or the ground would have to pull it.
    """

    @function
    def boundaries(chart, t, x, p, h):
        zero, one = constant(t, 0.0), constant(t, 1.0)
        chart = chart + zero
        alive = (slot.FALLEN_CHART - 0.5) - chart
        body, references = legs.body_state(x), tripod_references(p, t)
        link = load(x, slot.LINK_VOLTAGE)
        for i in range(slot.LEG_COUNT):
            leg_p, toe = legs.leg_parameters(p, i), legs.toe_position(x, i)
            a = legs.leg_angles(legs.hip_to_toe(body, leg_p, toe))
            rates = legs.leg_rates(a, legs.toe_against_hip(body, leg_p, a.leg, zero3(t)))
            forces = legs.leg_forces(p, leg_p, a, rates, references, link)
            height, along_x, along_y = surface(p, toe.x, toe.y)
            lifts = -dot(body.R @ legs.force_on_body(a, forces), unit_normal(along_x + zero, along_y + zero))
            touch = maximum(maximum(toe.z - height, lifts * HEIGHT_PER_FORCE), a.rho - p.touchdown_length)
            stance = in_stance(chart, i) - 0.5
            store(h, 2 * i, where_positive(alive, where_positive(stance, p.liftoff_length - a.rho, touch), one))
            store(h, 2 * i + 1, where_positive(alive, where_positive(stance, -lifts, one), one))
        ground, _, _ = surface(p, body.r.x, body.r.y)
        _, steep = sincos(p.tilt + zero)
        upright_by = minimum(body.R.z.z - steep, body.r.z - ground - p.low)
        store(h, 2 * slot.LEG_COUNT, where_positive(alive, upright_by, one))

    return boundaries


def make_transition(surface):
    """transition(chart, t, x, p, fired): legs land and lift; single worlds only."""

    @function
    def leg_energy(x, p, i):
        """Springs of a leg and motion of its toe [J]."""
        leg_p = legs.leg_parameters(p, i)
        a = legs.leg_angles(legs.hip_to_toe(legs.body_state(x), leg_p, legs.toe_position(x, i)))
        moving = legs.toe_velocity(x, i)
        return legs.spring_energy(p, leg_p, a) + 0.5 * p.toe_mass * dot(moving, moving)

    @function
    def transition(chart, t, x, p, fired):
        if fired[2 * slot.LEG_COUNT] > 0.0:
            return slot.FALLEN_CHART
        for i in range(slot.LEG_COUNT):
            if fired[2 * i] > 0.0 or fired[2 * i + 1] > 0.0:
                if chart >> i & 1 == 0:
                    before = leg_energy(x, p, i)
                    toe = legs.toe_position(x, i)
                    height, _, _ = surface(p, toe.x, toe.y)
                    x[slot.TOE_POSITION + 3 * i + 2] = height + slot.TOUCHDOWN_HEIGHT
                    store_vec3(x, slot.TOE_VELOCITY + 3 * i, Vec3(0.0, 0.0, 0.0))
                    x[slot.IMPACT_LOSS] += before - leg_energy(x, p, i)
                chart = chart ^ (1 << i)
        return chart

    return transition


@function
def total_energy(p, chart, x):
    """Body, springs of all legs and toes in flight [J]: what the ledger accounts for."""
    body = legs.body_state(x)
    w, v = body.w, body.v
    energy = 0.5 * p.mass * dot(v, v) + p.mass * p.gravity * body.r.z
    energy += 0.5 * (p.inertia_x * w.x**2 + p.inertia_y * w.y**2 + p.inertia_z * w.z**2)
    for i in range(slot.LEG_COUNT):
        leg_p = legs.leg_parameters(p, i)
        energy += legs.spring_energy(p, leg_p, legs.leg_angles(legs.hip_to_toe(body, leg_p, legs.toe_position(x, i))))
        moving = legs.toe_velocity(x, i)
        energy += 0.5 * p.toe_mass * dot(moving, moving)
    return energy


@function
def attitude_angles(R):
    """Roll (about forward, right side down), pitch (nose up) and yaw (to the left) [rad]."""
    return math.atan2(-R.x.z, R.z.z), math.asin(min(1.0, max(-1.0, R.y.z))), math.atan2(-R.y.x, R.y.y)
