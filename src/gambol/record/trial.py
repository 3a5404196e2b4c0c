"""Files are opened in another process first: a few bytes can make HDF5 go round for ever, or crash.

(Its heap of texts and references has no checksum, and free room of length 0 there is never left again.) The other
process goes through all that HDF5 has to interpret, under a limit of processor time; what it survives is opened here,
unless it could not come to all of it: nobody knows then what the rest would do.
It is started when it is first needed and waits for more. What this process has written itself is not tried. Where no
other process can be had, files are refused, unless the environment says UNTRIED=1.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py

from gambol.errors import RecordingError

LIMIT = 4.0  # [s] of processor time for a file
SECONDS_A_BYTE = 2e-8  # more of it for a long one
START = 120.0  # [s] of the wall clock to begin
PATIENCE = 600.0  # [s] of the wall clock, where processor time cannot be limited
LARGEST = 100_000_000  # [bytes] of numbers that are read to try them; longer ones lie there as they are
READY = b"ready\n"
UNTRIED = "GAMBOL_UNTRIED"  # of the environment, "1": what cannot be tried is opened all the same
SERVE = "import sys; sys.path[:] = {path!r}; from gambol.record.trial import serve; serve()"

writing: set[tuple[int, int]] = set()  # files that this process has open
_known: set[tuple[int, ...]] = set()  # files that were tried, or written here, as they were then
_one_at_a_time = threading.Lock()


def file_key(path: Path) -> tuple[int, int]:
    """Which file it is."""
    status = path.stat()
    return status.st_dev, status.st_ino


def trust(path: Path) -> None:
    """The file, as it is now, was written by this process."""
    _known.add(_as_it_is(path))


def survived(path: Path, where: str, *, growing: bool) -> None:
    """Raises RecordingError unless a file can be opened without harm; `growing`: its writer lives."""
    key = file_key(path) if growing else _as_it_is(path)
    if key in _known or file_key(path) in writing:
        return
    with _one_at_a_time:
        tryer = _Tryer.present()
        if tryer.process is None:
            if os.environ.get(UNTRIED) == "1":
                return
            raise RecordingError(
                f"{where} is not opened: {tryer.trouble}, so nobody can try whether HDF5 survives it; if you trust the "
                f"file, set {UNTRIED}=1 in the environment"
            )
        fate = tryer.fate(path, where)
    if fate:
        raise RecordingError(fate)
    _known.add(key)


def _as_it_is(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextlib.contextmanager
def _killed_after(seconds: float, process: Any) -> Iterator[None]:
    patience = threading.Timer(seconds, process.kill)
    patience.start()
    try:
        yield
    finally:
        patience.cancel()


class _Tryer:
    """The other process, as seen from here."""

    _present: _Tryer | None = None

    def __init__(self) -> None:
        self.owner = os.getpid()  # after a fork, the child needs one of its own
        self.process: Any = None
        self.trouble = ""  # why there is no process
        try:
            with tempfile.TemporaryFile() as said:
                self.process = subprocess.Popen(
                    [sys.executable or "python", "-P", "-c", SERVE.format(path=sys.path)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    start_new_session=True,  # Ctrl-C is for us
                )
                with _killed_after(START, self.process):
                    begun = self.process.stdout.readline() == READY
                if not begun:
                    self.end()
                    said.seek(0)
                    words = said.read().decode(errors="replace").strip().splitlines()
        except (OSError, ValueError) as error:
            self.process, self.trouble = None, f"no other process can be started ({error})"
            return
        if not begun:
            why = f"it ended with {self.process.returncode}" + "".join(f": {line}" for line in words[-1:])
            self.process, self.trouble = None, f"the process that tries files did not come up ({why})"

    @classmethod
    def present(cls) -> _Tryer:
        found = cls._present
        if found is None or found.owner != os.getpid() or (found.process and found.process.poll() is not None):
            found = cls._present = _Tryer()
            atexit.register(found.end)
        return found

    def fate(self, path: Path, where: str) -> str:
        """Why the file is not opened: what became of the process, or what it says; nothing to say is good."""
        limit = LIMIT + SECONDS_A_BYTE * path.stat().st_size
        try:
            with _killed_after(PATIENCE, self.process):
                self.process.stdin.write(json.dumps([str(path.absolute()), where, limit]).encode() + b"\n")
                self.process.stdin.flush()
                if answer := self.process.stdout.readline():
                    return str(json.loads(answer))
        except BrokenPipeError:
            pass
        except BaseException:  # interrupted: its answer would be taken for that to the next question
            self.process.kill()
            raise
        code = self.process.wait()
        if code in (-getattr(signal, "SIGPROF", 0), -getattr(signal, "SIGKILL", 0)):
            return f"{where} is damaged: HDF5 did not come to an end with it within {limit:.3g} s"
        return f"{where} is damaged: HDF5 does not survive it (a process that opened it ended with {code})"

    def end(self) -> None:
        """Lets it go."""
        if self.process is not None and self.owner == os.getpid():
            with contextlib.suppress(OSError):  # one that died left what it was asked unread
                self.process.stdin.close()
            self.process.kill()
            self.process.wait()


# ---------------------------------------------------------------- in the other process
def serve() -> None:
    """Reads names of files and limits, tries each, says what is wrong with it."""
    import gambol.record.opening  # noqa: F401  what cannot be imported is no damage of a file

    sys.stdout.buffer.write(READY)
    sys.stdout.flush()
    for line in sys.stdin.buffer:
        path, where, limit = json.loads(line)
        _limit(limit)
        found = attempt(Path(path), where)
        _limit(0.0)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def _limit(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)  # nobody handles its signal: the process ends


def attempt(path: Path, where: str) -> str:
    """Has HDF5 interpret all that there is in a file; why that was not all. Other errors are for those who read it."""
    from gambol.record.opening import DAMAGE, damage_named, opened_here, refuse_foreign

    failures = (RecordingError, MemoryError, RecursionError, *DAMAGE)
    try:
        with opened_here(path, where) as file, damage_named(where):
            refuse_foreign(file, where)  # nothing outside the file is looked at here either
            waiting: list[Any] = [file]
            while waiting:
                item = waiting.pop()
                if isinstance(item, h5py.Group):
                    waiting += [item[name] for name in item]
                looks = [functools.partial(item.attrs.__getitem__, name) for name in item.attrs]
                for look in (*looks, functools.partial(_numbers, item), functools.partial(_scales, item)):
                    with contextlib.suppress(*failures):
                        look()
    except (RecordingError, RecursionError) as error:
        return str(error) or f"{where} is damaged"
    return ""


def _numbers(item: Any) -> None:
    if isinstance(item, h5py.Dataset):
        if item.chunks is not None:
            item.id.get_num_chunks()
        if item.nbytes <= LARGEST:
            item[()]


def _scales(item: Any) -> None:
    if isinstance(item, h5py.Dataset):
        for dim in item.dims:
            dim.values()
