"""Objects: geometry with a transform and an appearance, in a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gambol.corpus.geometry import Geometry, taper, transform_points, translation
from gambol.corpus.table import MAX_COORDINATE, look_up
from gambol.errors import CommandError

Colour = tuple[float, float, float]
WHITE: Colour = (1.0, 1.0, 1.0)


NO_MAP = "NULL"


@dataclass(frozen=True)
class WornMaps:
    """Which maps an object wears, and the shares of its own colour, of the texture and of the reflection."""

    texture: str = NO_MAP
    reflection: str = NO_MAP
    own: float = 1.0
    textured: float = 0.0
    reflected: float = 0.0


@dataclass
class Appearance:
    """Colours from 0 to 1; diffuse, specular, exponent and ambient as in `shadeparam`."""

    colour: Colour = WHITE
    specular_colour: Colour = WHITE
    shade: tuple[float, float, float, float] = (0.6, 0.4, 30.0, 0.025)
    transparency: float = 0.0
    model: str = "p"
    faceted: bool = False
    culled: bool = True
    shown: bool = True
    casts_shadow: bool = True
    polygons: dict[int, Colour] = field(default_factory=dict)
    lights: list[str] | None = None  # None: the default lights
    maps: WornMaps = WornMaps()
    transparency_map: str = NO_MAP


@dataclass
class SceneObject:
    """An object of the scene. `matrix` leads from its points to its parent's frame (the world's for most)."""

    name: str
    geometry: Geometry
    matrix: np.ndarray
    appearance: Appearance
    parent: SceneObject | None = None
    users: list = field(default_factory=list)  # bodies and parts made of it
    texture_points: np.ndarray | None = None  # u and v of each vertex
    clear_points: np.ndarray | None = None  # transparency at each vertex

    @property
    def world_matrix(self) -> np.ndarray:
        """Leads from its points to the world."""
        return self.matrix if self.parent is None else self.parent.world_matrix @ self.matrix

    @property
    def points(self) -> np.ndarray:
        """Vertices in the world."""
        return transform_points(self.world_matrix, self.geometry.vertices)

    @property
    def see_through(self) -> bool:
        """May something behind it be seen?"""
        look = self.appearance
        return look.transparency > 0 or look.transparency_map != NO_MAP or self.clear_points is not None

    @property
    def mapped(self) -> bool:
        """Does it wear a map?"""
        worn = self.appearance.maps
        return {worn.texture, worn.reflection, self.appearance.transparency_map} != {NO_MAP}

    @property
    def needs_coordinates(self) -> bool:
        """Does it wear a map that lies by texture coordinates?"""
        return {self.appearance.maps.texture, self.appearance.transparency_map} != {NO_MAP}

    @property
    def centroid(self) -> np.ndarray:
        """Mean of the vertices, in the world."""
        return self.points.mean(axis=0)

    @property
    def local_centroid(self) -> np.ndarray:
        """Mean of the vertices, in the frame that transforms act in."""
        return transform_points(self.matrix, self.geometry.vertices).mean(axis=0)

    def harden(self) -> None:
        """Bakes the transform into the points; bodies made of the object do not notice."""
        for user in self.users:
            user.to_body = user.to_body @ np.linalg.inv(self.matrix)
        self.geometry = self.geometry.transformed(self.matrix)
        self.matrix = np.eye(4)

    def taper(self, axis, up, base: float, slope: float) -> None:
        """Scales its points across an axis by base + slope × (coordinate along it)."""
        self.harden()
        tapered = taper(self.geometry, axis, up, base, slope)
        if not np.abs(tapered.vertices).max() < MAX_COORDINATE:
            raise CommandError(f"{self.name!r} would reach beyond {MAX_COORDINATE:g}")
        self.geometry = tapered


class CorpusScene:
    """All objects, and how transform commands act on them."""

    def __init__(self) -> None:
        self.objects: dict[str, SceneObject] = {}
        self.saved_matrices: dict[str, np.ndarray] = {}
        self.parent_stack: list[SceneObject] = []
        self.default_appearance = Appearance()
        self.postmultiply = False  # new transforms act after the old ones
        self.centre: tuple[float, float, float] | str = (0.0, 0.0, 0.0)  # or "own"
        self.matrix_lists: dict[str, list[np.ndarray]] = {}

    def find(self, name: str) -> SceneObject:
        """An object by its name."""
        return look_up(self.objects, name, "object")

    def add(self, name: str, geometry: Geometry) -> SceneObject:
        """A new object with the default appearance, child of the innermost pushobj."""
        if name in self.objects:
            raise CommandError(f"there is an object {name!r} already (closeobj removes it)")
        appearance = Appearance(
            **{k: v for k, v in vars(self.default_appearance).items() if k not in ("polygons", "lights")}
        )
        obj = SceneObject(name, geometry, np.eye(4), appearance, self.parent_stack[-1] if self.parent_stack else None)
        self.objects[name] = obj
        return obj

    def remove(self, obj: SceneObject) -> None:
        """Takes an object away that no body is made of."""
        if obj.users:
            raise CommandError(f"object {obj.name!r} is part of body {obj.users[0].name!r}")
        for other in self.objects.values():
            if other.parent is obj:
                raise CommandError(f"object {other.name!r} is a child of {obj.name!r}; close it first")
        del self.objects[obj.name]

    def transform(self, obj: SceneObject, change: np.ndarray, *, centred: bool = True) -> None:
        """Applies a transform, in the order and about the centre that are set."""
        if centred:
            centre = obj.local_centroid if self.centre == "own" else np.asarray(self.centre, float)
            change = translation(centre) @ change @ translation(-centre)
        moved = change @ obj.matrix if self.postmultiply else obj.matrix @ change
        if not np.abs(moved).max() < MAX_COORDINATE:
            raise CommandError(f"{obj.name!r} would be scaled or moved beyond {MAX_COORDINATE:g}")
        obj.matrix = moved
