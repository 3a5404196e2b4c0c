"""How a hexapod begins."""

import math
from typing import Any

import numpy as np

import gambol.hybrid.models.compliant_hexapod.parameters as slot


def reference_angle(p: Any, t: float, second: float, share: float = 1.0) -> float:
    """The clock's angle of a leg [rad] on a side that sweeps by a share (clock.leg_reference in plain Python)."""
    forward, sweep = 1.0 if share > 0 else -1.0, p.sweep * abs(share)
    phase = (forward * (t / p.cycle + p.phase) + 0.5 * p.duty + 0.5 * second) % 1.0
    if phase < p.duty:
        return 0.5 * sweep - sweep * phase / p.duty + forward * p.offset
    return -0.5 * sweep - (2 * math.pi - sweep) * (phase - p.duty) / (1 - p.duty) + forward * p.offset


def start(
    p: Any,
    *,
    velocity: tuple[float, float] = (0.0, 0.0),
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    time: float = 0.0,
):
    """All legs in flight, at the angles of the clock at a time [s] (0: one tripod in the middle of its sweep), body
    parallel to the slope and `height` above it; toes move with the body. `velocity`: to the right, forward [m/s]."""
    x = np.zeros(slot.STATE_SIZE)
    normal = np.array([-p.slope_x, -p.slope_y, 1.0])
    normal /= np.linalg.norm(normal)
    R = parallel_frame(normal)
    x[slot.BODY_POSITION : slot.BODY_POSITION + 3] = normal * p.height + [0.0, 0.0, p.ground]
    x[slot.BODY_ATTITUDE : slot.BODY_ATTITUDE + 4] = quaternion(R)
    v = R @ np.array([velocity[0], velocity[1], 0.0])
    w = np.array(spin, float)
    x[slot.BODY_VELOCITY : slot.BODY_VELOCITY + 3], x[slot.BODY_SPIN : slot.BODY_SPIN + 3] = v, w
    for i in range(slot.LEG_COUNT):
        side, along, middle = (-1 if i < 3 else 1), 1 - i % 3, i % 3 == 1
        hip = np.array([side * (p.middle_hip_side if middle else p.hip_side), along * p.hip_length, 0.0])
        second, share = 0.0 if middle == (i >= 3) else 1.0, p.left_share if i < 3 else p.right_share
        phi, theta = reference_angle(p, time, second, share), side * p.lateral_rest
        leg = np.array([math.sin(theta), math.cos(theta) * math.sin(phi), -math.cos(theta) * math.cos(phi)])
        arm = R @ (hip + p.rest_length * leg)
        x[slot.TOE_POSITION + 3 * i : slot.TOE_POSITION + 3 * i + 3] = (
            x[slot.BODY_POSITION : slot.BODY_POSITION + 3] + arm
        )
        x[slot.TOE_VELOCITY + 3 * i : slot.TOE_VELOCITY + 3 * i + 3] = v + np.cross(w, arm)
    x[slot.LINK_VOLTAGE] = p.supply
    return slot.FLIGHT_CHART, x


def parallel_frame(normal: np.ndarray) -> np.ndarray:
    """Body frame with z along the normal of the ground and y forward along it."""
    forward = np.array([0.0, 1.0, 0.0]) - normal[1] * normal
    forward /= np.linalg.norm(forward)
    return np.column_stack([np.cross(forward, normal), forward, normal])


def quaternion(R: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of a rotation by less than half a turn."""
    w = 0.5 * math.sqrt(max(0.0, 1 + R[0, 0] + R[1, 1] + R[2, 2]))
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])
