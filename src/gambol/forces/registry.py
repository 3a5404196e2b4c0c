"""The registry of force elements. Each type is one module of this package with the same contract.

A module has
    KIND         a unique small number; NAME
    Description  the frozen dataclass that people write; `rows(layout)` gives (indices, parameters) of its elements
    INDICES, PARAMETERS   how many of each one element has
and two jitted functions over a run of elements of this type:
    apply(model, motion, t, h, index, param, count, line)   adds forces; for h > 0 also their implicit impedance
    energy(model, motion, t, index, param, count)           stored energy [J]
`apply` sees bodies placed and located. With h = 0 it adds plain forces; with h > 0 it also adds the impedance of the
linearly implicit step, h·damping + h²·stiffness, through `push_joint` and `push_point` (forces.push), and the power it
delivers goes to ledger line `line`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import gambol.forces as _package
from gambol.errors import Fault, WorldError
from gambol.jit import choice, function, outlined
from gambol.math.scalar import constant, load, store

if TYPE_CHECKING:
    from gambol.forces.element import Element
    from gambol.world.layout import Layout

# Columns of the element table
KIND, COUNT, INDEX, PARAM, LINE, ELEMENT = 0, 1, 2, 3, 4, 5
NO_ELEMENTS = (np.zeros((0, ELEMENT), np.int64), np.zeros(0, np.int64), np.zeros(0))
# Ledger lines that every world has
COMMANDS, DRIVES, LINES = 0, 1, 2


def _registered():
    names = [info.name for info in pkgutil.iter_modules(_package.__path__) if info.name != "registry"]
    modules = [importlib.import_module(f"{_package.__name__}.{name}") for name in names]
    modules = sorted((m for m in modules if hasattr(m, "KIND")), key=lambda m: m.KIND)
    kinds = [m.KIND for m in modules]
    if kinds != list(range(len(kinds))):
        raise ImportError(f"element kinds must be 0, 1, 2, …; found {dict(zip((m.NAME for m in modules), kinds))}")
    return tuple(modules)


ELEMENTS = _registered()
BY_DESCRIPTION = {module.Description: module for module in ELEMENTS}
apply_run = choice([m.apply for m in ELEMENTS], "model, motion, t, h, index, param, count, line")
energy_run = choice([m.energy for m in ELEMENTS], "model, motion, t, index, param, count")


@outlined
def apply_elements(model, motion, t, h):
    """Adds the forces of every element."""
    table = model.elements
    for e in range(table.shape[0]):
        apply_run(
            table[e, KIND],
            model,
            motion,
            t,
            h,
            table[e, INDEX],
            table[e, PARAM],
            table[e, COUNT],
            table[e, LINE],
        )


@outlined
def stored_energies(model, motion, t, out):
    """Stored energy of every run of elements [J]."""
    table = model.elements
    for e in range(table.shape[0]):
        energy = energy_run(
            table[e, KIND], model, motion, t, table[e, INDEX], table[e, PARAM], table[e, COUNT]
        )
        store(out, e, energy)


@function
def clear_ledger(motion):
    for k in range(motion.zrate.shape[0]):
        store(motion.zrate, k, constant(load(motion.zrate, k), 0.0))


class Compiled(NamedTuple):
    """Elements as arrays, the names of the ledger's lines, and where each element's parameters lie."""

    table: np.ndarray
    indices: np.ndarray
    params: np.ndarray
    lines: tuple[str, ...]
    places: dict[str, slice]


def compile_elements(elements: Sequence[Element], layout: Layout, *, ledger: bool) -> Compiled:
    """Sorts elements into runs of one type and ledger line."""
    names = [element.name for element in elements if element.name]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise WorldError([Fault(f"two elements are called {name!r}", "world") for name in twice])
    groups: dict[tuple[int, str], list[tuple[str, list[int], list[float]]]] = {}
    for element in elements:
        module = BY_DESCRIPTION[type(element)]
        for indices, params in element.rows(layout):
            groups.setdefault((module.KIND, element.line), []).append((element.name, indices, params))
    lines = ["commands", "drives", *dict.fromkeys(line for _, line in groups)]
    table, flat_indices, flat_params = [], [], []
    places: dict[str, slice] = {}
    for (kind, line), rows in groups.items():
        table.append([kind, len(rows), len(flat_indices), len(flat_params), lines.index(line) if ledger else -1])
        for name, indices, params in rows:
            if name:
                start = places[name].start if name in places else len(flat_params)
                places[name] = slice(start, len(flat_params) + len(params))
            flat_indices += indices
            flat_params += params
    return Compiled(
        np.array(table, np.int64).reshape(-1, ELEMENT),
        np.array(flat_indices, np.int64),
        np.array(flat_params, float),
        tuple(lines),
        places,
    )
