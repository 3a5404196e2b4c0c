"""Forward dynamics by the articulated-body algorithm (Featherstone, Rigid Body Dynamics Algorithms, 2008, table 7.1).

Three passes over the runs of joints, linear in the number of bodies: pass 1 outward, velocities and bias; pass 2
inward, articulated inertias; pass 3 outward, accelerations. What each does at a joint is in `gambol.dynamics.joints`.
All vectors are in world axes, about the joint of their body, so no coordinates are transformed.

Joints may be driven (their acceleration is given, their force is found): a driven joint's acceleration is added to
the bias on the way out, it hands its whole inertia on, and it adds nothing on the way back.
"""

import functools

import numpy as np

from gambol.dynamics.joints import (
    JOINTS,
    POSITIONS_OF,
    SPEEDS_OF,
    TRANSLATES_OF,
    gather_run,
    motion_subspace_of,
    move_run,
    place_run,
)
from gambol.dynamics.workspace import (
    ACCEL,
    ALPHA,
    ARM,
    COINCIDENT,
    FORCE,
    FRAME,
    LOCATED,
    MOTION,
    OMEGA,
    PLACE,
    RUN_COUNT,
    RUN_DRIVEN,
    RUN_FIRST,
    RUN_KIND,
    RUN_POSITION,
    RUN_VELOCITY,
    SLOTS,
    SPEED,
    add_to_parent,
    articulated,
    carried_acceleration,
    place_world,
    set_body,
)
from gambol.jit import function, outlined
from gambol.math.memory import (
    load_mat3,
    load_spatial,
    load_vec3,
    store_spatial,
    store_vec3,
)
from gambol.math.scalar import align_stack, load, store
from gambol.math.spatial import inertia_times, power, zero6
from gambol.math.vector import cross, zero3

ONE = np.int64(1)  # not a literal: Numba would compile every joint's loop once more for it


@function
def clear_forces(model, motion):
    """Generalised forces start from the commands, pivots from the armature."""
    for s in range(motion.tau.shape[0]):
        store(motion.tau, s, load(motion.command, s))
        store(motion.pivot, s, load(model.armature, s))


# ------------------------------------------------------------ pass 1, outward: velocities and bias
# v_i = v_λ(i) + S_i q̇_i, c_i = v_i × S_i q̇_i, p_i = v_i ×* I_i v_i; gravity is a₀ = −a_g
@function
def place_bodies(model, motion):
    """Outward: frames, velocities, and accelerations as they would be without force-driven joint accelerations."""
    align_stack(motion.work)
    place_world(model, motion.work)
    runs = model.runs
    for r in range(runs.shape[0]):
        kind, first, count, q, v = (
            runs[r, RUN_KIND],
            runs[r, RUN_FIRST],
            runs[r, RUN_COUNT],
            runs[r, RUN_POSITION],
            runs[r, RUN_VELOCITY],
        )
        if runs[r, RUN_DRIVEN]:
            place_driven(model, motion, motion.command, kind, first, count, q, v)
        else:
            place_run(kind, model, motion, first, count, q, v)


@outlined
def place_driven(model, motion, acc, kind, first, count, q, v):
    """As place_run, with the given joint accelerations added to the bias, body by body: a run may be a chain."""
    W = motion.work
    positions, speeds = POSITIONS_OF[kind], SPEEDS_OF[kind]
    for k in range(count):
        i = first + k
        b, s = i * SLOTS, v + k * speeds
        place_run(kind, model, motion, i, ONE, q + k * positions, s)
        a = zero6(load(W, 0))
        for c in range(speeds):
            a = a + motion_subspace_of(kind, model, W, i, c) * load(acc, s + c)
        set_body(
            model,
            W,
            i,
            load_mat3(W, b + FRAME),
            load_vec3(W, b + OMEGA),
            load_vec3(W, b + ALPHA) + a.ang,
            load_vec3(W, b + ACCEL) + a.lin,
        )


@function
def carried_place(model, motion, i):
    """Position and velocity of body i's joint point as its parent carries it."""
    W, spot, parent = motion.work, motion.located, model.parent[i]
    place = load_vec3(spot, parent * LOCATED + PLACE)
    speed = load_vec3(spot, parent * LOCATED + SPEED)
    if not model.flags[i] & COINCIDENT:
        arm = load_vec3(W, i * SLOTS + ARM)
        place = place + arm
        speed = speed + cross(load_vec3(W, parent * SLOTS + OMEGA), arm)
    return place, speed


