"""Loops: a joint of any type between two bodies of a tree, or of two figures."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gambol.dynamics.constraints.descriptions import Constraint, RowBlock, frame_on, on, point_rows
from gambol.dynamics.constraints.points import normals
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
        problems = list(self.joint.faults())
        for path, message in problems:
            yield Fault(f"joint {'.'.join(map(str, path))}: {message}", self.where)
        if not problems and (message := unclosable(self.joint)):
            yield Fault(message, self.where)

    def row_blocks(self, layout) -> list[RowBlock]:
        """Rows across the joint's freedoms: where its slides do not lead, and what its turns leave of the frame."""
        steps = self.joint.kind.pose_steps(self.joint)
        slides, turns = ([m for m in steps if m.kind == kind] for kind in ("slide", "turn"))
        frame = axes_about((turns or slides)[0].axis) if turns or slides else np.eye(3)
        own, there = self.place.matrix @ frame, self.at.matrix @ frame
        found: list[RowBlock] = []
        if all(m.kind != "shift" for m in steps) and len(slides) < 3:
            found.append(self._points(layout, (self.at.matrix @ across([m.axis for m in slides])).T))
        if not turns and all(m.kind != "rotate" for m in steps):
            found.append(self._frames(layout, own, there))
        elif len(turns) == 1:
            found += self._parallel(layout, own, there)
        elif len(turns) == 2:
            first, second = (m.axis for m in turns)
            found.append(
                self._direction(layout, self.place.matrix @ second, self.at.matrix @ first, float(second @ first))
            )
        found += [self._screw(layout, own, there, m.scale) for m in slides if m.first in [t.first for t in turns]]
        return found

    def _points(self, layout, directions) -> RowBlock:
        given = (self.place.position, self.at.position)
        if len(directions) == 3:
            return point_rows(layout, self.body, self.to, *given, turning=False)
        return point_rows(layout, self.body, self.to, *given, directions)

    def _direction(self, layout, u, w, value=0.0) -> RowBlock:
        a, own = on(layout, self.body, u)
        b, there = on(layout, self.to, w)
        return RowBlock("direction", a, b, 1, [*own, *there, value])

    def _parallel(self, layout, own, there) -> list[RowBlock]:
        """The axis of a across two directions of b."""
        return [self._direction(layout, own[:, 2], there[:, k]) for k in (0, 1)]

    def _frames(self, layout, own, there) -> RowBlock:
        a, mine = frame_on(layout, self.body, own)
        b, other = frame_on(layout, self.to, there)
        return RowBlock("orientation", a, b, 3, [*mine, *other])

    def _screw(self, layout, own, there, pitch: float) -> RowBlock:
        a, mine = on(layout, self.body, self.place.position, *own.T)
        b, other = on(layout, self.to, self.at.position, *there.T)
        return RowBlock("screw", a, b, 1, [*mine[:3], *other[:3], *mine[3:], *other[3:], float(pitch)])


def unclosable(joint: Joint) -> str:
    """Why no loop can be closed by a joint; empty when one can."""
    if joint.speeds == 6:
        return f"a {joint.type} joint constrains nothing"
    kinds = [step.kind for step in joint.kind.pose_steps(joint)]
    turned = next((k for k, kind in enumerate(kinds) if kind in ("turn", "rotate")), len(kinds))
    if all(kind in ("turn", "rotate") for kind in kinds[turned:]):
        return ""
    return f"a loop cannot be closed by a {joint.type} joint: it moves along axes that it has turned"


def across(slides: list[np.ndarray]) -> np.ndarray:
    """Unit vectors (columns) at right angles to none, one or two directions."""
    if len(slides) == 2:
        normal = np.cross(slides[0], slides[1])
        return (normal / np.linalg.norm(normal))[:, None]
    return axes_about(slides[0])[:, :2] if slides else np.eye(3)


def axes_about(axis: np.ndarray) -> np.ndarray:
    """A frame whose z axis is the unit vector `axis` (columns)."""
    return np.column_stack([*normals(axis.tolist()), axis])
