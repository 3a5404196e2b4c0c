"""How a kind of constraint states one row; and points and directions on bodies, for all kinds."""

from typing import NamedTuple

from gambol.dynamics.workspace import ACCEL, ALPHA, FRAME, LOCATED, OMEGA, PLACE, SLOTS, SPEED
from gambol.jit import function
from gambol.math.memory import load_mat3, load_vec3, store_spatial
from gambol.math.scalar import store
from gambol.math.spatial import Spatial, power
from gambol.math.vector import Vec3, cross


class PointState(NamedTuple):
    """A body's point, world axes: arm from the body's origin, place, velocity, and ω × (ω × arm)."""

    arm: Vec3
    place: Vec3
    speed: Vec3
    inward: Vec3


@function
def spin_of(constrained, i):
    """Angular velocity of a body."""
    return load_vec3(constrained.world.work, i * SLOTS + OMEGA)


@function
def frame_at(constrained, i):
    """Axes of body i in the world, as columns."""
    return load_mat3(constrained.world.work, i * SLOTS + FRAME)


@function
def point_state(constrained, i, point):
    """The point (layout axes) of body i."""
    omega = spin_of(constrained, i)
    arm = frame_at(constrained, i) @ point
    turning = cross(omega, arm)
    place = load_vec3(constrained.world.located, i * LOCATED + PLACE) + arm
    return PointState(
        arm, place, load_vec3(constrained.world.located, i * LOCATED + SPEED) + turning, cross(omega, turning)
    )


@function
def acceleration_along(model, constrained, i, wrench):
    """Second derivative that body i's acceleration without joint accelerations gives along a wrench."""
    W, b = constrained.world.work, i * SLOTS
    lin = load_vec3(W, b + ACCEL) + load_vec3(model.world.gravity, 0)
    return power(Spatial(load_vec3(W, b + ALPHA), lin), wrench)


@function
def velocity_along(constrained, i, wrench):
    """Rate at which body i moves along a wrench about its origin, world axes [m/s or rad/s]."""
    velocity = Spatial(spin_of(constrained, i), load_vec3(constrained.world.located, i * LOCATED + SPEED))
    return power(velocity, wrench)


@function
def state_row(model, constrained, row, a, wrench_a, b, wrench_b, deviation, drift, velocity_terms):
    """Enters one row.

    A unit multiplier puts `wrench_a` on body a and `wrench_b` on body b (at their origins, world axes). The deviation
    changes at wrench_a · V_a + wrench_b · V_b + drift, and its second derivative is the same with accelerations
    plus `velocity_terms`.
    """
    slip = velocity_along(constrained, a, wrench_a) + velocity_along(constrained, b, wrench_b)
    store(constrained.dev, row, deviation)
    store(constrained.slip, row, slip)
    store(constrained.rate, row, slip + drift)
    free = acceleration_along(model, constrained, a, wrench_a) + acceleration_along(model, constrained, b, wrench_b)
    store(constrained.bias, row, free + velocity_terms)
    store_spatial(constrained.wrench, 12 * row, wrench_a)
    store_spatial(constrained.wrench, 12 * row + 6, wrench_b)
