"""How elements add forces, with or without the impedance of an implicit step."""

from typing import NamedTuple

from gambol.dynamics.couplings import add_end, add_pair, begin_row, has_room
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
def speed_at(motion, i, r):
    """Velocity of body i at a place r from its origin, world axes."""
    return load_vec3(motion.located, i * LOCATED + SPEED) + cross(load_vec3(motion.work, i * SLOTS + OMEGA), r)


@function
def point_of(motion, i, point):
    """A body's point (layout axes): from its origin in world axes, its position and its velocity."""
    r = load_mat3(motion.work, i * SLOTS + FRAME) @ point
    return r, load_vec3(motion.located, i * LOCATED + PLACE) + r, speed_at(motion, i, r)


@function
def add_force(motion, i, r, force):
    """Adds a force at the point r (world axes, from the origin) of body i."""
    add_spatial(motion.work, i * SLOTS + FORCE, Spatial(cross(force, r), -force))


@function
def bias_of(model, motion, i, r):
    """Acceleration of a body's point r (world axes, from the origin) as it is without joint accelerations."""
    W, b = motion.work, i * SLOTS
    spin = spin_matrix(load_vec3(W, b + OMEGA), load_vec3(W, b + ALPHA))
    return load_vec3(W, b + ACCEL) + spin @ r + load_vec3(model.gravity, 0)


@function
def push_point(model, motion, h, i, r, speed, force, stiffness, damping):
    """Adds a force from the world at the point r (world axes, from the origin) of body i.

    stiffness = -∂force/∂position and damping = -∂force/∂velocity are symmetric and positive semidefinite. The force
    at the end of an implicit step is force - h K speed - (h B + h² K) a, where a is the acceleration of the point.
    """
    if any_positive(h):
        M = damping * h + stiffness * (h * h)
        force = force - stiffness @ speed * h - M @ bias_of(model, motion, i, r)
        zero = zero3(r.x)
        nothing = Sym3(zero.x, zero.x, zero.x, zero.x, zero.x, zero.x)
        inertia = inertia_from(Inertia(nothing, Mat3(zero, zero, zero), M), r)
        add_inertia(motion.work, i * SLOTS + INERTIA, inertia)
    add_force(motion, i, r, force)


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
def push_pair(model, motion, h, body, r, other, s, drift, force, stiffness, damping):
    """A force on point r of a body and its opposite on point s of another (one of them may be the world, 0).

    stiffness and damping as for `push_point`, by the motion of the body against the other; `drift` is the relative
    velocity at which the force would stay as it is, such as that of a rest length. In an implicit step impedance acts
    on the relative motion alone (dynamics.couplings), at the point half way: both momenta stay as they are.
    """
    place = load_vec3(motion.located, body * LOCATED + PLACE) + r
    other_place = load_vec3(motion.located, other * LOCATED + PLACE) + s
    if other == 0:
        push_point(model, motion, h, body, r, speed_at(motion, body, r) - drift, force, stiffness, damping)
    elif body == 0:
        push_point(model, motion, h, other, s, speed_at(motion, other, s) + drift, -force, stiffness, damping)
    else:
        add_force(motion, body, r, force)
        add_force(motion, other, s, -force)
        if any_positive(h) and has_room(motion):
            middle = (place + other_place) * constant(place.x, 0.5)
            a = middle - load_vec3(motion.located, body * LOCATED + PLACE)
            b = middle - load_vec3(motion.located, other * LOCATED + PLACE)
            Z = damping * h + stiffness * (h * h)
            speed = speed_at(motion, body, a) - speed_at(motion, other, b) - drift
            bias = bias_of(model, motion, body, a) - bias_of(model, motion, other, b)
            soon = stiffness @ speed * (-h) - Z @ bias
            add_force(motion, body, a, soon)
            add_force(motion, other, b, -soon)
            add_pair(model, motion, body, other, middle, Z)


@function
def begin_tension(motion, h, tension, stiffness, damping, rate):
    """An element with a row of its own, of a tension that grows with its length: stiffness, damping ≥ 0.

    `rate` is that of the length less that of its rest. Gives the tension to push its ends with, as it will be for
    unaccelerated ends, and the root of its impedance.
    """
    zero = constant(tension, 0.0)
    if any_positive(h) and has_room(motion):
        Z = h * (damping + h * stiffness)
        if any_positive(Z):
            begin_row(motion)
            return tension + h * stiffness * rate, sqrt(Z)
    return tension, zero


@function
def push_end(model, motion, i, r, force, tension, root):
    """One end of an element with a row of its own: `force` for a unit of tension, at point r of body i.

    root: of the impedance of the tension; zero in worlds where it has none.
    """
    add_force(motion, i, r, force * tension)
    if any_positive(root):
        add_end(model, motion, i, Spatial(cross(r, force) * root, force * root))


@function
def push_speed(model, motion, s, arm, tension, root):
    """As push_end, at joint coordinate s, which feels `arm` for a unit of tension."""
    add_to(motion.tau, s, arm * tension)
    if any_positive(root):
        none = zero3(arm)
        add_end(model, motion, -1 - s, Spatial(Vec3(arm * root, none.x, none.x), none))
