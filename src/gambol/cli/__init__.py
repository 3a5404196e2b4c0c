"""The `gambol` command.

Exit codes: 0 done, 1 the input or the run was at fault (the message says what), 2 wrong usage (an option, or a name
that nothing has), 130 interrupted.
"""

import atexit
import contextlib
import os
import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> None:
    """What the installed command runs."""
    try:
        from gambol.cli import ctrl_c
        from gambol.cli.app import app

        ctrl_c.watch()

        app(prog_name="gambol")
    except KeyboardInterrupt:  # before a command had begun
        _leave()
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        _leave()


def _leave() -> NoReturn:
    """Ends an interrupted process, which has kept what is to be kept: freeing all compiled code would take a second."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(INTERRUPTED)
