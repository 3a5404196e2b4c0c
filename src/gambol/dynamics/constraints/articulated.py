"""The articulated-body recursion kept apart joint by joint, so that test forces cost one pass of forces each.

Every joint is taken as a sequence of single speeds with the joint's own columns S. Inward, `factor` eliminates them one
after the other: ease = 1 / (S·A S + pivot), gain = A S · ease, A ← A − gain (A S)ᵀ; `push` is what is left of the
force at a speed. This is the factorisation M = (1 + gainᵀ…) diag(1/ease) (…)ᵀ without ever forming M. A driven speed is
not eliminated: its ease is 0.
"""

from gambol.dynamics.joints import SPEEDS_OF, motion_subspace_of
from gambol.dynamics.workspace import ARM, COINCIDENT, FORCE, MOTION, SLOTS, add_to_parent, articulated
from gambol.jit import function, outlined
from gambol.math.memory import load_spatial, load_vec3, store_spatial
from gambol.math.spatial import force_from, inertia_times, minus_outer, motion_at, power, zero6


@outlined
def factor(model, constrained):
    """Inward: inertia and force felt at every speed. Leaves articulated inertias and forces in the workspace."""
    world, motion, joints = model.world, constrained.world, model.constraints.joints
    W = motion.work
    for i in range(world.parent.shape[0] - 1, 0, -1):
        b, kind, v, driven = i * SLOTS, joints[i, 0], joints[i, 1], joints[i, 2]
        A = articulated(world, W, i)
        f = load_spatial(W, b + FORCE)
        for c in range(SPEEDS_OF[kind]):
            s = v + c
            S = motion_subspace_of(kind, world, W, i, c)
            store_spatial(constrained.column, 6 * s, S)
            if driven:
                constrained.ease[s] = 0.0
                store_spatial(constrained.gain, 6 * s, zero6(0.0))
                continue
            U = inertia_times(A, S)
            ease = 1.0 / (power(S, U) + motion.pivot[s])
            gain = U * ease
            push = motion.tau[s] - power(S, f)
            constrained.ease[s] = ease
            constrained.push[s] = push
            store_spatial(constrained.gain, 6 * s, gain)
            A = minus_outer(A, gain, U)
            f = f + gain * push
        add_to_parent(world, W, i, A, f)


@function
def sweep(model, constrained, body, f, row, nv):
    """Adds to reach[row] what the wrench f on `body` (at its origin, world axes) does at every speed below it."""
    world, joints = model.world, model.constraints.joints
    i = body
    while i > 0:
        kind, v = joints[i, 0], joints[i, 1]
        for c in range(SPEEDS_OF[kind]):
            s = v + c
            p = power(load_spatial(constrained.column, 6 * s), f)
            constrained.reach[row * nv + s] += p
            f = f - load_spatial(constrained.gain, 6 * s) * p
        if not world.flags[i] & COINCIDENT:
            f = force_from(f, load_vec3(constrained.world.work, i * SLOTS + ARM))
        i = world.parent[i]


@outlined
def spread(model, constrained, push, out, drives):
    """Outward: joint accelerations for the pushes; `drives`: driven speeds move as commanded, their force is found.

    The workspace's slot for a body's motion is used, so nothing may need its angular velocity any more.
    """
    world, motion, joints = model.world, constrained.world, model.constraints.joints
    W = motion.work
    store_spatial(W, MOTION, zero6(0.0))
    for i in range(1, world.parent.shape[0]):
        kind, v, driven = joints[i, 0], joints[i, 1], joints[i, 2]
        a = load_spatial(W, world.parent[i] * SLOTS + MOTION)
        if not world.flags[i] & COINCIDENT:
            a = motion_at(a, load_vec3(W, i * SLOTS + ARM))
        for c in range(SPEEDS_OF[kind] - 1, -1, -1):
            s = v + c
            if driven:
                out[s] = motion.command[s] if drives else 0.0  # already in the bias
                continue
            out[s] = push[s] * constrained.ease[s] - power(load_spatial(constrained.gain, 6 * s), a)
            a = a + load_spatial(constrained.column, 6 * s) * out[s]
        store_spatial(W, i * SLOTS + MOTION, a)
        if driven and drives:
            f = inertia_times(articulated(world, W, i), a) + load_spatial(W, i * SLOTS + FORCE)
            for c in range(SPEEDS_OF[kind]):
                find_drive(model, constrained, v + c, power(load_spatial(constrained.column, 6 * (v + c)), f))


@function
def find_drive(model, constrained, s, needed):
    """The force of a drive: what the motion needs beyond elements and constraints; tau began as the command."""
    motion = constrained.world
    nv, acc = motion.v.shape[0], motion.command[s]
    for r in range(constrained.force.shape[0]):
        needed -= constrained.reach[r * nv + s] * constrained.force[r]
    motion.tau[s] = needed + motion.pivot[s] * acc - (motion.tau[s] - acc)
