"""Points and polygons of objects, and 4×4 transforms of column vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from gambol.errors import CommandError
from gambol.figure import Box, Cylinder, Ellipsoid, Hull, Mesh, Part, Placement, Shape, Sphere
from gambol.models.bevelled_cube import bevelled_corners

CYLINDER_SIDES = 24
RIGID_TOLERANCE = 1e-6  # how far a placement may be from a rotation


@dataclass(frozen=True)
class Geometry:
    """Vertices (n, 3) and faces (polygons as index tuples), counter-clockwise from outside; `kind` names the shapes
    whose volume is known exactly."""

    vertices: np.ndarray
    faces: tuple[tuple[int, ...], ...]
    kind: str = ""

    @property
    def triangles(self) -> np.ndarray:
        """Vertex indices of triangles (m, 3)."""
        fans = [(f[0], f[k], f[k + 1]) for f in self.faces for k in range(1, len(f) - 1)]
        return np.array(fans, int).reshape(-1, 3)

    @property
    def triangle_polygons(self) -> np.ndarray:
        """The polygon that each triangle belongs to."""
        return np.array([i for i, f in enumerate(self.faces) for _ in range(len(f) - 2)], int)

    def transformed(self, matrix: np.ndarray) -> Geometry:
        """With the points moved by a matrix."""
        return replace(self, vertices=transform_points(matrix, self.vertices), kind="")


def transform_points(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (n, 3) or one point, moved by a 4×4 matrix."""
    return np.asarray(points, float) @ matrix[:3, :3].T + matrix[:3, 3]


def translation(vector) -> np.ndarray:
    """The 4×4 matrix of a translation [m]."""
    matrix = np.eye(4)
    matrix[:3, 3] = vector
    return matrix


def scaling(x: float, y: float, z: float) -> np.ndarray:
    """The 4×4 matrix of a scaling along the axes."""
    return np.diag([x, y, z, 1.0])


def rotation(axis, degrees: float) -> np.ndarray:
    """About an axis through the origin, right-handed."""
    direction = np.asarray(axis, float)
    if not direction.any():
        raise CommandError("the axis of a rotation must not be zero")
    direction = direction / np.abs(direction).max()
    norm = np.linalg.norm(direction)
    matrix = np.eye(4)
    matrix[:3, :3] = Placement.about(tuple(direction / norm), math.radians(degrees)).matrix
    return matrix


def placement_of(matrix: np.ndarray, what: str) -> Placement:
    """A rigid matrix as a placement; an error when it scales or mirrors."""
    turn = matrix[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > RIGID_TOLERANCE or np.linalg.det(turn) < 0:
        raise CommandError(f"{what} must be moved and rotated only; it was scaled, sheared or mirrored too")
    u, _, v = np.linalg.svd(turn)
    return Placement.from_matrix(u @ v, tuple(map(float, matrix[:3, 3])))


def placement_from(numbers) -> Placement:
    """A placement from seven numbers: position, then unit quaternion."""
    x, y, z, w, i, j, k = map(float, numbers)
    return Placement((x, y, z), (w, i, j, k))


def matrix_of(placement: Placement) -> np.ndarray:
    """A placement as a 4×4 matrix."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = placement.matrix, placement.position
    return matrix


# ------------------------------------------------------------ objects that need no file
def _convex(points: np.ndarray, kind: str) -> Geometry:
    """The convex hull with its faces as whole polygons."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    planes: dict[tuple[float, ...], set[int]] = {}
    for simplex, equation in zip(hull.simplices, hull.equations):
        planes.setdefault(tuple(np.round(equation, 6)), set()).update(map(int, simplex))
    return Geometry(points, tuple(_around(points, sorted(c), np.array(e[:3])) for e, c in planes.items()), kind)


def _around(points: np.ndarray, corners: list[int], normal: np.ndarray) -> tuple[int, ...]:
    centre = points[corners].mean(axis=0)
    first = points[corners[0]] - centre
    second = np.cross(normal, first)
    angle = [math.atan2((points[c] - centre) @ second, (points[c] - centre) @ first) for c in corners]
    return tuple(c for _, c in sorted(zip(angle, corners)))


def _cube() -> Geometry:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    return _convex(corners, "box")


def _bevelled_cube() -> Geometry:
    return _convex(bevelled_corners(), "bevelled")


def _cylinder(radius: float, length: float, axis: int) -> Geometry:
    angle = 2.0 * np.pi * np.arange(CYLINDER_SIDES) / CYLINDER_SIDES
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * radius
    points = np.zeros((2 * CYLINDER_SIDES, 3))
    points[:, [(axis + 1) % 3, (axis + 2) % 3]] = np.vstack([ring, ring])
    points[:CYLINDER_SIDES, axis], points[CYLINDER_SIDES:, axis] = -0.5 * length, 0.5 * length
    return _convex(points, f"cylinder{axis}")


def _ball() -> Geometry:
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=3, radius=0.5)
    return Geometry(np.array(mesh.vertices), tuple(map(tuple, mesh.faces.tolist())), "ball")


def _grid(cells: int) -> Geometry:
    """A level square of side 1 in triangles, for terrain."""
    steps = np.linspace(-0.5, 0.5, cells + 1)
    points = np.array([[x, y, 0.0] for x in steps for y in steps])
    faces: list[tuple[int, ...]] = []
    for i in range(cells):
        for j in range(cells):
            a, b = i * (cells + 1) + j, (i + 1) * (cells + 1) + j
            faces += [(a, b, b + 1), (a, b + 1, a + 1)]
    return Geometry(points, tuple(faces), "grid")


