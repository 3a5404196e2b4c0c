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
    load_mat3,
    load_spatial,
    load_sym3,
    load_vec3,
    store_inertia,
    store_mat3,
    store_spatial,
    store_vec3,
)
from gambol.math.scalar import constant, load, store
from gambol.math.spatial import Inertia, Spatial, force_from, inertia_from, motion_at, spin_matrix
from gambol.math.vector import Mat3, Sym3, cross, identity3, product, rotated, skew, zero3

# Slots of one body in the workspace
FRAME, ARM, OMEGA, ALPHA, ACCEL, SPIN = 0, 9, 12, 15, 18, 21
INERTIA, FORCE, SLOTS = 30, 51, 57
GAIN, DRIVE, MOTION = INERTIA, INERTIA + 12, OMEGA  # later passes reuse the room
# Slots of one body's constants
TURN, OFFSET, MASS, MOMENT, TENSOR, PITCH, CONSTANTS = 0, 9, 12, 13, 16, 22, 23
# Slots of one body's place: position and velocity of its joint's point
PLACE, SPEED, SPOT = 0, 3, 6
ROOM = 8  # spare numbers of a motion
# Flags of a body; CYCLED: its frame is its parent's with the axes taken in turn (once, twice), which costs nothing
ALIGNED, MASSLESS, COINCIDENT, CYCLED, CYCLED_TWICE = 1, 2, 4, 8, 16
# Columns of the run table
KIND, FIRST, COUNT, POSITION, VELOCITY, DRIVEN, RUN = 0, 1, 2, 3, 4, 5, 6


class Model(NamedTuple):
    """What stays the same. One row a body; bodies are sorted into runs of equal joint type, parents first."""

    parent: np.ndarray  # int[n]
    flags: np.ndarray  # int[n]
    const: np.ndarray  # number[n * CONSTANTS]: turn 9, offset 3, mass, mass*centre 3, inertia 6, pitch
    runs: np.ndarray  # int[r, RUN]: joint type, first body, bodies, first position, first speed, driven
    gravity: np.ndarray  # number[3], world axes [m/s²]
    armature: np.ndarray  # number[nv]: inertia added at a joint coordinate [kg·m² or kg]
    elements: np.ndarray  # int[e, ELEMENT]: force elements in runs (see forces.registry)
    indices: np.ndarray  # int[...]: what each element acts on
    params: np.ndarray  # number[...]: the terrain's block, then the parameters of the elements
    tables: np.ndarray  # plain number[...]: profiles of motor ramps, heights of a terrain's grid
    programs: np.ndarray  # int[PROGRAMS]: addresses of the compiled code of the elements
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
    spot: np.ndarray  # SPOT a body
    spare: np.ndarray  # ROOM numbers to work with


@function
def set_body(model, W, i, frame, omega, alpha, accel):
    """Stores a body's motion (as it would be without joint accelerations), its inertia and inertial force."""
    b = i * SLOTS
    zero = constant(omega.x, 0.0)
    spin = spin_matrix(omega, alpha)
    store_mat3(W, b + FRAME, frame)
    store_vec3(W, b + OMEGA, omega)
    store_vec3(W, b + ALPHA, alpha)
    store_vec3(W, b + ACCEL, accel)
    store_mat3(W, b + SPIN, spin)
    if load(model.flags, i) & MASSLESS:
        for k in range(INERTIA, SLOTS):
            store(W, b + k, zero)
    else:
        C, c = model.const, i * CONSTANTS
        mass = load(C, c + MASS)
        moment = frame @ load_vec3(C, c + MOMENT)
        I = rotated(frame, load_sym3(C, c + TENSOR))
        m = zero + mass
        store_inertia(W, b + INERTIA, Inertia(I, skew(moment, zero), Sym3(m, m, m, zero, zero, zero)))
        store_spatial(
            W,
            b + FORCE,
            Spatial(I @ alpha + cross(omega, I @ omega) + cross(moment, accel), accel * mass + spin @ moment),
        )


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
    return product(frame, load_mat3(model.const, i * CONSTANTS + TURN))


@function
def parent_motion(model, W, i):
    """Frame of body i before its joint turns it, acceleration of the joint's point, omega, alpha; stores the arm."""
    C, c, parent = model.const, i * CONSTANTS, load(model.parent, i) * SLOTS
    frame = load_mat3(W, parent + FRAME)
    accel = load_vec3(W, parent + ACCEL)
    if not load(model.flags, i) & COINCIDENT:
        arm = frame @ load_vec3(C, c + OFFSET)
        accel = accel + load_mat3(W, parent + SPIN) @ arm
        store_vec3(W, i * SLOTS + ARM, arm)
    frame = turned_frame(model, i, frame)
    return frame, accel, load_vec3(W, parent + OMEGA), load_vec3(W, parent + ALPHA)


@function
def base_frame(model, W, i):
    """Frame of body i before its joint moves it."""
    return turned_frame(model, i, load_mat3(W, load(model.parent, i) * SLOTS + FRAME))


@function
def pass_on(model, W, i, A, f):
    """Adds what is felt through joint i to the parent's inertia and force."""
    b, parent = i * SLOTS, load(model.parent, i) * SLOTS
    if not load(model.flags, i) & COINCIDENT:
        arm = load_vec3(W, b + ARM)
        A = inertia_from(A, arm)
        f = force_from(f, arm)
    add_inertia(W, parent + INERTIA, A)
    add_spatial(W, parent + FORCE, f)


@function
def pass_force(model, W, i, f):
    """Adds a force felt through joint i to the parent's."""
    if not load(model.flags, i) & COINCIDENT:
        f = force_from(f, load_vec3(W, i * SLOTS + ARM))
    add_spatial(W, load(model.parent, i) * SLOTS + FORCE, f)


@function
def carried_acceleration(model, W, i):
    """Acceleration of body i's joint point that its parent's joints cause."""
    a = load_spatial(W, load(model.parent, i) * SLOTS + MOTION)
    if not load(model.flags, i) & COINCIDENT:
        a = motion_at(a, load_vec3(W, i * SLOTS + ARM))
    return a
