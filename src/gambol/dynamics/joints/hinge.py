"""Hinge: turns about its own z axis."""

from gambol.dynamics.joints.line import difference_line, integrate_line, tangent_rate_line
from gambol.dynamics.workspace import (
    DRIVE,
    FORCE,
    FRAME,
    GAIN,
    MOTION,
    SLOTS,
    add_to_parent,
    articulated,
    carried_acceleration,
    parent_motion,
    set_body,
)
from gambol.jit import function
from gambol.math.memory import load_spatial, load_vec3, store_spatial
from gambol.math.scalar import load, reciprocal, sincos_of_run, store
from gambol.math.spatial import Spatial, minus_outer, power, times_rotation
from gambol.math.vector import cross, dot, turn_about_z, zero3

KIND, NAME, POSITIONS, SPEEDS, TRANSLATES = 0, "hinge", 1, 1, False
integrate, tangent_rate, difference = integrate_line, tangent_rate_line, difference_line


@function
def place(model, motion, first, count, q, v):
    """Frames turned by the angles [rad], rates and bias accelerations, world axes."""
    W = motion.work
    for k in range(count):
        i = first + k
        frame, accel, omega, alpha = parent_motion(model, W, i)
        sin, cos = sincos_of_run(motion.q, q, k, count, motion.spare)
        frame = turn_about_z(frame, sin, cos)
        rate = frame.z * load(motion.v, v + k)
        set_body(model, W, i, frame, omega + rate, alpha + cross(omega, rate), accel)


@function
def gather(model, motion, first, count, v):
    """Articulated inertia and force to the parents, less what the hinges yield about their axes."""
    W = motion.work
    for k in range(count - 1, -1, -1):
        i = first + k
        b = i * SLOTS
        axis = load_vec3(W, b + FRAME + 6)
        A = articulated(model, W, i)
        f = load_spatial(W, b + FORCE)
        U = times_rotation(A, axis)
        d = reciprocal(dot(axis, U.ang) + load(motion.pivot, v + k))
        drive = (load(motion.tau, v + k) - dot(axis, f.ang)) * d
        gain = U * d
        store_spatial(W, b + GAIN, gain)
        store(W, b + DRIVE, drive)
        add_to_parent(model, W, i, minus_outer(A, gain, U), f + U * drive)


@function
def move(model, motion, first, count, v):
    """Angular accelerations [rad/s²] about the axes."""
    W = motion.work
    for k in range(count):
        i = first + k
        b = i * SLOTS
        a = carried_acceleration(model, W, i)
        acc = load(W, b + DRIVE) - power(load_spatial(W, b + GAIN), a)
        axis = load_vec3(W, b + FRAME + 6)
        store_spatial(W, b + MOTION, Spatial(a.ang + axis * acc, a.lin))
        store(motion.acc, v + k, acc)


@function
def motion_subspace(model, W, i, c):
    """Turning about the body's z axis, world axes."""
    axis = load_vec3(W, i * SLOTS + FRAME + 6)
    return Spatial(axis, zero3(axis.x))
