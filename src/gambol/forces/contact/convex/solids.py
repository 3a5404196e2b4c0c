"""Shapes as convex contact knows them: a core and a radius around it, as numbers in a table.

A solid is all points within `radius` of its core. Sharp edges are rounded by moving all faces of the core inwards by
the radius: faces stay where they were. The core of a sphere is a point, that of a capsule a segment; that of an
ellipsoid is the ellipsoid less a ball that fits inside its tightest bend.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from gambol.figure.placement import Placement
from gambol.figure.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere
from gambol.forces.contact.support_points import MOST_POINTS, support_points

BLOCK_CORE, ROUND_CORE, CYLINDER_CORE, CONE_CORE, HULL_CORE = range(5)  # kinds of cores
# A solid's numbers: kind, radius, what a ball less takes from a round core; axes (columns) and centre in its body's
# layout axes, sizes; how many corners and faces a hull has, then the corners, then each face: normal, corners, which
CORE_KIND, CORE_RADIUS, CORE_LESS, CORE_AXES, CORE_CENTRE, CORE_SIZES, CORE_CORNERS, CORE_FACES, CORE_FIRST = (
    0,
    1,
    2,
    3,
    12,
    15,
    18,
    19,
    20,
)
FACE_MOST = 16  # corners of a face that a contact looks at
FLAT_FACE = 1e-9  # faces whose normals differ by less are one


@dataclass(frozen=True)
class Solid:
    """A convex shape at its place in a frame: see above. `points` and `faces` are those of a hull's core."""

    kind: int
    radius: float
    axes: np.ndarray
    centre: np.ndarray
    sizes: tuple[float, float, float]
    bound: float  # radius of a ball about the centre that holds it
    thickness: float  # of the largest ball that it holds
    less: float = 0.0
    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    faces: tuple[tuple[np.ndarray, tuple[int, ...]], ...] = ()
    note: str = ""

    @classmethod
    def of(
        cls,
        shape: Shape,
        placement: Placement,
        rounding: float,
        turn: np.ndarray | None = None,
        most: int = MOST_POINTS,
    ) -> Solid:
        """A shape at a place, edges rounded by `rounding` of its thickness; `turn` takes its frame to layout axes."""
        turn = np.eye(3) if turn is None else turn
        axes, centre = turn @ np.asarray(placement.matrix), turn @ np.asarray(placement.position)
        match shape:
            case Sphere():
                return cls(BLOCK_CORE, shape.radius, axes, centre, (0.0, 0.0, 0.0), shape.radius, 2.0 * shape.radius)
            case Capsule():
                half = 0.5 * shape.length
                thick = 2.0 * shape.radius
                return cls(BLOCK_CORE, shape.radius, axes, centre, (0.0, 0.0, half), half + shape.radius, thick)
            case Box():
                radius = rounding * min(shape.size)
                x, y, z = (0.5 * size - radius for size in shape.size)
                bound = float(np.hypot(np.hypot(x, y), z)) + radius
                return cls(BLOCK_CORE, radius, axes, centre, (x, y, z), bound, min(shape.size))
            case Cylinder():
                thick = min(2.0 * shape.radius, shape.length)
                radius = rounding * thick
                r, half = shape.radius - radius, 0.5 * shape.length - radius
                return cls(
                    CYLINDER_CORE, radius, axes, centre, (r, half, 0.0), float(np.hypot(r, half)) + radius, thick
                )
            case Cone():
                slant = float(np.hypot(shape.radius, shape.length))
                inside = shape.radius * shape.length / (slant + shape.radius)  # of the ball that fits in
                radius = rounding * 2.0 * inside
                base, tip = -0.5 * shape.length + radius, 0.5 * shape.length - radius * slant / shape.radius
                r = shape.radius * (tip - base) / shape.length
                bound = max(float(np.hypot(r, base)), abs(tip)) + radius
                return cls(CONE_CORE, radius, axes, centre, (r, base, tip), bound, 2.0 * inside)
            case Ellipsoid():
                less = 0.5 * min(shape.radii) ** 2 / max(shape.radii)
                return cls(ROUND_CORE, less, axes, centre, shape.radii, max(shape.radii), 2.0 * min(shape.radii), less)
            case Hull() | Mesh():
                given = shape.points if isinstance(shape, Hull) else shape.vertices
                points, faces, radius, thick, note = hull_core(tuple(given), float(rounding), most)
                bound = float(np.linalg.norm(points, axis=1).max()) + radius
                return cls(
                    HULL_CORE, radius, axes, centre, (0.0, 0.0, 0.0), bound, thick,
                    points=points, faces=faces, note=note and f"{shape.kind} {note}",
                )  # fmt: skip
        raise TypeError(f"a {getattr(shape, 'kind', shape)} cannot touch other bodies")

    def thicker(self, margin: float) -> Solid:
        """With so much more radius [m] all round."""
        more = {
            "radius": self.radius + margin,
            "bound": self.bound + margin,
            "thickness": self.thickness + 2.0 * margin,
        }
        return replace(self, **more)  # type: ignore[arg-type]

    @property
    def most_contacts(self) -> int:
        """At how many points it may touch something flat."""
        if self.kind == ROUND_CORE or (self.kind == BLOCK_CORE and not any(self.sizes)):
            return 1
        return 2 if self.kind == BLOCK_CORE and np.count_nonzero(self.sizes) == 1 else CONTACTS

    def numbers(self) -> list[float]:
        """As the kernels read it."""
        head = [self.kind, self.radius, self.less, *self.axes.T.ravel(), *self.centre, *self.sizes]
        found = [float(x) for x in (*head, len(self.points), len(self.faces), *self.points.ravel())]
        for normal, corners in self.faces:
            found += [*map(float, normal), float(len(corners)), *map(float, corners)]
        return found


