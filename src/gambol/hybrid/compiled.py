"""A model's functions as machine code that the march calls by address.

Every function becomes an equation (t, x, inputs, out), where inputs holds the parameters, the number of the chart and
a few counters (hybrid.inputs).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numba import float64, njit, types

from gambol.errors import Fault, HybridError
from gambol.hybrid.boundary_slots import BoundarySlots, assign_slots
from gambol.hybrid.inputs import CHART, INVALID_FLOW, INVALID_STATE, TRANSITION_FAULT, UNKNOWN_CHART
from gambol.hybrid.system import HybridSystem
from gambol.jit import JIT_ON, address_of, code_digest, entry, function
from gambol.jit.machine import lanes_for
from gambol.math.pack import Pack, pack_dtype
from gambol.math.scalar import constant, load, store
from gambol.stepping.ode import EQUATION

PACK_LANES = lanes_for(8)


@dataclass(frozen=True)
class CompiledSystem:
    """Addresses of a model's functions, for single worlds and for packs."""

    slots: BoundarySlots
    flow: int
    boundaries: int
    transition: int
    observe: int
    valid: int = 0
    packed_flow: int = 0
    packed_boundaries: int = 0


def packed_equation(lanes: int = PACK_LANES) -> tuple[types.Type, ...]:
    """Argument types of an equation of packs."""
    from numba import from_dtype

    cells = types.Array(from_dtype(pack_dtype(np.float64, lanes)), 1, "C")
    return (Pack(float64, lanes), cells, cells, cells)


@cache
def compile_system(system: type[HybridSystem], lanes: int = 0) -> CompiledSystem:
    """The machine code of a model; `lanes`: also for packs of so many worlds."""
    slots = assign_slots(system)
    try:
        made = CompiledSystem(
            slots,
            address_of(_flow(system), EQUATION),
            address_of(_boundaries(system, slots), EQUATION) if slots.count else 0,
            address_of(_transition(system, slots), EQUATION) if slots.count else 0,
            address_of(_equation(system, system.observe, "observe"), EQUATION) if system.observe else 0,
            address_of(_validity(system, system.valid), EQUATION) if system.valid else 0,
        )
        if not lanes:
            return made
        packed = packed_equation(lanes)
        flow = address_of(_packed(system, system.flow, "flow"), packed)
        edges = address_of(_packed(system, system.boundaries, "boundaries"), packed) if slots.count else 0
        return replace(made, packed_flow=flow, packed_boundaries=edges)
    except Exception as error:
        if isinstance(error, HybridError) or not type(error).__module__.startswith("numba"):
            raise
        raise HybridError([Fault(f"cannot be compiled: {cause_of(error)}", system.__name__)]) from error


def cause_of(error: Exception) -> str:
    """The lines of a compiler's message that say what was wrong."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()]
    telling = [line for line in lines if re.search(r"Error|Unknown|Cannot|No implementation|Invalid use", line)]
    places = [line for line in lines if line.startswith("File ") and "numba" not in line]
    return "; ".join(dict.fromkeys((telling or lines)[:2] + places[-1:]))


# ---------------------------------------------------------------- pieces
def jitted(given: Callable) -> Callable:
    """A user's function for jitted code; as written (no reassociation) unless it was jitted before."""
    return given if hasattr(given, "py_func") or not JIT_ON else njit(error_model="numpy")(given)


def parameter_unpacker(parameters: type) -> Callable:
    """Jitted function of inputs that gives the parameters by name."""
    places = ", ".join(f"load(inputs, {k})" for k in range(len(parameters._fields)))  # type: ignore[attr-defined]
    scope: dict[str, Any] = {"P": parameters, "load": load}
    exec(f"def named(inputs):\n    return P({places})\n", scope)
    return function(scope["named"])


def _entry(system: type[HybridSystem], equation: Callable, given: Callable, *more: Any) -> Any:
    fields = system.Parameters._fields  # type: ignore[attr-defined]
    recipe = " ".join(map(code_digest, (equation, given, fields, system.__name__, *more)))
    ours = tuple(m for m in (*system.source_modules, given.__module__) if m.startswith("gambol."))
    return entry(equation, recipe=recipe, sources=ours, fast=False)


def _dimensions(system: type[HybridSystem]) -> np.ndarray:
    return np.array([c.dimension for c in system.charts], np.int64)


def _flow(system: type[HybridSystem]) -> Any:
    rates, named, dimensions = jitted(system.flow), parameter_unpacker(system.Parameters), _dimensions(system)
    place = len(system.Parameters._fields) + CHART  # type: ignore[attr-defined]

    def equation(t, x, inputs, out):
        chart = int(inputs[place])
        n = dimensions[chart]
        rates(chart, t, x[:n], named(inputs), out[:n])
        out[n:] = 0.0

    return _entry(system, equation, system.flow, dimensions)


