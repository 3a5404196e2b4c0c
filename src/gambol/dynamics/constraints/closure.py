"""Loops: a joint of any type between two bodies of a tree, or of two figures."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gambol.dynamics.constraints.descriptions import Bond, Constraint, frame_on, on, point_bond
from gambol.errors import Fault
from gambol.figure.joint import Joint
from gambol.figure.placement import Placement


@dataclass(frozen=True, kw_only=True)
class Closure(Constraint):
    """A `joint` that closes a loop: the frame `place` of `body` moves in the frame `at` of `to` as the joint allows.

    The joint's axes are in these frames, as a body's are in its own. Exact: positions and speeds are put back on it
    after every step; with exact=False it is held by critically damped feedback alone, and may assemble itself.
    """

    body: str
    joint: Joint
    to: str = ""
    place: Placement = field(default_factory=Placement)
    at: Placement = field(default_factory=Placement)
    exact: bool = True

    def faults(self):
        yield from super().faults()
        for path, message in self.joint.faults():
            yield Fault(f"joint {'.'.join(map(str, path))}: {message}", self.where)
        if self.joint.type == "free":
            yield Fault("a free joint constrains nothing", self.where)

    def bonds(self, layout) -> list[Bond]:
        """Rows across the joint's freedoms: along a's and b's frames turned so that z is the axis."""
        joint = self.joint
        turn = axes_of(joint)
        own, there = self.place.matrix @ turn, self.at.matrix @ turn
        x, y, z = there.T
        match joint.type:
            case "ball":
                return [self._points(layout, (x, y, z))]
            case "hinge":
                return [self._points(layout, (x, y, z)), *self._parallel(layout, own, there)]
            case "universal":
                second = self.place.matrix @ np.asarray(joint.axis2)
                across = np.asarray(joint.axis2) @ np.asarray(joint.axis)
                first = self.at.matrix @ np.asarray(joint.axis)
                return [self._points(layout, (x, y, z)), self._direction(layout, second, first, float(across))]
            case "fixed":
                return [self._points(layout, (x, y, z)), self._frames(layout, own, there)]
            case "slide":
                return [self._points(layout, (x, y)), self._frames(layout, own, there)]
            case "cylindrical":
                return [self._points(layout, (x, y)), *self._parallel(layout, own, there)]
            case "planar":
                return [self._points(layout, (z,)), *self._parallel(layout, own, there)]
            case "screw":
                return [
                    self._points(layout, (x, y)),
                    *self._parallel(layout, own, there),
                    self._screw(layout, own, there),
                ]
        raise self._unknown()

    def _unknown(self) -> TypeError:
        return TypeError(f"a loop cannot be closed by a {self.joint.type} joint")

    def _points(self, layout, directions) -> Bond:
        given = (self.place.position, self.at.position)
        if len(directions) == 3:
            return point_bond(layout, self.body, self.to, *given, turning=False)
        return point_bond(layout, self.body, self.to, *given, directions)

    def _direction(self, layout, u, w, value=0.0) -> Bond:
        a, own = on(layout, self.body, u)
        b, there = on(layout, self.to, w)
        return Bond("direction", a, b, 1, [*own, *there, value])

    def _parallel(self, layout, own, there) -> list[Bond]:
        """The axis of a across two directions of b."""
        return [self._direction(layout, own[:, 2], there[:, k]) for k in (0, 1)]

    def _frames(self, layout, own, there) -> Bond:
        a, mine = frame_on(layout, self.body, own)
        b, other = frame_on(layout, self.to, there)
        return Bond("orientation", a, b, 3, [*mine, *other])

    def _screw(self, layout, own, there) -> Bond:
        a, mine = on(layout, self.body, self.place.position, *own.T)
        b, other = on(layout, self.to, self.at.position, *there.T)
        params = [*mine[:3], *other[:3], *mine[3:], *other[3:], float(self.joint.pitch)]
        return Bond("screw", a, b, 1, params)


def axes_of(joint: Joint) -> np.ndarray:
    """A frame whose z axis is the joint's axis (columns)."""
    z = np.asarray(joint.axis, float)
    if joint.type in ("ball", "fixed"):
        return np.eye(3)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
