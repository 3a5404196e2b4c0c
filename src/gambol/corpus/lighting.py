"""Light: how bright and of what colour surfaces are, and where shadows fall."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from gambol.corpus.render_settings import Light, RenderSettings
from gambol.corpus.scene import Appearance, CorpusScene

SHADOW_DARKNESS = 0.35  # how dark


class Shade(Protocol):
    """What keeps light from points."""

    def darkness(self, points: np.ndarray) -> np.ndarray:
        """From 0 to 1."""


def shade(
    rendering: RenderSettings,
    appearance: Appearance,
    points: np.ndarray,
    normal: np.ndarray,
    base: np.ndarray,
    shades: Mapping[str, Shade] = {},
) -> np.ndarray:
    """Colours at points of a surface with the given unit normals: ambient, diffuse and specular light.

    shades   of lights by their names: shadow maps
    """
    diffuse, specular, exponent, ambient = appearance.shade
    to_eye = normalised(np.asarray(rendering.view.eye) - points)
    names = appearance.lights
    total = ambient * base
    for light in rendering.lights.values():
        if light.on and (light.default if names is None else light.name in names):
            way, strength = _from_light(rendering, light, points)
            if light.name in shades:
                strength = strength * (1.0 - shades[light.name].darkness(points))
            facing = np.maximum(np.einsum("ij,ij->i", normal, way), 0.0)
            half = normalised(way + to_eye)
            gleam = np.maximum(np.einsum("ij,ij->i", normal, half), 0.0) ** max(exponent, 1e-6) * (facing > 0)
            tint = strength[:, None] * light.dimmer * np.asarray(light.colour)
            total = total + tint * (
                diffuse * facing[:, None] * base + specular * gleam[:, None] * np.asarray(appearance.specular_colour)
            )
    return np.clip(total, 0.0, 1.0)


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Vectors (…, 3) of length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)


def light_position(rendering: RenderSettings, light: Light) -> np.ndarray:
    """Where it stands; a light that was not placed hangs above the right shoulder of the camera."""
    if light.position is not None:
        return np.asarray(light.position)
    view = rendering.view
    right, up, back = view.axes
    distance = np.linalg.norm(np.subtract(view.target, view.eye))
    return np.asarray(view.eye) + distance * (0.35 * right + 0.6 * up + 0.2 * back)


def _from_light(rendering: RenderSettings, light: Light, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors to the light, and how much of it arrives."""
    source = light_position(rendering, light)
    away = source - points
    distance = np.linalg.norm(away, axis=1)
    way = normalised(away)
    strength = np.ones(len(points))
    if light.falloff == "linear":
        strength = 1.0 / np.maximum(distance, 1e-9)
    elif light.falloff == "exp":
        strength = np.exp(-light.exponent * distance)
    if light.aim is not None:
        axis = normalised(source - np.asarray(light.aim))
        off = np.degrees(np.arccos(np.clip(way @ axis, -1.0, 1.0)))
        edge = max(light.fade_angle, 1e-6)
        strength = strength * np.clip((light.angle + edge - off) / edge, 0.0, 1.0)
    return way, strength


def normals_of(corners: np.ndarray) -> np.ndarray:
    """Unit normals of triangles (n, 3 corners, 3)."""
    return normalised(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))


def shadows(scene: CorpusScene, rendering: RenderSettings) -> list[np.ndarray]:
    """Outlines (k, 3) of the shadows on level ground z = 0, in the light of the first one that is on, if it has no
    shadow map."""
    from scipy.spatial import ConvexHull, QhullError

    light = next((light for light in rendering.lights.values() if light.on), None)
    if light is None or not rendering.shadows or light.shadow_file is not None:
        return []
    source = light_position(rendering, light)
    outlines = []
    for obj in scene.objects.values():
        points = obj.points
        if not (obj.appearance.shown and obj.appearance.casts_shadow) or (points[:, 2] >= source[2]).any():
            continue
        share = (source[2] / (source[2] - points[:, 2]))[:, None]
        fallen = source + share * (points - source)
        fallen[:, 2] = 0.0
        try:
            outlines.append(fallen[ConvexHull(fallen[:, :2]).vertices])
        except QhullError:  # it is a line
            continue
    return outlines
