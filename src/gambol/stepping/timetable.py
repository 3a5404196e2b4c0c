"""Writes that worlds make to cells of their own rows at known times, inside the march: each on its own clock.

A controller that knows its commands ahead enters them here, and the worlds of a pack need not wait for one another
whenever one of them is due. No step passes the time of a write, and a step ends there to the last bit, as it would at
a sample. Of two writes to a cell at one time, the one entered later counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.stepping.memory import Rows
from gambol.stepping.workspace import NEXT


class Writes(NamedTuple):
    """As the march reads them: those of world w are numbers first[w] to first[w + 1], in the order of their times."""

    first: np.ndarray
    time: np.ndarray
    cell: np.ndarray
    value: np.ndarray

    def same(self, other: Writes) -> bool:
        """Bit for bit?"""
        return all(a.tobytes() == b.tobytes() for a, b in zip(self, other))


class Timetable:
    """The writes to come in the rows of a memory. How many of them a world has made is in its clock (NEXT)."""

    def __init__(self, memory: Rows):
        self.memory = memory
        self.version = 0  # counts changes of what is to be written
        self._entered: list[tuple[np.ndarray, ...]] = []  # worlds, times, cells, values as they were given
        self._writes = self._sorted([])

    def add(self, time: Any, cells: np.ndarray, values: Any, worlds: Any = None) -> None:
        """In each of `worlds` (default: all): its `values` go into `cells` at its `time` [s].

        time is one number or one a world; values are (cells,) or (worlds, cells). A time that has passed: as soon as
        the march goes on.
        """
        chosen = np.arange(self.memory.worlds) if worlds is None else np.asarray(worlds, np.int64)
        places, times = np.asarray(cells, np.int64), np.asarray(time, self.memory.dtype)
        shape = (len(chosen), len(places))
        if not np.all(np.isfinite(times)):
            raise WorldError([Fault(f"cannot write something at t = {time} s", "timetable")])
        if len(places) and not (0 <= places.min() and places.max() < self.memory.saved):
            message = f"cells {places} are not all among the {self.memory.saved} saved ones"
            raise WorldError([Fault(message, "timetable")])
        numbers = np.asarray(values, self.memory.dtype)
        if numbers.shape not in {shape, shape[1:]} or times.shape not in {(), shape[:1]}:
            allowed = f"values must have shape {shape[1:]} or {shape} and times () or {shape[:1]}"
            raise WorldError([Fault(f"{allowed}, not {numbers.shape} and {times.shape}", "timetable")])
        numbers = np.broadcast_to(numbers, shape)
        self.version += 1
        self._entered.append((chosen, np.broadcast_to(times, len(chosen)), places, numbers))

    def shift(self, by: float) -> None:
        """What is to be written comes so much later [s]."""
        if self._entered or len(self._writes.time):
            self._take_over()
            self._writes = self._writes._replace(time=self._writes.time + self.memory.dtype(by))
            self.version += 1

    def clear(self, worlds: np.ndarray | None = None) -> None:
        """Forgets what has not been written, of all worlds or of some."""
        if worlds is not None:
            self.restore_worlds(None, worlds)
            return
        if self._entered or len(self._writes.time):
            self.restore(None)
        self._restart()

    def drop(self, cells: np.ndarray) -> None:
        """Forgets what has not been written to these cells."""
        self._take_over()
        self.version += 1
        pending = self.pending()
        kept = ~np.isin(pending[2], cells)
        self._writes = self._sorted([tuple(x[kept] for x in pending)])
        self._restart()

    def restore_worlds(self, writes: Writes | None, worlds: np.ndarray) -> None:
        """What is to be written to some worlds, as it was saved with their rows; the others' stays."""
        made = self._made()  # of the worlds restored: as their rows say, which came with `writes`
        self._take_over(np.isin(np.arange(len(made)), worlds))
        if writes is not None:
            world, time, cell, value = _left(writes, made)
            own = np.isin(world, worlds)
            self._writes = self._sorted([self.pending(), (world[own], time[own], cell[own], value[own])])

    @property
    def writes(self) -> Writes:
        """For the march; never changed in place."""
        if self._entered:
            self._take_over()
        return self._writes

    def saved(self) -> Writes | None:
        """What is still to be written, if anything, and nothing else: the clocks count anew."""
        if self._entered or len(self._writes.time):
            self._take_over()
        return self._writes if len(self._writes.time) else None

    def restore(self, writes: Writes | None) -> None:
        """As they were saved (None: there were none); NEXT comes with the row."""
        self.version += 1
        self._entered.clear()
        self._writes = self._sorted([]) if writes is None else writes

    def pending(self) -> tuple[np.ndarray, ...]:
        """World, time, cell and value of what the march has taken over and not yet written."""
        return _left(self._writes, self._made())

    @property
    def last_time(self) -> float:
        """[s] of the last write to come; minus infinity where there is none."""
        self._take_over()
        return float(np.max(self.pending()[1], initial=-np.inf))

    def planned(self, cells: np.ndarray, time: Any) -> np.ndarray:
        """What the cells will hold after the writes up to `time` [s] (one, or one a world): (worlds, cells)."""
        found = np.atleast_2d(self.memory.read(cells)).copy(order="K")  # on a device worlds lie side by side
        until = np.broadcast_to(np.asarray(time, self.memory.dtype), (self.memory.worlds,))
        self._take_over()
        world, at, cell, value = self.pending()
        order = np.argsort(cells)
        place = order[np.minimum(np.searchsorted(cells, cell, sorter=order), len(cells) - 1)]
        asked = (at <= until[np.minimum(world, len(until) - 1)]) & (cells[place] == cell)
        found[world[asked], place[asked]] = value[asked]  # of several to one cell the last, which is the latest
        return found

    def _made(self) -> np.ndarray:
        """How many writes each lane has made; spare lanes have none."""
        return self.memory.cells[:, self.memory.clock(NEXT)].reshape(-1).astype(np.int64)

    def _take_over(self, without: np.ndarray | None = None) -> None:
        parts = [self.pending(), *(_one_by_one(*entered) for entered in self._entered)]
        if without is not None:
            parts = [tuple(x[~without[part[0]]] for x in part) for part in parts]
        self._writes = self._sorted(parts)
        self._entered.clear()
        self._restart()

    def _restart(self) -> None:
        self.memory.cells[:, self.memory.clock(NEXT)] = 0

    def _sorted(self, parts: list[tuple[np.ndarray, ...]]) -> Writes:
        lanes = self.memory.rows * max(self.memory.lanes, 1)
        kinds = (np.int64, self.memory.dtype, np.int64, self.memory.dtype)
        world, time, cell, value = (
            np.concatenate([np.empty(0, kind), *(part[k] for part in parts)]).astype(kind)
            for k, kind in enumerate(kinds)
        )
        order = np.argsort(world, kind="stable")  # of what is entered for one world after the other this is quick
        world, time = world[order], time[order]
        if np.any((np.diff(time) < 0) & (np.diff(world) == 0)):
            later = np.lexsort((time, world))  # stable: what was entered later stays later
            world, time, order = world[later], time[later], order[later]
        first = np.searchsorted(world, np.arange(lanes + 1)).astype(np.int64)
        return Writes(first, time, cell[order], value[order])


def _left(writes: Writes, made: np.ndarray) -> tuple[np.ndarray, ...]:
    """World, time, cell and value of the writes that are still to be made, where `made` of each world are done."""
    first, *rest = writes
    world = np.repeat(np.arange(len(first) - 1), np.diff(first))
    place = np.arange(len(world)) - first[world]
    left = place >= made[world]
    return (world[left], *(x[left] for x in rest))


def _one_by_one(worlds: np.ndarray, times: np.ndarray, cells: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """World, time, cell and value of every single write."""
    each = len(cells)
    return np.repeat(worlds, each), np.repeat(times, each), np.tile(cells, len(worlds)), values.ravel()
