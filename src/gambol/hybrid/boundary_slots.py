"""Where the boundaries of the charts are kept: slots that all charts share, each with one direction and priority."""

from dataclasses import dataclass

import numpy as np

from gambol.hybrid.system import ChartBoundary, HybridSystem
from gambol.stepping.run import DIRECTIONS


@dataclass(frozen=True)
class BoundarySlots:
    """Tables over (chart, place of the boundary in its chart) and over (chart, slot).

    slot       (charts, most)   the slot of a boundary
    value      (charts, most)   its target as a number …
    parameter  (charts, most)   … or the parameter that is its target; -1: none
    identity   (charts, slots)  which boundary lies in a slot (equal numbers: the same); -1: none
    place      (charts, slots)  its place in the chart; -1: none
    """

    slot: np.ndarray
    value: np.ndarray
    parameter: np.ndarray
    identity: np.ndarray
    place: np.ndarray
    directions: np.ndarray
    priorities: np.ndarray

    @property
    def count(self) -> int:
        """How many slots there are."""
        return len(self.directions)

    @property
    def plain(self) -> bool:
        """Boundaries lie in the slots of their own numbers, and all targets are zero."""
        own = np.where(self.place >= 0, np.arange(self.count)[None, :], -1)
        return bool(np.array_equal(self.place, own) and not self.value.any() and (self.parameter < 0).all())


def assign_slots(system: type[HybridSystem]) -> BoundarySlots:
    """Gives every boundary the first free slot of its direction and priority."""
    kinds: list[tuple[int, int]] = []
    chosen: list[list[int]] = []
    for chart in system.charts:
        taken: list[int] = []
        for boundary in chart.boundaries:
            kind = (DIRECTIONS[boundary.direction], boundary.priority)
            free = [k for k, known in enumerate(kinds) if known == kind and k not in taken]
            if not free:
                kinds.append(kind)
                free = [len(kinds) - 1]
            taken.append(free[0])
        chosen.append(taken)
    most = max((len(c) for c in chosen), default=0)
    shape, wide = (len(system.charts), max(most, 1)), (len(system.charts), len(kinds))
    made = BoundarySlots(
        np.zeros(shape, np.int64),
        np.zeros(shape),
        np.full(shape, -1, np.int64),
        np.full(wide, -1, np.int64),
        np.full(wide, -1, np.int64),
        np.array([k[0] for k in kinds], np.int64),
        np.array([k[1] for k in kinds], np.int64),
    )
    known: dict[ChartBoundary, int] = {}
    parameters = system.Parameters._fields  # type: ignore[attr-defined]
    for c, chart in enumerate(system.charts):
        for place, (boundary, slot) in enumerate(zip(chart.boundaries, chosen[c])):
            made.slot[c, place] = slot
            made.place[c, slot] = place
            made.identity[c, slot] = known.setdefault(boundary, len(known))
            if isinstance(boundary.target, str):
                made.parameter[c, place] = parameters.index(boundary.target)
            else:
                made.value[c, place] = boundary.target
    return made
