"""What loops over batches need beside running them: worlds put elsewhere one by one, clocks that begin anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.stepping import given
from gambol.stepping.workspace import STEP

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation


def place(sim: Simulation, worlds: Sequence[int] | np.ndarray, q: Any, v: Any) -> None:
    """See Simulation.place."""
    memory, chosen = sim.memory, sim.memory.chosen(worlds)
    if sim.energy_ledger:
        raise WorldError([Fault("a world with a ledger is moved by assigning q and v", "simulation")])
    for indices, values, what in ((memory.positions, q, "positions"), (memory.speeds, v, "speeds")):
        if values is not None:
            memory.write(indices, given.array(values, what, "simulation", sim._names(what)), what, chosen)
    if len(sim.watched):
        memory.rearm_boundaries(map(int, chosen))
    shorten_steps(sim, chosen)


def shorten_steps(sim: Simulation, worlds: np.ndarray) -> None:
    """After a jump of their state: what was a good step says nothing of what comes now."""
    memory, most = sim.memory, sim.stepping.longest_start
    if math.isfinite(most) and len(worlds):
        cell = [memory.clock(STEP)]
        now = memory.read(cell).reshape(-1, 1)[worlds]
        memory.write(cell, np.minimum(now, sim.dtype(most)), "steps", worlds)


def shift_clock(sim: Simulation, by: float) -> None:
    """See Simulation.shift_clock.

    A batch in float32 that runs for hours counts its time in pieces, because its clocks have seven digits.
    """
    by = given.number(by, "the shift of a clock", "simulation", allowed="a finite number of seconds")
    if sim.controllers or sim._switches:
        what = type(sim.controllers[0]).__name__ if sim.controllers else "a force element"
        raise WorldError([Fault(f"{what} keeps times of its own: the clock cannot be shifted", "simulation")])
    sim.memory.shift_clock(by)
    sim.elements.shift_ramps(by)
    sim.timetable.shift(by)
    sim.schedule = tuple(replace(due, time=due.time + by) for due in sim.schedule)
