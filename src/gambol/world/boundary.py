"""Boundaries: scalar functions of a world's state whose zeros are events."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import Fault, WorldError, nearest
from gambol.forces.push import point_of
from gambol.jit import call, outlined, reference
from gambol.math.memory import load_vec3
from gambol.math.scalar import load, store
from gambol.math.vector import dot

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout
    from gambol.figure import Placement

WATCHES = ("time", "position", "speed", "height", "gap")
WATCH_TIME, WATCH_POSITION, WATCH_SPEED, WATCH_HEIGHT, WATCH_GAP = range(5)
WATCH_BODY, WATCH_ADDRESS, WATCH_COLUMNS = (
    1,
    2,
    3,
)  # columns of the table, after the kind: a body or a coordinate; code, of a gap
WATCH_NUMBERS = 7
UNIT = 1e-6  # by which the length of a normal may differ from 1
NO_BOUNDARIES = (np.zeros((0, WATCH_COLUMNS), np.int64), np.zeros(0))


@dataclass(frozen=True, kw_only=True)
class Boundary:
    """An event where a quantity passes a value.

    watch     "time"; "position" or "speed" of coordinate `coordinate` of the joint of `body`; "height" of `point`
              [m, body frame] of `body` along `normal` (unit vector, world); or "gap" between the colliding shapes of
              `body` and those of `other`, as a BodyContact sees them (negative: how deep they are)
    value     [s, rad, m, rad/s or m/s]
    direction "falling", "rising" or "either"
    priority  of events in one instant the smallest number acts first
    """

    name: str
    watch: str
    value: float = 0.0
    body: str = ""
    coordinate: int = 0
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    direction: str = "either"
    priority: int = 0
    other: str = ""

    def carried(self, welded: Callable[[str], bool], parent: str, there: Placement) -> Boundary:
        """This boundary after a weld: the same point as one of `parent`; a welded joint has nothing to watch."""
        if self.watch == "gap" and any(map(welded, self.bodies())):
            message = f"a body whose gap is watched cannot be welded to {parent!r}: remove the boundary first"
            raise WorldError([Fault(message, f"boundary {self.name}")])
        if self.watch != "height" or not welded(self.body):
            return self
        return replace(self, body=parent, point=there.apply(self.point))

    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies it watches."""
        return tuple(name for name in (self.body, self.other) if name)

    def joints(self) -> tuple[str, ...]:
        """Names of the joints it watches."""
        return (self.body,) if self.body and self.watch in ("position", "speed") else ()

    def row(self, layout: Layout) -> tuple[list[int], list[float]]:
        """(kind, index) and the numbers of this boundary for the kernel."""
        from gambol.stepping.run import DIRECTIONS  # here, because compiled code depends on what a module imports

        where = f"boundary {self.name}"
        if self.watch not in WATCHES:
            raise WorldError([Fault(f"cannot watch {self.watch!r}{nearest(self.watch, WATCHES)}", where)])
        if self.direction not in DIRECTIONS:
            raise WorldError([Fault(f"no direction {self.direction!r}{nearest(self.direction, DIRECTIONS)}", where)])
        kind = WATCHES.index(self.watch)
        point = [0.0, 0.0, 0.0]
        index = 0
        if kind != WATCH_TIME:
            entry = layout.body(self.body)
            point = [float(x) for x in entry.turn.T @ np.asarray(self.point, float)]
            index = entry.link
            if kind in (WATCH_POSITION, WATCH_SPEED):
                indices = entry.positions if kind == WATCH_POSITION else entry.speeds
                if not 0 <= self.coordinate < len(indices):
                    message = f"{self.body!r} has {len(indices)} coordinates; there is no number {self.coordinate}"
                    raise WorldError([Fault(message, where)])
                index = indices[self.coordinate]
        return [kind, index, 0], [*point, *(float(x) for x in self.normal), float(self.value)]

    def faults(self) -> Iterator[Fault]:
        """Everything wrong with its numbers."""
        where = f"boundary {self.name}"
        if self.watch == "gap" and self.body == self.other:
            yield Fault(f"a gap is between two bodies; `body` and `other` are {self.body!r}", where)
        if not _is_finite(self.value):
            yield Fault(f"value must be a finite number [s, rad, m, rad/s or m/s], not {self.value!r}", where)
        for name in ("point", "normal"):
            given = getattr(self, name)
            if not (isinstance(given, Sequence | np.ndarray) and len(given) == 3 and all(map(_is_finite, given))):
                yield Fault(f"{name} must be 3 finite numbers, not {given!r}", where)
            elif name == "normal" and abs(float(np.linalg.norm(given)) - 1.0) > UNIT:
                yield Fault(f"normal must be a unit vector, its length is {np.linalg.norm(given):g}", where)
        for name in ("coordinate", "priority"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | np.integer):
                yield Fault(f"{name} must be a whole number, not {given!r}", where)


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)


def compile_boundaries(boundaries, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Kind and place of each boundary, and the numbers of all of them, for the kernels."""
    rows = [b.row(layout) for b in boundaries]
    table = np.array([r[0] for r in rows], np.int64).reshape(-1, WATCH_COLUMNS)
    marks, shapes = [r[1] for r in rows], list[float]()
    for k in np.flatnonzero(table[:, 0] == WATCH_GAP):
        from gambol.world.gap import gap_marks  # here, because compiled code depends on what a module imports

        marks[k], more = gap_marks(boundaries[k], layout, WATCH_NUMBERS * len(rows) + len(shapes))
        shapes += more
    return table, np.array([*(x for own in marks for x in own), *shapes], float)


@outlined
def evaluate_boundaries(model, motion, t, g):
    """Value less mark of every boundary; bodies must be placed and located where heights or gaps are watched."""
    table = model.boundaries
    for i in range(table.shape[0]):
        kind, index, m = table[i, 0], table[i, 1], i * WATCH_NUMBERS
        if kind == WATCH_GAP:
            call(table[i, WATCH_ADDRESS], (reference(model), reference(motion), g, i))
            continue
        if kind == WATCH_TIME:
            x = t
        elif kind == WATCH_POSITION:
            x = load(motion.q, index)
        elif kind == WATCH_SPEED:
            x = load(motion.v, index)
        else:
            _, place, _ = point_of(motion, index, load_vec3(model.marks, m))
            x = dot(place, load_vec3(model.marks, m + 3))
        store(g, i, x - load(model.marks, m + 6))
