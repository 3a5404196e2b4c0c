"""The articulated-body recursion kept apart joint by joint, so that test forces cost one pass of forces each.

Every joint is taken as a sequence of single speeds with the joint's own columns S. Inward, `factor` eliminates them one
after the other: ease = 1 / (S·A S + pivot), gain = A S · ease, A ← A − gain (A S)ᵀ; `push` is what is left of the
force at a speed. This is the factorisation M = (1 + gainᵀ…) diag(1/ease) (…)ᵀ without ever forming M. A driven speed is
not eliminated: its ease is 0, and its push holds only what is added after `factor`.
"""

from typing import NamedTuple

import numpy as np

from gambol.dynamics.joints import SPEEDS_OF, motion_subspace_of
from gambol.dynamics.workspace import ARM, COINCIDENT, FORCE, MOTION, SLOTS, add_to_parent, articulated
from gambol.jit import function
from gambol.math.memory import add_to, load_spatial, load_vec3, store_spatial
from gambol.math.scalar import constant, load, reciprocal, store
from gambol.math.spatial import force_from, inertia_times, minus_outer, motion_at, power, zero6

# What the passes know of a body's joint, one after the other: its kind, its first speed, is it driven
JOINT_KIND, FIRST_SPEED, IS_DRIVEN, JOINT = range(4)


class Factors(NamedTuple):
    """The factorisation, by speeds."""

    column: np.ndarray  # 6 a speed: motion of its body for a unit speed
    gain: np.ndarray  # 6 a speed: force felt beyond the joint for a unit acceleration, over its inertia
    ease: np.ndarray  # one over the inertia felt at it; 0 where driven
    push: np.ndarray  # the force that accelerates it


FACTORS = 14  # numbers a speed


@function
def factor(model, motion, joints, factors):
    """Inward: inertia and force felt at every speed. Leaves articulated inertias and forces in the workspace."""
    W = motion.work
    for i in range(model.parent.shape[0] - 1, 0, -1):
        kind, v, driven = joints[i * JOINT], joints[i * JOINT + FIRST_SPEED], joints[i * JOINT + IS_DRIVEN]
        A = articulated(model, W, i)
        f = load_spatial(W, i * SLOTS + FORCE)
        zero = constant(f.lin.x, 0.0)
        for c in range(SPEEDS_OF[kind]):
            s = v + c
            S = motion_subspace_of(kind, model, W, i, c)
            store_spatial(factors.column, 6 * s, S)
            if driven:
                store(factors.ease, s, zero)
                store(factors.push, s, zero)
                store_spatial(factors.gain, 6 * s, zero6(zero))
                continue
            U = inertia_times(A, S)
            ease = reciprocal(power(S, U) + load(motion.pivot, s))
            gain = U * ease
            push = load(motion.tau, s) - power(S, f)
            store(factors.ease, s, ease)
            store(factors.push, s, push)
            store_spatial(factors.gain, 6 * s, gain)
            A = minus_outer(A, gain, U)
            f = f + gain * push
        add_to_parent(model, W, i, A, f)


@function
def pass_joint(model, W, joints, factors, i, start, f, reach, first):
    """What the wrench f on body i (at its origin, world axes) does at its joint, from the speed `start` on.

    Adds it to reach[first:], and gives what is left of the wrench for the parent.
    """
    for s in range(start, joints[i * JOINT + FIRST_SPEED] + SPEEDS_OF[joints[i * JOINT]]):
        p = power(load_spatial(factors.column, 6 * s), f)
        add_to(reach, first + s, p)
        f = f - load_spatial(factors.gain, 6 * s) * p
    if not model.flags[i] & COINCIDENT:
        f = force_from(f, load_vec3(W, i * SLOTS + ARM))
    return f


@function
def sweep(model, W, joints, factors, i, f, reach, first):
    """Adds to reach[first:] what the wrench f on body i does at every speed below it."""
    while i > 0:
        f = pass_joint(model, W, joints, factors, i, joints[i * JOINT + FIRST_SPEED], f, reach, first)
        i = model.parent[i]


@function
def spread(model, motion, joints, factors, out, drives):
    """Outward: joint accelerations for the pushes; `drives`: driven speeds move as commanded, their force is found.

    The workspace's slot for a body's motion is used, so nothing may need its angular velocity any more.
    """
    W = motion.work
    store_spatial(W, MOTION, zero6(load(W, 0)))
    for i in range(1, model.parent.shape[0]):
        kind, v, driven = joints[i * JOINT], joints[i * JOINT + FIRST_SPEED], joints[i * JOINT + IS_DRIVEN]
        a = load_spatial(W, model.parent[i] * SLOTS + MOTION)
        if not model.flags[i] & COINCIDENT:
            a = motion_at(a, load_vec3(W, i * SLOTS + ARM))
        for c in range(SPEEDS_OF[kind] - 1, -1, -1):
            s = v + c
            if driven:
                command = load(motion.command, s)  # already in the bias
                store(out, s, command if drives else constant(command, 0.0))
                continue
            x = load(factors.push, s) * load(factors.ease, s) - power(load_spatial(factors.gain, 6 * s), a)
            store(out, s, x)
            a = a + load_spatial(factors.column, 6 * s) * x
        store_spatial(W, i * SLOTS + MOTION, a)
        if driven and drives:
            f = inertia_times(articulated(model, W, i), a) + load_spatial(W, i * SLOTS + FORCE)
            for s in range(v, v + SPEEDS_OF[kind]):
                find_drive(motion, factors, s, power(load_spatial(factors.column, 6 * s), f))


@function
def find_drive(motion, factors, s, needed):
    """The force of a drive: what the motion needs beyond elements and what was pushed; tau began as the command."""
    acc = load(motion.command, s)
    elements = load(motion.tau, s) - acc
    store(motion.tau, s, needed + load(motion.pivot, s) * acc - load(factors.push, s) - elements)
