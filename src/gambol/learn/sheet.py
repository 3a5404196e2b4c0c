"""What is known of all worlds in a tick, in one table: a row a quantity, a column a world.

Parts that show rows, add up squares of their differences or compare them with a limit (Readout, SquaredTerm, Threshold)
say which; then all of them are done in one pass, compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.math.pack import numbers

TRUNK = {"angular velocity": 3, "velocity": 3, "down": 3, "axes": 9}  # in this order (ticks.perceive)
ORDER = ("q", "v", "v before", *TRUNK, "zero", "action", "action before", "command")


class Sheet:
    """
    rows      which rows a quantity has, by name: q and v (description order), v of the tick before, the trunk's angular
              velocity [rad/s], velocity [m/s] and direction of gravity (down) in its own axes, these axes in those of
              its base, a row of zeros, actions, those before, the command
    numbers   (rows, columns); there may be more columns than worlds
    packs     the same numbers as the memory of the worlds has them
    version   counts how often rows have moved
    """

    def __init__(self, memory: Any, **counts: int):
        self._memory, self.version = memory, 0
        self.rows: dict[str, range] = {name: range(0) for name in ORDER}
        self.resize(zero=1, **TRUNK, **counts)

    def resize(self, **counts: int) -> None:
        """So many rows for some of the quantities; the numbers of the others stay."""
        kept = {name: self.of(name).copy() for name, own in self.rows.items() if len(own) and name not in counts}
        first = 0
        for name in ORDER:
            count = counts.get(name, len(self.rows[name]))
            self.rows[name] = range(first, first + count)
            first += count
        self.packs = self._memory.column_room(first)
        self.numbers = numbers(self.packs).reshape(first, -1)
        for name, values in kept.items():
            self.of(name)[...] = values
        self.version += 1

    def of(self, name: str) -> np.ndarray:
        """(worlds, …) of a quantity: its rows as they lie, to read and to change."""
        own = self.rows[name]
        return self.numbers[own.start : own.stop, : self._memory.worlds].T