def _hills() -> Geometry:
    """The same with four waves along each side, of height 1 from trough to crest."""
    level = _grid(40)
    x, y = 8.0 * np.pi * level.vertices[:, :2].T
    points = np.column_stack([level.vertices[:, :2], 0.5 * np.sin(x) * np.cos(y)])
    return Geometry(points, level.faces, "")


def _hand() -> Geometry:
    """A flat hand that hangs along -y from the wrist, of human size; its thickness is along z [m]."""
    box = _cube()
    return box.transformed(translation((0.0, -0.095, 0.0)) @ scaling(0.085, 0.19, 0.0145))


BUILT_IN_OBJECTS = {
    "unit_cube": (_cube, "cube of side 1 about the origin"),
    "cube": (_cube, "the same"),
    "unit_cubeb": (_bevelled_cube, "cube of side 1 with bevelled edges, volume 0.984857"),
    "unit_cyl": (lambda: _cylinder(0.5, 1.0, 2), "cylinder along z, length 1, diameter 1"),
    "cylinder": (lambda: _cylinder(10.0, 10.0, 1), "cylinder along y, length 10, radius 10"),
    "sphere": (_ball, "ball of diameter 1"),
    "grid": (lambda: _grid(10), "level square of side 1, in 10 × 10 cells of two triangles"),
    "hills": (_hills, "the same square in 40 × 40 cells, with four waves along each side, of height 1"),
    "hand": (_hand, "a flat hand of human size, hanging from the wrist along -y"),
}


@cache
def built_in(name: str) -> Geometry:
    """An object that needs no file, made once."""
    return BUILT_IN_OBJECTS[name][0]()


def built_in_name(file: str) -> str:
    """The built-in object that a file name stands for; empty when there is none."""
    stem = Path(file).name.lower()
    stem = stem.removesuffix(".asc").removesuffix(".obj")
    return stem if stem in BUILT_IN_OBJECTS else ""


# ------------------------------------------------------------ shapes for mass and contact
def part_of(geometry: Geometry, matrix: np.ndarray, *, convex: bool, **options) -> Part:
    """The part that an object makes of a body, `matrix` leading from the object's points to the body's frame."""
    exact = _exact(geometry.kind, matrix)
    if exact:
        shape, placement = exact
        return Part(shape, placement, convex=convex, **options)
    points = [(float(x), float(y), float(z)) for x, y, z in transform_points(matrix, geometry.vertices)]
    if convex:
        return Part(Hull(tuple(points)), convex=True, **options)
    faces = geometry.triangles
    if np.linalg.det(matrix[:3, :3]) < 0:
        faces = faces[:, ::-1]
    return Part(Mesh(tuple(points), tuple(map(tuple, faces.tolist()))), convex=False, **options)


def contact_hull(geometry: Geometry, matrix: np.ndarray) -> Part:
    """The convex hull of an object: what of one that is not convex touches other bodies."""
    points = tuple((float(x), float(y), float(z)) for x, y, z in transform_points(matrix, geometry.vertices))
    return Part(Hull(points), inertial=False, visible=False, name="contact")


def _exact(kind: str, matrix: np.ndarray) -> tuple[Shape, Placement] | None:
    """Box, cylinder, ball: where the matrix is a scaling along the object's axes, then a rigid motion."""
    sizes = np.linalg.norm(matrix[:3, :3], axis=0)
    if not sizes.min() > 0:
        return None
    turn = matrix[:3, :3] / sizes
    if kind not in ("box", "ball", "cylinder1", "cylinder2") or np.abs(turn.T @ turn - np.eye(3)).max() > 1e-9:
        return None
    if np.linalg.det(turn) < 0:  # these shapes are their own mirror images
        turn[:, 0] *= -1.0
    x, y, z = map(float, sizes)
    where = tuple(map(float, matrix[:3, 3]))
    if kind == "box":
        return Box((x, y, z)), Placement.from_matrix(turn, where)
    if kind == "ball":
        round_one = abs(x - y) + abs(y - z) < 1e-12 * x
        return Sphere(x / 2) if round_one else Ellipsoid((x / 2, y / 2, z / 2)), Placement.from_matrix(turn, where)
    if kind == "cylinder2" and abs(x - y) < 1e-12 * x:
        return Cylinder(x / 2, z), Placement.from_matrix(turn, where)
    if kind == "cylinder1" and abs(x - z) < 1e-12 * x:
        upright = turn @ rotation((1, 0, 0), -90.0)[:3, :3]  # its axis is y; a Cylinder's is z
        return Cylinder(10.0 * x, 10.0 * y), Placement.from_matrix(upright, where)
    return None


def taper(geometry: Geometry, axis, up, base: float, slope: float) -> Geometry:
    """Scales the directions across `axis` by base + slope × (coordinate along it); with `up`, only axis × up."""
    along = np.asarray(axis, float)
    norm = np.linalg.norm(along)
    if not norm > 0:
        raise CommandError("the axis of a taper must not be zero")
    along = along / norm
    points = geometry.vertices
    factor = base + slope * (points @ along)
    if up is None:
        across = points - np.outer(points @ along, along)
        moved = points + (factor - 1.0)[:, None] * across
    else:
        side = np.cross(along, np.asarray(up, float))
        length = np.linalg.norm(side)
        if not length > 1e-9:
            raise CommandError("axis and up of a taper must not be parallel")
        side /= length
        moved = points + ((factor - 1.0) * (points @ side))[:, None] * side
    return replace(geometry, vertices=moved, kind="")
