"""Scan conversion: pictures by the depth buffer of `gambol.view`, with smooth shading, coverage and distances."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol.corpus.lighting import SHADOW_DARKNESS, normalised, normals_of, shade, shadows
from gambol.corpus.render_settings import RenderSettings, project
from gambol.corpus.scene import Appearance, CorpusScene, SceneObject

EMPTY_DEPTH = 1e30
SHADOW_OFFSET = 1e-4  # of the distance, by which shadows are drawn nearer than the ground they lie on
ANTIALIAS_SAMPLES = 2  # samples a pixel, along each side, when edges are smooth


@dataclass
class ShadedTriangles:
    """Triangles of one object: corners and normals in the world, (n, 3, 3) each; `appearance` is None for shadows."""

    corners: np.ndarray
    normals: np.ndarray
    colours: np.ndarray  # (n, 3)
    appearance: Appearance | None


@dataclass
class Scan:
    """A picture (height, width, 3), how much of each pixel is covered, and the distance there [m]."""

    image: np.ndarray
    coverage: np.ndarray
    distance: np.ndarray
    triangles: int


def surface_of(obj: SceneObject) -> ShadedTriangles:
    """The triangles of an object, with normals for flat or smooth shading."""
    index, owners = obj.geometry.triangles, obj.geometry.triangle_polygons
    if np.linalg.det(obj.world_matrix[:3, :3]) < 0:
        index = index[:, ::-1]
    corners = obj.points[index]
    flat = normals_of(corners)
    normals = np.repeat(flat[:, None], 3, axis=1)
    if not obj.appearance.faceted:
        at_points = np.zeros_like(obj.geometry.vertices)
        for k in range(3):
            np.add.at(at_points, index[:, k], flat)
        normals = normalised(at_points)[index]
    colours = np.array([obj.appearance.polygons.get(int(p), obj.appearance.colour) for p in owners]).reshape(-1, 3)
    return ShadedTriangles(corners, normals, colours, obj.appearance)


def scan_convert(scene: CorpusScene, rendering: RenderSettings) -> Scan:
    """Draws opaque objects, then transparent ones from far to near."""
    fine = ANTIALIAS_SAMPLES if rendering.antialias else 1
    width, height = fine * rendering.size[0], fine * rendering.size[1]
    image = np.tile(np.asarray(rendering.background, float), (height, width, 1))
    depth = np.full((height, width), EMPTY_DEPTH)
    rendering.clipped_count = 0
    shown = [t for t in scene.objects.values() if t.appearance.shown and len(t.geometry.faces)]
    opaque = _shadows(scene, rendering) + [surface_of(t) for t in shown if t.appearance.transparency == 0]
    count = _paint(rendering, opaque, image, depth)
    eye = np.asarray(rendering.view.eye)
    for obj in sorted(shown, key=lambda t: -float(np.linalg.norm(t.centroid - eye))):
        if obj.appearance.transparency > 0:
            count += _paint(rendering, [surface_of(obj)], image, depth, share=1.0 - obj.appearance.transparency)
    covered = depth < EMPTY_DEPTH
    blocks = (rendering.size[1], fine, rendering.size[0], fine)
    nearest = np.where(covered, depth, np.inf).reshape(blocks).min(axis=(1, 3))
    picture = image.reshape(*blocks, 3).mean(axis=(1, 3))
    return Scan(picture, covered.reshape(blocks).mean(axis=(1, 3)), nearest, count)


def _shadows(scene: CorpusScene, rendering: RenderSettings) -> list[ShadedTriangles]:
    tone = (1.0 - SHADOW_DARKNESS) * np.asarray(rendering.background)
    found = []
    for outline in shadows(scene, rendering):
        raised = outline + SHADOW_OFFSET * (np.asarray(rendering.view.eye) - outline)
        corners = np.array([raised[[0, k, k + 1]] for k in range(1, len(raised) - 1)])
        found.append(ShadedTriangles(corners, np.zeros_like(corners), np.tile(tone, (len(corners), 1)), None))
    return found


def _paint(
    rendering: RenderSettings, surfaces: list[ShadedTriangles], image: np.ndarray, depth: np.ndarray, share: float = 1.0
) -> int:
    """Adds surfaces to a picture and its depth buffer; how many triangles there were."""
    from gambol.draw.raster import NOTHING, cover

    if not surfaces:
        return 0
    corners = np.concatenate([s.corners for s in surfaces])
    which = np.concatenate([np.full(len(s.corners), k) for k, s in enumerate(surfaces)])
    seen = on_screen(rendering, corners.reshape(-1, 3), depth.shape).reshape(-1, 3, 3)
    inside = np.all((seen[..., 2] > rendering.view.near) & (seen[..., 2] < rendering.view.far), axis=1)
    ahead = np.any(seen[..., 2] > rendering.view.near, axis=1)  # nobody misses what is behind the camera
    rendering.clipped_count += int(np.count_nonzero(ahead & ~inside))
    kept = np.flatnonzero(inside)
    points = np.ascontiguousarray(seen[kept].reshape(-1, 3))
    faces = np.arange(3 * len(kept)).reshape(-1, 3)
    owner = np.full(depth.shape, NOTHING)
    weights = np.zeros((*depth.shape, 2))
    cover(points, faces, depth, owner, weights, True)
    hit = owner != NOTHING
    u, v = weights[hit].T
    blend = np.stack([u, v, 1.0 - u - v], axis=1)[:, :, None]
    face = kept[owner[hit]]
    paint = np.zeros((len(face), 3))
    normals = np.concatenate([s.normals for s in surfaces])
    base = np.concatenate([s.colours for s in surfaces])
    for k, surface in enumerate(surfaces):
        own = which[face] == k
        if surface.appearance is None:
            paint[own] = base[face[own]]
        elif own.any():
            where = (blend[own] * corners[face[own]]).sum(axis=1)
            normal = normalised((blend[own] * normals[face[own]]).sum(axis=1))
            paint[own] = shade(
                rendering, surface.appearance, where, _towards_eye(rendering, where, normal), base[face[own]]
            )
    image[hit] = (1.0 - share) * image[hit] + share * _hazed(rendering, paint, depth[hit])
    return len(corners)


def _towards_eye(rendering: RenderSettings, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Both sides of a surface are lit as the side that is seen."""
    away = np.einsum("ij,ij->i", normals, np.asarray(rendering.view.eye) - points) < 0
    return np.where(away[:, None], -normals, normals)


