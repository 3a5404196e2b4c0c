"""The chart changes of a run: kept as numbers, shown as words."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import SupportsIndex, overload

import numpy as np

from gambol.hybrid.boundary_slots import BoundarySlots
from gambol.hybrid.system import HybridSystem

SHOWN_CHANGES = 12  # in a print
CHANGE_COLUMNS = ("world", "time", "before", "after", "which")


@dataclass(frozen=True)
class ChartChange:
    """A world left one chart for another (or the same) through one or more boundaries."""

    time: float
    world: int
    before: str
    after: str
    boundaries: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' + '.join(self.boundaries)} ({self.before} → {self.after}) at {self.time:.9g} s"


class ChartChanges:
    """All chart changes of a run, in the order of each world's time.

    `table` has a row for every change with columns world, time, chart before and after (numbers) and the slots of
    the boundaries that fired (bits). As a sequence it gives ChartChange with names: `changes[-1]` is the last of them,
    and a slice, `changes[:3]`, is again a ChartChanges, of those alone.
    """

    def __init__(self, system: HybridSystem, slots: BoundarySlots, rows: np.ndarray | None = None):
        self.system, self.slots = system, slots
        self._parts: list[np.ndarray] = []
        if rows is not None:
            self.add(rows)

    def add(self, rows: np.ndarray) -> None:
        """Enters rows of the table."""
        if len(rows):
            self._parts.append(rows)

    def clear(self) -> None:
        """Forgets all changes."""
        self._parts.clear()

    @property
    def table(self) -> np.ndarray:
        """A row for every change, in the order of CHANGE_COLUMNS."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0] if self._parts else np.zeros((0, len(CHANGE_COLUMNS)))

    def of_world(self, world: int) -> np.ndarray:
        """The rows of one world."""
        return self.table[self.table[:, 0] == world]

    @property
    def times(self) -> np.ndarray:
        """When they happened [s]."""
        return self.table[:, 1]

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @overload
    def __getitem__(self, index: SupportsIndex) -> ChartChange: ...

    @overload
    def __getitem__(self, index: slice) -> "ChartChanges": ...

    def __getitem__(self, index: "SupportsIndex | slice") -> "ChartChange | ChartChanges":
        if isinstance(index, slice):
            return ChartChanges(self.system, self.slots, self.table[index])
        return self.describe(self.table[operator.index(index)])

    def __repr__(self) -> str:
        shown = [str(change) for change in self[:SHOWN_CHANGES]]
        more = [f"… and {len(self) - SHOWN_CHANGES} more"] if len(self) > SHOWN_CHANGES else []
        return "\n".join([*shown, *more]) or "no chart changes"

    def __iter__(self) -> Iterator[ChartChange]:
        return map(self.describe, self.table)

    def describe(self, row: np.ndarray) -> ChartChange:
        """A row in words."""
        charts = self.system.charts
        before, after, bits = int(row[2]), int(row[3]), int(row[4])
        after_name = charts[after].name if 0 <= after < len(charts) else f"chart {after}"
        fired = [k for k in range(self.slots.count) if bits >> k & 1]
        names = tuple(charts[before].boundaries[self.slots.place[before, k]].name for k in fired)
        return ChartChange(float(row[1]), int(row[0]), charts[before].name, after_name, names)
