"""Constraints on how bodies are turned."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gambol.dynamics.constraints.descriptions import Constraint, RowBlock, Vector, frame_on, on
from gambol.errors import Fault
from gambol.figure.placement import Placement


@dataclass(frozen=True, kw_only=True)
class Orient(Constraint):
    """The frame of `body` at the `rotation` (w, x, y, z) in the frame of `to`; deviation 2 sin(θ/2) [rad]."""

    body: str
    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    to: str = ""

    def row_blocks(self, layout):
        """Three rows: the turn between the two frames."""
        a, own = frame_on(layout, self.body, np.eye(3))
        b, there = frame_on(layout, self.to, Placement(rotation=self.rotation).matrix)
        return [RowBlock("orientation", a, b, 3, [*own, *there])]

    def faults(self):
        """Also: the rotation is a unit quaternion."""
        yield from super().faults()
        if abs(math.hypot(*self.rotation) - 1.0) > 1e-9:
            yield Fault("rotation must be a unit quaternion", self.where)


@dataclass(frozen=True, kw_only=True)
class Align(Constraint):
    """`direction` of `body` at the angle whose cosine is `cosine` to the direction `other` of `to`."""

    body: str
    direction: Vector
    other: Vector
    to: str = ""
    cosine: float = 0.0

    def row_blocks(self, layout):
        """One row: the cosine between the two directions."""
        a, own = on(layout, self.body, np.asarray(self.direction) / np.linalg.norm(self.direction))
        b, there = on(layout, self.to, np.asarray(self.other) / np.linalg.norm(self.other))
        return [RowBlock("direction", a, b, 1, [*own, *there, float(self.cosine)])]

    def faults(self):
        """Also: a cosine lies between −1 and 1."""
        yield from super().faults()
        if not abs(self.cosine) < 1:
            yield Fault(
                "the cosine must be between −1 and 1; parallel directions are two Aligns or an Orient", self.where
            )
