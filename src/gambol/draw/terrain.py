"""The ground as something to look at: a level, or a terrain in its true shape."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.errors import ViewError
from gambol.figure import Mesh, Part
from gambol.forces.contact.terrain import SPARE, Terrain, ground_at
from gambol.jit import entry

CELLS = 120  # along each side of a part
FINEST = 320  # cells along the longer side of what is drawn around a motion
EARTH = (0.80, 0.77, 0.70)
OWN_GROUND = "own"  # the ground of the motion's world, where it is known; else z = 0

Corner = Sequence[float] | np.ndarray
Ground = float | Terrain | str | None


class Earth(NamedTuple):
    """A piece of terrain as triangles with a normal at every corner, world axes [m]."""

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray


def is_plane(terrain: Terrain) -> bool:
    """Is it level ground, without shape or slope?"""
    return terrain.shape == 0 and terrain.slope_y == 0 and terrain.slope_x == 0


def seen_ground(ground: Ground, own: Terrain | None) -> float | Terrain | None:
    """What is drawn: a level [m], a terrain that has a shape, or nothing."""
    if isinstance(ground, str):
        if ground != OWN_GROUND:
            raise ViewError(f"ground must be a height, a Terrain, None or {OWN_GROUND!r}, not {ground!r}")
        ground = 0.0 if own is None else own
    if isinstance(ground, Terrain):
        return ground.level if is_plane(ground) else ground
    return None if ground is None else float(ground)


def level_of(ground: float | Terrain | None, place: Sequence[float] | np.ndarray) -> float:
    """Height of the ground at (x, y) [m]; 0 where there is none."""
    return ground.height(*place[:2]) if isinstance(ground, Terrain) else float(ground or 0.0)


@entry
def heights_at(params, table, x, y, spare, found):
    """Height [m] and slopes at every point of a net, (len(x), len(y), 3)."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            height, along, across = ground_at(params, table, x[i], y[j], spare)
            found[i, j, 0], found[i, j, 1], found[i, j, 2] = height, along, across


def earth_over(terrain: Terrain, low: Corner, high: Corner, cells: int = FINEST) -> Earth:
    """The terrain over the rectangle from `low` to `high` (x, y) [m]; its shading uses the exact slopes."""
    spans = np.subtract(high[:2], low[:2])
    cell = float(spans.max()) / cells
    x, y = (float(low[k]) + np.arange(max(2, round(spans[k] / cell)) + 1) * cell for k in (0, 1))
    found = np.empty((len(x), len(y), 3))
    heights_at(np.array(terrain.block()), terrain.heights(), x, y, np.zeros(SPARE), found)
    across, along = np.meshgrid(x, y, indexing="ij")
    vertices = np.column_stack([across.ravel(), along.ravel(), found[..., 0].ravel()])
    normals = np.column_stack([-found[..., 1].ravel(), -found[..., 2].ravel(), np.ones(found[..., 0].size)])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corner = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    a, b, c, d = corner, corner + len(y), corner + len(y) + 1, corner + 1
    return Earth(vertices, normals, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])]))


def terrain_part(terrain: Terrain, middle: Sequence[float], width: float) -> Part:
    """A square of the terrain around `middle` (x, y) [m], `width` [m] wide, as a part for `props` or exports."""
    half = 0.5 * width
    low, high = [middle[0] - half, middle[1] - half], [middle[0] + half, middle[1] + half]
    earth = earth_over(terrain, low, high, CELLS)
    mesh = Mesh(tuple(map(tuple, earth.vertices.tolist())), tuple(map(tuple, earth.faces.tolist())))
    return Part(mesh, inertial=False, colour=EARTH, name="ground")
