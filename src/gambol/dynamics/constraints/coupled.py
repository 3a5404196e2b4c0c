"""Couplings of an implicit step (dynamics.couplings) in worlds with constraints.

With the couplings the inverse of the matrix is M̃⁻¹ − M̃⁻¹ bᵀ (1 + b M̃⁻¹ bᵀ)⁻¹ b M̃⁻¹. What constraints ask of it are
products y·M⁻¹ z, sums over the speeds of reach, ease and reach. A row of couplings is one speed more in these sums,
of ease −1, where a constraint reaches L⁻¹ b M̃⁻¹ y: nothing else in the solution of constraints has to know.
"""

from gambol.dynamics.constraints.tables import COUPLED, factors_of
from gambol.dynamics.couplings import (
    ROWS,
    any_entered,
    count_at,
    enter_rows,
    factor_rows,
    has_room,
    open_room,
    resist,
    see,
)
from gambol.jit import function, outlined


@function
def leave_out_couplings(constrained):
    """As for projections: positions and speeds are moved by the least that mass can feel."""
    constrained.report[COUPLED] = 0.0
    for k in range(constrained.world.v.shape[0], constrained.ease.shape[0]):
        constrained.ease[k] = 0.0
        constrained.push[k] = 0.0


@outlined
def take_in_couplings(model, constrained):
    """After `factor`: what the elements have entered, and what of the pushes it sees."""
    leave_out_couplings(constrained)
    motion = constrained.world
    if not (has_room(motion) and any_entered(motion)):
        return
    room, factors = open_room(model.world, motion), factors_of(constrained)
    enter_rows(model.world, motion, model.constraints.joints, factors, room)
    factor_rows(motion, factors, room)
    see(motion, factors, room, constrained.push, 0)
    constrained.report[COUPLED] = 1.0
    nv = motion.v.shape[0]
    for k in range(count_at(room.counters, ROWS)):
        constrained.ease[nv + k] = -1.0
        constrained.push[nv + k] = room.seen[k]


@outlined
def reach_couplings(model, constrained, row):
    """What a unit multiplier of a constraint's row does to the rows of couplings."""
    motion, stride = constrained.world, constrained.ease.shape[0]
    room = open_room(model.world, motion)
    see(motion, factors_of(constrained), room, constrained.reach, row * stride)
    for k in range(count_at(room.counters, ROWS)):
        constrained.reach[row * stride + motion.v.shape[0] + k] = room.seen[k]


@outlined
def let_couplings_resist(model, constrained):
    """Before `spread`: the pushes, those of the constraints among them, lose what the couplings hold back."""
    if constrained.report[COUPLED] > 0.0:
        motion = constrained.world
        room = open_room(model.world, motion)
        for k in range(count_at(room.counters, ROWS)):
            room.seen[k] = constrained.push[motion.v.shape[0] + k]
        resist(motion, factors_of(constrained), room)
