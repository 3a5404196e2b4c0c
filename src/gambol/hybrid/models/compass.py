"""The compass-gait walker: two stiff legs, a hip, and a slope that drives them."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from gambol.hybrid.system import Chart, ChartBoundary, HybridSystem

_S, _N, _WS, _WN = range(4)


@njit(error_model="numpy")
def cross2(ax, az, bx, bz):
    """Moment of b at a, positive forward (clockwise seen from the right)."""
    return az * bx - ax * bz


@njit(error_model="numpy")
def momenta(p, s, n, ws, wn):
    """Angular momenta of a walker that turns about its stance foot.

    (of all about the swing foot, of all about the stance foot, of the stance leg about the hip,
    of the swing leg about the hip)
    """
    a, b, l = p.lower, p.upper, p.lower + p.upper
    hip_x, hip_z = l * math.sin(s), l * math.cos(s)
    hip_vx, hip_vz = l * ws * math.cos(s), -l * ws * math.sin(s)
    st_x, st_z = a * math.sin(s), a * math.cos(s)
    st_vx, st_vz = a * ws * math.cos(s), -a * ws * math.sin(s)
    sw_x, sw_z = hip_x - b * math.sin(n), hip_z - b * math.cos(n)
    sw_vx, sw_vz = hip_vx - b * wn * math.cos(n), hip_vz + b * wn * math.sin(n)
    foot_x, foot_z = hip_x - l * math.sin(n), hip_z - l * math.cos(n)
    swing = p.hip_mass * cross2(hip_x - foot_x, hip_z - foot_z, hip_vx, hip_vz)
    swing += p.leg_mass * cross2(st_x - foot_x, st_z - foot_z, st_vx, st_vz)
    swing += p.leg_mass * cross2(sw_x - foot_x, sw_z - foot_z, sw_vx, sw_vz)
    stance = p.hip_mass * cross2(hip_x, hip_z, hip_vx, hip_vz)
    stance += p.leg_mass * (cross2(st_x, st_z, st_vx, st_vz) + cross2(sw_x, sw_z, sw_vx, sw_vz))
    stance_leg = p.leg_mass * cross2(st_x - hip_x, st_z - hip_z, st_vx, st_vz)
    swing_leg = p.leg_mass * cross2(sw_x - hip_x, sw_z - hip_z, sw_vx, sw_vz)
    return swing, stance, stance_leg, swing_leg


class CompassWalker(HybridSystem):
    """Angles of the legs from the vertical, positive where the hip is ahead of the foot; walking downhill, forward.

    Heel strike, where the legs stand symmetrically to the slope's normal with the swing foot ahead, is plastic: the
    momentum about the new foot and that of the old stance leg about the hip are kept. The swing foot may pass through
    the ground where the legs are side by side. Usual values: Goswami et al. 1998 at 3°.
    """

    class Parameters(NamedTuple):
        """Of the walker, the slope and the first step."""

        gravity: float = 9.81  # [m/s²]
        hip_mass: float = 10.0  # [kg]
        leg_mass: float = 5.0  # [kg] each, a point
        lower: float = 0.5  # [m] from the foot to that point
        upper: float = 0.5  # [m] from there to the hip
        slope: float = math.radians(3.0)  # [rad] downhill
        stance_angle: float = -0.2187  # [rad] at the start, just after a heel strike
        stance_speed: float = 1.0925  # [rad/s]
        swing_speed: float = 0.3770  # [rad/s]

    charts = (
        Chart(
            "step",
            states=("stance angle", "swing angle", "stance speed", "swing speed"),
            boundaries=(ChartBoundary("heel strike"), ChartBoundary("falls", priority=1)),
        ),
        Chart("fallen", states=("stance angle", "swing angle", "stance speed", "swing speed")),
    )
    outputs = ("energy",)

    @staticmethod
    def flow(chart, t, x, p, dx):
        """A double pendulum about the stance foot."""
        if chart == 1:
            dx[:] = 0.0
            return
        l, m, s, n = p.lower + p.upper, p.leg_mass, x[_S], x[_N]
        couple = m * l * p.upper
        m11, m12, m22 = m * p.lower**2 + (p.hip_mass + m) * l**2, -couple * math.cos(s - n), m * p.upper**2
        f1 = couple * math.sin(s - n) * x[_WN] ** 2 + p.gravity * (m * p.lower + (p.hip_mass + m) * l) * math.sin(s)
        f2 = -couple * math.sin(s - n) * x[_WS] ** 2 - p.gravity * m * p.upper * math.sin(n)
        det = m11 * m22 - m12 * m12
        dx[_S], dx[_N] = x[_WS], x[_WN]
        dx[_WS], dx[_WN] = (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det

    @staticmethod
    def boundaries(chart, t, x, p, h):
        """Heel strike, and the fall."""
        if chart == 0:
            h[0] = max(2 * p.slope - x[_S] - x[_N], x[_N] - x[_S])
            h[1] = math.cos(x[_S]) - 0.5

    @staticmethod
    def transition(chart, t, x, p, fired):
        """A plastic heel strike, after which the legs change their roles."""
        if fired[1] > 0:
            return 1
        s, n = x[_S], x[_N]
        about_foot, _, old_stance, _ = momenta(p, s, n, x[_WS], x[_WN])
        _, all1, _, leg1 = momenta(p, n, s, 1.0, 0.0)
        _, all2, _, leg2 = momenta(p, n, s, 0.0, 1.0)
        det = all1 * leg2 - all2 * leg1
        x[_S], x[_N] = n, s
        x[_WS] = (about_foot * leg2 - all2 * old_stance) / det
        x[_WN] = (all1 * old_stance - leg1 * about_foot) / det
        return 0

    @staticmethod
    def observe(chart, t, x, p, out):
        """Energy above the stance foot [J]."""
        l, m = p.lower + p.upper, p.leg_mass
        inertia = m * p.lower**2 + (p.hip_mass + m) * l**2
        out[0] = 0.5 * inertia * x[_WS] ** 2 + 0.5 * m * p.upper**2 * x[_WN] ** 2
        out[0] -= m * l * p.upper * x[_WS] * x[_WN] * math.cos(x[_S] - x[_N])
        height = (m * p.lower + (p.hip_mass + m) * l) * math.cos(x[_S]) - m * p.upper * math.cos(x[_N])
        out[0] += p.gravity * height

    @staticmethod
    def start(p):
        """Just after a heel strike."""
        return "step", (p.stance_angle, 2 * p.slope - p.stance_angle, p.stance_speed, p.swing_speed)

    @staticmethod
    def display(chart, t, x, p):
        """Where the hip is, from the stance foot."""
        l = p.lower + p.upper
        hip = np.eye(4)
        hip[0, 3], hip[2, 3] = l * math.sin(x[_S]), l * math.cos(x[_S])
        return {"hip": hip}
