"""Forces of the surroundings at points of bodies, for the arrows of the live view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.forces import anchor
from gambol.view.motion import Poses

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation


class Pulls:
    """The springs of the anchors of a simulation (without their dampers), at given poses."""

    def __init__(self, sim: Simulation):
        self.sim = sim
        rows = {entry.link: k for k, entry in enumerate(sim.layout.bodies)}
        turns = {entry.link: entry.turn for entry in sim.layout.bodies}
        self._anchors: list[tuple[int, int, np.ndarray]] = []
        for kind, count, first_index, first, line in sim.elements.table:
            if kind == anchor.KIND and not (line >= 0 and sim.elements.lines[line] == "hand"):
                for k in range(count):
                    link = int(sim.elements.indices[first_index + k])
                    self._anchors.append((rows[link], int(first) + anchor.PARAMETERS * k, turns[link]))

    def __call__(self, poses: Poses) -> np.ndarray:
        """(n, 2, 3): points [m] and forces [N], world axes."""
        values = self.sim.memory.read(self.sim.memory.parameters)
        found = []
        for row, first, turn in self._anchors:
            point, place, stiffness = values[first : first + 3], values[first + 3 : first + 6], values[first + 6]
            here = poses.origins[row] + poses.frames[row] @ (turn @ point)
            found.append((here, stiffness * (place - here)))
        return np.array(found).reshape(-1, 2, 3)
