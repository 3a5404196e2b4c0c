"""The memory of a simulation: where the quantities of a world are in its row of cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.dynamics.constraints.tables import room_sizes, saved_sizes
from gambol.dynamics.couplings import LEFT_OUT, Capacity
from gambol.dynamics.layout import Layout
from gambol.dynamics.workspace import SPARE_NUMBERS
from gambol.stepping.memory import Rows
from gambol.stepping.workspace import INPUTS, SCRATCH, STATE, sections
from gambol.world.flow import scratch_size


class ConstraintCells:
    """Cells that constraints need in a row, by name (dynamics.constraints.tables)."""

    def __init__(self, *, params: int, groups: int, rows: int, speeds: int, positions: int):
        self.saved = saved_sizes(params, groups, rows)
        self.room = room_sizes(rows, speeds, positions)
        self._sizes = [rows, groups, params, speeds]
        self.offsets: list[int] = []
        self.cells: dict[str, np.ndarray] = {}

    def placed(self, saved: int, room: int) -> ConstraintCells:
        """With the cells of every part, saved ones from `saved` on and the others from `room` on."""
        self.offsets = [saved, room, *self._sizes]
        for begin, sizes in ((saved, self.saved), (room, self.room)):
            at = begin
            for name, size in sizes.items():
                self.cells[name] = np.arange(at, at + size)
                at += size
        return self


class Memory(Rows):
    """Cells of `worlds` worlds, and which cells hold what, in description order."""

    def __init__(
        self,
        layout: Layout,
        *,
        worlds: int,
        lanes: int,
        dtype: Any,
        boundaries: int,
        lines: int,
        states: int,
        parameters: int,
        constants: int,
        stages: int,
        couplings: Capacity,
        constraint_cells: ConstraintCells | None = None,
    ):
        n, nq, nv = len(layout.parent), layout.nq, layout.nv
        inputs, integrals = nv + parameters + constants, lines + states
        coupled = couplings.cells(nv, n)
        scratch = scratch_size(n, nv, integrals, coupled)
        saved, room = inputs, scratch
        if constraint_cells:
            inputs, scratch = (
                inputs + sum(constraint_cells.saved.values()),
                scratch + sum(constraint_cells.room.values()),
            )
        offsets = sections(nq + nv + integrals, 2 * nv + integrals, boundaries, inputs, scratch, stages)
        more = [nq, integrals, parameters, coupled]
        if constraint_cells:
            self.constraint_cells = constraint_cells.placed(int(offsets[INPUTS]) + saved, int(offsets[SCRATCH]) + room)
            more += self.constraint_cells.offsets
        super().__init__(offsets, more, worlds=worlds, lanes=lanes, dtype=dtype)
        self.layout = layout
        self.positions = int(offsets[STATE]) + layout.position_order
        self.speeds = int(offsets[STATE]) + nq + layout.speed_order
        self.lines = np.arange(lines) + int(offsets[STATE]) + nq + nv
        self.states = np.arange(states) + int(offsets[STATE]) + nq + nv + lines
        self.commands = int(offsets[INPUTS]) + layout.speed_order
        self.parameters = np.arange(parameters) + int(offsets[INPUTS]) + nv
        self.constants = np.arange(constants) + int(offsets[INPUTS]) + nv + parameters
        self.forces = int(offsets[SCRATCH]) + layout.speed_order
        self.accelerations = int(offsets[SCRATCH]) + 2 * nv + layout.speed_order
        spare = int(offsets[SCRATCH]) + scratch_size(n, nv, integrals, 0) - SPARE_NUMBERS
        self.couplings_left_out = spare + SPARE_NUMBERS + LEFT_OUT if couplings.rows else None
