"""A march over several threads, by blocks of rows. The pools of threads live as long as the process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from gambol.stepping.timetable import Writes

March = Callable[[slice, np.ndarray, Writes], int]


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="gambol march")


def march_in_blocks(march: March, rows: int, lanes: int, threads: int, record: np.ndarray, writes: Writes) -> int:
    """Calls march(rows, record, writes) for blocks of rows, one a thread; how many samples all of them reached."""
    if threads == 1 or rows == 1:
        return march(slice(0, rows), record, writes)
    cuts = np.linspace(0, rows, min(threads, rows) + 1).astype(int)
    blocks = [slice(a, b) for a, b in zip(cuts, cuts[1:])]
    records = [np.ascontiguousarray(record[:, block]) if len(record) else record for block in blocks]
    own = [writes._replace(first=writes.first[b.start * lanes : b.stop * lanes + 1]) for b in blocks]
    waiting = [_pool(threads).submit(march, *of_block) for of_block in zip(blocks, records, own)]
    try:
        reached = min(future.result() for future in waiting)
    finally:
        wait(waiting)  # also after Ctrl-C: nothing is handed back that is still being computed
    if len(record):
        for block, part in zip(blocks, records):
            record[:, block] = part
    return reached
