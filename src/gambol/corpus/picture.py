"""Draws the scene with matplotlib: whole polygons, the far ones first. Quick, and for lines; see also `scan`."""

from pathlib import Path

import numpy as np

from gambol.corpus.lighting import SHADOW_DARKNESS, normals_of, shade, shadows
from gambol.corpus.render_settings import RenderSettings, project
from gambol.corpus.scene import CorpusScene, SceneObject

DPI = 100  # per inch
Faces = tuple[list[np.ndarray], np.ndarray, np.ndarray]  # screen polygons, colours (n, 4), depths (n,)


def object_faces(rendering: RenderSettings, obj: SceneObject) -> Faces:
    """The visible polygons of one object, on the screen."""
    points = obj.points
    seen = project(rendering.view, points)
    mirrored = np.linalg.det(obj.world_matrix[:3, :3]) < 0
    faces = [face[::-1] if mirrored else face for face in obj.geometry.faces]
    near = (seen[:, 2] > rendering.view.near) & (seen[:, 2] < rendering.view.far)
    two_sided = not obj.appearance.culled or obj.see_through
    shown = []
    for index, face in enumerate(faces):
        if not near[list(face)].all():
            rendering.clipped_count += bool(
                (seen[list(face), 2] > rendering.view.near).any()
            )  # not what is behind the camera
        elif two_sided or _area(seen[list(face), :2]) > 0:
            shown.append(index)
    if not shown:
        return [], np.zeros((0, 4)), np.zeros(0)
    corners = np.array([points[list(faces[i][:3])] for i in shown])
    base = np.array([obj.appearance.polygons.get(i, obj.appearance.colour) for i in shown])
    colours = np.column_stack(
        [
            shade(rendering, obj.appearance, corners.mean(axis=1), normals_of(corners), base),
            np.full(len(shown), 1.0 - obj.appearance.transparency),
        ]
    )
    depth = np.array([seen[list(faces[i]), 2].mean() for i in shown])
    return [seen[list(faces[i]), :2] for i in shown], colours, depth


def _area(corners: np.ndarray) -> float:
    """Twice the signed area of a polygon: positive when it is seen from outside."""
    x, y = corners.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def visible_faces(scene: CorpusScene, rendering: RenderSettings) -> Faces:
    """Those of all objects, far ones first."""
    rendering.clipped_count = 0
    found = [object_faces(rendering, t) for t in scene.objects.values() if t.appearance.shown and len(t.geometry.faces)]
    polygons = [polygon for each, _, _ in found for polygon in each]
    if not polygons:
        return [], np.zeros((0, 4)), np.zeros(0)
    colours, depth = np.concatenate([c for _, c, _ in found]), np.concatenate([d for _, _, d in found])
    level, reach = rendering.haze
    if level > 0 and reach > 0:
        share = level * np.clip(depth / reach, 0.0, 1.0)[:, None]
        colours[:, :3] = (1.0 - share) * colours[:, :3] + share * np.asarray(rendering.background)
    order = np.argsort(-depth)
    return [polygons[i] for i in order], colours[order], depth[order]


def draw_scene(scene: CorpusScene, rendering: RenderSettings, path: Path | None) -> tuple[np.ndarray, int]:
    """Draws a picture; to a file when there is a path. The colours, from 0 to 1, and the number of polygons."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure as Canvas

    polygons, colours, _ = visible_faces(scene, rendering)
    width, height = rendering.size
    canvas = Canvas(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=rendering.background)
    painter = FigureCanvasAgg(canvas)
    axes = canvas.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    cx, cy, hx, hy = rendering.view.window
    aspect = rendering.view.aspect or width / height
    axes.set_xlim(aspect * (cx - hx), aspect * (cx + hx))
    axes.set_ylim(cy - hy, cy + hy)
    face, edge = colours, colours
    line = 0.3
    if rendering.mode in ("wireframe", "outline", "hollow", "point"):
        face, edge, line = (
            np.zeros((len(colours), 4)),
            np.tile((*rendering.line_colour, 1.0), (len(colours), 1)),
            rendering.line_width,
        )
    elif rendering.edge_colour is not None:
        edge, line = np.tile((*rendering.edge_colour, 1.0), (len(colours), 1)), rendering.line_width
    if rendering.mode == "point":
        dots = np.concatenate(polygons) if polygons else np.zeros((0, 2))
        axes.scatter(dots[:, 0], dots[:, 1], s=rendering.line_width, color=[rendering.line_colour])
    else:
        tone = [(1.0 - SHADOW_DARKNESS) * part for part in rendering.background]
        fallen = [project(rendering.view, outline) for outline in shadows(scene, rendering)]
        dark = [seen[:, :2] for seen in fallen if (seen[:, 2] > rendering.view.near).all()]
        axes.add_collection(PolyCollection(dark, facecolors=[tone], linewidths=0))
        made = PolyCollection(polygons, facecolors=face, edgecolors=edge, linewidths=line)
        made.set_antialiased(rendering.antialias)
        axes.add_collection(made)
    if path is not None:
        canvas.savefig(path, format=path.suffix.lstrip(".").lower() or "png", dpi=DPI)
    painter.draw()
    return np.asarray(painter.buffer_rgba(), float)[..., :3] / 255.0, len(polygons)
