"""One writer a recording: a file beside it, `.NAME.lock`, says who is at work on it, and is locked while they live.

The system frees the lock of a process that dies, so what a killed writer leaves is taken over. On another host one
cannot tell whether the owner lives: there the file has to be removed by hand.
"""

from __future__ import annotations

import json
import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gambol.errors import RecordingError

try:
    import fcntl
except ImportError:  # Windows keeps a second writer from an open file by itself
    fcntl = None  # type: ignore[assignment]


def lock_path(path: Path) -> Path:
    """Where the lock of a recording is."""
    return path.with_name(f".{path.name}.lock")


class WriterLock:
    """The right to write a recording, held until `release`, or until the process ends."""

    def __init__(self, path: Path):
        self.path = lock_path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._taken(path)
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written: {error.strerror or error}") from None

    def _taken(self, path: Path) -> Any:
        while True:
            stream = open(self.path, "a+", encoding="utf-8")
            owner = _owner(self.path)
            if not _try_lock(stream):
                stream.close()
                raise RecordingError(f"{path} is being written by {_who(owner)}")
            if not _is_at(stream, self.path):  # its owner has removed it meanwhile
                stream.close()
                continue
            if owner.get("host", socket.gethostname()) != socket.gethostname():
                stream.close()
                raise RecordingError(f"{path} is being written by {_who(owner)}; if it is not, remove {self.path}")
            stream.truncate(0)
            stream.write(json.dumps(_ourselves()))
            stream.flush()
            return stream

    def release(self) -> None:
        """Others may write from now on."""
        if not self._stream.closed:
            if _is_at(self._stream, self.path):
                self.path.unlink(missing_ok=True)
            self._stream.close()


def is_being_written(path: Path) -> bool:
    """Does a process of this machine hold the lock of a recording?"""
    if fcntl is None:
        return lock_path(path).exists()
    try:
        with open(lock_path(path), encoding="utf-8") as stream:
            return not _try_lock(stream, shared=True)
    except OSError:
        return False


def _try_lock(stream: Any, *, shared: bool = False) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(stream, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: the text alone has to do
        return True
    return True


def _is_at(stream: Any, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except OSError:
        return False


def _owner(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _ourselves() -> dict[str, Any]:
    try:
        user = os.environ.get("USER") or os.environ.get("USERNAME") or str(os.getuid())
    except AttributeError:  # no user numbers here
        user = "unknown"
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return {"user": user, "host": socket.gethostname(), "process": os.getpid(), "since": since}


def _who(owner: dict[str, Any]) -> str:
    if not owner:
        return "another process"
    user, host, process, since = (owner.get(name, "unknown") for name in ("user", "host", "process", "since"))
    return f"process {process} of {user} on {host}, since {since}"
