"""The compiled code of a world's force elements: one program for each thing they do, called by address.

The march is compiled once for all worlds; what depends on the element types that a world uses is compiled apart.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numba import typeof
from numba import types as nb

from gambol.jit import JIT_ON, address_of, choice, entry, function
from gambol.math.pack import element_type
from gambol.math.scalar import align_stack, constant, load, store

# Columns of the element table
TYPE, COUNT, INDEX, PARAM, LINE, FIRST_REPORT, ELEMENT = 0, 1, 2, 3, 4, 5, 6
# Places in a model's `programs`: addresses of compiled code, 0 where there is none
APPLY, ENERGY, SETTLE, PROGRAMS = 0, 1, 2, 3
# Ledger lines that every world has
COMMANDS, DRIVES = 0, 1


@function
def clear_ledger(motion):
    """Powers of all ledger lines to zero, before the elements add theirs."""
    for k in range(motion.zrate.shape[0]):
        store(motion.zrate, k, constant(load(motion.zrate, k), 0.0))


class Programs(NamedTuple):
    """The compiled functions of a set of element types."""

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
def programs_of(modules: tuple[ModuleType, ...]) -> Programs:
    """The four programs of a set of element types, jitted."""
    apply_run = choice([m.apply for m in modules], "model, motion, t, h, index, param, count, line")
    energy_run = choice([m.energy for m in modules], "model, motion, t, index, param, count")
    reports = [getattr(m, "report", _nothing_reported) for m in modules]
    report_run = choice(reports, "model, motion, t, index, param, count, out, first")
    settles = [getattr(m, "settle", _nothing_settled) for m in modules]
    settle_run = choice(settles, "model, motion, t, moved, index, param, count")

    def apply_elements(model, motion, t, h):
        align_stack(motion.work)
        table = model.elements
        for e in range(table.shape[0]):
            r = table[e]
            apply_run(r[TYPE], model, motion, t, h, r[INDEX], r[PARAM], r[COUNT], r[LINE])

    def stored_energies(model, motion, t, out):
        table = model.elements
        for e in range(table.shape[0]):
            r = table[e]
            store(out, e, energy_run(r[TYPE], model, motion, t, r[INDEX], r[PARAM], r[COUNT]))

    def report_elements(model, motion, clock, out):
        table = model.elements
        t = load(clock, 0)
        for e in range(table.shape[0]):
            r = table[e]
            report_run(r[TYPE], model, motion, t, r[INDEX], r[PARAM], r[COUNT], out, r[FIRST_REPORT])

    def settle_elements(model, motion, t, moved):
        table = model.elements
        for e in range(table.shape[0]):
            r = table[e]
            settle_run(r[TYPE], model, motion, t, moved, r[INDEX], r[PARAM], r[COUNT])

    names = tuple(m.__name__ for m in modules)
    made = [
        entry(f, recipe=" ".join(names), sources=names, small=len(names) < 4)
        for f in (apply_elements, stored_energies, report_elements, settle_elements)
    ]
    return Programs(*made)


def number_type(array: np.ndarray):
    """The Numba type of an array's numbers: float32, float64 or a pack."""
    kind = typeof(array)
    return element_type(kind) or kind.dtype


def program_addresses(modules: tuple[ModuleType, ...], model, motion, *, which: Sequence[int]) -> np.ndarray:
    """Addresses of the programs of these element types, for worlds of this number type."""
    addresses = np.zeros(PROGRAMS, np.int64)
    if not modules:
        return addresses
    programs = programs_of(modules)
    seen, number = (typeof(model), typeof(motion)), number_type(motion.q) if JIT_ON else nb.float64
    if APPLY in which:
        addresses[APPLY] = address_of(programs.apply, (*seen, number, number))
    if ENERGY in which:
        addresses[ENERGY] = address_of(programs.energy, (*seen, number, typeof(motion.q)))
    if SETTLE in which and any(hasattr(m, "settle") for m in modules):
        addresses[SETTLE] = address_of(programs.settle, (*seen, number, number))
    return addresses
