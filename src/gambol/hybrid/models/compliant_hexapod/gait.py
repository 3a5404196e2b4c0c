"""The gait as an orbit: coordinates in which a hexapod that runs on flat ground returns to itself."""

import math

import numpy as np

import gambol.hybrid.models.compliant_hexapod.parameters as slot
from gambol.hybrid.models.compliant_hexapod.model import body_rotation
from gambol.hybrid.models.compliant_hexapod.start import quaternion
from gambol.hybrid.orbit import OrbitCoordinates


def rotation_about_z(angle: float) -> np.ndarray:
    """The rotation matrix of a turn to the left [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def attitude_of(x: np.ndarray) -> tuple[float, float, float]:
    """Yaw (to the left), pitch (nose up), roll (right side down) [rad]."""
    R = body_rotation(x)
    return math.atan2(-R[0, 1], R[1, 1]), math.asin(R[2, 1]), math.atan2(-R[2, 0], R[2, 2])


def gait_coordinates(chart: int) -> OrbitCoordinates:
    """Height, attitude without yaw, velocities and toes as seen by one who walks along.

    Where it is and where it heads do not count: flat ground is the same everywhere. Toes in stance have no velocity
    and stay on the ground.
    """
    flying = [i for i in range(slot.LEG_COUNT) if not chart >> i & 1]
    names = ["height", "pitch", "roll", *(f"velocity {a}" for a in "xyz"), *(f"spin {a}" for a in "xyz")]
    names += [f"toe {leg} {a}" for leg in slot.LEG_NAMES for a in "xy"]
    names += [f"toe {slot.LEG_NAMES[i]} z" for i in flying]
    names += [f"toe velocity {slot.LEG_NAMES[i]} {a}" for i in flying for a in "xyz"]

    def toes_of(x: np.ndarray, first: int) -> np.ndarray:
        return x[first : first + 3 * slot.LEG_COUNT].reshape(slot.LEG_COUNT, 3)

    def reduce(x: np.ndarray) -> np.ndarray:
        yaw, pitch, roll = attitude_of(x)
        along = rotation_about_z(yaw).T
        r = x[slot.BODY_POSITION : slot.BODY_POSITION + 3]
        toes = (toes_of(x, slot.TOE_POSITION) - [r[0], r[1], 0.0]) @ along.T
        moving = toes_of(x, slot.TOE_VELOCITY) @ along.T
        v, w = along @ x[slot.BODY_VELOCITY : slot.BODY_VELOCITY + 3], along @ x[slot.BODY_SPIN : slot.BODY_SPIN + 3]
        parts = [[r[2], pitch, roll], v, w, toes[:, :2].ravel(), toes[flying, 2], moving[flying].ravel()]
        return np.concatenate(parts)

    def expand(z: np.ndarray, x: np.ndarray) -> np.ndarray:
        made = np.array(x, float)
        yaw, _, _ = attitude_of(x)
        turn = rotation_about_z(yaw)
        (cp, sp), (cr, sr) = ((math.cos(a), math.sin(a)) for a in (z[1], z[2]))
        pitched = np.array([[1.0, 0.0, 0.0], [0.0, cp, -sp], [0.0, sp, cp]])
        rolled = np.array([[cr, 0.0, sr], [0.0, 1.0, 0.0], [-sr, 0.0, cr]])
        made[slot.BODY_POSITION + 2] = z[0]
        made[slot.BODY_ATTITUDE : slot.BODY_ATTITUDE + 4] = quaternion(turn @ pitched @ rolled)
        made[slot.BODY_VELOCITY : slot.BODY_VELOCITY + 3], made[slot.BODY_SPIN : slot.BODY_SPIN + 3] = (
            turn @ z[3:6],
            turn @ z[6:9],
        )
        n = 9 + 2 * slot.LEG_COUNT
        toes = toes_of(made, slot.TOE_POSITION)
        planar = np.column_stack([z[9:n].reshape(slot.LEG_COUNT, 2), np.zeros(slot.LEG_COUNT)]) @ turn.T
        toes[:, :2] = planar[:, :2] + made[slot.BODY_POSITION : slot.BODY_POSITION + 2]
        toes[flying, 2] = z[n : n + len(flying)]
        toes_of(made, slot.TOE_VELOCITY)[flying] = z[n + len(flying) :].reshape(-1, 3) @ turn.T
        return made

    return OrbitCoordinates(tuple(names), reduce, expand)
