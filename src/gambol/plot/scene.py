"""Draws parts in a scene: an orthographic camera, one light, triangles from far to near, shadows on the ground."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb

from gambol.figure import Figure, Part, Placement
from gambol.plot.palette import LIGHT, PALETTE
from gambol.plot.style import GRID, GROUND, SHADOW
from gambol.plot.surfaces import surface

Placed = tuple[Part, Placement]


@dataclass(frozen=True)
class Viewpoint:
    """Where the viewer stands, seen from the scene: `azimuth` from x towards y, `elevation` above level [degrees]."""

    azimuth: float = -65.0
    elevation: float = 12.0

    @property
    def axes(self) -> np.ndarray:
        """Rows: right, up and towards the viewer, in world axes."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        towards = np.array([math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e)])
        right = np.array([-math.sin(a), math.cos(a), 0.0])
        return np.array([right, np.cross(towards, right), towards])

    def project(self, points: np.ndarray) -> np.ndarray:
        """World points [m] to (right, up, depth)."""
        return np.asarray(points) @ self.axes.T


def placed_parts(figure: Figure, positions: Sequence[float] | np.ndarray | None) -> list[Placed]:
    """Every visible part of a figure with its pose in the world; bodies without a colour get one by turns."""
    poses = figure.poses(positions)
    found = []
    for index, body in enumerate(figure.bodies):
        for part in body.parts:
            if part.visible:
                colour = part.colour or to_rgb(PALETTE[index % len(PALETTE)])
                found.append((replace(part, colour=tuple(colour)), poses[body.name].compose(part.placement)))
    return found


def triangles_of(part: Part, pose: Placement) -> np.ndarray:
    """The triangles of a part in world axes."""
    return surface(part.shape) @ pose.matrix.T + np.asarray(pose.position)


def shaded(triangles: np.ndarray, colour: Sequence[float]) -> np.ndarray:
    """A colour for each triangle: diffuse light, and a sky that is brighter than the ground."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    light = 0.55 + 0.5 * np.maximum(normals @ LIGHT, 0.0) + 0.12 * normals[:, 2]
    return np.clip(light[:, None] * np.asarray(colour[:3]), 0.0, 1.0)


def draw(axes: Any, parts: Iterable[Placed], camera: Viewpoint, *, fade: float = 0.0, order: float = 2.0) -> np.ndarray:
    """Draws parts, the far triangles first; `fade` mixes them with white. Returns the corners (right, up)."""
    flat, colours, depths = [], [], []
    for part, pose in parts:
        triangles = triangles_of(part, pose)
        seen = camera.project(triangles)
        edges = seen[:, 1:, :2] - seen[:, :1, :2]
        facing = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0] > 0
        flat.append(seen[facing][..., :2])
        colours.append(shaded(triangles[facing], part.colour or (0.6, 0.6, 0.6)))
        depths.append(seen[facing][..., 2].mean(axis=1))
    if not flat:
        return np.zeros((0, 2))
    polygons, paint, depth = np.concatenate(flat), np.concatenate(colours), np.concatenate(depths)
    paint = paint + fade * (1.0 - paint)
    far_first = np.argsort(depth)
    made = PolyCollection(
        list(polygons[far_first]),
        facecolors=paint[far_first],
        edgecolors=paint[far_first],
        linewidths=0.3,
        zorder=order,
    )
    axes.add_collection(made)
    return polygons.reshape(-1, 2)


def draw_shadow(axes: Any, parts: Iterable[Placed], camera: Viewpoint, *, fade: float = 0.0) -> None:
    """The shadow of every part on the ground z = 0."""
    from scipy.spatial import ConvexHull

    outlines = []
    for part, pose in parts:
        corners = triangles_of(part, pose).reshape(-1, 3)
        down = corners - np.outer(np.maximum(corners[:, 2], 0.0) / LIGHT[2], LIGHT)
        down[:, 2] = 0.0
        seen = camera.project(down)[:, :2]
        if np.linalg.svd(seen - seen.mean(axis=0), compute_uv=False)[1] > 1e-9:  # seen from the side it is a line
            outlines.append(seen[ConvexHull(seen).vertices])
    tone = np.asarray(to_rgb(SHADOW))
    tone = tone + fade * (np.asarray(to_rgb(GROUND)) - tone)
    axes.add_collection(PolyCollection(outlines, facecolors=[tone], edgecolors=[tone], linewidths=0.5, zorder=1.0))


def draw_ground(axes: Any, camera: Viewpoint, centre: np.ndarray, extent: float) -> None:
    """Level ground under `centre` [m], as deep as `extent` and wider, with a grid in world axes."""
    step = 10.0 ** math.floor(math.log10(max(extent, 1e-6)))
    step = step if extent < 5.0 * step else 2.5 * step
    right, _, towards = camera.axes
    away = -np.array([towards[0], towards[1], 0.0])
    away /= max(float(np.linalg.norm(away)), 1e-9)
    middle = np.array([centre[0], centre[1], 0.0])
    wide, near, far = 8.0 * extent, -6.0 * extent, 1.5 * extent
    corners = [middle + x * right + y * away for x, y in ((-wide, near), (wide, near), (wide, far), (-wide, far))]
    floor = PolyCollection([camera.project(np.array(corners))[:, :2]], facecolors=[GROUND], edgecolors="none", zorder=0)
    axes.add_collection(floor)
    count = math.ceil(9.0 * extent / step)
    origin = np.round(middle / step) * step
    lines = []
    reach = count * step
    for k in step * np.arange(-count, count + 1):
        for ends in (((k, -reach, 0.0), (k, reach, 0.0)), ((-reach, k, 0.0), (reach, k, 0.0))):
            lines.append(camera.project(origin + np.array(ends))[:, :2])
    grid = LineCollection(lines, colors=GRID, linewidths=0.7, zorder=0.5)
    axes.add_collection(grid)
    grid.set_clip_path(floor.get_paths()[0], floor.get_transform())
