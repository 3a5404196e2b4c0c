"""The ground as something to look at: a level, or a terrain in its true shape."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.errors import ViewError
from gambol.figure import Mesh, Part
from gambol.forces.contact.terrain import SPARE, Ditch, Grid, Stairs, Terrain, ground_at
from gambol.jit import entry

CELLS = 120  # along each side of a part
FINEST = 320  # cells along the longer side of what is drawn around a motion
NEARBY = 0.12  # how large the first cells of a margin are, beside what they were if all were alike
MOST_PIECES = 192  # of a grid's side, for which each triangle is drawn as it is
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


def earth_over(terrain: Terrain, low: Corner, high: Corner, cells: int = FINEST, *, room: float = 0.0) -> Earth:
    """The terrain over the rectangle from `low` to `high` (x, y) [m], so many cells along its longer side.

    room   [m] of a margin around it, in which cells grow: the ground goes on to where it fades

    Stairs, ditches and the triangles of a grid have their edges where they are, and sharp; other ground is shaded by
    its exact slopes.
    """
    cell = (float(np.subtract(high[:2], low[:2]).max()) + 2.0 * NEARBY * room) / cells
    x, y = (_lines(float(low[k]), float(high[k]), room, cell) for k in (0, 1))
    edges = [_edges(terrain, axis, lines, cell) for axis, lines in enumerate((x, y))]
    flat = any(len(own) for own in edges)
    if flat:
        x, y = (_at_edges(lines, own, cell, cells) for lines, own in zip((x, y), edges))
    found = np.empty((len(x), len(y), 3))
    heights_at(np.array(terrain.block()), terrain.heights(), x, y, np.zeros(SPARE), found)
    across, along = np.meshgrid(x, y, indexing="ij")
    vertices = np.column_stack([across.ravel(), along.ravel(), found[..., 0].ravel()])
    normals = np.column_stack([-found[..., 1].ravel(), -found[..., 2].ravel(), np.ones(found[..., 0].size)])
    corner = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    a, b, c, d = corner, corner + len(y), corner + len(y) + 1, corner + 1
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    if flat:
        vertices = vertices[faces].reshape(-1, 3)
        faces = np.arange(len(vertices)).reshape(-1, 3)
        normals = np.repeat(np.cross(vertices[1::3] - vertices[::3], vertices[2::3] - vertices[::3]), 3, axis=0)
    return Earth(vertices, normals / np.linalg.norm(normals, axis=1, keepdims=True), faces)


def _lines(low: float, high: float, room: float, cell: float) -> np.ndarray:
    """Places a cell apart from `low` to `high`, and farther and farther apart in the room beyond [m]."""
    inner = np.linspace(low, high, max(1, round((high - low) / cell)) + 1)
    count = round(NEARBY * room / cell)
    share = np.arange(1, count + 1) / max(count, 1)
    outer = room * (NEARBY * share + (1.0 - NEARBY) * share**3)
    return np.concatenate([low - outer[::-1], inner, high + outer])


def _edges(terrain: Terrain, axis: int, lines: np.ndarray, cell: float) -> np.ndarray:
    """Where along an axis the slope jumps, within the lines [m]; none where it does not, or too often to be drawn."""
    low, high = float(lines[0]), float(lines[-1])
    match terrain:
        case Stairs() if axis == 0:
            middle = round((0.5 * (low + high) - terrain.start) / terrain.length)
            steps = np.arange(max(0, middle - len(lines) // 2), max(0, middle + len(lines) // 2) + 1)
            risers = terrain.start + steps * terrain.length
            places = np.column_stack([risers, risers + terrain.edge]).ravel()
        case Ditch() if axis == 0:
            start, end, edge = terrain.start, terrain.start + terrain.width, terrain.edge
            places = np.unique([start, start + edge, end - edge, end])
        case Grid():
            first, count = (terrain.x0, terrain.y0)[axis], np.shape(terrain.table)[axis]
            fine = max(1, round(0.25 * terrain.cell / cell))  # pieces of a side: alike in both, for the diagonals
            if max(np.shape(terrain.table)) * fine > MOST_PIECES:
                return np.empty(0)
            places = first + np.arange(fine * (count - 1) + 1) * (terrain.cell / fine)
        case _:
            return np.empty(0)
    return places[(places > low) & (places < high)]


def _at_edges(lines: np.ndarray, edges: np.ndarray, cell: float, cells: int) -> np.ndarray:
    """The edges, and lines far from any; fewer lines where the ground is the same all along."""
    if not len(edges):
        return lines[:: max(1, 5 * len(lines) // cells)]
    gap = np.searchsorted(edges, lines)
    before, after = edges[np.maximum(gap - 1, 0)], edges[np.minimum(gap, len(edges) - 1)]
    far = np.minimum(np.abs(lines - before), np.abs(after - lines)) > 4.0 * cell
    return np.unique(np.concatenate([edges, lines[far | (lines < edges[0]) | (lines > edges[-1])]]))


def terrain_part(terrain: Terrain, middle: Sequence[float], width: float) -> Part:
    """A square of the terrain around `middle` (x, y) [m], `width` [m] wide, as a part for `props` or exports."""
    half = 0.5 * width
    low, high = [middle[0] - half, middle[1] - half], [middle[0] + half, middle[1] + half]
    earth = earth_over(terrain, low, high, CELLS)
    mesh = Mesh(tuple(map(tuple, earth.vertices.tolist())), tuple(map(tuple, earth.faces.tolist())))
    return Part(mesh, inertial=False, colour=EARTH, name="ground")
