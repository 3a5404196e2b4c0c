"""The table of commands. Help, completion, the coverage list and argument errors are all made from it.

    command = in_group("object")

    @command("scale", "object:object x:number y:number z:number", "scales an object")
    def scale(interpreter, obj, x, y, z): ...

    command("lighton", "light:light", "switches a light on")(sets_its("on", always(True)))  # see actions

An argument is `name` or `name:kind`; `[…]` may be left out, as a whole. Kinds: word, number, integer, time (a number,
or `*x`: x times the duration of the running leg program), file, text (the rest of the line as it is), choices such as
`on|off`, and what a script names (object, body, …), which a `Resolver` finds by name.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gambol.errors import CommandError, nearest

CommandFunction = Callable[..., None]


MAX_COORDINATE = 1e15  # [m] of a point


class Resolver(Protocol):
    """Finds what arguments name."""

    def find(self, kind: str, name: str) -> Any:
        """What has this name among those of a kind."""

    def duration(self, factor: float) -> float:
        """A time [s] as a multiple of the running leg program's duration."""

    def substitute(self, text: str) -> str:
        """A text with the values of variables."""


class Point(tuple[float, float, float]):
    """A point; `named` is the object whose centroid it is, if it was given so."""

    named: str = ""


@dataclass(frozen=True)
class Argument:
    """One argument of a command: its name, and the kind that says how its word is read."""

    name: str
    kind: str = "word"

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that are allowed, of an argument such as `on|off`."""
        return tuple(self.kind.split("|")) if "|" in self.kind else ()

    @property
    def shown(self) -> str:
        """As it stands in the usage line."""
        return f"{{{self.kind}}}" if self.choices else self.name


@dataclass(frozen=True)
class Command:
    """One command: how it is called, what it does, or why it has no effect here (`reason`)."""

    name: str
    group: str
    required: tuple[Argument, ...]
    optional: tuple[tuple[Argument, ...], ...]  # groups, in order; each all or nothing
    help: str
    function: CommandFunction | None
    aliases: tuple[str, ...] = ()
    reason: str = ""
    raw: bool = False  # it carries another command, to which `>` and variables belong
    late: bool = False  # it carries another command, to which only variables belong

    @property
    def usage(self) -> str:
        """How it is called."""
        words = [self.name, *(a.shown for a in self.required)]
        words += [f"[{' '.join(a.shown for a in group)}]" for group in self.optional]
        return " ".join(words)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All arguments, required ones first."""
        return (*self.required, *(a for group in self.optional for a in group))


COMMAND_TABLE: dict[str, Command] = {}
"""Every command by its name and by its aliases."""


def in_group(group: str) -> Callable[..., Callable[[CommandFunction], CommandFunction]]:
    """The decorator that enters a function in the table as a command of this group."""

    def command(name: str, spec: str, help: str, *, aliases: str = "", raw: bool = False, late: bool = False):
        required, optional = parse_spec(spec)

        def enter(function: CommandFunction) -> CommandFunction:
            register(Command(name, group, required, optional, help, function, tuple(aliases.split()), "", raw, late))
            if function.__doc__ is None:
                function.__doc__ = f"`{name}`: {help}."
            return function

        return enter

    return command


def no_effect(name: str, reason: str, *, help: str, group: str, aliases: str = "") -> None:
    """Enters a command that is accepted and does nothing, with the reason."""
    rest = ((Argument("arguments", "text"),),)
    register(Command(name, group, (), rest, help, None, tuple(aliases.split()), reason, raw=True))


def register(entry: Command) -> None:
    """Enters a command under its name and its aliases."""
    for word in (entry.name, *entry.aliases):
        if word in COMMAND_TABLE:
            raise ImportError(f"two commands are called {word!r}")
        COMMAND_TABLE[word] = entry


def all_commands() -> list[Command]:
    """Every command once, by group and name."""
    unique = {id(entry): entry for entry in COMMAND_TABLE.values()}
    return sorted(unique.values(), key=lambda e: (e.group, e.name.lower(), e.name))


def parse_spec(spec: str) -> tuple[tuple[Argument, ...], tuple[tuple[Argument, ...], ...]]:
    """Required arguments, and groups of optional ones, from the text of a specification."""
    required: list[Argument] = []
    optional = []
    for piece in re.findall(r"\[[^\]]*\]|\S+", spec):
        if piece.startswith("["):
            optional.append(tuple(_argument(word) for word in piece[1:-1].split()))
        else:
            required.append(_argument(piece))
    return tuple(required), tuple(optional)


