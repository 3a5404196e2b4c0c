"""Forces of the surroundings at points of bodies, for the arrows of the live view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.draw.motion import placer
from gambol.forces import anchor
from gambol.forces.programs import COUNT, FIRST_REPORT, INDEX, PARAM, TYPE

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

PLACE, FORCE = ("x", "y", "z"), ("force_x", "force_y", "force_z")


class Pulls:
    """What contacts and anchors of a simulation (but not `hand`) press and pull with at this moment.

    Contacts report where they act; an anchor acts at its point of its body.
    """

    def __init__(self, sim: Simulation, hand: int = -1):
        self.sim = sim
        self._place = placer(sim.layout.figures)
        self._places: list[int] = []  # reports where a place and a force begin
        self._forces: list[int] = []
        self._anchors: list[tuple[int, int, np.ndarray]] = []  # row of the body, parameters, layout turn
        self._anchor_forces: list[int] = []
        rows = {entry.link: (k, entry.turn) for k, entry in enumerate(sim.layout.bodies)}
        for row in sim.compiled.table:
            module = sim.compiled.modules[row[TYPE]]
            names = getattr(module, "REPORTS", ())
            reports = int(row[FIRST_REPORT]) + len(names) * np.arange(int(row[COUNT]))
            if set(PLACE + FORCE) <= set(names):
                self._places += [int(first) + names.index("x") for first in reports]
                self._forces += [int(first) + names.index("force_x") for first in reports]
            elif module is anchor:
                for k, first in enumerate(reports):
                    param = int(row[PARAM]) + anchor.PARAMETERS * k
                    if param != hand:
                        body, turn = rows[int(sim.compiled.indices[row[INDEX] + k])]
                        self._anchors.append((body, param, turn))
                        self._anchor_forces.append(int(first))

    def __call__(self) -> np.ndarray:
        """(n, 2, 3): points [m] and forces [N], world axes; only what acts."""
        values = self.sim.all_reports()
        three = np.arange(3)
        at = [values[np.add.outer(self._places, three)].reshape(-1, 3)] if self._places else []
        force = [values[np.add.outer(self._forces, three)].reshape(-1, 3)] if self._forces else []
        if self._anchors:
            poses = self._place(self.sim.q)
            params = self.sim.memory.read(self.sim.memory.parameters)
            at.append(
                np.array(
                    [poses.origins[b] + poses.frames[b] @ (turn @ params[p : p + 3]) for b, p, turn in self._anchors]
                )
            )
            force.append(values[np.add.outer(self._anchor_forces, three)].reshape(-1, 3))
        if not at:
            return np.zeros((0, 2, 3))
        both = np.stack([np.concatenate(at), np.concatenate(force)], axis=1)
        return both[np.linalg.norm(both[:, 1], axis=1) > 0]