def _equation(system: type[HybridSystem], given: Callable, what: str) -> Any:
    wanted, named, dimensions = jitted(given), parameter_unpacker(system.Parameters), _dimensions(system)
    place = len(system.Parameters._fields) + CHART  # type: ignore[attr-defined]

    def equation(t, x, inputs, out):
        chart = int(inputs[place])
        wanted(chart, t, x[: dimensions[chart]], named(inputs), out)

    return _entry(system, equation, given, what, dimensions)


def _validity(system: type[HybridSystem], given: Callable) -> Any:
    """(t, x, inputs, unused): inputs[TRANSITION_FAULT] is set where x may not be in its chart."""
    valid, named, dimensions = jitted(given), parameter_unpacker(system.Parameters), _dimensions(system)
    place = len(system.Parameters._fields) + CHART  # type: ignore[attr-defined]
    fault = place - CHART + TRANSITION_FAULT

    def equation(t, x, inputs, out):
        chart = int(inputs[place])
        if not valid(chart, t, x[: dimensions[chart]], named(inputs)):
            inputs[fault] = INVALID_FLOW

    return _entry(system, equation, given, "valid", dimensions)


def _boundaries(system: type[HybridSystem], slots: BoundarySlots) -> Any:
    if system.boundaries is None:
        raise HybridError([Fault("no boundaries", system.__name__)])
    edges, named, dimensions = jitted(system.boundaries), parameter_unpacker(system.Parameters), _dimensions(system)
    place = len(system.Parameters._fields) + CHART  # type: ignore[attr-defined]
    counts = np.array([len(c.boundaries) for c in system.charts], np.int64)
    slot, value, parameter = slots.slot, slots.value, slots.parameter

    def plain(t, x, inputs, out):
        chart = int(inputs[place])
        out[:] = 1.0
        edges(chart, t, x[: dimensions[chart]], named(inputs), out)

    def sorted_out(t, x, inputs, out):
        chart = int(inputs[place])
        own = np.ones(counts[chart])
        edges(chart, t, x[: dimensions[chart]], named(inputs), own)
        out[:] = 1.0
        for j in range(counts[chart]):
            target = value[chart, j] if parameter[chart, j] < 0 else inputs[parameter[chart, j]]
            out[slot[chart, j]] = own[j] - target

    chosen = plain if slots.plain else sorted_out
    return _entry(system, chosen, system.boundaries, slot, value, parameter, counts, dimensions)


def _transition(system: type[HybridSystem], slots: BoundarySlots) -> Any:
    """(t, x, inputs, fired): fired by slots; inputs[CHART] becomes the next chart."""
    given = system.transition or _stay
    has_own = system.transition is not None
    change, named, dimensions = jitted(given), parameter_unpacker(system.Parameters), _dimensions(system)
    valid, checks = jitted(system.valid or _always), system.valid is not None
    place = len(system.Parameters._fields) + CHART  # type: ignore[attr-defined]
    wrong = place - CHART + TRANSITION_FAULT
    counts = np.array([len(c.boundaries) for c in system.charts], np.int64)
    charts = [c.name for c in system.charts]
    to = np.full(slots.slot.shape, -1, np.int64)
    for c, chart in enumerate(system.charts):
        for j, boundary in enumerate(chart.boundaries):
            to[c, j] = charts.index(boundary.to) if boundary.to is not None else c
    slot = slots.slot

    def equation(t, x, inputs, fired):
        chart = int(inputs[place])
        own = np.zeros(counts[chart])
        following = chart
        for j in range(counts[chart] - 1, -1, -1):
            own[j] = fired[slot[chart, j]]
            if own[j] > 0.0:
                following = to[chart, j]
        if has_own:
            following = change(chart, t, x, named(inputs), own)
        if following < 0 or following >= dimensions.shape[0]:
            inputs[wrong] = UNKNOWN_CHART
        else:
            x[dimensions[following] :] = 0.0
            if checks and not valid(following, t, x[: dimensions[following]], named(inputs)):
                inputs[wrong] = INVALID_STATE
        inputs[place] = following

    return _entry(system, equation, given, slot, to, dimensions, system.valid or _always)


def _stay(chart, t, x, p, fired):
    return chart


def _always(chart, t, x, p):
    return True


def _packed(system: type[HybridSystem], given: Callable | None, what: str) -> Any:
    if given is None:
        raise HybridError([Fault(f"no {what}", system.__name__)])
    wanted, named = jitted(given), parameter_unpacker(system.Parameters)
    place = len(system.Parameters._fields) + CHART  # type: ignore[attr-defined]

    def equation(t, x, inputs, out):
        for k in range(out.shape[0]):
            store(out, k, constant(t, 1.0))
        wanted(load(inputs, place), t, x, named(inputs), out)

    return _entry(system, equation, given, what)
