"""The memory that is marched: one row of cells a world, or a pack of worlds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.limits import refuse_too_large
from gambol.math.pack import numbers, zeros
from gambol.stepping.columns import gather_columns, scatter_columns
from gambol.stepping.workspace import (
    CLOCK_SECTION,
    FIRED,
    FRESH,
    LAST_EVENT,
    LOCATING,
    ROW_SIZE,
    SCRATCH,
    SIDE_SECTION,
    STEP_BOUND,
    TIME,
)


class Rows:
    """Cells of `worlds` worlds. Values go in and out as (cells,) for one world or (worlds, cells) for several.

    `offsets` says where the sections of a row begin (stepping.workspace.sections); `more` goes after it, for the flow.
    """

    def __init__(self, offsets: np.ndarray, more: Sequence[int] = (), *, worlds: int = 1, lanes: int = 0, dtype: Any):
        self.worlds, self.lanes, self.dtype = worlds, lanes, dtype
        self.offsets = np.concatenate([offsets, np.asarray(more, np.int64)]).astype(np.int64)
        self.rows = -(-worlds // max(lanes, 1))
        cells = float(self.rows) * max(lanes, 1) * int(offsets[ROW_SIZE])
        refuse_too_large(f"simulation: {worlds} worlds", cells * np.dtype(dtype).itemsize)
        self.array = self._allocated(int(offsets[ROW_SIZE]), int(offsets[SCRATCH]))
        self.saved = int(offsets[SCRATCH])
        self.fired = np.arange(int(offsets[FIRED]), int(offsets[ROW_SIZE]))
        self.sides = slice(int(offsets[SIDE_SECTION]), int(offsets[SIDE_SECTION + 1]))

    def _allocated(self, cells: int, saved: int) -> np.ndarray:
        return zeros((self.rows, cells), self.dtype, self.lanes)

    @property
    def cells(self) -> np.ndarray:
        """As plain numbers: (rows, cells) or (rows, cells, lanes)."""
        return numbers(self.array)

    def clear(self) -> None:
        """Everything to zero."""
        self.cells[...] = 0

    def record(self, samples: int, cells: int) -> np.ndarray:
        """For the first `cells` of every row at so many samples."""
        return zeros((samples, self.rows, cells), self.dtype, self.lanes)

    def section(self, which: int) -> np.ndarray:
        """The cells of a section."""
        return np.arange(int(self.offsets[which]), int(self.offsets[which + 1]))

    def clock(self, slot: int | np.integer) -> int:
        """The cell of a slot of the clock."""
        return int(self.offsets[CLOCK_SECTION]) + slot

    def read(self, indices: Sequence[int] | np.ndarray, cells: np.ndarray | None = None) -> np.ndarray:
        """Those cells of every world; `cells` may be a record of saved rows instead of the memory itself."""
        block = (self.cells if cells is None else cells).take(indices, axis=-2 if self.lanes else -1)  # a copy
        if self.lanes:
            block = block.swapaxes(-1, -2)
            block = block.reshape(*block.shape[:-3], self.rows * self.lanes, block.shape[-1])[..., : self.worlds, :]
        return block[..., 0, :] if self.worlds == 1 else block

    def number(self, index: int) -> float:
        """One cell of the first world."""
        return float(self.cells[0, index, 0] if self.lanes else self.cells[0, index])

    def cell(self, index: int) -> np.ndarray:
        """One cell of every world, (worlds,)."""
        return self.cells[:, index].flatten()[: self.worlds]  # a copy

    def columns(self, indices: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
        """Those cells of every world, (cells, worlds): for arithmetic over worlds.

        room   of `column_room`, that is used for it; else new numbers are
        """
        if not self.lanes:
            return np.ascontiguousarray(np.atleast_2d(self.read(indices)).T)
        if room is None:
            room = self.column_room(len(indices))
        gather_columns(self.array, np.asarray(indices), room)
        return numbers(room).reshape(len(indices), -1)[:, : self.worlds]

    def column_room(self, count: int) -> np.ndarray:
        """For so many columns."""
        return zeros((count, self.rows), self.dtype, self.lanes)

    def writer(self, places: Sequence[np.ndarray], what: str) -> CellWriter:
        """What sets, in all worlds, each of several lists of cells to the same numbers, again and again."""
        return CellWriter(self, places, what)

    def chosen(self, worlds: Sequence[int] | np.ndarray) -> np.ndarray:
        """Numbers of worlds, checked."""
        found = np.atleast_1d(np.asarray(worlds))
        if found.ndim != 1 or found.dtype.kind not in "iu" or not np.all((found >= 0) & (found < self.worlds)):
            raise WorldError([Fault(f"worlds are whole numbers from 0 to {self.worlds - 1}, not {worlds}", "worlds")])
        return found.astype(np.int64)

    def copy_worlds(self, into: np.ndarray, source: np.ndarray, worlds: np.ndarray) -> None:
        """Copies the cells of some worlds from one array of rows to another of the same shape."""
        if self.lanes:
            rows, lanes = worlds // self.lanes, worlds % self.lanes
            into[rows, :, lanes] = source[rows, :, lanes]
        else:
            into[worlds] = source[worlds]

    def write(self, indices: Sequence[int] | np.ndarray, values: Any, what: str, worlds: Any = None) -> None:
        """Sets cells for every world alike, or for each its own; or in some worlds alone."""
        count = len(indices)
        array = np.asarray(values, self.dtype)
        if worlds is not None:
            self._write_some(np.asarray(indices), array, what, np.asarray(worlds, np.int64))
            return
        if array.shape not in {(count,), (self.worlds, count)}:
            shapes = f"({count},)" if self.worlds == 1 else f"({count},) or ({self.worlds}, {count})"
            raise WorldError([Fault(f"{what} must have shape {shapes}, not {array.shape}", "simulation")])
        if not self.lanes:
            self.cells[:, indices] = array
            return
        full = np.broadcast_to(array, (self.worlds, count))
        if spare := self.rows * self.lanes - self.worlds:
            full = np.concatenate([full, np.repeat(full[-1:], spare, axis=0)])
        self.cells[:, indices] = full.reshape(self.rows, self.lanes, count).transpose(0, 2, 1)

    def _write_some(self, indices: np.ndarray, array: np.ndarray, what: str, worlds: np.ndarray) -> None:
        shapes = {(len(indices),), (len(worlds), len(indices))}
        if array.shape not in shapes:
            allowed = " or ".join(map(str, sorted(shapes, key=len)))
            raise WorldError([Fault(f"{what} must have shape {allowed}, not {array.shape}", "simulation")])
        if self.lanes:
            self.cells[(worlds // self.lanes)[:, None], indices, (worlds % self.lanes)[:, None]] = array
        else:
            self.cells[worlds[:, None], indices] = array

    def of(self, world: int) -> np.ndarray:
        """A view of one world's cells."""
        if not self.lanes:
            return self.cells[world]
        return self.cells[world // self.lanes, :, world % self.lanes]

    def shift_clock(self, by: float) -> None:
        """Every clock shows so much more [s]."""
        for slot in (TIME, LAST_EVENT):
            own = self.cells[:, self.clock(slot)]
            np.add(own, self.dtype(by), out=own)  # spare lanes stay at infinity

    def stop_spare_lanes(self) -> None:
        """Lanes beyond the number of worlds never move."""
        spare = self.rows * max(self.lanes, 1) - self.worlds
        if spare:
            self.cells[-1, self.clock(TIME), self.lanes - spare :] = np.inf

    def rearm_boundaries(self, worlds: Iterable[int]) -> None:
        """After a jump of their state, boundaries that are merely armed look again which side they are on."""
        for world in worlds:
            self.of(world)[[self.clock(LOCATING), self.clock(STEP_BOUND)]] = 0.0
            side = self.of(world)[self.sides]
            side[np.abs(side) == 1.0] = FRESH

    def rearm_all(self) -> None:
        """The same in every world, at once."""
        self.cells[:, [self.clock(LOCATING), self.clock(STEP_BOUND)]] = 0.0
        side = self.cells[:, self.sides]
        self.cells[:, self.sides] = np.where(np.abs(side) == 1.0, self.dtype(FRESH), side)


class CellWriter:
    """Sets, in all worlds, each of several lists of cells to the same numbers."""

    def __init__(self, memory: Rows, places: Sequence[np.ndarray], what: str):
        self._memory, self._places, self._what = memory, places, what
        self._cells = np.array([np.asarray(indices) for indices in places])
        count = self._cells.shape[1]
        self._room = memory.column_room(count)
        self._ones, self._zeros = np.ones(count, memory.dtype), np.zeros(count, memory.dtype)

    def __call__(self, values: np.ndarray) -> None:
        """(worlds, cells) numbers."""
        worlds, memory = self._memory.worlds, self._memory
        if not memory.lanes:
            for indices in self._places:
                memory.write(indices, values, self._what)
            return
        columns = numbers(self._room).reshape(len(self._ones), -1)
        columns[:, :worlds] = values.T
        columns[:, worlds:] = columns[:, worlds - 1 : worlds]
        self.take(self._room, 0, self._ones, self._zeros)

    def take(self, room: np.ndarray, first: int, factor: np.ndarray, offset: np.ndarray) -> None:
        """The columns of a room (`column_room`) from `first` on, each times its factor plus its offset."""
        scatter_columns(room, first, factor, offset, self._cells, self._memory.array)


def as_slice(indices: np.ndarray) -> slice | np.ndarray:
    """Whole numbers as a slice, where they rise evenly: NumPy copies those several times faster."""
    steps = np.diff(indices)
    if len(indices) and np.all(indices >= 0) and (len(indices) == 1 or (steps[0] > 0 and np.all(steps == steps[0]))):
        step = int(steps[0]) if len(steps) else 1
        return slice(int(indices[0]), int(indices[-1]) + 1, step)
    return indices
