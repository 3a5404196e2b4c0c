"""What can be shown besides the bodies, as numbers for the page: lines as (n, 2, 3) and places as (n, 3) [m, world]."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.draw.motion import Poses
from gambol.draw.render import Scene
from gambol.draw.terrain import level_of
from gambol.view.anatomy import Anatomy, closed, support_polygon
from gambol.view.history import Moment

if TYPE_CHECKING:
    from gambol.view.live import LiveRun
    from gambol.view.recorded import RecordedSource

OVERLAY_NAMES = (
    "contact forces",
    "friction cones",
    "centre of mass",
    "capture point",
    "support polygon",
    "joint axes",
    "joint torques",
    "inertia",
    "muscles",
    "springs and nails",
    "trails",
    "transparent bodies",
)
DIFFERENCE = 1 / 64  # [s] over which the speed of the centre of mass is taken
LIFT = 0.004  # [of the size] by which lines lie above the ground so that they are seen
GRAVITY = 9.81


class Overlays:
    """Works out what somebody looks at, at one moment.

    size     of the figures [m]
    newtons  for which an arrow as long as the figures stands [N]
    """

    def __init__(
        self, source: LiveRun | RecordedSource, scene: Scene, anatomy: Anatomy, *, newtons: float, size: float = 1.0
    ):
        self.source, self.scene, self.anatomy = source, scene, anatomy
        self.size, self.newtons = size, newtons
        self._makers: dict[str, Callable[[Moment, Poses], dict[str, np.ndarray]]] = {
            "contact forces": self._forces,
            "friction cones": self._forces,
            "centre of mass": self._centres,
            "capture point": self._capture,
            "support polygon": self._support,
            "joint axes": self._axes,
            "joint torques": self._torques,
            "muscles": self._muscles,
            "springs and nails": self._springs,
        }
        self.names = tuple(name for name in OVERLAY_NAMES if self._there(name))

    def _there(self, name: str) -> bool:
        """Is there something to show by this name?"""
        lines = self.source.lines
        if name == "muscles":
            return lines is not None and len(lines.owners) > 0
        if name == "springs and nails":
            return lines is not None and lines.has_springs
        if name in ("contact forces", "friction cones"):
            return lines is not None or bool(getattr(self.source, "forces", None))
        return lines is not None or name != "joint torques"

    def __call__(self, wanted: frozenset[str], moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        """Arrays by name."""
        found: dict[str, np.ndarray] = {}
        for name, maker in self._makers.items():
            if name in wanted and name in self.names:
                found |= maker(moment, poses)
        return found

    def arrow(self, place: np.ndarray, force: np.ndarray) -> np.ndarray:
        """From a place [m] along a force [N], (1, 2, 3); none for no force."""
        return np.array([[place, place + force * self.size / self.newtons]]) if np.any(force) else np.zeros((0, 2, 3))

    def _forces(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        scaled = moment.forces[:, 1] * self.size / self.newtons
        return {"forces": np.stack([moment.forces[:, 0], moment.forces[:, 0] + scaled], axis=1)}

    def below(self, places: np.ndarray) -> np.ndarray:
        """The places on the ground below."""
        heights = [level_of(self.scene.ground, place) + LIFT * self.size for place in places]
        return np.column_stack([places[:, :2], heights]) if len(places) else np.zeros((0, 3))

    def _centres(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        centres = self.anatomy.centres(poses)
        return {"centres": centres, "plumb": np.stack([centres, self.below(centres)], axis=1)}

    def _capture(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        """Where one would have to step to come to rest: below the centre of mass, ahead by speed √(height / g)."""
        now = self.anatomy.centres(poses)
        before = self.source.at(moment.time - DIFFERENCE)
        elapsed = moment.time - before.time
        if elapsed <= 0:
            return {"captures": self.below(now)}
        speed = (now - self.anatomy.centres(self.source.place(before.q))) / elapsed
        height = np.maximum(now[:, 2] - self.below(now)[:, 2], 0.0)
        ahead = now + speed * np.sqrt(height / GRAVITY)[:, None]
        return {"captures": self.below(ahead)}

    def _support(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        if not isinstance(self.scene.ground, float):
            return {}
        outline = support_polygon(self.scene.corners(poses)[0], self.scene.ground, self.size)
        return {"support": closed(outline + np.array([0.0, 0.0, LIFT * self.size]))}

    def _axes(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        return {"axes": self.anatomy.axes(poses, 0.12 * self.size, moment.q)}

    def _torques(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        """Arrows along the axes of joints, by the right hand; as long as the figures at half weight × size."""
        lines = self.anatomy.axes(poses, 2.0, moment.q)  # from -1 to 1 m about each joint
        if len(moment.torques) != len(lines):
            return {"torques": np.zeros((0, 2, 3))}
        at, along = lines.mean(axis=1), 0.5 * (lines[:, 1] - lines[:, 0])
        sizes = 2.0 * moment.torques / self.newtons  # [m]
        return {"torques": np.stack([at, at + along * np.clip(sizes, -self.size, self.size)[:, None]], axis=1)}

    def _muscles(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        """Pieces of muscles, with the activation of each."""
        lines: Any = self.source.lines
        known = moment.activations if len(moment.activations) else lines.activations()
        return {"muscles": lines.contracting(poses), "activations": np.clip(known, 0.0, 1.0)[lines.owners]}

    def _springs(self, moment: Moment, poses: Poses) -> dict[str, np.ndarray]:
        lines: Any = self.source.lines
        return {"springs": lines.stretched(poses), "nails": lines.nails.at(poses)[:, 0]}
