"""Arrays of quaternions (w, x, y, z), over leading axes."""

from typing import Any

import numpy as np

from gambol.figure.placement import multiply

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])  # times a unit quaternion: the reverse rotation


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The products: the rotations b, then a."""
    parts: Any = multiply(np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0))
    return np.stack(parts, axis=-1)


def turned(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions."""
    q, vector = np.asarray(q), np.asarray(vector)
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, vector)
    return vector + w * t + np.cross(u, t)
