"""Where the commands write: people read the terminal, programs read the files they asked for.

Names come from files and from people, so nothing printed is markup and no `:word:` becomes a picture; what is coloured
is said so by `styled`. Controls in them are shown, not obeyed.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from gambol import GambolError, UnknownNameError
from gambol.cli import INTERRUPTED
from gambol.errors import nearest

FAULT, USAGE = 1, 2
# What a terminal would obey instead of show: controls (but ends of lines and tabs), and turns of the writing direction.
OBEYED = [*range(9), *range(11, 32), *range(127, 160), *range(0x200E, 0x2010), *range(0x202A, 0x202F)]
OBEYED += range(0x2066, 0x206A)
HARMLESS = {code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" for code in OBEYED}
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False)


def plain(text: str) -> None:
    """A line on standard output, not wrapped."""
    out.print(text.translate(HARMLESS), soft_wrap=True)


def styled(*parts: str | tuple[str, str]) -> None:
    """A line on standard output; parts with a style (text, "bold") are in it."""
    shown = [p.translate(HARMLESS) if isinstance(p, str) else (p[0].translate(HARMLESS), p[1]) for p in parts]
    out.print(Text.assemble(*shown), soft_wrap=True)


def note(text: str) -> None:
    """A remark on standard error."""
    err.print(f"note: {text.translate(HARMLESS)}", soft_wrap=True)


def complain(text: str) -> None:
    """What is wrong, on standard error."""
    for line in text.translate(HARMLESS).splitlines():
        err.print(Text.assemble(("gambol:", "red"), f" {line}"), soft_wrap=True)


def stop_interrupted(what_is_kept: str) -> NoReturn:
    """The end of a command that Ctrl-C stopped."""
    complain(f"interrupted; {what_is_kept}")
    raise typer.Exit(INTERRUPTED)


@contextmanager
def report_errors(code: int = FAULT) -> Iterator[None]:
    """Gambol's own errors, and files that cannot be read or written, end the command with a message.

    A name that nothing has is wrong usage, wherever it is found out.
    """
    try:
        yield
    except (GambolError, OSError) as error:
        complain(str(error))
        raise typer.Exit(USAGE if isinstance(error, UnknownNameError) else code) from None


def check_suffix(path: Path, allowed: Iterable[str]) -> None:
    """A file of another kind than these is wrong usage."""
    if path.suffix.lower() not in (names := tuple(allowed)):
        raise UnknownNameError(f"{path}: unknown suffix {path.suffix!r}{nearest(path.suffix, names)}")


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Messages of the compiler go to the terminal in the style of the commands."""
    from gambol.jit.cache import Announcer, use_announcer

    class OnTerminal(Announcer):
        def say(self, text: str) -> None:
            err.print(Text(f"gambol: {text}", style="dim"), soft_wrap=True)

    before = use_announcer(OnTerminal())
    try:
        yield
    finally:
        use_announcer(before)


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[tuple[Progress, Any]]:
    """A bar on the terminal with the time left; it is gone when its work is done."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        yield bar, bar.add_task(what, total=total)


def write_json(data: Any, path: Path) -> None:
    """A file for programs; folders are made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
