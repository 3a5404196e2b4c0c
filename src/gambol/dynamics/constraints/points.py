"""Constraints on where points are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.dynamics.constraints.descriptions import ZERO, Constraint, RowBlock, Vector, on, point_rows, row_and_turn
from gambol.dynamics.constraints.surfaces import Quadric
from gambol.errors import Fault


def normals(direction: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors at right angles to a direction and to each other."""
    d = np.asarray(direction, float) / np.linalg.norm(direction)
    m = np.cross(d, np.eye(3)[int(np.argmin(np.abs(d)))])
    m /= np.linalg.norm(m)
    return m, np.cross(d, m)


@dataclass(frozen=True, kw_only=True)
class Nail(Constraint):
    """`point` of `body` at `place` [m, world], which may move: place + velocity t + acceleration t²/2."""

    body: str
    place: Vector
    point: Vector = ZERO
    velocity: Vector = ZERO
    acceleration: Vector = ZERO

    def row_blocks(self, layout):
        """Three rows: how far the point is from its place in the world [m]."""
        given = (self.point, self.place)
        return [point_rows(layout, self.body, "", *given, velocity=self.velocity, acceleration=self.acceleration)]


@dataclass(frozen=True, kw_only=True)
class Join(Constraint):
    """`point` of `body` at the point `at` of `to`: a ball and socket."""

    body: str
    to: str
    point: Vector = ZERO
    at: Vector = ZERO

    def row_blocks(self, layout):
        """Three rows: how far the two points are apart [m]."""
        return [point_rows(layout, self.body, self.to, self.point, self.at, turning=False)]


@dataclass(frozen=True, kw_only=True)
class HingeByPoints(Constraint):
    """A hinge as the source builds it: two points of an axis joined, six rows of which five are independent."""

    body: str
    to: str = ""
    points: tuple[Vector, Vector]
    at: tuple[Vector, Vector]

    def row_blocks(self, layout):
        """Three rows for each pair of points: how far these are apart [m]."""
        return [point_rows(layout, self.body, self.to, p, q, turning=False) for p, q in zip(self.points, self.at)]

    def faults(self):
        yield from super().faults()
        for name in ("points", "at"):
            p, q = getattr(self, name)
            if np.linalg.norm(np.subtract(p, q)) < 1e-9:
                yield Fault(f"the two {name} of a hinge must be apart", self.where)


@dataclass(frozen=True, kw_only=True)
class OnLine(Constraint):
    """`point` of `body` on the line through `place` along `direction`, carried by `to`."""

    body: str
    place: Vector
    direction: Vector
    point: Vector = ZERO
    to: str = ""

    def row_blocks(self, layout):
        """Two rows: how far the point is beside the line [m]."""
        return [point_rows(layout, self.body, self.to, self.point, self.place, normals(self.direction))]

    def faults(self):
        yield from super().faults()
        if not np.linalg.norm(self.direction) > 0:
            yield Fault("a line needs a direction", self.where)


@dataclass(frozen=True, kw_only=True)
class OnCurve(Constraint):
    """`point` of `body` on the smooth curve through `points`, carried by `to`; `closed`: back to the first of them."""

    body: str
    points: tuple[Vector, ...]
    closed: bool = False
    point: Vector = ZERO
    to: str = ""

    def row_blocks(self, layout):
        """Two rows: how far the point is beside the curve [m]."""
        a, own = on(layout, self.body, self.point)
        b, turn = row_and_turn(layout, self.to)
        pieces = spline_pieces(np.asarray(self.points, float) @ turn, self.closed)
        return [RowBlock("curve", a, b, 2, [*own, float(len(pieces)), *pieces.ravel()])]

    def faults(self):
        yield from super().faults()
        steps = np.diff(np.asarray(self.points, float), axis=0)
        if len(self.points) < 3 or not np.all(np.linalg.norm(steps, axis=1) > 0):
            yield Fault("a curve goes through at least three points, no two neighbours the same", self.where)


def spline_pieces(points: np.ndarray, closed: bool) -> np.ndarray:
    """Cells of the kernel's pieces (begin, length, coefficients, constant first) of a cubic spline by chord length."""
    from scipy.interpolate import CubicSpline

    if closed:
        points = np.vstack([points, points[:1]])
    at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    spline = CubicSpline(at, points, bc_type="periodic" if closed else "natural")
    return np.array([[at[i], at[i + 1] - at[i], *spline.c[::-1, i].ravel()] for i in range(len(at) - 1)])


@dataclass(frozen=True, kw_only=True)
class OnSurface(Constraint):
    """`point` of `body` on a surface (gambol.dynamics.constraints.surfaces) carried by `to`."""

    body: str
    surface: Quadric
    point: Vector = ZERO
    to: str = ""

    def row_blocks(self, layout):
        """One row: the surface's function at the point."""
        a, own = on(layout, self.body, self.point)
        b, turn = row_and_turn(layout, self.to)
        return [RowBlock("quadric", a, b, 1, [*own, *self.surface.turned(turn).cells])]


@dataclass(frozen=True, kw_only=True)
class Distance(Constraint):
    """`point` of `body` at the distance `length` [m] from the point `at` of `to`."""

    body: str
    length: float
    to: str = ""
    point: Vector = ZERO
    at: Vector = ZERO

    def row_blocks(self, layout):
        """One row: the distance less the one wanted [m]."""
        a, own = on(layout, self.body, self.point)
        b, there = on(layout, self.to, self.at)
        return [RowBlock("distance", a, b, 1, [*own, *there, float(self.length)])]

    def faults(self):
        yield from super().faults()
        if not self.length > 0:
            yield Fault(f"a distance must be positive, it is {self.length:g}; use Join or Nail for zero", self.where)
