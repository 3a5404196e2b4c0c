"""Why a run could not go on: which variable, how stiff, after which events, and what to do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import StepError
from gambol.stepping.given import SHOWN, odd_ones
from gambol.stepping.workspace import ERROR, TIME

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation


def step_failure(sim: Simulation, world: int, cause: str, remedy: str) -> StepError:
    """The error for a world that cannot go on."""
    memory = sim.memory
    cells = memory.of(world)
    error = np.abs(cells[int(memory.offsets[ERROR]) : int(memory.offsets[ERROR + 1])]) * sim.error_scale
    error = np.where(np.isfinite(error), error, np.inf)
    if odd := not_finite(sim, world):
        cause, remedy = f"{cause}: {odd}", "give finite numbers; where they come from is named"
    return StepError(
        cause,
        time=float(cells[memory.clock(TIME)]),
        world=world,
        variable=variable_name(sim, int(np.argmax(error))),
        time_scale=fastest_time_scale(sim, world),
        events=sim._last_events(world),
        remedy=remedy,
    )


def not_finite(sim: Simulation, world: int) -> str:
    """What a world was given, or computes at this moment, that is not finite; "" where all is."""
    memory, layout, cells = sim.memory, sim.layout, sim.memory.of(world)
    parts = {
        "commands": (memory.commands, layout.speed_names),
        "positions": (memory.positions, layout.coordinate_names),
        "speeds": (memory.speeds, layout.speed_names),
    }
    for what, (where, names) in parts.items():
        if found := odd_ones(cells[where].astype(float), names):
            return f"{what} are not finite: {', '.join(found[:SHOWN])}"
    if sim.world.constraints:
        return ""
    table = np.atleast_2d(sim.all_reports())[world]
    own: list[str] = []
    for element, rows in zip(sim.world.elements, sim.compiled.rows):
        for row in rows:
            values = table[row.report : row.report + len(row.kernel.reports)]
            own += [f"{element.where} reports {odd}" for odd in odd_ones(values, row.kernel.reports)]
    if own:
        return ", ".join(own[:SHOWN])
    acceleration = np.atleast_2d(sim.acceleration)[world]
    found = odd_ones(acceleration.astype(float), layout.speed_names)
    return f"accelerations are not finite: {', '.join(found[:SHOWN])}" if found else ""


def variable_name(sim: Simulation, index: int) -> str:
    """What the tangent variable `index` of the kernel is."""
    nv = sim.layout.nv
    names = dict(zip(sim.layout.speed_order.tolist(), sim.layout.speed_names))
    if index < nv:
        return f"the position {names[index]}"
    return f"the speed {names[index - nv]}" if index < 2 * nv else "the energy ledger"


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # rates may be beyond all numbers
def fastest_time_scale(sim: Simulation, world: int = 0, tries: int = 12) -> float:
    """About 1/|λ| of the fastest mode [s] of a world as it stands: power iteration on differences of the rates.

    The state's change over a small displacement is compared with the displacement; nan where nothing is finite.
    """
    from gambol.world.simulation import Simulation

    cells = sim.memory.of(world)
    q, v = cells[sim.memory.positions].astype(float), cells[sim.memory.speeds].astype(float)
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
        return math.nan
    probe = Simulation(sim.world, stepping="euler", ledger=False)
    probe.reset(q, v, time=float(cells[sim.memory.clock(TIME)]))
    rest = probe.acceleration
    rng = np.random.default_rng(0)
    dq, dv = rng.normal(size=len(v)), rng.normal(size=len(v))
    rate = last = 0.0
    for _ in range(tries):
        size = math.sqrt(dq @ dq + dv @ dv)
        if not size > 0:
            return math.inf
        step = 1e-7 / size
        probe.reset(sim.mechanics.displaced(q, dq * step), v + dv * step, time=float(probe.time))
        change = (probe.acceleration - rest) / step
        if not np.all(np.isfinite(change)):
            return math.nan
        dq, dv = dv, change
        rate, last = math.sqrt(dq @ dq + dv @ dv) / size, rate
    # an oscillation grows by 1 and ω² in turn: two passes together make ω²
    return 1.0 / math.sqrt(rate * last) if rate * last > 0 else math.inf
