"""Reads a configuration: `symbol = value; # comment`. Every fault is reported, with its line and the nearest name."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gambol.errors import Fault, HybridError, UnknownNameError, nearest
from gambol.hybrid.simsect.sections import PREFIX, ConfiguredSection, read_section
from gambol.hybrid.simsect.symbols import ENGINE_SYMBOLS, find_model, symbol_of
from gambol.hybrid.system import HybridSystem

TEXT_SYMBOLS = frozenset(name for name, symbol in ENGINE_SYMBOLS.items() if isinstance(symbol.default, str))
FLAG_SYMBOLS = {"useGeomview"}
INTEGER_SYMBOLS = {"maxChartCount", "maxStopIterations", "maxSectionCount"}
BOOLEAN_WORDS = {"true": "1", "yes": "1", "on": "1", "false": "0", "no": "0", "off": "0"}


@dataclass(frozen=True)
class Assignment:
    """symbol = value, and the line on which it stands."""

    symbol: str
    value: str
    line: int


@dataclass(frozen=True)
class Configuration:
    """What a configuration says, checked against its model."""

    system: HybridSystem
    engine: dict[str, Any]
    states: dict[str, float] = field(default_factory=dict)  # by symbol
    notes: tuple[str, ...] = ()
    sections: dict[str, ConfiguredSection] = field(default_factory=dict)  # by symbol

    @property
    def base(self) -> str:
        """How the names of the files begin."""
        return str(self.engine["dataBaseName"])


def parse_assignments(text: str, file: str = "") -> tuple[list[Assignment], list[Fault]]:
    """The assignments of a text, and what is wrong with its form."""
    found: list[Assignment] = []
    faults: list[Fault] = []
    line, statement, first = 1, "", 0
    for raw in text.splitlines():
        code = raw.partition("#")[0]
        pieces = code.split(";")
        for k, piece in enumerate(pieces):
            if statement.strip() and "=" in piece and "=" in statement:
                faults.append(Fault(f"missing ';' after '{statement.strip()}'", file=file, line=first))
                statement = ""
            if piece.strip() and not statement.strip():
                first = line
            statement += piece + " "
            if k < len(pieces) - 1:
                _close(statement.strip(), first or line, found, faults, file)
                statement = ""
        line += 1
    if statement.strip():
        faults.append(Fault(f"missing ';' after '{statement.strip()}'", file=file, line=first))
    return found, faults


def _close(statement: str, line: int, found: list[Assignment], faults: list[Fault], file: str) -> None:
    """One statement, complete with its semicolon."""
    if not statement:
        return
    symbol, equals, value = (part.strip() for part in statement.partition("="))
    if not equals or not symbol or not value or "=" in value:
        faults.append(Fault(f"'{statement}' is not of the form symbol = value;", file=file, line=line))
    elif len(symbol.split()) > 1:
        faults.append(Fault(f"'{symbol}' is not one symbol (a ';' may be missing before it)", file=file, line=line))
    else:
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        found.append(Assignment(symbol, value, line))


def read_configuration(
    path: str | Path, *, model: str | None = None, allow_modules: bool = False, allow_paths: Sequence[Path] = ()
) -> Configuration:
    """A configuration file; raises HybridError with every fault.

    model          in place of the one that the file names; may be module:Class
    allow_modules  the file, too, may name a module:Class, whose code is run
    allow_paths    folders below which it may write, besides the one that the program was started in
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise HybridError([Fault(f"not UTF-8 text: {error.reason}", file=str(path), line=1)]) from None
    allowed = {"allow_modules": allow_modules, "allow_paths": tuple(allow_paths)}
    return interpret_configuration(text, file=str(path), model=model, **allowed)  # type: ignore[arg-type]


