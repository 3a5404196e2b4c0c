"""Constraints on how points move: velocity, acceleration, and being at a place by a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gambol.dynamics.constraints.descriptions import AXES, ZERO, Constraint, Vector, point_rows
from gambol.dynamics.constraints.tables import LAW_ACCELERATION, LAW_ARRIVAL, LAW_VELOCITY


@dataclass(frozen=True, kw_only=True)
class PointVelocity(Constraint):
    """`point` of `body` moving at `velocity` [m/s, frame of `to`], approached as e^(−λt)."""

    body: str
    velocity: Vector
    point: Vector = ZERO
    to: str = ""
    directions: tuple[Vector, ...] = AXES
    order: ClassVar[int] = LAW_VELOCITY

    def row_blocks(self, layout):
        """A row for each direction: velocity [m/s] of the point."""
        given = (self.point, ZERO, self.directions)
        return [point_rows(layout, self.body, self.to, *given, velocity=self.velocity)]


@dataclass(frozen=True, kw_only=True)
class PointAcceleration(Constraint):
    """`point` of `body` accelerating at `acceleration` [m/s², frame of `to`], exactly and without feedback."""

    body: str
    acceleration: Vector
    point: Vector = ZERO
    to: str = ""
    directions: tuple[Vector, ...] = AXES
    order: ClassVar[int] = LAW_ACCELERATION

    def row_blocks(self, layout):
        """A row for each direction: acceleration [m/s²] of the point."""
        given = (self.point, ZERO, self.directions)
        return [point_rows(layout, self.body, self.to, *given, acceleration=self.acceleration)]


@dataclass(frozen=True, kw_only=True)
class ArriveBy(Constraint):
    """`point` of `body` at rest at `place` of `to` by the `time` [s], by the path of least jerk; held there after."""

    body: str
    place: Vector
    time: float
    point: Vector = ZERO
    to: str = ""
    directions: tuple[Vector, ...] = AXES
    order: ClassVar[int] = LAW_ARRIVAL

    def row_blocks(self, layout):
        """A row for each direction: how far the point is from its place [m]."""
        return [point_rows(layout, self.body, self.to, self.point, self.place, self.directions)]
