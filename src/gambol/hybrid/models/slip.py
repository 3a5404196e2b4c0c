"""The spring-loaded inverted pendulum: a mass that runs on one massless springy leg."""

import math
from typing import NamedTuple

import numpy as np

from gambol.hybrid.section import Section
from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem

FLIGHT, STANCE, FALLEN = range(3)
X, Z, VX, VZ, TOE = range(5)


class SpringHopper(HybridSystem):
    """Flight with the leg held at the angle of attack; stance on the spring; no losses.

    The toe is a state of stance alone. Touchdown on the way down, liftoff at the rest length; a body that reaches the
    ground has fallen. Usual values: a person's, which run stably at 5 m/s (Seyfarth et al. 2002).
    """

    class Parameters(NamedTuple):
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
        dx[X], dx[Z] = x[VX], x[VZ]
        dx[VX], dx[VZ] = 0.0, -p.gravity
        if chart == STANCE:
            length = math.hypot(x[X] - x[TOE], x[Z])
            push = p.stiffness * (p.length - length) / (p.mass * length)
            dx[VX] += push * (x[X] - x[TOE])
            dx[VZ] += push * x[Z]
            dx[TOE] = 0.0
        elif chart == FALLEN:
            dx[:] = 0.0

    @staticmethod
    def boundaries(chart, t, x, p, h):
        if chart == FLIGHT:
            # at the touchdown height on the way up is not a touchdown
            h[0] = max(x[Z] - p.length * math.sin(p.attack), x[VZ])
            h[1] = x[Z]
        elif chart == STANCE:
            h[0] = p.length - math.hypot(x[X] - x[TOE], x[Z])
            h[1] = x[Z]

    @staticmethod
    def transition(chart, t, x, p, fired):
        if fired[1] > 0:
            return FALLEN
        if chart == FLIGHT:
            x[TOE] = x[X] + p.length * math.cos(p.attack)
            return STANCE
        return FLIGHT

    @staticmethod
    def observe(chart, t, x, p, out):
        length = math.hypot(x[X] - x[TOE], x[Z]) if chart == STANCE else p.length
        out[0] = p.mass * (0.5 * (x[VX] ** 2 + x[VZ] ** 2) + p.gravity * x[Z])
        out[0] += 0.5 * p.stiffness * (p.length - length) ** 2
        out[1], out[2] = length, p.stiffness * (p.length - length)

    @staticmethod
    def start(p):
        return "flight", (0.0, p.height, p.speed, 0.0)

    @staticmethod
    def display(chart, t, x, p):
        body = np.eye(4)
        body[0, 3], body[2, 3] = x[X], x[Z]
        return {"body": body}


def _apex(chart, t, x, p):
    return x[VZ]


APEX = Section("apex", _apex, direction="falling")
