"""Where the commands write: people read the terminal, programs read the files they asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from gambol.errors import GambolError

FAULT, USAGE = 1, 2
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def plain(text: str) -> None:
    """A line as it is: not wrapped, no markup."""
    out.print(text, markup=False, soft_wrap=True)


@contextmanager
def reported(code: int = FAULT) -> Iterator[None]:
    """Gambol's own errors, and files that cannot be read or written, end the command with a message."""
    try:
        yield
    except (GambolError, OSError) as error:
        for line in str(error).splitlines():
            err.print(f"[red]gambol:[/] {escape(line)}", soft_wrap=True)
        raise typer.Exit(code) from None


@contextmanager
def compiling_is_said() -> Iterator[None]:
    """Messages of the compiler go to the terminal in the style of the commands."""
    from gambol import jit

    before = jit.announce
    jit.announce = lambda text: err.print(f"[dim]{escape(text)}[/]", soft_wrap=True)
    try:
        yield
    finally:
        jit.announce = before


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[tuple[Progress, Any]]:
    """A bar on the terminal with the time left; it is gone when its work is done."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        yield bar, bar.add_task(what, total=total)


def write_json(data: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
