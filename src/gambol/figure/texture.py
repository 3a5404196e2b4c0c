"""Pictures on meshes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

LARGEST = 1024  # pixels along a side: larger pictures are made smaller
STEPS = 2.0**24  # over the picture: counted from the top or from the bottom, places are the same to the last digit


@dataclass(frozen=True)
class Texture:
    """A picture laid over the triangles of a mesh, in place of the colour of its part.

    image   a PNG file, as bytes
    uv      for each corner of each triangle where on the picture it lies: from its left and from its top, of its width
            and height; beyond 0 … 1 it repeats
    """

    image: bytes
    uv: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, picture: Any, uv: np.ndarray, tint: Sequence[float] = (255.0, 255.0, 255.0)) -> Texture:
        """Of a PIL picture, and places (…, 2) on it; `tint`: a colour, 0 … 255, that it is multiplied with."""
        from PIL import Image

        picture = picture.convert("RGB")
        if max(picture.size) > LARGEST:
            picture.thumbnail((LARGEST, LARGEST))
        if min(tint[:3]) < 255.0:
            shade = np.asarray(picture, float) * np.asarray(tint[:3], float) / 255.0
            picture = Image.fromarray(np.round(shade).astype(np.uint8))
        file = io.BytesIO()
        picture.save(file, "PNG")
        places = np.round(np.asarray(uv, float) * STEPS) / STEPS
        return cls(file.getvalue(), tuple((u, v) for u, v in places.reshape(-1, 2).tolist()))

    def problem(self, triangles: int) -> str:
        """What is wrong with it on so many triangles; empty when nothing is."""
        if len(self.uv) != 3 * triangles or not np.isfinite(self.uv).all():
            return f"must say where {3 * triangles} corners lie on it, not {len(self.uv)}"
        try:
            self.pixels  # noqa: B018
        except (OSError, ValueError, SyntaxError) as error:  # PIL raises them all
            return f"is no picture: {error}"
        return ""

    @property
    def pixels(self) -> np.ndarray:
        """(rows from the top, columns, 3), 0 … 1, as seen."""
        return _decoded(self.image)

    @property
    def mean(self) -> tuple[float, float, float]:
        """Its colour from afar: the mean over the middles of the triangles, as seen."""
        high, wide = self.pixels.shape[:2]
        u, v = (np.asarray(self.uv).reshape(-1, 3, 2).mean(axis=1) % 1.0).T
        shades = self.pixels[np.minimum((v * high).astype(int), high - 1), np.minimum((u * wide).astype(int), wide - 1)]
        red, green, blue = (round(float(x), 4) for x in shades.mean(axis=0))
        return (red, green, blue)

    def turned(self) -> Texture:
        """For triangles whose corners are named the other way round."""
        corners = np.asarray(self.uv).reshape(-1, 3, 2)[:, [0, 2, 1]]
        return Texture(self.image, tuple((u, v) for u, v in corners.reshape(-1, 2).tolist()))


@lru_cache(maxsize=64)
def _decoded(image: bytes) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB"), np.float32) / 255.0
