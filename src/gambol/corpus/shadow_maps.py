"""Shadow maps: what a light sees nearest, so that what lies farther is in the shade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.corpus.lighting import light_position, normalised
from gambol.corpus.render_settings import Light, RenderSettings
from gambol.corpus.scene import CorpusScene

WIDEST = np.radians(150.0)  # of a map, across
MARGIN = 1.05  # about what casts shadows


@dataclass(frozen=True)
class ShadowMap:
    """Distances along the axis of a light [m], (height, width); inf where it sees nothing that casts a shadow."""

    source: np.ndarray
    axes: np.ndarray  # rows: right, up, along the axis
    spread: float  # tangent of half of the angle across
    distance: np.ndarray
    bias: tuple[float, float]  # [m] at once, and in the width of a sample of the map
    density: float

    def darkness(self, points: np.ndarray) -> np.ndarray:
        """How much of the light is kept from points (n, 3), from 0 to 1: the mean of the four nearest samples."""
        x, y, far = self._seen(points)
        height, width = self.distance.shape
        near = self.bias[0] + self.bias[1] * 2.0 * self.spread * far / width
        left, top = np.floor(x - 0.5).astype(int), np.floor(y - 0.5).astype(int)
        fx, fy = x - 0.5 - left, y - 0.5 - top
        dark = np.zeros(len(points))
        for across, share_x in ((0, 1.0 - fx), (1, fx)):
            for down, share_y in ((0, 1.0 - fy), (1, fy)):
                column, row = left + across, top + down
                inside = (column >= 0) & (column < width) & (row >= 0) & (row < height) & (far > 0)
                nearest = np.where(
                    inside, self.distance[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)], np.inf
                )
                dark += share_x * share_y * (nearest < far - near)
        return self.density * dark

    def _seen(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        seen = (points - self.source) @ self.axes.T
        far = seen[:, 2]
        scale = 1.0 / (self.spread * np.where(np.abs(far) > 1e-12, far, 1e-12))
        height, width = self.distance.shape
        return (1.0 + seen[:, 0] * scale) * 0.5 * width, (1.0 - seen[:, 1] * scale) * 0.5 * height, far


def shadow_maps(scene: CorpusScene, rendering: RenderSettings) -> dict[str, ShadowMap]:
    """Those of all lights that have one, by the light's name."""
    if not rendering.shadows:
        return {}
    lights = (light for light in rendering.lights.values() if light.on and light.shadow_file is not None)
    made = {light.name: _look(scene, rendering, light) for light in lights}
    return {name: found for name, found in made.items() if found is not None}


def _look(scene: CorpusScene, rendering: RenderSettings, light: Light) -> ShadowMap | None:
    from gambol.draw.raster import NO_FACE, cover

    casters = [
        obj
        for obj in scene.objects.values()
        if obj.appearance.shown and obj.appearance.casts_shadow and len(obj.geometry.faces)
    ]
    if not casters:
        return None
    source, points = light_position(rendering, light), np.concatenate([obj.points for obj in casters])
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    axes = _axes(middle - source)
    seen = (points - source) @ axes.T
    ahead = seen[:, 2] > 1e-9
    widest = np.tan(0.5 * WIDEST)
    tangents = np.abs(seen[ahead, :2]).max(axis=1) / seen[ahead, 2] if ahead.any() else np.array([widest])
    spread = min(MARGIN * float(tangents.max()), widest) if ahead.all() else widest
    width, height = (max(1, round(rendering.shadow_resolution * size)) for size in rendering.shadow_size)
    found = ShadowMap(
        source, axes, max(spread, 1e-6), np.full((height, width), np.inf), rendering.shadow_bias, light.shadow_density
    )
    for obj in casters:
        x, y, far = found._seen(obj.points)
        if max(np.ptp(x), np.ptp(y)) < rendering.shadow_least:
            continue
        on_map = np.ascontiguousarray(np.column_stack([x, y, far]))
        faces = np.array([f for f in obj.geometry.triangles if (far[f] > 1e-9).all()], int).reshape(-1, 3)
        owner, weights = np.full((height, width), NO_FACE), np.zeros((height, width, 2))
        cover(on_map, faces, found.distance, owner, weights, True)
    return found


def _axes(way: np.ndarray) -> np.ndarray:
    along = normalised(way) if np.linalg.norm(way) > 0 else np.array([0.0, 0.0, -1.0])
    level = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    right = normalised(np.cross(along, level))
    return np.array([right, np.cross(right, along), along])
