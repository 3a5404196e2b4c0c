"""What decides how a run goes on, as one object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.stepping.controller import Controller
from gambol.stepping.timetable import Writes


@dataclass(frozen=True)
class Event:
    """A boundary was crossed, or a controller noted something: when [s], what, in which world."""

    time: float
    name: str
    world: int = 0


@dataclass(frozen=True)
class ScheduledAction:
    """Something to be done to a run at a time [s]; `owner` finds it again."""

    time: float
    action: Callable[[Any], Any]
    owner: Any = None


@dataclass(frozen=True)
class State:
    """Everything that decides how a run goes on; copied and restored bitwise.

    data         the saved cells of every world
    events       what happened so far
    jumps        changes of the state by hand, for the energy ledger
    schedule     actions to come
    writes       timed writes to come
    shared       what all worlds share: the bodies that force elements act on, gravity
    controllers  those attached, each with what it saved
    """

    data: np.ndarray
    events: tuple[Event, ...] = ()
    jumps: tuple = ()
    schedule: tuple[ScheduledAction, ...] = ()
    writes: Writes | None = None
    shared: tuple[np.ndarray, ...] = ()
    controllers: tuple[tuple[Controller, Any], ...] = ()

    def same(self, other: State) -> bool:
        """Bit for bit, as far as the engine goes?"""
        if (self.writes is None) != (other.writes is None):
            return False
        alike = self.writes is None or other.writes is None or self.writes.same(other.writes)
        return alike and self.data.tobytes() == other.data.tobytes() and _same(self.shared, other.shared)


def _same(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> bool:
    return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b))
