"""Fixed: does not move; hands everything on."""

from gambol.dynamics.workspace import (
    FORCE,
    MOTION,
    SLOTS,
    add_to_parent,
    articulated,
    carried_acceleration,
    parent_motion,
    set_body,
)
from gambol.jit import function, outlined
from gambol.math.memory import load_spatial, store_spatial
from gambol.math.scalar import load
from gambol.math.spatial import zero6

KIND, NAME, POSITIONS, SPEEDS, TRANSLATES = 5, "fixed", 0, 0, False


@outlined
def place(model, motion, first, count, q, v):
    """Frames and motion of the parents, carried along."""
    for k in range(count):
        i = first + k
        frame, accel, omega, alpha = parent_motion(model, motion.work, i)
        set_body(model, motion.work, i, frame, omega, alpha, accel)


@outlined
def gather(model, motion, first, count, v):
    """Whole inertia and force go to the parents."""
    W = motion.work
    for k in range(count - 1, -1, -1):
        b = (first + k) * SLOTS
        add_to_parent(model, W, first + k, articulated(model, W, first + k), load_spatial(W, b + FORCE))


@outlined
def move(model, motion, first, count, v):
    """Accelerations of the parents, carried along."""
    W = motion.work
    for k in range(count):
        store_spatial(W, (first + k) * SLOTS + MOTION, carried_acceleration(model, W, first + k))


@function
def motion_subspace(model, W, i, c):
    """None: it does not move."""
    return zero6(load(W, 0))


@function
def integrate(q, k, base, d, j):
    """Nothing to displace."""
    pass


@function
def tangent_rate(out, j, d, v, s):
    """No speeds."""
    pass


@function
def difference(out, j, a, b, k):
    """No positions."""
    pass
