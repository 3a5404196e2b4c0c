"""How elements add forces, with or without the impedance of an implicit step."""

from gambol.dynamics.workspace import ACCEL, ALPHA, FORCE, FRAME, INERTIA, OMEGA, PLACE, SLOTS, SPEED, SPOT
from gambol.jit import function
from gambol.math.memory import add_inertia, add_spatial, add_to, load_mat3, load_vec3
from gambol.math.scalar import any_positive, constant, load
from gambol.math.spatial import Inertia, Spatial, inertia_from, spin_matrix
from gambol.math.vector import Mat3, Sym3, cross, zero3


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
    place = load_vec3(motion.spot, i * SPOT + PLACE) + r
    speed = load_vec3(motion.spot, i * SPOT + SPEED) + cross(load_vec3(W, b + OMEGA), r)
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
