"""What can be shown besides the bodies: centres of mass, joint axes, support, pulls."""

from collections.abc import Sequence

import numpy as np

from gambol.draw.motion import Poses, bodies_of
from gambol.figure import Figure, Joint

TOUCH = 0.01  # of the figure's height: what is nearer to the ground stands on it


class Anatomy:
    """Masses and axes of figures as arrays."""

    def __init__(self, figures: Sequence[Figure]):
        self._pairs = bodies = bodies_of(figures)
        self.bodies = [body for _, body in bodies]
        self.names = [f"{figure.name}/{body.name}" for figure, body in bodies]
        self.masses = np.array([body.mass_properties.mass for _, body in bodies])
        self.middles = np.array([body.mass_properties.centre for _, body in bodies]).reshape(-1, 3)
        self.owners = np.array([figures.index(figure) for figure, _ in bodies])
        self.figures = len(figures)
        rows, axes, carried, start = [], [], [], 0
        for index, (_, body) in enumerate(bodies):
            for axis, after in joint_axes(body.joint):
                rows.append(index)
                axes.append(axis)
                carried.append([(along, start + first) for along, first in after])
            start += body.joint.positions
        # of each axis the body it belongs to
        self.rows, self._axes = np.array(rows, int), np.array(axes).reshape(-1, 3)
        self._carried = {k: after for k, after in enumerate(carried) if after}

    def centres(self, poses: Poses) -> np.ndarray:
        """Centre of mass of every figure [m], world axes."""
        places = poses.origins + np.einsum("nij,nj->ni", poses.frames, self.middles)
        total = np.bincount(self.owners, self.masses, self.figures)
        sums = [np.bincount(self.owners, self.masses * places[:, k], self.figures) for k in range(3)]
        return np.array(sums).T / np.maximum(total, 1e-300)[:, None]

    def middle(self, poses: Poses) -> np.ndarray:
        """Centre of mass of all figures together [m], world axes."""
        weights = np.bincount(self.owners, self.masses, self.figures) + 1e-12
        return np.average(self.centres(poses), axis=0, weights=weights)

    def ellipsoids(self) -> np.ndarray:
        """Of each body a homogeneous ellipsoid of its mass and inertia: (bodies, 4, 4), unit ball to body frame."""
        made = np.zeros((len(self.masses), 4, 4))
        made[:, 3, 3] = 1.0
        for k, body in enumerate(self.bodies):
            own = body.mass_properties
            if own.mass > 1e-4 * self.masses.sum():
                moments, turn = np.linalg.eigh(own.tensor)
                radii = np.sqrt(np.maximum(2.5 / own.mass * (0.5 * moments.sum() - moments) * 2.0, 0.0))
                made[k, :3, :3], made[k, :3, 3] = turn * radii, own.centre
        return made

    def ends(self, most: int = 12) -> list[tuple[int, np.ndarray]]:
        """Bodies without children and a point at the far end of each [m, body frame]; at most so many."""
        parents = {f"{figure.name}/{body.parent}" for figure, body in self._pairs}
        found = [k for k, name in enumerate(self.names) if name not in parents]
        kept = found[:: max(1, -(-len(found) // most))]
        return [(k, 2.0 * self.middles[k]) for k in kept]

    def axes(self, poses: Poses, length: float, q: np.ndarray | None = None) -> np.ndarray:
        """A line of this length [m] through every joint axis: (axes, 2, 3), world axes.

        An axis of a compound joint goes with what comes before it in the joint: positions `q` say how far that is
        turned against the body (default: not).
        """
        own = self._axes.copy()
        if q is not None:
            for k, after in self._carried.items():
                for along, at in after:  # from the axis outward to the body
                    own[k] = turned(own[k], along, -float(q[at]))
        along = 0.5 * length * np.einsum("nij,nj->ni", poses.frames[self.rows], own)
        at = poses.origins[self.rows]
        return np.stack([at - along, at + along], axis=1)


Turns = list[tuple[np.ndarray, int]]


def joint_axes(joint: Joint) -> list[tuple[np.ndarray, Turns]]:
    """The axes that a joint turns about (of a ball all three); where it does not turn, those it slides along.

    Each with the turns that lie between it and the body: their axes, and which coordinate of the joint they are by.
    """
    steps = joint.kind.pose_steps(joint)
    kinds = {step.kind for step in steps}
    if "rotate" in kinds:
        return [(axis, []) for axis in np.eye(3)] if "shift" not in kinds else []
    turns = [(step.axis, step.first) for step in steps if step.kind == "turn"]
    found: list[tuple[np.ndarray, Turns]] = [(axis, turns[k + 1 :]) for k, (axis, _) in enumerate(turns)]
    return found or [(step.axis, []) for step in steps if step.kind == "slide"]


def turned(vector: np.ndarray, axis: np.ndarray, angle: float) -> np.ndarray:
    """A vector turned about an axis by an angle [rad]."""
    cos, sin = np.cos(angle), np.sin(angle)
    return cos * vector + sin * np.cross(axis, vector) + (1.0 - cos) * np.dot(axis, vector) * np.asarray(axis)


def support_polygon(corners: np.ndarray, level: float, height: float) -> np.ndarray:
    """Outline on the ground of what stands on it: (corners, 3) in order, or nothing when it does not stand."""
    from scipy.spatial import ConvexHull, QhullError

    touching = corners[corners[:, 2] < level + TOUCH * height, :2]
    if len(touching) < 3:
        return np.zeros((0, 3))
    try:
        outline = touching[ConvexHull(touching).vertices]
    except QhullError:  # all on one line
        return np.zeros((0, 3))
    return np.column_stack([outline, np.full(len(outline), level)])


def closed(outline: np.ndarray) -> np.ndarray:
    """The sides of an outline: (sides, 2, 3)."""
    return np.stack([outline, np.roll(outline, -1, axis=0)], axis=1)
