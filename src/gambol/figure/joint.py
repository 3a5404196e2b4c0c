"""A joint: its type, the fields of that type, and what it does by itself. The types are in `gambol.figure.joints`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gambol.errors import FigureError
from gambol.figure.actuators import MotorConstants
from gambol.figure.joints import JointType, joint_type
from gambol.figure.placement import (
    UNIT_TOLERANCE,
    Placement,
    Problem,
    Vector,
    floats,
    normalised,
    number,
    number_problem,
    vector_problem,
)

PASSIVE = ("stiffness", "damping", "armature", "friction")
AXIS_FIELDS = ("axis", "axis2")


@dataclass(frozen=True)
class Joint:
    """How a body moves in its parent.

    `axis` and `axis2` are unit vectors in the body's frame at zero position; `axis2` is the second axis of a
    universal joint and the direction of the first slide of a planar one. `pitch` [m/rad] is for screws. `parameters`
    are what other types need beyond these: numbers and vectors by name. `driven` says that the motion is prescribed.

    Passive properties act on every coordinate alike (for ball joints, on the components of the rotation vector):
    `stiffness` [N·m/rad or N/m] towards `rest` [rad or m], `damping` [N·m·s/rad or N·s/m], `armature` [kg·m² or kg],
    dry `friction` [N·m or N] and `range` = (lower, upper) [rad or m]; a ball joint turns by `upper` at most, in any
    direction. `stop` = (stiffness, damping) is what the ends of the range answer with; without it the world chooses. A
    `motor` acts on one coordinate.
    """

    type: str = "fixed"
    axis: Vector = (0.0, 0.0, 1.0)
    axis2: Vector = (1.0, 0.0, 0.0)
    pitch: float = 0.0
    driven: bool = False
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    friction: float = 0.0
    range: tuple[float, float] | None = None
    parameters: Mapping[str, Any] | tuple[tuple[str, Any], ...] = ()
    motor: MotorConstants | None = None
    stop: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in AXIS_FIELDS:
            object.__setattr__(self, name, floats(getattr(self, name)))
        for name in ("pitch", "rest", *PASSIVE):
            object.__setattr__(self, name, number(getattr(self, name)))
        for name in ("range", "stop"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, floats(getattr(self, name)))
        given = self.parameters.items() if isinstance(self.parameters, Mapping) else self.parameters
        kept = sorted((name, floats(value) if isinstance(value, Sequence) else number(value)) for name, value in given)
        object.__setattr__(self, "parameters", tuple(kept))  # so that equal joints have equal hashes

    def __getitem__(self, field: str) -> Any:
        """A field or parameter by its name."""
        given = dict(self.parameters)
        return given[field] if field in given else getattr(self, field)

    def valued(self, values: Mapping[str, Any]) -> Joint:
        """With these values of fields and parameters."""
        fields = {name: value for name, value in values.items() if name in self.__dataclass_fields__}
        own = {name: value for name, value in values.items() if name not in fields}
        return replace(self, **fields, parameters={**dict(self.parameters), **own})

    @property
    def kind(self) -> JointType:
        """What there is to know about joints of its type."""
        return joint_type(self.type)

    @property
    def positions(self) -> int:
        """Number of position coordinates."""
        return len(self.kind.positions)

    @property
    def speeds(self) -> int:
        """Number of speed coordinates."""
        return len(self.kind.speeds)

    @property
    def zero(self) -> tuple[float, ...]:
        """The positions at which the joint does nothing."""
        return self.kind.zero

    def pose(self, positions: Sequence[float] | np.ndarray) -> Placement:
        """J(q): the pose of the body's frame in its frame at zero position."""
        from gambol.figure.kinematics import joint_poses

        (x, y, z), (w, i, j, k) = joint_poses(self.kind.pose_steps(self), positions)
        return Placement((x, y, z), (w, i, j, k))

    def faults(self) -> Iterator[Problem]:
        """Everything wrong with this joint."""
        kind = None
        try:
            kind = self.kind
        except FigureError as error:
            yield ("type",), error.faults[0].message
        problems = list(self._field_faults(kind))
        yield from problems
        if kind is not None and not problems:
            yield from kind.faults(self)
        for name in ("pitch", "rest", *PASSIVE):
            value = getattr(self, name)
            if problem := number_problem(value):
                yield (name,), f"{name} {problem}"
            elif name in PASSIVE and value < 0:
                yield (name,), f"{name} must not be negative, it is {value:.6g}"
        if self.motor is not None and not isinstance(self.motor, MotorConstants):
            yield ("motor",), f"a motor must be MotorConstants, not {self.motor!r}"
        elif self.motor is not None:
            for path, message in self.motor.problems():
                yield ("motor", *path), f"motor: {message}"
            if kind is not None and (wrong := self._motor_fault(kind, self.motor)):
                yield ("motor",), wrong
        if self.stop is not None and (problem := vector_problem(self.stop, 2)):
            yield ("stop",), f"stop (stiffness, damping) {problem}"
        elif self.stop is not None and (self.stop[0] <= 0 or self.stop[1] < 0):
            yield ("stop",), f"stop: a positive stiffness and a damping, not {self.stop}"
        if self.range is None:
            return
        if problem := vector_problem(self.range, 2):
            yield ("range",), f"range {problem}"
        elif self.range[0] > self.range[1]:
            yield ("range",), f"range: the lower limit {self.range[0]:.6g} is above the upper {self.range[1]:.6g}"
        elif kind is not None and kind.springs == "rotation" and not self.range[1] > 0:
            yield ("range",), f"range: a {self.type} joint turns by the upper limit at most, {self.range[1]:.6g} rad"

    def _motor_fault(self, kind: JointType, motor: MotorConstants) -> str:
        """Why a joint of its type cannot have this motor."""
        if self.driven:
            return "a driven joint takes no motor: its motion is prescribed"
        if kind.quaternions or not kind.speeds:
            return f"a {self.type} joint takes no motor: it has no plain coordinate"
        if motor.coordinate >= len(kind.speeds):
            return f"motor: a {self.type} joint has {len(kind.speeds)} coordinates, there is no {motor.coordinate}"
        return ""

    def _field_faults(self, kind: JointType | None) -> Iterator[Problem]:
        """Of the axes, and of the parameters that its type wants."""
        for name in AXIS_FIELDS:
            yield from _axis_faults((name,), name, getattr(self, name))
        if kind is None:
            return
        given = dict(self.parameters)
        wanted = {name: role for name, role in kind.fields.items() if name not in (*AXIS_FIELDS, "pitch")}
        for name in sorted({*given, *wanted}):
            if name not in wanted:
                allowed = f" (allowed: {', '.join(sorted(wanted))})" if wanted else ""
                yield ("parameters", name), f"a {self.type} joint has no parameter {name!r}{allowed}"
            elif name not in given:
                yield ("parameters", name), f"a {self.type} joint needs the parameter {name!r}"
            elif wanted[name].vector:
                yield from _axis_faults(("parameters", name), name, given[name])
            elif problem := number_problem(given[name]):
                yield ("parameters", name), f"{name} {problem}"


def _axis_faults(path: tuple[str | int, ...], name: str, axis: Any) -> Iterator[Problem]:
    if problem := vector_problem(axis):
        yield path, f"{name} {problem}"
        return
    norm = math.hypot(*axis)
    if abs(norm - 1.0) > UNIT_TOLERANCE:
        hint = f"; normalised it is {normalised(axis)}" if norm > 0 else ""
        yield path, f"{name} must be a unit vector, its norm is {norm:.6g}{hint}"


FIXED = Joint()
