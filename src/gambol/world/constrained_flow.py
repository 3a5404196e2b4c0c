"""How worlds with constraints move: the flow of worlds with constraint forces solved for at every evaluation.

The passes are those of world.flow; between the inward and the outward one the constraints are solved, so forces,
driven joints, implicit steps, step-size control and events work as in any world.
"""

from math import sqrt

from numba import typeof, types

import gambol.world.flow as world_flow
from gambol.dynamics.articulated import factor, spread
from gambol.dynamics.constraints.coupled import leave_out_couplings, let_couplings_resist, take_in_couplings
from gambol.dynamics.constraints.law import apply_law, begin_arrivals
from gambol.dynamics.constraints.project import any_exact, choose_exact, correction, largest_live
from gambol.dynamics.constraints.solve import add_forces, assemble, find_forces, measure_rows, require
from gambol.dynamics.constraints.tables import (
    ASSEMBLE,
    GROUP_CELLS,
    LINE,
    LOOK,
    LOOSE,
    MAX_ROUNDS,
    ON,
    PROJECTED,
    REACH,
    SOFT_STEP,
    TOLERANCE,
    UNPROJECTED,
    ConstrainedModel,
    factors_of,
    open_constrained,
)
from gambol.dynamics.forward import clear_forces, locate_bodies, place_bodies
from gambol.jit import address_of, code_digest, entry, function, outlined, view
from gambol.stepping.march import make_march
from gambol.stepping.workspace import CLOCK_SECTION, SIDE, TIME, TRY, Flow, Watch
from gambol.world.boundary import evaluate_boundaries

STAGE_TRIES, ASSEMBLY_TRIES = 2, 100
ROUNDING = 1e-15  # [m or rad] deviations below this are met


@view
def open_row(model, row, offsets):
    """As for worlds, with the views of the constraints (at the end of the offsets)."""
    own, motion = world_flow.open_row(model.world, row, offsets)
    clock = row[offsets[CLOCK_SECTION] : offsets[SIDE]]
    constrained, params = open_constrained(motion, row, clock, offsets)
    return ConstrainedModel(own, model.constraints, params), constrained


def views_of_row(model, row, offsets):
    """As open_row, for Python."""
    own, motion = world_flow.views_of_row(model.world, row, offsets, own_masses=False)
    clock = row[offsets[CLOCK_SECTION] : offsets[SIDE]]
    opened = getattr(open_constrained, "py_func", open_constrained)
    constrained, params = opened(motion, row, clock, offsets)
    return ConstrainedModel(own, model.constraints, params), constrained


def measure_address(measure, model, constrained) -> int:
    """Where the compiled code of somebody's own kind of constraint lies, for rows such as this one."""

    def measured(model, constrained, t, block, a, b, row, rows, p):
        measure(model, constrained, t, block, a, b, row, rows, p)

    compiled = entry(measured, recipe=code_digest(measure), sources=(measure.__module__,))
    kinds = (typeof(model), typeof(constrained), types.float64, *[types.int64] * 6)
    return address_of(compiled, kinds)


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
    short = 0.0 < constrained.clock[TRY] < model.constraints.options[SOFT_STEP] and constrained.report[LOOK] == 0.0
    constrained.report[LOOSE] = 1.0 if short else 0.0


@outlined
def solve(model, constrained, t, h):
    """Joint accelerations with every force, those of the constraints too.

    The stages of a step stray from exact constraints by the square of the step, which near a singular position asks for
    forces out of all proportion; so accelerations are those of the nearest state that meets the constraints.
    """
    world, motion = model.world, constrained.world
    soften_short_steps(model, constrained)
    if constrained.report[LOOK] == 0.0 and any_exact(model, constrained):
        project(model, constrained, t, STAGE_TRIES)
    world_flow.apply_forces(world, motion, t, h)
    if world.elements.shape[0] == 0:
        locate_bodies(world, motion)
    measure_rows(model, constrained, t)
    apply_law(model, constrained, t)
    factor(world, motion, model.constraints.joints, factors_of(constrained))
    take_in_couplings(model, constrained)
    assemble(model, constrained)
    require(model, constrained)
    find_forces(model, constrained)
    enter_constraints(model, constrained)
    let_couplings_resist(model, constrained)
    spread(world, motion, model.constraints.joints, factors_of(constrained), motion.acc, True)
    if motion.z.shape[0] > 0:
        world_flow.enter_commands(world, motion)


