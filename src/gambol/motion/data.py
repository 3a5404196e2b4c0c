"""Measured motion: markers in space, or columns of joint coordinates, over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gambol.errors import Fault, MotionError, nearest, shortened
from gambol.figure.figure import Figure
from gambol.motion.turning import continuous_positions

LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}  # [m]
ANGLES = {"rad": 1.0, "deg": np.pi / 180.0, "°": np.pi / 180.0}  # [rad]


def refuse(message: str, where: str = "") -> MotionError:
    """The error that says it."""
    return MotionError([Fault(message, where)])


def repeated(names: Iterable[str]) -> str | None:
    """The first name that is there a second time."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


@dataclass(frozen=True)
class Timed:
    """Frames at increasing times [s]."""

    time: np.ndarray
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.time)

    @property
    def rate(self) -> float:
        """Frames a second; the middle one, where they are not even."""
        return 1.0 / float(np.median(np.diff(self.time))) if len(self) > 1 else float("nan")

    @property
    def duration(self) -> float:
        """[s]"""
        return float(self.time[-1] - self.time[0])

    def _rows(self, start: float, end: float) -> np.ndarray:
        chosen = (self.time >= start - 1e-9) & (self.time <= end + 1e-9)
        if not chosen.any():
            raise refuse(f"no frame lies between {start:g} s and {end:g} s: there are {self.time[0]:g} … "
                         f"{self.time[-1]:g} s")  # fmt: skip
        return chosen

    def column(self, name: str) -> int:
        """Where a name stands."""
        if name not in self.names:
            raise refuse(f"no marker or coordinate is called {name!r}{nearest(name, self.names)}")
        return self.names.index(name)


def _check(time: np.ndarray, names: Sequence[str], what: str) -> None:
    if not len(time):
        raise refuse("the motion has no frames")
    if not np.all(np.isfinite(time)) or np.any(np.diff(time) <= 0):
        raise refuse("times must be finite and increasing")
    if (name := repeated(names)) is not None:
        raise refuse(f"the {what} {shortened(name)!r} is there twice")


@dataclass(frozen=True)
class Markers(Timed):
    """Markers in space.

    positions   (frames, markers, 3) [m, world axes: Z up]; NaN where a marker was not seen
    """

    positions: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", np.asarray(self.time, float))
        object.__setattr__(self, "positions", np.asarray(self.positions, float))
        object.__setattr__(self, "names", tuple(self.names))
        _check(self.time, self.names, "marker")
        if self.positions.shape != (len(self.time), len(self.names), 3):
            shape = (len(self.time), len(self.names), 3)
            raise refuse(f"positions of markers must have shape {shape}, not {self.positions.shape}")

    def __getitem__(self, name: str) -> np.ndarray:
        """(frames, 3) [m] of one marker."""
        return self.positions[:, self.column(name)]

    @property
    def seen(self) -> np.ndarray:
        """(frames, markers): was it seen?"""
        return np.isfinite(self.positions).all(axis=-1)

    def between(self, start: float, end: float) -> Markers:
        """The frames from `start` to `end` [s]."""
        rows = self._rows(start, end)
        return replace(self, time=self.time[rows], positions=self.positions[rows])

    def chosen(self, names: Sequence[str]) -> Markers:
        """These markers alone, in this order."""
        return replace(self, names=tuple(names), positions=self.positions[:, [self.column(name) for name in names]])


