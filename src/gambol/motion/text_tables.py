"""TRC, MOT and STO (OpenSim), and CSV: text with a head and rows of numbers. Every fault names its line."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.errors import Fault, MotionError, nearest, shortened
from gambol.limits import refuse_too_large
from gambol.motion.data import LENGTHS, Coordinates, Markers, repeated

MOST_FAULTS = 10  # that are told of one file
ROOM = 40.0  # bytes of memory a byte of text may take while it is read
SPARSE = 8  # cells of a table, missing ones included, for every byte of its text
AXIS = re.compile(r"^(.+?)[ _.:/-]?([xyzXYZ])$")
TIME = ("time", "t")


class Line(NamedTuple):
    """A line of a file: its number, from 1, and its cells."""

    number: int
    cells: list[str]


class Text:
    """A file that is read, and the faults found in it."""

    def __init__(self, path: Path):
        self.path = path
        try:
            refuse_too_large(f"{path}: reading it", ROOM * path.stat().st_size)
            self.text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise MotionError([Fault(f"cannot be read: {error.strerror}", file=str(path), line=1)]) from None
        except UnicodeDecodeError as error:
            line = path.read_bytes()[: error.start].count(b"\n") + 1
            raise MotionError([Fault("is not text in UTF-8", file=str(path), line=line)]) from None
        self.faults: list[Fault] = []

    def fault(self, message: str, line: int) -> MotionError:
        """The error that says it, with all that was found before."""
        return MotionError([*self.faults, Fault(message, file=str(self.path), line=line)])

    def note(self, message: str, line: int) -> None:
        """Goes on after a fault, for a while."""
        self.faults.append(Fault(message, file=str(self.path), line=line))
        if len(self.faults) >= MOST_FAULTS:
            raise MotionError(self.faults)

    def number(self, cell: str, line: int, column: str, *, may_miss: bool = True) -> float:
        """The number in a cell; NaN where it is empty."""
        word = cell.strip()
        if not word or word.lower() in ("nan", "-nan", "na"):
            if may_miss:
                return math.nan
            self.note(f"{column}: a number is missing", line)
            return math.nan
        try:
            value = float(word)
        except ValueError:
            value = math.inf
        if not math.isfinite(value):
            self.note(f"{column}: a number is wanted here, not {shortened(word)!r}", line)
        return value

    def table(
        self, lines: Iterable[Line], columns: Sequence[str], needed: int | None = 0
    ) -> tuple[np.ndarray, list[int]]:
        """The rows of numbers under a head, and their lines; the column `needed` must not miss any, if there is one.

        Rows may end early where numbers are missing at their end, but have no more than there are columns.
        """
        listed = list(lines)
        if not listed:
            raise self.fault("there are no rows of numbers", self.text.count("\n") + 1)
        if len(listed) * len(columns) > SPARSE * len(self.text):
            raise self.fault(f"{len(listed)} rows of {len(columns)} columns: most of them end early", listed[0].number)
        table = np.full((len(listed), len(columns)), math.nan)
        for row, (number, cells) in zip(table, listed):
            if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
                self.note(f"{len(cells)} values, and there are {len(columns)} columns", number)
            for k, cell in enumerate(cells[: len(columns)]):
                row[k] = self.number(cell, number, columns[k], may_miss=k != needed)
            if needed is not None and len(cells) <= needed:
                self.note(f"{columns[needed]}: a number is missing", number)
        if self.faults:
            raise MotionError(self.faults)
        return table, [line.number for line in listed]

    def times(self, values: np.ndarray, lines: Sequence[int]) -> np.ndarray:
        """Checked: they increase."""
        if len(back := np.flatnonzero(np.diff(values) <= 0)):
            k = int(back[0]) + 1
            raise self.fault(f"time goes from {values[k - 1]:g} s to {values[k]:g} s: it must increase", lines[k])
        return values


def _filled(lines: Iterator[tuple[int, list[str]]]) -> Iterator[Line]:
    """Those with anything in them."""
    return (Line(number, cells) for number, cells in lines if any(cell.strip() for cell in cells))


# ---------------------------------------------------------------- TRC
def read_trc(path: Path) -> Markers:
    """Markers of a TRC file, still in its axes; lengths in metres."""
    text = Text(path)
    rows = [line.split("\t") for line in text.text.splitlines()]
    if not rows or not rows[0] or not rows[0][0].startswith("PathFileType"):
        raise text.fault("a TRC file begins with PathFileType", 1)
    if len(rows) < 5:
        raise text.fault("the file ends before its rows", len(rows))
    head = dict(zip((c.strip() for c in rows[1]), (c.strip() for c in rows[2])))
    unit = head.get("Units", "")
    if unit not in LENGTHS:
        raise text.fault(f"Units are {unit!r}{nearest(unit, LENGTHS)}", 3)
    names = [cell.strip() for cell in rows[3][2:] if cell.strip()]
    count = head.get("NumMarkers", "")
    if count != str(len(names)):
        raise text.fault(f"NumMarkers is {shortened(count)!r}, and {len(names)} markers are named", 4)
    columns = ["Frame#", "Time", *(f"{name} {axis}" for name in names for axis in "XYZ")]
    table, lines = text.table(_filled((k, row) for k, row in enumerate(rows[5:], 6)), columns, 1)
    if head.get("NumFrames", str(len(table))) != str(len(table)):
        raise text.fault(f"NumFrames is {shortened(head['NumFrames'])!r}, and there are {len(table)} frames", 3)
    places = LENGTHS[unit] * table[:, 2:].reshape(len(table), len(names), 3)
    return Markers(text.times(table[:, 1], lines), tuple(names), places)


# ---------------------------------------------------------------- MOT, STO
def read_storage(path: Path) -> Coordinates:
    """Columns of a MOT or STO file."""
    text = Text(path)
    rows = text.text.splitlines()
    ends = [k for k, row in enumerate(rows) if row.strip().lower() == "endheader"]
    if not ends:
        raise text.fault("there is no 'endheader'", len(rows) or 1)
    head = dict(row.strip().lower().split("=", 1) for row in rows[: ends[0]] if "=" in row)
    degrees = head.get("indegrees", "no").strip()
    if degrees not in ("yes", "no"):
        where = next(k for k, row in enumerate(rows, 1) if row.strip().lower().startswith("indegrees"))
        raise text.fault(f"inDegrees is yes or no, not {shortened(degrees)!r}", where)
    below = list(_filled((k, row.split()) for k, row in enumerate(rows[ends[0] + 1 :], ends[0] + 2)))
    if not below:
        raise text.fault("the file ends before its columns are named", len(rows))
    names = below[0].cells
    if names[0].lower() not in TIME:
        raise text.fault(f"the first column must be time, not {shortened(names[0])!r}", below[0].number)
    for line in below[1:]:
        if len(line.cells) != len(names):
            text.note(f"{len(line.cells)} values, and there are {len(names)} columns", line.number)
    table, lines = text.table(below[1:], names)
    count = head.get("nrows", head.get("datarows", str(len(table)))).strip()
    if count != str(len(table)):
        raise text.fault(f"nRows is {shortened(count)!r}, and there are {len(table)} rows", ends[0] + 1)
    columns = tuple(name.split("/")[-2] if name.endswith("/value") and "/" in name else name for name in names[1:])
    return _columns(text, table, lines, columns, ("",) * len(columns), degrees == "yes", below[0].number)


def _columns(text: Text, table, lines, names, units, degrees: bool, head: int) -> Coordinates:
    if (name := repeated(names)) is not None:
        raise text.fault(f"the column {shortened(name)!r} is there twice", head)
    return Coordinates(text.times(table[:, 0], lines), names, table[:, 1:], units, degrees)


# ---------------------------------------------------------------- CSV
def read_csv(path: Path, *, kind: str | None = None, rate: float | None = None) -> Markers | Coordinates:
    """Markers (columns `NAME x`, `NAME y`, `NAME z`) or coordinates of a CSV file with a line of names.

    The first column is the time, unless `rate` [1/s] is given. Units stand in brackets: `knee [deg]`; a comment
    `# inDegrees=yes` says that angles without one are degrees.
    """
    text = Text(path)
    sample = text.text[:4096].split("\n", 1)[0]
    mark = max(",;\t", key=sample.count)
    try:
        lines = list(_filled(_numbered(csv.reader(io.StringIO(text.text), delimiter=mark, strict=True))))
    except csv.Error as error:
        raise text.fault(f"is not CSV: {error}", 1) from None
    remarks = [line.cells[0] for line in lines if line.cells[0].lstrip().startswith("#")]
    degrees = any("indegrees=yes" in remark.lower().replace(" ", "") for remark in remarks)
    lines = [line for line in lines if not line.cells[0].lstrip().startswith("#")]
    if not lines:
        raise text.fault("the file is empty", 1)
    head = lines[0].number
    names, units = zip(*(_unit_of(cell.strip()) for cell in lines[0].cells))
    timed = names[0].lower() in TIME
    if not timed and rate is None:
        message = f"the first column must be the time, as in 'time [s]', not {shortened(names[0])!r}; or give a rate"
        raise text.fault(message, head)
    if empty := [k for k, name in enumerate(names, 1) if not name]:
        raise text.fault(f"column {empty[0]} has no name", head)
    table, numbers = text.table(lines[1:], names, 0 if timed else None)
    if timed:
        factor = {"": 1.0, "s": 1.0, "ms": 1e-3}.get(units[0])
        if factor is None:
            raise text.fault(f"time is in s or ms, not in {shortened(units[0])!r}", head)
        table[:, 0] *= factor
    else:
        table = np.column_stack([np.arange(len(table)) / float(rate or 1.0), table])
        names, units = ("time", *names), ("s", *units)
    triples = _triples(names[1:])
    if kind == "markers" and triples is None:
        raise text.fault("markers need three columns each: 'NAME x', 'NAME y', 'NAME z'", head)
    if triples is not None and kind != "coordinates":
        return _marker_columns(text, table, numbers, triples, units[1:], head)
    return _columns(text, table, numbers, names[1:], units[1:], degrees, head)


def _numbered(reader) -> Iterator[tuple[int, list[str]]]:
    for row in reader:
        yield reader.line_num, row


def _unit_of(cell: str) -> tuple[str, str]:
    """A name, and the unit in brackets behind it."""
    opening = max(cell.rfind("["), cell.rfind("("))
    if opening < 0 or cell[-1] not in "])":
        return cell, ""
    return cell[:opening].rstrip(), cell[opening + 1 : -1].strip()


def _triples(names: Sequence[str]) -> list[str] | None:
    """The markers whose x, y, z the columns are, if they are."""
    if not names or len(names) % 3:
        return None
    found = []
    for k in range(0, len(names), 3):
        parts = [AXIS.match(name) for name in names[k : k + 3]]
        if not all(parts) or [p.group(2).lower() for p in parts if p] != ["x", "y", "z"]:
            return None
        own = {p.group(1) for p in parts if p}
        if len(own) != 1:
            return None
        found.append(own.pop())
    return found


def _marker_columns(text: Text, table, lines, names: list[str], units, head: int) -> Markers:
    if wrong := [unit for unit in units if unit and unit not in LENGTHS]:
        raise text.fault(f"markers are in {', '.join(LENGTHS)}, not in {shortened(wrong[0])!r}", head)
    if (name := repeated(names)) is not None:
        raise text.fault(f"the marker {shortened(name)!r} is there twice", head)
    places = table[:, 1:] * np.array([LENGTHS[unit] if unit else 1.0 for unit in units])
    return Markers(text.times(table[:, 0], lines), tuple(names), places.reshape(len(table), -1, 3))
