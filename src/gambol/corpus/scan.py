"""Scan conversion: pictures by the depth buffer of `gambol.view`, with smooth shading, coverage and distances."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gambol.corpus.lighting import SHADOW, lit, normals_of, shadows, unit
from gambol.corpus.scene import Look, Scene, Thing
from gambol.corpus.studio import Studio, project

FAR = 1e30
LIFT = 1e-4  # of the distance, by which shadows are drawn nearer than the ground they lie on
FINE = 2  # samples a pixel, along each side, when edges are smooth


@dataclass
class Surface:
    """Triangles of one object: corners and normals in the world, (n, 3, 3) each; `look` is None for shadows."""

    corners: np.ndarray
    normals: np.ndarray
    colours: np.ndarray  # (n, 3)
    look: Look | None


@dataclass
class Scan:
    """A picture (height, width, 3), how much of each pixel is covered, and the distance there [m]."""

    image: np.ndarray
    coverage: np.ndarray
    distance: np.ndarray
    triangles: int


def surface_of(thing: Thing) -> Surface:
    index, owners = thing.geometry.triangles, thing.geometry.owners
    if np.linalg.det(thing.world_matrix[:3, :3]) < 0:
        index = index[:, ::-1]
    corners = thing.points[index]
    flat = normals_of(corners)
    normals = np.repeat(flat[:, None], 3, axis=1)
    if not thing.look.faceted:
        at_points = np.zeros_like(thing.geometry.vertices)
        for k in range(3):
            np.add.at(at_points, index[:, k], flat)
        normals = unit(at_points)[index]
    colours = np.array([thing.look.polygons.get(int(p), thing.look.colour) for p in owners]).reshape(-1, 3)
    return Surface(corners, normals, colours, thing.look)


def scan(scene: Scene, studio: Studio) -> Scan:
    """Draws opaque objects, then transparent ones from far to near."""
    fine = FINE if studio.smooth else 1
    width, height = fine * studio.size[0], fine * studio.size[1]
    image = np.tile(np.asarray(studio.background, float), (height, width, 1))
    depth = np.full((height, width), FAR)
    studio.dropped = 0
    shown = [t for t in scene.things.values() if t.look.shown and len(t.geometry.faces)]
    opaque = _shadows(scene, studio) + [surface_of(t) for t in shown if t.look.transparency == 0]
    count = _paint(studio, opaque, image, depth)
    eye = np.asarray(studio.view.eye)
    for thing in sorted(shown, key=lambda t: -float(np.linalg.norm(t.centroid - eye))):
        if thing.look.transparency > 0:
            count += _paint(studio, [surface_of(thing)], image, depth, share=1.0 - thing.look.transparency)
    covered = depth < FAR
    blocks = (studio.size[1], fine, studio.size[0], fine)
    nearest = np.where(covered, depth, np.inf).reshape(blocks).min(axis=(1, 3))
    picture = image.reshape(*blocks, 3).mean(axis=(1, 3))
    return Scan(picture, covered.reshape(blocks).mean(axis=(1, 3)), nearest, count)


def _shadows(scene: Scene, studio: Studio) -> list[Surface]:
    tone = (1.0 - SHADOW) * np.asarray(studio.background)
    found = []
    for outline in shadows(scene, studio):
        raised = outline + LIFT * (np.asarray(studio.view.eye) - outline)
        corners = np.array([raised[[0, k, k + 1]] for k in range(1, len(raised) - 1)])
        found.append(Surface(corners, np.zeros_like(corners), np.tile(tone, (len(corners), 1)), None))
    return found


def _paint(studio: Studio, surfaces: list[Surface], image: np.ndarray, depth: np.ndarray, share: float = 1.0) -> int:
    """Adds surfaces to a picture and its depth buffer; how many triangles there were."""
    from gambol.draw.raster import NOTHING, cover

    if not surfaces:
        return 0
    corners = np.concatenate([s.corners for s in surfaces])
    which = np.concatenate([np.full(len(s.corners), k) for k, s in enumerate(surfaces)])
    seen = on_screen(studio, corners.reshape(-1, 3), depth.shape).reshape(-1, 3, 3)
    inside = np.all((seen[..., 2] > studio.view.near) & (seen[..., 2] < studio.view.far), axis=1)
    ahead = np.any(seen[..., 2] > studio.view.near, axis=1)  # nobody misses what is behind the camera
    studio.dropped += int(np.count_nonzero(ahead & ~inside))
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
        if surface.look is None:
            paint[own] = base[face[own]]
        elif own.any():
            where = (blend[own] * corners[face[own]]).sum(axis=1)
            normal = unit((blend[own] * normals[face[own]]).sum(axis=1))
            paint[own] = lit(studio, surface.look, where, _towards_eye(studio, where, normal), base[face[own]])
    image[hit] = (1.0 - share) * image[hit] + share * _hazed(studio, paint, depth[hit])
    return len(corners)


def _towards_eye(studio: Studio, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Both sides of a surface are lit as the side that is seen."""
    away = np.einsum("ij,ij->i", normals, np.asarray(studio.view.eye) - points) < 0
    return np.where(away[:, None], -normals, normals)


def _hazed(studio: Studio, paint: np.ndarray, distance: np.ndarray) -> np.ndarray:
    level, reach = studio.haze
    if not (level > 0 and reach > 0):
        return paint
    share = level * np.clip(distance / reach, 0.0, 1.0)[:, None]
    return (1.0 - share) * paint + share * np.asarray(studio.background)


def on_screen(studio: Studio, points: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """World points to (x, y, distance), x to the right and y down in samples."""
    height, width = shape
    cx, cy, hx, hy = studio.view.window
    aspect = studio.view.aspect or studio.size[0] / studio.size[1]
    seen = project(studio.view, points)
    x = (seen[:, 0] / aspect - cx + hx) / (2.0 * hx) * width
    y = (cy + hy - seen[:, 1]) / (2.0 * hy) * height
    return np.column_stack([x, y, seen[:, 2]])


def save(picture: np.ndarray, path: Path) -> None:
    """Writes colours from 0 to 1, or a single channel, as an image file (PNG, or by the suffix)."""
    from matplotlib.image import imsave

    kind = path.suffix.lstrip(".").lower() or "png"
    if picture.ndim == 2:
        picture = np.repeat(picture[:, :, None], 3, axis=2)
    imsave(path, np.clip(picture, 0.0, 1.0), format=kind)