@function
def locate_bodies(model, motion):
    """Positions and velocities of the bodies' origins, for force elements that need them."""
    W, spot = motion.work, motion.located
    still = zero3(load(W, 0))
    store_vec3(spot, PLACE, still)
    store_vec3(spot, SPEED, still)
    runs = model.runs
    for r in range(runs.shape[0]):
        kind, first, v = runs[r, RUN_KIND], runs[r, RUN_FIRST], runs[r, RUN_VELOCITY]
        speeds = SPEEDS_OF[kind]
        for k in range(runs[r, RUN_COUNT]):
            i = first + k
            place, speed = carried_place(model, motion, i)
            if TRANSLATES_OF[kind]:
                for c in range(speeds):
                    speed = speed + motion_subspace_of(kind, model, W, i, c).lin * load(motion.v, v + k * speeds + c)
            store_vec3(spot, i * LOCATED + PLACE, place)
            store_vec3(spot, i * LOCATED + SPEED, speed)


@outlined
def locate_turning(model, motion, first, count, v):
    """As locate_bodies, of one run of joints that do not move the origin."""
    for i in range(first, first + count):
        place, speed = carried_place(model, motion, i)
        store_vec3(motion.located, i * LOCATED + PLACE, place)
        store_vec3(motion.located, i * LOCATED + SPEED, speed)


@functools.cache
def locate_translating(kind: int):
    """As locate_bodies, of one run of joints of a kind that moves the origin."""
    speeds, subspace = JOINTS[kind].SPEEDS, JOINTS[kind].motion_subspace

    @outlined
    def locate(model, motion, first, count, v):
        for k in range(count):
            i = first + k
            place, speed = carried_place(model, motion, i)
            for c in range(speeds):
                speed = speed + subspace(model, motion.work, i, c).lin * load(motion.v, v + k * speeds + c)
            store_vec3(motion.located, i * LOCATED + PLACE, place)
            store_vec3(motion.located, i * LOCATED + SPEED, speed)

    return locate


# ------------------------------------------------------------ pass 2, inward: articulated inertias and bias forces
# U_i = I_i^A S_i, D_i = S_iᵀ U_i, u_i = τ_i − S_iᵀ p_i^A; I_λ^A += I_i^A − U_i D_i⁻¹ U_iᵀ, and likewise p_λ^A
@function
def gather_bodies(model, motion):
    """Inward: articulated inertias and forces."""
    runs = model.runs
    for r in range(runs.shape[0] - 1, -1, -1):
        if runs[r, RUN_DRIVEN]:
            gather_driven(model, motion, runs[r, RUN_FIRST], runs[r, RUN_COUNT])
        else:
            gather_run(runs[r, RUN_KIND], model, motion, runs[r, RUN_FIRST], runs[r, RUN_COUNT], runs[r, RUN_VELOCITY])


@outlined
def gather_driven(model, motion, first, count):
    """Hands whole inertia and force of driven joints to the parents: they yield to nothing."""
    W = motion.work
    for k in range(count - 1, -1, -1):
        b = (first + k) * SLOTS
        add_to_parent(model, W, first + k, articulated(model, W, first + k), load_spatial(W, b + FORCE))


# ------------------------------------------------------------ pass 3, outward: accelerations
# a' = a_λ(i) + c_i, q̈_i = D_i⁻¹ (u_i − U_iᵀ a'), a_i = a' + S_i q̈_i
@function
def move_bodies(model, motion):
    """Outward: joint accelerations; at driven joints the forces that the given motion needs."""
    runs = model.runs
    store_spatial(motion.work, MOTION, zero6(load(motion.work, 0)))
    for r in range(runs.shape[0]):
        if runs[r, RUN_DRIVEN]:
            move_driven(model, motion, runs[r, RUN_KIND], runs[r, RUN_FIRST], runs[r, RUN_COUNT], runs[r, RUN_VELOCITY])
        else:
            move_run(runs[r, RUN_KIND], model, motion, runs[r, RUN_FIRST], runs[r, RUN_COUNT], runs[r, RUN_VELOCITY])


@outlined
def move_driven(model, motion, kind, first, count, v):
    """Accelerations are as commanded; tau becomes the force of the drive: what the motion needs beyond elements."""
    W = motion.work
    speeds = SPEEDS_OF[kind]
    for k in range(count):
        i = first + k
        b = i * SLOTS
        a = carried_acceleration(model, W, i)
        f = inertia_times(articulated(model, W, i), a) + load_spatial(W, b + FORCE)
        store_spatial(W, b + MOTION, a)
        for c in range(speeds):
            s = v + k * speeds + c
            acc = load(motion.command, s)
            store(motion.acc, s, acc)
            elements = load(motion.tau, s) - acc  # tau began as the command
            needed = power(motion_subspace_of(kind, model, W, i, c), f) + load(motion.pivot, s) * acc
            store(motion.tau, s, needed - elements)
