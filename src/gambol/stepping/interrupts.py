"""Ctrl-C while a run is under way: it takes effect between two calls of the march, where the state is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_asked: list[int] = []  # signals that wait for a whole state


@contextmanager
def waiting_for_whole_states() -> Iterator[None]:
    """Within it, a first Ctrl-C waits until `look` is called; a second one takes effect at once.

    Only the main thread hears of signals; elsewhere, and where a program has its own handler, nothing changes.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _asked.clear()
    signal.signal(signal.SIGINT, _ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    look()


def _ask(number: int, frame: Any) -> None:
    if _asked:
        _asked.clear()
        raise KeyboardInterrupt
    _asked.append(number)


def look() -> None:
    """Raises KeyboardInterrupt if one waits."""
    if _asked:
        _asked.clear()
        raise KeyboardInterrupt
