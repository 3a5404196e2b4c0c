"""Objects: geometry with a transform and a look, in a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gambol.corpus.geometry import Geometry, applied, taper, translation
from gambol.errors import CommandError, nearest

Colour = tuple[float, float, float]
WHITE: Colour = (1.0, 1.0, 1.0)
LARGEST = 1e15  # of an element of a transform, or of a coordinate [m]


@dataclass
class Look:
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


@dataclass
class Thing:
    """An object of the scene. `matrix` leads from its points to its parent's frame (the world's for most)."""

    name: str
    geometry: Geometry
    matrix: np.ndarray
    look: Look
    parent: Thing | None = None
    users: list = field(default_factory=list)  # bodies and parts made of it

    @property
    def world_matrix(self) -> np.ndarray:
        return self.matrix if self.parent is None else self.parent.world_matrix @ self.matrix

    @property
    def points(self) -> np.ndarray:
        """Vertices in the world."""
        return applied(self.world_matrix, self.geometry.vertices)

    @property
    def centroid(self) -> np.ndarray:
        """Mean of the vertices, in the world."""
        return self.points.mean(axis=0)

    @property
    def own_centroid(self) -> np.ndarray:
        """Mean of the vertices, in the frame that transforms act in."""
        return applied(self.matrix, self.geometry.vertices).mean(axis=0)

    def harden(self) -> None:
        """Bakes the transform into the points; bodies made of the object do not notice."""
        for user in self.users:
            user.frozen = user.frozen @ np.linalg.inv(self.matrix)
        self.geometry = self.geometry.baked(self.matrix)
        self.matrix = np.eye(4)

    def taper(self, axis, up, base: float, slope: float) -> None:
        self.harden()
        tapered = taper(self.geometry, axis, up, base, slope)
        if not np.abs(tapered.vertices).max() < LARGEST:
            raise CommandError(f"{self.name!r} would reach beyond {LARGEST:g}")
        self.geometry = tapered


class Scene:
    """All objects, and how transform commands act on them."""

    def __init__(self) -> None:
        self.things: dict[str, Thing] = {}
        self.saved: dict[str, np.ndarray] = {}
        self.scopes: list[Thing] = []
        self.default = Look()
        self.post = False  # new transforms act after the old ones
        self.centre: tuple[float, float, float] | str = (0.0, 0.0, 0.0)  # or "own"
        self.matrices: dict[str, list[np.ndarray]] = {}

    def find(self, name: str) -> Thing:
        if name not in self.things:
            hint = nearest(name, self.things).partition(" (allowed")[0]
            raise CommandError(f"there is no object {name!r}{hint}")
        return self.things[name]

    def add(self, name: str, geometry: Geometry) -> Thing:
        if name in self.things:
            raise CommandError(f"there is an object {name!r} already (closeobj removes it)")
        look = Look(**{k: v for k, v in vars(self.default).items() if k not in ("polygons", "lights")})
        thing = Thing(name, geometry, np.eye(4), look, self.scopes[-1] if self.scopes else None)
        self.things[name] = thing
        return thing

    def remove(self, thing: Thing) -> None:
        if thing.users:
            raise CommandError(f"object {thing.name!r} is part of body {thing.users[0].name!r}")
        for other in self.things.values():
            if other.parent is thing:
                raise CommandError(f"object {other.name!r} is a child of {thing.name!r}; close it first")
        del self.things[thing.name]

    def transform(self, thing: Thing, change: np.ndarray, *, centred: bool = True) -> None:
        """Applies a transform, in the order and about the centre that are set."""
        if centred:
            centre = thing.own_centroid if self.centre == "own" else np.asarray(self.centre, float)
            change = translation(centre) @ change @ translation(-centre)
        moved = change @ thing.matrix if self.post else thing.matrix @ change
        if not np.abs(moved).max() < LARGEST:
            raise CommandError(f"{thing.name!r} would be scaled or moved beyond {LARGEST:g}")
        thing.matrix = moved
