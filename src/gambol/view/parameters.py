"""What can be turned while it runs: a declared list, shown as sliders and menus.

Whoever makes a source gives those of its controllers: walking speed, gait, stride … `standard` gives those that every
simulation has. What they set is part of the simulation's state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import ViewError
from gambol.forces.ball_spring import BallSpring
from gambol.forces.contact.anchored_contact import AnchoredContact
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.contact.sticky_contact import StickyContact
from gambol.forces.joint_spring import JointSpring
from gambol.view.history import Moment

if TYPE_CHECKING:
    from gambol.world.elements import ElementHandle
    from gambol.world.simulation import Simulation

STEEPEST = 30.0  # [°]


@dataclass(frozen=True)
class Parameter:
    """A number from `lower` to `upper`, or one of `choices`.

    `get` and `set` are called between steps, never during one. `step` is what a slider moves by (0: what suits it).
    """

    label: str
    get: Callable[[], Any]
    set: Callable[[Any], None]
    lower: float = 0.0
    upper: float = 1.0
    choices: Sequence[str] = ()
    unit: str = ""
    step: float = 0.0

    def __post_init__(self) -> None:
        if not self.choices and not self.lower < self.upper:
            raise ViewError(f"parameter {self.label!r}: {self.lower:g} must be below {self.upper:g}")

    @property
    def title(self) -> str:
        """Its label with its unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label

    def checked(self, value: Any) -> Any:
        """The value, when it is allowed."""
        if self.choices:
            if value not in self.choices:
                raise ViewError(f"{self.label} must be one of {', '.join(self.choices)}, not {value!r}")
        elif not self.lower <= value <= self.upper:
            raise ViewError(f"{self.label} must be from {self.lower:g} to {self.upper:g}, not {value:g}")
        return value


@dataclass(frozen=True)
class CurveParameter(Parameter):
    """A torque over an angle, to be bent by the mouse: its value is (centre, zone, slope) of a zone of free play.

    From `lower` to `upper` [rad]; `most` is the torque that the picture reaches [N·m]; `group` says which of them are
    seen together; `angle` gives where the hinge is at a moment [rad].
    """

    most: float = 1.0
    group: str = ""
    angle: Callable[[Moment], float] = lambda moment: 0.0

    def checked(self, value: Any) -> Any:
        """The three numbers, when they make a curve."""
        centre, zone, slope = (float(x) for x in value)
        if not (self.lower <= centre <= self.upper and 0.0 <= zone <= self.upper - self.lower and slope >= 0.0):
            raise ViewError(
                f"{self.label}: the centre must be from {self.lower:g} to {self.upper:g} rad, zone and slope not"
                f" negative; not {centre:g}, {zone:g} and {slope:g}"
            )
        return centre, zone, slope


def standard(sim: Simulation) -> list[Parameter]:
    """Slope and gravity; friction of what touches; stiffness and damping of the joints' springs."""
    contacts = sim.elements.of_type(GroundContact, RoundContact, StickyContact, AnchoredContact, BodyContact)
    found = [_slope_of_ground(sim)] if len(contacts) else []
    found += _gravity(sim, slope=not found)
    if len(contacts):
        friction = lambda: float(np.median(contacts.get("friction")))
        found.append(Parameter("friction", friction, lambda x: contacts.set("friction", float(x)), 0.0, 2.0))
    springs = [handle for kind in (JointSpring, BallSpring) if len(handle := sim.elements.of_type(kind))]
    for name in ("stiffness", "damping"):
        if any(np.any(handle.described(name)) for handle in springs):
            found.append(_factor(springs, name))
    return found


def _slope_of_ground(sim: Simulation) -> Parameter:
    """The slope of the ground: uphill is along x."""
    ground = sim.elements["terrain"]

    def get() -> float:
        return math.degrees(math.atan(ground.get("slope_x")))

    def put(value: float) -> None:
        ground.set("slope_x", math.tan(math.radians(value)))

    return Parameter("slope", get, put, -STEEPEST, STEEPEST, unit="°")


def _gravity(sim: Simulation, *, slope: bool) -> list[Parameter]:
    """Gravity; where there is no ground, a slope turns it. The ledger counts a change as what the stepper made."""
    described = np.array(sim.world.gravity)
    size = float(np.linalg.norm(described))
    if described[2] >= 0 or described[0] or described[1]:
        return []

    def angle() -> float:
        return math.degrees(math.atan2(-sim.gravity[0], -sim.gravity[2])) if np.any(sim.gravity) else 0.0

    def share() -> float:
        return float(np.linalg.norm(sim.gravity)) / size

    def put(degrees: float, share: float) -> None:
        turn, strength = math.radians(degrees), size * share
        sim.gravity = (-strength * math.sin(turn), 0.0, -strength * math.cos(turn))

    turned = Parameter("slope", angle, lambda x: put(x, share()), -STEEPEST, STEEPEST, unit="°")
    strength = Parameter("gravity", share, lambda x: put(angle(), x), 0.0, 2.0, unit="× earth's")
    return [turned, strength] if slope else [strength]


def _factor(springs: Sequence[ElementHandle], name: str) -> Parameter:
    """One factor for a parameter of all springs."""
    described = [np.asarray(handle.described(name)) for handle in springs]
    flat = np.concatenate(described)
    largest = int(np.argmax(np.abs(flat)))

    def get() -> float:
        return float(np.concatenate([handle.get(name) for handle in springs])[largest] / flat[largest])

    def put(value: float) -> None:
        for handle, own in zip(springs, described):
            handle.set(name, own * float(value))

    return Parameter(f"joint {name}", get, put, 0.0, 4.0, unit="× described")
