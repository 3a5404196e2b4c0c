"""Runs a target at every point of a study: on processes of this machine, or on a cluster."""

from __future__ import annotations

import json
import math
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gambol.errors import StudyError
from gambol.study.journal import Journal
from gambol.study.points import Point
from gambol.study.processes import Ended, Job, Processes
from gambol.study.target import Target
from gambol.study.work import FAILED, journal_line, outcome_of, point_key

if TYPE_CHECKING:
    import pandas

PLACES = "processes, ray or ray://HOST:PORT"
JOB_SECONDS = 0.5  # that a job of short points should take,
MOST_JOBS = 2000.0  # or longer where there are so many workers that more than these would end in a second
MOST_POINTS = 20_000  # of a job
MOST_TRIES = 3  # of a point by itself whose worker is lost: with its node, or because of the point
FAIR = 4  # jobs that each worker gets at least, while there are points enough


class Workers(Protocol):
    """Those who run jobs."""

    capacity: int

    @property
    def free(self) -> int:
        """How many more jobs they take."""

    def submit(self, job: Job) -> None:
        """Begins a job."""

    def wait(self) -> list[Ended]:
        """Waits until some have ended."""

    def close(self) -> None:
        """Ends all."""


def sweep(
    target: str | Target,
    points: Sequence[Point],
    folder: str | Path,
    *,
    workers: int | None = None,
    on: str = "processes",
    batch: int | None = None,
    limit: float | None = None,
    gpus: float = 0.0,
    retry: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> pandas.DataFrame:
    """The table of the target at every point.

    The target is `package.module:function`, `file.py:function` or a Target, which can also be what has an id:
    sweep(Target("finger-taps", find_experiment), …) with gambol.experiments.registry.find_experiment.

    Points that the folder has already are not run again (`retry`: but those that failed). A point that fails, or
    whose process dies, is a row with outcome "failed" and the message. Ctrl-C keeps what was computed: in the journal,
    which `read_table` reads; the file of the table is written at the end.

    workers   processes; by default as many as there are cores
    on        "processes"; "ray" or "ray://HOST:PORT": a cluster (gambol.study.cluster)
    batch     most points in a call of a batched target
    limit     [s] that a point may take
    gpus      that a job on a cluster has to itself (0.5: two jobs share one): it runs where there are some
    progress  is told how many points are done, of how many
    """
    require_parquet()
    target = Target(target) if isinstance(target, str) else target
    names = list(dict.fromkeys(name for point in points for name in point))
    target.check(set(names))
    points = list({point_key(point): point for point in points}.values())
    journal = Journal(Path(folder), {"target": target.name, "parameters": names}, target.units())
    try:
        left = journal.remaining(points, retry=retry)
        done, total = len(points) - len(left), len(points)
        progress(done, total)
        hands = min(workers or os.cpu_count() or 1, len(left))
        with journal.tabled(), hired(target, Path(folder), workers=hands, on=on, limit=limit, gpus=gpus) as crew:
            for finished in perform(crew, target, left, journal, batch=batch, limit=limit):
                done += finished
                progress(done, total)
        table = journal.table()
        journal.write(table)
    finally:
        journal.close()
    return table


@contextmanager
def hired(
    target: Target,
    folder: Path,
    *,
    workers: int | None = None,
    on: str = "processes",
    limit: float | None = None,
    gpus: float = 0.0,
) -> Iterator[Workers]:
    """Those who run the points of a study, until it ends."""
    if limit is not None and not limit > 0:
        raise StudyError(f"the limit of a point must be a positive time [s], it is {limit}")
    if gpus < 0 or (gpus and on == "processes"):
        raise StudyError(f"gpus are those of a job on a cluster (on='ray'), not {gpus:g} of {on}")
    crew: Workers
    if on == "processes":
        crew = Processes(target, folder, workers or os.cpu_count() or 1, limit)
    elif on == "ray" or on.startswith("ray://"):
        from gambol.study.cluster import Cluster

        crew = Cluster(target, folder, on if on != "ray" else os.environ.get("RAY_ADDRESS", ""), limit, gpus)
    else:
        raise StudyError(f"there are no workers on {on!r} (allowed: {PLACES})")
    try:
        yield crew
    finally:
        crew.close()


def perform(
    crew: Workers,
    target: Target,
    points: Sequence[Point],
    journal: Journal,
    *,
    batch: int | None = None,
    limit: float | None = None,
) -> Iterator[int]:
    """Runs points and enters them in the journal; yields how many have come, again and again."""
    waiting, alone, tries = deque(range(len(points))), deque[int](), Counter[int]()
    each, busy = 1, 0  # points in a job; jobs under way
    before = set(journal.done)  # with `retry` failed points are there already
    if target.batched:
        each = batch or math.ceil(len(points) / max(min(crew.capacity, len(points)), 1))
    while waiting or alone or busy:
        while crew.free > 0 and (waiting or alone):
            if alone:  # was in a job that was lost: by itself, so that it is known which of them did it
                numbers = [alone.popleft()]
            else:
                fair = math.ceil(len(waiting) / (FAIR * crew.capacity))
                size = each if target.batched else max(min(each, fair), 1)
                numbers = [waiting.popleft() for _ in range(min(size, len(waiting)))]
            crew.submit(Job([points[k] for k in numbers], numbers))
            busy += 1
        came = 0
        for end in crew.wait():
            busy -= 1
            job, lines = end.job, end.job.lines
            if job.receipt is not None:
                came += job.receipt.count
                each = _job_size(job.receipt.seconds, each, crew, target, limit)
                continue
            left = job.numbers[len(lines) :]
            if end.fault:  # what the lost one wrote itself is done
                journal.read_shards()
                written = {k for k in left if (key := point_key(points[k])) in journal.done and key not in before}
                came += len(written)
                left = [k for k in left if k not in written]
                if not left and not lines:
                    continue
            tries.update(left)
            again = end.lost and left and tries[left[0]] < MOST_TRIES
            if end.fault and len(job.numbers) == 1 and not again:
                lines = [journal_line(job.points[0], FAILED, {}, end.fault, limit or 0.0)]
                left = []
            alone.extend(left)
            if rows := [json.loads(line) for line in lines[-3:]]:
                each = _job_size(sum(row["seconds"] for row in rows) / len(rows), each, crew, target, limit)
            journal.add(lines, map(point_key, job.points), map(outcome_of, lines))
            came += len(lines)
        if came:
            yield came


def _job_size(seconds: float, before: int, crew: Workers, target: Target, limit: float | None) -> int:
    """Points of the next jobs, of what one took: as many workers as there may be, jobs end so often and not more."""
    if target.batched or limit:
        return before
    long = max(JOB_SECONDS, crew.capacity / MOST_JOBS)
    return max(min(int(long / max(seconds, 1e-6)), 4 * before, MOST_POINTS), 1)


def require_parquet() -> None:
    """Said before the work, not after it."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise StudyError("tables of studies are parquet files: pip install 'gambol[study]'") from None
