"""How much an MJCF file stands for: a few of its elements are multiplied, and MuJoCo multiplies without a bound."""

from __future__ import annotations

import io
import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from gambol.errors import Fault, FigureError

MOST_ELEMENTS = 200_000  # bodies, geoms and all else, after multiplication
MOST_CELLS = 100_000_000  # of a height field or a picture
MOST_OF_A_SIZE = 1_000_000  # keyframes, user numbers
MULTIPLIED = ("replicate", "composite", "flexcomp")
CELLS = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}


def refuse_multitudes(source: str | Path, is_text: bool) -> None:
    """Raises FigureError where a file, with those it includes, stands for more than can be meant."""
    file = "" if is_text else str(source)
    total, seen = 0.0, set[Path]()
    waiting: list[str | Path] = [source if is_text else Path(source)]
    while waiting:
        place = waiting.pop()
        if isinstance(place, Path):
            if place in seen or not place.is_file():
                continue
            seen.add(place)
        try:
            found, included = _counted(place, file)
        except (ET.ParseError, UnicodeError, OSError, LookupError, ValueError):  # MuJoCo says what is wrong with it
            continue
        total += found
        folder = place.parent if isinstance(place, Path) else Path()
        waiting += [folder / name for name in included]
        if total > MOST_ELEMENTS:
            message = f"it stands for {total:.3g} elements, more than {MOST_ELEMENTS}"
            raise FigureError([Fault(message, file=file, line=1 if file else 0)])


def _counted(place: str | Path, file: str) -> tuple[float, list[str]]:
    """Elements, multiplied, and the names of files that are included."""
    total, times = 0.0, [1.0]
    included: list[str] = []
    stream: Any = place if isinstance(place, Path) else io.StringIO(place)
    for event, element in ET.iterparse(stream, ("start", "end")):
        if event == "end":
            times.pop()
            element.clear()
            continue
        numbers = {name: _product(value) for name, value in element.attrib.items()}
        count = numbers.get("count", 1.0) if element.tag in MULTIPLIED else 1.0
        times.append(times[-1] * max(count, 1.0))
        total += times[-1]
        if element.tag == "include" and "file" in element.attrib:
            included.append(element.attrib["file"])
        cells = math.prod(numbers.get(name, 1.0) for name in CELLS.get(element.tag, ()))
        sizes = [number for name, number in numbers.items() if element.tag == "size" and name != "memory"]
        if cells > MOST_CELLS or max(sizes, default=0.0) > MOST_OF_A_SIZE:
            message = f"<{element.tag}> asks for {max(cells, *sizes, 0.0):.3g} numbers"
            raise FigureError([Fault(message, file=file, line=1 if file else 0)])
    return total, included


def _product(value: str) -> float:
    """Of the numbers in an attribute; 1 where it has none."""
    try:
        return math.prod(map(float, value.split()))
    except ValueError:
        return 1.0