CONTACTS = 8  # points that carry, of two solids at most


@lru_cache(maxsize=256)
def hull_core(given: tuple, rounding: float, most: int):
    """Corners and faces of a hull with all faces moved inwards, by how much; its thickness, and what thinning lost."""
    from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

    thinned = support_points(given, most)
    note = thinned.note("")
    try:
        planes = _planes(ConvexHull(thinned.points))
    except QhullError as error:
        raise ValueError("its points lie in a plane: it has no inside that others could be pushed out of") from error
    inside, room = _deepest(planes)
    radius = rounding * 2.0 * room
    points = thinned.points
    if radius > 0:
        moved = np.column_stack([planes[:, :3], planes[:, 3] + radius])
        points = _apart(HalfspaceIntersection(moved, inside).intersections, 1e-9 * room)
    hull = ConvexHull(points)
    points = points[hull.vertices]
    return points, _faces(points, _planes(ConvexHull(points)), 1e-7 * room), radius, 2.0 * room, note.strip()


def _planes(hull) -> np.ndarray:
    """The different planes of a hull's facets."""
    found, count = np.empty_like(hull.equations), 0
    for plane in hull.equations:
        if not (np.abs(plane - found[:count]).max(axis=1) < FLAT_FACE * max(1.0, abs(plane[3]))).any():
            found[count], count = plane, count + 1
    return found[:count]


def _apart(points: np.ndarray, least: float) -> np.ndarray:
    """Points, of those nearer than `least` to one another only the first."""
    kept, count = np.empty_like(points), 0
    for point in points[np.isfinite(points).all(axis=1)]:
        if (np.linalg.norm(point - kept[:count], axis=1) > least).all():
            kept[count], count = point, count + 1
    return kept[:count]


def _deepest(planes: np.ndarray) -> tuple[np.ndarray, float]:
    """Centre and radius of the largest ball inside planes."""
    from scipy.optimize import linprog

    rows = np.column_stack([planes[:, :3], np.ones(len(planes))])
    found = linprog([0, 0, 0, -1], rows, -planes[:, 3], bounds=[(None, None)] * 3 + [(0, None)])
    return found.x[:3], float(found.x[3])


def _faces(points: np.ndarray, planes: np.ndarray, slack: float) -> tuple[tuple[np.ndarray, tuple[int, ...]], ...]:
    """Outward normal and corners, anticlockwise from outside, of each face; of large ones, some of the corners."""
    found = []
    for plane in planes:
        normal = plane[:3]
        own = np.nonzero(np.abs(points @ normal + plane[3]) < slack)[0]
        if len(own) < 3:
            continue
        across = np.linalg.svd(normal[None])[2][1:]
        across[1] = np.cross(normal, across[0])
        flat = (points[own] - points[own].mean(axis=0)) @ across.T
        own = own[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
        if len(own) > FACE_MOST:
            own = own[np.linspace(0, len(own), FACE_MOST, endpoint=False).astype(int)]
        found.append((normal, tuple(int(k) for k in own)))
    return tuple(found)
