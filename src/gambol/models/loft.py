"""Smooth skins from a few cross-sections, for looks alone."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from gambol.figure import Mesh

AROUND = 26  # facets around
AXES = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # where the section's two axes and the way along it go
Section = tuple[float, float, float, float, float]


@cache
def loft(sections: tuple[Section, ...], *, along: str = "z", square: float = 2.0, around: int = AROUND) -> Mesh:
    """A closed surface through cross-sections (way, middle a, middle b, half width a, half width b) [m].

    along    the axis on which the ways are; a and b are the next two axes in turn (for z: x and y)
    square   2: sections are ellipses; larger: rounder rectangles
    """
    rows = np.column_stack([refined(column) for column in np.array(sections, float).T])
    angle = 2.0 * np.pi * np.arange(around) / around
    cos, sin = (np.sign(w) * np.abs(w) ** (2.0 / square) for w in (np.cos(angle), np.sin(angle)))
    rings = [np.column_stack([a + u * cos, b + v * sin, np.full(around, way)]) for way, a, b, u, v in rows]
    ends = [np.array([[row[1], row[2], row[0]]]) for row in (rows[0], rows[-1])]
    points = np.concatenate([ends[0], *rings, ends[1]])
    points = points[:, [AXES[along].index(k) for k in range(3)]]
    return Mesh(tuple(map(tuple, points.tolist())), tuple(_faces(len(rings), around, rising=rows[-1, 0] > rows[0, 0])))


def refined(values: np.ndarray) -> np.ndarray:
    """The values with one between each two, on a smooth curve that never overshoots (Fritsch and Carlson's cubics).

    SciPy has the same; importing it takes longer than everything else about a figure.
    """
    rises = np.diff(values)
    slopes = np.zeros(len(values))
    if len(rises) == 1:
        slopes[:] = rises[0]
    else:
        before, after = rises[:-1], rises[1:]
        same = before * after > 0
        slopes[1:-1][same] = 2.0 * before[same] * after[same] / (before[same] + after[same])
        slopes[0], slopes[-1] = _end_slope(rises[0], rises[1]), _end_slope(rises[-1], rises[-2])
    found = np.empty(2 * len(values) - 1)
    found[::2] = values
    found[1::2] = 0.5 * (values[:-1] + values[1:]) + 0.125 * (slopes[:-1] - slopes[1:])
    return found


def _end_slope(own: float, next_one: float) -> float:
    slope = 1.5 * own - 0.5 * next_one
    if slope * own <= 0:
        return 0.0
    return 3.0 * own if own * next_one < 0 and abs(slope) > 3.0 * abs(own) else float(slope)


def _faces(rings: int, around: int, *, rising: bool) -> list[tuple[int, int, int]]:
    last = 1 + rings * around
    found = []
    for k in range(around):
        n = (k + 1) % around
        found += [(0, 1 + n, 1 + k), (last, last - around + k, last - around + n)]
        for ring in range(rings - 1):
            a, b = 1 + ring * around + k, 1 + ring * around + n
            found += [(a, b, b + around), (a, b + around, a + around)]
    return found if rising else [(a, c, b) for a, b, c in found]


def rod(radii: Sequence[float], length: float, *, along: str = "z", lean: tuple[float, float] = (0.0, 0.0)) -> Mesh:
    """A limb from 0 to `length` (or down to it, when negative) with these radii at even places and round ends [m].

    lean   how far its end is displaced along the two other axes
    """
    sign = 1.0 if length > 0 else -1.0
    first, last = radii[0], radii[-1]
    ends = np.sin(np.radians([20.0, 50.0, 90.0]))
    shrink = np.cos(np.radians([20.0, 50.0, 90.0]))
    ways = np.linspace(0.0, length, len(radii))
    rows = [(-sign * first * e, s * first + 1e-6) for e, s in zip(ends[::-1], shrink[::-1])]
    rows += list(zip(ways.tolist(), radii))
    rows += [(length + sign * last * e, s * last + 1e-6) for e, s in zip(ends, shrink)]
    return loft(
        tuple((way, lean[0] * way / length, lean[1] * way / length, r, r) for way, r in rows), along=along, around=14
    )
