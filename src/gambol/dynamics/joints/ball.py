"""Ball: position is a unit quaternion (body to parent axes), speeds are the angular velocity in body axes."""

from gambol.dynamics.workspace import (
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
from gambol.jit import function, outlined
from gambol.math.memory import (
    load_mat3,
    load_quat,
    load_spatial,
    load_vec3,
    store_mat3,
    store_quat,
    store_spatial,
    store_vec3,
)
from gambol.math.rotation import conjugate, exp_rate, frame_of, quat_product, rotation_vector, turned_locally
from gambol.math.scalar import constant
from gambol.math.spatial import Inertia, Spatial
from gambol.math.vector import (
    Sym3,
    columns,
    cross,
    dot,
    inverse,
    product,
    rotated,
    transposed_times,
    zero3,
)

KIND, NAME, POSITIONS, SPEEDS, TRANSLATES = 3, "ball", 4, 3, False


@outlined
def place(model, motion, first, count, q, v):
    """Frames turned by the quaternions, rates and bias accelerations, world axes."""
    W = motion.work
    for k in range(count):
        i = first + k
        frame, accel, omega, alpha = parent_motion(model, W, i)
        frame = product(frame, frame_of(load_quat(motion.q, q + 4 * k)))
        turning = frame @ load_vec3(motion.v, v + 3 * k)
        set_body(model, W, i, frame, omega + turning, alpha + cross(omega, turning), accel)


@outlined
def gather(model, motion, first, count, v):
    """A ball hands on no torque but the motor's: what is left of the inertia is M - HT I^-1 H.

    With an impedance P at the joint the torque handed on is that of I acting through P in series, so the
    general form is kept: the parent feels (I - I (I+P)^-1 I) = P (I+P)^-1 I.
    """
    W = motion.work
    for k in range(count - 1, -1, -1):
        i = first + k
        b = i * SLOTS
        frame = load_mat3(W, b + FRAME)
        A = articulated(model, W, i)
        f = load_spatial(W, b + FORCE)
        torque = frame @ load_vec3(motion.tau, v + 3 * k)
        p = load_vec3(motion.pivot, v + 3 * k)
        zero = constant(p.x, 0.0)
        P = rotated(frame, Sym3(p.x, p.y, p.z, zero, zero, zero))
        Dinv = inverse(A.I + P)
        G = product(columns(Dinv), A.H)
        drive = Dinv @ (torque - f.ang)
        # turning of the parent, seen through the impedance: (I+P)^-1 I = 1 - (I+P)^-1 P
        E = product(columns(Dinv), columns(P))
        store_mat3(W, b + GAIN, G)
        store_vec3(W, b + GAIN + 9, drive)
        store_mat3(W, b + GAIN + 12, E)
        H = A.H
        M = A.M - Sym3(dot(H.x, G.x), dot(H.y, G.y), dot(H.z, G.z), dot(H.x, G.y), dot(H.x, G.z), dot(H.y, G.z))
        PE = product(columns(P), E)
        I = P - Sym3(PE.x.x, PE.y.y, PE.z.z, PE.y.x, PE.z.x, PE.z.y)
        N = product(columns(P), G)  # what is left of H
        f = Spatial(torque - P @ drive, f.lin + transposed_times(H, drive))
        add_to_parent(model, W, i, Inertia(I, N, M), f)


@outlined
def move(model, motion, first, count, v):
    """Angular accelerations [rad/s²] in body axes."""
    W = motion.work
    for k in range(count):
        i = first + k
        b = i * SLOTS
        a = carried_acceleration(model, W, i)
        ang = load_vec3(W, b + GAIN + 9) - load_mat3(W, b + GAIN) @ a.lin + load_mat3(W, b + GAIN + 12) @ a.ang
        # the change of the rate in body axes; the axes' own turning was in the bias already
        store_vec3(motion.acc, v + 3 * k, transposed_times(load_mat3(W, b + FRAME), ang - a.ang))
        store_spatial(W, b + MOTION, Spatial(ang, a.lin))


@function
def motion_subspace(model, W, i, c):
    """Turning about the body's axis c, world axes."""
    axis = load_vec3(W, i * SLOTS + FRAME + 3 * c)
    return Spatial(axis, zero3(axis.x))


@function
def integrate(q, k, base, d, j):
    """The quaternion turned by a rotation vector [rad] in body axes."""
    store_quat(q, k, turned_locally(load_quat(base, k), load_vec3(d, j)))


@function
def tangent_rate(out, j, d, v, s):
    """Rate of the rotation vector at an angular velocity [rad/s] in body axes."""
    store_vec3(out, j, exp_rate(-load_vec3(d, j), load_vec3(v, s)))


@function
def difference(out, j, a, b, k):
    """Rotation vector [rad], body axes, from quaternion b to a."""
    store_vec3(out, j, rotation_vector(quat_product(conjugate(load_quat(b, k)), load_quat(a, k))))
