"""The interpreter: takes lines, finds their commands in the table, and keeps what the language itself needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gambol.corpus.files import Files
from gambol.corpus.frame_buffer import FrameBuffer
from gambol.corpus.lines import Line, Source, numbered
from gambol.corpus.lists import Lists
from gambol.corpus.processes import Processes
from gambol.corpus.scene import Scene
from gambol.corpus.studio import Studio
from gambol.corpus.table import COMMANDS, Command, bind
from gambol.corpus.universe import Universe
from gambol.corpus.variables import Variables
from gambol.errors import CommandError, DescriptionError, Fault, GambolError, ScriptError, nearest

REDIRECTION = re.compile(r"^(?P<command>.*\S)\s+(?P<mark>>>?)\s*(?P<file>\S+)$")
DEEPEST = 100  # command lists that call each other


class Leave(Exception):
    """Ends a script (`script`), all scripts (`scripts`) or the program (`program`)."""

    def __init__(self, what: str):
        self.what = what


class Interpreter:
    """Executes the command language.

    folder         the scripts' folder: files are read and written below it
    out            takes each line of text that the commands print
    keep_going     report a failing line and go on with the next, instead of stopping
    allow_system   let scripts start other programs
    allow_paths    further folders whose files may be read and written
    silent         print only what is asked for
    progress       is told how many frames of how many are done, while `go` runs
    """

    def __init__(
        self,
        folder: Path | str = ".",
        *,
        out: Callable[[str], None] = print,
        keep_going: bool = False,
        allow_system: bool = False,
        allow_paths: Iterable[Path | str] = (),
        silent: bool = False,
        progress: Callable[[int, int], None] = lambda done, frames: None,
    ):
        import gambol.corpus.commands  # noqa: F401  (fills the table)

        self.files = Files(Path(folder), map(Path, allow_paths))
        self.keep_going, self.silent = keep_going, silent
        self.verbosity = "basic"
        self.progress = progress
        self.variables = Variables()
        self.blocksize = 1
        self.faults: list[Fault] = []
        self.lists = Lists()
        self.processes = Processes(allow_system)
        self.scene = Scene()
        self.studio = Studio()
        self.buffer = FrameBuffer()
        self.universe = Universe(self)
        self.sources: list[Source] = []
        self.place = Line("", "<start>", 0)
        self.span: float | None = None  # [s] duration of the leg program that runs
        self.finished = False
        self.collecting = False  # inside a block
        self._out = out
        self._captured: list[list[str]] = []

    # ------------------------------------------------------------ what it prints
    def say(self, text: str) -> None:
        """Prints what was asked for."""
        for line in text.split("\n"):
            self._captured[-1].append(line) if self._captured else self._out(line)

    def note(self, text: str) -> None:
        """Prints what was not asked for; not in silent mode."""
        if not self.silent:
            self.say(text)

    def warn(self, text: str) -> None:
        """A remark with its place; not in silent mode."""
        self.note(f"{self.place.place}: note: {text}")

    @contextmanager
    def captured(self) -> Iterator[list[str]]:
        """Collects what is printed meanwhile."""
        self._captured.append([])
        try:
            yield self._captured[-1]
        finally:
            self._captured.pop()

    # ------------------------------------------------------------ running
    def run_file(self, path: Path | str) -> None:
        """Runs a script file, given by the one who starts the program."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ScriptError([Fault(f"cannot be read: {error}", file=str(path), line=1)]) from None
        self.run(Source(numbered(text, str(path)), name=str(path), is_file=True))

    def run_text(self, text: str, name: str = "<text>") -> None:
        self.run(Source(numbered(text, name), name=name, is_file=True))

    def run(self, source: Source) -> None:
        """Runs a source as the outermost one; `finished` says whether it ended with `quit`."""
        try:
            self.play(source)
        except Leave as leave:
            self.finished = leave.what == "program"

    def play(self, source: Source) -> None:
        """Executes every line of a source."""
        if len(self.sources) >= DEEPEST:
            raise CommandError(f"scripts and command lists are nested more than {DEEPEST} deep")
        self.sources.append(source)
        try:
            while (line := source.next()) is not None:
                self.step(line, forgiving=source.forgiving)
        except Leave as leave:
            if not (leave.what == "script" and source.is_file):
                raise
        finally:
            self.sources.pop()

    def step(self, line: Line, *, forgiving: bool = False) -> None:
        """Executes a line; with keep_going, or at a prompt, a failing one is reported and skipped."""
        try:
            self.execute(line)
        except Leave as leave:
            if leave.what == "program" or not forgiving:
                raise
        except KeyboardInterrupt:
            if not forgiving:
                raise
            self.say("interrupted")
        except ScriptError as error:
            if not (self.keep_going or forgiving):
                raise
            self.faults += error.faults
            for fault in error.faults:
                self.say(f"error: {fault}")

    def call(self, text: str, line: Line | None = None) -> None:
        """Executes a command on behalf of a line (default: the one that runs)."""
        self.execute((line or self.place).saying(text))

    def execute(self, line: Line) -> None:
        """Executes one line; faults come out as a ScriptError with its place."""
        before, self.place = self.place, line
        word = line.text.split(maxsplit=1)[0] if line.text.strip() else ""
        try:
            self._execute(line.text.strip())
        except CommandError as error:
            raise ScriptError([self._fault(word, str(error))]) from None
        except ScriptError:
            raise
        except DescriptionError as error:
            raise ScriptError([self._fault(word, _about(fault)) for fault in error.faults]) from error
        except (GambolError, OSError) as error:
            raise ScriptError([self._fault(word, str(error))]) from error
        finally:
            self.place = before

    def _fault(self, word: str, message: str) -> Fault:
        return Fault(message, word, self.place.file, self.place.number)

    def _execute(self, text: str) -> None:
        if not text or text[0] == "#":
            return
        if text[0] == "!":
            return self.note(self.substituted(text[1:].strip(), strict=False))
        if text[0] == "@":
            return self.say(self.substituted(text[1:].strip(), strict=False))
        if self.variables.change(text):
            return
        word = text.split(maxsplit=1)[0]
        entry = COMMANDS.get(word)
        redirected = None if entry and entry.raw else REDIRECTION.match(text)
        if redirected:
            return self._redirect(redirected)
        if entry is None or not (
            entry.raw or entry.late
        ):  # the command that a raw one carries is substituted when it runs
            text = self.substituted(text)
            word = text.split(maxsplit=1)[0]
            entry = COMMANDS.get(word)
        rest = text[len(word) :].strip()
        if entry is not None:
            self._perform(entry, rest)
        elif word in self.lists.commands:
            self.lists.call(self, word, rest)
        else:
            raise CommandError(f"unknown command{_hint(word, [*COMMANDS, *self.lists.commands])}")

    def _perform(self, entry: Command, rest: str) -> None:
        if entry.act is None:
            return
        entry.act(self, *bind(entry, rest, self))

    def _redirect(self, found: re.Match[str]) -> None:
        path = self.files.to_write(self.substituted(found["file"]))
        with self.captured() as lines:
            self._execute(found["command"])
        with path.open("a" if found["mark"] == ">>" else "w", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in lines)

    def substituted(self, text: str, *, strict: bool = True) -> str:
        """With the values of variables."""
        return self.variables.filled(text, strict=strict)

    def carried(self, text: str) -> str:
        """A command that is kept for later, with the variables of now."""
        return self.variables.carried(text)

    # ------------------------------------------------------------ blocks
    def collect(self) -> list[Line]:
        """The lines of a block, up to the one that is a mere full stop."""
        if not self.sources:
            raise CommandError("this command reads the lines that follow it; it cannot stand alone")
        lines: list[Line] = []
        self.collecting = True
        try:
            while (line := self.sources[-1].next()) is not None:
                if line.text.strip() == ".":
                    return lines
                lines.append(line)
        finally:
            self.collecting = False
        raise CommandError("its block has no end: a line with a full stop alone is missing")

    def rows(self, count: int, columns: int) -> list[list[float]]:
        """The rows of numbers that follow, such as those of a matrix."""
        found = []
        for _ in range(count):
            line = self.sources[-1].next() if self.sources else None
            words = line.text.split() if line else []
            try:
                found.append([float(word) for word in words])
            except ValueError:
                raise CommandError(
                    f"row {len(found) + 1} must be {columns} numbers, it is {' '.join(words)!r}"
                ) from None
            if len(words) != columns:
                raise CommandError(f"row {len(found)} must be {columns} numbers, it has {len(words)}")
        return found

    # ------------------------------------------------------------ what arguments name
    def find(self, kind: str, name: str) -> Any:
        """The thing of that kind and name."""
        match kind:
            case "object":
                return self.scene.find(name)
            case "centroid":
                return tuple(map(float, self.scene.find(name).centroid))
            case "light":
                return self.studio.find_light(name)
            case "list":
                return found(self.lists.saved, name, "list")
            case _:
                return self.universe.find(kind, name)

    def duration(self, factor: float) -> float:
        """A time given as `*factor`."""
        if self.span is None:
            raise CommandError("a time such as *0.5 is a share of a leg program; it has a meaning in procom and retcom")
        return factor * self.span


def found(things: dict[str, Any], name: str, what: str) -> Any:
    """An entry of a dictionary, or an error with the nearest spelling."""
    if name not in things:
        raise CommandError(f"there is no {what} {name!r}{_hint(name, things)}")
    return things[name]


def _hint(name: str, allowed: Iterable[str]) -> str:
    """Only the nearest spelling: the lists of a session are long."""
    return nearest(name, allowed).partition(" (allowed")[0]


def _about(fault: Fault) -> str:
    return f"{fault.where}: {fault.message}" if fault.where else fault.message


def listed(words: Sequence[str]) -> str:
    return ", ".join(words) if words else "none"
