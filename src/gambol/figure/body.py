"""Bodies and the parts welded to them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gambol.figure.joint import FIXED, Joint
from gambol.figure.mass import NO_MASS, Mass
from gambol.figure.placement import IDENTITY, Placement, Problem, floats, number, number_problem
from gambol.figure.shapes import Mesh, Shape

FINISHES = ("skin", "cloth", "chitin", "metal", "rubber")


@dataclass(frozen=True)
class Part:
    """A shape welded to a body.

    `placement` is the pose of the shape's frame in the body's. The mass comes from `density` [kg/m³], or from
    `mass` [kg] when that is given. With inertial=False the part has no mass, with colliding=False nothing
    touches it; both make it display only. `convex` lets contact treat a mesh as its hull. `colour` is (r, g, b)
    or (r, g, b, a), from 0 to 1; `finish` is how it takes light, one of FINISHES.
    """

    shape: Shape
    placement: Placement = IDENTITY
    density: float = 1000.0
    mass: float | None = None
    inertial: bool = True
    colliding: bool = True
    convex: bool = True
    visible: bool = True
    name: str = ""
    colour: tuple[float, ...] | None = None
    finish: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", number(self.density))
        if self.mass is not None:
            object.__setattr__(self, "mass", number(self.mass))
        if self.colour is not None:
            object.__setattr__(self, "colour", floats(self.colour))

    @cached_property
    def mass_properties(self) -> Mass:
        """The part's mass in the body's frame; nothing when it is not inertial."""
        if not self.inertial:
            return NO_MASS
        density = self.density if self.mass is None else self.mass / self.shape.volume
        return self.shape.mass_properties(density).moved(self.placement)

    def faults(self) -> Iterator[Problem]:
        """Everything wrong with this part."""
        if not isinstance(self.shape, Shape):
            yield (), f"shape must be a Shape, not {self.shape!r}"
            return
        sound = True
        for path, message in self.shape.faults():
            sound = False
            yield (self.shape.kind, *path), message
        yield from _below("placement", self.placement, Placement)
        if self.mass is None:
            yield from self._positive("density", self.density, "kg/m³")
        else:
            yield from self._positive("mass", self.mass, "kg")
        if sound and self.inertial and isinstance(self.shape, Mesh) and (problem := self.shape.solid_problem()):
            yield (self.shape.kind,), problem
        if self.colour is not None and not _is_colour(self.colour):
            yield ("colour",), f"colour must be 3 or 4 numbers from 0 to 1, not {self.colour!r}"
        if self.finish and self.finish not in FINISHES:
            yield ("finish",), f"finish must be one of {', '.join(FINISHES)}, not {self.finish!r}"

    def _positive(self, name: str, value: Any, unit: str) -> Iterator[Problem]:
        problem = number_problem(value)
        if problem or (self.inertial and value <= 0):
            yield (name,), f"{name} {problem or f'must be positive, it is {value:.6g} {unit}'}"


@dataclass(frozen=True)
class Body:
    """A link with its proximal joint.

    The body's frame is at its joint; `placement` is the pose of that frame in the parent's at zero joint
    position. `parent=None` joins it to the world. `mass`, in the body's frame, overrides the masses of the parts.
    """

    name: str
    parent: str | None = None
    joint: Joint = FIXED
    placement: Placement = IDENTITY
    parts: tuple[Part, ...] = ()
    mass: Mass | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))

    @cached_property
    def mass_properties(self) -> Mass:
        """The mass as given, or the sum of the inertial parts, in the body's frame."""
        return self.mass if self.mass is not None else sum((part.mass_properties for part in self.parts), NO_MASS)

    def faults(self) -> Iterator[Problem]:
        """Everything wrong with this body by itself."""
        if not isinstance(self.name, str) or not self.name.strip():
            yield ("name",), f"a body needs a name, not {self.name!r}"
        if self.parent is not None and not isinstance(self.parent, str):
            yield ("parent",), f"its parent must be the name of a body, not {self.parent!r}"
        yield from _below("joint", self.joint, Joint)
        yield from _below("placement", self.placement, Placement)
        for index, part in enumerate(self.parts):
            if not isinstance(part, Part):
                yield ("parts", index), f"part {index} must be a Part, not {part!r}"
                continue
            label = f"part {part.name!r}" if part.name else f"part {index}"
            # Under a given mass the parts need not be able to have one.
            counted = part if self.mass is None else replace(part, inertial=False)
            yield from ((("parts", index, *path), f"{label}: {message}") for path, message in counted.faults())
        if self.mass is not None:
            yield from _below("mass", self.mass, Mass)
            return
        for index, part in enumerate(self.parts):
            if isinstance(part, Part) and part.inertial and not any(part.faults()) and not _can_have_mass(part):
                label = f"part {part.name!r}" if part.name else f"part {index}"
                message = f"{label}: its sizes are beyond what numbers can hold as a mass and moments of inertia"
                yield ("parts", index, part.shape.kind), message


def _below(name: str, thing: Any, kind: type[Joint] | type[Placement] | type[Mass]) -> Iterator[Problem]:
    if not isinstance(thing, kind):
        yield (name,), f"{name} must be a {kind.__name__}, not {thing!r}"
        return
    for path, message in thing.faults():
        yield (name, *path), f"{name}: {message}" if not message.startswith(name) else message


def _can_have_mass(part: Part) -> bool:
    try:
        found = part.mass_properties
    except ArithmeticError:
        return False
    return found.mass > 0 and all(map(math.isfinite, (found.mass, *found.centre, *found.inertia)))


def _is_colour(values: Any) -> bool:
    return (
        isinstance(values, tuple)
        and len(values) in (3, 4)
        and all(isinstance(v, float) and math.isfinite(v) and 0.0 <= v <= 1.0 for v in values)
    )
