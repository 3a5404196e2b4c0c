"""Commands typed by a person, or sent by another program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from gambol.corpus.interpreter import Interpreter
from gambol.corpus.lines import Line, Source
from gambol.corpus.table import COMMANDS, words_starting

HISTORY = Path.home() / ".gambol_corpus_history"
HISTORY_LENGTH = 2000


def typed_lines(it: Interpreter, read: Callable[[str], str] = input) -> Iterator[Line]:
    """Lines from a person until the end of input."""
    number = 0
    while True:
        try:
            text = read("      > " if it.collecting else "corpus> ")
        except EOFError:
            return
        except KeyboardInterrupt:
            it.say("")
            continue
        number += 1
        yield Line(text, "<prompt>", number)


def converse(it: Interpreter, read: Callable[[str], str] = input) -> None:
    """The interactive prompt, with history and completion where the terminal can do it."""
    readline = _readline(it)
    try:
        it.run(Source(typed_lines(it, read), name="<prompt>", forgiving=True))
    finally:
        it.processes.close()
        if readline is not None:
            readline.set_history_length(HISTORY_LENGTH)
            try:
                readline.write_history_file(HISTORY)
            except OSError:
                it.say(f"the history could not be written to {HISTORY}")


def _readline(it: Interpreter):
    try:
        import readline
    except ImportError:  # not on every system
        return None
    if HISTORY.exists():
        readline.read_history_file(HISTORY)
    readline.set_completer_delims(" \t")
    readline.set_completer(lambda text, state: _option(it, readline.get_line_buffer(), text, state))
    readline.parse_and_bind("tab: complete")
    return readline


def _option(it: Interpreter, line: str, word: str, state: int) -> str | None:
    """One completion after the other, as readline asks for them; the only one ends with a blank."""
    found = completions(it, line, word)
    if len(found) == 1:
        found = [f"{found[0]} "]
    return found[state] if state < len(found) else None


def completions(it: Interpreter, line: str, word: str) -> list[str]:
    """What could stand in place of the word that is being typed."""
    before = line[: len(line) - len(word)].split()
    if not before:
        return list(words_starting(word, [*COMMANDS, *it.lists.commands]))
    entry = COMMANDS.get(before[0])
    arguments = entry.arguments if entry else ()
    index = len(before) - 1
    if entry and index < len(arguments) and arguments[index].choices:
        return list(words_starting(word, arguments[index].choices))
    kind = arguments[index].kind if index < len(arguments) else ""
    return list(words_starting(word, names_of(it, kind)))


def names_of(it: Interpreter, kind: str) -> list[str]:
    """The names of a session that an argument of this kind can have."""
    realm = it.universe._realm
    bodies = [link.name for link in realm.links()] if realm else []
    match kind:
        case "object" | "centroid" | "place":
            return list(it.scene.things)
        case "body":
            return bodies
        case "light":
            return list(it.studio.lights)
        case "corpus":
            return list(realm.corpora) if realm else []
        case "world":
            return list(it.universe.realms)
        case "list":
            return list(it.lists.saved)
        case "muscle":
            return list(realm.muscles) if realm else []
    return [*it.scene.things, *bodies]


def listen(it: Interpreter, stream: TextIO = sys.stdin, *, forgiving: bool) -> None:
    """Commands from a stream; as a slave (`forgiving`) faults are answered in text and the next line is awaited."""
    lines = (Line(text.rstrip("\n"), "<input>", number) for number, text in enumerate(stream, 1))
    try:
        it.run(Source(lines, name="<input>", is_file=True, forgiving=forgiving))
    finally:
        it.processes.close()
