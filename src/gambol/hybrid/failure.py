"""Why a run of a hybrid system could not go on, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import Fault, HybridError, StepError, ZenoError
from gambol.hybrid.inputs import CHART, INVALID_FLOW, INVALID_STATE
from gambol.stepping.workspace import ERROR, STATE, TIME

if TYPE_CHECKING:
    from gambol.hybrid.run import HybridRun

SHOWN_STATES = 6  # in a message


def invalid_chart(run: HybridRun, world: int, cause: float) -> HybridError:
    """The error of a transition that led to no chart, or of a transition or a flow that led to where its chart is not
    valid."""
    if cause == INVALID_FLOW:
        cells = run.memory.of(world)
        chart, time = run.system.charts[int(cells[run.chart_inputs[CHART]])], cells[run.memory.clock(TIME)]
        x = cells[run.memory.section(STATE)][: chart.dimension]
        at = ", ".join(f"{name} = {value:.6g}" for name, value in zip(chart.states[:SHOWN_STATES], x))
        message = f"world {world}: the flow in chart {chart.name!r} leads to where the chart is not valid"
        return HybridError([Fault(f"{message}, by {time:.9g} s ({at}); a boundary may be missing", run.system.name)])
    last = run.changes.describe(run.recent_changes[world][-1])
    what = "ends where the chart is not valid" if cause == INVALID_STATE else "leads to a chart that does not exist"
    return HybridError([Fault(f"world {world}: the transition {last} {what}", run.system.name)])


def step_failure(run: HybridRun, world: int, cause: str, remedy: str) -> StepError:
    """The error of a step that could not be taken, with the state whose error was largest."""
    cells = run.memory.of(world)
    error = np.abs(cells[run.memory.section(ERROR)]) * run.error_scale
    error = np.where(np.isfinite(error), error, np.inf)
    chart = run.system.charts[int(cells[run.chart_inputs[CHART]])]
    worst = int(np.argmax(error))
    return StepError(
        f"{cause} in chart {chart.name!r}",
        time=float(cells[run.memory.clock(TIME)]),
        world=world,
        variable=chart.states[worst] if worst < chart.dimension else "",
        events=run._last_events(world),
        remedy=remedy,
    )


def zeno_failure(run: HybridRun, world: int) -> ZenoError:
    """The error of events that pile up, with the time at which they would."""
    rows = run.recent_changes.get(world, np.zeros((0, 5)))
    now = float(run.memory.of(world)[run.memory.clock(TIME)])
    times = np.append(rows[:, 1], now)
    gaps = np.diff(times)
    limit = now
    clear = np.flatnonzero(gaps > 1e6 * run.stepping.precision)  # shorter ones measure the locator
    if len(clear) > 1 and gaps[clear[-2]] > gaps[clear[-1]]:
        before, last = gaps[clear[-2]], gaps[clear[-1]]
        limit = float(times[clear[-1] + 1] + last**2 / (before - last))
    named = [run.changes.describe(row) for row in rows[-2:]]
    names = tuple(dict.fromkeys(f"{' + '.join(c.boundaries)} ({c.before} → {c.after})" for c in named))
    return ZenoError(time=now, world=world, events=names, gaps=tuple(map(float, gaps[-12:])), limit=limit)
