"""What acts at known times, such as a push: switched where a step ends, looked up again where it can change."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.forces.kernel import ElementKernel

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation


class Switched(NamedTuple):
    """Elements of one kind as they were set last: their numbers, the times of the worlds, when one changes next [s]."""

    numbers: np.ndarray
    since: np.ndarray
    change: float

    def holds(self, numbers: np.ndarray, time: np.ndarray) -> bool:
        """Is all as it was, and is the next change still to come?"""
        past = self.change < math.inf and time.max() >= self.change - 1e-6 * abs(self.change)
        return not past and bool((self.since <= time).all()) and np.array_equal(numbers, self.numbers)


class Switches:
    """Those of a simulation."""

    def __init__(self, sim: Simulation):
        self._sim, self._kinds = sim, sim.compiled.switches
        self._known: dict[int, Switched] = {}

    def __len__(self) -> int:
        return len(self._kinds)

    def next_change(self) -> float:
        """Sets all to what they are now in each world; when the first of them changes next [s]."""
        memory, first, soonest = self._sim.memory, int(self._sim.memory.parameters[0]), math.inf
        for k, (kernel, cells) in enumerate(self._kinds):
            numbers = memory.read(first + cells.ravel())
            time = np.atleast_1d(self._sim.time).astype(float)[:, None]
            known = self._known.get(k)
            if known is None or not known.holds(numbers, time):
                known = self._known[k] = self._set(kernel, cells, numbers, time)
            soonest = min(soonest, known.change)
        return soonest

    def _set(self, kernel: ElementKernel, cells: np.ndarray, numbers: np.ndarray, time: np.ndarray) -> Switched:
        memory, worlds = self._sim.memory, self._sim.worlds
        first = int(memory.parameters[0])
        assert kernel.switched is not None
        shaped = numbers.reshape(-1, *cells.shape).astype(float)
        value, changes = kernel.switched(shaped, time, float(np.finfo(self._sim.dtype).eps))
        memory.write(first + cells[:, kernel.switch], value if worlds > 1 else value[0], "switches")
        return Switched(memory.read(first + cells.ravel()), time, float(changes.min()))
