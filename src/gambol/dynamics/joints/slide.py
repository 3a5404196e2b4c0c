"""Slide: moves along its own z axis."""

from gambol.dynamics.joints.line import difference_line, integrate_line, tangent_rate_line
from gambol.dynamics.workspace import (
    ACCEL,
    ALPHA,
    ARM,
    BODY_CONSTANTS,
    BODY_OFFSET,
    DRIVE,
    FORCE,
    FRAME,
    GAIN,
    MOTION,
    OMEGA,
    SLOTS,
    add_to_parent,
    articulated,
    base_frame,
    carried_acceleration,
    set_body,
)
from gambol.jit import function, outlined
from gambol.math.memory import load_mat3, load_spatial, load_vec3, store_spatial, store_vec3
from gambol.math.scalar import load, reciprocal, store
from gambol.math.spatial import Spatial, minus_outer, power, spin_matrix, times_translation
from gambol.math.vector import cross, dot, zero3

KIND, NAME, POSITIONS, SPEEDS, TRANSLATES = 1, "slide", 1, 1, True
integrate, tangent_rate, difference = integrate_line, tangent_rate_line, difference_line


@outlined
def place(model, motion, first, count, q, v):
    """Frames shifted by the distances [m], velocities and bias accelerations, world axes."""
    W = motion.work
    for k in range(count):
        i = first + k
        parent = load(model.parent, i) * SLOTS
        frame = base_frame(model, W, i)
        arm = load_mat3(W, parent + FRAME) @ load_vec3(model.const, i * BODY_CONSTANTS + BODY_OFFSET)
        arm = arm + frame.z * load(motion.q, q + k)
        omega, alpha = load_vec3(W, parent + OMEGA), load_vec3(W, parent + ALPHA)
        drag = cross(omega, frame.z * load(motion.v, v + k))
        accel = load_vec3(W, parent + ACCEL) + spin_matrix(omega, alpha) @ arm + drag + drag
        store_vec3(W, i * SLOTS + ARM, arm)
        set_body(model, W, i, frame, omega, alpha, accel)


@outlined
def gather(model, motion, first, count, v):
    """Articulated inertia and force to the parents, less what the slides yield along their axes."""
    W = motion.work
    for k in range(count - 1, -1, -1):
        i = first + k
        b = i * SLOTS
        axis = load_vec3(W, b + FRAME + 6)
        A = articulated(model, W, i)
        f = load_spatial(W, b + FORCE)
        U = times_translation(A, axis)
        d = reciprocal(dot(axis, U.lin) + load(motion.pivot, v + k))
        drive = (load(motion.tau, v + k) - dot(axis, f.lin)) * d
        gain = U * d
        store_spatial(W, b + GAIN, gain)
        store(W, b + DRIVE, drive)
        add_to_parent(model, W, i, minus_outer(A, gain, U), f + U * drive)


@outlined
def move(model, motion, first, count, v):
    """Accelerations [m/s²] along the axes."""
    W = motion.work
    for k in range(count):
        i = first + k
        b = i * SLOTS
        a = carried_acceleration(model, W, i)
        acc = load(W, b + DRIVE) - power(load_spatial(W, b + GAIN), a)
        axis = load_vec3(W, b + FRAME + 6)
        store_spatial(W, b + MOTION, Spatial(a.ang, a.lin + axis * acc))
        store(motion.acc, v + k, acc)


@function
def motion_subspace(model, W, i, c):
    """Sliding along the body's z axis, world axes."""
    axis = load_vec3(W, i * SLOTS + FRAME + 6)
    return Spatial(zero3(axis.x), axis)
