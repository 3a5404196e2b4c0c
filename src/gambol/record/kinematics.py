"""Where the bodies of a figure are, for many samples at once: arrays of positions and quaternions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.figure import Body, Figure
from gambol.jit import entry
from gambol.math.memory import load_quat, load_vec3, store_quat, store_vec3
from gambol.math.rotation import Quat, frame_of, normalised, quat_exp, quat_product
from gambol.math.vector import Vec3

Poses = tuple[np.ndarray, np.ndarray]  # (…, 3) [m] and (…, 4)
# Of a body, whole numbers: its parent, and where in q its coordinates are (-1: there are none)
PARENT, SHIFT, SHIFT2, TURN, TURN2, PLACE, QUATERNION, WHOLE = range(8)
# and numbers: its placement, and the directions of its shifts and turns
ORIGIN, BASE, ALONG, ALONG2, ABOUT, ABOUT2, NUMBERS = 0, 3, 7, 10, 13, 16, 19
# Which coordinates of a joint are what (gambol.figure.joint)
COORDINATES: dict[str, dict[int, int]] = {
    "hinge": {TURN: 0},
    "slide": {SHIFT: 0},
    "screw": {SHIFT: 0, TURN: 0},
    "cylindrical": {SHIFT: 0, TURN: 1},
    "universal": {TURN: 0, TURN2: 1},
    "planar": {SHIFT: 0, SHIFT2: 1, TURN: 2},
    "ball": {QUATERNION: 0},
    "free": {PLACE: 0, QUATERNION: 3},
    "fixed": {},
}


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


class BodyPoses:
    """Poses of the bodies of figures whose positions follow one another in q; made once, called for many q.

    poses(q) -> position [m] and quaternion of every body's frame in the world; bodies (in the order of a Layout) are
    the last axis but one.
    """

    def __init__(self, figures: Sequence[Figure]):
        rows: list[tuple[list[int], list[float]]] = []
        first = 0
        for figure in figures:
            index = {body.name: len(rows) + k for k, body in enumerate(figure.order)}
            for body in figure.order:
                parent = -1 if body.parent is None else index[body.parent]
                rows.append(_row(body, parent, first + figure.position_slices[body.name].start))
            first += figure.positions
        self.whole = np.array([whole for whole, _ in rows], np.int64).reshape(-1)
        self.numbers = np.array([numbers for _, numbers in rows], float).reshape(-1)
        self.bodies = len(rows)

    def __call__(self, q: np.ndarray) -> Poses:
        q = np.ascontiguousarray(q, float)
        lead = q.shape[:-1]
        places, turns = np.empty((*lead, self.bodies, 3)), np.empty((*lead, self.bodies, 4))
        pose_bodies(self.whole, self.numbers, q.reshape(-1, q.shape[-1]), places.reshape(-1), turns.reshape(-1))
        return places, turns


def _row(body: Body, parent: int, first: int) -> tuple[list[int], list[float]]:
    joint = body.joint
    whole = [parent] + [-1] * (WHOLE - 1)
    for what, coordinate in COORDINATES[joint.type].items():
        whole[what] = first + coordinate
    along: Sequence[float]
    along, along2 = joint.slides if joint.type == "planar" else (joint.axis, joint.axis)
    if joint.type == "screw":
        along = [joint.pitch * x for x in joint.axis]
    about2 = joint.axis2 if joint.type == "universal" else joint.axis
    numbers = (*body.placement.position, *body.placement.rotation, *along, *along2, *joint.axis, *about2)
    return whole, [float(x) for x in numbers]


def figure_poses(figure: Figure, q: np.ndarray) -> Poses:
    """Position [m] and quaternion of every body's frame in the world, bodies (in `figure.order`) the last axis but one.

    q has the positions of this figure as its last axis.
    """
    return BodyPoses((figure,))(q)


def world_poses(figures: Sequence[Figure], q: np.ndarray) -> Poses:
    """The same for several figures whose positions follow one another in q; bodies in the order of a Layout."""
    return BodyPoses(figures)(q)


@entry(small=True)
def pose_bodies(whole, numbers, q, places, turns):
    """Fills origins [m] and quaternions of all bodies, world axes, for every row of q."""
    n = whole.shape[0] // WHOLE
    for s in range(q.shape[0]):
        x = q[s]
        for i in range(n):
            w, f, at = i * WHOLE, i * NUMBERS, s * n + i
            shift, turn = Vec3(0.0, 0.0, 0.0), Quat(1.0, 0.0, 0.0, 0.0)
            if whole[w + PLACE] >= 0:
                shift = load_vec3(x, whole[w + PLACE])
            if whole[w + SHIFT] >= 0:
                shift = load_vec3(numbers, f + ALONG) * x[whole[w + SHIFT]]
            if whole[w + SHIFT2] >= 0:
                shift = shift + load_vec3(numbers, f + ALONG2) * x[whole[w + SHIFT2]]
            if whole[w + QUATERNION] >= 0:
                turn = load_quat(x, whole[w + QUATERNION])
            if whole[w + TURN] >= 0:
                turn = quat_exp(load_vec3(numbers, f + ABOUT) * x[whole[w + TURN]])
            if whole[w + TURN2] >= 0:
                turn = quat_product(turn, quat_exp(load_vec3(numbers, f + ABOUT2) * x[whole[w + TURN2]]))
            base = load_quat(numbers, f + BASE)
            shift, turn = load_vec3(numbers, f + ORIGIN) + frame_of(base) @ shift, quat_product(base, turn)
            if whole[w + PARENT] >= 0:
                parent = s * n + whole[w + PARENT]
                frame = load_quat(turns, 4 * parent)
                shift = load_vec3(places, 3 * parent) + frame_of(frame) @ shift
                turn = quat_product(frame, turn)
            store_vec3(places, 3 * at, shift)
            store_quat(turns, 4 * at, normalised(turn))
