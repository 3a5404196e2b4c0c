"""Units of what a study varies and finds: declared with its target, kept with its table, shown at its axes.

    @units(cycle="s", friction="1", speed="m/s")
    def speed(cycle=0.2, friction=0.7): ...

A column that has its unit in its name, as "time [s]", needs no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from gambol.errors import StudyError

if TYPE_CHECKING:
    import pandas

DECLARED = "gambol_units"  # the attribute of a function that has its units
UNITS = "units"  # where the attributes of a table have them, by column
NONE = "1"  # the unit of a bare number
Run = TypeVar("Run", bound=Callable[..., Any])


def units(names: Mapping[str, str] | None = None, /, **named: str) -> Callable[[Run], Run]:
    """Declares units of a function's parameters and results, by name or as a mapping of any names.

    A function that returns one number has it as "value". "1" is the unit of what has none.
    """
    given = checked_units(names or {}) | checked_units(named)

    def declare(run: Run) -> Run:
        setattr(run, DECLARED, given)
        return run

    return declare


def checked_units(given: Any) -> dict[str, str]:
    """Names and units, or an error that names what is no such thing."""
    if not isinstance(given, Mapping):
        raise StudyError(f"units are a mapping of names to texts, not {given!r}")
    for name, unit in given.items():
        if not (isinstance(name, str) and isinstance(unit, str) and unit.strip()):
            raise StudyError(f"the unit of {name!r} is a text such as 'm/s' ('1' for a bare number), not {unit!r}")
    return {name: unit.strip() for name, unit in given.items()}


def unit_in(words: str) -> str:
    """The unit at the end of a name or a meaning, as in "time [s]"; nothing where there is none."""
    found = re.search(r"\[([^\[\]]+)\]\s*$", words)
    return found.group(1) if found else ""


def units_of(table: pandas.DataFrame) -> dict[str, str]:
    """Units of a study's table, by column."""
    return table.attrs.get(UNITS, {})


def with_unit(name: str, units: Mapping[str, str]) -> str:
    """A name as a label: with its unit, unless it ends with one or is a bare number."""
    unit = units.get(name, NONE)
    return name if unit == NONE or unit_in(name) else f"{name} [{unit}]"


def quantity(name: str, value: float, units: Mapping[str, str]) -> str:
    """A number with its unit, nine digits of it."""
    unit = units.get(name, NONE)
    return f"{value:.9g}" if unit == NONE or unit_in(name) else f"{value:.9g} {unit}"
