"""The compiled code of a world's force elements: programs that are called by address.

The march is compiled once for all worlds, and each element type once, whatever else is in a world: the program of a
world is a list of addresses. The model and the motion lie on the stack of the caller, once for all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import typeof
from numba import types as nb
from numba.core.errors import NumbaError

from gambol.dynamics.coupled_rows import solve_coupled
from gambol.errors import Fault, WorldError
from gambol.forces.kernel import ElementKernel
from gambol.jit import JIT_ON, address_of, entry, fetch, function
from gambol.jit.address import Reference
from gambol.math.pack import number_type
from gambol.math.scalar import align_stack, constant, load, store

# Columns of the element table: runs of elements of one type and ledger line
TYPE_COUNT, TYPE_INDEX, TYPE_PARAM, TYPE_LINE, TYPE_REPORT, TYPE_COLUMNS = range(6)
# Columns of a model's `programs`: the runs that a program moves, and addresses of compiled code, 0 where there is none;
# PROGRAM_COUPLE, in the first row: what solves implicit steps with couplings. PROGRAM_WATCHED is no address: what its
# elements watch for
(
    FIRST_RUN,
    LAST_RUN,
    PROGRAM_APPLY,
    PROGRAM_ENERGY,
    PROGRAM_REPORT,
    PROGRAM_SETTLE,
    PROGRAM_COUPLE,
    PROGRAM_WATCHED,
    PROGRAM_COLUMNS,
) = range(9)
# Ledger lines that every world has
COMMANDS, DRIVES = 0, 1


@function
def clear_rates(motion):
    """Powers of all ledger lines to zero, before the elements add theirs."""
    for k in range(motion.zrate.shape[0]):
        store(motion.zrate, k, constant(load(motion.zrate, k), 0.0))


class Programs(NamedTuple):
    """The compiled functions of an element type, for row `place` of a model's `programs`."""

    apply: Callable
    energy: Callable
    report: Callable
    settle: Callable


@function
def _nothing_reported(model, motion, t, index, param, count, out, first):
    pass


@function
def _nothing_settled(model, motion, t, moved, index, param, count):
    pass


@functools.cache
def programs_of(kernel: ElementKernel) -> Programs:
    """The four programs of an element type, jitted; `shared` refers to (model, motion)."""
    apply_run, energy_run = kernel.apply, kernel.energy
    report_run, settle_run = kernel.report or _nothing_reported, kernel.settle or _nothing_settled

    def apply_elements(shared, t, h, place):
        model, motion = fetch(shared)
        align_stack(motion.work)
        table, programs = model.elements, model.programs
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            apply_run(model, motion, t, h, r[TYPE_INDEX], r[TYPE_PARAM], r[TYPE_COUNT], r[TYPE_LINE])

    def stored_energies(shared, t, out, place):
        model, motion = fetch(shared)
        table, programs = model.elements, model.programs
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            store(out, e, energy_run(model, motion, t, r[TYPE_INDEX], r[TYPE_PARAM], r[TYPE_COUNT]))

    def report_elements(shared, t, out, place):
        model, motion = fetch(shared)
        table, programs = model.elements, model.programs
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            report_run(model, motion, t, r[TYPE_INDEX], r[TYPE_PARAM], r[TYPE_COUNT], out, r[TYPE_REPORT])

    def settle_elements(shared, t, moved, place):
        model, motion = fetch(shared)
        table, programs = model.elements, model.programs
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            settle_run(model, motion, t, moved, r[TYPE_INDEX], r[TYPE_PARAM], r[TYPE_COUNT])

    sources = (kernel.home, *kernel.sources) if kernel.own else ()
    functions = apply_elements, stored_energies, report_elements, settle_elements
    return Programs(*(entry(f, recipe=kernel.recipe, sources=sources, counts=False) for f in functions))


class ProgramCall(NamedTuple):
    """Runs `first` to `last` of the element table, which the programs of this type move."""

    kernel: ElementKernel
    first: int
    last: int


def program_addresses(
    calls: Sequence[ProgramCall], model, motion, *, which: Sequence[int], couples: bool = False
) -> np.ndarray:
    """Where the programs of these calls lie, for worlds of this number type: rows of a model's `programs`."""
    seen = Reference(typeof(model)), Reference(typeof(motion))
    number = number_type(motion.q) if JIT_ON else nb.float64
    shared, place = Reference(nb.Tuple(seen)), nb.int64
    types = {
        PROGRAM_APPLY: (shared, number, number, place),
        PROGRAM_ENERGY: (shared, number, typeof(motion.q), place),
        PROGRAM_REPORT: (shared, number, typeof(motion.q), place),
        PROGRAM_SETTLE: (shared, number, number, place),
    }
    found = np.zeros((len(calls), PROGRAM_COLUMNS), np.int64)
    for row, (kernel, first, last) in zip(found, calls):
        row[FIRST_RUN], row[LAST_RUN] = first, last
        row[PROGRAM_WATCHED] = kernel.watched
        programs = programs_of(kernel)
        for column in which:
            if column != PROGRAM_SETTLE or kernel.settle:
                program = {
                    PROGRAM_APPLY: programs.apply,
                    PROGRAM_ENERGY: programs.energy,
                    PROGRAM_REPORT: programs.report,
                    PROGRAM_SETTLE: programs.settle,
                }[column]
                row[column] = _address(program, types[column], kernel)
    if couples:
        found[0, PROGRAM_COUPLE] = address_of(solve_coupled, seen)
    return found


def _address(program: Callable, types: tuple, kernel: ElementKernel) -> int:
    try:
        return address_of(program, types)
    except NumbaError as error:
        if kernel.own:
            raise
        message = f"the law of {kernel.home} cannot be compiled; {str(error).strip()}"
        raise WorldError([Fault(message, kernel.name)]) from error
