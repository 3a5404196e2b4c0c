"""Where legs stand under a trunk that is tilted: feet go downhill, so that the weight stays between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.control.legs.gait_controller import GaitController
from gambol.control.legs.stance import MOST_MOVED, ways_of_feet
from gambol.figure.placement import Placement
from gambol.world.simulation import Simulation

TILT_TIME = 0.15  # [s] over which a tilt is felt: a trunk rocks with every step
STEEP = 0.26  # sine of the tilt from which a trunk is lowered in full


class Footing:
    """Moves the rest angles of legs by what their joints do to their feet, as the figure stands at the start.

    The z axis of the trunk is up where the figure stands on level ground. There it does harm: a trunk that pitches
    as it walks is answered as a slope is, and the roach then stops 2 cm late.

    lean   by how much feet go downhill, in parts of what puts them below the centre of mass as on level ground
    low    by how much a steep slope lowers the trunk, in parts of its height above the feet
    Both 0: legs are left alone.
    """

    def __init__(self, walk: GaitController, *, lean: float, low: float, world: int = 0):
        self.walk, self.lean, self.low, self.world = walk, lean, low, world

    def start(self, run: Simulation, root: str) -> None:
        """What each joint of a leg does to its foot, in the axes of the trunk; how high the trunk stands."""
        self.root, self.ways = run.coordinates(root), []
        self.down, self.felt = np.zeros(2), run.latest_time
        if not (self.lean or self.low):
            return
        q = np.atleast_2d(run.q)[self.world]
        mechanics, axes = run.mechanics, self._axes(run)
        centre, legs = mechanics.centre_of_mass(q), self.walk.gait.legs
        ways = ways_of_feet(mechanics, q, axes, legs)
        self.ways = [(leg.joints, ways[leg.name]) for leg in legs]
        feet = [mechanics.point(q, leg.foot or leg.joints[-1]) for leg in legs]
        self.height = float(np.mean([axes[:, 2] @ (centre - foot) for foot in feet]))

    def _axes(self, run: Simulation) -> np.ndarray:
        """Of the trunk, as columns in the world."""
        x, y, z, *turned = np.atleast_2d(run.q)[self.world, self.root]
        return np.asarray(Placement((x, y, z), tuple(turned)).matrix)

    def tick(self, run: Simulation) -> None:
        """Feels how the trunk is tilted and moves the feet: strokes that begin from now on end elsewhere."""
        if not self.ways:
            return
        share = min((run.latest_time - self.felt) / TILT_TIME, 1.0)
        self.felt = run.latest_time
        self.down = self.down + share * (-self._axes(run)[2, :2] - self.down)
        steep = min(float(np.hypot(*self.down)) / STEEP, 1.0)
        by = self.height * np.append(self.lean * self.down, self.low * steep)
        for joints, way in self.ways:
            turned = np.clip(way @ by, -MOST_MOVED, MOST_MOVED)
            self.walk.move(self.world, dict(zip(joints, map(float, turned))))

    def save(self) -> Any:
        """What it feels."""
        return [self.down.copy(), self.felt]

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        down, felt = state
        self.down, self.felt = down.copy(), float(felt)
