"""The skeleton of a figure for formats whose joints have no axes of their own (BVH).

Every joint gets a frame that stands parallel to the world's axes when the figure is at its zero positions. So the
rest pose of the file is the zero pose of the figure.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gambol.export.quaternions import CONJUGATE, product, turned
from gambol.figure import Body, Figure
from gambol.plot.surfaces import surface


@dataclass(frozen=True)
class Skeleton:
    """Joints of a figure in `figure.order`, world axes of the zero pose [m]."""

    figure: Figure

    @cached_property
    def rest(self) -> tuple[np.ndarray, np.ndarray]:
        """Origins and quaternions of the bodies at zero positions."""
        return self.figure.kinematics(self.figure.zero)

    @cached_property
    def parents(self) -> list[int]:
        """Row of each body's parent, −1 for the root."""
        row = {body.name: k for k, body in enumerate(self.figure.order)}
        return [-1 if body.parent is None else row[body.parent] for body in self.figure.order]

    @cached_property
    def offsets(self) -> np.ndarray:
        """From the parent's joint to each joint, at rest; the root's from the world's origin."""
        places, _ = self.rest
        return np.array([places[k] - (places[p] if p >= 0 else 0.0) for k, p in enumerate(self.parents)])

    def tip(self, body: Body) -> np.ndarray:
        """From the joint of a body to its far end, at rest: where a leaf of the skeleton ends."""
        corners = [
            np.asarray([part.placement.apply(c) for c in surface(part.shape).reshape(-1, 3).tolist()])
            for part in body.parts
            if part.visible
        ]
        points = np.concatenate(corners) if corners else np.array([body.mass_properties.centre])
        far = points[np.argmax(np.linalg.norm(points, axis=1))]
        _, turns = self.rest
        return turned(turns[list(self.figure.order).index(body)], far)

    def motion(self, places: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of poses (frames, bodies, …) in the world: positions and turns of the joints relative to their parents.

        Both in the skeleton's frames; a position is that of the joint in its parent's frame.
        """
        _, rest = self.rest
        aligned = product(turns, np.broadcast_to(rest * CONJUGATE, turns.shape))
        shift, turn = places.copy(), aligned.copy()
        for k, p in enumerate(self.parents):
            if p >= 0:
                back = aligned[:, p] * CONJUGATE
                shift[:, k] = turned(back, places[:, k] - places[:, p])
                turn[:, k] = product(back, aligned[:, k])
        return shift, turn
