"""Command lists, saved lists and tracks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gambol.corpus.lines import Line, LineSource
from gambol.errors import CommandError, Fault, ScriptError

if TYPE_CHECKING:
    from gambol.corpus.interpreter import Interpreter

PLACEHOLDER = "**"


@dataclass
class SavedList:
    """Lines kept for later, and which one is next."""

    lines: list[Line]
    next: int = 0


@dataclass(frozen=True)
class Track:
    """A command for the frames from `start` to `end`; `mode` says what happens outside."""

    mode: str
    start: int
    end: int
    command: Line

    def text_at(self, frame: int) -> tuple[str, int] | None:
        """The command at a frame and its relative frame; None when it does not run."""
        relative = frame - self.start
        length = self.end - self.start
        match self.mode:
            case "track":
                return (self.command.text, relative) if 0 <= relative <= length else None
            case "trackc":
                return self.command.text, relative % (length + 1)
            case "tracka":
                return self.command.text, min(max(relative, 0), length)
        clamped = min(max(relative, 0), length)
        return f"{self.command.text} {clamped}", clamped


@dataclass
class Lists:
    """What `commandlist`, `savelist` and `track` define."""

    commands: dict[str, list[Line]] = field(default_factory=dict)
    saved: dict[str, SavedList] = field(default_factory=dict)
    tracks: list[Track] = field(default_factory=list)
    frame: int = 0

    def call(self, interpreter: Interpreter, name: str, rest: str) -> None:
        """`name`, `name count`, `name param` or `name param count`."""
        words = rest.split()
        if len(words) > 2:
            raise CommandError(f"a command list takes a parameter and a count, not {len(words)} words")
        body = self.commands[name]
        holes = any(PLACEHOLDER in line.text for line in body)
        counted = (
            words and words[-1].isdecimal() and not (holes and len(words) == 1)
        )  # a list with ** takes its word first
        count = _count(words.pop()) if counted else 1
        if len(words) == 2:
            raise CommandError(f"the count must be a whole number, it is {words[1]!r}")
        if holes and not words:
            raise CommandError(f"command list {name!r} needs a parameter: its lines contain {PLACEHOLDER}")
        if words and not holes:
            raise CommandError(f"command list {name!r} has no {PLACEHOLDER} for the parameter {words[0]!r}")
        filled = [line.with_text(line.text.replace(PLACEHOLDER, words[0])) for line in body] if words else body
        repeat(interpreter, filled, count, name)

    def run_tracks(self, interpreter: Interpreter) -> None:
        """Runs the commands of all tracks for the present frame, with %A the frame counted from their start."""
        before = interpreter.variables.get("A")
        for track in self.tracks:
            found = track.text_at(self.frame)
            if found:
                text, interpreter.variables["A"] = found
                interpreter.call(text, track.command)
        if before is None:
            interpreter.variables.pop("A", None)
        else:
            interpreter.variables["A"] = before


def _count(word: str) -> int:
    if len(word) > 18:
        raise CommandError(f"nothing can be done {word[:18]}… times")
    return int(word)


def repeat(interpreter: Interpreter, lines: list[Line], count: int, name: str) -> None:
    """Plays lines so many times; a fault says where they were called."""
    for _ in range(count if lines else 0):
        add_call_site(interpreter, lambda: interpreter.execute_source(LineSource(lines, name=name)))


def add_call_site(interpreter: Interpreter, act: Callable[[], None]) -> None:
    """Adds the place of the call to the faults of what is called."""
    caller = interpreter.current_line
    try:
        act()
    except ScriptError as error:
        raise ScriptError([_called(fault, caller) for fault in error.faults]) from error


def _called(fault: Fault, caller: Line) -> Fault:
    mark = f" (called from {caller.location})"
    message = fault.message if " (called from " in fault.message else fault.message + mark
    return Fault(message, fault.where, fault.file, fault.line)
