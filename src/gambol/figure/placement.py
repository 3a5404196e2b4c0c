"""Where one frame stands in another: a position and a unit quaternion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Problem = tuple[tuple[str | int, ...], str]
"""A path below the object it was found in, and what is wrong there."""

UNIT_TOLERANCE = 1e-6


def floats(values: Any) -> Any:
    """`values` as a tuple of floats (−0 becomes 0); returned unchanged when it is not numeric, for `faults`."""
    try:
        return tuple(float(value) + 0.0 for value in values)
    except (TypeError, ValueError):
        return values


def number(value: Any) -> Any:
    """`value` as a float; returned unchanged when it is not numeric, for `faults`."""
    if isinstance(value, bool) or isinstance(value, str):
        return value
    try:
        return float(value) + 0.0
    except (TypeError, ValueError):
        return value


def number_problem(value: Any) -> str:
    """What keeps `value` from being a finite number; empty when nothing does."""
    if isinstance(value, bool) or not isinstance(value, float | int):
        return f"must be a number, not {value!r}"
    return "" if math.isfinite(value) else f"must be finite, not {value}"


def vector_problem(values: Any, count: int = 3) -> str:
    """What keeps `values` from being `count` finite numbers; empty when nothing does."""
    if not isinstance(values, tuple) or not all(isinstance(value, float) for value in values):
        return f"must be {count} numbers, not {values!r}"
    if len(values) != count:
        return f"must have {count} components, not {len(values)}"
    return "" if all(map(math.isfinite, values)) else f"must be finite, not {values}"


def quaternions(frames: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) as unit quaternions (w, x, y, z), of either sign."""
    m = frames
    x, y, z = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    wx, wy, wz = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    xy, xz, yz = m[:, 1, 0] + m[:, 0, 1], m[:, 0, 2] + m[:, 2, 0], m[:, 2, 1] + m[:, 1, 2]
    table = np.array(  # 4 q qᵀ: its row with the largest diagonal is the best conditioned
        [
            [1 + x + y + z, wx, wy, wz],
            [wx, 1 + x - y - z, xy, xz],
            [wy, xy, 1 - x + y - z, yz],
            [wz, xz, yz, 1 - x - y + z],
        ]
    )
    best = np.argmax(table[range(4), range(4)], axis=0)
    rows = table[best, :, np.arange(len(m))]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@dataclass(frozen=True)
class Placement:
    """The pose of a frame B in a frame A.

    `position` is the origin of B in A [m]; `rotation` the unit quaternion (w, x, y, z) that takes vectors of B
    to A.
    """

    position: Vector = (0.0, 0.0, 0.0)
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", floats(self.position))
        object.__setattr__(self, "rotation", floats(self.rotation))

    @classmethod
    def at(cls, x: float, y: float, z: float) -> Placement:
        """A pure displacement [m]."""
        return cls((x, y, z))

    @classmethod
    def about(
        cls, axis: Sequence[float] | np.ndarray, angle: float, position: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> Placement:
        """A rotation by `angle` [rad] about `axis` (normalised here), then a displacement to `position` [m]."""
        x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
        s = math.sin(0.5 * angle)
        return cls((position[0], position[1], position[2]), (math.cos(0.5 * angle), s * x, s * y, s * z))

    @classmethod
    def euler(cls, roll: float, pitch: float, yaw: float, position: Sequence[float] = (0.0, 0.0, 0.0)) -> Placement:
        """Rotations about the fixed axes x, then y, then z [rad]: the `rpy` of URDF."""
        turn = cls.about((0, 0, 1), yaw).compose(cls.about((0, 1, 0), pitch)).compose(cls.about((1, 0, 0), roll))
        return cls((position[0], position[1], position[2]), turn.rotation)

    @classmethod
    def from_matrix(cls, matrix: Any, position: Sequence[float] = (0.0, 0.0, 0.0)) -> Placement:
        """From a rotation matrix whose columns are the axes of B in A."""
        (row,) = quaternions(np.asarray(matrix, dtype=float)[None])
        w, x, y, z = row * (1.0 if row[0] >= 0 else -1.0)
        return cls((position[0], position[1], position[2]), (w, x, y, z))

    @cached_property
    def matrix(self) -> np.ndarray:
        """The 3×3 rotation matrix whose columns are the axes of B in A."""
        w, x, y, z = self.rotation
        s = 2.0 / (w * w + x * x + y * y + z * z)
        matrix = np.array(
            [
                [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
                [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
                [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
            ]
        )
        matrix.setflags(write=False)
        return matrix

    def turn(self, vector: Sequence[float]) -> Vector:
        """A free vector of B, expressed in A."""
        x, y, z = self.matrix @ np.asarray(vector, dtype=float)
        return (float(x), float(y), float(z))

    def apply(self, point: Sequence[float]) -> Vector:
        """A point of B [m], expressed in A."""
        x, y, z = self.turn(point)
        px, py, pz = self.position
        return (x + px, y + py, z + pz)

    def compose(self, other: Placement) -> Placement:
        """The pose of C in A, when self is B in A and `other` is C in B."""
        rotation = multiply(self.rotation, other.rotation)
        squared = sum(part * part for part in rotation)
        if abs(squared - 1.0) > 1e-12:
            w, x, y, z = (part / math.sqrt(squared) for part in rotation)
            rotation = (w, x, y, z)
        return Placement(self.apply(other.position), rotation)

    def inverse(self) -> Placement:
        """The pose of A in B."""
        back = Placement(rotation=conjugate(self.rotation))
        x, y, z = back.turn(self.position)
        return Placement((-x, -y, -z), back.rotation)

    def mirrored(self) -> Placement:
        """The mirror image in the plane y = 0 (both frames reflected)."""
        (x, y, z), (w, i, j, k) = self.position, self.rotation
        return Placement((x, -y, z), (w, -i, j, -k))

    def scaled(self, length: float) -> Placement:
        """The same frame with its position times `length`."""
        x, y, z = self.position
        return Placement((length * x, length * y, length * z), self.rotation)

    def faults(self) -> Iterator[Problem]:
        """Everything wrong with this placement."""
        if problem := vector_problem(self.position):
            yield ("position",), f"position {problem}"
        if problem := vector_problem(self.rotation, 4):
            yield ("rotation",), f"rotation {problem}"
            return
        norm = math.sqrt(sum(part * part for part in self.rotation))
        if abs(norm - 1.0) > UNIT_TOLERANCE:
            hint = f"; normalised it is {normalised(self.rotation)}" if norm > 0 else ""
            yield ("rotation",), f"rotation must be a unit quaternion (w, x, y, z), its norm is {norm:.6g}{hint}"


IDENTITY = Placement()


def multiply(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray) -> Quaternion:
    """The quaternion product: the rotation b, then a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(q: Sequence[float]) -> Quaternion:
    """The reverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def exponential(turn: Sequence[float] | np.ndarray) -> Quaternion:
    """The unit quaternion of a rotation vector [rad]."""
    x, y, z = (0.5 * float(part) for part in turn)
    angle = math.hypot(x, y, z)
    scale = math.sin(angle) / angle if angle > 0.0 else 1.0
    return (math.cos(angle), scale * x, scale * y, scale * z)


def normalised(values: Sequence[float]) -> str:
    """`values` at unit norm, for a message."""
    largest = max(map(abs, values))  # squares of what is tiny are zero
    values = [value / largest for value in values]
    norm = math.hypot(*values)
    return "(" + ", ".join(f"{value / norm:.9g}" for value in values) + ")"
