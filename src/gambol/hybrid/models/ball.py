"""A ball that falls on a floor and loses speed at each impact."""

from typing import NamedTuple

import numpy as np

from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem


class BouncingBall(HybridSystem):
    """Infinitely many impacts in a finite time for a restitution below 1: the run ends with a ZenoError."""

    class Parameters(NamedTuple):
        """Of the ball and the floor."""

        gravity: float = 9.81  # [m/s²]
        restitution: float = 0.5  # speed after over speed before an impact
        height: float = 1.0  # [m] at the start

    charts = (Chart("flight", states=("height", "speed"), boundaries=(ChartBoundary("floor"),)),)

    @staticmethod
    def flow(chart, t, x, p, dx):
        """Free fall."""
        dx[0], dx[1] = x[1], -p.gravity

    @staticmethod
    def boundaries(chart, t, x, p, h):
        """The floor."""
        h[0] = x[0]

    @staticmethod
    def transition(chart, t, x, p, fired):
        """An impact."""
        x[1] = -p.restitution * x[1]
        return chart

    @staticmethod
    def start(p):
        """At rest above the floor."""
        return "flight", (p.height, 0.0)

    @staticmethod
    def display(chart, t, x, p):
        """Where the ball is."""
        ball = np.eye(4)
        ball[2, 3] = x[0]
        return {"ball": ball}
