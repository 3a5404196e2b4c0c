"""Couplings of an implicit step (dynamics.couplings) in worlds with constraints.

With the couplings the inverse of the matrix is M̃⁻¹ − M̃⁻¹ bᵀ (1 + b M̃⁻¹ bᵀ)⁻¹ b M̃⁻¹. What constraints ask of it are
products y·M⁻¹ z, sums over the speeds of reach, ease and reach. A row of couplings is one speed more in these sums,
of ease −1, where a constraint reaches L⁻¹ b M̃⁻¹ y: nothing else in the solution of constraints has to know.
"""

from gambol.dynamics.constraints.tables import COUPLED
from gambol.dynamics.coupled_rows import enter_rows, factor_rows, resist, see
from gambol.dynamics.couplings import ROWS_IN_ALL, any_entered, count_at, has_room, open_room, set_count
from gambol.jit import function, outlined, reference
from gambol.math.scalar import constant, load, store


@function
def leave_out_couplings(constrained):
    """As for projections: positions and speeds are moved by the least that mass can feel."""
    set_count(constrained.report, COUPLED, 0.0)
    zero = constant(load(constrained.factors.ease, 0), 0.0)
    for k in range(constrained.world.v.shape[0], constrained.factors.ease.shape[0]):
        store(constrained.factors.ease, k, zero)
        store(constrained.factors.push, k, zero)


@outlined
def take_in_couplings(model, constrained):
    """After `factor`: what the elements have entered, and what of the pushes it sees."""
    leave_out_couplings(constrained)
    motion = constrained.world
    if not (has_room(motion) and any_entered(motion)):
        return
    world, joints = model.world, model.constraints.joints
    room, factors = reference(open_room(world, motion)), constrained.factors
    enter_rows(world, motion, joints, factors, room)
    factor_rows(world, motion, joints, factors, room)
    see(world, motion, joints, factors, room, constrained.factors.push, 0)
    set_count(constrained.report, COUPLED, 1.0)
    nv = motion.v.shape[0]
    for k in range(count_at(room.counters, ROWS_IN_ALL)):
        store(constrained.factors.ease, nv + k, constant(load(room.seen, k), -1.0))
        store(constrained.factors.push, nv + k, load(room.seen, k))


@outlined
def reach_couplings(model, constrained, row):
    """What a unit multiplier of a constraint's row does to the rows of couplings."""
    motion, stride = constrained.world, constrained.factors.ease.shape[0]
    world, joints, room = model.world, model.constraints.joints, reference(open_room(model.world, motion))
    see(world, motion, joints, constrained.factors, room, constrained.reach, row * stride)
    for k in range(count_at(room.counters, ROWS_IN_ALL)):
        store(constrained.reach, row * stride + motion.v.shape[0] + k, load(room.seen, k))


@outlined
def let_couplings_resist(model, constrained):
    """Before `spread`: the pushes, those of the constraints among them, lose what the couplings hold back."""
    if count_at(constrained.report, COUPLED) > 0:
        motion = constrained.world
        room = reference(open_room(model.world, motion))
        for k in range(count_at(room.counters, ROWS_IN_ALL)):
            store(room.seen, k, load(constrained.factors.push, motion.v.shape[0] + k))
        resist(model.world, motion, model.constraints.joints, constrained.factors, room)
