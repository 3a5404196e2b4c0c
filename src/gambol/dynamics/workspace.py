"""The arrays that kernels work on, and where each thing lies in them.

A `Model` is what stays the same (shared by all worlds, or one per pack lane where given as packs); a `Motion` is one
world, or one pack of worlds, in motion. Body 0 is the world itself: it never moves and carries gravity.
All vectors are in world axes; a body's reference point is its joint.
"""

from typing import NamedTuple

import numpy as np

from gambol.jit import function
from gambol.math.memory import (
    add_inertia,
    add_spatial,
    load_inertia,
    load_mat3,
    load_spatial,
    load_sym3,
    load_vec3,
    store_inertia,
    store_mat3,
    store_spatial,
    store_sym3,
    store_vec3,
)
from gambol.math.scalar import constant, load, store
from gambol.math.spatial import Inertia, Spatial, force_from, inertia_from, motion_at, spin_matrix
from gambol.math.vector import Mat3, Sym3, Vec3, cross, dot, identity3, product, rows, skew, zero3

# Slots of one body in the workspace
# TURNED, LEVER: its own tensor and mass·centre; INERTIA: of what hangs on it (see HAS_CHILD_INERTIA)
FRAME, ARM, OMEGA, ALPHA, ACCEL, TURNED, LEVER, FORCE, INERTIA, SLOTS = 0, 9, 12, 15, 18, 21, 27, 30, 36, 57
GAIN, DRIVE, MOTION = TURNED, TURNED + 12, OMEGA  # later passes reuse the room
# Slots of one body's constants; the tensor is zz, xx - zz, yy - zz, xy, xz, yz
BODY_TURN, BODY_OFFSET, BODY_MASS, BODY_MOMENT, BODY_TENSOR, BODY_PITCH, BODY_CONSTANTS = 0, 9, 12, 13, 16, 22, 23
# Slots of one body's place: position and velocity of its joint's point
PLACE, SPEED, LOCATED = 0, 3, 6
SPARE_NUMBERS = 12  # spare numbers of a motion; the last four are for forces.watch
REST, FINE, SLACK, REACHED = 8, 9, 10, 11
# Flags of a body; CYCLED: its frame is its parent's with the axes taken in turn (once, twice), which costs nothing
ALIGNED, MASSLESS, COINCIDENT, CYCLED, CYCLED_TWICE = 1, 2, 4, 8, 16
# How its mass lies: ROUND: a ball about its joint (or nothing); DIAGONAL: no products of inertia
ROUND, DIAGONAL = 32, 64
# Who writes INERTIA, the articulated inertia of what hangs on a body:
HAS_CHILD_INERTIA = 128  # something does: it is read
FIRST_TO_ADD = 256  # this body is the first to add to its parent's, and stores instead
SHARED_INERTIA = 512  # force elements may add too: it starts from zero, and nobody is the first
# Along a chain, what one body needs of the one before it stays in hand (see math.memory.keeps_in_hand):
FOLLOWS = 1024  # the body before it in its run is its parent
HANDS_ON = 2048  # … whose only child it is: it hands inertia and force on to it, and stores nothing there
IN_HAND = 4096  # what hangs on it comes from the body after it
# Columns of the run table
RUN_KIND, RUN_FIRST, RUN_COUNT, RUN_POSITION, RUN_VELOCITY, RUN_DRIVEN, RUN_COLUMNS = 0, 1, 2, 3, 4, 5, 6


class Model(NamedTuple):
    """What stays the same. One row a body; bodies are sorted into runs of equal joint type, parents first."""

    parent: np.ndarray  # int[n]
    flags: np.ndarray  # int[n]
    const: np.ndarray  # number[n * BODY_CONSTANTS]: turn 9, offset 3, mass, mass*centre 3, tensor 6, pitch
    runs: np.ndarray  # int[r, RUN_COLUMNS]: joint type, first body, bodies, first position, first speed, driven
    gravity: np.ndarray  # number[3], world axes [m/s²]
    armature: np.ndarray  # number[nv]: inertia added at a joint coordinate [kg·m² or kg]
    elements: np.ndarray  # int[e, ELEMENT]: force elements in runs (see forces.registry)
    indices: np.ndarray  # int[...]: what each element acts on
    params: np.ndarray  # number[...]: the terrain's block, then the parameters of the elements
    tables: np.ndarray  # plain number[...]: profiles of motor ramps, heights of a terrain's grid
    programs: np.ndarray  # int[c, PROGRAM]: addresses of the compiled code of the elements (see forces.programs)
    boundaries: np.ndarray  # int[nb, 2]: kind of each boundary and what it watches (see world.boundary)
    marks: np.ndarray  # number[nb * MARK]: its parameters


