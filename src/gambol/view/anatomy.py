"""What can be shown besides the bodies: centres of mass, joint axes, support, pulls."""

from collections.abc import Sequence

import numpy as np

from gambol.draw.motion import Poses, bodies_of
from gambol.figure import Figure, Joint

TOUCH = 0.01  # of the figure's height: what is nearer to the ground stands on it


class Anatomy:
    """Masses and axes of figures as arrays."""

    def __init__(self, figures: Sequence[Figure]):
        bodies = bodies_of(figures)
        self.names = [f"{figure.name}/{body.name}" for figure, body in bodies]
        self.masses = np.array([body.mass_properties.mass for _, body in bodies])
        self.middles = np.array([body.mass_properties.centre for _, body in bodies]).reshape(-1, 3)
        self.owners = np.array([figures.index(figure) for figure, _ in bodies])
        self.figures = len(figures)
        rows, axes = [], []
        for index, (_, body) in enumerate(bodies):
            for axis in joint_axes(body.joint):
                rows.append(index)
                axes.append(axis)
        self._rows, self._axes = np.array(rows, int), np.array(axes).reshape(-1, 3)

    def centres(self, poses: Poses) -> np.ndarray:
        """Centre of mass of every figure [m], world axes."""
        places = poses.origins + np.einsum("nij,nj->ni", poses.frames, self.middles)
        total = np.bincount(self.owners, self.masses, self.figures)
        sums = [np.bincount(self.owners, self.masses * places[:, k], self.figures) for k in range(3)]
        return np.array(sums).T / np.maximum(total, 1e-300)[:, None]

    def axes(self, poses: Poses, length: float) -> np.ndarray:
        """A line of this length [m] through every joint axis: (axes, 2, 3), world axes."""
        along = 0.5 * length * np.einsum("nij,nj->ni", poses.frames[self._rows], self._axes)
        at = poses.origins[self._rows]
        return np.stack([at - along, at + along], axis=1)


def joint_axes(joint: Joint) -> list[np.ndarray]:
    """The axes that a joint turns about; where it does not turn, those it slides along. In the body's frame."""
    steps = joint.kind.pose_steps(joint)
    turns = [step.axis for step in steps if step.kind == "turn"]
    return turns or [step.axis for step in steps if step.kind == "slide"]


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
