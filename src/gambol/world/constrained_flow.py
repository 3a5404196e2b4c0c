"""How worlds with constraints move: the flow of worlds with constraint forces solved for at every evaluation.

The passes are those of world.flow; between the inward and the outward one the constraints are solved, so forces,
driven joints, implicit steps, step-size control and events work as in any world.
"""

import numpy as np
from numba import typeof, types

import gambol.world.flow as world_flow
from gambol.dynamics.articulated import factor, spread
from gambol.dynamics.constraints.coupled import leave_out_couplings, let_couplings_resist, take_in_couplings
from gambol.dynamics.constraints.law import apply_law, begin_arrivals
from gambol.dynamics.constraints.project import any_exact, choose_exact, correction, largest_live
from gambol.dynamics.constraints.solve import add_forces, assemble, factor_live, find_forces, measure_rows, require
from gambol.dynamics.constraints.tables import (
    ASSEMBLE,
    GROUP_CELLS,
    GROUP_ON,
    GROUP_REACH,
    LEDGER_LINE,
    LOOSE,
    MAX_ROUNDS,
    PROJECTED,
    READ_ONLY,
    ROUNDING,
    SOFT_STEP,
    TOLERANCE,
    UNPROJECTED,
    ConstrainedModel,
    open_constrained,
)
from gambol.dynamics.couplings import count_at
from gambol.dynamics.forward import clear_forces, locate_bodies, place_bodies
from gambol.jit import JIT_ON, address_of, code_digest, entry, function, outlined
from gambol.jit.address import Reference
from gambol.math.memory import add_to
from gambol.math.pack import number_type
from gambol.math.scalar import absolute, any_positive, constant, load, maximum, sqrt, store, where_positive
from gambol.stepping.march import make_march
from gambol.stepping.vectors import choose_array, copy_array
from gambol.stepping.workspace import ALIVE, CLOCK_SECTION, SIDE_SECTION, TIME, TRY
from gambol.world.boundary import evaluate_boundaries

STAGE_TRIES, ASSEMBLY_TRIES = np.int64(2), np.int64(100)  # as literals each would be compiled for
MET = 4.5  # roundings [m or rad]: deviations below this are met


@function
def open_row(model, row, offsets):
    """As for worlds, with the views of the constraints (at the end of the offsets)."""
    own, motion = world_flow.open_row(model.world, row, offsets)
    clock = row[offsets[CLOCK_SECTION] : offsets[SIDE_SECTION]]
    constrained, params = open_constrained(motion, row, clock, offsets)
    return ConstrainedModel(own, model.constraints, params), constrained


@function
def open_row_with_masses(model, row, offsets):
    """As open_row, with this row's own body constants as well."""
    own, motion = world_flow.open_row_with_masses(model.world, row, offsets)
    clock = row[offsets[CLOCK_SECTION] : offsets[SIDE_SECTION]]
    constrained, params = open_constrained(motion, row, clock, offsets)
    return ConstrainedModel(own, model.constraints, params), constrained


def views_of_row(model, row, offsets, *, own_masses: bool):
    """As open_row or open_row_with_masses, for Python."""
    own, motion = world_flow.views_of_row(model.world, row, offsets, own_masses=own_masses)
    clock = row[offsets[CLOCK_SECTION] : offsets[SIDE_SECTION]]
    opened = getattr(open_constrained, "py_func", open_constrained)
    constrained, params = opened(motion, row, clock, offsets)
    return ConstrainedModel(own, model.constraints, params), constrained


def measure_address(measure, model, constrained) -> int:
    """Where the compiled code of somebody's own kind of constraint lies, for rows such as this one."""

    def measured(model, constrained, t, block, a, b, row, rows, p):
        measure(model, constrained, t, block, a, b, row, rows, p)

    compiled = entry(measured, recipe=code_digest(measure), sources=(measure.__module__,))
    number = number_type(constrained.dev) if JIT_ON else types.float64
    return address_of(compiled, (Reference(typeof(model)), Reference(typeof(constrained)), number, *[types.int64] * 6))


# ---------------------------------------------------------------- motion
@outlined
def place_and_measure(model, constrained, t):
    """Bodies and rows where the state says."""
    place_bodies(model.world, constrained.world)
    locate_bodies(model.world, constrained.world)
    measure_rows(model, constrained, t)


