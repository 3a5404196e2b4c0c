"""The surface of every shape as triangles, fine enough to look round."""

from functools import cache

import numpy as np

from gambol.figure import Box, Capsule, Cone, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere

AROUND, DOWN = 24, 10  # facets around a round shape, and from pole to pole
STRETCH = 0.8  # longest facet of a barrel, in radii: long ones cannot be sorted by depth


@cache
def surface(shape: Shape, around: int = AROUND, down: int = DOWN) -> np.ndarray:
    """Triangles of a shape in its frame, wound counter-clockwise from outside: (triangles, 3 corners, 3) [m].

    around, down   facets around a round shape, and from pole to pole (even)
    """
    match shape:
        case Box():
            return _box() * np.asarray(shape.size)
        case Sphere():
            return _ball(0.0, around, down) * shape.radius
        case Ellipsoid():
            return _ball(0.0, around, down) * np.asarray(shape.radii)
        case Capsule():
            return _ball(0.5 * shape.length / shape.radius, around, down) * shape.radius
        case Cylinder():
            return _drum(0.5 * shape.length / shape.radius, around) * shape.radius
        case Cone():
            return _cone(0.5 * shape.length / shape.radius, around) * shape.radius
        case Hull():
            return _hull(np.asarray(shape.points))
        case Mesh():
            return np.asarray(shape.vertices)[np.asarray(shape.faces)]
    raise TypeError(f"no surface for {type(shape).__name__}")


def _ring(height: float, radius: float, around: int) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(around) / around
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(around, height)])


def _lathe(rings: list[np.ndarray]) -> np.ndarray:
    """Triangles between rings that go from top to bottom."""
    found = []
    for upper, lower in zip(rings, rings[1:]):
        u, l = np.roll(upper, -1, axis=0), np.roll(lower, -1, axis=0)
        found += [np.stack([upper, lower, l], axis=1), np.stack([upper, l, u], axis=1)]
    return _solid(np.concatenate(found))


def _solid(triangles: np.ndarray) -> np.ndarray:
    """Without those that have no area, at poles."""
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    return triangles[area > 1e-12]


def _ball(half: float, around: int, down: int) -> np.ndarray:
    """A unit ball, or a capsule of unit radius whose caps stand ±half away."""
    angles = np.linspace(0.0, np.pi, down + 1)
    rings = [_ring(np.cos(a) + (half if a <= 0.5 * np.pi else -half), np.sin(a), around) for a in angles]
    if half:
        middle = down // 2 + 1
        heights = np.linspace(half, -half, 1 + max(1, int(np.ceil(2.0 * half / STRETCH))))
        rings[middle:middle] = [_ring(height, 1.0, around) for height in heights[1:]]
    return _lathe(rings)


def _drum(half: float, around: int) -> np.ndarray:
    heights = np.linspace(half, -half, 1 + max(1, int(np.ceil(2.0 * half / STRETCH))))
    return _lathe([_ring(half, 0.0, around), *(_ring(h, 1.0, around) for h in heights), _ring(-half, 0.0, around)])


def _cone(half: float, around: int) -> np.ndarray:
    heights = np.linspace(half, -half, 1 + max(1, int(np.ceil(2.0 * half / STRETCH))))
    rings = [_ring(height, 0.5 * (half - height) / half, around) for height in heights]
    return _lathe([*rings, _ring(-half, 0.0, around)])


def _box() -> np.ndarray:
    return _hull(np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]))


def _hull(points: np.ndarray) -> np.ndarray:
    from scipy.spatial import ConvexHull

    found = ConvexHull(points)
    triangles = points[found.simplices]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inward = np.einsum("ij,ij->i", normals, found.equations[:, :3]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles
