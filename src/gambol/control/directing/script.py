"""Directions as a short text.

    orders:
      - wait: 1
      - walk to: [0.2, 0.1]
      - {turn: 90°}
      - go: {speed: 0.05, heading: 0, seconds: 2}
      - follow: [[0.3, 0.1], [0.3, 0.3]]
      - look at: [1, 0, 1.5]
      - reach: {hand: right, point: [0.5, -0.2, 1.1], meanwhile: true}
      - lower: right
      - stop

Lengths are metres, times seconds, speeds m/s; angles radians, or degrees with their sign: 90°.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gambol.control.directing.orders import Follow, Go, Look, Order, Reach, Sit, Squat, Stop, Turn, Wait, WalkTo
from gambol.errors import Fault, GambolError, ScriptError, nearest, shortened
from gambol.figure.document import Document, parse, read

ORDERS = ("go", "stop", "turn", "walk to", "follow", "wait", "squat", "sit", "rise", "reach", "lower", "look at",
          "look ahead")  # fmt: skip
MORE = {
    "go": ("speed", "heading", "seconds"),
    "walk to": ("place", "speed", "within", "halt"),
    "follow": ("path", "speed", "within"),
    "reach": ("hand", "point", "within", "meanwhile"),
    "lower": ("hand", "meanwhile"),
    "look at": ("point", "meanwhile"),
    "look ahead": ("meanwhile",),
}


def read_directions(path: str | Path) -> list[Order]:
    """The orders of a file."""
    return _orders_of(read(path))


def parse_directions(text: str, file: str = "directions") -> list[Order]:
    """The orders of a text (YAML); every fault with its line."""
    return _orders_of(parse(text, file))


def _orders_of(document: Document) -> list[Order]:
    if document.faults:
        raise ScriptError(document.faults)
    data: Any = document.data
    place: tuple[str, ...] = ()
    if isinstance(data, dict) and "orders" in data:
        data, place = data["orders"], ("orders",)
    if not isinstance(data, list):
        message = "directions are a list of orders, or `orders:` with one"
        raise ScriptError([Fault(message, file=document.file, line=document.line(place))])
    orders: list[Order] = []
    faults: list[Fault] = []
    for k, entry in enumerate(data):
        try:
            orders.append(_order(entry))
        except (GambolError, TypeError, ValueError) as error:
            told = getattr(error, "faults", None)
            message = "; ".join(fault.message for fault in told) if told else str(error)
            faults.append(Fault(message, file=document.file, line=document.line((*place, k))))
    if faults:
        raise ScriptError(faults)
    return orders


def _order(entry: Any) -> Order:
    """One order: its name alone, or a mapping with one key."""
    if isinstance(entry, str):
        entry = {entry: {}}
    if not isinstance(entry, dict) or len(entry) != 1:
        raise ValueError(
            f"an order is one of {', '.join(ORDERS)}, with what belongs to it, not {shortened(repr(entry))}"
        )
    ((name, given),) = entry.items()
    if name not in ORDERS:
        raise ValueError(f"no order {shortened(name)!r}{nearest(name, ORDERS)}")
    options = given if isinstance(given, dict) else {}
    if unknown := [key for key in options if key not in MORE.get(name, ())]:
        raise ValueError(f"{name} has no {shortened(unknown[0])!r}{nearest(unknown[0], MORE.get(name, ()))}")
    if name == "go":
        options = options if isinstance(given, dict) else {"speed": given}
        return Go(options.get("speed"), _angle(options.get("heading")), options.get("seconds", 0.0))
    if name == "stop":
        return Stop()
    if name == "sit":
        return Sit()
    if name in ("squat", "rise"):
        return Squat(0.0) if name == "rise" else Squat() if given == {} else Squat(given)
    if name in ("reach", "lower"):
        hand: Any = options.get("hand") if isinstance(given, dict) else given
        more = {key: options[key] for key in ("within", "meanwhile") if key in options}
        if name == "reach" and options.get("point") is None:
            raise ValueError("reach needs a hand and a point: {hand: right, point: [x, y, z]} [m]")
        return Reach(hand, options.get("point"), **more)
    if name in ("look at", "look ahead"):
        point = options.get("point") if isinstance(given, dict) else given
        if name == "look at" and point is None:
            raise ValueError("look at needs a point [x, y, z] [m]")
        return Look(None if name == "look ahead" else point, options.get("meanwhile", False))
    if name == "turn":
        return Turn(_angle(given))
    if name == "wait":
        return Wait(given)
    line = given if not isinstance(given, dict) else options.get("place" if name == "walk to" else "path")
    more = {key: options[key] for key in ("speed", "within", "halt") if key in options}
    if name == "walk to":
        if not isinstance(line, list) or len(line) != 2:
            raise ValueError(f"a place is [x, y] [m], not {shortened(repr(line))}")
        return WalkTo(*line, **more)
    if not isinstance(line, list) or not all(isinstance(p, list) and len(p) == 2 for p in line):
        raise ValueError(f"a path is a list of places [x, y] [m], not {shortened(repr(line))}")
    return Follow(line, **more)


def _angle(value: Any) -> Any:
    """[rad]; a text with ° is degrees."""
    if isinstance(value, str) and value.strip().endswith("°"):
        from math import radians

        return radians(float(value.strip()[:-1]))
    return value
