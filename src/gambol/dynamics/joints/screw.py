"""Screw: turns about its own z axis and advances along it by the pitch [m/rad]."""

from gambol.dynamics.joints.line import difference_line, integrate_line, tangent_rate_line
from gambol.dynamics.workspace import (
    ACCEL,
    ALPHA,
    ARM,
    BODY_CONSTANTS,
    BODY_OFFSET,
    BODY_PITCH,
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
from gambol.math.scalar import load, reciprocal, sincos, store
from gambol.math.spatial import Spatial, inertia_times, minus_outer, power, spin_matrix
from gambol.math.vector import cross, turn_about_z

KIND, NAME, POSITIONS, SPEEDS, TRANSLATES = 2, "screw", 1, 1, True
integrate, tangent_rate, difference = integrate_line, tangent_rate_line, difference_line


@outlined
def place(model, motion, first, count, q, v):
    """Frames turned by the angles [rad] and shifted by pitch [m/rad] times these, velocities and bias accelerations."""
    W = motion.work
    for k in range(count):
        i = first + k
        parent = load(model.parent, i) * SLOTS
        pitch = load(model.const, i * BODY_CONSTANTS + BODY_PITCH)
        frame = base_frame(model, W, i)
        angle = load(motion.q, q + k)
        arm = load_mat3(W, parent + FRAME) @ load_vec3(model.const, i * BODY_CONSTANTS + BODY_OFFSET)
        arm = arm + frame.z * (angle * pitch)
        sin, cos = sincos(angle)
        frame = turn_about_z(frame, sin, cos)
        omega, alpha = load_vec3(W, parent + OMEGA), load_vec3(W, parent + ALPHA)
        turning = frame.z * load(motion.v, v + k)
        drag = cross(omega, turning)
        accel = load_vec3(W, parent + ACCEL) + spin_matrix(omega, alpha) @ arm + drag * (pitch + pitch)
        store_vec3(W, i * SLOTS + ARM, arm)
        set_body(model, W, i, frame, omega + turning, alpha + drag, accel)


@outlined
def gather(model, motion, first, count, v):
    """Articulated inertia and force to the parents, less what the screws yield."""
    W = motion.work
    for k in range(count - 1, -1, -1):
        i = first + k
        b = i * SLOTS
        S = motion_subspace(model, W, i, 0)
        A = articulated(model, W, i)
        f = load_spatial(W, b + FORCE)
        U = inertia_times(A, S)
        d = reciprocal(power(S, U) + load(motion.pivot, v + k))
        drive = (load(motion.tau, v + k) - power(S, f)) * d
        gain = U * d
        store_spatial(W, b + GAIN, gain)
        store(W, b + DRIVE, drive)
        add_to_parent(model, W, i, minus_outer(A, gain, U), f + U * drive)


@outlined
def move(model, motion, first, count, v):
    """Angular accelerations [rad/s²] of the screws."""
    W = motion.work
    for k in range(count):
        i = first + k
        b = i * SLOTS
        a = carried_acceleration(model, W, i)
        acc = load(W, b + DRIVE) - power(load_spatial(W, b + GAIN), a)
        store_spatial(W, b + MOTION, a + motion_subspace(model, W, i, 0) * acc)
        store(motion.acc, v + k, acc)


@function
def motion_subspace(model, W, i, c):
    """Turning about the body's z axis and sliding along it by the pitch [m/rad], world axes."""
    axis = load_vec3(W, i * SLOTS + FRAME + 6)
    return Spatial(axis, axis * load(model.const, i * BODY_CONSTANTS + BODY_PITCH))