class Motion(NamedTuple):
    """One world (or pack of worlds): state, commands, results and room to work."""

    state: np.ndarray  # q, v, z one after the other; the next three are views of it
    q: np.ndarray  # positions
    v: np.ndarray  # speeds
    z: np.ndarray  # other integrated quantities: work of each ledger line [J], internal states of elements
    command: np.ndarray  # held generalised forces; at driven joints: held accelerations
    tau: np.ndarray  # generalised forces, command and elements together
    pivot: np.ndarray  # inertia and implicit impedance added at joint coordinates
    acc: np.ndarray  # joint accelerations
    zrate: np.ndarray  # rates of z
    work: np.ndarray  # SLOTS a body
    located: np.ndarray  # LOCATED a body
    spare: np.ndarray  # SPARE_NUMBERS numbers to work with


@function
def set_body(model, W, i, frame, omega, alpha, accel):
    """Stores a body's motion (as it would be without joint accelerations), its own inertia and inertial force."""
    b, flags = i * SLOTS, load(model.flags, i)
    C, c = model.const, i * BODY_CONSTANTS
    store_mat3(W, b + FRAME, frame)
    store_vec3(W, b + OMEGA, omega)
    store_vec3(W, b + ALPHA, alpha)
    store_vec3(W, b + ACCEL, accel)
    if flags & SHARED_INERTIA:
        zero = constant(omega.x, 0.0)
        for k in range(INERTIA, INERTIA + 21):
            store(W, b + k, zero)
    mass = load(C, c + BODY_MASS)
    if flags & ROUND:
        store_spatial(W, b + FORCE, Spatial(alpha * load(C, c + BODY_TENSOR), accel * mass))
    else:
        moment = frame @ load_vec3(C, c + BODY_MOMENT)
        I = turned_tensor(frame, C, c, flags)
        store_sym3(W, b + TURNED, I)
        store_vec3(W, b + LEVER, moment)
        ang = I @ alpha + cross(omega, I @ omega) + cross(moment, accel)
        store_spatial(W, b + FORCE, Spatial(ang, accel * mass + spin_matrix(omega, alpha) @ moment))


@function
def turned_tensor(R, C, c, flags):
    """R T RT for the tensor T = base 1 + [[a, d, e], [d, b, f], [e, f, 0]]; its trace does not change."""
    base, a, b = load(C, c + BODY_TENSOR), load(C, c + BODY_TENSOR + 1), load(C, c + BODY_TENSOR + 2)
    x, y, z = rows(R)
    if flags & DIAGONAL:
        xa, xb, ya, yb = x.x * a, x.y * b, y.x * a, y.y * b
        xx, yy = x.x * xa + x.y * xb, y.x * ya + y.y * yb
        xy, xz, yz = y.x * xa + y.y * xb, z.x * xa + z.y * xb, z.x * ya + z.y * yb
    else:
        d, e, f = load(C, c + BODY_TENSOR + 3), load(C, c + BODY_TENSOR + 4), load(C, c + BODY_TENSOR + 5)
        tx = Vec3(x.x * a + x.y * d + x.z * e, x.x * d + x.y * b + x.z * f, x.x * e + x.y * f)
        ty = Vec3(y.x * a + y.y * d + y.z * e, y.x * d + y.y * b + y.z * f, y.x * e + y.y * f)
        xx, yy = dot(x, tx), dot(y, ty)
        xy, xz, yz = dot(y, tx), dot(z, tx), dot(z, ty)
    return Sym3(xx + base, yy + base, a + b + base - xx - yy, xy, xz, yz)


@function
def articulated(model, W, i):
    """Inertia of body i with all that hangs on it, about its joint."""
    b, flags = i * SLOTS, load(model.flags, i)
    m = load(model.const, i * BODY_CONSTANTS + BODY_MASS)
    if not flags & HAS_CHILD_INERTIA:
        I, h = load_sym3(W, b + TURNED), load_vec3(W, b + LEVER)
        zero = constant(h.x, 0.0)
        m = zero + m
        return Inertia(I, skew(h, zero), Sym3(m, m, m, zero, zero, zero))
    return with_own(model, W, i, load_inertia(W, b + INERTIA))