@function
def soften_short_steps(model, constrained):
    """Are steps so short that constraints should give way a little?"""
    h = load(constrained.clock, TRY)
    zero = constant(h, 0.0)
    loose = where_positive(h, constant(h, model.constraints.options[SOFT_STEP]) - h, zero)
    short = where_positive(loose, constant(h, 1.0), zero)
    store(constrained.report, LOOSE, zero if only_looks(constrained) else short)


@function
def only_looks(constrained):
    """Is the state to be left as it is?"""
    return count_at(constrained.report, READ_ONLY) > 0


@function
def solve(model, constrained, t, h):
    """Joint accelerations with every force, those of the constraints too.

    The stages of a step stray from exact constraints by the square of the step, which near a singular position asks for
    forces out of all proportion; so accelerations are those of the nearest state that meets the constraints.
    """
    world, motion = model.world, constrained.world
    soften_short_steps(model, constrained)
    if not only_looks(constrained):
        project(model, constrained, t, STAGE_TRIES, any_exact(model, constrained))
    world_flow.apply_forces(world, motion, t, h, False)
    if world.elements.shape[0] == 0:
        locate_bodies(world, motion)
    measure_rows(model, constrained, t)
    apply_law(model, constrained, t)
    factor(world, motion, model.constraints.joints, constrained.factors)
    take_in_couplings(model, constrained)
    assemble(model, constrained)
    require(model, constrained)
    find_forces(model, constrained, load(constrained.clock, ALIVE))
    enter_constraints(model, constrained)
    let_couplings_resist(model, constrained)
    spread(world, motion, model.constraints.joints, constrained.factors, motion.acc, True)
    if motion.z.shape[0] > 0:
        world_flow.enter_commands(world, motion)


@function
def enter_constraints(model, constrained):
    """The forces found (penalties have joined already) join the pushes; ledger: the power of all."""
    power = constant(load(constrained.force, 0), 0.0)
    for r in range(constrained.force.shape[0]):
        force = load(constrained.force, r)
        acts = where_positive(absolute(force), force * load(constrained.slip, r), constant(force, 0.0))
        power = power + acts
        store(constrained.spare, r, where_positive(load(constrained.live, r), force, constant(force, 0.0)))
    add_forces(model, constrained, constrained.spare)
    line = int(model.constraints.options[LEDGER_LINE])
    if line >= 0:
        store(constrained.world.zrate, line, power)


# ---------------------------------------------------------------- projection
@outlined
def project(model, constrained, t, tries, asked):
    """Positions and speeds on the exact constraints, in worlds where asked > 0; gives those that are still off (> 0).

    Newton's method goes on until a displacement is within the tolerance: what is left is its square. Deviations are
    no measure of that: near a singular position even a large displacement changes them little. The factor of A before
    the positions move serves for the speeds too.
    """
    world, motion, options = model.world, constrained.world, model.constraints.options
    left, zero, met = asked, constant(asked, 0.0), constant(asked, MET * options[ROUNDING])
    for _ in range(tries):
        if not any_positive(left):
            return left
        place_and_measure(model, constrained, t)
        choose_exact(model, constrained)
        far = largest_live(constrained, constrained.dev) - met
        fast = largest_live(constrained, constrained.rate) - met
        left = where_positive(maximum(far, fast), left, zero)
        if not any_positive(left):
            return left
        clear_forces(world, motion)
        factor(world, motion, model.constraints.joints, constrained.factors)
        leave_out_couplings(constrained)
        assemble(model, constrained)
        factor_live(model, constrained)
        far = where_positive(left, where_positive(far, left, zero), zero)
        if any_positive(far):
            size = correction(model, constrained, constrained.dev, motion.acc)
            displace(model, constrained, far)
            place_and_measure(model, constrained, t)
            far = where_positive(size - constant(size, options[TOLERANCE]), far, zero)
        correction(model, constrained, constrained.rate, motion.acc)
        for s in range(motion.v.shape[0]):
            add_to(motion.v, s, where_positive(left, load(motion.acc, s), zero))
        left = far
    return left


