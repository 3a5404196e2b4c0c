"""Workers on this machine: a process each, which ends with the one that started it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import Any

from gambol.study.points import Point
from gambol.study.target import Target
from gambol.study.work import PROCESS_DIED, TOO_LONG, run_points


@dataclass(frozen=True)
class Receipt:
    """Of lines that a worker wrote into a file of its own: how many, and seconds a point."""

    count: int
    seconds: float


@dataclass
class Job:
    """Points that are run together, by one worker."""

    points: list[Point]
    numbers: list[int]  # of the points in the study
    lines: list[str] = field(default_factory=list)
    receipt: Receipt | None = None


@dataclass
class Ended:
    """What came of a job: the lines of its first points, and why it ended before the others.

    lost   with the machine it ran on, perhaps: its points may be good
    """

    job: Job
    fault: str = ""
    lost: bool = False


class Processes:
    """So many workers. `limit`: seconds that a point may take."""

    def __init__(self, target: Target, folder: Path, workers: int, limit: float | None = None):
        self.target, self.folder, self.limit = target, folder, limit
        self.capacity = workers
        self._context = multiprocessing.get_context("spawn")
        self._idle: list[tuple[Any, Connection]] = []
        self._busy: dict[Any, tuple[Any, Job, float]] = {}  # by connection

    @property
    def free(self) -> int:
        """How many more jobs it takes."""
        return self.capacity - len(self._busy)

    def submit(self, job: Job) -> None:
        """Begins a job."""
        process, here = self._idle.pop() if self._idle else self._new_worker()
        try:
            here.send(job.points)
        except OSError:  # died while idle
            process.join()
            process, here = self._new_worker()
            here.send(job.points)
        self._busy[here] = process, job, time.monotonic() + LOADING

    def _new_worker(self) -> tuple[Any, Connection]:
        here, there = self._context.Pipe()
        process = self._context.Process(target=serve, args=(there, self.target, self.folder), daemon=True)
        with _script_left_alone(self.target):
            process.start()
        there.close()
        return process, here

    def wait(self) -> list[Ended]:
        """Waits until some jobs have ended, or a moment."""
        ended = []
        for ready in wait(list(self._busy), timeout=0.2 if self.limit else None):
            here: Any = ready
            process, job, _ = self._busy[here]
            try:
                lines, done = here.recv()
                job.lines += lines
            except (EOFError, OSError):
                ended.append(self._end(here, PROCESS_DIED))
                continue
            if done:
                del self._busy[here]
                self._idle.append((process, here))
                ended.append(Ended(job))
            else:
                self._busy[here] = process, job, time.monotonic()
        if self.limit:
            late = [c for c, (_, _, began) in self._busy.items() if time.monotonic() - began > self.limit]
            ended += [self._end(here, f"{TOO_LONG} of {self.limit:g} s") for here in late]
        return ended

    def _end(self, here: Any, fault: str) -> Ended:
        process, job, _ = self._busy.pop(here)
        process.kill()
        process.join()
        here.close()
        return Ended(job, fault)

    def close(self) -> None:
        """Ends every worker, at once."""
        for process, here in [*self._idle, *((process, here) for here, (process, _, _) in self._busy.items())]:
            process.kill()
            process.join()
            here.close()
        self._idle.clear()
        self._busy.clear()


@contextmanager
def _script_left_alone(target: Target) -> Iterator[None]:
    """Processes that begin within do not run the script that started the study once more, as multiprocessing's do:
    they load their target by its name. A `find` of the script's own is the one thing they need it for."""
    script = sys.modules["__main__"]
    if getattr(target.find, "__module__", "") != "__main__":
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


SENT_EVERY = 0.2  # [s] between messages of a worker that has many short points
LOADING = 60.0  # [s] that it may take to start and to load its target, which count against no point


def serve(connection: Connection, target: Target, folder: Path) -> None:
    """A worker: runs what it is sent until there is no one to send."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gave out the work
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    while True:
        try:
            points = connection.recv()
        except (EOFError, OSError):
            return
        lines: list[str] = []
        target.load()
        connection.send((lines, False))
        sent = time.monotonic()
        for line in run_points(target, points, folder):
            lines.append(line)
            if time.monotonic() - sent > SENT_EVERY:
                connection.send((lines, False))
                lines, sent = [], time.monotonic()
        connection.send((lines, True))


def _end_with(sentinel: Any) -> None:
    """The process that gave out the work is gone, be it by a kill: so is this one."""
    wait([sentinel])
    os._exit(1)
