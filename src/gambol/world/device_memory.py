"""The memory of worlds on a device: what is saved of each, (cells, worlds), and a copy in the host's memory.

The newest numbers are on one of the two sides. Whole coordinates, commands and parameters are read and written where
they are; who asks for `cells` brings everything to the host, and the next march takes it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.stepping.timetable import Timetable
from gambol.stepping.workspace import NEXT, TIME
from gambol.world.memory import Memory


class DeviceMemory(Memory):
    """Saved cells of `worlds` worlds; what a step works on is the thread's own."""

    def __init__(self, layout: Any, device: Any, **sizes: Any):
        self.device, self._on_device = device, False
        self._array: Any = None
        super().__init__(layout, lanes=0, **sizes)
        self._alike, self._common = np.ones(self.saved, bool), np.zeros(self.saved, self.dtype)
        self._looked = True  # is it known which cells are alike?

    def _allocated(self, cells: int, saved: int) -> np.ndarray:
        """Worlds are the last axis in memory, as on the device."""
        return np.zeros((saved, self.worlds), self.dtype).T

    def record(self, samples: int, cells: int) -> np.ndarray:
        """Samples, likewise."""
        return np.zeros((samples, cells, self.worlds), self.dtype).swapaxes(1, 2)

    # ------------------------------------------------------------ sides
    @property
    def cells(self) -> np.ndarray:
        """(worlds, cells) in the host's memory, to read and to change."""
        if self._on_device:
            self.device.get(self._array, self.array.T)
            self._on_device = False
        self._looked = False
        return self.array

    def clear(self) -> None:
        """Everything to zero."""
        self.array[...] = 0
        self._on_device, self._looked = False, True
        self._alike[:], self._common[:] = True, 0

    def on_device(self) -> Any:
        """(cells, worlds) on the device, to read and to change."""
        if self._array is None:
            self._array = self.device.empty((self.saved, self.worlds), self.dtype)
        if not self._on_device:
            self.device.put(self._array, self.array.T)
            self._on_device = True
        return self._array

    def common(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of these cells were set alike in all worlds, and to what; what a march changed is not looked at."""
        if not self._looked:
            self._alike[:] = [bool(np.all(row == row[0])) for row in self.array.T]
            self._common[:] = self.array[0]
            self._looked = True
        return self._alike[indices], self._common[indices]

    def set_apart(self, indices: np.ndarray) -> None:
        """From now on these cells may differ from world to world."""
        self.common(indices)
        self._alike[indices] = False

    # ------------------------------------------------------------ numbers in and out
    def read(self, indices: Sequence[int] | np.ndarray, cells: np.ndarray | None = None) -> np.ndarray:
        """Those cells of every world."""
        if cells is None and self._on_device:
            block = np.empty((len(indices), self.worlds), self.dtype)
            for k, first, last in _stretches(indices):
                self.device.get(self._array[first:last], block[k : k + last - first])
        else:
            block = np.take((self.cells if cells is None else cells).swapaxes(-1, -2), indices, axis=-2)
        return block[..., 0].copy() if self.worlds == 1 else block.swapaxes(-1, -2)

    def cell(self, index: int) -> np.ndarray:
        """One cell of every world, (worlds,)."""
        return self.read([index]).reshape(-1)

    def number(self, index: int) -> float:
        """One cell of the first world."""
        return float(self.cell(index)[0])

    def write(self, indices: Sequence[int] | np.ndarray, values: Any, what: str, worlds: Any = None) -> None:
        """Sets cells for every world alike, or for each its own; or in some worlds alone."""
        count, array = len(indices), np.asarray(values, self.dtype)
        if worlds is not None:
            chosen = np.asarray(worlds, np.int64)
            if array.shape not in {(count,), (len(chosen), count)}:
                allowed = f"({count},) or ({len(chosen)}, {count})"
                raise WorldError([Fault(f"{what} must have shape {allowed}, not {array.shape}", "simulation")])
            full = np.atleast_2d(self.read(indices)).copy()
            full[chosen] = array
            array = full
        if array.shape not in {(count,), (self.worlds, count)}:
            shapes = f"({count},)" if self.worlds == 1 else f"({count},) or ({self.worlds}, {count})"
            raise WorldError([Fault(f"{what} must have shape {shapes}, not {array.shape}", "simulation")])
        cells = np.asarray(indices, np.int64)
        self._alike[cells] = array.ndim == 1 or np.all(array == array[0], axis=0)
        self._common[cells] = array if array.ndim == 1 else array[0]
        full = np.broadcast_to(array, (self.worlds, count)).T
        for k, first, last in _stretches(indices):
            part = full[k : k + last - first]
            if self._on_device:
                self.device.put(self._array[first:last], part)
            else:
                self.array.T[first:last] = part

    def shift_clock(self, by: float) -> None:
        """Every clock shows so much more [s]."""
        cells = [self.clock(TIME)]
        self.write(cells, self.read(cells) + self.dtype(by), "clock")

    def rearm_boundaries(self, worlds: Any) -> None:
        """There are none."""


def _stretches(indices: Sequence[int] | np.ndarray) -> list[tuple[int, int, int]]:
    """Runs of cells that follow one another: place among the indices, first cell, end."""
    cells = np.asarray(indices, np.int64)
    breaks = np.flatnonzero(np.diff(cells) != 1) + 1
    starts, ends = [0, *breaks], [*breaks, len(cells)]
    return [(int(a), int(cells[a]), int(cells[a]) + int(b - a)) for a, b in zip(starts, ends) if b > a]


class DeviceTimetable(Timetable):
    """What worlds on a device write; how many each has made is read and set where it lies."""

    memory: DeviceMemory

    def _made(self) -> np.ndarray:
        return np.reshape(self.memory.read([self.memory.clock(NEXT)]), -1).astype(np.int64)

    def _restart(self) -> None:
        self.memory.write([self.memory.clock(NEXT)], [0.0], "clock")
