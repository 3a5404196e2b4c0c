"""What all descriptions of force elements have in common."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from gambol.errors import Fault, WorldError

if TYPE_CHECKING:
    from gambol.figure import Placement
    from gambol.world.layout import Layout

Row = tuple[list[int], list[float]]


@dataclass(frozen=True, kw_only=True)
class Element:
    """A force element. `name` finds its parameters again; `line` is the ledger line its work goes to."""

    name: str = ""
    line: str = ""

    def __post_init__(self) -> None:
        if not self.line:
            object.__setattr__(self, "line", self.type_name())

    @classmethod
    def type_name(cls) -> str:
        """joint_spring for JointSpring."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("_")

    def rows(self, layout: Layout) -> list[Row]:
        """(indices, parameters) of each kernel element this description stands for."""
        raise TypeError(f"{type(self).__name__} does not say how it is compiled: define rows(layout)")

    def carried(self, body: str, there: Placement) -> Element:
        """This element acting through `body`, in whose frame its own body's frame now stands at `there` (a weld)."""
        changes: dict[str, Any] = {"body": body}
        if hasattr(self, "point"):
            changes["point"] = there.apply(self.point)
        return replace(self, **changes)

    def faults(self) -> Iterator[Fault]:
        """Everything wrong with the numbers of this element."""
        for field in fields(self):
            for value in _numbers(getattr(self, field.name)):
                if not math.isfinite(value):
                    yield Fault(f"{field.name} must be finite, it is {value}", self.where)
                elif value < 0 and field.name in ("stiffness", "damping", "duration", "period"):
                    yield Fault(f"{field.name} must not be negative, it is {value:g}", self.where)

    @property
    def where(self) -> str:
        return f"{self.type_name()} {self.name}".strip()

    def fail(self, message: str) -> WorldError:
        return WorldError([Fault(message, self.where)])


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _numbers(item)


def layout_point(layout: Layout, body: str, point: tuple[float, ...]) -> tuple[int, list[float]]:
    """Layout row of a body, and one of its points in the layout's frame."""
    entry = layout.body(body)
    return entry.link, [float(x) for x in entry.turn.T @ [float(x) for x in point]]


def scalar_coordinates(element: Element, layout: Layout, joint: str) -> list[tuple[int, int]]:
    """(position, speed) indices of a joint whose coordinates are plain numbers; an error for ball and free joints."""
    entry = layout.body(joint)
    if len(entry.positions) != len(entry.speeds):
        raise element.fail(
            f"joint {joint!r} is a {entry.body.joint.type} joint; this element acts on joints with plain coordinates"
            " (use BallSpring for ball joints, Anchor for free bodies)"
        )
    if not entry.speeds:
        raise element.fail(f"joint {joint!r} is fixed: it has no coordinate to act on")
    return list(zip(entry.positions, entry.speeds))
