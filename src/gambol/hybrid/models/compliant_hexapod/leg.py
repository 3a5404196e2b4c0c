"""One leg: from the toe to angles and length, from these to the force and torque on the body.

In the body frame the leg v̄ = (x, y, z) has the angles θ (sideways), φ (along) and the length ρ:
v̄ = ρ (sin θ, cos θ sin φ, −cos θ cos φ). The printed derivatives of θ, and the second ones of all, are wrong; these
were checked by virtual power and by differences (tests/hybrid/test_compliant_hexapod_formulas.py).
"""

from typing import NamedTuple

import gambol.hybrid.models.compliant_hexapod.parameters as slot
from gambol.forces.electric import limit_torque
from gambol.hybrid.models.compliant_hexapod.clock import Reference, wrapped
from gambol.jit import function
from gambol.math.memory import load_quat, load_vec3
from gambol.math.rotation import frame_of, normalised
from gambol.math.scalar import arctan, arctan2, reciprocal, sqrt
from gambol.math.vector import Mat3, Vec3, cross, transposed_times


class BodyState(NamedTuple):
    """The body: position and frame in the world, velocity and spin in its own frame."""

    r: Vec3
    R: Mat3
    v: Vec3
    w: Vec3


class LegAngles(NamedTuple):
    """A leg and its rates, with the sines and cosines of its angles."""

    theta: float
    phi: float
    rho: float
    sin_theta: float
    cos_theta: float
    sin_phi: float
    cos_phi: float
    leg: Vec3
    per_rho: float  # 1/ρ
    per_width: float  # 1/√(y² + z²) = 1/(ρ cos θ)


class LegRates(NamedTuple):
    """Rates of the angles [rad/s] and of the length [m/s]."""

    theta: float
    phi: float
    rho: float


class LegForces(NamedTuple):
    """What springs and motor do: along the leg [N], sideways and at the hip [N·m]."""

    radial: float
    lateral: float
    hip: float


class LegParameters(NamedTuple):
    """The numbers of one leg."""

    hip: Vec3
    stiffness: float
    damping: float
    lateral_stiffness: float
    lateral_damping: float
    lateral_rest: float
    second: float  # 1 for the second tripod
    right: float  # 1 on the right side


@function
def body_state(x):
    """The body from the states of the model."""
    R = frame_of(normalised(load_quat(x, slot.BODY_ATTITUDE)))
    v, w = transposed_times(R, load_vec3(x, slot.BODY_VELOCITY)), transposed_times(R, load_vec3(x, slot.BODY_SPIN))
    return BodyState(load_vec3(x, slot.BODY_POSITION), R, v, w)


@function
def leg_parameters(p, i):
    """The numbers of leg i: 0, 1, 2 front, middle and back on the left, 3, 4, 5 on the right."""
    side = -1.0 if i < 3 else 1.0
    place = i % 3
    along = 1.0 - place
    second = 0.0 if (place == 1) == (i >= 3) else 1.0
    right = 0.0 if i < 3 else 1.0
    if place == 1:
        hip = Vec3(p.middle_hip_side * side, p.hip_length * along, p.hip_length * 0.0)
        return LegParameters(
            hip,
            p.middle_stiffness,
            p.middle_damping,
            p.middle_lateral_stiffness,
            p.middle_lateral_damping,
            p.lateral_rest * side,
            second,
            right,
        )
    hip = Vec3(p.hip_side * side, p.hip_length * along, p.hip_length * 0.0)
    rest = p.lateral_rest * side
    return LegParameters(hip, p.stiffness, p.damping, p.lateral_stiffness, p.lateral_damping, rest, second, right)


@function
def toe_position(x, i):
    """Where toe i is [m, world frame]."""
    return load_vec3(x, slot.TOE_POSITION + 3 * i)


@function
def toe_velocity(x, i):
    """Velocity of toe i [m/s, world frame]; of toes in flight."""
    return load_vec3(x, slot.TOE_VELOCITY + 3 * i)


