"""Jobs over processes; each is one of its own, so that it may fork, and compiled code is shared by the cache."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any


def spread(act: Callable[..., Any], jobs: Iterable[tuple[Any, ...]], processes: int) -> Iterator[Any]:
    """What came of each job, as they end; with one process they are done here, one after the other."""
    if processes <= 1:
        for job in jobs:
            yield act(*job)
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(act, *job) for job in jobs]):
            yield done.result()
