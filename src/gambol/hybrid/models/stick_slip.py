"""A block on a moving belt, held by a spring: it sticks, is carried along, tears loose and slides back."""

import math
from typing import NamedTuple

from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem

_STICK, _BACKWARD, _FORWARD = range(3)


class StickSlip(HybridSystem):
    """Dry friction with a larger coefficient at rest. Sticking has one dimension, sliding two."""

    class Parameters(NamedTuple):
        """Of the block, its spring and the belt."""

        mass: float = 1.0  # [kg]
        stiffness: float = 1.0  # [N/m]
        damping: float = 0.0  # [N·s/m]
        belt: float = 0.2  # [m/s]
        static: float = 1.0  # [N] largest friction at rest
        kinetic: float = 0.5  # [N] friction of sliding

    charts = (
        Chart("stick", states=("x",), boundaries=(ChartBoundary("pulled back"), ChartBoundary("pushed on"))),
        Chart("slides backward", states=("x", "v"), boundaries=(ChartBoundary("at rest on the belt"),)),
        Chart("slides forward", states=("x", "v"), boundaries=(ChartBoundary("at rest on belt, from ahead"),)),
    )
    outputs = ("speed", "friction")

    @staticmethod
    def flow(chart, t, x, p, dx):
        """Carried by the belt, or sliding against kinetic friction."""
        if chart == _STICK:
            dx[0] = p.belt
            return
        friction = p.kinetic if chart == _BACKWARD else -p.kinetic
        dx[0] = x[1]
        dx[1] = (friction - p.stiffness * x[0] - p.damping * x[1]) / p.mass

    @staticmethod
    def boundaries(chart, t, x, p, h):
        """Static friction is exceeded, or the block is at rest on the belt."""
        if chart == _STICK:
            needed = p.stiffness * x[0] + p.damping * p.belt
            h[0], h[1] = p.static - needed, p.static + needed
        elif chart == _BACKWARD:
            h[0] = p.belt - x[1]
        else:
            h[0] = x[1] - p.belt

    @staticmethod
    def transition(chart, t, x, p, fired):
        """It tears loose one way or the other, or sticks again."""
        if chart == _STICK:
            x[1] = p.belt
            return _BACKWARD if fired[0] > 0 else _FORWARD
        needed = p.stiffness * x[0] + p.damping * p.belt
        if abs(needed) <= p.static:
            return _STICK
        x[1] = p.belt
        return _BACKWARD if needed > 0 else _FORWARD

    @staticmethod
    def observe(chart, t, x, p, out):
        """Speed [m/s] and friction [N]."""
        out[0] = p.belt if chart == _STICK else x[1]
        needed = p.stiffness * x[0] + p.damping * p.belt
        out[1] = needed if chart == _STICK else math.copysign(p.kinetic, p.belt - out[0])

    @staticmethod
    def start(p):
        """Sticking, the spring at rest."""
        return "stick", (0.0,)
