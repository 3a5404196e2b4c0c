"""Where a figure is and how it goes, smoothed over a cycle of its legs: a trunk sways with every step."""

from __future__ import annotations

import math
from typing import NamedTuple


class Whereabouts(NamedTuple):
    """Where a figure is: x, y [m], heading [rad, from x to y], forward speed and turning [m/s, rad/s], smoothed."""

    x: float
    y: float
    heading: float
    speed: float
    turning: float


def wrapped(angle: float) -> float:
    """An angle between -π and π."""
    return math.remainder(angle, 2.0 * math.pi)


class Trail:
    """Moments of the last cycle: time [s], x, y [m], heading [rad]."""

    def __init__(self) -> None:
        self.moments: list[tuple[float, float, float, float]] = []

    def whereabouts(self, time: float, x: float, y: float, heading: float, cycle: float) -> Whereabouts:
        """Enters a moment; speeds are those over the last cycle [s], the heading is the mean over it, carried on."""
        moments = self.moments
        if not moments or time > moments[-1][0]:
            moments.append((time, x, y, heading))
        while len(moments) > 2 and moments[1][0] <= time - cycle:
            moments.pop(0)
        mean = math.atan2(sum(math.sin(m[3]) for m in moments), sum(math.cos(m[3]) for m in moments))
        first = moments[0]
        elapsed = time - first[0]
        if elapsed <= 0.0:
            return Whereabouts(x, y, heading, 0.0, 0.0)
        ahead = (x - first[1]) * math.cos(mean) + (y - first[2]) * math.sin(mean)
        turning = wrapped(heading - first[3]) / elapsed
        return Whereabouts(x, y, mean + 0.5 * turning * elapsed, ahead / elapsed, turning)

    def save(self) -> list[tuple[float, float, float, float]]:
        """Its moments."""
        return list(self.moments)

    def restore(self, moments: list[tuple[float, float, float, float]]) -> None:
        """Exactly as it was saved."""
        self.moments[:] = moments
