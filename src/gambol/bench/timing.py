"""Fair timing on a busy machine: contenders take turns, and the best turn of each counts."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

ROUND_TIME = 0.03  # [s] that one turn should last
MIN_STEPS, MAX_STEPS = 100, 20_000  # steps in a turn


class Contender(Protocol):
    """Something that can be set back to its start and then stepped."""

    name: str

    def reset(self) -> None:
        """Back to its start."""

    def run(self, steps: int) -> None:
        """Takes so many steps."""


def seconds_per_step(
    contenders: Sequence[Contender],
    *,
    rounds: int,
    progress: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Best time of one step of each contender [s] over so many interleaved rounds.

    clock   `time.thread_time` where others are at work on the machine and all happens in one thread
    """
    steps = {c.name: _steps_for(c, clock) for c in contenders}
    best = {c.name: float("inf") for c in contenders}
    for _ in range(rounds):
        for c in contenders:
            best[c.name] = min(best[c.name], _turn(c, steps[c.name], clock) / steps[c.name])
        progress()
    return best


def _turn(contender: Contender, steps: int, clock: Callable[[], float]) -> float:
    contender.reset()
    start = clock()
    contender.run(steps)
    return clock() - start


def _steps_for(contender: Contender, clock: Callable[[], float]) -> int:
    """Steps that fill a turn. The first run also loads what is loaded late."""
    _turn(contender, MIN_STEPS, clock)
    return min(MAX_STEPS, max(MIN_STEPS, round(MIN_STEPS * ROUND_TIME / _turn(contender, MIN_STEPS, clock))))
