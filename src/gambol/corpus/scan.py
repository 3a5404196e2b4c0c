"""Scan conversion: pictures by the depth buffer of `gambol.view`, with smooth shading, coverage and distances."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol.corpus.lighting import SHADOW_DARKNESS, normalised, normals_of, shade, shadows
from gambol.corpus.maps import TextureMap, find_map, opacity, reflected, textured
from gambol.corpus.render_settings import RenderSettings, project
from gambol.corpus.scene import Appearance, CorpusScene, SceneObject
from gambol.corpus.shadow_maps import ShadowMap, shadow_maps

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
    uv: np.ndarray | None = None  # (n, 3, 2)
    clear: np.ndarray | None = None  # (n, 3): transparency at the corners


@dataclass
class Scan:
    """A picture (height, width, 3), how much of each pixel is covered, and the distance there [m]."""

    image: np.ndarray
    coverage: np.ndarray
    distance: np.ndarray
    triangles: int
    shadow_maps: dict[str, ShadowMap]


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
    uv, clear = (None if at is None else at[index] for at in (obj.texture_points, obj.clear_points))
    return ShadedTriangles(corners, normals, colours, obj.appearance, uv, clear)


def scan_convert(scene: CorpusScene, rendering: RenderSettings) -> Scan:
    """Draws opaque objects, then transparent ones from far to near."""
    fine = ANTIALIAS_SAMPLES if rendering.antialias else 1
    width, height = fine * rendering.size[0], fine * rendering.size[1]
    image = np.tile(np.asarray(rendering.background, float), (height, width, 1))
    depth = np.full((height, width), EMPTY_DEPTH)
    rendering.clipped_count = 0
    shown = [t for t in scene.objects.values() if t.appearance.shown and len(t.geometry.faces)]
    shades = shadow_maps(scene, rendering)
    opaque = _shadows(scene, rendering) + [surface_of(t) for t in shown if not t.see_through]
    count = _paint(rendering, opaque, image, depth, shades)
    eye = np.asarray(rendering.view.eye)
    for obj in sorted(shown, key=lambda t: -float(np.linalg.norm(t.centroid - eye))):
        if obj.see_through:
            count += _paint(rendering, [surface_of(obj)], image, depth, shades)
    covered = depth < EMPTY_DEPTH
    blocks = (rendering.size[1], fine, rendering.size[0], fine)
    nearest = np.where(covered, depth, np.inf).reshape(blocks).min(axis=(1, 3))
    picture = image.reshape(*blocks, 3).mean(axis=(1, 3))
    return Scan(picture, covered.reshape(blocks).mean(axis=(1, 3)), nearest, count, shades)


def _shadows(scene: CorpusScene, rendering: RenderSettings) -> list[ShadedTriangles]:
    tone = (1.0 - SHADOW_DARKNESS) * np.asarray(rendering.background)
    found = []
    for outline in shadows(scene, rendering):
        raised = outline + SHADOW_OFFSET * (np.asarray(rendering.view.eye) - outline)
        corners = np.array([raised[[0, k, k + 1]] for k in range(1, len(raised) - 1)])
        found.append(ShadedTriangles(corners, np.zeros_like(corners), np.tile(tone, (len(corners), 1)), None))
    return found


def _paint(
    rendering: RenderSettings,
    surfaces: list[ShadedTriangles],
    image: np.ndarray,
    depth: np.ndarray,
    shades: Mapping[str, ShadowMap],
) -> int:
    """Adds surfaces to a picture and its depth buffer; how many triangles there were."""
    from gambol.draw.raster import NO_FACE, cover

    if not surfaces:
        return 0
    corners = np.concatenate([s.corners for s in surfaces])
    first = np.cumsum([0, *(len(s.corners) for s in surfaces)])
    seen = on_screen(rendering, corners.reshape(-1, 3), depth.shape).reshape(-1, 3, 3)
    inside = np.all((seen[..., 2] > rendering.view.near) & (seen[..., 2] < rendering.view.far), axis=1)
    ahead = np.any(seen[..., 2] > rendering.view.near, axis=1)  # nobody misses what is behind the camera
    rendering.clipped_count += int(np.count_nonzero(ahead & ~inside))
    kept = np.flatnonzero(inside)
    points = np.ascontiguousarray(seen[kept].reshape(-1, 3))
    faces = np.arange(3 * len(kept)).reshape(-1, 3)
    owner, nearest = np.full(depth.shape, NO_FACE), depth.copy()
    weights = np.zeros((*depth.shape, 2))
    cover(points, faces, nearest, owner, weights, True)
    hit = owner != NO_FACE
    u, v = weights[hit].T
    blend = np.stack([u, v, 1.0 - u - v], axis=1)[:, :, None]
    face = kept[owner[hit]]
    paint, share = np.zeros((len(face), 3)), np.ones(len(face))
    which = np.searchsorted(first, face, side="right") - 1
    for k, surface in enumerate(surfaces):
        own = which == k
        if own.any():
            at = face[own] - first[k]
            paint[own], share[own] = _look(rendering, surface, at, blend[own], seen[face[own]], shades)
    over = share[:, None]
    image[hit] = (1.0 - over) * image[hit] + over * _hazed(rendering, paint, nearest[hit])
    depth[hit] = np.where(share > 0.0, nearest[hit], depth[hit])  # what is not there hides nothing
    return len(corners)


def _look(
    rendering: RenderSettings,
    surface: ShadedTriangles,
    face: np.ndarray,
    blend: np.ndarray,
    seen: np.ndarray,
    shades: Mapping[str, ShadowMap],
) -> tuple[np.ndarray, np.ndarray]:
    """Colours of samples of a surface, and how much of it is there: (n,) triangles, (n, 3, 1) weights of their
    corners, (n, 3, 3) these corners on the screen."""
    base, appearance = surface.colours[face], surface.appearance
    if appearance is None:
        return base, np.ones(len(face))
    where = (blend * surface.corners[face]).sum(axis=1)
    normal = normalised((blend * surface.normals[face]).sum(axis=1))
    normal = _towards_eye(rendering, where, normal)
    worn = appearance.maps
    uv = None if surface.uv is None else (blend * surface.uv[face]).sum(axis=1)
    texture, mirror, thin = (
        find_map(rendering.maps, name) for name in (worn.texture, worn.reflection, appearance.transparency_map)
    )
    drawn = textured(base, texture, uv, _texels(texture, surface, face, seen), worn)
    lit = shade(rendering, appearance, where, normal, drawn, shades)
    if mirror is not None:
        around = reflected(mirror, where, normal, np.asarray(rendering.view.eye))
        lit = np.clip(lit + worn.reflected * around, 0.0, 1.0)
    there = opacity(thin, uv, _texels(thin, surface, face, seen), len(face)) * (1.0 - appearance.transparency)
    if surface.clear is not None:
        there = there * (1.0 - (blend[:, :, 0] * surface.clear[face]).sum(axis=1))
    return lit, there


def _texels(found: TextureMap | None, surface: ShadedTriangles, face: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """How many pixels of a map a sample is wide, by the areas of its triangle on both."""
    if found is None or surface.uv is None:
        return np.ones(len(face))
    height, width = found.pixels.shape[:2]
    on_map = surface.uv[face] * np.multiply(found.repeat, (width, height))
    areas = [_area(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]) for at in (on_map, seen[:, :, :2])]
    return np.sqrt(areas[0] / np.maximum(areas[1], 1e-12))


def _area(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


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
