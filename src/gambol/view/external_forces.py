"""Forces of the surroundings at points of bodies, for the arrows of the live view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

PLACE, FORCE = ("x", "y", "z"), ("force_x", "force_y", "force_z")


class ExternalForces:
    """What contacts, anchors and everything else that says where it acts press and pull with at this moment."""

    def __init__(self, sim: Simulation):
        self._acting = sim.elements.reporting(*PLACE, *FORCE)

    def __call__(self) -> np.ndarray:
        """(n, 2, 3): points [m] and forces [N], world axes; only what acts."""
        if not len(self._acting):
            return np.zeros((0, 2, 3))
        found = self._acting.report()
        arrows = np.stack([np.stack([found[name] for name in names], axis=-1) for names in (PLACE, FORCE)], axis=1)
        return arrows[np.any(arrows[:, 1] != 0.0, axis=1)]
