"""Forward kinematics, the only one: where the bodies are at given joint positions. Compiled.

A figure becomes a table of bodies, each with its parent, its placement and the steps of its joint
(`gambol.figure.joints`). Made once, called for one q or for many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, FigureError
from gambol.figure.joints import PoseStep
from gambol.figure.placement import IDENTITY, Placement
from gambol.jit import entry
from gambol.math.memory import load_quat, load_vec3, store_mat3, store_quat, store_vec3
from gambol.math.rotation import Quat, frame_of, normalised, quat_product
from gambol.math.scalar import sincos

if TYPE_CHECKING:
    from gambol.figure.figure import Figure

Poses = tuple[np.ndarray, np.ndarray]  # origins (…, 3) [m], and quaternions (…, 4) or frames (…, 3, 3)
KINDS = {"turn": 0, "slide": 1, "shift": 2, "rotate": 3}
TURN, SLIDE, SHIFT = 0, 1, 2


class Kinematics:
    """Poses of the bodies of figures whose positions follow one another in q (its last axis).

    kinematics(q)          origins [m] and quaternions of every body's frame in the world
    kinematics.frames(q)   origins [m] and rotation matrices

    Bodies, in `figure.order` and figure by figure, are the axis after those of the samples.
    """

    def __init__(self, figures: Sequence[Figure]):
        bodies: list[tuple[int, Placement, list[PoseStep]]] = []
        self.positions = 0
        for figure in figures:
            index = {body.name: len(bodies) + k for k, body in enumerate(figure.order)}
            for body in figure.order:
                first = self.positions + figure.position_slices[body.name].start
                steps = [step._replace(first=first + step.first) for step in body.joint.kind.pose_steps(body.joint)]
                bodies.append((-1 if body.parent is None else index[body.parent], body.placement, steps))
            self.positions += figure.positions
        self._arrays = _arrays(bodies)

    @staticmethod
    def of(figures: Sequence[Figure]) -> Kinematics:
        """Of one figure what it keeps, of several together a new one."""
        return figures[0].kinematics if len(figures) == 1 else Kinematics(figures)

    def __call__(self, q: Any) -> Poses:
        return _poses(self._arrays, self._checked(q))[:2]

    def frames(self, q: Any) -> Poses:
        """Origins (n, 3) [m] and rotation matrices (n, 3, 3) of all bodies in the world at positions q."""
        origins, _, frames = _poses(self._arrays, self._checked(q), with_frames=True)
        return origins, frames

    def _checked(self, q: Any) -> np.ndarray:
        q = np.ascontiguousarray(q, float)
        if q.shape[-1:] != (self.positions,):
            message = f"{self.positions} position coordinates are needed, not an array of shape {q.shape}"
            raise FigureError([Fault(message)])
        return q


def joint_poses(steps: Sequence[PoseStep], q: Any) -> Poses:
    """Displacements [m] and quaternions of a joint alone, at its positions (…, positions)."""
    origins, quaternions, _ = _poses(_arrays([(-1, IDENTITY, steps)]), np.ascontiguousarray(q, float))
    return origins[..., 0, :], quaternions[..., 0, :]


def _arrays(bodies: Iterable[tuple[int, Placement, Sequence[PoseStep]]]) -> tuple[np.ndarray, ...]:
    """Flat: parent, first step and end of steps of each body; its placement; kind and coordinate, vector of steps."""
    tree: list[int] = []
    placements: list[float] = []
    kinds: list[int] = []
    vectors: list[float] = []
    for parent, placement, steps in bodies:
        turn = np.asarray(placement.rotation) / np.linalg.norm(placement.rotation)
        placements += [*placement.position, *turn]
        tree += [parent, len(kinds) // 2, len(kinds) // 2 + len(steps)]
        for step in steps:
            kinds += [KINDS[step.kind], step.first]
            vectors += (step.scale * step.axis).tolist()
    return np.array(tree, np.int64), np.array(placements), np.array(kinds, np.int64), np.array(vectors, float)


def _poses(arrays: tuple[np.ndarray, ...], q: np.ndarray, *, with_frames: bool = False):
    """Origins, quaternions, and frames if they are wanted, for every row of q."""
    shape = (*q.shape[:-1], len(arrays[0]) // 3)
    origins, quaternions = np.empty((*shape, 3)), np.empty((*shape, 4))
    columns = np.empty((*shape, 3, 3) if with_frames else 0)
    rows = q.reshape(math.prod(q.shape[:-1]), q.shape[-1])
    rows = rows if rows.flags.writeable else rows.copy()  # read-only arrays would be compiled for apart
    place_bodies(*arrays, rows, origins.reshape(-1), quaternions.reshape(-1), columns.reshape(-1))
    return origins, quaternions, columns.swapaxes(-1, -2) if with_frames else columns


@entry
def place_bodies(tree, placements, kinds, vectors, q, origins, quaternions, columns):
    """Fills origins, quaternions and, where there is room, frames by columns: body by body from the root."""
    n = tree.shape[0] // 3
    for s in range(q.shape[0]):
        x = q[s]
        for i in range(n):
            origin, turn = load_vec3(placements, 7 * i), load_quat(placements, 7 * i + 3)
            for m in range(tree[3 * i + 1], tree[3 * i + 2]):
                kind, k = kinds[2 * m], kinds[2 * m + 1]
                if kind == TURN:
                    axis = load_vec3(vectors, 3 * m)
                    sin, cos = sincos(0.5 * x[k])
                    turn = quat_product(turn, Quat(cos, axis.x * sin, axis.y * sin, axis.z * sin))
                elif kind == SLIDE:
                    origin = origin + frame_of(turn) @ (load_vec3(vectors, 3 * m) * x[k])
                elif kind == SHIFT:
                    origin = origin + frame_of(turn) @ load_vec3(x, k)
                else:
                    turn = quat_product(turn, load_quat(x, k))
            parent = tree[3 * i]
            if parent >= 0:
                base = load_quat(quaternions, 4 * (s * n + parent))
                origin = load_vec3(origins, 3 * (s * n + parent)) + frame_of(base) @ origin
                turn = quat_product(base, turn)
            store_vec3(origins, 3 * (s * n + i), origin)
            turn = normalised(turn)
            store_quat(quaternions, 4 * (s * n + i), turn)
            if columns.shape[0] > 0:
                store_mat3(columns, 9 * (s * n + i), frame_of(turn))
