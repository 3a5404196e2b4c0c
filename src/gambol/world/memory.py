"""The memory of a simulation: where the quantities of a world are in its row of cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.stepping.memory import Rows
from gambol.stepping.room import INPUTS, SCRATCH, STATE, sections
from gambol.world.flow import scratch_size
from gambol.world.layout import Layout


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
        parameters: int,
        constants: int,
        stages: int,
    ):
        n, nq, nv = len(layout.parent), layout.nq, layout.nv
        inputs = nv + parameters + constants
        scratch = scratch_size(n, nv, lines)
        plan = sections(nq + nv + lines, 2 * nv + lines, boundaries, inputs, scratch, stages)
        super().__init__(plan, (nq, lines, parameters), worlds=worlds, lanes=lanes, dtype=dtype)
        self.layout = layout
        self.positions = int(plan[STATE]) + layout.position_order
        self.speeds = int(plan[STATE]) + nq + layout.speed_order
        self.lines = np.arange(lines) + int(plan[STATE]) + nq + nv
        self.commands = int(plan[INPUTS]) + layout.speed_order
        self.parameters = np.arange(parameters) + int(plan[INPUTS]) + nv
        self.constants = np.arange(constants) + int(plan[INPUTS]) + nv + parameters
        self.forces = int(plan[SCRATCH]) + layout.speed_order
        self.accelerations = int(plan[SCRATCH]) + 2 * nv + layout.speed_order
