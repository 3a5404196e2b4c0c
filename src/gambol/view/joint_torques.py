"""Torques at the axes of joints, for the arrows of the live view: of springs, motors, limits and friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.figure import Figure
from gambol.view.anatomy import Anatomy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gambol.world.simulation import Simulation


class JointTorques:
    """Sums what all elements at joints report as their force, axis by axis, in the order of the anatomy's axes."""

    def __init__(self, sim: Simulation, figures: Sequence[Figure]):
        anatomy = Anatomy(figures)
        axes_of = {name: np.flatnonzero(anatomy.rows == k) for k, name in enumerate(anatomy.names)}
        self._acting, places = sim.elements.at_joints()
        owners: list[int] = []
        for body, rows in places:
            axes = axes_of.get(body, np.zeros(0, int))
            owners += list(axes) if len(axes) == rows else [len(anatomy.rows)] * rows  # of no axis that is drawn
        self._owners, self.axes = np.array(owners, int), len(anatomy.rows)

    def __call__(self) -> np.ndarray:
        """(axes,) torques at the moment [N·m]; forces [N] at slides."""
        if not len(self._owners):
            return np.zeros(self.axes)
        found = np.asarray(self._acting.report()["force"], float).ravel()
        return np.bincount(self._owners, found, self.axes + 1)[: self.axes]