def _hazed(rendering: RenderSettings, paint: np.ndarray, distance: np.ndarray) -> np.ndarray:
    level, reach = rendering.haze
    if not (level > 0 and reach > 0):
        return paint
    share = level * np.clip(distance / reach, 0.0, 1.0)[:, None]
    return (1.0 - share) * paint + share * np.asarray(rendering.background)


def on_screen(rendering: RenderSettings, points: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """World points to (x, y, distance), x to the right and y down in samples."""
    height, width = shape
    cx, cy, hx, hy = rendering.view.window
    aspect = rendering.view.aspect or rendering.size[0] / rendering.size[1]
    seen = project(rendering.view, points)
    x = (seen[:, 0] / aspect - cx + hx) / (2.0 * hx) * width
    y = (cy + hy - seen[:, 1]) / (2.0 * hy) * height
    return np.column_stack([x, y, seen[:, 2]])


def save_image(picture: np.ndarray, path: Path) -> None:
    """Writes colours from 0 to 1, or a single channel, as an image file (PNG, or by the suffix)."""
    from matplotlib.image import imsave

    kind = path.suffix.lstrip(".").lower() or "png"
    if picture.ndim == 2:
        picture = np.repeat(picture[:, :, None], 3, axis=2)
    imsave(path, np.clip(picture, 0.0, 1.0), format=kind)
