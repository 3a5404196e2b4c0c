"""Textures as the renderer reads them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.draw.look import linear
from gambol.draw.solids import Batch
from gambol.figure.texture import Texture


class Wraps(NamedTuple):
    """What lies over the faces of a scene.

    texels  (n, 3) light, rows from the top: each picture, then its halves, down to one texel
    wraps   (faces, 3): where in `texels` the picture begins, its columns and rows; no columns where there is none
    uv      (faces, 6): where the three corners lie on it
    grain   (faces,): texels of the whole picture a metre of the face
    """

    texels: np.ndarray
    wraps: np.ndarray
    uv: np.ndarray
    grain: np.ndarray


def wraps_of(batches: Sequence[Batch]) -> Wraps:
    """Of all solids, in their order."""
    pictures: dict[bytes, tuple[int, int, int]] = {}
    texels: list[np.ndarray] = []
    rows, places, grains = [], [], []
    for batch in batches:
        surface, texture = batch.surface, batch.texture
        count, copies = len(surface.faces), len(batch.bodies)
        wrap, uv, grain = (0, 0, 0), np.zeros((count, 3, 2)), np.zeros(count)
        if texture is not None and surface.uv is not None:
            if texture.image not in pictures:
                high, wide = texture.pixels.shape[:2]
                pictures[texture.image] = (sum(map(len, texels)), wide, high)
                texels += _halves(texture)
            wrap, uv = pictures[texture.image], surface.uv[surface.faces]
            flat = (uv[:, 1:] - uv[:, :1]) * wrap[1:]
            solid = surface.vertices[surface.faces]
            area = np.linalg.norm(np.cross(solid[:, 1] - solid[:, 0], solid[:, 2] - solid[:, 0]), axis=1)
            turned = np.abs(flat[:, 0, 0] * flat[:, 1, 1] - flat[:, 0, 1] * flat[:, 1, 0])
            grain = np.sqrt(turned / np.maximum(area, 1e-30))
        rows.append(np.tile(wrap, (count * copies, 1)))
        places.append(np.tile(uv.reshape(-1, 6), (copies, 1)))
        grains.append(np.tile(grain, copies))
    return Wraps(
        np.concatenate([np.zeros((1, 3), np.float32) if not texels else np.empty((0, 3), np.float32), *texels]),
        np.concatenate(rows).astype(np.int32),
        np.concatenate(places).astype(np.float32),
        np.concatenate(grains).astype(np.float32),
    )


def _halves(texture: Texture) -> list[np.ndarray]:
    from PIL import Image

    picture = Image.fromarray(np.round(255.0 * texture.pixels).astype(np.uint8))
    found = []
    while True:
        found.append(linear(np.asarray(picture, np.float32) / 255.0).reshape(-1, 3).astype(np.float32))
        if picture.size == (1, 1):
            return found
        picture = picture.resize((max(picture.width // 2, 1), max(picture.height // 2, 1)), Image.Resampling.BOX)