@dataclass(frozen=True)
class Coordinates(Timed):
    """Columns over time: joint coordinates by name.

    values    (frames, columns)
    units     of each column ("rad", "deg", "m", "mm", …), "" where the file does not say
    degrees   angles without a unit are degrees
    """

    values: np.ndarray
    units: tuple[str, ...]
    degrees: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", np.asarray(self.time, float))
        object.__setattr__(self, "values", np.asarray(self.values, float))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "units", tuple(self.units))
        _check(self.time, self.names, "coordinate")
        if self.values.shape != (len(self.time), len(self.names)) or len(self.units) != len(self.names):
            shape = (len(self.time), len(self.names))
            raise refuse(f"values must have shape {shape}, not {self.values.shape}, with a unit a column")

    def __getitem__(self, name: str) -> np.ndarray:
        """(frames,) of one column, in its unit."""
        return self.values[:, self.column(name)]

    def between(self, start: float, end: float) -> Coordinates:
        """The frames from `start` to `end` [s]."""
        rows = self._rows(start, end)
        return replace(self, time=self.time[rows], values=self.values[rows])

    def placed(self, figure: Figure, names: Mapping[str, str] | None = None) -> dict[int, np.ndarray]:
        """What the columns say of a figure's positions, in SI units, by their numbers.

        names   from columns to coordinates ("knee", "pelvis x"), for those that are called otherwise
        """
        own = coordinate_names(figure)
        renamed = dict(names or {})
        for column, wanted in renamed.items():
            self.column(column)
            if wanted not in own:
                raise refuse(f"no coordinate of {figure.name!r} is called {wanted!r}{nearest(wanted, own)}")
        found: dict[int, np.ndarray] = {}
        for k, column in enumerate(self.names):
            name = renamed.get(column, _plain(column, figure.name))
            if name not in own:
                continue
            place, unit = own[name]
            if place in found:
                raise refuse(f"two columns are the coordinate {name!r}: {column!r} is the second")
            found[place] = self.values[:, k] * self._factor(k, unit)
        if not found:
            raise refuse(
                f"no column is a coordinate of {figure.name!r}: it has {', '.join(self.names[:8])}, …; coordinates are"
                f" called {', '.join(list(own)[:8])}, …"
            )
        return found

    def unused(self, figure: Figure, names: Mapping[str, str] | None = None) -> list[str]:
        """Columns that are no coordinate of the figure."""
        own, renamed = coordinate_names(figure), dict(names or {})
        return [c for c in self.names if renamed.get(c, _plain(c, figure.name)) not in own]

    def positions_of(self, figure: Figure, names: Mapping[str, str] | None = None) -> np.ndarray:
        """(frames, positions) of a figure; coordinates without a column stay at zero."""
        q = np.tile(np.array(figure.zero, float), (len(self), 1))
        for place, values in self.placed(figure, names).items():
            q[:, place] = values
        if len(bad := np.argwhere(~np.isfinite(q))):
            raise refuse(f"values are missing from t = {self.time[bad[0][0]]:g} s on: cut or fill the motion")
        return continuous_positions(figure, q)

    def _factor(self, k: int, unit: str) -> float:
        """From a column to the SI unit of a coordinate."""
        given = self.units[k]
        table = ANGLES if unit == "rad" else LENGTHS if unit == "m" else {"": 1.0}
        if not given:
            return ANGLES["deg"] if self.degrees and unit == "rad" else 1.0
        if given not in table:
            raise refuse(
                f"the column {self.names[k]!r} is in {given!r}, and the coordinate in {unit or 'pure numbers'}"
            )
        return table[given]


def coordinate_names(figure: Figure) -> dict[str, tuple[int, str]]:
    """Number and unit of each position by what it may be called: "knee", "knee angle", "pelvis x", "pelvis qw"."""
    found: dict[str, tuple[int, str]] = {}
    plain = {"rad": "angle", "m": "distance"}
    for body in figure.order:
        first = figure.position_slices[body.name].start
        units = body.joint.kind.positions
        for k, (name, unit) in enumerate(units.items()):
            found[f"{body.name} {name or plain[unit]}"] = (first + k, unit)
            if len(units) == 1:
                found[body.name] = (first, unit)
    return found


def _plain(column: str, figure: str) -> str:
    """A column's name as coordinates are called: tables of recordings say `q FIGURE/BODY coordinate`."""
    name = column.removeprefix("q ").removeprefix(f"{figure}/")
    return " ".join(name.replace("/", " ").split())


def positions_from(source: Any, figure: Figure, names: Mapping[str, str] | None = None) -> np.ndarray:
    """(frames, positions) of a figure from Coordinates, or a TargetMotion of a BVH file."""
    if isinstance(source, Coordinates):
        return source.positions_of(figure, names)
    return source.positions(figure, names)
