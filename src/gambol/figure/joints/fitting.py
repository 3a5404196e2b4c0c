"""Coordinates of a joint from its poses, for types that have no formula: least squares by Gauss and Newton."""

from itertools import product
from typing import Any

import numpy as np

from gambol.figure.joints import JointType

STARTS = (0.0, 2.0, -2.0)  # [rad or m] of every coordinate, for the first sample
ROUNDS, STEP, ENOUGH = 50, 1e-6, 1e-12


def fitted(kind: JointType, joint: Any, shift: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Positions (n, positions) whose poses come nearest to (n, 3) [m] and (n, 4); each begins from the one before."""
    zero = np.array(kind.zero)
    starts = [kind.displaced(joint, zero, np.array(d)) for d in product(STARTS, repeat=len(kind.speeds))]
    found: list[np.ndarray] = []
    for k in range(len(shift)):
        tries = [_nearest(kind, joint, shift[k], turn[k], q) for q in (found[-1:] or starts)]
        found.append(min(tries, key=lambda item: item[1])[0])
    return np.array(found).reshape(len(shift), len(zero))


def _nearest(kind: JointType, joint: Any, shift: np.ndarray, turn: np.ndarray, q: np.ndarray):
    from gambol.figure.kinematics import joint_poses

    def missing(q: np.ndarray) -> np.ndarray:
        place, own = joint_poses(kind.pose_steps(joint), q)
        w, x, y, z = np.moveaxis(own, -1, 0)
        back = np.array([[-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]])  # rows of conj(turn) · own
        sense = np.sign(own @ turn)[..., None]
        return np.concatenate([place - shift, 2.0 * sense * np.einsum("ij...,j->...i", back, turn)], axis=-1)

    tangent = np.eye(len(kind.speeds)) * STEP
    for _ in range(ROUNDS):
        around = missing(np.array([q, *(kind.displaced(joint, q, d) for d in tangent)]))
        step = np.linalg.lstsq(((around[1:] - around[0]) / STEP).T, -around[0], rcond=None)[0]
        q = kind.displaced(joint, q, step * min(1.0, 1.0 / max(np.abs(step).max(), 1e-300)))
        if np.abs(step).max() < ENOUGH:
            break
    return q, float(np.linalg.norm(missing(q)))
