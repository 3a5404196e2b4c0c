"""Jobs over processes, each of which may fork; compiled code is shared by the cache.

A process that dies takes its attempt at one job with it, never the trial: it is told, and another takes its place.
"""

from __future__ import annotations

import multiprocessing
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

TRIES = 2  # of one job
HOPELESS = 20  # attempts lost one after the other: no more processes are started


@dataclass(frozen=True)
class Lost:
    """An attempt that nothing came of, and why in words; `again`: it is tried once more."""

    why: str
    again: bool


def spread(act: Callable[..., Any], jobs: Iterable[tuple[Any, ...]], processes: int) -> Iterator[tuple[Any, Any]]:
    """Each job with what came of it, or with what was Lost of it, as they end; with one process they are done here."""
    if processes <= 1:
        for job in jobs:
            result, why = _attempt(act, job)
            yield job, Lost(why, again=False) if why else result
        return
    waiting = deque((job, TRIES) for job in jobs)
    crew: dict[Connection, _Worker] = {}
    in_a_row = 0
    try:
        while waiting or crew:
            while waiting and len(crew) < processes and in_a_row < HOPELESS:
                worker = _Worker(act, *waiting.popleft())
                crew[worker.pipe] = worker
            if not crew:
                for job, _ in waiting:
                    yield job, Lost(f"not begun, after {in_a_row} attempts were lost one after the other", again=False)
                return
            for pipe in wait(list(crew)):
                worker = crew[pipe]  # type: ignore[index]
                job, left = worker.job, worker.left - 1
                result, why = worker.answer()
                in_a_row = in_a_row + 1 if why else 0
                again = bool(why) and left > 0
                if again:
                    waiting.append((job, left))
                if not worker.go_on(waiting):
                    del crew[worker.pipe]
                yield job, Lost(why, again) if why else result
    finally:
        for worker in crew.values():
            worker.process.kill()


class _Worker:
    """A process and the job it is at."""

    def __init__(self, act: Callable[..., Any], job: tuple[Any, ...], left: int):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(act, theirs))
        self.process.start()
        theirs.close()
        self.give(job, left)

    def give(self, job: tuple[Any, ...], left: int) -> None:
        self.job, self.left = job, left
        try:
            self.pipe.send(job)
        except OSError:
            pass  # it is dead, which its answer tells

    def answer(self) -> tuple[Any, str]:
        """What came of the job, and why nothing did."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return None, f"its process ended with {self.process.exitcode}"

    def go_on(self, waiting: deque) -> bool:
        """With the next job, if there is one and somebody to do it."""
        if self.process.exitcode is not None:
            return False
        if waiting:
            self.give(*waiting.popleft())
            return True
        self.pipe.close()
        self.process.join()
        return False


def _serve(act: Callable[..., Any], pipe: Connection) -> None:
    """In a worker: one job after the other, until nobody gives any."""
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(_attempt(act, job))


def _attempt(act: Callable[..., Any], job: tuple[Any, ...]) -> tuple[Any, str]:
    try:
        return act(*job), ""
    except Exception:
        return None, traceback.format_exc()
