"""How worlds with constraints move: the flow of worlds with constraint forces solved for at every evaluation.

The passes are those of world.flow; between the inward and the outward one the constraints are solved, so forces,
driven joints, implicit steps, step-size control and events work as in any world.
"""

from math import sqrt

import gambol.world.flow as world_flow
from gambol.dynamics.constraints.articulated import factor, spread
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
    BoundModel,
    open_tether,
)
from gambol.dynamics.forward import clear_forces, locate_bodies, place_bodies
from gambol.jit import function, outlined, view
from gambol.stepping.march import make_march
from gambol.stepping.workspace import CLOCK_SECTION, SIDE, TIME, TRY, Flow
from gambol.world.boundary import evaluate_boundaries

STAGE_TRIES, ASSEMBLY_TRIES = 2, 100
ROUNDING = 1e-15  # [m or rad] deviations below this are met


@view
def open_row(model, row, plan):
    """As for worlds, with the views of the constraints (at the end of the plan)."""
    own, motion = world_flow.open_row(model.world, row, plan)
    clock = row[plan[CLOCK_SECTION] : plan[SIDE]]
    tether, params = open_tether(motion, row, clock, plan, model.world.armature.shape[0])
    return BoundModel(own, model.constraints, params), tether


# ---------------------------------------------------------------- motion
@outlined
def place_and_measure(model, tether, t):
    """Bodies and rows where the state says."""
    place_bodies(model.world, tether.world)
    locate_bodies(model.world, tether.world)
    measure_rows(model, tether, t)


@function
def hurry(model, tether):
    """Are steps so short that constraints should give way a little?"""
    short = 0.0 < tether.clock[TRY] < model.constraints.options[SOFT_STEP] and tether.report[LOOK] == 0.0
    tether.report[LOOSE] = 1.0 if short else 0.0


@outlined
def solve(model, tether, t, h):
    """Joint accelerations with every force, those of the constraints too.

    The stages of a step stray from exact constraints by the square of the step, which near a singular position asks for
    forces out of all proportion; so accelerations are those of the nearest state that meets the constraints.
    """
    world, motion = model.world, tether.world
    hurry(model, tether)
    if tether.report[LOOK] == 0.0 and any_exact(model, tether):
        project(model, tether, t, STAGE_TRIES)
    world_flow.apply_forces(world, motion, t, h)
    if world.elements.shape[0] == 0:
        locate_bodies(world, motion)
    measure_rows(model, tether, t)
    apply_law(model, tether, t)
    factor(model, tether)
    assemble(model, tether)
    require(model, tether)
    find_forces(model, tether)
    enter_constraints(model, tether)
    spread(model, tether, tether.push, motion.acc, True)
    if motion.z.shape[0] > 0:
        world_flow.enter_commands(world, motion)


@outlined
def enter_constraints(model, tether):
    """The forces found (penalties have joined already) join the pushes; ledger: the power of all."""
    power = 0.0
    for r in range(tether.force.shape[0]):
        power += tether.force[r] * tether.slip[r]
        tether.spare[r] = tether.force[r] * tether.live[r]
    add_forces(model, tether, tether.spare)
    line = int(model.constraints.options[LINE])
    if line >= 0:
        tether.world.zrate[line] = power


# ---------------------------------------------------------------- projection
@outlined
def project(model, tether, t, tries):
    """Positions and speeds on the exact constraints; returns whether they are.

    Newton's method goes on until a displacement is within the tolerance: what is left is its square. Deviations are
    no measure of that: near a singular position even a large displacement changes them little. The factor of A before
    the positions move serves for the speeds too.
    """
    world, motion = model.world, tether.world
    tolerance = model.constraints.options[TOLERANCE]
    for _ in range(tries):
        place_and_measure(model, tether, t)
        choose_exact(model, tether)
        near = largest_live(tether, tether.dev) <= ROUNDING
        if near and largest_live(tether, tether.rate) <= ROUNDING:
            return True
        clear_forces(world, motion)
        factor(model, tether)
        assemble(model, tether)
        if not near:
            near = correction(model, tether, tether.dev, motion.acc) <= tolerance
            world_flow.shift_positions(world, motion, motion.q, motion.acc)
            place_and_measure(model, tether, t)
        correction(model, tether, tether.rate, motion.acc)
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
def settle(model, tether, t, moved):
    """After every attempt; moved > 0 where it was accepted."""
    hurry(model, tether)
    if moved > 0.0 and any_exact(model, tether):
        tether.counts[PROJECTED] += 1.0
        if not project(model, tether, t, int(model.constraints.options[MAX_ROUNDS])):
            tether.counts[UNPROJECTED] += 1.0
    if world_flow.settles(model.world):
        world_flow.settle(model.world, tether.world, t, moved)


@outlined
def prepare(model, tether):
    """At the start of a march: assembles where asked to, and lets arrivals begin."""
    clear_forces(model.world, tether.world)
    if tether.report[ASSEMBLE] > 0.0:
        project(model, tether, tether.clock[TIME], ASSEMBLY_TRIES)
    place_and_measure(model, tether, tether.clock[TIME])
    begin_arrivals(model, tether, tether.clock[TIME])


# ---------------------------------------------------------------- the rest of the flow: as for worlds
@function
def shift(model, tether, base, d):
    world_flow.shift(model.world, tether.world, base, d)


@function
def tangent(model, tether, d, out):
    world_flow.tangent(model.world, tether.world, d, out)


@function
def difference(model, tether, a, b, out):
    world_flow.difference(model.world, tether.world, a, b, out)


@function
def slopes(model, tether, t, h, jump, d, out):
    world_flow.slopes(model.world, tether.world, t, h, jump, d, out)


@function
def take_step(model, tether, base, d, h, old):
    world_flow.take_step(model.world, tether.world, base, d, h, old)


@outlined
def boundaries(model, tether, t, g):
    """The world's own, then one for each group that may break: its reach less the size of its deviation."""
    world, watched, group = model.world, model.constraints.watched, model.constraints.group
    own = world.boundaries.shape[0]
    place_and_measure(model, tether, t)
    evaluate_boundaries(world, tether.world, t, g)
    for k in range(watched.shape[0]):
        cells, square = watched[k] * GROUP_CELLS, 0.0
        for r in range(group.shape[0]):
            if group[r] == watched[k]:
                square += tether.dev[r] * tether.dev[r]
        reach = tether.groups[cells + REACH]
        g[own + k] = reach - sqrt(square) if tether.groups[cells + ON] > 0.0 else reach


march_bound = make_march(
    Flow(
        recipe="bound world",
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
    )
)
