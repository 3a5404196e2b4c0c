"""How force elements are compiled. Each type is one module with the same contract, in this package or the user's own.

A module has
    a description   the frozen dataclass that people write (a subclass of Element); `rows(layout)` gives the
                    (indices, parameters) of its kernel elements
    INDICES, PARAMETERS   how many of each one element has
    NUMBERS, RAMPS        names of its single parameters, and of its ramped ones (forces.ramp), with their places
    REPORTS               names of what an element can say of itself at a moment, such as its force
and jitted functions over a run of elements of this type:
    apply(model, motion, t, h, index, param, count, line)   adds forces; for h > 0 also their implicit impedance
    energy(model, motion, t, index, param, count)           stored energy [J]
    report(model, motion, t, index, param, count, out, first)   REPORTS of each element (if it has any)
    settle(model, motion, t, moved, index, param, count)    optional: after an accepted step, changes what is discrete
                                                            (broken, stuck) where `moved` > 0
Elements that act at known times have a parameter number SWITCH and a plain function
    switched(numbers, time, rounding)   its value at a time and when it changes next [s], for arrays of parameters
and no step passes such a time.

`apply` sees bodies placed and located. With h = 0 it adds plain forces; with h > 0 it also adds the impedance of the
linearly implicit step, h·damping + h²·stiffness, through `push_joint` and `push_point` (forces.push), and the power it
delivers goes to ledger line `line` where that is not negative.

The functions of the types that a world uses make its *programs* (forces.programs).
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.forces.programs import COUNT, ELEMENT, PARAM, TYPE

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout
    from gambol.forces.contact.terrain import Terrain
    from gambol.forces.element import Element


def element_modules() -> tuple[ModuleType, ...]:
    """The element types of this package."""
    found = pkgutil.walk_packages(importlib.import_module(__package__).__path__, f"{__package__}.")
    modules = [importlib.import_module(name) for name in sorted(info.name for info in found)]
    return tuple(m for m in modules if hasattr(m, "PARAMETERS"))


# ---------------------------------------------------------------- descriptions to arrays
class ElementRow(NamedTuple):
    """Where one kernel element is: its type, and where its parameters, indices and reports begin."""

    module: ModuleType
    param: int
    first_index: int
    report: int

    @property
    def report_names(self) -> tuple[str, ...]:
        """Names of what it reports."""
        return getattr(self.module, "REPORTS", ())


class Switches(NamedTuple):
    """A run of elements that switch at known times."""

    module: ModuleType
    cells: np.ndarray  # their parameters, (elements, PARAMETERS)


class Compiled(NamedTuple):
    """Elements as arrays, the types they are of, the names of the ledger's lines, and where each element lies."""

    table: np.ndarray
    indices: np.ndarray
    params: np.ndarray
    tables: np.ndarray
    modules: tuple[ModuleType, ...]
    lines: tuple[str, ...]  # of the ledger
    meters: tuple[str, ...]  # further integrals: what elements measure
    rows: tuple[tuple[ElementRow, ...], ...]  # of each described element
    reports: int

    @property
    def arrays(self):
        """What the kernels read: table of runs, indices, parameters, profile tables."""
        return self.table, self.indices, self.params, self.tables

    @property
    def switches(self) -> list[Switches]:
        """What acts at known times."""
        found = []
        for row in self.table:
            module = self.modules[row[TYPE]]
            if hasattr(module, "switched"):
                cells = row[PARAM] + np.arange(row[COUNT] * module.PARAMETERS).reshape(row[COUNT], module.PARAMETERS)
                found.append(Switches(module, cells))
        return found


NO_ELEMENTS = (np.zeros((0, ELEMENT), np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


def module_of(element: Element) -> ModuleType:
    """The module whose functions move an element: that of its class."""
    module = sys.modules[type(element).__module__]
    missing = [name for name in ("INDICES", "PARAMETERS", "apply", "energy") if not hasattr(module, name)]
    if missing:
        raise element.fail(f"its module {module.__name__} has no {', '.join(missing)} (see gambol.forces.registry)")
    return module


def compile_elements(
    elements: Sequence[Element],
    layout: Layout,
    terrain: Terrain,
    profiles: Sequence[float] = (),
    *,
    ledger: bool,
    also: Sequence[str] = (),
) -> Compiled:
    """Sorts elements into runs of one type and line; the terrain's block comes first in the parameters.

    `profiles` are the tables of motor ramps; they come first in the tables, the heights of a grid after them. `also`
    are ledger lines of what is no element.
    """
    names = [element.name for element in elements if element.name]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise WorldError([Fault(f"two elements are called {name!r}", "world") for name in twice])
    modules = sorted({module_of(e) for e in elements}, key=lambda m: m.__name__)
    groups: dict[tuple[bool, ModuleType, str], list[tuple[int, list[int], list[float]]]] = {}
    for number, element in enumerate(elements):
        for indices, params in element.rows(layout):
            key = (element.measures, module_of(element), element.line)
            groups.setdefault(key, []).append((number, indices, params))
    ordered = sorted(groups, key=lambda key: key[0])  # what measures comes last and sees everything
    lines = ["commands", "drives", *also, *dict.fromkeys(line for measures, _, line in ordered if not measures)]
    meters = list(dict.fromkeys(line for measures, _, line in ordered if measures))
    heights = terrain.heights()
    flat_params = terrain.block(len(profiles))
    table: list[list[int]] = []
    flat_indices: list[int] = []
    placed: list[list[ElementRow]] = [[] for _ in elements]
    reports = 0
    for measures, module, line in ordered:
        rows = groups[measures, module, line]
        cell = (len(lines) if ledger else 0) + meters.index(line) if measures else lines.index(line) if ledger else -1
        table.append([modules.index(module), len(rows), len(flat_indices), len(flat_params), cell, reports])
        for number, indices, params in rows:
            if len(indices) != module.INDICES or len(params) != module.PARAMETERS:
                wrong = f"{len(indices)} indices and {len(params)} parameters"
                raise elements[number].fail(f"{wrong}, not {module.INDICES} and {module.PARAMETERS}")
            placed[number].append(ElementRow(module, len(flat_params), len(flat_indices), reports))
            flat_indices += indices
            flat_params += params
            reports += len(getattr(module, "REPORTS", ()))
    return Compiled(
        np.array(table, np.int64).reshape(-1, ELEMENT),
        np.array(flat_indices, np.int64),
        np.array(flat_params, float),
        np.concatenate([np.asarray(profiles, float), heights]),
        tuple(modules),
        tuple(lines),
        tuple(meters),
        tuple(map(tuple, placed)),
        reports,
    )
