"""Draws the scene with matplotlib: a perspective camera, lights at points or in cones, far triangles first."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.corpus.scene import Scene, Thing
from gambol.corpus.studio import Light, Studio, View

DOTS = 100  # per inch
Faces = tuple[list[np.ndarray], np.ndarray, np.ndarray]  # screen polygons, colours (n, 4), depths (n,)
SHADOW = 0.35  # how dark


def project(view: View, points: np.ndarray) -> np.ndarray:
    """World points to (right, up, distance) with the height of the picture from -1 to 1."""
    seen = (np.asarray(points) - np.asarray(view.eye)) @ view.axes.T
    distance = -seen[..., 2]
    scale = 1.0 / (np.tan(np.radians(view.fov) / 2.0) * np.where(np.abs(distance) > 1e-12, distance, 1e-12))
    return np.stack([seen[..., 0] * scale, seen[..., 1] * scale, distance], axis=-1)


def lit(studio: Studio, thing: Thing, corners: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Colours of triangles: ambient, diffuse and specular light at their centres."""
    diffuse, specular, exponent, ambient = thing.look.shade
    centre = corners.mean(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    to_eye = _unit(np.asarray(studio.view.eye) - centre)
    names = thing.look.lights
    total = ambient * base
    for light in studio.lights.values():
        if light.on and (light.default if names is None else light.name in names):
            way, strength = _from_light(studio, light, centre)
            facing = np.maximum(np.einsum("ij,ij->i", normal, way), 0.0)
            half = _unit(way + to_eye)
            gleam = np.maximum(np.einsum("ij,ij->i", normal, half), 0.0) ** max(exponent, 1e-6) * (facing > 0)
            tint = strength[:, None] * light.dimmer * np.asarray(light.colour)
            total = total + tint * (
                diffuse * facing[:, None] * base + specular * gleam[:, None] * np.asarray(thing.look.specular_colour)
            )
    return np.clip(total, 0.0, 1.0)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)


def light_position(studio: Studio, light: Light) -> np.ndarray:
    """Where it stands; a light that was not placed hangs above the right shoulder of the camera."""
    if light.position is not None:
        return np.asarray(light.position)
    view = studio.view
    right, up, back = view.axes
    distance = np.linalg.norm(np.subtract(view.target, view.eye))
    return np.asarray(view.eye) + distance * (0.35 * right + 0.6 * up + 0.2 * back)


def _from_light(studio: Studio, light: Light, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors to the light, and how much of it arrives."""
    source = light_position(studio, light)
    away = source - points
    distance = np.linalg.norm(away, axis=1)
    way = _unit(away)
    strength = np.ones(len(points))
    if light.falloff == "linear":
        strength = 1.0 / np.maximum(distance, 1e-9)
    elif light.falloff == "exp":
        strength = np.exp(-light.exponent * distance)
    if light.aim is not None:
        axis = _unit(source - np.asarray(light.aim))
        off = np.degrees(np.arccos(np.clip(way @ axis, -1.0, 1.0)))
        edge = max(light.soft, 1e-6)
        strength = strength * np.clip((light.angle + edge - off) / edge, 0.0, 1.0)
    return way, strength


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
            studio.dropped += 1
        elif two_sided or _area(seen[list(face), :2]) > 0:
            shown.append(index)
    if not shown:
        return [], np.zeros((0, 4)), np.zeros(0)
    corners = np.array([points[list(faces[i][:3])] for i in shown])
    base = np.array([thing.look.polygons.get(i, thing.look.colour) for i in shown])
    colours = np.column_stack([lit(studio, thing, corners, base), np.full(len(shown), 1.0 - thing.look.transparency)])
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


def shadow_outlines(scene: Scene, studio: Studio) -> list[np.ndarray]:
    """Shadows on level ground z = 0, of the first light that is on."""
    from scipy.spatial import ConvexHull, QhullError

    light = next((light for light in studio.lights.values() if light.on), None)
    if light is None:
        return []
    source = light_position(studio, light)
    outlines = []
    for thing in scene.things.values():
        points = thing.points
        if not (thing.look.shown and thing.look.casts_shadow) or (points[:, 2] >= source[2]).any():
            continue
        share = (source[2] / (source[2] - points[:, 2]))[:, None]
        seen = project(studio.view, source + share * (points - source))
        if (seen[:, 2] > studio.view.near).all():
            try:
                outlines.append(seen[ConvexHull(seen[:, :2]).vertices, :2])
            except QhullError:  # seen from the side it is a line
                continue
    return outlines


def draw(scene: Scene, studio: Studio, path: Path | None) -> int:
    """Draws a picture; to a file when there is a path. Returns the number of polygons."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure as Canvas

    polygons, colours, _ = visible_faces(scene, studio)
    width, height = studio.size
    canvas = Canvas(figsize=(width / DOTS, height / DOTS), dpi=DOTS, facecolor=studio.background)
    FigureCanvasAgg(canvas)
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
        if studio.shadows:
            tone = [(1.0 - SHADOW) * part for part in studio.background]
            axes.add_collection(PolyCollection(shadow_outlines(scene, studio), facecolors=[tone], linewidths=0))
        made = PolyCollection(polygons, facecolors=face, edgecolors=edge, linewidths=line)
        made.set_antialiased(studio.smooth)
        axes.add_collection(made)
    if path is not None:
        canvas.savefig(path, format=path.suffix.lstrip(".").lower() or "png", dpi=DOTS)
    else:
        canvas.canvas.draw()
    studio.drawn += 1
    return len(polygons)


def depth_map(scene: Scene, studio: Studio) -> np.ndarray:
    """Distance to the nearest surface for each pixel [m], infinite where there is none; rows from the top."""
    width, height = studio.size
    polygons, _, depth = visible_faces(scene, studio)
    fans = [(p[[0, k, k + 1]], d) for p, d in zip(polygons, depth) for k in range(1, len(p) - 1)]
    corners = np.array([corner for corner, _ in fans]).reshape(-1, 3, 2)
    depth = np.array([distance for _, distance in fans])
    cx, cy, hx, hy = studio.view.window
    aspect = studio.view.aspect or width / height
    x = (corners[..., 0] / aspect - cx + hx) / (2.0 * hx) * width
    y = (cy + hy - corners[..., 1]) / (2.0 * hy) * height
    picture = np.full((height, width), np.inf)
    for (xs, ys), distance in zip(zip(x, y), depth):
        left, right = max(int(xs.min()), 0), min(int(xs.max()) + 2, width)
        top, bottom = max(int(ys.min()), 0), min(int(ys.max()) + 2, height)
        if left >= right or top >= bottom:
            continue
        px, py = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5)
        inside = _inside(px, py, xs, ys)
        block = picture[top:bottom, left:right]
        block[inside] = np.minimum(block[inside], distance)
    return picture


def _inside(px: np.ndarray, py: np.ndarray, xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    sides = [(xs[(k + 1) % 3] - xs[k]) * (py - ys[k]) - (ys[(k + 1) % 3] - ys[k]) * (px - xs[k]) for k in range(3)]
    return np.all([s >= 0 for s in sides], axis=0) | np.all([s <= 0 for s in sides], axis=0)
