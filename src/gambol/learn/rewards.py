"""What is wanted, for every second of it, and what ends an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gambol.learn.batch import Batch
from gambol.learn.parts import Reward, SquaredTerm, Threshold

Squares = list[tuple[int, int, float]]


def _apart(rows: Sequence[int], others: Sequence[int], factor: float) -> Squares:
    return [(row, other, factor) for row, other in zip(rows, others, strict=True)]


def _sizes(batch: Batch, rows: Sequence[int], factor: float = 1.0) -> Squares:
    return [(row, batch.rows["zero"].start, factor) for row in rows]


@dataclass
class TrackVelocity(SquaredTerm):
    """exp(-(d / width)²), d [m/s] between the trunk's horizontal velocity and the command (forward, left, …)."""

    width: float = 0.25
    near: ClassVar[bool] = True

    def squares(self, batch: Batch) -> Squares:
        return _apart(batch.felt_rows("velocity")[:2], batch.asked_rows(2), 1.0 / self.width**2)


@dataclass
class TrackTurn(SquaredTerm):
    """exp(-(d / width)²), d [rad/s] between the trunk's turning about its z axis and the command's third number."""

    width: float = 0.5
    near: ClassVar[bool] = True

    def squares(self, batch: Batch) -> Squares:
        return _apart(batch.felt_rows("angular velocity")[2:], batch.asked_rows(3)[2:], 1.0 / self.width**2)


@dataclass
class Forward(Reward):
    """Velocity of the trunk along x of its base [m/s], at most `most`."""

    most: float = np.inf

    def value(self, batch: Batch) -> np.ndarray:
        _, at, _ = batch._root()
        return np.minimum(batch.v[:, at + 3], self.most)


@dataclass
class Alive(SquaredTerm):
    """1 as long as the episode lasts."""

    near: ClassVar[bool] = True

    def squares(self, batch: Batch) -> Squares:
        return []


@dataclass
class Tilt(SquaredTerm):
    """How far the trunk leans: the square of the horizontal part of the direction of gravity. Weight it negatively."""

    def squares(self, batch: Batch) -> Squares:
        return _sizes(batch, batch.felt_rows("down")[:2])


@dataclass
class Bounce(SquaredTerm):
    """Vertical velocity squared [m²/s²], and turning about x and y [rad²/s²] times `turning`. Weight it negatively."""

    turning: float = 0.05

    def squares(self, batch: Batch) -> Squares:
        turning = _sizes(batch, batch.felt_rows("angular velocity")[:2], self.turning)
        return _sizes(batch, batch.felt_rows("velocity")[2:]) + turning


@dataclass
class ActionRate(SquaredTerm):
    """Sum of the squares of the changes of the action. Weight it negatively."""

    def squares(self, batch: Batch) -> Squares:
        return _apart(batch.rows["action"], batch.rows["action before"], 1.0)


@dataclass
class JointMotion(SquaredTerm):
    """Sum of the squares of the speeds of all joints but the root [rad²/s²]. Weight it negatively."""

    def squares(self, batch: Batch) -> Squares:
        first = 0 if batch._trunk is None else batch.sim.layout.speed_slices[batch.sim.layout.bodies[0].name].stop
        return _sizes(batch, batch.rows["v"][first:])


@dataclass
class Near(Reward):
    """exp(-(d / width)²), d [m] from a point [m, body frame] of a body to the place that the command says."""

    body: str = ""
    point: Sequence[float] = (0.0, 0.0, 0.0)
    width: float = 0.1

    def value(self, batch: Batch) -> np.ndarray:
        d = batch.points([(self.body, self.point)])[:, 0] - batch.asked(3)
        return np.exp(np.einsum("wi,wi->w", d, d) * (-1.0 / self.width**2))


@dataclass
class Tilted(Threshold):
    """The trunk leans by more than `angle` [rad]."""

    angle: float = 1.0

    def limit(self, batch: Batch) -> tuple[int, int, float]:
        return batch.felt_rows("down")[2], 1, -np.cos(self.angle)


@dataclass
class Low(Threshold):
    """The trunk's origin is below `height` [m, above where its root is placed]."""

    height: float = 0.0

    def limit(self, batch: Batch) -> tuple[int, int, float]:
        return batch.rows["q"][batch._root()[0] + 2], -1, -self.height
