"""Directions as a short text.

    orders:
      - wait: 1
      - walk to: [0.2, 0.1]
      - {turn: 90°}
      - go: {speed: 0.05, heading: 0, seconds: 2}
      - follow: [[0.3, 0.1], [0.3, 0.3]]
      - stop

Lengths are metres, times seconds, speeds m/s; angles radians, or degrees with their sign: 90°.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gambol.control.directing.orders import Follow, Go, Order, Stop, Turn, Wait, WalkTo
from gambol.errors import Fault, GambolError, ScriptError, nearest

ORDERS = ("go", "stop", "turn", "walk to", "follow", "wait")
MORE = {
    "go": ("speed", "heading", "seconds"),
    "walk to": ("place", "speed", "within"),
    "follow": ("path", "speed", "within"),
}


def read_directions(path: str | Path) -> list[Order]:
    """The orders of a file."""
    return parse_directions(Path(path).read_text(encoding="utf-8"), str(path))


def parse_directions(text: str, file: str = "directions") -> list[Order]:
    """The orders of a text (YAML); every fault with its line."""
    import yaml

    try:
        root = yaml.compose(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise ScriptError([Fault(str(error.problem), file=file, line=line)]) from None
    entries = _entries(root, file)
    orders: list[Order] = []
    faults: list[Fault] = []
    for node in entries:
        try:
            orders.append(_order(yaml.SafeLoader(yaml.serialize(node)).get_single_data()))
        except (GambolError, TypeError, ValueError) as error:
            told = getattr(error, "faults", None)
            message = "; ".join(fault.message for fault in told) if told else str(error)
            faults.append(Fault(message, file=file, line=node.start_mark.line + 1))
    if faults:
        raise ScriptError(faults)
    return orders


def _entries(root: Any, file: str) -> Iterator[Any]:
    import yaml

    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if key.value == "orders" and isinstance(value, yaml.SequenceNode):
                return value.value
    if isinstance(root, yaml.SequenceNode):
        return root.value
    line = root.start_mark.line + 1 if root is not None else 1
    raise ScriptError([Fault("directions are a list of orders, or `orders:` with one", file=file, line=line)])


def _order(entry: Any) -> Order:
    """One order: its name alone, or a mapping with one key."""
    if isinstance(entry, str):
        entry = {entry: {}}
    if not isinstance(entry, dict) or len(entry) != 1:
        raise ValueError(f"an order is one of {', '.join(ORDERS)}, with what belongs to it, not {entry!r}")
    ((name, given),) = entry.items()
    if name not in ORDERS:
        raise ValueError(f"no order {name!r}{nearest(str(name), ORDERS)}")
    options = given if isinstance(given, dict) else {}
    if unknown := [key for key in options if key not in MORE.get(name, ())]:
        raise ValueError(f"{name} has no {unknown[0]!r}{nearest(str(unknown[0]), MORE.get(name, ()))}")
    if name == "go":
        options = options if isinstance(given, dict) else {"speed": given}
        return Go(options.get("speed"), _angle(options.get("heading")), options.get("seconds", 0.0))
    if name == "stop":
        return Stop()
    if name == "turn":
        return Turn(_angle(given))
    if name == "wait":
        return Wait(given)
    line = given if not isinstance(given, dict) else options.get("place" if name == "walk to" else "path")
    more = {key: options[key] for key in ("speed", "within") if key in options}
    if name == "walk to":
        if not isinstance(line, list) or len(line) != 2:
            raise ValueError(f"a place is [x, y] [m], not {line!r}")
        return WalkTo(*line, **more)
    if not isinstance(line, list) or not all(isinstance(p, list) and len(p) == 2 for p in line):
        raise ValueError(f"a path is a list of places [x, y] [m], not {line!r}")
    return Follow(line, **more)


def _angle(value: Any) -> Any:
    """[rad]; a text with ° is degrees."""
    if isinstance(value, str) and value.strip().endswith("°"):
        from math import radians

        return radians(float(value.strip()[:-1]))
    return value
