"""Commands typed by a person, or sent by another program."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.lines import Line, LineSource
from gambol.corpus.table import COMMAND_TABLE, words_starting

HISTORY_FILE = Path.home() / ".gambol_corpus_history"
HISTORY_LENGTH = 2000


def typed_lines(interpreter: Interpreter, read: Callable[[str], str] = input) -> Iterator[Line]:
    """Lines from a person until the end of input."""
    number = 0
    while True:
        try:
            text = read("      > " if interpreter.collecting else "corpus> ")
        except EOFError:
            return
        except KeyboardInterrupt:
            interpreter.print("")
            continue
        number += 1
        yield Line(text, "<prompt>", number)


def run_prompt(interpreter: Interpreter, read: Callable[[str], str] = input) -> None:
    """The interactive prompt, with history and completion where the terminal can do it."""
    readline = _readline(interpreter)
    try:
        interpreter.run(LineSource(typed_lines(interpreter, read), name="<prompt>", interactive=True))
    finally:
        interpreter.processes.close()
        if readline is not None:
            readline.set_history_length(HISTORY_LENGTH)
            try:
                readline.write_history_file(HISTORY_FILE)
            except OSError:
                interpreter.print(f"the history could not be written to {HISTORY_FILE}")


def _readline(interpreter: Interpreter):
    try:
        import readline
    except ImportError:  # not on every system
        return None
    if HISTORY_FILE.exists():
        readline.read_history_file(HISTORY_FILE)
    readline.set_completer_delims(" \t")
    readline.set_completer(lambda text, state: _option(interpreter, readline.get_line_buffer(), text, state))
    readline.parse_and_bind("tab: complete")
    return readline


def _option(interpreter: Interpreter, line: str, word: str, state: int) -> str | None:
    """One completion after the other, as readline asks for them; the only one ends with a blank."""
    found = completions(interpreter, line, word)
    if len(found) == 1:
        found = [f"{found[0]} "]
    return found[state] if state < len(found) else None


def completions(interpreter: Interpreter, line: str, word: str) -> list[str]:
    """What could stand in place of the word that is being typed."""
    before = line[: len(line) - len(word)].split()
    if not before:
        return list(words_starting(word, [*COMMAND_TABLE, *interpreter.lists.commands]))
    entry = COMMAND_TABLE.get(before[0])
    arguments = entry.arguments if entry else ()
    index = len(before) - 1
    if entry and index < len(arguments) and arguments[index].choices:
        return list(words_starting(word, arguments[index].choices))
    kind = arguments[index].kind if index < len(arguments) else ""
    return list(words_starting(word, names_of(interpreter, kind)))


def names_of(interpreter: Interpreter, kind: str) -> list[str]:
    """The names of a session that an argument of this kind can have."""
    world = interpreter.worlds._current
    bodies = [link.name for link in world.links()] if world else []
    match kind:
        case "object" | "centroid" | "place":
            return list(interpreter.scene.objects)
        case "body":
            return bodies
        case "light":
            return list(interpreter.rendering.lights)
        case "corpus":
            return list(world.corpora) if world else []
        case "world":
            return list(interpreter.worlds.by_name)
        case "list":
            return list(interpreter.lists.saved)
        case "muscle":
            return list(world.muscles) if world else []
    return [*interpreter.scene.objects, *bodies]


def run_stream(interpreter: Interpreter, stream: TextIO = sys.stdin, *, interactive: bool) -> None:
    """Commands from a stream; as a slave (`forgiving`) faults are answered in text and the next line is awaited."""
    lines = (Line(text.rstrip("\n"), "<input>", number) for number, text in enumerate(stream, 1))
    try:
        interpreter.run(LineSource(lines, name="<input>", is_file=True, interactive=interactive))
    finally:
        interpreter.processes.close()
