"""Where the bodies of a figure are, for many samples at once: arrays of positions and quaternions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.figure import Figure, Joint

Poses = tuple[np.ndarray, np.ndarray]  # (…, 3) [m] and (…, 4)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion products (w, x, y, z) over leading axes."""
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
    """Vectors turned by quaternions, over leading axes."""
    q, vector = np.asarray(q), np.asarray(vector)
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, vector)
    return vector + w * t + np.cross(u, t)


def about(axis: Sequence[float] | np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Quaternions of turns about one axis."""
    half = 0.5 * np.asarray(angle)[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis, float)], axis=-1)


def joint_poses(joint: Joint, q: np.ndarray) -> Poses:
    """J(q) of a joint (gambol.figure.joint) over leading axes of q."""
    axis = np.asarray(joint.axis, float)
    still = np.zeros((*q.shape[:-1], 3))
    unturned = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*q.shape[:-1], 4))
    match joint.type:
        case "hinge":
            return still, about(axis, q[..., 0])
        case "slide":
            return q[..., :1] * axis, unturned
        case "screw":
            return joint.pitch * q[..., :1] * axis, about(axis, q[..., 0])
        case "cylindrical":
            return q[..., :1] * axis, about(axis, q[..., 1])
        case "universal":
            return still, product(about(axis, q[..., 0]), about(joint.axis2, q[..., 1]))
        case "planar":
            u, v = (np.asarray(slide) for slide in joint.slides)
            return q[..., :1] * u + q[..., 1:2] * v, about(axis, q[..., 2])
        case "ball":
            return still, q
        case "free":
            return q[..., :3], q[..., 3:]
    return still, unturned


def figure_poses(figure: Figure, q: np.ndarray) -> Poses:
    """Position [m] and quaternion of every body's frame in the world, bodies (in `figure.order`) the last axis but one.

    q has the positions of this figure as its last axis.
    """
    found: dict[str | None, Poses] = {}
    for body in figure.order:
        shift, turn = joint_poses(body.joint, q[..., figure.position_slices[body.name]])
        base = np.asarray(body.placement.rotation)
        shift = np.asarray(body.placement.position) + turned(base, shift)
        turn = product(np.broadcast_to(base, turn.shape), turn)
        if body.parent is not None:
            origin, frame = found[body.parent]
            shift, turn = origin + turned(frame, shift), product(frame, turn)
        turn = turn / np.linalg.norm(turn, axis=-1, keepdims=True)
        found[body.name] = shift, turn
    return np.stack([found[b.name][0] for b in figure.order], -2), np.stack(
        [found[b.name][1] for b in figure.order], -2
    )


def world_poses(figures: Sequence[Figure], q: np.ndarray) -> Poses:
    """The same for several figures whose positions follow one another in q; bodies in the order of a Layout."""
    places, turns, first = [], [], 0
    for figure in figures:
        place, turn = figure_poses(figure, q[..., first : first + figure.positions])
        places.append(place)
        turns.append(turn)
        first += figure.positions
    return np.concatenate(places, -2), np.concatenate(turns, -2)
