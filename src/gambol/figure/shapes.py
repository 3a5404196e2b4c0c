"""Shapes: what a part is made of, in the part's own frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from gambol.errors import Fault, FigureError
from gambol.figure.mass import Mass
from gambol.figure.placement import Problem, Vector, floats, number, number_problem, vector_problem
from gambol.figure.texture import Texture


def _size_problem(value: Any, least: float = 0.0, strict: bool = True) -> str:
    if problem := number_problem(value):
        return problem
    if value < least or (strict and value == least):
        return f"must be {'greater than' if strict else 'at least'} {least:g} m, it is {value:.6g}"
    return ""


def _diagonal(mass: float, xx: float, yy: float, zz: float) -> Mass:
    return Mass(mass, inertia=(xx, yy, zz, 0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Shape:
    """Base of the shapes. `kind` is its name in figure files."""

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            object.__setattr__(self, field.name, floats(value) if _is_sequence(value) else number(value))

    @property
    def volume(self) -> float:
        """[m³]"""
        return self.mass_properties(1.0).mass

    def mass_properties(self, density: float) -> Mass:
        """Mass at uniform `density` [kg/m³], in the shape's frame."""
        raise NotImplementedError

    def mirrored(self) -> Shape:
        """The mirror image in the plane y = 0 of the shape's frame."""
        return self

    def scaled(self, length: float) -> Shape:
        """Every length times `length`."""
        changed = {}
        for field in fields(self):
            value = getattr(self, field.name)
            changed[field.name] = tuple(length * v for v in value) if isinstance(value, tuple) else length * value
        return type(self)(**changed)

    def faults(self) -> Iterator[Problem]:
        """Everything wrong with the sizes."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type != "Vector":
                problem = _size_problem(value)
            else:
                problem = vector_problem(value) or next(filter(None, map(_size_problem, value)), "")
            if problem:
                yield (field.name,), f"{self.kind} {field.name} {problem}"


def _is_sequence(value: Any) -> bool:
    return isinstance(value, tuple | list | np.ndarray)


@dataclass(frozen=True)
class Box(Shape):
    """A box centred at the origin; `size` is its full edge lengths [m]."""

    kind: ClassVar[str] = "box"
    size: Vector

    def mass_properties(self, density: float) -> Mass:
        """Mass [kg], centre [m] and inertia [kg·m²] of the box at a density [kg/m³], own frame."""
        x, y, z = self.size
        mass = density * x * y * z
        k = mass / 12.0
        return _diagonal(mass, k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y))


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball of `radius` [m] about the origin."""

    kind: ClassVar[str] = "sphere"
    radius: float

    def mass_properties(self, density: float) -> Mass:
        """Mass [kg], centre [m] and inertia [kg·m²] of the ball at a density [kg/m³], own frame."""
        mass = density * 4.0 / 3.0 * math.pi * self.radius**3
        moment = 0.4 * mass * self.radius**2
        return _diagonal(mass, moment, moment, moment)


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along z with round caps; `length` [m] is the distance between the centres of the caps."""

    kind: ClassVar[str] = "capsule"
    radius: float
    length: float

    def mass_properties(self, density: float) -> Mass:
        """Mass [kg], centre [m] and inertia [kg·m²] of barrel and caps at a density [kg/m³], own frame."""
        r, l = self.radius, self.length
        barrel = density * math.pi * r * r * l
        caps = density * 4.0 / 3.0 * math.pi * r**3
        # The centre of a half ball is 3r/8 above its base, hence the term in r·l.
        across = barrel * (l * l / 12.0 + r * r / 4.0) + caps * (0.4 * r * r + 0.25 * l * l + 0.375 * r * l)
        along = 0.5 * barrel * r * r + 0.4 * caps * r * r
        return _diagonal(barrel + caps, across, across, along)

    def faults(self) -> Iterator[Problem]:
        if problem := _size_problem(self.radius):
            yield ("radius",), f"capsule radius {problem}"
        if problem := _size_problem(self.length, strict=False):
            yield ("length",), f"capsule length {problem}"


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along z, centred at the origin; `length` [m] is its full height."""

    kind: ClassVar[str] = "cylinder"
    radius: float
    length: float

    def mass_properties(self, density: float) -> Mass:
        """Mass [kg], centre [m] and inertia [kg·m²] of the cylinder at a density [kg/m³], own frame."""
        r, l = self.radius, self.length
        mass = density * math.pi * r * r * l
        across = mass * (l * l / 12.0 + r * r / 4.0)
        return _diagonal(mass, across, across, 0.5 * mass * r * r)


