"""Ctrl-C while the compiler is at work, which cannot be asked to stop: the process ends instead.

Nothing is lost: the cache of code keeps what is whole, and a recorder has handed to the disk what came before.
"""

import os
import signal
import socket
import sys
import threading
import time

from gambol.cli import INTERRUPTED

PATIENCE = 0.4  # [s] for which Python may first come to hear of it by itself


def watch() -> None:
    """From now on a Ctrl-C that the compiler keeps waiting ends the process with exit code 130. In the main thread."""
    here, there = socket.socketpair()
    there.setblocking(False)
    signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(here, there), name="gambol ctrl-c", daemon=True).start()


def _listen(here: socket.socket, _there: socket.socket) -> None:
    while heard := here.recv(64):
        if signal.SIGINT not in heard:
            continue
        before = _compilations()
        time.sleep(PATIENCE)
        if before & _compilations():
            shown = "\x1b[?25h\n" if sys.stderr.isatty() else ""  # the cursor, which a progress bar hides
            os.write(2, f"{shown}gambol: interrupted while compiling\n".encode())
            os._exit(INTERRUPTED)


def _compilations() -> set[int]:
    """Those under way, by number; without asking for the compiler where nobody has."""
    cache = sys.modules.get("gambol.jit.cache")
    return set(cache.under_way) if cache is not None else set()
