"""What is wanted, for every second of it, and what ends an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.learn.batch import Batch
from gambol.learn.parts import Reward, Termination
from gambol.learn.ticks import squared_distance, sum_of_squares


@dataclass
class TrackVelocity(Reward):
    """exp(-(d / width)²), d [m/s] between the trunk's horizontal velocity and the command (forward, left, …)."""

    width: float = 0.25

    def value(self, batch: Batch) -> np.ndarray:
        return np.exp(squared_distance(batch.linear_velocity[:, :2].T, batch.asked(2).T, -1.0 / self.width**2))


@dataclass
class TrackTurn(Reward):
    """exp(-(d / width)²), d [rad/s] between the trunk's turning about its z axis and the command's third number."""

    width: float = 0.5

    def value(self, batch: Batch) -> np.ndarray:
        turning, asked = batch.angular_velocity[:, 2:3], batch.asked(3)[:, 2:3]
        return np.exp(squared_distance(turning.T, asked.T, -1.0 / self.width**2))


@dataclass
class Forward(Reward):
    """Velocity of the trunk along x of its base [m/s], at most `most`."""

    most: float = np.inf

    def value(self, batch: Batch) -> np.ndarray:
        _, at, _ = batch._root()
        return np.minimum(batch.v[:, at + 3], self.most)


@dataclass
class Alive(Reward):
    """1 as long as the episode lasts."""

    def value(self, batch: Batch) -> np.ndarray:
        return np.ones(batch.worlds, batch.q.dtype)


@dataclass
class Tilt(Reward):
    """How far the trunk leans: the square of the horizontal part of the direction of gravity. Weight it negatively."""

    def value(self, batch: Batch) -> np.ndarray:
        return sum_of_squares(batch.down[:, :2].T, 1.0)


@dataclass
class Bounce(Reward):
    """Vertical velocity squared [m²/s²], and turning about x and y [rad²/s²] times `turning`. Weight it negatively."""

    turning: float = 0.05

    def value(self, batch: Batch) -> np.ndarray:
        rise = sum_of_squares(batch.linear_velocity[:, 2:].T, 1.0)
        return rise + sum_of_squares(batch.angular_velocity[:, :2].T, self.turning)


@dataclass
class ActionRate(Reward):
    """Sum of the squares of the changes of the action. Weight it negatively."""

    def value(self, batch: Batch) -> np.ndarray:
        return squared_distance(batch.action.T, batch.action_before.T, 1.0)


@dataclass
class JointMotion(Reward):
    """Sum of the squares of the speeds of all joints but the root [rad²/s²]. Weight it negatively."""

    def value(self, batch: Batch) -> np.ndarray:
        first = batch.sim.layout.speed_slices[batch.sim.layout.bodies[0].name]
        v = batch.v if batch._trunk is None else batch.v[:, first.stop :]
        return sum_of_squares(v.T, 1.0)


@dataclass
class Near(Reward):
    """exp(-(d / width)²), d [m] from a point [m, body frame] of a body to the place that the command says."""

    body: str = ""
    point: Sequence[float] = (0.0, 0.0, 0.0)
    width: float = 0.1

    def value(self, batch: Batch) -> np.ndarray:
        place = np.ascontiguousarray(batch.points([(self.body, self.point)])[:, 0].T)
        return np.exp(squared_distance(place, batch.asked(3).T, -1.0 / self.width**2))


@dataclass
class Tilted(Termination):
    """The trunk leans by more than `angle` [rad]."""

    angle: float = 1.0

    def over(self, batch: Batch) -> np.ndarray:
        return batch.down[:, 2] > -np.cos(self.angle)


@dataclass
class Low(Termination):
    """The trunk's origin is below `height` [m, above where its root is placed]."""

    height: float = 0.0

    def over(self, batch: Batch) -> np.ndarray:
        return batch.trunk_position[:, 2] < self.height
