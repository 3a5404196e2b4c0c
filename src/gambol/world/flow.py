"""How worlds of figures move: the flow that the stepper marches (contract in stepping.workspace)."""

from functools import partial

import numpy as np

from gambol.dynamics.couplings import any_entered, clear_couplings, has_room
from gambol.dynamics.forward import (
    clear_forces,
    gather_bodies,
    locate_bodies,
    move_bodies,
    place_bodies,
)
from gambol.dynamics.joints import LINE_OF, POSITIONS_OF, SPEEDS_OF, difference_joint, integrate_joint, tangent_rate_of
from gambol.dynamics.workspace import (
    LOCATED,
    REACHED,
    RUN_COUNT,
    RUN_DRIVEN,
    RUN_KIND,
    RUN_POSITION,
    RUN_VELOCITY,
    SLOTS,
    SPARE_NUMBERS,
    Model,
    Motion,
)
from gambol.forces.programs import (
    COMMANDS,
    DRIVES,
    PROGRAM_APPLY,
    PROGRAM_COUPLE,
    PROGRAM_REPORT,
    PROGRAM_SETTLE,
    PROGRAM_WATCHED,
    clear_rates,
)
from gambol.forces.watch import THROUGH, begin_watch
from gambol.jit import call, entry, function, outlined, reference
from gambol.math.memory import add_to
from gambol.math.scalar import align_stack, constant, load, store, where_positive
from gambol.stepping.march import make_march
from gambol.stepping.workspace import INPUTS, ROW_SIZE, SCRATCH, STATE, TIME, Flow, Watch
from gambol.world.boundary import WATCH_HEIGHT, evaluate_boundaries

NQ, NZ, NP, NC = (
    ROW_SIZE + 1,
    ROW_SIZE + 2,
    ROW_SIZE + 3,
    ROW_SIZE + 4,
)  # positions, integrals, parameters, room for couplings


@function
def open_motion(model, row, offsets):
    """Views of one row of memory; sizes from the model and the end of the offsets."""
    n, nv, nq, nz = model.parent.shape[0], model.armature.shape[0], offsets[NQ], offsets[NZ]
    s, c, w = offsets[STATE], offsets[INPUTS], offsets[SCRATCH]
    work = w + 3 * nv + nz
    located = work + n * SLOTS
    spare = located + n * LOCATED
    return Motion(
        state=row[s : s + nq + nv + nz],
        q=row[s : s + nq],
        v=row[s + nq : s + nq + nv],
        z=row[s + nq + nv : s + nq + nv + nz],
        command=row[c : c + nv],
        tau=row[w : w + nv],
        pivot=row[w + nv : w + 2 * nv],
        acc=row[w + 2 * nv : w + 3 * nv],
        zrate=row[w + 3 * nv : work],
        work=row[work:located],
        located=row[located:spare],
        spare=row[spare : spare + SPARE_NUMBERS + offsets[NC]],
    )


@function
def open_row(model, row, offsets):
    """The model with this row's own element parameters, and its motion."""
    p = offsets[INPUTS] + model.armature.shape[0]
    own = Model(
        model.parent,
        model.flags,
        model.const,
        model.runs,
        model.gravity,
        model.armature,
        model.elements,
        model.indices,
        row[p : p + offsets[NP]],
        model.tables,
        model.programs,
        model.boundaries,
        model.marks,
    )
    return own, open_motion(model, row, offsets)


@function
def open_row_with_masses(model, row, offsets):
    """As open_row, with this row's own body constants as well."""
    p = offsets[INPUTS] + model.armature.shape[0]
    c = p + offsets[NP]
    own = Model(
        model.parent,
        model.flags,
        row[c : c + model.const.shape[0]],
        model.runs,
        model.gravity,
        model.armature,
        model.elements,
        model.indices,
        row[p:c],
        model.tables,
        model.programs,
        model.boundaries,
        model.marks,
    )
    return own, open_motion(model, row, offsets)


def views_of_row(model, row, offsets, *, own_masses: bool):
    """As open_row or open_row_with_masses, for Python."""
    p = int(offsets[INPUTS]) + len(model.armature)
    c = p + int(offsets[NP])
    own = model._replace(params=row[p:c])
    if own_masses:
        own = own._replace(const=row[c : c + len(model.const)])
    return own, getattr(open_motion, "py_func", open_motion)(model, row, offsets)


def scratch_size(n: int, nv: int, nz: int, couplings: int) -> int:
    """Cells of workspace for n bodies, nv speeds, nz integrals and the room for couplings."""
    return 3 * nv + nz + n * (SLOTS + LOCATED) + SPARE_NUMBERS + couplings


