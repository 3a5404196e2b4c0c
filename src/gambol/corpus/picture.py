"""Draws the scene with matplotlib: whole polygons, the far ones first. Quick, and for lines; see also `scan`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.corpus.lighting import SHADOW, lit, normals_of, shadows
from gambol.corpus.scene import Scene, Thing
from gambol.corpus.studio import Studio, project

DOTS = 100  # per inch
Faces = tuple[list[np.ndarray], np.ndarray, np.ndarray]  # screen polygons, colours (n, 4), depths (n,)


def thing_faces(studio: Studio, thing: Thing) -> Faces:
    """The visible polygons of one object, on the screen."""
    points = thing.points
    seen = project(studio.view, points)
    mirrored = np.linalg.det(thing.world_matrix[:3, :3]) < 0
    faces = [face[::-1] if mirrored else face for face in thing.geometry.faces]
    near = (seen[:, 2] > studio.view.near) & (seen[:, 2] < studio.view.far)
    two_sided = not thing.look.culled or thing.look.transparency > 0
    shown = []
    for index, face in enumerate(faces):
        if not near[list(face)].all():
            studio.dropped += bool((seen[list(face), 2] > studio.view.near).any())  # not what is behind the camera
        elif two_sided or _area(seen[list(face), :2]) > 0:
            shown.append(index)
    if not shown:
        return [], np.zeros((0, 4)), np.zeros(0)
    corners = np.array([points[list(faces[i][:3])] for i in shown])
    base = np.array([thing.look.polygons.get(i, thing.look.colour) for i in shown])
    colours = np.column_stack(
        [
            lit(studio, thing.look, corners.mean(axis=1), normals_of(corners), base),
            np.full(len(shown), 1.0 - thing.look.transparency),
        ]
    )
    depth = np.array([seen[list(faces[i]), 2].mean() for i in shown])
    return [seen[list(faces[i]), :2] for i in shown], colours, depth


def _area(corners: np.ndarray) -> float:
    """Twice the signed area of a polygon: positive when it is seen from outside."""
    x, y = corners.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def visible_faces(scene: Scene, studio: Studio) -> Faces:
    """Those of all objects, far ones first."""
    studio.dropped = 0
    found = [thing_faces(studio, t) for t in scene.things.values() if t.look.shown and len(t.geometry.faces)]
    polygons = [polygon for each, _, _ in found for polygon in each]
    if not polygons:
        return [], np.zeros((0, 4)), np.zeros(0)
    colours, depth = np.concatenate([c for _, c, _ in found]), np.concatenate([d for _, _, d in found])
    level, reach = studio.haze
    if level > 0 and reach > 0:
        share = level * np.clip(depth / reach, 0.0, 1.0)[:, None]
        colours[:, :3] = (1.0 - share) * colours[:, :3] + share * np.asarray(studio.background)
    order = np.argsort(-depth)
    return [polygons[i] for i in order], colours[order], depth[order]


def draw(scene: Scene, studio: Studio, path: Path | None) -> tuple[np.ndarray, int]:
    """Draws a picture; to a file when there is a path. The colours, from 0 to 1, and the number of polygons."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure as Canvas

    polygons, colours, _ = visible_faces(scene, studio)
    width, height = studio.size
    canvas = Canvas(figsize=(width / DOTS, height / DOTS), dpi=DOTS, facecolor=studio.background)
    painter = FigureCanvasAgg(canvas)
    axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    cx, cy, hx, hy = studio.view.window
    aspect = studio.view.aspect or width / height
    axes.set_xlim(aspect * (cx - hx), aspect * (cx + hx))
    axes.set_ylim(cy - hy, cy + hy)
    face, edge = colours, colours
    line = 0.3
    if studio.mode in ("wireframe", "outline", "hollow", "point"):
        face, edge, line = (
            np.zeros((len(colours), 4)),
            np.tile((*studio.pen, 1.0), (len(colours), 1)),
            studio.line_width,
        )
    elif studio.edges is not None:
        edge, line = np.tile((*studio.edges, 1.0), (len(colours), 1)), studio.line_width
    if studio.mode == "point":
        dots = np.concatenate(polygons) if polygons else np.zeros((0, 2))
        axes.scatter(dots[:, 0], dots[:, 1], s=studio.line_width, color=[studio.pen])
    else:
        tone = [(1.0 - SHADOW) * part for part in studio.background]
        fallen = [project(studio.view, outline) for outline in shadows(scene, studio)]
        dark = [seen[:, :2] for seen in fallen if (seen[:, 2] > studio.view.near).all()]
        axes.add_collection(PolyCollection(dark, facecolors=[tone], linewidths=0))
        made = PolyCollection(polygons, facecolors=face, edgecolors=edge, linewidths=line)
        made.set_antialiased(studio.smooth)
        axes.add_collection(made)
    if path is not None:
        canvas.savefig(path, format=path.suffix.lstrip(".").lower() or "png", dpi=DOTS)
    painter.draw()
    return np.asarray(painter.buffer_rgba(), float)[..., :3] / 255.0, len(polygons)
