"""A ball falls on a plate that hangs in a spring, sticks to it, and is thrown off when the plate would pull it."""

from typing import NamedTuple

from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem

_APART, _TOGETHER = range(2)


class CatchingPlate(HybridSystem):
    """Four states while ball and plate move apart, two while they move as one."""

    class Parameters(NamedTuple):
        """Of the ball, the plate and its spring."""

        gravity: float = 9.81  # [m/s²]
        ball: float = 1.0  # [kg]
        plate: float = 2.0  # [kg]
        stiffness: float = 200.0  # [N/m]
        height: float = 1.0  # [m] of the ball over the plate at the start

    charts = (
        Chart("apart", states=("z", "v", "plate z", "plate v"), boundaries=(ChartBoundary("impact"),)),
        Chart("together", states=("z", "v"), boundaries=(ChartBoundary("thrown off"),)),
    )
    outputs = ("energy", "momentum")

    @staticmethod
    def flow(chart, t, x, p, dx):
        """Free fall and the plate on its spring, or both as one on the spring."""
        dx[0] = x[1]
        if chart == _APART:
            dx[1] = -p.gravity
            dx[2], dx[3] = x[3], -p.gravity - p.stiffness / p.plate * x[2]
        else:
            dx[1] = -p.gravity - p.stiffness / (p.ball + p.plate) * x[0]

    @staticmethod
    def boundaries(chart, t, x, p, h):
        """The gap while apart; the push between them while together."""
        if chart == _APART:
            h[0] = x[0] - x[2]
        else:
            h[0] = -p.stiffness / (p.ball + p.plate) * x[0]  # the plate's push on the ball, over its mass

    @staticmethod
    def transition(chart, t, x, p, fired):
        """A plastic impact, or the ball leaves the plate."""
        if chart == _APART:
            x[1] = (p.ball * x[1] + p.plate * x[3]) / (p.ball + p.plate)
            x[0] = x[2]
            return _TOGETHER
        x[2], x[3] = x[0], x[1]
        return _APART

    @staticmethod
    def observe(chart, t, x, p, out):
        """Energy [J] and momentum [N·s]."""
        if chart == _APART:
            out[0] = 0.5 * p.ball * x[1] ** 2 + p.ball * p.gravity * x[0]
            out[0] += 0.5 * p.plate * x[3] ** 2 + p.plate * p.gravity * x[2] + 0.5 * p.stiffness * x[2] ** 2
            out[1] = p.ball * x[1] + p.plate * x[3]
        else:
            both = p.ball + p.plate
            out[0] = 0.5 * both * x[1] ** 2 + both * p.gravity * x[0] + 0.5 * p.stiffness * x[0] ** 2
            out[1] = both * x[1]

    @staticmethod
    def start(p):
        """The plate at rest, the ball above it."""
        rest = -p.plate * p.gravity / p.stiffness
        return "apart", (rest + p.height, 0.0, rest, 0.0)
