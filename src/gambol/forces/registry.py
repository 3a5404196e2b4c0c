"""From descriptions of force elements to arrays: runs of one type and ledger line, and where each element lies.

Nothing is registered: the type of an element is its class, in this package or the user's own, and what moves it is the
class's kernel (forces.kernel).
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.dynamics.couplings import Capacity
from gambol.errors import Fault, WorldError, nearest
from gambol.forces.element import Element
from gambol.forces.kernel import TABLE_PLACE, ElementKernel, kernel_of
from gambol.forces.programs import (
    FIRST_RUN,
    LAST_RUN,
    PROGRAM_COLUMNS,
    TYPE_COLUMNS,
    TYPE_COUNT,
    TYPE_PARAM,
    ProgramCall,
)

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout
    from gambol.forces.contact.terrain import Terrain


def element_types() -> tuple[type[Element], ...]:
    """The element types of this package."""
    modules = pkgutil.walk_packages(importlib.import_module(__package__).__path__, f"{__package__}.")
    found = []
    for name in sorted(info.name for info in modules):
        module = importlib.import_module(name)
        own = [x for _, x in inspect.getmembers(module, inspect.isclass) if x.__module__ == name]
        found += [x for x in own if issubclass(x, Element) and (x.kernel or hasattr(module, "PARAMETERS"))]
    return tuple(found)


class ElementRow(NamedTuple):
    """Where one kernel element is: its type, and where its parameters, indices, reports and states begin."""

    kernel: ElementKernel
    param: int = 0
    first_index: int = 0
    report: int = 0
    state: int = 0


class Switches(NamedTuple):
    """A run of elements that switch at known times."""

    kernel: ElementKernel
    cells: np.ndarray  # their parameters, (elements, parameters)


class Compiled(NamedTuple):
    """Elements as arrays, the programs that move them, names of what is integrated, and where each element lies."""

    table: np.ndarray
    indices: np.ndarray
    params: np.ndarray
    tables: np.ndarray
    calls: tuple[ProgramCall, ...]
    lines: tuple[str, ...]  # of the ledger; none where it is not kept
    meters: tuple[str, ...]  # further integrals: what elements measure
    states: np.ndarray  # what the integrated states of elements begin with
    weights: np.ndarray  # of each state in the error of a step
    rows: tuple[tuple[ElementRow, ...], ...]  # of each described element
    reports: int
    couplings: Capacity  # what they can enter at once; the joints of all bodies then end the indices

    @property
    def arrays(self):
        """What the kernels read: table of runs, indices, parameters, profile tables, programs still to be set."""
        programs = np.zeros((len(self.calls), PROGRAM_COLUMNS), np.int64)
        programs[:, [FIRST_RUN, LAST_RUN]] = [call[1:] for call in self.calls] or np.zeros((0, 2))
        return self.table, self.indices, self.params, self.tables, programs

    @property
    def switches(self) -> list[Switches]:
        """What acts at known times."""
        found = []
        for kernel, first, last in self.calls:
            for row in self.table[first:last]:
                if kernel.switched:
                    shape = (row[TYPE_COUNT], kernel.parameters)
                    found.append(Switches(kernel, row[TYPE_PARAM] + np.arange(shape[0] * shape[1]).reshape(shape)))
        return found


NO_ELEMENTS = (
    np.zeros((0, TYPE_COLUMNS), np.int64),
    np.zeros(0, np.int64),
    np.zeros(0),
    np.zeros(0),
    np.zeros((0, PROGRAM_COLUMNS), np.int64),
)


class _Run(NamedTuple):
    """Elements of one type that share a line."""

    measures: bool
    kernel: ElementKernel
    line: str


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

    `profiles` are the tables of motor ramps; they come first in the tables, the heights of a grid after them, then the
    tables of elements. `also` are ledger lines of what is no element. Where elements measure or have states, the lines
    are kept too.
    """
    names = [element.name for element in elements if element.name]
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise WorldError([Fault(f"two elements are called {name!r}", "world") for name in twice])
    groups: dict[_Run, list[tuple[int, list[int], list[float]]]] = {}
    for number, element in enumerate(elements):
        for indices, params in element.rows(layout):
            run = _Run(element.measures, kernel_of(element), element.line)
            groups.setdefault(run, []).append((number, indices, params))
    ordered, calls = _programs(groups)
    kept = ledger or any(run.measures or run.kernel.states for run in ordered)
    lines = ["commands", "drives", *also, *dict.fromkeys(run.line for run in ordered if not run.measures)]
    meters = list(dict.fromkeys(run.line for run in ordered if run.measures))
    heights = terrain.heights()
    flat_params = terrain.block(len(profiles))
    flat_tables, tables_at = list[float](), dict[int, int]()
    table: list[list[int]] = []
    flat_indices: list[int] = []
    states: list[float] = []
    weights: list[float] = []
    placed: list[list[ElementRow]] = [[] for _ in elements]
    reports = 0
    for run in ordered:
        kernel, rows = run.kernel, groups[run]
        cell = len(lines) + meters.index(run.line) if run.measures else lines.index(run.line) if kept else -1
        table.append([len(rows), len(flat_indices), len(flat_params), cell, reports])
        for number, indices, params in rows:
            if len(indices) != kernel.indices or len(params) != kernel.parameters:
                wrong = f"{len(indices)} indices and {len(params)} parameters"
                raise elements[number].fail(f"{wrong}, not {kernel.indices} and {kernel.parameters}")
            if kernel.tabled:
                if number not in tables_at:
                    tables_at[number] = len(profiles) + len(heights) + len(flat_tables)
                    flat_tables += elements[number].table(layout)
                for k in kernel.tabled:
                    indices[k] += tables_at[number]
            placed[number].append(ElementRow(kernel, len(flat_params), len(flat_indices), reports, len(states)))
            flat_indices += indices
            if kernel.states:
                flat_indices.append(len(lines) + len(meters) + len(states))
                states += elements[number].initial_states()
                weights += kernel.weights or [1.0] * len(kernel.states)
            flat_params += params
            reports += len(kernel.reports)
        if kernel.arrange:
            whole, numbers = kernel.arrange([(indices, params) for _, indices, params in rows])
            whole[TABLE_PLACE] = len(profiles) + len(heights) + len(flat_tables)
            flat_indices += whole
            flat_tables += numbers
    for element, own in zip(elements, placed):
        if element.reads:
            seen = placed[_called(elements, element)]
            for row in own:
                flat_indices[row.first_index : row.first_index + 3] = [seen[0].first_index, seen[0].param, len(seen)]
    for number, own in enumerate(placed):
        if (other := _partner(elements, number)) is not None:
            for row in own:
                flat_indices[row.first_index + row.kernel.partner] = len(lines) + len(meters) + placed[other][0].state
    owned = [row.kernel for rows in placed for row in rows]
    own_rows = [k.ends for k in owned if k.ends]
    pairs = sum(k.pairs for k in owned)
    couplings = Capacity.of(pairs=pairs, rows=len(own_rows), ends=sum(own_rows), parent=layout.parent)
    return Compiled(
        table=np.array(table, np.int64).reshape(-1, TYPE_COLUMNS),
        indices=np.concatenate([np.array(flat_indices, np.int64), couplings.tail(layout.joint_rows)]),
        params=np.array(flat_params, float),
        tables=np.concatenate([np.asarray(profiles, float), heights, np.asarray(flat_tables, float)]),
        calls=calls,
        lines=tuple(lines) if kept else (),
        meters=tuple(meters),
        states=np.array(states, float),
        weights=np.array(weights, float),
        rows=tuple(map(tuple, placed)),
        reports=reports,
        couplings=couplings,
    )