@function
def apply_forces(model, motion, t, h, watching):
    """Bodies placed, and every force on them and their joints; watching: of what bounds the step alone."""
    if model.elements.shape[0] > 0 or any_driven(model):
        clear_forces(model, motion)  # otherwise nothing has been added since `prepare`
    place_bodies(model, motion)
    if model.elements.shape[0] > 0:
        locate_bodies(model, motion)
        clear_rates(motion)
        clear_couplings(motion)
        shared = reference((reference(model), reference(motion)))
        for k in range(model.programs.shape[0]):
            if not watching or model.programs[k, PROGRAM_WATCHED] != 0:
                call(model.programs[k, PROGRAM_APPLY], (shared, t, h, k))


@function
def solve(model, motion, t, h):
    """Joint accelerations with every force; for h > 0 those of the linearly implicit step."""
    align_stack(motion.work)
    apply_forces(model, motion, t, h, False)
    if has_room(motion) and any_entered(motion):
        call(model.programs[0, PROGRAM_COUPLE], (reference(model), reference(motion)))
    else:
        gather_bodies(model, motion)
        move_bodies(model, motion)
    if motion.z.shape[0] > 0:
        enter_commands(model, motion)


@entry
def report_row(model, motion, programs, clock, out):
    """What the elements of some programs report of a row, into `out`; its bodies are placed and located."""
    model, motion = reference(model), reference(motion)
    place_bodies(model, motion)
    locate_bodies(model, motion)
    shared = reference((model, motion))
    for k in range(programs.shape[0]):
        if programs[k, PROGRAM_REPORT] != 0:
            call(programs[k, PROGRAM_REPORT], (shared, load(clock, TIME), out, k))


@function
def any_driven(model):
    """Is any joint driven? Their forces are written over the commands."""
    driven = 0
    for r in range(model.runs.shape[0]):
        driven |= model.runs[r, RUN_DRIVEN]
    return driven != 0


@function
def prepare(model, motion):
    """At the start of a march: what the commands and the armature give."""
    clear_forces(model, motion)


@outlined
def enter_commands(model, motion):
    """Ledger: power of the commands and of the driven joints."""
    runs = model.runs
    store(motion.zrate, COMMANDS, constant(load(motion.zrate, COMMANDS), 0.0))
    store(motion.zrate, DRIVES, constant(load(motion.zrate, DRIVES), 0.0))
    for r in range(runs.shape[0]):
        first = runs[r, RUN_VELOCITY]
        for s in range(first, first + runs[r, RUN_COUNT] * SPEEDS_OF[runs[r, RUN_KIND]]):
            if runs[r, RUN_DRIVEN]:
                add_to(motion.zrate, DRIVES, load(motion.tau, s) * load(motion.v, s))
            else:
                add_to(motion.zrate, COMMANDS, load(motion.command, s) * load(motion.v, s))


@outlined
def shift_positions(model, motion, base, d):
    """Positions displaced from `base` by the tangent vector d [rad and m], joint by joint."""
    runs = model.runs
    for r in range(runs.shape[0]):
        kind = runs[r, RUN_KIND]
        positions, speeds = POSITIONS_OF[kind], SPEEDS_OF[kind]
        q, s = runs[r, RUN_POSITION], runs[r, RUN_VELOCITY]
        if LINE_OF[kind]:
            for k in range(runs[r, RUN_COUNT] * speeds):
                store(motion.q, q + k, load(base, q + k) + load(d, s + k))
        else:
            for k in range(runs[r, RUN_COUNT]):
                integrate_joint(kind, motion.q, q + k * positions, base, d, s + k * speeds)


@function
def shift(model, motion, base, d):
    """The state displaced from `base` by d: positions by their joints, speeds and integrals by adding."""
    nq, nv, nz = motion.q.shape[0], motion.v.shape[0], motion.z.shape[0]
    shift_positions(model, motion, base, d)
    for k in range(nv + nz):
        store(motion.state, nq + k, load(base, nq + k) + load(d, nv + k))


@outlined
def pull_speeds(model, motion, d, out):
    """Rates of the displacement d of the positions."""
    runs = model.runs
    for r in range(runs.shape[0]):
        speeds = SPEEDS_OF[runs[r, RUN_KIND]]
        for k in range(runs[r, RUN_COUNT]):
            s = runs[r, RUN_VELOCITY] + k * speeds
            tangent_rate_of(runs[r, RUN_KIND], out, s, d, motion.v, s)


@function
def tangent(model, motion, d, out):
    """Rates of the displacement d: of positions, then accelerations and powers."""
    nv = motion.v.shape[0]
    pull_speeds(model, motion, d, out)
    for k in range(nv):
        store(out, nv + k, load(motion.acc, k))
    for k in range(motion.z.shape[0]):
        store(out, 2 * nv + k, load(motion.zrate, k))


