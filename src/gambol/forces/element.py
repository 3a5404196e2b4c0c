"""What all descriptions of force elements have in common."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gambol.errors import Fault, WorldError, nearest
from gambol.figure.placement import Placement
from gambol.forces.kernel import ElementKernel, kernel_of
from gambol.forces.ramp import held

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout

Row = tuple[list[int], list[float]]
FOREVER = 1e30  # what the kernels take for infinity: differences of it stay numbers
WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
SCALES = ("", "mass", "distal mass", "total mass")


@dataclass(frozen=True, kw_only=True)
class Element:
    """A force element. `name` finds its parameters again; `line` is the ledger line its work goes to.

    What moves it is the `kernel` of its class (see gambol.forces.kernel).
    """

    name: str = ""
    line: str = ""

    kernel: ClassVar[ElementKernel | None] = None
    ends: ClassVar[tuple[tuple[str, str], ...]] = (("body", "point"),)  # fields that name a body, and its point
    unbounded: ClassVar[tuple[str, ...]] = ()  # fields that may be infinite
    measures: ClassVar[bool] = False  # its line holds a measurement, not work
    reads: ClassVar[str] = ""  # name of an element whose place (first index and parameter, rows) its first indices say

    def __post_init__(self) -> None:
        if not self.line:
            object.__setattr__(self, "line", self.type_name())

    @classmethod
    def type_name(cls) -> str:
        """joint_spring for JointSpring, dc_motor for DCMotor."""
        return WORD_BEGINS.sub("_", cls.__name__).lower()

    def rows(self, layout: Layout) -> list[Row]:
        """(indices, parameters) of each kernel element this description stands for."""
        raise TypeError(f"{type(self).__name__} does not say how it is compiled: define rows(layout)")

    def table(self, layout: Layout) -> Sequence[float]:
        """Numbers that its kernel elements share, where the kernel has `tabled` indices: these count from here."""
        return ()

    def initial_states(self) -> Sequence[float]:
        """What the integrated states of each of its kernel elements begin with."""
        return [0.0] * len(kernel_of(self).states)

    def law_numbers(self, **given: float) -> list[float]:
        """The parameters of its kernel's law: its fields of their names, or what is given here."""
        kernel = kernel_of(self)
        numbers: list[float] = []
        for name in sorted(kernel.places, key=kernel.places.__getitem__):
            value = 0.0 if name in kernel.counters else given.get(name, getattr(self, name, None))
            if not isinstance(value, Real):
                raise self.fail(f"its law takes {name!r}, which is no number among its fields")
            numbers += held(bounded(float(value))) if name in kernel.ramps else [bounded(float(value))]
        return numbers

    def partner(self) -> tuple[str, type[Element]]:
        """Name and type of another element that it works on the states of; no name: none."""
        return "", Element

    def added_inertia(self, layout: Layout) -> Sequence[tuple[int, float]]:
        """Speeds of the layout, and the inertia [kg·m² or kg] that it adds to each, such as that of a rotor."""
        return ()

    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies it acts on ("" is the world)."""
        return tuple(getattr(self, body) for body, _ in self.ends if hasattr(self, body))

    def joints(self) -> tuple[str, ...]:
        """Names of the joints it acts at."""
        return (self.joint,) if hasattr(self, "joint") else ()

    def weighs(self, layout: Layout) -> Sequence[str]:
        """Bodies ("figure/body") by whose masses, as described, it goes."""
        return ()

    def carried(self, welded: Callable[[str], bool], parent: str, there: Placement) -> Element:
        """This element after a weld: bodies that are `welded` have become part of `parent`.

        Their frame stands at `there` in the parent's.
        """
        changes: dict[str, Any] = {}
        for body, point in self.ends:
            if hasattr(self, body) and getattr(self, body) and welded(getattr(self, body)):
                changes[body] = parent
                if hasattr(self, point):
                    changes[point] = there.apply(getattr(self, point))
        return replace(self, **changes) if changes else self

    def faults(self) -> Iterator[Fault]:
        """Everything wrong with the numbers of this element."""
        if self.kernel and self.kernel.states and not self.name:
            yield Fault("needs a name: it has states, which must be found again", self.where)
        for field in fields(self):
            for value in numbers_in(getattr(self, field.name)):
                if math.isnan(value) or (math.isinf(value) and field.name not in self.unbounded):
                    yield Fault(f"{field.name} must be finite, it is {value}", self.where)
                elif value < 0 and field.name in NOT_NEGATIVE:
                    yield Fault(f"{field.name} must not be negative, it is {value:g}", self.where)

    @property
    def where(self) -> str:
        """How messages call it: its type and name."""
        return f"{self.type_name()} {self.name}".strip()

    def fail(self, message: str) -> WorldError:
        """A WorldError that says which element is at fault."""
        return WorldError([Fault(message, self.where)])


NOT_NEGATIVE = frozenset(
    {"stiffness", "damping", "duration", "period", "strength", "rise", "most", "breaks", "radius", "creep", "scale"}
)


@dataclass(frozen=True, kw_only=True)
class JointElement(Element):
    """An element at the coordinates of a joint.

    scaled_by   "" or what the constants are multiplied by: "mass" of the joint's body, its "distal mass" (the body and
                all beyond it), the "total mass" of the figure; constants are then per kilogram
    """

    joint: str
    scaled_by: str = ""

    def faults(self) -> Iterator[Fault]:
        """Also: it must be scaled by something known."""
        yield from super().faults()
        if self.scaled_by not in SCALES:
            yield Fault(f"cannot be scaled by {self.scaled_by!r}{nearest(self.scaled_by, SCALES)}", self.where)
        elif self.scaled_by and self.kernel and "scale" not in self.kernel.numbers:
            yield Fault("cannot be scaled by a mass: its law takes no `scale`", self.where)

    def rows(self, layout: Layout) -> list[Row]:
        numbers = self.law_numbers(scale=self.scale(layout))
        return [([q, s], list(numbers)) for q, s in self.coordinates(layout)]

    def scale(self, layout: Layout) -> float:
        """The factor of all constants."""
        entry = layout.body(self.joint)
        figure = layout.figures[entry.figure]
        if self.scaled_by == "mass":
            return entry.body.mass_properties.mass
        if self.scaled_by == "distal mass":
            return figure.distal_mass(entry.body.name)
        return figure.mass if self.scaled_by == "total mass" else 1.0

    def weighs(self, layout: Layout) -> Sequence[str]:
        """What its constants are multiplied by."""
        entry = layout.body(self.joint)
        figure, own = layout.figures[entry.figure], entry.body.name
        if not self.scaled_by:
            return ()
        beyond = [body.name for body in figure.descendants(own)] if self.scaled_by == "distal mass" else []
        names = figure.names if self.scaled_by == "total mass" else [own, *beyond]
        return [layout.body(f"{figure.name}/{name}").name for name in names]

    def coordinates(self, layout: Layout) -> list[tuple[int, int]]:
        """(position, speed) indices of the joint's coordinates; an error where they are not plain numbers."""
        entry = layout.body(self.joint)
        if len(entry.positions) != len(entry.speeds):
            raise self.fail(
                f"joint {self.joint!r} is a {entry.body.joint.type} joint; this element acts on joints with plain"
                " coordinates (use BallSpring for ball joints, Anchor for free bodies)"
            )
        if not entry.speeds:
            raise self.fail(f"joint {self.joint!r} is fixed: it has no coordinate to act on")
        return list(zip(entry.positions, entry.speeds))


