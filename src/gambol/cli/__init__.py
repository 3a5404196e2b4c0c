"""The `gambol` command.

Exit codes: 0 done, 1 the input or the run was at fault (the message says what), 2 wrong usage (an option, or a name
that nothing has), 130 interrupted.
"""

import sys

INTERRUPTED = 130


def main() -> None:
    """What the installed command runs."""
    try:
        from gambol.cli import ctrl_c
        from gambol.cli.app import app

        ctrl_c.watch()

        app(prog_name="gambol")
    except KeyboardInterrupt:  # before a command had begun
        sys.exit(INTERRUPTED)
