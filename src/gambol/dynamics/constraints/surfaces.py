"""Surfaces of second degree, f(x) = ½ xᵀ Q x + g · x + c = 0, scaled so that |∇f| is about 1 on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Quadric:
    """The surface ½ xᵀ Q x + g · x + c = 0 [m]. `Q` as (xx, yy, zz, xy, xz, yz)."""

    Q: tuple[float, ...]
    g: tuple[float, ...]
    c: float

    @classmethod
    def of(cls, Q, g, c) -> Quadric:
        """From a symmetric 3×3 matrix, a vector and a number."""
        Q = np.asarray(Q, float)
        entries = (Q[0, 0], Q[1, 1], Q[2, 2], Q[0, 1], Q[0, 2], Q[1, 2])
        return cls(tuple(map(float, entries)), tuple(float(x) for x in g), float(c))

    @property
    def matrix(self) -> np.ndarray:
        """Q as a symmetric 3×3 matrix."""
        xx, yy, zz, xy, xz, yz = self.Q
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def turned(self, turn: np.ndarray) -> Quadric:
        """In the axes of a frame that stands turned by `turn`."""
        return Quadric.of(turn.T @ self.matrix @ turn, turn.T @ np.asarray(self.g), self.c)

    def moved(self, centre: Sequence[float]) -> Quadric:
        """The same surface about `centre` instead of the origin."""
        x = np.asarray(centre, float)
        Q, g = self.matrix, np.asarray(self.g)
        return Quadric.of(Q, g - Q @ x, self.c + 0.5 * x @ Q @ x - g @ x)

    @property
    def cells(self) -> list[float]:
        """The ten numbers as the kernels read them."""
        return [*self.Q, *self.g, self.c]

    def value(self, x: Sequence[float]) -> float:
        """f at a point [m]: about its distance from the surface, near it."""
        at = np.asarray(x, float)
        return float(0.5 * at @ self.matrix @ at + np.asarray(self.g) @ at + self.c)

    @classmethod
    def plane(cls, place: Sequence[float], normal: Sequence[float]) -> Quadric:
        """The plane through `place` across `normal`."""
        n = np.asarray(normal, float) / np.linalg.norm(normal)
        return cls.of(np.zeros((3, 3)), n, -float(n @ np.asarray(place, float)))

    @classmethod
    def sphere(cls, centre: Sequence[float], radius: float) -> Quadric:
        """A sphere about `centre` [m]."""
        return cls.ellipsoid(centre, (radius, radius, radius))

    @classmethod
    def ellipsoid(cls, centre: Sequence[float], radii: Sequence[float]) -> Quadric:
        """An ellipsoid along the axes of its frame."""
        r = np.asarray(radii, float)
        size = float(r.min())
        return cls.of(np.diag(size / r**2), np.zeros(3), -0.5 * size).moved(centre)

    @classmethod
    def cylinder(cls, place: Sequence[float], axis: Sequence[float], radius: float) -> Quadric:
        """A round cylinder without ends."""
        n = np.asarray(axis, float) / np.linalg.norm(axis)
        return cls.of((np.eye(3) - np.outer(n, n)) / radius, np.zeros(3), -0.5 * radius).moved(place)

    @classmethod
    def cone(cls, tip: Sequence[float], axis: Sequence[float], half_angle: float) -> Quadric:
        """A double cone; its tip is a singular place."""
        n = np.asarray(axis, float) / np.linalg.norm(axis)
        return cls.of(np.eye(3) - np.outer(n, n) / np.cos(half_angle) ** 2, np.zeros(3), 0.0).moved(tip)
