"""Maps: pictures wound around objects (texture), mirrored in them (reflection), or thinning them (transparency)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PIL import Image

from gambol.corpus.lighting import normalised
from gambol.corpus.scene import NO_MAP, SceneObject, WornMaps
from gambol.corpus.table import look_up


@dataclass(frozen=True)
class TextureMap:
    """A picture (height, width, 4), red green blue alpha from 0 to 1, rows from the top; repeated so often over the
    unit square of texture coordinates, u to the right and v up."""

    pixels: np.ndarray
    repeat: tuple[float, float] = (1.0, 1.0)

    @cached_property
    def levels(self) -> list[np.ndarray]:
        """The picture, and its means over blocks of 2, 4, 8 … (mip map)."""
        found = [self.pixels]
        while min(found[-1].shape[:2]) > 1:
            last = found[-1]
            even = last[: last.shape[0] // 2 * 2, : last.shape[1] // 2 * 2]
            found.append(even.reshape(even.shape[0] // 2, 2, even.shape[1] // 2, 2, 4).mean(axis=(1, 3)))
        return found

    def at(self, uv: np.ndarray, texels: np.ndarray | float = 1.0) -> np.ndarray:
        """Colours (n, 4) at texture coordinates (n, 2), smooth between pixels, where a sample of the picture to be is
        so many pixels of the map wide."""
        wide = np.broadcast_to(np.asarray(texels, float), len(uv))
        level = np.clip(np.log2(np.maximum(wide, 1.0)), 0.0, len(self.levels) - 1.0)
        low = np.floor(level).astype(int)
        share = (level - low)[:, None]
        found = np.zeros((len(uv), 4))
        for k in np.unique(low):
            own = low == k
            above = self.levels[min(k + 1, len(self.levels) - 1)]
            found[own] = (1.0 - share[own]) * self._smooth(self.levels[k], uv[own])
            found[own] += share[own] * self._smooth(above, uv[own])
        return found

    def _smooth(self, picture: np.ndarray, uv: np.ndarray) -> np.ndarray:
        """Between the four nearest pixels of a picture that goes on on the other side."""
        height, width = picture.shape[:2]
        x = np.mod(uv[:, 0] * self.repeat[0], 1.0) * width - 0.5
        y = np.mod(1.0 - uv[:, 1] * self.repeat[1], 1.0) * height - 0.5
        left, top = np.floor(x).astype(int), np.floor(y).astype(int)
        fx, fy = (x - left)[:, None], (y - top)[:, None]
        row, below = top % height, (top + 1) % height
        column, beside = left % width, (left + 1) % width
        upper = (1.0 - fx) * picture[row, column] + fx * picture[row, beside]
        lower = (1.0 - fx) * picture[below, column] + fx * picture[below, beside]
        return (1.0 - fy) * upper + fy * lower


def map_of(image: Image.Image, repeat: tuple[float, float], *, grey: bool, alpha: bool) -> TextureMap:
    """A map from a picture: in colours or grey; without its alpha it is opaque."""
    values = np.asarray(image.convert("RGBA"), float) / 255.0
    if grey:
        values[..., :3] = (values[..., :3] @ (0.299, 0.587, 0.114))[..., None]
    if not alpha:
        values[..., 3] = 1.0
    return TextureMap(values, repeat)


def textured(
    base: np.ndarray, found: TextureMap | None, uv: np.ndarray | None, texels: np.ndarray, worn: WornMaps
) -> np.ndarray:
    """Colours of a surface under its texture: so much of its own, and so much of the map as its alpha says."""
    colours = worn.own * base
    if found is None or uv is None:
        return colours
    seen = found.at(uv, texels)
    return np.clip(colours + worn.textured * seen[:, 3:] * seen[:, :3], 0.0, 1.0)


def reflected(found: TextureMap, points: np.ndarray, normals: np.ndarray, eye: np.ndarray) -> np.ndarray:
    """What a mirror shows of the world around: a map with azimuth to the right and height up (seen from inside)."""
    view = normalised(points - eye)
    way = view - 2.0 * np.einsum("ij,ij->i", view, normals)[:, None] * normals
    u = 0.5 - np.arctan2(way[:, 1], way[:, 0]) / (2.0 * np.pi)
    v = 0.5 + np.arcsin(np.clip(way[:, 2], -1.0, 1.0)) / np.pi
    seen = found.at(np.column_stack([u, v]))
    return seen[:, 3:] * seen[:, :3]


def opacity(found: TextureMap | None, uv: np.ndarray | None, texels: np.ndarray, count: int) -> np.ndarray:
    """How much of a surface is left by its transparency map: white is clear, as 1 is in `trans`."""
    if found is None or uv is None:
        return np.ones(count)
    seen = found.at(uv, texels)
    return 1.0 - seen[:, :3].mean(axis=1) * seen[:, 3]


def find_map(maps: Mapping[str, TextureMap], name: str) -> TextureMap | None:
    """A map by its name; None for NULL."""
    return None if name.upper() == NO_MAP else look_up(maps, name, "map")


def flat_coordinates(obj: SceneObject) -> np.ndarray:
    """u and v from the box about an object in its x and y (its own points)."""
    points = obj.geometry.vertices[:, :2]
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    return (points - low) / np.where(size > 0, size, 1.0)
