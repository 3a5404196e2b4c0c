"""The compiled code of a world's force elements: programs that are called by address.

The march is compiled once for all worlds; what depends on the element types that a world uses is compiled apart. Types
of this package are compiled together (a call hands over the whole model, which takes a while), a type of somebody
else's alone: what a user adds or edits compiles in a second or two, whatever else is in the world.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import typeof
from numba import types as nb
from numba.core.errors import NumbaError

from gambol.dynamics.couplings import solve_coupled
from gambol.errors import Fault, WorldError
from gambol.forces.kernel import ElementKernel
from gambol.jit import JIT_ON, address_of, choice, entry, function
from gambol.math.pack import element_type
from gambol.math.scalar import align_stack, constant, load, store

# Columns of the element table: runs of elements of one type and ledger line
TYPE, COUNT, INDEX, PARAM, LINE, FIRST_REPORT, ELEMENT = 0, 1, 2, 3, 4, 5, 6
# Columns of a model's `programs`: the runs that a program moves, and addresses of compiled code, 0 where there is none;
# COUPLE, in the first row: what solves implicit steps with couplings
FIRST_RUN, LAST_RUN, APPLY, ENERGY, SETTLE, COUPLE, PROGRAM = range(7)
# Ledger lines that every world has
COMMANDS, DRIVES = 0, 1


@function
def clear_rates(motion):
    """Powers of all ledger lines to zero, before the elements add theirs."""
    for k in range(motion.zrate.shape[0]):
        store(motion.zrate, k, constant(load(motion.zrate, k), 0.0))


class Programs(NamedTuple):
    """The compiled functions of a set of element types, for row `place` of a model's `programs`."""

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
def programs_of(kernels: tuple[ElementKernel, ...]) -> Programs:
    """The four programs of a set of element types, jitted."""
    apply_run = choice([k.apply for k in kernels], "model, motion, t, h, index, param, count, line")
    energy_run = choice([k.energy for k in kernels], "model, motion, t, index, param, count")
    reports = [k.report or _nothing_reported for k in kernels]
    report_run = choice(reports, "model, motion, t, index, param, count, out, first")
    settles = [k.settle or _nothing_settled for k in kernels]
    settle_run = choice(settles, "model, motion, t, moved, index, param, count")

    def apply_elements(model, motion, t, h, place):
        align_stack(motion.work)
        table, programs = model.elements, model.programs
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            apply_run(r[TYPE], model, motion, t, h, r[INDEX], r[PARAM], r[COUNT], r[LINE])

    def stored_energies(model, motion, t, out, place):
        table, programs = model.elements, model.programs
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            store(out, e, energy_run(r[TYPE], model, motion, t, r[INDEX], r[PARAM], r[COUNT]))

    def report_elements(model, motion, clock, out, place):
        table, programs = model.elements, model.programs
        t = load(clock, 0)
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            report_run(r[TYPE], model, motion, t, r[INDEX], r[PARAM], r[COUNT], out, r[FIRST_REPORT])

    def settle_elements(model, motion, t, moved, place):
        table, programs = model.elements, model.programs
        for e in range(programs[place, FIRST_RUN], programs[place, LAST_RUN]):
            r = table[e]
            settle_run(r[TYPE], model, motion, t, moved, r[INDEX], r[PARAM], r[COUNT])

    recipe, sources = " ".join(k.recipe for k in kernels), tuple(k.home for k in kernels if k.own)
    made = [
        entry(f, recipe=recipe, sources=sources, seconds=1.0 * len(kernels))
        for f in (apply_elements, stored_energies, report_elements, settle_elements)
    ]
    return Programs(*made)


def number_type(array: np.ndarray):
    """The Numba type of an array's numbers: float32, float64 or a pack."""
    kind = typeof(array)
    return element_type(kind) or kind.dtype


class ProgramCall(NamedTuple):
    """Runs `first` to `last` of the element table, which the programs of these types move."""

    kernels: tuple[ElementKernel, ...]
    first: int
    last: int


def program_addresses(
    calls: Sequence[ProgramCall], model, motion, *, which: Sequence[int], couples: bool = False
) -> np.ndarray:
    """Where the programs of these calls lie, for worlds of this number type: rows of a model's `programs`."""
    seen, number = (typeof(model), typeof(motion)), number_type(motion.q) if JIT_ON else nb.float64
    place = nb.int64
    types = {
        APPLY: (*seen, number, number, place),
        ENERGY: (*seen, number, typeof(motion.q), place),
        SETTLE: (*seen, number, number, place),
    }
    found = np.zeros((len(calls), PROGRAM), np.int64)
    for row, (kernels, first, last) in zip(found, calls):
        row[FIRST_RUN], row[LAST_RUN] = first, last
        programs = programs_of(kernels)
        for column in which:
            if column != SETTLE or any(k.settle for k in kernels):
                program = {APPLY: programs.apply, ENERGY: programs.energy, SETTLE: programs.settle}[column]
                row[column] = _address(program, types[column], kernels)
    if couples:
        found[0, COUPLE] = address_of(solve_coupled, seen)
    return found


def _address(program: Callable, types: tuple, kernels: tuple[ElementKernel, ...]) -> int:
    try:
        return address_of(program, types)
    except NumbaError as error:
        if kernels[0].own:
            raise
        message = f"the law of {kernels[0].home} cannot be compiled; {str(error).strip()}"
        raise WorldError([Fault(message, kernels[0].name)]) from error
