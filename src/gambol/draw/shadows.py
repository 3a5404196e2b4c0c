"""The sun's shadow: a map of what it sees first, and how much of its disc is seen from a point.

The sun is a disc, as a softbox is: what is close to the ground throws a sharp shadow, what is high above it a soft one.
"""

import math
from typing import NamedTuple

import numpy as np

from gambol.jit import entry, function
from gambol.plot.palette import LIGHT

FAR = 1e30
TEXELS = 1024  # along each side of the map
BLOCK, BLOCKS_AROUND = 32, 2  # of the map's summary: the least depth in each block and those around it
WIDEST = 60.0  # [texels] radius of the softest shadow: within the blocks around
SHARP = 3.0  # [texels] radius below which neighbouring texels are blended instead
SPREAD = 0.035  # how wide a shadow's edge is, half of it, of the way from what throws it
SEARCHED, TAKEN = 10, 14  # places that are looked at for what throws a shadow, and for how much of the sun is left


class Shadow(NamedTuple):
    """What the sun sees.

    depth   (n, n) along its light [m], FAR where nothing is
    least   (n / BLOCK, n / BLOCK) the least depth in a block and those around it
    map     (3, 4) from world points to columns and rows [texels] and depth [m]
    texel   its size [m]
    disc    (SEARCHED + TAKEN, 3) places in the unit disc, and how far each is from its middle
    turns   (16, 2) cosines and sines by which they are turned
    """

    depth: np.ndarray
    least: np.ndarray
    map: np.ndarray
    texel: float
    disc: np.ndarray
    turns: np.ndarray


def sunflower(count: int) -> np.ndarray:
    """Places spread evenly over the unit disc, and how far each is from its middle."""
    k = np.arange(count) + 0.5
    return np.sqrt(k / count)[:, None] * np.column_stack([np.cos(2.399963 * k), np.sin(2.399963 * k), np.ones(count)])


DISC = np.concatenate([sunflower(SEARCHED), sunflower(TAKEN)])
TURNED = 2.0 * np.pi * ((5 * np.arange(16)) % 16) / 16.0  # another one for each of 4 × 4 samples
TURNS = np.column_stack([np.cos(TURNED), np.sin(TURNED)])


