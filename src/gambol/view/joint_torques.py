"""Torques at the axes of joints, for the arrows of the live view: of springs, motors, limits and friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.figure import Figure
from gambol.view.anatomy import Anatomy
from gambol.world.elements import ElementHandle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gambol.world.simulation import Simulation


class JointTorques:
    """Sums what all elements at joints report as their force, axis by axis, in the order of the anatomy's axes."""

    def __init__(self, sim: Simulation, figures: Sequence[Figure]):
        anatomy = Anatomy(figures)
        axes_of = {name: np.flatnonzero(anatomy.rows == k) for k, name in enumerate(anatomy.names)}
        rows: list[Any] = []
        owners: list[int] = []
        names: list[str] = []
        for element, own in zip(sim.world.elements, sim.compiled.rows):
            joint = getattr(element, "joint", None)
            if not isinstance(joint, str) or not own or "force" not in own[0].kernel.reports:
                continue
            axes = axes_of.get(sim.layout.body(joint).name, ())
            if len(axes) == len(own):
                rows += own
                owners += list(axes)
                names.append(element.name)
        self._owners, self.axes = np.array(owners, int), len(anatomy.rows)
        self._acting = ElementHandle(sim.elements, names, rows) if rows else None

    def __call__(self) -> np.ndarray:
        """(axes,) torques at the moment [N·m]; forces [N] at slides."""
        if self._acting is None:
            return np.zeros(self.axes)
        found = np.asarray(self._acting.report()["force"], float).ravel()
        return np.bincount(self._owners, found, self.axes)