@outlined
def enter_constraints(model, constrained):
    """The forces found (penalties have joined already) join the pushes; ledger: the power of all."""
    power = 0.0
    for r in range(constrained.force.shape[0]):
        power += constrained.force[r] * constrained.slip[r]
        constrained.spare[r] = constrained.force[r] * constrained.live[r]
    add_forces(model, constrained, constrained.spare)
    line = int(model.constraints.options[LINE])
    if line >= 0:
        constrained.world.zrate[line] = power


# ---------------------------------------------------------------- projection
@outlined
def project(model, constrained, t, tries):
    """Positions and speeds on the exact constraints; returns whether they are.

    Newton's method goes on until a displacement is within the tolerance: what is left is its square. Deviations are
    no measure of that: near a singular position even a large displacement changes them little. The factor of A before
    the positions move serves for the speeds too.
    """
    world, motion = model.world, constrained.world
    tolerance = model.constraints.options[TOLERANCE]
    for _ in range(tries):
        place_and_measure(model, constrained, t)
        choose_exact(model, constrained)
        near = largest_live(constrained, constrained.dev) <= ROUNDING
        if near and largest_live(constrained, constrained.rate) <= ROUNDING:
            return True
        clear_forces(world, motion)
        factor(world, motion, model.constraints.joints, factors_of(constrained))
        leave_out_couplings(constrained)
        assemble(model, constrained)
        if not near:
            near = correction(model, constrained, constrained.dev, motion.acc) <= tolerance
            world_flow.shift_positions(world, motion, motion.q, motion.acc)
            place_and_measure(model, constrained, t)
        correction(model, constrained, constrained.rate, motion.acc)
        for s in range(motion.v.shape[0]):
            motion.v[s] += motion.acc[s]
        if near:
            return True
    return False


@function
def settles(model):
    """Steps end on the exact constraints; elements decide what is discrete."""
    return True


@outlined
def settle(model, constrained, t, moved):
    """After every attempt; moved > 0 where it was accepted."""
    soften_short_steps(model, constrained)
    if moved > 0.0 and any_exact(model, constrained):
        constrained.counts[PROJECTED] += 1.0
        if not project(model, constrained, t, int(model.constraints.options[MAX_ROUNDS])):
            constrained.counts[UNPROJECTED] += 1.0
    if world_flow.settles(model.world):
        world_flow.settle(model.world, constrained.world, t, moved)


@outlined
def prepare(model, constrained):
    """At the start of a march: assembles where asked to, and lets arrivals begin."""
    clear_forces(model.world, constrained.world)
    if constrained.report[ASSEMBLE] > 0.0:
        project(model, constrained, constrained.clock[TIME], ASSEMBLY_TRIES)
    place_and_measure(model, constrained, constrained.clock[TIME])
    begin_arrivals(model, constrained, constrained.clock[TIME])


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


@function
def watches(model, adaptive):
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
        cells, square = watched[k] * GROUP_CELLS, 0.0
        for r in range(group.shape[0]):
            if group[r] == watched[k]:
                square += constrained.dev[r] * constrained.dev[r]
        reach = constrained.groups[cells + REACH]
        g[own + k] = reach - sqrt(square) if constrained.groups[cells + ON] > 0.0 else reach


march_constrained_world = make_march(
    Flow(
        recipe="constrained world",
        module=__name__,
        open=open_row,
        prepare=prepare,
        solve=solve,
        shift=shift,
        tangent=tangent,
        difference=difference,
        slopes=slopes,
        take_step=take_step,
        boundaries=boundaries,
        settles=settles,
        settle=settle,
        watch=Watch(watches, begin, reached, look_ahead),
    )
)
