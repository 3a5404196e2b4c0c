"""Hinge: turns about its own z axis."""

from gambol.dynamics.joints.line import difference_line, integrate_line, tangent_rate_line
from gambol.dynamics.workspace import (
    DRIVE,
    FOLLOWS,
    FORCE,
    FRAME,
    GAIN,
    HANDS_ON,
    IN_HAND,
    INERTIA,
    MOTION,
    SHARED_INERTIA,
    SLOTS,
    acceleration_at,
    articulated,
    at_parent,
    parent_motion,
    set_body,
    store_at_parent,
    with_own,
)
from gambol.jit import function
from gambol.math.memory import keeps_in_hand, load_inertia, load_spatial, load_vec3, store_spatial
from gambol.math.scalar import load, reciprocal, sincos_of_run, store
from gambol.math.spatial import (
    Spatial,
    add_inertias,
    minus_outer,
    no_inertia,
    power,
    times_rotation,
    zero6,
)
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
    hanging, pull = no_inertia(load(W, 0)), zero6(load(W, 0))
    for k in range(count - 1, -1, -1):
        i = first + k
        b, flags = i * SLOTS, load(model.flags, i)
        axis = load_vec3(W, b + FRAME + 6)
        f = load_spatial(W, b + FORCE)
        if keeps_in_hand(W) and flags & IN_HAND:
            if flags & SHARED_INERTIA:
                hanging = add_inertias(hanging, load_inertia(W, b + INERTIA))
            A, f = with_own(model, W, i, hanging), f + pull
        else:
            A = articulated(model, W, i)
        U = times_rotation(A, axis)
        d = reciprocal(dot(axis, U.ang) + load(motion.pivot, v + k))
        drive = (load(motion.tau, v + k) - dot(axis, f.ang)) * d
        gain = U * d
        store_spatial(W, b + GAIN, gain)
        store(W, b + DRIVE, drive)
        hanging, pull = at_parent(model, W, i, minus_outer(A, gain, U), f + U * drive)
        if not (keeps_in_hand(W) and flags & HANDS_ON):
            store_at_parent(model, W, i, hanging, pull)


@function
def move(model, motion, first, count, v):
    """Angular accelerations [rad/s²] about the axes."""
    W = motion.work
    a = zero6(load(W, 0))
    for k in range(count):
        i = first + k
        b = i * SLOTS
        if not (keeps_in_hand(W) and load(model.flags, i) & FOLLOWS):
            a = load_spatial(W, load(model.parent, i) * SLOTS + MOTION)
        a = acceleration_at(model, W, i, a)
        acc = load(W, b + DRIVE) - power(load_spatial(W, b + GAIN), a)
        axis = load_vec3(W, b + FRAME + 6)
        a = Spatial(a.ang + axis * acc, a.lin)
        store_spatial(W, b + MOTION, a)
        store(motion.acc, v + k, acc)


@function
def motion_subspace(model, W, i, c):
    """Turning about the body's z axis, world axes."""
    axis = load_vec3(W, i * SLOTS + FRAME + 6)
    return Spatial(axis, zero3(axis.x))
