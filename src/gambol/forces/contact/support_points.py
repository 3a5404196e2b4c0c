"""Few points that carry a hull or a mesh: corners of its convex hull, the most prominent ones where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

MOST_POINTS = 64


class SupportPoints(NamedTuple):
    """The points kept [m], how many there were, how many of them were corners, and the largest distance lost [m].

    The ground meets the hull of the points kept; a corner that was left out may lie `lost` deeper, no corner more.
    """

    points: np.ndarray
    given: int
    corners: int
    lost: float

    def note(self, kind: str) -> str:
        """What was left out; empty when that is nothing."""
        if self.lost == 0.0:
            return ""
        kept = f"{len(self.points)} of {self.corners} corners kept"
        return f"{kind} of {self.given} points: {kept}, the others lie at most {self.lost:.2g} m outside them"


def support_points(points: Sequence[Sequence[float]], most: int = MOST_POINTS) -> SupportPoints:
    """At most `most` corners of the convex hull: always next the one that lies farthest outside those kept."""
    if most < 4:
        raise ValueError(f"a hull has at least 4 corners, not {most}")
    return _support_points(tuple(map(tuple, points)), most)


@lru_cache(maxsize=256)
def _support_points(given: tuple, most: int) -> SupportPoints:
    from scipy.spatial import ConvexHull, QhullError

    points = np.unique(np.array(given, float), axis=0)
    try:
        corners = points[ConvexHull(points).vertices] if len(points) > 4 else points
        if len(corners) <= most:
            return SupportPoints(corners, len(given), len(corners), 0.0)
        chosen = _simplex(corners)
        while len(chosen) < most:
            planes = ConvexHull(corners[chosen]).equations
            outside = (corners @ planes[:, :3].T + planes[:, 3]).max(axis=1)
            outside[chosen] = -np.inf
            chosen.append(int(np.argmax(outside)))
        kept = corners[chosen]
        return SupportPoints(kept, len(given), len(corners), _farthest(corners, ConvexHull(kept)))
    except QhullError:  # all in one plane or line: spread evenly
        chosen = [int(np.argmax(np.linalg.norm(points - points.mean(axis=0), axis=1)))]
        apart = np.linalg.norm(points - points[chosen[0]], axis=1)
        while len(chosen) < min(most, len(points)):
            chosen.append(int(np.argmax(apart)))
            apart = np.minimum(apart, np.linalg.norm(points - points[chosen[-1]], axis=1))
        return SupportPoints(points[chosen], len(given), len(points), float(apart.max()))


def _simplex(points: np.ndarray) -> list[int]:
    """Four points that span a large tetrahedron."""
    first = int(np.argmax(np.linalg.norm(points - points.mean(axis=0), axis=1)))
    away = points - points[first]
    second = int(np.argmax(np.linalg.norm(away, axis=1)))
    line = away[second] / np.linalg.norm(away[second])
    third = int(np.argmax(np.linalg.norm(away - np.outer(away @ line, line), axis=1)))
    normal = np.cross(line, away[third])
    return [first, second, third, int(np.argmax(np.abs(away @ normal)))]


def _farthest(points: np.ndarray, hull: ConvexHull) -> float:
    """The largest distance of points outside a hull (or on it) from it.

    A point is at least as far away as it is beyond a facet's plane, and at most as far as it is from the facet itself:
    where the facet whose plane is farthest leaves no doubt, the others need no look.
    """
    from trimesh.triangles import closest_point

    triangles = hull.points[hull.simplices]
    beyond = points @ hull.equations[:, :3].T + hull.equations[:, 3]
    facet = beyond.argmax(axis=1)
    within = np.linalg.norm(closest_point(triangles[facet], points) - points, axis=1)
    found = float(beyond.max())
    for k in np.argsort(-within):
        if within[k] <= found:
            break
        near = closest_point(triangles, np.tile(points[k], (len(triangles), 1)))
        found = max(found, float(np.linalg.norm(near - points[k], axis=1).min()))
    return found
