"""Workers on a cluster by Ray (extra `cluster`): `on="ray"` starts or finds one, `on="ray://HOST:10001"` joins one.

The same target, journal and table as with processes. A job that is lost with its worker or its node is given to
another; what it had not delivered runs again, nothing else does. Compiled code is kept on each node's disk, so it is
made once a node.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from gambol.errors import StudyError
from gambol.study.processes import Ended, Job
from gambol.study.target import Target
from gambol.study.work import PROCESS_DIED, TOO_LONG, run_points

AHEAD = 2  # jobs for each processor of the cluster that are given out at once
GROWTH = 5.0  # [s] between looks at how many processors there are


class Cluster:
    """Jobs as tasks of Ray. `limit`: seconds that a point may take; `gpus` of each task."""

    def __init__(self, target: Target, folder: Path, address: str, limit: float | None = None, gpus: float = 0.0):
        self._ray = ray = _library()
        self._own = not ray.is_initialized()
        if self._own:
            options: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False, "logging_level": "error"}
            if address.startswith("ray://"):  # elsewhere: the files around the target go along
                options = {"address": address, "runtime_env": {"working_dir": "."}, "log_to_driver": False}
            elif address:
                options |= {"address": address}
                options.pop("include_dashboard")
            try:
                ray.init(**options)
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise StudyError(f"no cluster at {address or 'this machine'}: {error}") from None
        self._task = ray.remote(_run).options(max_retries=0, num_gpus=gpus)
        self._target, self._folder, self.limit = ray.put(target), folder, limit
        self._jobs: dict[Any, Job] = {}
        self.capacity = self._count()

    def _count(self) -> int:
        found = self._ray.cluster_resources() if self._ray.is_initialized() else {}
        return max(AHEAD * int(found.get("CPU", 1)), 1)

    @property
    def free(self) -> int:
        """How many more jobs it takes."""
        return self.capacity - len(self._jobs)

    def submit(self, job: Job) -> None:
        """Gives a job out."""
        self._jobs[self._task.remote(self._target, job.points, self._folder, self.limit)] = job

    def wait(self) -> list[Ended]:
        """Waits until some jobs have ended."""
        ready, _ = self._ray.wait(list(self._jobs), num_returns=1, timeout=GROWTH)
        more, _ = self._ray.wait(list(self._jobs), num_returns=len(self._jobs), timeout=0)
        if not ready:
            self.capacity = self._count()
        ended = []
        for ref in dict.fromkeys([*ready, *more]):
            job = self._jobs.pop(ref)
            try:
                job.lines += self._ray.get(ref)
                ended.append(Ended(job))
            except (self._ray.exceptions.RayError, OSError):
                ended.append(Ended(job, PROCESS_DIED))
        return ended

    def close(self) -> None:
        """Gives up what is under way; a cluster that was started here ends."""
        for ref in self._jobs:
            self._ray.cancel(ref, force=True)
        self._jobs.clear()
        if self._own:
            self._ray.shutdown()


def _library() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise StudyError("a cluster is reached by Ray: pip install 'gambol[cluster]'") from None
    return ray


def _run(target: Target, points: list[Any], folder: Path, limit: float | None) -> list[str]:
    if limit is None:
        return list(run_points(target, points, folder))

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(f"{TOO_LONG} of {limit:g} s")

    signal.signal(signal.SIGALRM, stop)
    lines: list[str] = []
    for point in points:
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            lines += run_points(target, [point], folder)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    return lines
