"""Free: all six ways. Position 3 and unit quaternion; speeds are angular then linear, in the axes of its base.

For a figure's root the base is the world, so the speeds are in world axes.
"""

from gambol.dynamics.workspace import (
    ACCEL,
    ALPHA,
    ARM,
    BODY_CONSTANTS,
    BODY_OFFSET,
    FORCE,
    FRAME,
    MOTION,
    OMEGA,
    SLOTS,
    add_force_to_parent,
    articulated,
    base_frame,
    carried_acceleration,
    set_body,
)
from gambol.jit import function, outlined
from gambol.math.memory import (
    load_mat3,
    load_quat,
    load_spatial,
    load_vec3,
    store_quat,
    store_spatial,
    store_vec3,
)
from gambol.math.rotation import conjugate, exp_rate, frame_of, quat_product, rotation_vector, turned
from gambol.math.spatial import Spatial, free_acceleration, spin_matrix
from gambol.math.vector import cross, product, transposed_times, zero3

KIND, NAME, POSITIONS, SPEEDS, TRANSLATES = 4, "free", 7, 6, True
ADDS_INERTIA, IN_BASE_AXES = False, True


@outlined
def place(model, motion, first, count, q, v):
    """Frames from position [m] and quaternion in the parent's axes, velocities and bias accelerations."""
    W = motion.work
    for k in range(count):
        i = first + k
        parent = model.parent[i] * SLOTS
        base = base_frame(model, W, i)
        arm = load_mat3(W, parent + FRAME) @ load_vec3(model.const, i * BODY_CONSTANTS + BODY_OFFSET)
        arm = arm + base @ load_vec3(motion.q, q + 7 * k)
        frame = product(base, frame_of(load_quat(motion.q, q + 7 * k + 3)))
        omega, alpha = load_vec3(W, parent + OMEGA), load_vec3(W, parent + ALPHA)
        turning = base @ load_vec3(motion.v, v + 6 * k)
        drag = cross(omega, base @ load_vec3(motion.v, v + 6 * k + 3))
        accel = load_vec3(W, parent + ACCEL) + spin_matrix(omega, alpha) @ arm + drag + drag
        store_vec3(W, i * SLOTS + ARM, arm)
        set_body(model, W, i, frame, omega + turning, alpha + cross(omega, turning), accel)


@outlined
def gather(model, motion, first, count, v):
    """Hands on nothing but the joint's own force."""
    W = motion.work
    for k in range(count - 1, -1, -1):
        i = first + k
        add_force_to_parent(model, W, i, _force(model, motion, i, v + 6 * k))


@function
def _force(model, motion, i, v):
    base = base_frame(model, motion.work, i)
    return Spatial(base @ load_vec3(motion.tau, v), base @ load_vec3(motion.tau, v + 3))


@outlined
def move(model, motion, first, count, v):
    """Accelerations [rad/s², m/s²] in the axes before the joint, from force and articulated inertia alone."""
    W = motion.work
    for k in range(count):
        i = first + k
        b = i * SLOTS
        base = base_frame(model, W, i)
        f = load_spatial(W, b + FORCE) - _force(model, motion, i, v + 6 * k)
        a = free_acceleration(articulated(model, W, i), f)
        relative = a - carried_acceleration(model, W, i)
        store_vec3(motion.acc, v + 6 * k, transposed_times(base, relative.ang))
        store_vec3(motion.acc, v + 6 * k + 3, transposed_times(base, relative.lin))
        store_spatial(W, b + MOTION, a)


@function
def motion_subspace(model, W, i, c):
    """Turning about (c < 3) or sliding along (c ≥ 3) an axis of the frame before the joint, world axes."""
    base = base_frame(model, W, i)
    axis = base.x
    if c % 3 == 1:
        axis = base.y
    elif c % 3 == 2:
        axis = base.z
    zero = zero3(axis.x)
    if c < 3:
        return Spatial(axis, zero)
    return Spatial(zero, axis)


@function
def integrate(q, k, base, d, j):
    """Position moved [m], quaternion turned by a rotation vector [rad] in the axes before the joint."""
    store_vec3(q, k, load_vec3(base, k) + load_vec3(d, j + 3))
    store_quat(q, k + 3, turned(load_quat(base, k + 3), load_vec3(d, j)))


@function
def tangent_rate(out, j, d, v, s):
    """Rates of rotation vector and displacement at an angular velocity [rad/s] and a velocity [m/s]."""
    store_vec3(out, j, exp_rate(load_vec3(d, j), load_vec3(v, s)))
    store_vec3(out, j + 3, load_vec3(v, s + 3))


@function
def difference(out, j, a, b, k):
    """Rotation vector [rad] and displacement [m] from b to a, in the axes before the joint."""
    store_vec3(out, j, rotation_vector(quat_product(load_quat(a, k + 3), conjugate(load_quat(b, k + 3)))))
    store_vec3(out, j + 3, load_vec3(a, k) - load_vec3(b, k))
