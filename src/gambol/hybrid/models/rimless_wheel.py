"""A wheel without a rim rolls down a slope on its spokes."""

import math
from typing import NamedTuple

import numpy as np

from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem


class RimlessWheel(HybridSystem):
    """Mass at the hub; a spoke that lands becomes the pivot, the speed across the new spoke is lost.

    The angle is that of the pivot spoke from the vertical, positive forward; it runs from slope − π/n to slope + π/n.
    """

    class Parameters(NamedTuple):
        """Of the wheel, the slope and the start."""

        gravity: float = 9.81  # [m/s²]
        length: float = 1.0  # [m] of a spoke
        slope: float = 0.08  # [rad] downhill
        spokes: float = 8.0
        speed: float = 1.0  # [rad/s] at the start, on the spoke behind

    charts = (
        Chart(
            "pivot", states=("angle", "speed"), boundaries=(ChartBoundary("next spoke"), ChartBoundary("spoke behind"))
        ),
    )

    @staticmethod
    def flow(chart, t, x, p, dx):
        """An inverted pendulum about the pivot spoke."""
        dx[0], dx[1] = x[1], p.gravity / p.length * math.sin(x[0])

    @staticmethod
    def boundaries(chart, t, x, p, h):
        """The next spoke lands, or the one behind."""
        half = math.pi / p.spokes
        h[0], h[1] = p.slope + half - x[0], x[0] - (p.slope - half)

    @staticmethod
    def transition(chart, t, x, p, fired):
        """The landing spoke becomes the pivot."""
        half = math.pi / p.spokes
        x[0] = p.slope - half if fired[0] > 0 else p.slope + half
        x[1] *= math.cos(2 * half)
        return chart

    @staticmethod
    def start(p):
        """On the spoke behind."""
        return "pivot", (p.slope - math.pi / p.spokes, p.speed)

    @staticmethod
    def display(chart, t, x, p):
        """Where the hub is, from the pivot."""
        hub = np.eye(4)
        hub[0, 3], hub[2, 3] = p.length * math.sin(x[0]), p.length * math.cos(x[0])
        return {"hub": hub}


def rolling_speed(p: RimlessWheel.Parameters) -> tuple[float, float]:
    """Closed form of steady rolling: speed [rad/s] after and before an impact."""
    half = math.pi / p.spokes
    gain = 4 * p.gravity / p.length * math.sin(p.slope) * math.sin(half)
    loss = math.cos(2 * half) ** 2
    return math.sqrt(loss * gain / (1 - loss)), math.sqrt(gain / (1 - loss))
