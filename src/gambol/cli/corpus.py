"""`gambol corpus`: the command language."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import typer

from gambol.cli.console import FAULT, compiling_is_said, err, plain, reported
from gambol.errors import ScriptError


def corpus(
    file: Path | None,
    *,
    commands: bool,
    as_json: bool,
    keep_going: bool,
    silent: bool,
    slave: bool,
    allow_system: bool,
    allow_path: list[Path],
) -> None:
    if commands:
        return list_commands(as_json)
    from gambol.corpus import Interpreter

    given = file if file is not None and str(file) != "-" else None
    it = Interpreter(
        given.parent if given else Path.cwd(),
        out=say,
        keep_going=keep_going,
        allow_system=allow_system,
        allow_paths=allow_path,
        silent=silent or slave,
    )
    with compiling_is_said(), reported():
        run(it, given, slave=slave, typed=file is None and sys.stdin.isatty())
    if it.faults and not slave:
        err.print(f"[red]gambol:[/] {len(it.faults)} lines failed")
        raise typer.Exit(FAULT)


def run(it: Any, file: Path | None, *, slave: bool, typed: bool) -> None:
    from gambol.corpus.prompt import converse, listen

    try:
        if file is not None:
            it.run_file(file)
        if slave or (file is None and not typed):
            listen(it, forgiving=slave)
        elif file is None:
            plain("The command language of corpus. `help` lists the commands, `help NAME` explains one, `quit` leaves.")
            converse(it)
            it.faults.clear()  # they were answered when they were typed
    except ScriptError:
        it.processes.close()
        raise


def say(text: str) -> None:
    """To standard output at once: another program may be waiting for it."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def list_commands(as_json: bool) -> None:
    from gambol.corpus.coverage import coverage, coverage_lines

    rows = coverage()
    if as_json:
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return
    for line in coverage_lines(rows):
        plain(line)
