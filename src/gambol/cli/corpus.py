"""`gambol corpus`: the command language."""

import json
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from time import monotonic
from typing import Any

import typer

from gambol import ScriptError
from gambol.cli.console import FAULT, announce_compilation, complain, err, plain, progress_bar, report_errors


def corpus(
    file: Path | None,
    *,
    commands: bool,
    as_json: bool,
    as_markdown: bool,
    keep_going: bool,
    silent: bool,
    slave: bool,
    allow_system: bool,
    allow_path: list[Path],
) -> None:
    """Runs a script, talks at a prompt, or serves another program."""
    if commands:
        return list_commands(as_json, as_markdown)
    from gambol.corpus import Interpreter

    given = file if file is not None and str(file) != "-" else None
    progress = Progress()
    interpreter = Interpreter(
        given.parent if given else Path.cwd(),
        out=say,
        keep_going=keep_going,
        allow_system=allow_system,
        allow_paths=allow_path,
        silent=silent or slave,
        progress=progress.tell,
    )
    with announce_compilation(), report_errors(), closing(progress):
        run(interpreter, given, slave=slave, typed=file is None and sys.stdin.isatty())
    if interpreter.faults and not slave:
        complain(f"{len(interpreter.faults)} lines failed")
        raise typer.Exit(FAULT)


def run(interpreter: Any, file: Path | None, *, slave: bool, typed: bool) -> None:
    """The file, then what comes from standard input or from a person."""
    from gambol.corpus.prompt import run_prompt, run_stream

    try:
        if file is not None:
            interpreter.run_file(file)
        if slave or (file is None and not typed):
            run_stream(interpreter, interactive=slave)
        elif file is None:
            plain("The command language of corpus. `help` lists the commands, `help NAME` explains one, `quit` leaves.")
            run_prompt(interpreter)
            interpreter.faults.clear()  # they were answered when they were typed
    except (ScriptError, KeyboardInterrupt):
        interpreter.processes.close()
        raise


class Progress:
    """A bar on the terminal while a `go` takes longer than a second."""

    def __init__(self) -> None:
        self.started = monotonic()
        self.shown = ExitStack()
        self.bar: Any = None
        self.task: Any = None

    def tell(self, done: int, frames: int) -> None:
        """So many frames of a `go` are done."""
        if done == 0:
            self.started = monotonic()
        if done >= frames:
            self.close()
        elif self.bar is not None:
            self.bar.update(self.task, completed=done)
        elif err.is_terminal and monotonic() - self.started > 1.0:
            self.bar, self.task = self.shown.enter_context(progress_bar("simulating", frames))

    def close(self) -> None:
        """Takes the bar away."""
        self.shown.close()
        self.bar = None


def say(text: str) -> None:
    """To standard output at once: another program may be waiting for it."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def list_commands(as_json: bool, as_markdown: bool) -> None:
    """Every command of the language, and whether it is implemented."""
    from gambol.corpus.coverage import coverage, coverage_lines, reference

    rows = coverage()
    if as_json:
        sys.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        return
    if as_markdown:
        sys.stdout.write(reference(rows))
        return
    for line in coverage_lines(rows):
        plain(line)