def interpret_configuration(
    text: str,
    *,
    file: str = "",
    model: str | None = None,
    allow_modules: bool = False,
    allow_paths: Sequence[Path] = (),
) -> Configuration:
    """A configuration from its text, as `read_configuration`; raises HybridError with every fault."""
    assignments, faults = parse_assignments(text, file)
    chosen = next((a for a in reversed(assignments) if a.symbol == "model"), None)
    name = model or (chosen.value if chosen else str(ENGINE_SYMBOLS["model"].default))
    try:
        system = find_model(name, allow_modules=allow_modules or bool(model))
    except UnknownNameError as error:
        line = chosen.line if chosen and not model else 0
        raise HybridError([*faults, Fault(str(error), file=file if line else "", line=line)]) from error
    states = {symbol_of(s): s for chart in system.charts for s in chart.states}
    parameters = system.Parameters._fields  # type: ignore[attr-defined]
    engine: dict[str, Any] = {n: s.default for n, s in ENGINE_SYMBOLS.items()} | {"model": name}
    given: dict[str, float] = {}
    initial: dict[str, float] = {}
    sections: dict[str, ConfiguredSection] = {}
    seen: dict[str, int] = {}
    notes = []
    for a in assignments:
        if a.symbol in seen:
            notes.append(f"{file}:{a.line}: {a.symbol} was set on line {seen[a.symbol]} before; this value counts")
        seen[a.symbol] = a.line
        try:
            if a.symbol in ENGINE_SYMBOLS:
                if a.symbol != "model":
                    engine[a.symbol] = a.value if a.symbol in TEXT_SYMBOLS else _engine_number(a)
            elif a.symbol.startswith(PREFIX):
                sections[a.symbol] = read_section(system, a.symbol, a.value)
            elif a.symbol in parameters:
                given[a.symbol] = _number(a)
            elif a.symbol in states:
                initial[a.symbol] = _number(a)
            else:
                known = [*ENGINE_SYMBOLS, *parameters, *states]
                raise ValueError(f"no symbol '{a.symbol}' in model {name}{_hint(a.symbol, known)}")
        except ValueError as error:
            faults.append(Fault(str(error), file=file, line=a.line))
    faults += _conflicts(engine, seen, file)
    if not _may_write(str(engine["dataBaseName"]), allow_paths):
        message = f"dataBaseName {engine['dataBaseName']!r} lies outside the present folder"
        message += " (whoever starts the program can allow more with --allow-path)"
        faults.append(Fault(message, file=file, line=seen.get("dataBaseName", 0)))
    if faults:
        raise HybridError(sorted(faults, key=lambda f: f.line))
    return Configuration(system(**given), engine, initial, tuple(notes), sections)


def _may_write(base: str, allowed: Sequence[Path]) -> bool:
    """Do files of that name lie below the present folder, or below one that was allowed?"""
    if not base or "\0" in base:
        return False
    path = Path(base).resolve()
    return any(root.resolve() in path.parents for root in (Path.cwd(), *allowed))


def _hint(name: str, known: list[str]) -> str:
    """Only the nearest name: a model has hundreds."""
    return nearest(name, known).split(" (allowed")[0]


def _number(a: Assignment) -> float:
    try:
        value = float(a.value)
    except ValueError:
        raise ValueError(f"{a.symbol} must be a number, not '{a.value}'") from None
    if not math.isfinite(value):
        raise ValueError(f"{a.symbol} must be finite, not '{a.value}'")
    return value


def _engine_number(a: Assignment) -> float:
    symbol = ENGINE_SYMBOLS[a.symbol]
    if a.symbol in FLAG_SYMBOLS:
        a = Assignment(a.symbol, BOOLEAN_WORDS.get(a.value.lower(), a.value), a.line)
    value = _number(a)
    if a.symbol in FLAG_SYMBOLS and value not in (0.0, 1.0):
        raise ValueError(f"{a.symbol} must be 0 or 1, not {a.value}")
    if symbol.minimum is not None and (value <= symbol.minimum if symbol.exclusive else value < symbol.minimum):
        bound = f"{'above' if symbol.exclusive else 'at least'} {symbol.minimum:g}"
        raise ValueError(f"{a.symbol} must be {bound}, not {a.value}")
    if a.symbol in INTEGER_SYMBOLS and value != int(value):
        raise ValueError(f"{a.symbol} must be a whole number, not {a.value}")
    return value


def _conflicts(engine: dict[str, Any], seen: dict[str, int], file: str) -> list[Fault]:
    if engine["minTimeStep"] <= engine["maxTimeStep"]:
        return []
    line = seen.get("minTimeStep") or seen.get("maxTimeStep") or 0
    message = f"minTimeStep {engine['minTimeStep']:g} is above maxTimeStep {engine['maxTimeStep']:g}"
    return [Fault(message, file=file, line=line)]