def _argument(word: str) -> Argument:
    name, _, kind = word.partition(":")
    return Argument(name, kind or "word")


# ------------------------------------------------------------ taking arguments from a line
def bind(entry: Command, text: str, resolver: Resolver) -> list[Any]:
    """The values of a command's arguments, from the rest of its line."""
    words = _Words(text)
    values = [_take(entry, argument, words, resolver) for argument in entry.required]
    for group in entry.optional:
        if words.done:
            values += [None] * len(group)
        else:
            values += [_take(entry, argument, words, resolver) for argument in group]
    if not words.done:
        raise CommandError(f"too many arguments, from {words.rest!r} on; expected: {entry.usage}")
    return values


class _Words:
    """The words of a line, and what is left of it."""

    def __init__(self, text: str):
        self.rest = text.strip()

    @property
    def done(self) -> bool:
        return not self.rest

    def take(self) -> str:
        word, _, rest = self.rest.replace("\t", " ").partition(" ")
        self.rest = rest.strip()
        return word

    def peek(self) -> str:
        return self.rest.split(maxsplit=1)[0]


def _take(entry: Command, argument: Argument, words: _Words, resolver: Resolver) -> Any:
    if words.done:
        raise CommandError(f"{argument.name} is missing; expected: {entry.usage}")
    if argument.kind == "text":
        text, words.rest = words.rest, ""
        return text
    if argument.kind == "place":
        return _place(entry, argument, words, resolver)
    word = resolver.substitute(words.take())
    if argument.choices:
        if word not in argument.choices:
            raise CommandError(f"{argument.name} cannot be {word!r}{nearest(word, argument.choices)}")
        return word
    match argument.kind:
        case "word" | "file":
            return word
        case "number":
            return number(word, argument.name)
        case "integer":
            return integer(word, argument.name)
        case "time":
            if word.startswith("*"):
                return resolver.duration(number(word[1:], argument.name))
            return number(word, argument.name)
    return resolver.find(argument.kind, word)


def _place(entry: Command, argument: Argument, words: _Words, resolver: Resolver) -> Any:
    """A point: three numbers, or the name of an object (its centroid)."""
    if not is_number(resolver.substitute(words.peek())):
        name = resolver.substitute(words.take())
        point = Point(resolver.find("centroid", name))
        point.named = name
        return point
    numbers = []
    for axis in "xyz":
        if words.done:
            raise CommandError(f"{argument.name} needs three numbers, {axis} is missing; expected: {entry.usage}")
        numbers.append(number(resolver.substitute(words.take()), axis))
        if not abs(numbers[-1]) <= MAX_COORDINATE:
            raise CommandError(f"{axis} must not be beyond {MAX_COORDINATE:g} m, it is {numbers[-1]:g}")
    return Point(numbers)


def look_up(entries: Mapping[str, Any], name: str, what: str) -> Any:
    """An entry by its name, or an error with the nearest spelling."""
    if name not in entries:
        raise CommandError(f"there is no {what} {name!r}{spelling(name, entries)}")
    return entries[name]


def spelling(name: str, allowed: Iterable[str]) -> str:
    """The nearest spelling alone: the lists of a session are long."""
    return nearest(name, allowed).partition(" (allowed")[0]


def is_number(word: str) -> bool:
    """Is a word a finite number?"""
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def number(word: str, name: str) -> float:
    """A word as a finite number, or an error that names the argument."""
    if not is_number(word):
        raise CommandError(f"{name} must be a finite number, it is {word!r}")
    return float(word)


def integer(word: str, name: str) -> int:
    """A word as a whole number, or an error that names the argument."""
    try:
        return int(word)
    except ValueError:
        raise CommandError(f"{name} must be a whole number, it is {word!r}") from None


def fraction(value: float, what: str) -> float:
    """A number from 0 to 1, or an error that says what it is of."""
    if not 0.0 <= value <= 1.0:
        raise CommandError(f"{what} goes from 0 to 1, it is {value:g}")
    return value


def not_negative(value: float, what: str) -> float:
    """A number that is not negative, or an error that says what it is of."""
    if value < 0:
        raise CommandError(f"{what} must not be negative, it is {value:g}")
    return value


def words_starting(prefix: str, words: Sequence[str]) -> Iterator[str]:
    """For completion."""
    return (word for word in sorted(words) if word.startswith(prefix))