@dataclass(frozen=True)
class Cone(Shape):
    """A cone along z: its base, of `radius` [m], at z = -length/2, its tip at z = length/2."""

    kind: ClassVar[str] = "cone"
    radius: float
    length: float

    def mass_properties(self, density: float) -> Mass:
        """Mass [kg], centre [m] and inertia [kg·m²] of the cone at a density [kg/m³], own frame."""
        r, l = self.radius, self.length
        mass = density * math.pi * r * r * l / 3.0
        across = mass * (0.15 * r * r + 0.0375 * l * l)
        return Mass(mass, (0.0, 0.0, -0.25 * l), (across, across, 0.3 * mass * r * r, 0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid about the origin; `radii` are its semi-axes along x, y, z [m]."""

    kind: ClassVar[str] = "ellipsoid"
    radii: Vector

    def mass_properties(self, density: float) -> Mass:
        """Mass [kg], centre [m] and inertia [kg·m²] of the ellipsoid at a density [kg/m³], own frame."""
        a, b, c = self.radii
        mass = density * 4.0 / 3.0 * math.pi * a * b * c
        k = 0.2 * mass
        return _diagonal(mass, k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b))


def _points(rows: Any) -> Any:
    try:
        return tuple(floats(row) for row in np.asarray(rows, dtype=float).tolist())
    except (TypeError, ValueError):
        return rows


def _points_problem(rows: Any, least: int) -> str:
    if not isinstance(rows, tuple) or len(rows) < least:
        return f"must be at least {least} points"
    for index, row in enumerate(rows):
        if problem := vector_problem(row):
            return f"[{index}] {problem}"
    return ""


@dataclass(frozen=True)
class Hull(Shape):
    """The convex hull of `points` [m]."""

    kind: ClassVar[str] = "hull"
    points: tuple[Vector, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _points(self.points))

    def mass_properties(self, density: float) -> Mass:
        """Mass [kg], centre [m] and inertia [kg·m²] of the solid hull at a density [kg/m³], own frame."""
        return _unit_hull(self).scaled(1.0, density)

    def mirrored(self) -> Hull:
        """In the plane y = 0."""
        return Hull(tuple((x, -y, z) for x, y, z in self.points))

    def scaled(self, length: float) -> Hull:
        """Points times `length`."""
        return Hull(tuple((length * x, length * y, length * z) for x, y, z in self.points))

    def faults(self) -> Iterator[Problem]:
        if problem := _points_problem(self.points, 4):
            yield ("points",), f"hull points {problem}"
            return
        spread = np.linalg.svd(np.asarray(self.points) - np.mean(self.points, axis=0), compute_uv=False)
        if spread[2] <= 1e-9 * spread[0]:
            yield ("points",), "hull points lie in a plane, so the hull has no volume"


def _are_triangles(faces: Any, count: int) -> bool:
    """Are all faces triples of indices below `count`? At once: meshes have hundreds of thousands."""
    try:
        table = np.array(faces, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        return False
    return table.ndim == 2 and table.shape[1] == 3 and bool(table.min() >= 0 and table.max() < count)


@dataclass(frozen=True)
class Mesh(Shape):
    """A triangle mesh: `vertices` [m], and `faces` as triples of vertex indices, counter-clockwise from outside.

    With a `texture` a picture lies over it; the part's colour is shown where pictures are not.
    """

    kind: ClassVar[str] = "mesh"
    vertices: tuple[Vector, ...]
    faces: tuple[tuple[int, int, int], ...]
    texture: Texture | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", _points(self.vertices))
        try:
            faces = tuple(tuple(int(index) for index in face) for face in self.faces)
        except (TypeError, ValueError):
            return
        object.__setattr__(self, "faces", faces)

    def mass_properties(self, density: float) -> Mass:
        """Mass at uniform `density` [kg/m³]. An open mesh is a FigureError; wrong winding is repaired and warned of."""
        return _unit_mesh(self).scaled(1.0, density)

    def mirrored(self) -> Mesh:
        """In the plane y = 0, triangles turned so that their outside stays outside."""
        vertices, faces = tuple((x, -y, z) for x, y, z in self.vertices), tuple((a, c, b) for a, b, c in self.faces)
        return Mesh(vertices, faces, self.texture and self.texture.turned())

    def scaled(self, length: float) -> Mesh:
        """Vertices times `length`."""
        return replace(self, vertices=tuple((length * x, length * y, length * z) for x, y, z in self.vertices))

    def faults(self) -> Iterator[Problem]:
        if problem := _points_problem(self.vertices, 3):
            yield ("vertices",), f"mesh vertices {problem}"
            return
        if not self.faces:
            yield ("faces",), "mesh has no faces"
        if self.texture is not None and (problem := self.texture.problem(len(self.faces))):
            yield ("texture",), f"mesh texture {problem}"
        if _are_triangles(self.faces, len(self.vertices)):
            return
        for index, face in enumerate(self.faces):
            if len(face) != 3 or not all(0 <= corner < len(self.vertices) for corner in face):
                yield (
                    ("faces", index),
                    f"mesh face {index} must be 3 indices from 0 to {len(self.vertices) - 1}, not {list(face)}",
                )

    def solid_problem(self) -> str:
        """What keeps the mesh from having a volume; empty when nothing does."""
        try:
            self.mass_properties(1.0)
        except FigureError as error:
            return error.faults[0].message
        return ""


@lru_cache(maxsize=256)
def _unit_hull(hull: Hull) -> Mass:
    import trimesh

    return _trimesh_mass(trimesh.convex.convex_hull(np.asarray(hull.points)))


@lru_cache(maxsize=256)
def _unit_mesh(mesh: Mesh) -> Mass:
    """Mass properties at density 1, in the mesh's frame."""
    import warnings

    import trimesh

    solid = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    # Files such as STL repeat each vertex per face; only merged vertices show whether the surface is closed.
    solid.merge_vertices()
    if not solid.is_watertight:
        raise FigureError([Fault("mesh is not watertight, so it has no volume; use a hull, or inertial=False")])
    if not solid.is_winding_consistent or solid.volume < 0:
        trimesh.repair.fix_normals(solid)
        if not solid.is_winding_consistent or solid.volume <= 0:
            raise FigureError([Fault("mesh faces are wound both ways and could not be repaired")])
        warnings.warn("mesh faces were wound inside out; repaired for its mass properties", stacklevel=3)
    return _trimesh_mass(solid)


def _trimesh_mass(solid: Any) -> Mass:
    solid.density = 1.0
    return Mass.from_tensor(float(solid.volume), tuple(solid.center_mass), solid.moment_inertia)


SHAPES: dict[str, type[Shape]] = {s.kind: s for s in (Box, Sphere, Capsule, Cylinder, Cone, Ellipsoid, Hull, Mesh)}
"""The shapes by their name in figure files."""
