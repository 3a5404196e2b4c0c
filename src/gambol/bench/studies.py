"""What a study costs beside its points: sweeps of a target that does nothing, in processes and on Ray."""

import importlib.util
import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gambol.bench.result import Floor, Result
from gambol.study import grid, sweep

POINTS = 100_000
TARGET = "def nothing(a):\n    return a\n"
MOST_MICROSECONDS = 100.0  # a point
METRIC = "a point of a sweep that does nothing: given out, run, gathered, journalled"


def measure_processes(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Two processes on this machine."""
    best = _best(rounds, progress, on="processes", workers=2)
    return [Result("study-processes", METRIC, "µs", best, {}, None, Floor("ours", MOST_MICROSECONDS))]


def measure_ray(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """A cluster of Ray on this machine."""
    if importlib.util.find_spec("ray") is None:
        note = "Ray not installed: pip install 'gambol[cluster]'"
        return [Result("study-ray", METRIC, "µs", math.nan, {}, None, notes=(note,))]
    import logging

    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        best = _best(rounds, progress, on="ray")
    finally:
        ray.shutdown()
    return [Result("study-ray", METRIC, "µs", best, {}, None, Floor("ours", MOST_MICROSECONDS))]


def _best(rounds: int, progress: Callable[[], None], **options: Any) -> float:
    """Microseconds a point, from the first result to the last: starting the workers is not counted."""
    found = []
    for _ in range(min(rounds, 3)):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "nothing.py"
            file.write_text(TARGET)
            found.append(_microseconds(file, Path(folder) / "out", options))
        progress()
    return min(found)


def _microseconds(file: Path, folder: Path, options: dict[str, Any]) -> float:
    marks: list[tuple[float, int]] = []
    look = lambda done, total: marks.append((time.perf_counter(), done))
    sweep(f"{file}:nothing", grid(a=range(POINTS)), folder, progress=look, **options)
    (began, first), (ended, last) = next(m for m in marks if m[1]), marks[-1]
    return 1e6 * (ended - began) / max(last - first, 1)
