"""Draws solids at given poses into an array of colours, without a screen and without OpenGL."""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gambol.draw.camera import View
from gambol.draw.motion import Poses
from gambol.draw.solids import batches_of, solids_of, with_world
from gambol.figure import Figure, Part
from gambol.plot.scene import LIGHT

FAR = 1e30
OVERSAMPLE = 2  # samples a pixel, along each side
SHADOW_MAP = 1024
THREADS = min(4, os.cpu_count() or 1)
GROUND, GRID, ABOVE, HORIZON = (0.93, 0.92, 0.89), (0.74, 0.73, 0.70), (0.80, 0.86, 0.93), (0.97, 0.975, 0.98)


class Scene:
    """The surfaces of figures and props, ready to be drawn at any poses.

    level  height of the ground [m]; None for none
    """

    def __init__(self, figures: Sequence[Figure], *, props: Sequence[Part] = (), level: float | None = 0.0):
        self.batches = batches_of(solids_of(figures, props))
        self.level = level
        faces, tints, first = [], [], 0
        for batch in self.batches:
            surface = batch.surface
            for colour in batch.colours:
                faces.append(surface.faces + first)
                tints.append(np.broadcast_to(colour, (len(surface.faces), 3)))
                first += len(surface.vertices)
        self.faces = np.concatenate(faces)
        self.colours = np.ascontiguousarray(np.concatenate(tints))
        self.of_prop = np.concatenate(
            [np.repeat(batch.bodies < 0, len(batch.surface.vertices)) for batch in self.batches]
        )

    def corners(self, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """Vertices [m] and normals of all solids, world axes."""
        where, normals = [], []
        everywhere = with_world(poses)
        for batch in self.batches:
            placed, surface = batch.placed(everywhere), batch.surface
            scaled = surface.vertices[None] * batch.scales[:, None]
            steep = surface.normals[None] / batch.scales[:, None]
            where.append(scaled @ placed.frames.transpose(0, 2, 1) + placed.origins[:, None])
            normals.append(steep @ placed.frames.transpose(0, 2, 1))
        return (np.concatenate([w.reshape(-1, 3) for w in where]), np.concatenate([n.reshape(-1, 3) for n in normals]))

    def moving(self, corners: np.ndarray) -> np.ndarray:
        """The corners that belong to figures: what a camera looks at."""
        own = corners[~self.of_prop]
        return own if len(own) else corners

    def draw(self, poses: Poses, view: View, width: int, height: int) -> np.ndarray:
        """The picture, (height, width, 3) bytes."""
        from gambol.draw.raster import cover, resolve, shade_faces, shade_ground

        corners, normals = self.corners(poses)
        wide, high = OVERSAMPLE * width, OVERSAMPLE * height
        points, rays = _projected(corners, view, wide, high)
        depth = np.full((high, wide), FAR, np.float32)
        owner = np.full((high, wide), -1, np.int32)
        weights = np.zeros((high, wide, 2), np.float32)
        cover(points, self.faces, depth, owner, weights, True)
        shadow, light, texel = self._shadow(corners, cover)
        image, pixels = np.empty((high, wide, 3), np.float32), np.empty((height, width, 3), np.uint8)
        reach = _reach(view)
        level = math.nan if self.level is None else float(self.level)
        paint = np.array([GROUND, GRID, ABOVE, HORIZON])
        ground = (view.eye, level, _cell(reach), reach, view.target, paint, shadow, light, 1.5 * texel)

        def shade(row: int, end: int) -> None:
            first, last = OVERSAMPLE * row, OVERSAMPLE * end
            shade_ground(first, last, depth, rays, *ground, image)
            shade_faces(
                first,
                last,
                owner,
                weights,
                corners,
                normals,
                self.faces,
                self.colours,
                shadow,
                light,
                LIGHT,
                view.eye,
                2.0 * texel,
                image,
            )
            resolve(row, end, image, pixels)

        _in_bands(shade, height)
        return pixels

    def _shadow_bounds(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the map covers, in the sun's axes: the figures and props around them, but not a wide landscape."""
        own = self.moving(seen)
        room = float(np.ptp(own, axis=0).max())
        low, high = own.min(axis=0) - room, own.max(axis=0) + room
        return np.maximum(low, seen.min(axis=0)), np.minimum(high, seen.max(axis=0))

    def _shadow(self, corners: np.ndarray, cover: Callable) -> tuple[np.ndarray, np.ndarray, float]:
        """Depths seen from the sun, the map (3, 4) from world points to it, and the size of a texel [m]."""
        right = np.cross((0.0, 0.0, 1.0), LIGHT)
        right /= np.linalg.norm(right)
        axes = np.array([right, np.cross(LIGHT, right), -LIGHT])
        low, high = self._shadow_bounds(corners @ axes.T)
        texel = float(max((high - low)[:2].max(), 1e-9)) / (SHADOW_MAP - 16)
        light = np.zeros((3, 4))
        light[:2, :3], light[2, :3] = axes[:2] / texel, axes[2]
        light[:2, 3] = -low[:2] / texel + 8.0
        points = corners @ light[:, :3].T + light[:, 3]
        shadow = np.full((SHADOW_MAP, SHADOW_MAP), FAR, np.float32)
        owner = np.empty((SHADOW_MAP, SHADOW_MAP), np.int32)
        cover(points, self.faces, shadow, owner, np.empty((SHADOW_MAP, SHADOW_MAP, 2), np.float32), False)
        return shadow, light, texel


def _projected(corners: np.ndarray, view: View, wide: int, high: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners in samples and depth, and the rays of the samples (see raster.shade_ground)."""
    right, up, towards = view.camera.axes
    zoom = 0.5 * high / math.tan(math.radians(0.5 * view.camera.field))
    seen = (corners - view.eye) @ view.camera.axes.T
    depth = -seen[:, 2]
    safe = np.where(np.abs(depth) > 1e-9, depth, 1e-9)
    points = np.column_stack([0.5 * wide + zoom * seen[:, 0] / safe, 0.5 * high - zoom * seen[:, 1] / safe, depth])
    rays = np.array([right / zoom, -up / zoom, -towards - 0.5 * wide / zoom * right + 0.5 * high / zoom * up])
    return points, rays


def _reach(view: View) -> float:
    """How far the ground is seen before it fades [m]."""
    return max(3.2 * view.distance * math.tan(math.radians(0.5 * view.camera.field)), 1e-6)


def _cell(reach: float) -> float:
    """Size of the grid's cells [m]: 1, 2 or 5 times a power of ten, about a tenth of what is seen."""
    power = 10.0 ** math.floor(math.log10(0.22 * reach))
    return power * max(k for k in (1.0, 2.0, 5.0) if k * power <= 0.22 * reach)


def _in_bands(shade: Callable[[int, int], None], rows: int) -> None:
    """Rows shared by a few threads: the kernels release the interpreter's lock."""
    cuts = np.linspace(0, rows, 4 * THREADS + 1).astype(int)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(shade, map(int, cuts[:-1]), map(int, cuts[1:])))
