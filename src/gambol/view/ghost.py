"""The ghost: another motion of the same time, seen through, beside what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.draw.motion import Motion
from gambol.draw.render import Scene
from gambol.figure.placement import quaternions
from gambol.view.page import about_solids, surfaces


class Ghost:
    """A motion as the page draws it besides the other; before its first moment and after its last it stands still."""

    def __init__(self, motion: Motion):
        self.motion = motion
        self.scene = Scene(motion.figures, ground=None)

    def about(self) -> dict[str, Any]:
        """What the page must know of it."""
        bodies = sum(len(figure.bodies) for figure in self.motion.figures)
        return {"bodies": bodies, "batches": about_solids(self.scene), "title": self.motion.title}

    def surfaces(self) -> dict[str, np.ndarray]:
        """Its solids."""
        return {f"ghost_{name}": array for name, array in surfaces(self.scene).items()}

    def at(self, time: float) -> dict[str, np.ndarray]:
        """Where its bodies are at a time [s]."""
        poses = self.motion.poses(time)
        return {
            "ghost_places": poses.origins.astype("<f4"),
            "ghost_turns": quaternions(poses.frames).astype("<f4"),
        }
