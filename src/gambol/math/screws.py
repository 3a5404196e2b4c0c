"""Spatial algebra on plain arrays: what the sources write with 6-vectors, as functions of NumPy arrays.

Spatial vectors have the angular part first: a motion is [ω; v] [rad/s, m/s] with v the velocity of the body's point at
the origin of the frame, a force is [τ; f] [N·m, N] with τ about that origin. A pose (R, x) of a frame b in a frame a:
point_a = R point_b + x.

    motion_a = adjoint(R, x) @ motion_b
    force_a = force_adjoint(R, x) @ force_b            adjoint(R, x)⁻ᵀ, so that power = force · motion is the same
    inertia_a = moved_inertia(inertia_b, R, x)
    momentum = spatial_inertia(m, c, I) @ motion,      force = M a + force_cross(motion) @ (M @ motion)
"""

from collections.abc import Sequence

import numpy as np

Array = np.ndarray
Vector = Sequence[float] | np.ndarray


def skew(a: Vector) -> Array:
    """3 × 3: skew(a) @ b = a × b."""
    x, y, z = np.asarray(a, float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def adjoint(R: Sequence[Vector] | Array, x: Vector) -> Array:
    """6 × 6: motions of frame b in frame a, whose pose of b is (R, x)."""
    turn, made = np.asarray(R, float), np.zeros((6, 6))
    made[:3, :3] = made[3:, 3:] = turn
    made[3:, :3] = skew(x) @ turn
    return made


def force_adjoint(R: Sequence[Vector] | Array, x: Vector) -> Array:
    """6 × 6: forces of frame b in frame a: the inverse transpose of `adjoint`."""
    turn, made = np.asarray(R, float), np.zeros((6, 6))
    made[:3, :3] = made[3:, 3:] = turn
    made[:3, 3:] = skew(x) @ turn
    return made


def rigid_shift(b: Vector) -> Array:
    """φ(b) = [[1, b̃], [0, 1]] of Rodriguez: a force at a point b away as a force here; φᵀ takes motions there."""
    return force_adjoint(np.eye(3), b)


def motion_cross(motion: Vector) -> Array:
    """6 × 6: the rate of a motion that is fixed in a body that moves: motion_cross(V) @ W = V × W."""
    w, v = np.split(np.asarray(motion, float), 2)
    made = np.zeros((6, 6))
    made[:3, :3] = made[3:, 3:] = skew(w)
    made[3:, :3] = skew(v)
    return made


def force_cross(motion: Vector) -> Array:
    """6 × 6: the same of forces, −motion_crossᵀ."""
    return -motion_cross(motion).T


def spatial_inertia(mass: float, centre: Vector, tensor: Sequence[Vector] | Array) -> Array:
    """6 × 6 about the origin of a frame, of a mass [kg] with its centre [m] and its tensor about the centre [kg·m²]."""
    c = skew(centre)
    made = np.zeros((6, 6))
    made[:3, :3] = np.asarray(tensor, float) - mass * c @ c
    made[:3, 3:], made[3:, :3] = mass * c, -mass * c
    made[3:, 3:] = mass * np.eye(3)
    return made


def moved_inertia(inertia: Array, R: Sequence[Vector] | Array, x: Vector) -> Array:
    """An inertia of frame b in frame a: Ad⁻ᵀ M Ad⁻¹."""
    force = force_adjoint(R, x)
    return force @ np.asarray(inertia, float) @ force.T
