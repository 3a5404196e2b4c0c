"""A march over several threads, by blocks of rows that they take one after the other.

The threads live as long as the process. What they do is handed to all of them at once; blocks are a few a thread, so
that one that is held up by something else does not hold up the rest.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

import numpy as np

BLOCKS = 4  # of rows, a thread
Start = Callable[[int, int, np.ndarray, int], None]


class Crew:
    """Threads that wait for work; several callers may share them."""

    def __init__(self, threads: int):
        self._work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._count = threads
        for k in range(threads):
            threading.Thread(target=self._wait, name=f"gambol march {k}", daemon=True).start()

    def _wait(self) -> None:
        while True:
            self._work.get()()

    def share(self, work: Callable[[], None]) -> None:
        """Every thread and this one do the work, which raises nothing; returns when all have done it, after Ctrl-C too:
        nothing is handed back that is still being computed.
        """
        done, left, interrupt = threading.Semaphore(0), self._count, None

        def work_and_tell() -> None:
            work()
            done.release()

        for _ in range(self._count):
            self._work.put(work_and_tell)
        work()
        while left:
            try:
                done.acquire()
                left -= 1
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


@functools.cache
def _crew(threads: int) -> Crew:
    return Crew(threads)


if hasattr(os, "register_at_fork"):  # where there are forks: threads do not come along
    os.register_at_fork(after_in_child=_crew.cache_clear)


def march_in_blocks(start: Start, rows: int, threads: int) -> int:
    """Calls start(first, last, reached, number) for blocks of rows; how many samples all of them have reached."""
    blocks = 1 if threads == 1 else min(BLOCKS * threads, rows)
    reached = np.zeros(blocks, np.int64)
    if blocks == 1:
        start(0, rows, reached, 0)
        return int(reached[0])
    cuts = [rows * k // blocks for k in range(blocks + 1)]
    left, failed = iter(range(blocks)), []

    def work() -> None:
        try:
            for k in left:
                start(cuts[k], cuts[k + 1], reached, k)
        except BaseException as error:
            failed.append(error)

    _crew(min(threads, rows) - 1).share(work)
    if failed:
        raise failed[0]
    return int(reached.min())
