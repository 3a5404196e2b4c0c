"""A march over several threads, by blocks of rows that they take one after the other.

The threads live as long as the process. On Linux they wait and work in compiled code: sixteen that were woken through
Python handed its lock on one after the other, and the last began two milliseconds after the first. Blocks are many, so
that one thread that is held up by something else does not hold up the rest.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import numpy as np

from gambol.jit import call, entry, function, kept
from gambol.stepping.march import HANDED, SHARED
from gambol.stepping.semaphores import NATIVE, begin, pointer, post, take_next, wait
from gambol.stepping.subnormals import begin_flushing, end_flushing

BLOCKS = 16  # of rows, a thread, at the most
LOOKS = 50_000  # for work before a thread sleeps: some 0.3 ms, longer than Python takes between two short calls
FOR_EVER = 2**62  # [jobs]
WORD = 8  # [bytes]
APART = 16  # words between counts of two threads, that lie in two lines of a cache
# A job: two semaphores, what is to be done, a count of blocks taken for each thread, where the room of each lies
WORK, DONE = 0, APART
LOOP, ROWS, COUNT, FLUSHING = range(2 * APART, 2 * APART + 4)
TAKEN = 3 * APART


@function
def take_blocks(loop, handed, shared, rows, count, reached, taken, place, mine, parts):
    """Marches blocks of rows, `count` in all, as long as there are any that no thread has taken.

    A thread takes those of its own part first, which its core still holds from the call before, then those of others.
    """
    for later in range(parts):
        part = (mine + later) % parts
        first, end = count * part // parts, count * (part + 1) // parts
        while True:
            k = first + take_next(taken, place + APART * part)
            if k >= end:
                break
            call(loop, (handed, shared, rows * k // count, rows * (k + 1) // count, reached, k))


@entry(counts=False)
def march_here(room, loop, rows, count, reached, taken, mine, parts, flushing):
    """Takes blocks in the thread that calls; what `hand_over` laid down is in the room."""
    before = begin_flushing(flushing)
    take_blocks(loop, kept(room, HANDED), kept(room, SHARED), rows, count, reached, taken, 0, mine, parts)
    end_flushing(flushing, before)


@entry(counts=False)
def attend(job, reached, worker, workers, jobs):
    """A thread of the crew, `worker` from 1: waits for work, does it and says so, so many times."""
    rooms = TAKEN + APART * (workers + 1)
    for _ in range(jobs):
        wait(job, WORK, LOOKS)
        flushing, room = job[FLUSHING] != 0, job[rooms + worker]
        before = begin_flushing(flushing)
        handed, shared = pointer(room + WORD * HANDED), pointer(room + WORD * SHARED)
        take_blocks(job[LOOP], handed, shared, job[ROWS], job[COUNT], reached, job, TAKEN, worker, workers + 1)
        end_flushing(flushing, before)
        post(job, DONE)


@entry(counts=False)
def march_together(job, room, reached, workers):
    """Wakes the crew, takes blocks too, and returns when all are done, after Ctrl-C too: nothing is handed back that is
    still being computed.
    """
    for _ in range(workers):
        post(job, WORK)
    flushing = job[FLUSHING] != 0
    before = begin_flushing(flushing)
    handed, shared = kept(room, HANDED), kept(room, SHARED)
    take_blocks(job[LOOP], handed, shared, job[ROWS], job[COUNT], reached, job, TAKEN, 0, workers + 1)
    end_flushing(flushing, before)
    for _ in range(workers):
        wait(job, DONE, LOOKS)


class Crew:
    """Threads that wait for work in compiled code; of several callers one has them at a time."""

    def __init__(self, threads: int):
        self._threads = threads
        self._job = np.zeros(TAKEN + APART * (threads + 1) + threads + 1, np.int64)
        self._reached = np.zeros(BLOCKS * (threads + 1), np.int64)
        self._mine = threading.Lock()
        begin(self._job, WORK)
        begin(self._job, DONE)
        attend(self._job, self._reached, 0, threads, 0)  # compiled here, where an error is seen
        for k in range(threads):
            known = (self._job, self._reached, k + 1, threads, FOR_EVER)
            threading.Thread(target=attend, args=known, name=f"gambol march {k}", daemon=True).start()

    def march(self, rooms: Sequence[Any], loop: int, rows: int, count: int, flushing: bool) -> int:
        """How many samples the rows have reached; this thread has the first of the rooms."""
        with self._mine:
            everyone = self._threads + 1
            where = [rooms[k if len(rooms) > 1 else 0].ctypes.data for k in range(everyone)]
            self._job[LOOP : FLUSHING + 1] = loop, rows, count, flushing
            self._job[TAKEN:-everyone] = 0
            self._job[-everyone:] = where
            march_together(self._job, rooms[0], self._reached, self._threads)
            return int(self._reached[:count].min())


class CrewOfPython:
    """The same where there are no such semaphores; several callers may share them."""

    def __init__(self, threads: int):
        self._work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._count = threads
        for k in range(threads):
            threading.Thread(target=self._wait, name=f"gambol march {k}", daemon=True).start()

    def _wait(self) -> None:
        while True:
            self._work.get()()

    def march(self, rooms: Sequence[Any], loop: int, rows: int, count: int, flushing: bool) -> int:
        """How many samples the rows have reached; this thread has the first of the rooms."""
        reached, taken = np.zeros(count, np.int64), np.zeros(APART * (self._count + 1), np.int64)
        done, left = threading.Semaphore(0), self._count + 1
        failed: list[BaseException] = []

        def work(worker: int) -> None:
            try:
                room = rooms[worker if len(rooms) > 1 else 0]
                march_here(room, loop, rows, count, reached, taken, worker, self._count + 1, flushing)
            except BaseException as error:
                failed.append(error)
            finally:
                done.release()

        for k in range(self._count):
            self._work.put(functools.partial(work, k + 1))
        work(0)
        while left:
            try:
                done.acquire()
                left -= 1
            except KeyboardInterrupt as error:
                failed.append(error)
        if failed:
            raise failed[0]
        return int(reached.min())


@functools.cache
def _crew(threads: int) -> Crew | CrewOfPython:
    return Crew(threads) if NATIVE else CrewOfPython(threads)


if hasattr(os, "register_at_fork"):  # where there are forks: threads do not come along
    os.register_at_fork(after_in_child=_crew.cache_clear)


def crew_size(rows: int, threads: int) -> int:
    """How many threads there is work for."""
    return min(rows, threads)


def blocks_of(rows: int, threads: int) -> int:
    """In how many blocks the rows are taken."""
    return 1 if threads == 1 else min(BLOCKS * threads, rows)


def march_in_blocks(loop: int, rooms: Sequence[Any], rows: int, threads: int, flushing: bool) -> int:
    """Brings all rows on; how many samples all of them have reached.

    rooms   what the march at the address `loop` is handed: one for all threads, or one for each
    """
    threads = crew_size(rows, threads)
    count = blocks_of(rows, threads)
    if threads > 1:
        return _crew(threads - 1).march(rooms, loop, rows, count, flushing)
    reached, taken = np.zeros(count, np.int64), np.zeros(1, np.int64)
    march_here(rooms[0], loop, rows, count, reached, taken, 0, 1, flushing)
    return int(reached[0])