@dataclass(frozen=True, kw_only=True)
class PointElement(Element):
    """An element at `point` [m, body frame] of `body`."""

    body: str
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def rows(self, layout: Layout) -> list[Row]:
        link, point = layout_point(layout, self.body, self.point)
        return [([link], [*point, *self.law_numbers()])]


@dataclass(frozen=True, kw_only=True)
class LineElement(PointElement):
    """An element between `point` [m, body frame] of `body` and `other_point` of `other` (or of the world: "")."""

    other: str = ""
    other_point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    ends = (("body", "point"), ("other", "other_point"))

    def rows(self, layout: Layout) -> list[Row]:
        link, point = layout_point(layout, self.body, self.point)
        other, other_point = layout_point(layout, self.other, self.other_point)
        return [([link, other], [*point, *other_point, *self.law_numbers()])]


def numbers_in(value: Any) -> Iterator[float]:
    """Every number in a value, however nested."""
    if isinstance(value, bool | str) or value is None:
        return
    if isinstance(value, Real):
        yield float(value)
    elif isinstance(value, np.ndarray):
        yield from numbers_in(value.tolist())
    elif isinstance(value, Mapping):
        yield from numbers_in(list(value.values()))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from numbers_in(item)
    elif is_dataclass(value) and (isinstance(value, Placement) or not hasattr(value, "faults")):
        for part in fields(value):  # a stop of a cable, say; surfaces and shapes speak for themselves
            yield from numbers_in(getattr(value, part.name))


def bounded(value: float) -> float:
    """A number for the kernels, infinity as FOREVER."""
    return min(float(value), FOREVER)


def layout_point(layout: Layout, body: str, point: Sequence[float]) -> tuple[int, list[float]]:
    """Layout row of a body, and one of its points in the layout's frame; body "" is the world."""
    if not body:
        return 0, [float(x) for x in point]
    entry = layout.body(body)
    return entry.link, [float(x) for x in entry.turn.T @ [float(x) for x in point]]