@function
def displace(model, constrained, moves):
    """Positions by what `correction` has found, in worlds where moves > 0; in the others they stay to the bit."""
    motion = constrained.world
    copy_array(constrained.before, motion.q)
    world_flow.shift_positions(model.world, motion, constrained.before, motion.acc)
    choose_array(motion.q, moves, constrained.before)


def settles(model) -> bool:
    """Steps end on the exact constraints; elements decide what is discrete."""
    return True


@outlined
def settle(model, constrained, t, moved):
    """After every attempt; moved > 0 where it was accepted."""
    soften_short_steps(model, constrained)
    exact = where_positive(moved, any_exact(model, constrained), constant(moved, 0.0))
    if any_positive(exact):
        add_to(constrained.counts, PROJECTED, exact)
        off = project(model, constrained, t, int(model.constraints.options[MAX_ROUNDS]), exact)
        add_to(constrained.counts, UNPROJECTED, off)
    if world_flow.any_settles(model.world):
        world_flow.settle(model.world, constrained.world, t, moved)


@outlined
def prepare(model, constrained):
    """At the start of a march: assembles where asked to, and lets arrivals begin."""
    t = load(constrained.clock, TIME)
    clear_forces(model.world, constrained.world)
    if count_at(constrained.report, ASSEMBLE) > 0:
        project(model, constrained, t, ASSEMBLY_TRIES, any_exact(model, constrained))
    place_and_measure(model, constrained, t)
    begin_arrivals(model, constrained, t)


# ---------------------------------------------------------------- the rest of the flow: as for worlds
@function
def shift(model, constrained, base, d):
    """As of worlds without constraints: the state displaced from `base` by d."""
    world_flow.shift(model.world, constrained.world, base, d)


@function
def tangent(model, constrained, d, out):
    """As of worlds without constraints: rates of the displacement d."""
    world_flow.tangent(model.world, constrained.world, d, out)


@function
def difference(model, constrained, a, b, out):
    """As of worlds without constraints: the tangent vector from state b to a."""
    world_flow.difference(model.world, constrained.world, a, b, out)


@function
def slopes(model, constrained, t, h, jump, d, out):
    """As of worlds without constraints: rates at the end of a step."""
    world_flow.slopes(model.world, constrained.world, t, h, jump, d, out)


@function
def take_step(model, constrained, base, d, h, old):
    """As of worlds without constraints: an Euler step with the accelerations just solved."""
    world_flow.take_step(model.world, constrained.world, base, d, h, old)


def watches(model, adaptive: bool) -> bool:
    """Does any contact bound the step?"""
    return world_flow.watches(model.world, adaptive)


@function
def begin(model, constrained, rest, fine, slack):
    """Asks the contacts, before an evaluation with `rest` of the step to come [s]."""
    world_flow.begin(model.world, constrained.world, rest, fine, slack)


@function
def reached(model, constrained):
    """What they said [s]."""
    return world_flow.reached(model.world, constrained.world)


@function
def look_ahead(model, constrained, start, t):
    """What contacts say to the speeds of now at the positions of `start`."""
    world_flow.look_ahead(model.world, constrained.world, start, t)


@outlined
def boundaries(model, constrained, t, g):
    """The world's own, then one for each group that may break: its reach less the size of its deviation."""
    world, watched, group = model.world, model.constraints.watched, model.constraints.group
    own = world.boundaries.shape[0]
    place_and_measure(model, constrained, t)
    evaluate_boundaries(world, constrained.world, t, g)
    for k in range(watched.shape[0]):
        cells, square = watched[k] * GROUP_CELLS, constant(load(constrained.dev, 0), 0.0)
        for r in range(group.shape[0]):
            if group[r] == watched[k]:
                square = square + load(constrained.dev, r) * load(constrained.dev, r)
        reach, on = load(constrained.groups, cells + GROUP_REACH), load(constrained.groups, cells + GROUP_ON)
        store(g, own + k, where_positive(on, reach - sqrt(square), reach))


march_constrained_world = make_march(world_flow.flow_of(globals(), "constrained world", open_row))
march_constrained_world_with_masses = make_march(
    world_flow.flow_of(globals(), "own_masses constrained world", open_row_with_masses, own_masses=True)
)