@outlined
def difference(model, motion, a, b, out):
    """Tangent vector from state b to a: positions by their joints, speeds and integrals by subtracting."""
    runs = model.runs
    nq, nv, nz = motion.q.shape[0], motion.v.shape[0], motion.z.shape[0]
    for r in range(runs.shape[0]):
        kind = runs[r, RUN_KIND]
        positions, speeds = POSITIONS_OF[kind], SPEEDS_OF[kind]
        for k in range(runs[r, RUN_COUNT]):
            difference_joint(kind, out, runs[r, RUN_VELOCITY] + k * speeds, a, b, runs[r, RUN_POSITION] + k * positions)
    for k in range(nv + nz):
        store(out, nv + k, load(a, nq + k) - load(b, nq + k))


@function
def slopes(model, motion, t, h, jump, d, out):
    """Positions move at the speeds; the rest of the state on a straight line."""
    nv = motion.v.shape[0]
    pull_speeds(model, motion, d, out)
    each = where_positive(h, constant(h, 1.0) / where_positive(h, h, constant(h, 1.0)), constant(h, 0.0))
    for k in range(nv, jump.shape[0]):
        store(out, k, load(jump, k) * each)


@function
def take_step(model, motion, base, d, h, old):
    """Speeds by Euler with the accelerations just solved; positions by a mix of the old and the new speeds.

    Old share 0 is semi-implicit; with the accelerations of the linearly implicit solve it is implicit Euler:
    (M + hD + h²K) a = f - hK v, solved by the recursion itself.
    """
    nv = motion.v.shape[0]
    for k in range(nv):
        gain = load(motion.acc, k) * h
        mean = load(motion.v, k) + (gain - gain * old)
        store(d, nv + k, gain)
        store(d, k, mean * h)
    for k in range(motion.z.shape[0]):
        store(d, 2 * nv + k, load(motion.zrate, k) * h)
    shift(model, motion, base, d)


@outlined
def boundaries(model, motion, t, g):
    """Values of the boundary functions, into g; bodies are placed where heights are watched."""
    heights = False
    for i in range(model.boundaries.shape[0]):
        heights |= model.boundaries[i, 0] >= WATCH_HEIGHT
    if heights:
        place_bodies(model, motion)
        locate_bodies(model, motion)
    evaluate_boundaries(model, motion, t, g)


def settles(model) -> bool:
    """Has any element something discrete to decide after a step?"""
    found = False
    for k in range(model.programs.shape[0]):
        found |= model.programs[k, PROGRAM_SETTLE] != 0
    return found


any_settles = function(settles)  # the same in jitted code


@outlined
def settle(model, motion, t, moved):
    """Lets elements decide what is discrete, in worlds that moved."""
    place_bodies(model, motion)
    locate_bodies(model, motion)
    programs = model.programs
    shared = reference((reference(model), reference(motion)))
    for k in range(programs.shape[0]):
        if programs[k, PROGRAM_SETTLE] != 0:
            call(programs[k, PROGRAM_SETTLE], (shared, t, moved, k))


def watches(model, adaptive: bool) -> bool:
    """Does any contact bound the step? Those found too late only where accuracy is asked for."""
    found = int(np.bitwise_or.reduce(model.programs[:, PROGRAM_WATCHED]))
    return found & THROUGH != 0 or (adaptive and found != 0)


@function
def begin(model, motion, rest, fine, slack):
    """Asks the contacts, before an evaluation with `rest` of the step to come [s]."""
    begin_watch(motion, rest, fine, slack)


@function
def reached(model, motion):
    """What they said: how long things may go on as they do [s]."""
    return load(motion.spare, REACHED)


@outlined
def look_ahead(model, motion, start, t):
    """What contacts say to the speeds of now at the positions of `start`."""
    for k in range(motion.q.shape[0]):
        store(motion.q, k, load(start, k))
    apply_forces(model, motion, t, constant(t, 0.0), True)


def flow_of(functions, recipe, open_, *, own_masses=False):
    """The flow whose functions are those of a module (its globals), named as in the contract; `open_` opens a row."""
    views = partial(functions["views_of_row"], own_masses=own_masses)
    names = "prepare solve shift tangent difference slopes take_step boundaries settles settle".split()
    watch = Watch(*(functions[name] for name in ("watches", "begin", "reached", "look_ahead")))
    own = {name: functions[name] for name in names}
    return Flow(recipe=recipe, module=functions["__name__"], open=open_, watch=watch, views=views, **own)


march_world = make_march(flow_of(globals(), "world", open_row))
march_world_with_masses = make_march(flow_of(globals(), "own_masses world", open_row_with_masses, own_masses=True))