@function
def leg_angles(leg):
    """Angles and length of a leg (body frame, from hip to toe)."""
    square = leg.y * leg.y + leg.z * leg.z
    width = sqrt(square)
    rho = sqrt(square + leg.x * leg.x)
    per_width, per_rho = reciprocal(width), reciprocal(rho)
    sin_theta, cos_theta = leg.x * per_rho, width * per_rho
    sin_phi, cos_phi = leg.y * per_width, -leg.z * per_width
    theta, phi = arctan(leg.x * per_width), arctan2(leg.y, -leg.z)
    return LegAngles(theta, phi, rho, sin_theta, cos_theta, sin_phi, cos_phi, leg, per_rho, per_width)


@function
def leg_rates(a, u):
    """Rates of the angles and the length for the velocity u of the toe against the hip, in the body frame."""
    outward = a.sin_phi * u.y - a.cos_phi * u.z  # away from the hip, in the plane of φ
    theta = (a.cos_theta * u.x - a.sin_theta * outward) * a.per_rho
    phi = (a.cos_phi * u.y + a.sin_phi * u.z) * a.per_width
    return LegRates(theta, phi, a.sin_theta * u.x + a.cos_theta * outward)


@function
def hip_to_toe(body, leg_p, toe):
    """The leg in the body frame."""
    return transposed_times(body.R, toe - body.r) - leg_p.hip


@function
def toe_against_hip(body, leg_p, leg, toe_velocity):
    """Velocity of the toe as seen from the body [m/s]."""
    return transposed_times(body.R, toe_velocity) - body.v - cross(body.w, leg + leg_p.hip)


@function
def between(one, other, share):
    """One reference where the share is 0, the other where it is 1."""
    return Reference(one.angle + share * (other.angle - one.angle), one.speed + share * (other.speed - one.speed))


@function
def reference_of(references, leg_p):
    """That of a leg among those of all."""
    left = between(references.left, references.left_second, leg_p.second)
    right = between(references.right, references.right_second, leg_p.second)
    return between(left, right, leg_p.right)


@function
def leg_forces(p, leg_p, a, rates, references, link):
    """Springs, dampers and the motor, which follows the clock."""
    asked = reference_of(references, leg_p)
    wanted = p.position_gain * wrapped(asked.angle - a.phi) + p.speed_gain * (asked.speed - rates.phi)
    return LegForces(
        leg_p.stiffness * (p.rest_length - a.rho) - leg_p.damping * rates.rho,
        -leg_p.lateral_stiffness * (a.theta - leg_p.lateral_rest) - leg_p.lateral_damping * rates.theta,
        limit_torque(p, link, wanted, rates.phi),
    )


@function
def force_on_body(a, forces):
    """Force of the leg on the body, in the body frame; the toe receives the opposite."""
    side, along = forces.lateral * a.per_rho, forces.hip * a.per_width
    return Vec3(
        -a.sin_theta * forces.radial - a.cos_theta * side,
        -a.cos_theta * a.sin_phi * forces.radial + a.sin_theta * a.sin_phi * side - a.cos_phi * along,
        a.cos_theta * a.cos_phi * forces.radial - a.sin_theta * a.cos_phi * side - a.sin_phi * along,
    )


@function
def torque_on_body(leg_p, a, forces, force):
    """Torque of the leg on the body about its centre, in the body frame."""
    tangent = forces.hip * a.leg.x * a.per_width
    own = Vec3(
        -forces.hip, tangent * a.sin_phi + forces.lateral * a.cos_phi, forces.lateral * a.sin_phi - tangent * a.cos_phi
    )
    return own + cross(leg_p.hip, force)


@function
def spring_energy(p, leg_p, a):
    """Of a leg [J]."""
    bend, shortening = a.theta - leg_p.lateral_rest, p.rest_length - a.rho
    return leg_p.stiffness * shortening * shortening * 0.5 + leg_p.lateral_stiffness * bend * bend * 0.5
