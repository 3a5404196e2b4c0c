"""How a run begins: parameters, charts and states of its worlds, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, HybridError
from gambol.hybrid.system import HybridSystem
from gambol.stepping.workspace import INPUTS, STATE

if TYPE_CHECKING:
    from gambol.hybrid.run import HybridRun


def parameter_table(system: HybridSystem, worlds: int, given: Mapping[str, Any]) -> np.ndarray:
    """(worlds, parameters): the system's own, with others in their place."""
    system.with_parameters({name: float(np.ravel(v)[0]) for name, v in given.items()})
    table = np.tile(np.array(system.p, float), (worlds, 1)).reshape(worlds, -1)
    for name, value in given.items():
        column = np.asarray(value, float)
        if column.shape not in {(), (worlds,)}:
            message = f"parameter {name} must be one number or {worlds}, not of shape {column.shape}"
            raise HybridError([Fault(message, system.name)])
        table[:, system.p._fields.index(name)] = column
    return table


def chart_column(system: HybridSystem, worlds: int, chart: str | int | Sequence[int]) -> np.ndarray:
    """(worlds,): one for all, or each its own."""
    if isinstance(chart, str | int | np.integer):
        return np.full(worlds, system.chart_number(chart), float)
    found = np.array([system.chart_number(c) for c in chart], float)
    if len(found) != worlds:
        raise HybridError([Fault(f"one chart, or {worlds} of them, not {len(found)}", system.name)])
    return found


def pad_state(system: HybridSystem, x: Any, charts: np.ndarray) -> np.ndarray:
    """The state with zeros up to the largest dimension."""
    array = np.asarray(x, float)
    sizes = {system.charts[int(c)].dimension for c in charts} | {system.dimension}
    if array.ndim not in (1, 2) or array.shape[-1] not in sizes:
        chart = system.charts[int(charts[0])]
        message = f"x must have the {chart.dimension} states of chart {chart.name!r}, not shape {array.shape}"
        raise HybridError([Fault(message, system.name)])
    missing = system.dimension - array.shape[-1]
    return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, missing)])


def check_start(run: HybridRun, charts: np.ndarray) -> None:
    """A start outside the patch of its chart is refused."""
    valid, where = type(run.system).valid, run.system.name
    h = run.boundary_values()
    slots = run.compiled.slots
    for world, chart in enumerate(charts.astype(int)):
        x = run.memory.of(world)[run.memory.section(STATE)][: run.system.charts[chart].dimension]
        p = run.system.Parameters(*run.memory.of(world)[run.memory.section(INPUTS)[: len(run.system.p)]])
        name = run.system.charts[chart].name
        if valid is not None and not valid(chart, float(np.max(run.time)), x, p):
            raise HybridError([Fault(f"world {world}: the start is not valid in chart {name!r}", where)])
        outside = np.flatnonzero((slots.directions == -1) & (h[world] < -run.stepping.touch_tolerance))
        edges = [run.system.charts[chart].boundaries[slots.place[chart, k]].name for k in outside]
        if edges:
            first = f"boundary {edges[0]!r} is {h[world][outside[0]]:.6g} beyond its target"
            raise HybridError([Fault(f"world {world}: the start lies outside chart {name!r}: {first}", where)])
