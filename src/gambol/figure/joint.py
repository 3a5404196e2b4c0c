"""Joints: the types, their coordinates, and what a joint does by itself.

The pose of a body in its parent is `body.placement ∘ J(q)`. J(q), for each type (axes in the body's frame at
zero position):

| type        | coordinates q                        | J(q)                                            |
|-------------|--------------------------------------|-------------------------------------------------|
| fixed       | none                                 | identity                                        |
| hinge       | angle [rad]                          | rotation about `axis`                           |
| slide       | distance [m]                         | displacement along `axis`                       |
| screw       | angle [rad]                          | rotation about, `pitch`·angle along `axis`      |
| cylindrical | distance [m], angle [rad]            | displacement along, rotation about `axis`       |
| universal   | angle, angle [rad]                   | rotation about `axis`, then about `axis2`       |
| planar      | distance, distance [m], angle [rad]  | displacement along u, v, rotation about `axis`  |
| ball        | quaternion (w, x, y, z)              | rotation                                        |
| free        | position [m], quaternion             | displacement, rotation                          |

The first axis of a universal joint is fixed in the parent, the second in the body. The slides of a planar joint
are fixed in the parent: u is `axis2` made perpendicular to `axis`, v = axis × u (`Joint.slides`). Speeds are the
rates of the positions, except that a ball joint has the angular velocity, and a free joint the angular then the
linear velocity of the body relative to its parent, in the axes that `gambol.dynamics.joints` states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import nearest
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

POSITIONS = {
    "fixed": 0,
    "hinge": 1,
    "slide": 1,
    "screw": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "ball": 4,
    "free": 7,
}
"""Number of position coordinates of each joint type."""

SPEEDS = {**POSITIONS, "ball": 3, "free": 6}
"""Number of speed coordinates of each joint type."""

TWO_AXES = ("universal", "planar")
NO_AXIS = ("fixed", "ball", "free")
PASSIVE = ("stiffness", "damping", "armature")


@dataclass(frozen=True)
class Joint:
    """How a body moves in its parent.

    `axis` and `axis2` are unit vectors in the body's frame at zero position; `axis2` is the second axis of a
    universal joint and the direction of the first slide of a planar one. `pitch` [m/rad] is for screws. `driven`
    says that the motion is prescribed.

    Passive properties act on every coordinate alike (for ball and free joints, on the components of the rotation
    vector): `stiffness` [N·m/rad or N/m] towards `rest` [rad or m], `damping` [N·m·s/rad or N·s/m], `armature`
    [kg·m² or kg], and `range` = (lower, upper) [rad or m].
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
    range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in ("axis", "axis2"):
            object.__setattr__(self, name, floats(getattr(self, name)))
        for name in ("pitch", "rest", *PASSIVE):
            object.__setattr__(self, name, number(getattr(self, name)))
        if self.range is not None:
            object.__setattr__(self, "range", floats(self.range))

    @property
    def positions(self) -> int:
        """Number of position coordinates."""
        return POSITIONS[self.type]

    @property
    def speeds(self) -> int:
        """Number of speed coordinates."""
        return SPEEDS[self.type]

    @property
    def slides(self) -> tuple[Vector, Vector]:
        """The two slide directions (u, v) of a planar joint, in the body's frame at zero position."""
        normal, second = np.asarray(self.axis), np.asarray(self.axis2)
        u = second - (second @ normal) * normal
        u /= np.linalg.norm(u)
        v = np.cross(normal, u)
        return (float(u[0]), float(u[1]), float(u[2])), (float(v[0]), float(v[1]), float(v[2]))

    @property
    def zero(self) -> tuple[float, ...]:
        """The positions at which the joint does nothing."""
        identity = (1.0, 0.0, 0.0, 0.0)
        return {"ball": identity, "free": (0.0, 0.0, 0.0, *identity)}.get(self.type, (0.0,) * self.positions)

    def pose(self, positions: Sequence[float] | np.ndarray) -> Placement:
        """J(q): the pose of the body's frame in its frame at zero position."""
        q = [float(value) for value in positions]
        x, y, z = self.axis
        match self.type:
            case "hinge":
                return Placement.about(self.axis, q[0])
            case "slide":
                return Placement((q[0] * x, q[0] * y, q[0] * z))
            case "screw":
                d = self.pitch * q[0]
                return Placement.about(self.axis, q[0], (d * x, d * y, d * z))
            case "cylindrical":
                return Placement.about(self.axis, q[1], (q[0] * x, q[0] * y, q[0] * z))
            case "universal":
                return Placement.about(self.axis, q[0]).compose(Placement.about(self.axis2, q[1]))
            case "planar":
                u, v = self.slides
                return Placement.about(self.axis, q[2], tuple(q[0] * a + q[1] * b for a, b in zip(u, v)))
            case "ball":
                return Placement(rotation=(q[0], q[1], q[2], q[3]))
            case "free":
                return Placement((q[0], q[1], q[2]), (q[3], q[4], q[5], q[6]))
        return Placement()

    def faults(self) -> Iterator[Problem]:
        """Everything wrong with this joint."""
        if not isinstance(self.type, str) or self.type not in POSITIONS:
            yield ("type",), f"unknown joint type {self.type!r}{nearest(str(self.type), POSITIONS)}"
        yield from self._axis_faults()
        for name in ("pitch", "rest", *PASSIVE):
            value = getattr(self, name)
            if problem := number_problem(value):
                yield (name,), f"{name} {problem}"
            elif name in PASSIVE and value < 0:
                yield (name,), f"{name} must not be negative, it is {value:.6g}"
        if self.range is None:
            return
        if problem := vector_problem(self.range, 2):
            yield ("range",), f"range {problem}"
        elif self.range[0] > self.range[1]:
            yield ("range",), f"range: the lower limit {self.range[0]:.6g} is above the upper {self.range[1]:.6g}"

    def _axis_faults(self) -> Iterator[Problem]:
        sound = True
        for name in ("axis", "axis2"):
            axis = getattr(self, name)
            if problem := vector_problem(axis):
                sound = False
                yield (name,), f"{name} {problem}"
                continue
            norm = math.hypot(*axis)
            if abs(norm - 1.0) > UNIT_TOLERANCE:
                sound = False
                hint = f"; normalised it is {normalised(axis)}" if norm > 0 else ""
                yield (name,), f"{name} must be a unit vector, its norm is {norm:.6g}{hint}"
        if sound and self.type in TWO_AXES and np.linalg.norm(np.cross(self.axis, self.axis2)) < UNIT_TOLERANCE:
            yield ("axis2",), f"axis and axis2 of a {self.type} joint must not be parallel"


FIXED = Joint()
