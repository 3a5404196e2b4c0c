"""Workers on a cluster by Ray (extra `cluster`): `on="ray"` starts or finds one, `on="ray://HOST:10001"` joins one.

The same target, journal and table as with processes. A job that is lost with its worker or its node is given to
another; what it had not delivered runs again, nothing else does. Compiled code is kept on each node's disk, so it is
made once a node.

Where a worker sees the study's folder (a file system that nodes share), it writes its lines into a file of its own
there and delivers a receipt: then nothing goes through one place but a few numbers a job.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gambol.errors import StudyError
from gambol.study.journal import SHARDS, TOKEN_FILE
from gambol.study.processes import Ended, Job, Receipt
from gambol.study.target import Target
from gambol.study.work import PROCESS_DIED, TOO_LONG, run_points

AHEAD = 2  # jobs for each processor of the cluster that are given out at once
GROWTH = 5.0  # [s] between looks at how many processors there are
GRACE = 1.0  # [s] after its limit in which a point may still be stopped, before its worker is ended
FLUSHED_EVERY = 0.2  # [s] at which a worker's own file is written out
_OWN = uuid.uuid4().hex[:8]  # tells this process from one of the same number on a node of the same name


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
        self._target, self._folder, self.limit = ray.put(target), folder.resolve(), limit
        self._token = uuid.uuid4().hex
        (folder / SHARDS).mkdir(parents=True, exist_ok=True)
        (folder / SHARDS / TOKEN_FILE).write_text(self._token)
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
        self._jobs[self._task.remote(self._target, job.points, self._folder, self.limit, self._token)] = job

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
                found = self._ray.get(ref)
                if isinstance(found, Receipt):
                    job.receipt = found
                else:
                    job.lines += found
                ended.append(Ended(job))
            except (self._ray.exceptions.RayError, OSError):
                ended.append(Ended(job, PROCESS_DIED, lost=True))
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


def _run(target: Target, points: list[Any], folder: Path, limit: float | None, token: str) -> list[str] | Receipt:
    target.load()
    lines = _limited(target, points, folder, limit) if limit else run_points(target, points, folder)
    return _written(lines, folder / SHARDS) if _is_seen(folder / SHARDS, token) else list(lines)


def _is_seen(shards: Path, token: str) -> bool:
    """Does this node see the very folder that the study has?"""
    try:
        return (shards / TOKEN_FILE).read_text() == token
    except OSError:
        return False


def _written(lines: Iterator[str], shards: Path) -> Receipt:
    """Lines into this worker's own file, as they come: whoever gave out the work hears how many there are."""
    path = shards / f"{socket.gethostname()}-{os.getpid()}-{_OWN}.jsonl"
    count, began = 0, time.perf_counter()
    flushed = began
    with path.open("a", encoding="utf-8") as stream:
        for line in lines:
            stream.write(line)
            count += 1
            if (now := time.perf_counter()) - flushed > FLUSHED_EVERY:
                stream.flush()
                flushed = now
    return Receipt(count, (time.perf_counter() - began) / max(count, 1))


def _limited(target: Target, points: list[Any], folder: Path, limit: float) -> Iterator[str]:
    """With a limit for each point. One that does not come back from compiled code ends with its worker."""

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(f"{TOO_LONG} of {limit:g} s")

    signal.signal(signal.SIGALRM, stop)
    with open(os.devnull, "w") as nowhere:
        for point in points:
            signal.setitimer(signal.ITIMER_REAL, limit)
            faulthandler.dump_traceback_later(limit + GRACE, exit=True, file=nowhere)
            try:
                found = list(run_points(target, [point], folder))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                faulthandler.cancel_dump_traceback_later()
            yield from found
