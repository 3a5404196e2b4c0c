"""The ground as something to look at: a part that stands in the world."""

from collections.abc import Sequence

import numpy as np

from gambol.figure import Mesh, Part
from gambol.forces.contact.terrain import Terrain

CELLS = 120  # along each side
EARTH = (0.80, 0.77, 0.70)


def is_plane(terrain: Terrain) -> bool:
    """Is it drawn by the grid of the ground alone?"""
    return terrain.shape == 0 and terrain.slope_y == 0


def terrain_part(terrain: Terrain, middle: Sequence[float], width: float) -> Part:
    """A square of the terrain around `middle` (x, y) [m], `width` [m] wide, for `props`."""
    side = np.linspace(-0.5 * width, 0.5 * width, CELLS + 1)
    x, y = float(middle[0]) + side, float(middle[1]) + side
    heights = terrain.heights_over(x, y)
    across, along = np.meshgrid(x, y, indexing="ij")
    vertices = np.column_stack([across.ravel(), along.ravel(), heights.ravel()])
    corner = (np.arange(CELLS)[:, None] * (CELLS + 1) + np.arange(CELLS)).ravel()
    a, b, c, d = corner, corner + CELLS + 1, corner + CELLS + 2, corner + 1
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    mesh = Mesh(tuple(map(tuple, vertices.tolist())), tuple(map(tuple, faces.tolist())))
    return Part(mesh, inertial=False, colour=EARTH, name="ground")
