"""What elements report of the moment, by the programs of their types, called by address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from gambol.forces.programs import PROGRAM_COLUMNS, PROGRAM_REPORT, program_addresses
from gambol.math.pack import numbers, zeros
from gambol.stepping.workspace import CLOCK_SECTION
from gambol.world.flow import report_row

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation


class Reports:
    """The reports of a simulation; a type's program is compiled when it is first asked for."""

    def __init__(self, sim: Simulation):
        self._sim = sim
        self._programs = np.zeros((len(sim.compiled.calls), PROGRAM_COLUMNS), np.int64)

    def of(self, places: Iterable[int]) -> np.ndarray:
        """(reports,) or (worlds, reports), of the types at these places in `compiled.calls`; the others' are zero.

        Forces at joints, which meters report, are those of the last evaluation.
        """
        sim, chosen = self._sim, list(places)
        memory, clock = sim.memory, int(sim.memory.offsets[CLOCK_SECTION])
        out = zeros((memory.rows, max(sim.compiled.reports, 1)), sim.dtype, memory.lanes)
        for place in chosen:
            if not self._programs[place, PROGRAM_REPORT]:
                call = [sim.compiled.calls[place]]
                self._programs[place] = program_addresses(call, *sim._row(0), which=(PROGRAM_REPORT,))
        programs = np.zeros_like(self._programs)
        programs[chosen] = self._programs[chosen]
        for k in range(memory.rows) if chosen else ():
            report_row(*sim._row(k), programs, memory.array[k, clock:], out[k])
        return memory.read(np.arange(sim.compiled.reports), numbers(out))
