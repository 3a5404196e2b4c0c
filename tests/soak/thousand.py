"""What a thousand nodes do to the one process that gives work out and keeps the journal: its own code, measured with
workers that take no time, and Ray's share with as many jobs in hand."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

NODES, CORES = 1000, 32
AT_ONCE = 1000  # jobs that end between two looks
LONG, SHORT = 0.1, 1e-4  # [s] that the workers say a point took
FEW = 64  # jobs in hand at once where they are to be of many short points


class Instant:
    """So many workers that have done whatever they are given; `told`: [s] that their lines took."""

    def __init__(self, capacity: int, seconds: float, shared: bool):
        self.capacity, self.seconds, self.shared = capacity, seconds, shared
        self.jobs: deque[Any] = deque()
        self.told, self.ended, self.bytes = 0.0, 0, 0

    @property
    def free(self) -> int:
        return self.capacity - len(self.jobs)

    def submit(self, job: Any) -> None:
        self.jobs.append(job)

    def wait(self) -> list[Any]:
        from gambol.study.processes import Ended, Receipt
        from gambol.study.work import OK, journal_line

        began, ended = time.process_time(), []
        for _ in range(min(AT_ONCE, len(self.jobs))):
            job = self.jobs.popleft()
            if self.shared:
                job.receipt = Receipt(len(job.points), self.seconds)
            else:
                job.lines += [journal_line(p, OK, {"value": p["a"]}, "", self.seconds) for p in job.points]
                self.bytes += sum(map(len, job.lines))
            ended.append(Ended(job))
        self.ended += len(ended)
        self.told += time.process_time() - began
        return ended

    def close(self) -> None:
        """There is no one to end."""


def nodes(given: Any) -> dict[str, Any]:
    """Points given out to 32,000 cores and gathered: as lines, and as receipts of those who wrote their own files."""
    from gambol.study import Target, grid
    from gambol.study.cluster import AHEAD
    from gambol.study.journal import Journal
    from gambol.study.runner import perform

    points, found, right = grid(a=range(given.count)), dict[str, Any](), True
    all_of_them = AHEAD * NODES * CORES
    for how, crew in (
        ("lines", Instant(all_of_them, LONG, shared=False)),
        ("lines in long jobs", Instant(FEW, SHORT, shared=False)),
        ("receipts", Instant(all_of_them, LONG, shared=True)),
    ):
        with tempfile.TemporaryDirectory() as folder:
            journal = Journal(Path(folder), {"target": "nothing", "parameters": ["a"]})
            began = time.process_time()
            came = sum(perform(crew, Target("nothing.py:nothing"), points, journal))
            took = time.process_time() - began - crew.told
            journal.close()
            lines = len(journal.path.read_bytes().splitlines())
        right = right and came == len(points) and lines == 1 + (0 if crew.shared else len(points))
        found[how] = {"us_a_point": 1e6 * took / came, "us_a_job": 1e6 * took / crew.ended, "bytes": crew.bytes / came}
        print(
            f"{came} points as {how}: {1e6 * took / came:.2f} µs a point, {1e6 * took / crew.ended:.1f} µs a job of "
            f"{came / crew.ended:.1f} points, {crew.bytes / came:.0f} bytes a point"
        )
    if importlib.util.find_spec("ray") is not None:
        found |= in_hand()
    return {"held": right, "points": len(points), **found}


def in_hand() -> dict[str, float]:
    """Of Ray, with two jobs for each core given out: [µs] to give one out, and [s] to look which have ended."""
    import logging

    import ray

    from gambol.study.cluster import AHEAD

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        gone = Path(tempfile.mkdtemp()) / "gone"

        @ray.remote(max_retries=0)
        def held(path: str) -> None:
            while not os.path.exists(path):
                time.sleep(0.2)

        began = time.perf_counter()
        refs = [held.remote(str(gone)) for _ in range(AHEAD * NODES * CORES)]
        given = time.perf_counter() - began
        looks = []
        for _ in range(5):
            began = time.perf_counter()
            ray.wait(refs, num_returns=len(refs), timeout=0)
            looks.append(time.perf_counter() - began)
    finally:
        ray.shutdown()
    print(f"Ray: {1e6 * given / len(refs):.0f} µs to give a job out; a look at {len(refs)} of them {min(looks):.2f} s")
    return {"ray_give_us": 1e6 * given / len(refs), "ray_look_s": min(looks)}
