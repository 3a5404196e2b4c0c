"""A march in pieces, so that Python is asked every now and then whether to go on. Nothing computed depends on them."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.stepping import interrupts
from gambol.stepping.workspace import PAUSED, RUNNING, STATUS

if TYPE_CHECKING:
    from gambol.stepping.run import Run

PIECE_TIME = 0.1  # [s] of the wall clock that a piece should take at most: Ctrl-C is heard between pieces
FIRST_ATTEMPTS = 1000


class Pieces:
    """The pieces in which a run marches: how many attempts each may take, by how long the last ones took.

    halted   set from another thread: the march ends with KeyboardInterrupt after the piece in hand
    """

    def __init__(self) -> None:
        self.attempts, self.halted = FIRST_ATTEMPTS, False

    def march(
        self, run: Run[Any], call: Callable[[np.ndarray, np.ndarray, int], int], times: np.ndarray, record: np.ndarray
    ) -> int:
        """Calls call(times ahead, room for their samples, attempts) until every world is there or has stopped.

        How many times all have reached; fewer than asked for, with no world stopped, when max_attempts are used up.
        """
        allowed = run.stepping.max_attempts * run.memory.rows
        reached = spent = 0
        while True:
            attempts = min(self.attempts, allowed - spent)
            began = clock.perf_counter()
            done = call(times[reached:], record[reached:], attempts)
            reached += done
            if reached == len(times) or _stopped(run, times[reached]):
                return reached
            interrupts.look()
            if self.halted:
                raise KeyboardInterrupt
            spent = attempts if done else spent + attempts
            if spent >= allowed:
                return reached
            took = max(clock.perf_counter() - began, 1e-9)
            self.attempts = max(int(attempts * min(max(PIECE_TIME / took, 0.25), 4.0)), 1)


def _stopped(run: Run[Any], next_sample: float) -> bool:
    """Has a world stopped by itself, or is every one that runs at its sample already?"""
    status, time = (np.atleast_1d(x) for x in (run.clock(STATUS), run.time))
    waits = np.any((status != RUNNING) & (status != PAUSED))
    return bool(waits or not np.any((status == RUNNING) & (time < next_sample)))


def slowest_world(run: Run[Any], awaited: float) -> int:
    """The world that used up all attempts before a sample [s]: rows are marched one after the other, and those after
    its own have not begun."""
    time, lanes = np.atleast_1d(run.time), max(run.memory.lanes, 1)
    late = np.flatnonzero(time < run.memory.dtype(awaited))
    first = lanes * (int(late[0]) // lanes) if len(late) else 0
    return first + int(np.argmin(time[first : first + lanes]))
