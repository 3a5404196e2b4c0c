"""Draws solids at given poses into an array of colours, without a screen and without OpenGL."""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from gambol.draw import look
from gambol.draw.camera import View
from gambol.draw.motion import Poses
from gambol.draw.shadows import FAR, shadow_of
from gambol.draw.solids import batches_of, solids_of, with_world
from gambol.draw.terrain import Earth, earth_over
from gambol.draw.wraps import wraps_of
from gambol.figure import Figure, Part
from gambol.forces.contact.terrain import Terrain
from gambol.plot.palette import LIGHT

OVERSAMPLE = 2  # samples a pixel, along each side
THREADS = min(4, os.cpu_count() or 1)
OCCLUSION = 0.16  # how far around a point hides the sky from it, of the figures' size
SPOTS = 14
BEYOND = 12.0  # how far terrain is drawn around the figures, of what is seen of them: it fades into the haze


class Scene:
    """The surfaces of figures and props, ready to be drawn at any poses.

    ground  height of level ground [m], a Terrain, or None for none
    """

    def __init__(self, figures: Sequence[Figure], *, props: Sequence[Part] = (), ground: float | Terrain | None = 0.0):
        self.batches = batches_of(solids_of(figures, props))
        self.ground = ground
        self.earth: Earth | None = None
        faces, tints, finishes, first = [], [], [], 0
        for batch in self.batches:
            surface = batch.surface
            for colour, finish in zip(batch.colours, batch.finishes):
                faces.append(surface.faces + first)
                tints.append(np.broadcast_to(colour, (len(surface.faces), 3)))
                finishes.append(np.broadcast_to(finish, (len(surface.faces), 3)))
                first += len(surface.vertices)
        self.faces = np.concatenate(faces)
        self.colours = np.ascontiguousarray(look.linear(np.concatenate(tints)))
        self.wraps = wraps_of(self.batches)
        self.finishes = np.ascontiguousarray(np.concatenate(finishes))
        self.of_prop = np.concatenate(
            [np.repeat(batch.bodies < 0, len(batch.surface.vertices)) for batch in self.batches]
        )

    def lay_terrain(self, low: np.ndarray, high: np.ndarray, room: float = 0.0) -> None:
        """Makes the terrain, where there is one, from `low` to `high` (x, y), and `room` around them [m]."""
        if isinstance(self.ground, Terrain):
            self.earth = earth_over(self.ground, low, high, room=room)

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

    def draw(
        self, poses: Poses, view: View, width: int, height: int, *, clear: bool = False, dark: bool = False
    ) -> np.ndarray:
        """The picture, (height, width, 3) bytes; with `clear` the solids alone and a fourth channel."""
        from gambol.draw.raster import cover, lay_ground, occlude, resolve, shade, soften

        solid, steep = self.corners(poses)
        corners, normals, faces, earth = self._with_earth(solid, steep)
        wide, high = OVERSAMPLE * width, OVERSAMPLE * height
        points, rays, zoom = projected(corners, view, wide, high)
        depth = np.full((high, wide), FAR, np.float32)
        owner = np.full((high, wide), -1, np.int32)
        weights = np.zeros((high, wide, 2), np.float32)
        cover(points, faces, depth, owner, weights, True)
        image = np.empty((high, wide, 3), np.float32)
        pixels = np.empty((height, width, 4 if clear else 3), np.uint8)
        own = self.moving(solid)
        shadow = shadow_of(solid, own, self.faces)
        radius = OCCLUSION * float(np.linalg.norm(np.ptp(own, axis=0)))
        around = _around(self.moving(points[: len(solid)]), radius * zoom / max(view.distance, 1e-9))
        if self.earth is not None:  # it hides the sky from itself, too
            around = np.array([0.0, width, 0.0, height])
        open_sky, calm = np.ones((height, width), np.float32), np.ones((height, width), np.float32)
        reach = reach_of(view)

        def lay(row: int, end: int) -> None:
            level = self.ground
            lay_ground(OVERSAMPLE * row, OVERSAMPLE * end, depth, owner, rays, view.eye, float(level))  # type: ignore[arg-type]

        def hide(row: int, end: int) -> None:
            occlude(row, end, depth, owner, weights, normals, faces, rays, view.eye, view.camera.axes, zoom, radius,
                    self._spots, around, open_sky)  # fmt: skip

        def paint(row: int, end: int) -> None:
            shade(OVERSAMPLE * row, OVERSAMPLE * end, depth, owner, weights, calm, corners, normals, faces,
                  self.colours, *self.wraps, self.finishes, PAINTS[dark], LIGHTS, rays, view.eye, view.target, earth,
                  look.cell_of(reach), reach, shadow, image)  # fmt: skip
            resolve(row, end, image, owner, clear, BEGINS, GUESS, pixels)

        with ThreadPoolExecutor(THREADS) as pool:
            if isinstance(self.ground, float) and not clear:
                _in_bands(pool, lay, height)
            _in_bands(pool, hide, height)
            _in_bands(pool, lambda row, end: soften(row, end, depth, open_sky, calm), height)
            _in_bands(pool, paint, height)
        return pixels

    def _with_earth(self, corners: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Solids and terrain together, and the number of the terrain's first face."""
        if self.earth is None:
            return corners, normals, self.faces, len(self.faces)
        faces = np.concatenate([self.faces, self.earth.faces + len(corners)])
        together = np.concatenate([corners, self.earth.vertices]), np.concatenate([normals, self.earth.normals])
        return (*together, faces, len(self.faces))

    @cached_property
    def _spots(self) -> np.ndarray:
        """Where the sky is looked for: in the half ball, denser towards its middle; the same every time."""
        k = np.arange(SPOTS) + 0.5
        up, turn = 1.0 - 0.95 * k / SPOTS, 2.399963 * k
        flat, share = np.sqrt(1.0 - up**2), 0.12 + 0.88 * ((7 * np.arange(SPOTS)) % SPOTS + 0.5) / SPOTS
        return np.column_stack([flat * np.cos(turn), flat * np.sin(turn), up]) * share[:, None]


PAINTS = {
    dark: look.linear([tones.earth, tones.line, tones.bold, tones.zenith, tones.horizon])
    for dark, tones in ((False, look.DAY), (True, look.DARK))
}
BEGINS = np.append(((np.arange(256) - 0.5).clip(0.0) / 255.0) ** 2.2, np.inf)  # the light from which a byte is seen
GUESS = np.searchsorted(BEGINS, np.arange(4097) / 4096.0, side="right") - 1
LIGHTS = np.array([LIGHT, look.SUN, look.SKY, look.BOUNCE, [look.FILL] * 3])


def projected(corners: np.ndarray, view: View, wide: int, high: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Corners in samples and depth, the rays of the samples (depth times ray leads from the eye), samples a radian."""
    right, up, towards = view.camera.axes
    zoom = 0.5 * high / math.tan(math.radians(0.5 * view.camera.field))
    seen = (corners - view.eye) @ view.camera.axes.T
    depth = -seen[:, 2]
    safe = np.where(np.abs(depth) > 1e-9, depth, 1e-9)
    points = np.column_stack([0.5 * wide + zoom * seen[:, 0] / safe, 0.5 * high - zoom * seen[:, 1] / safe, depth])
    rays = np.array([right / zoom, -up / zoom, -towards - 0.5 * wide / zoom * right + 0.5 * high / zoom * up])
    return points, rays, zoom


def _around(points: np.ndarray, margin: float) -> np.ndarray:
    """The rectangle of pixels around points [samples]: left, right, top, low."""
    seen = points[points[:, 2] > 0]
    if not len(seen):
        return np.zeros(4)
    low, high = seen[:, :2].min(axis=0) - margin, seen[:, :2].max(axis=0) + margin
    return np.array([low[0], high[0], low[1], high[1]]) / OVERSAMPLE


def reach_of(view: View) -> float:
    """How much ground is seen about the target [m]."""
    return max(3.2 * view.distance * math.tan(math.radians(0.5 * view.camera.field)), 1e-6)


def _in_bands(pool: ThreadPoolExecutor, work: Callable[[int, int], None], rows: int) -> None:
    """Rows shared by a few threads: the kernels release the interpreter's lock."""
    cuts = np.linspace(0, rows, 4 * THREADS + 1).astype(int)
    list(pool.map(work, map(int, cuts[:-1]), map(int, cuts[1:])))
