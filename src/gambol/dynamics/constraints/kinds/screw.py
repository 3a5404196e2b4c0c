"""Advance along an axis in proportion to the turn about it.

parameters: point on a 3, point on b 3, frame on a 9, frame on b 9 (z is the axis), pitch [m/rad]
D = z_b · (p_a − p_b) − pitch · θ; θ is the turn of a's x axis about z_b, of its branches the one nearest to D = 0.
"""

import math

from gambol.dynamics.constraints.kinds.direction import direction_terms
from gambol.dynamics.constraints.row import frame_at, point_state, spin_of, state_row, velocity_along
from gambol.jit import outlined
from gambol.math.memory import load_mat3, load_vec3
from gambol.math.scalar import absolute, arctan2, constant, load, nearest_whole, where_positive
from gambol.math.spatial import Spatial
from gambol.math.vector import cross, dot, product, zero3

KIND, NAME = 6, "screw"


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """A row: advance [m] along the axis of b, less pitch [m/rad] times the turn [rad] about it."""
    A, B = (
        point_state(constrained, a, load_vec3(model.params, p)),
        point_state(constrained, b, load_vec3(model.params, p + 3)),
    )
    turn_a = product(frame_at(constrained, a), load_mat3(model.params, p + 6))
    turn_b = product(frame_at(constrained, b), load_mat3(model.params, p + 15))
    pitch = load(model.params, p + 24)
    omega_a, omega = spin_of(constrained, a), spin_of(constrained, b)
    gap, closing = A.place - B.place, A.speed - B.speed
    n = turn_b.z
    turning = cross(omega, n)
    advance = dot(n, A.inward - B.inward) + 2.0 * dot(turning, closing) + dot(cross(omega, turning), gap)
    cos, sin = dot(turn_b.x, turn_a.x), dot(turn_b.y, turn_a.x)
    about_c, terms_c = direction_terms(turn_a.x, turn_b.x, omega_a, omega)
    about_s, terms_s = direction_terms(turn_a.x, turn_b.y, omega_a, omega)
    size = 1.0 / (sin * sin + cos * cos)
    about = (about_s * cos - about_c * sin) * size  # b turning by this makes θ grow
    still = zero3(cos)
    torque = Spatial(about, still)
    cos_rate = dot(omega - omega_a, about_c)
    sin_rate = dot(omega - omega_a, about_s)
    theta_rate = velocity_along(constrained, b, torque) - velocity_along(constrained, a, torque)
    theta_terms = (cos * terms_s - sin * terms_c) * size - 2.0 * theta_rate * (sin * sin_rate + cos * cos_rate) * size
    theta = arctan2(sin, cos)
    pitched = absolute(pitch)
    turned = dot(n, gap) / where_positive(pitched, pitch, constant(pitch, 1.0)) - theta
    round_ = constant(theta, 2.0 * math.pi)
    theta = theta + where_positive(pitched, round_ * nearest_whole(turned / round_), constant(theta, 0.0))
    state_row(
        model,
        constrained,
        row,
        a,
        Spatial(cross(A.arm, n) + about * pitch, n),
        b,
        Spatial(-cross(B.arm + gap, n) - about * pitch, -n),
        dot(n, gap) - pitch * theta,
        0.0,
        advance - pitch * theta_terms,
    )