def shadow_of(corners: np.ndarray, moving: np.ndarray, faces: np.ndarray) -> Shadow:
    """The shadow of solids, sharpest where the corners `moving` are."""
    from gambol.draw.raster import cover

    right = np.cross((0.0, 0.0, 1.0), LIGHT)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(LIGHT, right), -LIGHT])
    low, high = _bounds(corners @ axes.T, moving @ axes.T)
    texel = float(max((high - low)[:2].max(), 1e-9)) / (TEXELS - 16)
    light = np.zeros((3, 4))
    light[:2, :3], light[2, :3] = axes[:2] / texel, axes[2]
    light[:2, 3] = -low[:2] / texel + 8.0
    points = corners @ light[:, :3].T + light[:, 3]
    depth = np.full((TEXELS, TEXELS), FAR, np.float32)
    owner, weights = np.empty((TEXELS, TEXELS), np.int32), np.empty((TEXELS, TEXELS, 2), np.float32)
    cover(points, faces, depth, owner, weights, False)
    own, least = np.empty((2, TEXELS // BLOCK, TEXELS // BLOCK), np.float32)
    summarise(depth, own, least)
    return Shadow(depth, least, light, texel, DISC, TURNS)


def _bounds(seen: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the map covers, in the sun's axes: the figures and props around them, but not a wide landscape."""
    room = float(np.ptp(own, axis=0).max())
    low, high = own.min(axis=0) - room, own.max(axis=0) + room
    return np.maximum(low, seen.min(axis=0)), np.minimum(high, seen.max(axis=0))


@entry
def summarise(depth, own, least):
    """The least depth in each block, and in it and those around it."""
    blocks = own.shape[0]
    for j in range(blocks):
        for i in range(blocks):
            found = FAR
            for y in range(j * BLOCK, (j + 1) * BLOCK):
                for x in range(i * BLOCK, (i + 1) * BLOCK):
                    found = min(found, depth[y, x])
            own[j, i] = found
    for j in range(blocks):
        for i in range(blocks):
            found = FAR
            for y in range(max(0, j - BLOCKS_AROUND), min(blocks, j + BLOCKS_AROUND + 1)):
                for x in range(max(0, i - BLOCKS_AROUND), min(blocks, i + BLOCKS_AROUND + 1)):
                    found = min(found, own[y, x])
            least[j, i] = found


@function
def blended(depth, u, v, d):
    """The share of a small square around (u, v) [texels] that is lit at depth d: nine places, between texels."""
    total = 0.0
    for j in range(-1, 2):
        for i in range(-1, 2):
            fu, fv = u - 0.5 + 1.6 * i, v - 0.5 + 1.6 * j
            iu, iv = math.floor(fu), math.floor(fv)
            su, sv = fu - iu, fv - iv
            near = (1.0 if depth[iv, iu] > d else 0.0) * (1.0 - su) + (1.0 if depth[iv, iu + 1] > d else 0.0) * su
            far = (1.0 if depth[iv + 1, iu] > d else 0.0) * (1.0 - su)
            far += (1.0 if depth[iv + 1, iu + 1] > d else 0.0) * su
            total += near * (1.0 - sv) + far * sv
    return total / 9.0


@function
def bare(depth, u, v, d):
    """Is nothing in the light at (u, v) [texels] and its corners?"""
    found = depth[math.floor(v), math.floor(u)] > d
    for j in (-2, 2):
        for i in (-2, 2):
            found = found and depth[math.floor(v) + j, math.floor(u) + i] > d
    return found


@function
def lit(shadow, px, py, pz, facing, turn):
    """The share of the sun's disc that a point [m, world] sees, 0 … 1.

    facing  cosine between the surface and the light; turn: which of the sixteen turns of the disc
    """
    depth, light = shadow.depth, shadow.map
    size = depth.shape[0]
    u = light[0, 0] * px + light[0, 1] * py + light[0, 2] * pz + light[0, 3]
    v = light[1, 0] * px + light[1, 1] * py + light[1, 2] * pz + light[1, 3]
    if u < 4.0 - WIDEST or v < 4.0 - WIDEST or u > size - 5.0 + WIDEST or v > size - 5.0 + WIDEST:
        return 1.0
    d = light[2, 0] * px + light[2, 1] * py + light[2, 2] * pz + light[2, 3]
    d -= 2.0 * shadow.texel * (1.0 + 2.0 * (1.0 - facing))
    last = shadow.least.shape[0] - 1
    i, j = min(max(int(u / BLOCK), 0), last), min(max(int(v / BLOCK), 0), last)
    first = shadow.least[j, i]
    if first >= d:
        return 1.0
    steep = shadow.texel * min(math.sqrt(max(0.0, 1.0 - facing * facing)) / max(facing, 0.1), 4.0)
    c, s = shadow.turns[turn, 0], shadow.turns[turn, 1]
    wide = min(SPREAD * (d - first) / shadow.texel, WIDEST)
    total, count = 0.0, 0
    for k in range(SEARCHED):
        x, y = wide * shadow.disc[k, 0], wide * shadow.disc[k, 1]
        iu, iv = math.floor(u + c * x - s * y), math.floor(v + s * x + c * y)
        if 0 <= iu < size and 0 <= iv < size:
            own = depth[iv, iu]
            if own < d - steep * wide * shadow.disc[k, 2]:
                total += own
                count += 1
    if count == SEARCHED:
        return 0.0
    wide = 0.0 if count == 0 else min(SPREAD * (d - total / count) / shadow.texel, WIDEST)
    if wide < SHARP:
        if u < 4.0 or v < 4.0 or u > size - 5.0 or v > size - 5.0 or (count == 0 and bare(depth, u, v, d)):
            return 1.0
        return blended(depth, u, v, d)
    seen = 0
    for k in range(SEARCHED, SEARCHED + TAKEN):
        x, y = wide * shadow.disc[k, 0], wide * shadow.disc[k, 1]
        iu, iv = math.floor(u + c * x - s * y), math.floor(v + s * x + c * y)
        if not (0 <= iu < size and 0 <= iv < size) or depth[iv, iu] >= d - steep * wide * shadow.disc[k, 2]:
            seen += 1
    return seen / TAKEN
