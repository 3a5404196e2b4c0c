"""How elements add forces, with or without the impedance of an implicit step."""

from typing import NamedTuple

from gambol.dynamics.workspace import ACCEL, ALPHA, FORCE, FRAME, INERTIA, LOCATED, OMEGA, PLACE, SLOTS, SPEED
from gambol.jit import function
from gambol.math.memory import add_inertia, add_spatial, add_to, load_mat3, load_vec3
from gambol.math.scalar import any_positive, constant, load, sqrt
from gambol.math.spatial import Inertia, Spatial, inertia_from, spin_matrix
from gambol.math.vector import Mat3, Sym3, Vec3, cross, dot, zero3


@function
def push_joint(motion, h, s, force, stiffness, damping, drift):
    """Adds a force at joint coordinate s. stiffness = -∂force/∂q, damping = -∂force/∂v, both ≥ 0.

    drift is the speed at which the rest position moves: the spring stretches at v - drift.
    """
    add_to(motion.tau, s, force - h * stiffness * (load(motion.v, s) - drift))
    add_to(motion.pivot, s, h * (damping + h * stiffness))


@function
def point_of(motion, i, point):
    """A body's point (layout axes): from its origin in world axes, its position and its velocity."""
    W, b = motion.work, i * SLOTS
    r = load_mat3(W, b + FRAME) @ point
    place = load_vec3(motion.located, i * LOCATED + PLACE) + r
    speed = load_vec3(motion.located, i * LOCATED + SPEED) + cross(load_vec3(W, b + OMEGA), r)
    return r, place, speed


@function
def push_point(model, motion, h, i, r, speed, force, stiffness, damping):
    """Adds a force at the point r (world axes, from the origin) of body i.

    stiffness = -∂force/∂position and damping = -∂force/∂velocity are symmetric and positive semidefinite. The force
    at the end of an implicit step is force - h K speed - (h B + h² K) a, where a is the acceleration of the point.
    """
    W, b = motion.work, i * SLOTS
    if any_positive(h):
        M = damping * h + stiffness * (h * h)
        spin = spin_matrix(load_vec3(W, b + OMEGA), load_vec3(W, b + ALPHA))
        bias = load_vec3(W, b + ACCEL) + spin @ r + load_vec3(model.gravity, 0)
        force = force - stiffness @ speed * h - M @ bias
        zero = zero3(r.x)
        nothing = Sym3(zero.x, zero.x, zero.x, zero.x, zero.x, zero.x)
        add_inertia(W, b + INERTIA, inertia_from(Inertia(nothing, Mat3(zero, zero, zero), M), r))
    add_spatial(W, b + FORCE, Spatial(cross(force, r), -force))


@function
def isotropic(x):
    """The symmetric matrix x·1."""
    zero = constant(x, 0.0)
    return Sym3(x, x, x, zero, zero, zero)


class Line(NamedTuple):
    """The straight line from a point of a body to one of another."""

    arm: Vec3  # from the body's origin to its point, world axes
    other_arm: Vec3
    along: Vec3  # unit vector from the body's point to the other's
    length: float
    speed: Vec3  # of the other's point against the body's


@function
def line_between(model, motion, i, p):
    """The line between points (parameters from p on, three each) of the two bodies whose indices are at i."""
    r, place, speed = point_of(motion, model.indices[i], load_vec3(model.params, p))
    s, other, other_speed = point_of(motion, model.indices[i + 1], load_vec3(model.params, p + 3))
    gap = other - place
    length = sqrt(dot(gap, gap) + constant(gap.x, 1e-18))
    return Line(r, s, gap * (constant(length, 1.0) / length), length, other_speed - speed)


@function
def push_line(model, motion, h, body, r, other, s, speed, force, stiffness, damping):
    """Equal and opposite forces on two bodies' points (`speed`: of the other against the body); either may be 0.

    In an implicit step each end takes the other's acceleration as known; doubling its impedance keeps the pair stable.
    """
    if other == 0:
        push_point(model, motion, h, body, r, -speed, force, stiffness, damping)
    elif body == 0:
        push_point(model, motion, h, other, s, speed, -force, stiffness, damping)
    else:
        # push_point predicts from an end's own velocity with the doubled stiffness: half of that is the line's rate
        share = stiffness @ speed * h
        double_k, double_b = stiffness + stiffness, damping + damping
        push_point(model, motion, h, body, r, -speed, force - share, double_k, double_b)
        push_point(model, motion, h, other, s, speed, share - force, double_k, double_b)
