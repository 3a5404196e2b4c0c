"""The gait as an orbit: coordinates in which a hexapod that runs on flat ground returns to itself."""

from __future__ import annotations

import math

import numpy as np

from gambol.hybrid.models.compliant_hexapod.model import frame
from gambol.hybrid.models.compliant_hexapod.parameters import (
    ATTITUDE,
    COUNT,
    LEGS,
    POSITION,
    SPIN,
    TOE,
    TOE_VELOCITY,
    VELOCITY,
)
from gambol.hybrid.models.compliant_hexapod.start import quaternion
from gambol.hybrid.orbit import Coordinates


def turn_z(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def attitude(x: np.ndarray) -> tuple[float, float, float]:
    """Yaw (to the left), pitch (nose up), roll (right side down) [rad]."""
    R = frame(x)
    return math.atan2(-R[0, 1], R[1, 1]), math.asin(R[2, 1]), math.atan2(-R[2, 0], R[2, 2])


def gait_coordinates(chart: int) -> Coordinates:
    """Height, attitude without yaw, velocities and toes as seen by one who walks along.

    Where it is and where it heads do not count: flat ground is the same everywhere. Toes in stance have no velocity
    and stay on the ground.
    """
    flying = [i for i in range(COUNT) if not chart >> i & 1]
    names = ["height", "pitch", "roll", *(f"velocity {a}" for a in "xyz"), *(f"spin {a}" for a in "xyz")]
    names += [f"toe {leg} {a}" for leg in LEGS for a in "xy"]
    names += [f"toe {LEGS[i]} z" for i in flying]
    names += [f"toe velocity {LEGS[i]} {a}" for i in flying for a in "xyz"]

    def toes_of(x: np.ndarray, first: int) -> np.ndarray:
        return x[first : first + 3 * COUNT].reshape(COUNT, 3)

    def to(x: np.ndarray) -> np.ndarray:
        yaw, pitch, roll = attitude(x)
        along = turn_z(yaw).T
        r = x[POSITION : POSITION + 3]
        toes = (toes_of(x, TOE) - [r[0], r[1], 0.0]) @ along.T
        moving = toes_of(x, TOE_VELOCITY) @ along.T
        v, w = along @ x[VELOCITY : VELOCITY + 3], along @ x[SPIN : SPIN + 3]
        parts = [[r[2], pitch, roll], v, w, toes[:, :2].ravel(), toes[flying, 2], moving[flying].ravel()]
        return np.concatenate(parts)

    def back(z: np.ndarray, x: np.ndarray) -> np.ndarray:
        made = np.array(x, float)
        yaw, _, _ = attitude(x)
        turn = turn_z(yaw)
        (cp, sp), (cr, sr) = ((math.cos(a), math.sin(a)) for a in (z[1], z[2]))
        pitched = np.array([[1.0, 0.0, 0.0], [0.0, cp, -sp], [0.0, sp, cp]])
        rolled = np.array([[cr, 0.0, sr], [0.0, 1.0, 0.0], [-sr, 0.0, cr]])
        made[POSITION + 2] = z[0]
        made[ATTITUDE : ATTITUDE + 4] = quaternion(turn @ pitched @ rolled)
        made[VELOCITY : VELOCITY + 3], made[SPIN : SPIN + 3] = turn @ z[3:6], turn @ z[6:9]
        n = 9 + 2 * COUNT
        toes = toes_of(made, TOE)
        planar = np.column_stack([z[9:n].reshape(COUNT, 2), np.zeros(COUNT)]) @ turn.T
        toes[:, :2] = planar[:, :2] + made[POSITION : POSITION + 2]
        toes[flying, 2] = z[n : n + len(flying)]
        toes_of(made, TOE_VELOCITY)[flying] = z[n + len(flying) :].reshape(-1, 3) @ turn.T
        return made

    return Coordinates(tuple(names), to, back)
