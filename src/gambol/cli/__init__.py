"""The `gambol` command.

Exit codes: 0 done, 1 the input or the run was at fault (the message says what), 2 wrong usage.
"""


def main() -> None:
    """What the installed command runs."""
    from gambol.cli.app import app

    app(prog_name="gambol")