def _called(elements: Sequence[Element], reader: Element) -> int:
    """Number of the element that another one reads."""
    names = [element.name for element in elements]
    if reader.reads not in names:
        raise reader.fail(f"the element {reader.reads!r} that it reads is not in the world")
    return names.index(reader.reads)


def _partner(elements: Sequence[Element], number: int) -> int | None:
    """Number of the element that an element works on the states of."""
    name, kind = elements[number].partner()
    if not name:
        return None
    there = {e.name: k for k, e in enumerate(elements) if isinstance(e, kind)}
    if name not in there:
        raise elements[number].fail(f"no {kind.type_name()} is called {name!r}{nearest(name, there)}")
    return there[name]


def _programs(runs: Iterable[_Run]) -> tuple[list[_Run], tuple[ProgramCall, ...]]:
    """Runs in the order in which they act, type by type, and the programs that move them.

    What measures comes last and sees everything.
    """
    kernels = list(dict.fromkeys(run.kernel for run in runs))
    ordered = sorted(runs, key=lambda run: (run.measures, kernels.index(run.kernel)))
    calls, first = [], 0
    for kernel, own in itertools.groupby(ordered, lambda run: run.kernel):
        last = first + len(list(own))
        calls.append(ProgramCall(kernel, first, last))
        first = last
    return ordered, tuple(calls)
