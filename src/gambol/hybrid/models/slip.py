"""The spring-loaded inverted pendulum: a mass that runs on one massless springy leg."""

import math
from typing import NamedTuple

import numpy as np

from gambol.hybrid.section import Section
from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem

_FLIGHT, _STANCE, _FALLEN = range(3)
_X, _Z, _VX, _VZ, _TOE = range(5)


class SpringHopper(HybridSystem):
    """Flight with the leg held at the angle of attack; stance on the spring; no losses.

    The toe is a state of stance alone. Touchdown on the way down, liftoff at the rest length; a body that reaches the
    ground has fallen. Usual values: a person's, which run stably at 5 m/s (Seyfarth et al. 2002).
    """

    class Parameters(NamedTuple):
        """Of the runner, its leg and the start."""

        gravity: float = 9.81  # [m/s²]
        mass: float = 80.0  # [kg]
        length: float = 1.0  # [m] of the leg at rest
        stiffness: float = 20000.0  # [N/m]
        attack: float = 1.1868  # [rad] angle of the leg to the ground at touchdown: 68°
        height: float = 1.0  # [m] at the start, an apex
        speed: float = 5.0  # [m/s] forward there

    charts = (
        Chart(
            "flight",
            states=("x", "z", "vx", "vz"),
            boundaries=(ChartBoundary("touchdown"), ChartBoundary("ground", priority=1)),
        ),
        Chart(
            "stance",
            states=("x", "z", "vx", "vz", "toe"),
            boundaries=(ChartBoundary("liftoff"), ChartBoundary("ground", priority=1)),
        ),
        Chart("fallen", states=("x", "z", "vx", "vz")),
    )
    outputs = ("energy", "leg length", "leg force")

    @staticmethod
    def flow(chart, t, x, p, dx):
        """Free flight, with the leg's spring in stance."""
        dx[_X], dx[_Z] = x[_VX], x[_VZ]
        dx[_VX], dx[_VZ] = 0.0, -p.gravity
        if chart == _STANCE:
            length = math.hypot(x[_X] - x[_TOE], x[_Z])
            push = p.stiffness * (p.length - length) / (p.mass * length)
            dx[_VX] += push * (x[_X] - x[_TOE])
            dx[_VZ] += push * x[_Z]
            dx[_TOE] = 0.0
        elif chart == _FALLEN:
            dx[:] = 0.0

    @staticmethod
    def boundaries(chart, t, x, p, h):
        """Touchdown, liftoff, and the ground below the body."""
        if chart == _FLIGHT:
            # at the touchdown height on the way up is not a touchdown
            h[0] = max(x[_Z] - p.length * math.sin(p.attack), x[_VZ])
            h[1] = x[_Z]
        elif chart == _STANCE:
            h[0] = p.length - math.hypot(x[_X] - x[_TOE], x[_Z])
            h[1] = x[_Z]

    @staticmethod
    def transition(chart, t, x, p, fired):
        """The toe is set down, the leg lifts, or it falls."""
        if fired[1] > 0:
            return _FALLEN
        if chart == _FLIGHT:
            x[_TOE] = x[_X] + p.length * math.cos(p.attack)
            return _STANCE
        return _FLIGHT

    @staticmethod
    def observe(chart, t, x, p, out):
        """Energy [J], length of the leg [m] and its force [N]."""
        length = math.hypot(x[_X] - x[_TOE], x[_Z]) if chart == _STANCE else p.length
        out[0] = p.mass * (0.5 * (x[_VX] ** 2 + x[_VZ] ** 2) + p.gravity * x[_Z])
        out[0] += 0.5 * p.stiffness * (p.length - length) ** 2
        out[1], out[2] = length, p.stiffness * (p.length - length)

    @staticmethod
    def start(p):
        """At an apex."""
        return "flight", (0.0, p.height, p.speed, 0.0)

    @staticmethod
    def display(chart, t, x, p):
        """Where the body is."""
        body = np.eye(4)
        body[0, 3], body[2, 3] = x[_X], x[_Z]
        return {"body": body}


def _apex(chart, t, x, p):
    return x[_VZ]


APEX = Section("apex", _apex, direction="falling")
