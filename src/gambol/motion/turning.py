"""Differences, rates and continuity of positions that hold quaternions."""

from __future__ import annotations

import numpy as np

from gambol.errors import Fault, MotionError
from gambol.export.quaternions import CONJUGATE, product
from gambol.figure.body import Body
from gambol.figure.figure import Figure


def continuous_positions(figure: Figure, q: np.ndarray) -> np.ndarray:
    """Positions (frames, positions) with unit quaternions whose signs do not jump."""
    q = q.copy()
    for body in figure.order:
        first = figure.position_slices[body.name].start
        for k in body.joint.kind.quaternions:
            cells = slice(first + k, first + k + 4)
            size = np.linalg.norm(q[:, cells], axis=1, keepdims=True)
            if np.any(size < 1e-6):
                raise MotionError([Fault("a quaternion is zero: its four columns must be given together", body.name)])
            turns = q[:, cells] / size
            flips = np.cumsum(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0) % 2
            turns[1:] *= np.where(flips, -1.0, 1.0)[:, None]
            q[:, cells] = turns
    return q


def rotation_vector(turn: np.ndarray) -> np.ndarray:
    """[rad] of unit quaternions (…, 4), at most half a turn."""
    turn = np.where(turn[..., :1] < 0.0, -turn, turn)
    size = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, turn[..., :1])
    return np.where(size > 1e-12, turn[..., 1:] * angle / np.maximum(size, 1e-300), 2.0 * turn[..., 1:])


def way_to(body: Body, q: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The tangent vector, one entry a speed, that leads from positions q of a joint to those wanted."""
    match body.joint.type:
        case "ball":
            return rotation_vector(product(q * CONJUGATE, wanted))
        case "free":
            turn = rotation_vector(product(wanted[..., 3:], q[..., 3:] * CONJUGATE))
            return np.concatenate([turn, wanted[..., :3] - q[..., :3]], axis=-1)
    refuse_other_turns(body)
    return wanted - q


def rates_of(body: Body, q: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speeds and accelerations of a joint from the first and second derivatives of its positions (frames, …)."""
    match body.joint.type:
        case "ball":
            return _spin(q, first, second, body_axes=True)
        case "free":
            spin, bend = _spin(q[:, 3:], first[:, 3:], second[:, 3:], body_axes=False)
            return np.concatenate([spin, first[:, :3]], axis=1), np.concatenate([bend, second[:, :3]], axis=1)
    refuse_other_turns(body)
    return first, second


def refuse_other_turns(body: Body) -> None:
    """Types of your own with quaternions have speeds that are not known here."""
    if body.joint.kind.quaternions:
        raise MotionError([Fault(f"speeds of a {body.joint.type} joint cannot be found from its positions", body.name)])


def _spin(q: np.ndarray, first: np.ndarray, second: np.ndarray, *, body_axes: bool) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity and acceleration; q need not have length 1."""
    times = (lambda x: product(q * CONJUGATE, x)) if body_axes else (lambda x: product(x, q * CONJUGATE))
    square = np.sum(q * q, axis=1, keepdims=True)
    spin = 2.0 * times(first)[:, 1:] / square
    bend = 2.0 * times(second)[:, 1:] / square - spin * 2.0 * np.sum(q * first, axis=1, keepdims=True) / square
    return spin, bend