@function
def with_own(model, W, i, A):
    """Inertia of body i and of what hangs on it, A, about its joint."""
    b, m = i * SLOTS, load(model.const, i * BODY_CONSTANTS + BODY_MASS)
    if load(model.flags, i) & ROUND:
        t = load(model.const, i * BODY_CONSTANTS + BODY_TENSOR)
        I = Sym3(A.I.xx + t, A.I.yy + t, A.I.zz + t, A.I.xy, A.I.xz, A.I.yz)
        return Inertia(I, A.H, Sym3(A.M.xx + m, A.M.yy + m, A.M.zz + m, A.M.xy, A.M.xz, A.M.yz))
    I, h = load_sym3(W, b + TURNED), load_vec3(W, b + LEVER)
    H = Mat3(
        Vec3(A.H.x.x, A.H.x.y + h.z, A.H.x.z - h.y),
        Vec3(A.H.y.x - h.z, A.H.y.y, A.H.y.z + h.x),
        Vec3(A.H.z.x + h.y, A.H.z.y - h.x, A.H.z.z),
    )
    return Inertia(A.I + I, H, Sym3(A.M.xx + m, A.M.yy + m, A.M.zz + m, A.M.xy, A.M.xz, A.M.yz))


@function
def place_world(model, W):
    """Body 0: at rest in a frame that accelerates upward, which is how gravity enters."""
    like = load(W, 0)
    g = load_vec3(model.gravity, 0)
    rest = zero3(like)
    set_body(model, W, 0, identity3(like), rest, rest, rest - g)


@function
def turned_frame(model, i, frame):
    """Frame of body i before its joint moves it, from its parent's."""
    flags = load(model.flags, i)
    if flags & ALIGNED:
        return frame
    if flags & CYCLED:
        return Mat3(frame.z, frame.x, frame.y)
    if flags & CYCLED_TWICE:
        return Mat3(frame.y, frame.z, frame.x)
    return product(frame, load_mat3(model.const, i * BODY_CONSTANTS + BODY_TURN))


@function
def parent_motion(model, W, i):
    """Frame of body i before its joint turns it, acceleration of the joint's point, omega, alpha; stores the arm."""
    C, c, parent = model.const, i * BODY_CONSTANTS, load(model.parent, i) * SLOTS
    frame = load_mat3(W, parent + FRAME)
    accel = load_vec3(W, parent + ACCEL)
    omega, alpha = load_vec3(W, parent + OMEGA), load_vec3(W, parent + ALPHA)
    if not load(model.flags, i) & COINCIDENT:
        arm = frame @ load_vec3(C, c + BODY_OFFSET)
        accel = accel + spin_matrix(omega, alpha) @ arm
        store_vec3(W, i * SLOTS + ARM, arm)
    frame = turned_frame(model, i, frame)
    return frame, accel, omega, alpha


@function
def base_frame(model, W, i):
    """Frame of body i before its joint moves it."""
    return turned_frame(model, i, load_mat3(W, load(model.parent, i) * SLOTS + FRAME))


@function
def add_to_parent(model, W, i, A, f):
    """Adds what is felt through joint i to the parent's inertia and force."""
    store_at_parent(model, W, i, *at_parent(model, W, i, A, f))


@function
def at_parent(model, W, i, A, f):
    """Inertia and force felt through joint i, about the parent's joint."""
    if load(model.flags, i) & COINCIDENT:
        return A, f
    arm = load_vec3(W, i * SLOTS + ARM)
    return inertia_from(A, arm), force_from(f, arm)


@function
def store_at_parent(model, W, i, A, f):
    """Adds these to the parent's inertia and force."""
    parent = load(model.parent, i) * SLOTS
    if load(model.flags, i) & FIRST_TO_ADD:
        store_inertia(W, parent + INERTIA, A)
    else:
        add_inertia(W, parent + INERTIA, A)
    add_spatial(W, parent + FORCE, f)


@function
def add_force_to_parent(model, W, i, f):
    """Adds a force felt through joint i to the parent's."""
    if not load(model.flags, i) & COINCIDENT:
        f = force_from(f, load_vec3(W, i * SLOTS + ARM))
    add_spatial(W, load(model.parent, i) * SLOTS + FORCE, f)


@function
def carried_acceleration(model, W, i):
    """Acceleration of body i's joint point that its parent's joints cause."""
    return acceleration_at(model, W, i, load_spatial(W, load(model.parent, i) * SLOTS + MOTION))


@function
def acceleration_at(model, W, i, a):
    """The same, with the parent's in hand."""
    return a if load(model.flags, i) & COINCIDENT else motion_at(a, load_vec3(W, i * SLOTS + ARM))
