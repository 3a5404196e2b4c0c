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
    def place(self) -> str:
        return f"{self.file}:{self.number}"

    def saying(self, text: str) -> Line:
        """Another text at the same place."""
        return Line(text, self.file, self.number)


class Source:
    """Lines to be executed in turn; commands that take a block read on from it."""

    def __init__(self, lines: Iterable[Line], *, name: str, is_file: bool = False, forgiving: bool = False):
        self._lines: Iterator[Line] = iter(lines)
        self.name, self.is_file = name, is_file
        self.forgiving = forgiving  # a failing line is reported and the next one taken, as at a prompt

    def next(self) -> Line | None:
        return next(self._lines, None)


def numbered(text: str, name: str) -> list[Line]:
    """The lines of a text."""
    return [Line(row, name, number) for number, row in enumerate(text.splitlines(), 1)]
