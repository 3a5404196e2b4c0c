"""The interpreter: takes lines, finds their commands in the table, and keeps what the language itself needs."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gambol.corpus.files import Files
from gambol.corpus.frame_buffer import FrameBuffer
from gambol.corpus.lines import Line, LineSource, numbered_lines
from gambol.corpus.lists import Lists
from gambol.corpus.processes import Processes
from gambol.corpus.render_settings import RenderSettings
from gambol.corpus.scene import CorpusScene
from gambol.corpus.table import COMMAND_TABLE, Command, bind, look_up, spelling
from gambol.corpus.variables import Variables
from gambol.corpus.worlds import ScriptWorlds
from gambol.errors import CommandError, DescriptionError, Fault, GambolError, ScriptError

REDIRECTION = re.compile(r"^(?P<command>.*\S)\s+(?P<mark>>>?)\s*(?P<file>\S+)$")
MAX_LINES = 10_000_000
MAX_NESTING = 100  # command lists that call each other
MAX_LINE = 10_000  # characters


class Exit(Exception):
    """Ends a script (`script`), all scripts (`scripts`) or the program (`program`)."""

    def __init__(self, scope: str):
        self.scope = scope


class Interpreter:
    """Executes the command language.

    folder         the scripts' folder: files are read and written below it
    out            takes each line of text that the commands print
    keep_going     report a failing line and go on with the next, instead of stopping
    allow_system   let scripts start other programs
    allow_paths    further folders whose files may be read and written
    silent         print only what is asked for
    progress       is told how many frames of how many are done, while `go` runs
    max_lines      lines that may be executed in all, so that a loop without end has one
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
        max_lines: int = MAX_LINES,
    ):
        import gambol.corpus.commands  # noqa: F401  (fills the table)

        self.files = Files(Path(folder), map(Path, allow_paths))
        self.keep_going, self.silent = keep_going, silent
        self.verbosity = "basic"
        self.progress = progress
        self.max_lines = self._lines_left = max_lines
        self.variables = Variables()
        self.blocksize = 1
        self.faults: list[Fault] = []
        self.lists = Lists()
        self.processes = Processes(allow_system)
        self.scene = CorpusScene()
        self.rendering = RenderSettings()
        self.buffer = FrameBuffer()
        self.worlds = ScriptWorlds(self)
        self.sources: list[LineSource] = []
        self.current_line = Line("", "<start>", 0)
        self.program_duration: float | None = None  # [s] duration of the leg program that runs
        self.finished = False
        self.collecting = False  # inside a block
        self._out = out
        self._captured: list[list[str]] = []

    # ------------------------------------------------------------ what it prints
    def print(self, text: str) -> None:
        """Prints what was asked for."""
        for line in text.split("\n"):
            self._captured[-1].append(line) if self._captured else self._out(line)

    def print_to(self, file: str | None, text: str, mode: str = "w") -> None:
        """Writes or appends what was asked for to a file, or prints it."""
        if file is None:
            self.print(text)
        else:
            with self.files.to_write(file).open(mode, encoding="utf-8") as stream:
                stream.write(f"{text}\n")

    def info(self, text: str) -> None:
        """Prints what was not asked for; not in silent mode."""
        if not self.silent:
            self.print(text)

    def warn(self, text: str) -> None:
        """A remark with its place; not in silent mode."""
        self.info(f"{self.current_line.location}: note: {text}")

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
        self.run(LineSource(numbered_lines(text, str(path)), name=str(path), is_file=True))

    def run_text(self, text: str, name: str = "<text>") -> None:
        """Runs a script given as text; `name` stands for its file in messages."""
        self.run(LineSource(numbered_lines(text, name), name=name, is_file=True))

    def run(self, source: LineSource) -> None:
        """Runs a source as the outermost one; `finished` says whether it ended with `quit`."""
        self._lines_left = self.max_lines
        try:
            self.execute_source(source)
        except Exit as exit:
            self.finished = exit.scope == "program"

    def execute_source(self, source: LineSource) -> None:
        """Executes every line of a source."""
        if len(self.sources) >= MAX_NESTING:
            raise CommandError(f"scripts and command lists are nested more than {MAX_NESTING} deep")
        self._count_line()
        self.sources.append(source)
        try:
            while (line := source.next()) is not None:
                self.execute_or_report(line, interactive=source.interactive)
        except Exit as exit:
            if not (exit.scope == "script" and source.is_file):
                raise
        finally:
            self.sources.pop()

    def execute_or_report(self, line: Line, *, interactive: bool = False) -> None:
        """Executes a line; with keep_going, or at a prompt, a failing one is reported and skipped."""
        try:
            self.execute(line)
        except Exit as exit:
            if exit.scope == "program" or not interactive:
                raise
        except KeyboardInterrupt:
            if not interactive:
                raise
            self.print("interrupted")
        except ScriptError as error:
            if not (self.keep_going or interactive):
                raise
            self.faults += error.faults
            for fault in error.faults:
                self.print(f"error: {fault}")

    def call(self, text: str, line: Line | None = None) -> None:
        """Executes a command on behalf of a line (default: the one that runs)."""
        self.execute((line or self.current_line).with_text(text))

    def execute(self, line: Line) -> None:
        """Executes one line; faults come out as a ScriptError with its place."""
        before, self.current_line = self.current_line, line
        word = line.text.split(maxsplit=1)[0] if line.text.strip() else ""
        try:
            self._count_line()
            if len(line.text) > MAX_LINE:  # patterns that lines are taken apart by take the square of their length
                raise CommandError(f"a line has at most {MAX_LINE} characters, not {len(line.text)}")
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
            self.current_line = before

    def _count_line(self) -> None:
        self._lines_left -= 1
        if self._lines_left < 0:
            raise CommandError(f"more than {self.max_lines} lines were executed: is this loop to end?")

    def _fault(self, word: str, message: str) -> Fault:
        return Fault(message, word, self.current_line.file, self.current_line.number)

    def _execute(self, text: str) -> None:
        if not text or text[0] == "#":
            return
        if text[0] == "!":
            return self.info(self.substitute(text[1:].strip(), strict=False))
        if text[0] == "@":
            return self.print(self.substitute(text[1:].strip(), strict=False))
        if self.variables.change(text):
            return
        word = text.split(maxsplit=1)[0]
        entry = COMMAND_TABLE.get(word)
        redirected = None if entry and entry.raw else REDIRECTION.match(text)
        if redirected:
            return self._redirect(redirected)
        if entry is None or not (entry.raw or entry.late):  # what a raw one carries is substituted when it runs
            text = self.substitute(text)
            word = text.split(maxsplit=1)[0]
            entry = COMMAND_TABLE.get(word)
        rest = text[len(word) :].strip()
        if entry is not None:
            self._perform(entry, rest)
        elif word in self.lists.commands:
            self.lists.call(self, word, rest)
        else:
            raise CommandError(f"unknown command{spelling(word, [*COMMAND_TABLE, *self.lists.commands])}")

    def _perform(self, entry: Command, rest: str) -> None:
        if entry.function is None:
            return
        entry.function(self, *bind(entry, rest, self))

    def _redirect(self, found: re.Match[str]) -> None:
        path = self.files.to_write(self.substitute(found["file"]))
        with self.captured() as lines:
            self._execute(found["command"])
        with path.open("a" if found["mark"] == ">>" else "w", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in lines)

    def substitute(self, text: str, *, strict: bool = True) -> str:
        """With the values of variables."""
        return self.variables.substitute(text, strict=strict)

    def substitute_for_later(self, text: str) -> str:
        """A command that is kept for later, with the variables of now."""
        return self.variables.substitute_for_later(text)

    # ------------------------------------------------------------ blocks
    def read_block(self) -> list[Line]:
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

    def read_rows(self, count: int, columns: int) -> list[list[float]]:
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
        """What has this name among those of a kind."""
        match kind:
            case "object":
                return self.scene.find(name)
            case "centroid":
                return tuple(map(float, self.scene.find(name).centroid))
            case "light":
                return self.rendering.find_light(name)
            case "list":
                return look_up(self.lists.saved, name, "list")
            case _:
                return self.worlds.find(kind, name)

    def duration(self, factor: float) -> float:
        """A time given as `*factor`."""
        if self.program_duration is None:
            raise CommandError("a time such as *0.5 is a share of a leg program; it has a meaning in procom and retcom")
        return factor * self.program_duration


def _about(fault: Fault) -> str:
    return f"{fault.where}: {fault.message}" if fault.where else fault.message
