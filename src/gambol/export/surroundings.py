"""What a clip may stand in when it is exported: the ground, a camera that sees all of it, a sun."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.export.clip import Clip
from gambol.figure import Mesh, Part, Placement
from gambol.forces.contact.terrain import Terrain

CELLS = 64  # along each side of ground that has a shape
AROUND = 1.0  # of its size, beyond the motion on each side
FIELD = 0.7  # [rad] from the bottom to the top of the picture
SUN = (0.45, -0.3, 0.85)  # where it stands, from the middle
LOOK = (0.55, -1.0, 0.35)  # where the camera stands, from the middle
EARTH = (0.80, 0.77, 0.70)


@dataclass(frozen=True)
class Surroundings:
    """All in our axes [m]; cameras and lights look along their −z axis, with y up."""

    ground: Part
    camera: Placement
    sun: Placement


def surroundings_of(clip: Clip, terrain: Terrain | None) -> Surroundings:
    """Around a clip: ground of the terrain (z = 0 where there is none), wide enough for the way it goes."""
    places = np.concatenate([origins.reshape(-1, 3) for origins, _ in clip.poses])
    low, high = places.min(axis=0), places.max(axis=0)
    middle, size = 0.5 * (low + high), max(float(np.linalg.norm(high - low)), 1.0)
    reach = 0.5 * (high - low)[:2] + AROUND * size
    corners = middle[:2] - reach, middle[:2] + reach
    ground = Part(_net(terrain or Terrain(), *corners), inertial=False, colliding=False, colour=EARTH, name="ground")
    back = 0.75 * size / np.tan(0.5 * FIELD)
    eye = middle + back * np.array(LOOK) / np.linalg.norm(LOOK)
    return Surroundings(ground, _looking(eye, middle), _looking(middle + size * np.array(SUN), middle))


def _net(terrain: Terrain, low: np.ndarray, high: np.ndarray) -> Mesh:
    cells = 1 if terrain.shape == 0 else CELLS
    x, y = (np.linspace(a, b, cells + 1) for a, b in zip(low, high))
    heights = terrain.heights_over(x, y)
    points = [(float(a), float(b), float(heights[i, j])) for i, a in enumerate(x) for j, b in enumerate(y)]
    faces = []
    for i in range(cells):
        for j in range(cells):
            k = i * (cells + 1) + j
            faces += [(k, k + cells + 1, k + cells + 2), (k, k + cells + 2, k + 1)]
    return Mesh(tuple(points), tuple(faces))


def _looking(eye: np.ndarray, at: np.ndarray) -> Placement:
    """Stands at a place and looks along −z, y upwards."""
    away = (eye - at) / np.linalg.norm(eye - at)
    right = np.cross((0.0, 0.0, 1.0), away)
    right /= np.linalg.norm(right)
    x, y, z = eye.tolist()
    return Placement.from_matrix(np.stack([right, np.cross(away, right), away], axis=1), (x, y, z))
