"""Arrays of quaternions (w, x, y, z), over leading axes."""

import numpy as np

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])  # times a unit quaternion: the reverse rotation


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The products: the rotations b, then a."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def turned(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions."""
    q, vector = np.asarray(q), np.asarray(vector)
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, vector)
    return vector + w * t + np.cross(u, t)
