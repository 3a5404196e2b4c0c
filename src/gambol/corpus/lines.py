"""Lines of a script and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One line: its text, the file it stands in (or a name in angle brackets) and its number, from 1."""

    text: str
    file: str
    number: int

    @property
    def location(self) -> str:
        """file:number, for messages."""
        return f"{self.file}:{self.number}"

    def with_text(self, text: str) -> Line:
        """Another text at the same place."""
        return Line(text, self.file, self.number)


class LineSource:
    """Lines to be executed in turn; commands that take a block read on from it."""

    def __init__(self, lines: Iterable[Line], *, name: str, is_file: bool = False, interactive: bool = False):
        self._lines: Iterator[Line] = iter(lines)
        self.name, self.is_file = name, is_file
        self.interactive = interactive  # a failing line is reported and the next one taken, as at a prompt

    def next(self) -> Line | None:
        """The next line; None at the end."""
        return next(self._lines, None)


def numbered_lines(text: str, name: str) -> list[Line]:
    """The lines of a text."""
    return [Line(row, name, number) for number, row in enumerate(text.splitlines(), 1)]
