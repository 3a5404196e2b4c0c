"""Directing a figure from the page: arrow keys, and a click on the spot where it shall go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gambol.control.directing.director import Director

PACE = 1.2  # times its usual speed that a key asks for
LEAD = 0.7  # [rad] ahead of where it looks, while a key turns it


class Pilot:
    """Passes on to a director what people at the page ask for.

    director   of the simulation that is shown
    goal       (x, y) [m] where it was sent, until it is there or told otherwise
    """

    def __init__(self, director: Director):
        self.director = director
        self.goal: tuple[float, float] | None = None
        self._sent: Any = None
        self._turning = False
        self._way = np.zeros((0, 2))

    def steer(self, ahead: float, turn: float) -> None:
        """Goes ahead (1), back (-1) or stops (0), and turns left (1), right (-1) or not (0), until told otherwise."""
        director = self.director
        self._tell(None)
        director.speed = PACE * ahead * director.steering.usual_speed
        if turn or self._turning:
            director.heading = director.look().heading + LEAD * turn
        self._turning = bool(turn)

    def go_to(self, x: float, y: float) -> None:
        """Walks to a place [m]."""
        self._tell((x, y))
        self._sent = self.director.walk_to(x, y)

    def follow(self, points: Sequence[tuple[float, float]]) -> None:
        """Goes along a line through points (x, y) [m]."""
        self._tell(points[-1])
        self._way = np.array(points, float)
        self._sent = self.director.follow(points)

    def _tell(self, goal: tuple[float, float] | None) -> None:
        self.director.clear()
        self.director.given = False
        self.goal, self._sent, self._way = goal, None, np.zeros((0, 2))

    @property
    def on_its_way(self) -> bool:
        """Is it still going where it was sent?"""
        left = self.director.orders[self.director.begun :]
        return self.goal is not None and any(order is self._sent for order in left)

    def way(self) -> np.ndarray:
        """The line it follows, (n, 2) [m]; (0, 2) for none."""
        return self._way if self.on_its_way else np.zeros((0, 2))

    def mark(self) -> np.ndarray:
        """Where it is going, (1, 2) [m]; (0, 2) where nowhere."""
        return np.array([self.goal]) if self.on_its_way else np.zeros((0, 2))
