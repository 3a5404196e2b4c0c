"""The ground in a recording: its kind and its numbers, as plain data."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from gambol.errors import RecordingError
from gambol.forces.contact.terrain import Ditch, Grid, Rough, Stairs, Terrain, Waves

KINDS: dict[str, type[Terrain]] = {kind.__name__: kind for kind in (Terrain, Waves, Ditch, Stairs, Rough, Grid)}


def terrain_data(terrain: Terrain) -> dict[str, Any]:
    """A terrain as plain data; that of a kind of somebody's own has its name alone."""
    name = type(terrain).__name__
    if KINDS.get(name) is not type(terrain):
        return {"kind": name}
    found = asdict(terrain)
    if isinstance(terrain, Grid):
        found["table"] = [list(map(float, row)) for row in terrain.table]
    return {"kind": name, **found}


def terrain_from(data: Any, where: str) -> Terrain | None:
    """The terrain of a description; None where it says nothing, or knows only the name."""
    if data is None:
        return None
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        raise RecordingError(f"{where} is damaged: its terrain has no kind")
    kind = KINDS.get(data["kind"])
    if kind is None:
        return None
    known = {field.name for field in fields(kind)}
    try:
        numbers = {name: _number(value) for name, value in data.items() if name in known}
        made = kind(**numbers)
        faults = list(made.faults())
    except (TypeError, ValueError) as error:
        raise RecordingError(f"{where} is damaged: its terrain: {error}") from None
    if faults:
        raise RecordingError(f"{where} is damaged: its terrain: {faults[0]}")
    return made


def _number(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(tuple(float(x) for x in row) for row in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value
