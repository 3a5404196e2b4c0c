"""What a walking figure sees of the ground ahead, where the ground has edges: heights along its way, under either foot.

Stairs and ditches have edges, and so has whatever is steeper somewhere than 45°. On other ground nothing is looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.control.biped.goals_law import GOAL_HEADING
from gambol.control.biped.standing_law import STANCE_SIDE
from gambol.control.biped.treads_law import SAME_TREAD, SPACING, STAIRS_ABOUT
from gambol.forces.contact.terrain import Terrain

SEEN_BEHIND, SEEN_AHEAD = 0.8, 2.2  # [m] of the foot that carries
NEAR_BEHIND, NEAR_AHEAD = 0.5, 0.8  # [m] of that foot: an edge there is stepped over
WALL = 0.3  # [m] more than this behind is no tread that it came from
EDGE = 0.02  # [m] more than this, and it is another tread
STEEP = 1.0  # rise by run, from which ground has edges
SAMPLES = round((SEEN_BEHIND + SEEN_AHEAD) / SPACING) + 1


def has_edges(terrain: Terrain) -> bool:
    """Is it steeper somewhere than anything that is walked on as it is?"""
    return terrain.shape_steepness() > STEEP


class Ground(NamedTuple):
    """What was seen, in lengths of the reference person: a profile of the ground for each foot of each world.

    heights   (worlds, 2, samples) [m], from behind to ahead
    since     (worlds,): how far along its heading the first sample is, from the world's origin [m]; nan where no edge
              is near, and steps are those of level ground
    descends  (worlds,): 1 where stairs go down
    edge      (worlds,): how far ahead of the foot that carries the next edge is [m]; inf where none is seen
    """

    heights: np.ndarray
    since: np.ndarray
    descends: np.ndarray
    edge: np.ndarray


class Sight:
    """Looks at the ground along the way of every world's person."""

    def __init__(self, terrain: Terrain, worlds: int, size: float):
        self.terrain, self.size = terrain, size
        self.sees = has_edges(terrain)
        self._ways = SPACING * np.arange(SAMPLES) - SEEN_BEHIND
        count = SAMPLES if self.sees else 0
        self.blind = Ground(
            np.zeros((worlds, 2, count)), np.full(worlds, np.nan), np.zeros(worlds), np.full(worlds, np.inf)
        )

    def look(self, seen: np.ndarray, goals: np.ndarray, state: np.ndarray) -> Ground:
        """Profiles under the feet as they are now (see Eyes), along the headings of the goals."""
        if not self.sees:
            return self.blind
        worlds = np.arange(len(seen))
        c, s = np.cos(goals[:, GOAL_HEADING]), np.sin(goals[:, GOAL_HEADING])
        x, y = seen[:, 2:4, 0], seen[:, 2:4, 1]
        along, aside = c[:, None] * x + s[:, None] * y, c[:, None] * y - s[:, None] * x
        carries = state[:, STANCE_SIDE].astype(int)
        begin = along[worlds, carries]
        ways = begin[:, None, None] + self.size * self._ways
        across = aside[:, :, None]
        c, s = c[:, None, None], s[:, None, None]
        points = np.stack(np.broadcast_arrays(c * ways - s * across, s * ways + c * across), axis=-1)
        heights = self.terrain.heights_at(points.reshape(-1, 2)).reshape(len(seen), 2, SAMPLES) / self.size
        own = heights[worlds, carries]
        foot = round(SEEN_BEHIND / SPACING)
        higher = heights - own[:, None, foot, None]
        higher[:, :, :foot][higher[:, :, :foot] > WALL] = 0.0
        other = np.abs(higher).max(1) > EDGE
        about = round(STAIRS_ABOUT / SPACING)
        falls = own[:, foot + about] < own[:, foot] - SAME_TREAD
        falls |= (higher[worlds, carries, :foot] > SAME_TREAD).any(1) & (own[:, foot + about] <= own[:, foot])
        near = other[:, foot - round(NEAR_BEHIND / SPACING) : foot + round(NEAR_AHEAD / SPACING)].any(1)
        ahead = np.abs(own[:, foot:] - own[:, foot, None]) > EDGE
        edge = np.where(ahead.any(1), SPACING * ahead.argmax(1), np.inf)
        return Ground(
            heights, np.where(near, begin / self.size - SEEN_BEHIND, np.nan), (near & falls).astype(float), edge
        )
