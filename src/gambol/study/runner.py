"""Runs a target at every point of a study, on several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gambol.errors import StudyError
from gambol.study.journal import FAILED, OK, Journal
from gambol.study.points import Point
from gambol.study.target import Target

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
PROCESS_DIED = "its process died"


def sweep(
    target: str | Target,
    points: Sequence[Point],
    folder: str | Path,
    *,
    workers: int | None = None,
    retry: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> pandas.DataFrame:
    """The table of the target at every point.

    The target is `package.module:function`, `file.py:function` or a Target, which can also be what has an id:
    sweep(Target("finger-taps", find_experiment), …) with gambol.experiments.registry.find_experiment.

    Points that the folder has already are not run again (`retry`: but those that failed). A point that fails, or
    whose process dies, is a row with outcome "failed" and the message. Ctrl-C keeps what was computed.

    workers   processes; by default as many as there are cores
    progress  is told how many points are done, of how many
    """
    require_parquet()
    target = Target(target) if isinstance(target, str) else target
    names = list(dict.fromkeys(name for point in points for name in point))
    target.check(set(names))
    folder = Path(folder)
    journal = Journal(folder, target.name, names)
    left = journal.remaining(list(points), retry=retry)
    done, total = len(points) - len(left), len(points)
    progress(done, total)
    try:
        for row in _run_points(target, left, folder, min(workers or os.cpu_count() or 1, max(len(left), 1))):
            journal.add(row)
            done += 1
            progress(done, total)
    finally:
        journal.write()
    return journal.table()


def require_parquet() -> None:
    """Said before the work, not after it."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise StudyError("tables of studies are parquet files: pip install 'gambol[study]'") from None


def _run_points(target: Target, points: list[Point], folder: Path, workers: int) -> Iterator[Row]:
    """Yields rows as they are done. When a process dies, those that were under way are run again one by one."""
    waiting, suspects = list(points), list[Point]()
    while waiting or suspects:
        if suspects:
            point = suspects.pop(0)
            for _, row in _run_in_pool(target, [point], folder, 1):
                yield row or _row(point, FAILED, {}, PROCESS_DIED, 0.0)
            continue
        undone = []
        for point, row in _run_in_pool(target, waiting, folder, workers):
            if row is None:
                undone.append(point)
            else:
                yield row
        suspects, waiting = undone[:workers], undone[workers:]  # those under way come first; the dead one is among them


def _run_in_pool(target: Target, points: list[Point], folder: Path, workers: int) -> Iterator[tuple[Point, Row | None]]:
    """(point, row) of every point; the row is None for those that a dying process left undone."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)
    running: dict[Future[Row], Point] = {}
    queue, broken = list(points), list[Point]()
    try:
        while running or (queue and not broken):
            while queue and len(running) < workers and not broken:
                point = queue.pop(0)
                running[pool.submit(_run_point, target, point, folder)] = point
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                point = running.pop(future)
                try:
                    yield point, future.result()
                except BrokenProcessPool:
                    broken.append(point)
        yield from ((point, None) for point in [*broken, *queue])
    except BaseException:  # Ctrl-C: points under way are given up, however long they would take
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that gave out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_point(target: Target, point: Point, folder: Path) -> Row:
    began = time.perf_counter()
    try:
        values = target(point, folder / "files" / _point_name(point))
        return _row(point, OK, values, "", time.perf_counter() - began)
    except Exception as error:  # whatever it is belongs to this point alone
        last = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        return _row(point, FAILED, {}, message, time.perf_counter() - began)


def _row(point: Point, outcome: str, values: Row, message: str, seconds: float) -> Row:
    return {"point": point, "values": values, "outcome": outcome, "message": message, "seconds": seconds}


def _point_name(point: Point) -> str:
    return ",".join(f"{name}={value}" for name, value in point.items()).replace("/", "_") or "point"
