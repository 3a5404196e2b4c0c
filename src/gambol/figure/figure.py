"""The figure: a tree of bodies, valid by construction."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, FigureError, nearest
from gambol.figure.actuators import BatteryConstants
from gambol.figure.body import Body
from gambol.figure.mass import NO_MASS, Mass
from gambol.figure.placement import IDENTITY, Placement
from gambol.figure.validation import figure_problems

if TYPE_CHECKING:
    from gambol.figure.kinematics import Kinematics

Positions = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Figure:
    """An immutable tree of bodies with one root. The constructor raises FigureError with every fault there is.

    Editing methods return new figures. Coordinates are laid out in `order`. `batteries` feed the motors of its joints.
    """

    name: str
    bodies: tuple[Body, ...]
    batteries: tuple[BatteryConstants, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        object.__setattr__(self, "batteries", tuple(self.batteries))
        faults = [fault for _, fault in figure_problems(self.name, self.bodies, self.batteries)]
        if faults:
            raise FigureError(faults)

    # -- queries ------------------------------------------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    @cached_property
    def _children(self) -> dict[str | None, tuple[Body, ...]]:
        table: dict[str | None, list[Body]] = {}
        for body in self.bodies:
            table.setdefault(body.parent, []).append(body)
        return {name: tuple(children) for name, children in table.items()}

    def __getitem__(self, name: str) -> Body:
        try:
            return self._by_name[name]
        except KeyError:
            message = f"no body {name!r} in figure {self.name!r}{nearest(str(name), self._by_name)}"
            raise FigureError([Fault(message)]) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bodies, as listed."""
        return tuple(body.name for body in self.bodies)

    @property
    def root(self) -> Body:
        """The body that is joined to the world."""
        return self._children[None][0]

    def parent(self, name: str) -> Body | None:
        """The body that `name` is joined to; None for the root."""
        parent = self[name].parent
        return None if parent is None else self[parent]

    def children(self, name: str) -> tuple[Body, ...]:
        """The bodies joined to `name`, as listed."""
        return self._children.get(self[name].name, ())

    def descendants(self, name: str) -> tuple[Body, ...]:
        """Every body below `name`, parents first, itself not included."""
        below = {self[name].name}
        found = []
        for body in self.order:
            if body.parent in below:
                below.add(body.name)
                found.append(body)
        return tuple(found)

    @cached_property
    def order(self) -> tuple[Body, ...]:
        """The bodies with parents before children; otherwise as listed."""
        rank = {body.name: index for index, body in enumerate(self.bodies)}
        ready, order = [rank[self.root.name]], []
        while ready:
            body = self.bodies[heapq.heappop(ready)]
            order.append(body)
            for child in self._children.get(body.name, ()):
                heapq.heappush(ready, rank[child.name])
        return tuple(order)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return sum(body.mass_properties.mass for body in self.bodies)

    def distal_mass(self, name: str) -> float:
        """Mass [kg] of `name` and everything below it: what its joint carries."""
        return sum(body.mass_properties.mass for body in (self[name], *self.descendants(name)))

    @property
    def positions(self) -> int:
        """Number of position coordinates."""
        return sum(body.joint.positions for body in self.bodies)

    @property
    def speeds(self) -> int:
        """Number of speed coordinates."""
        return sum(body.joint.speeds for body in self.bodies)

    @cached_property
    def position_slices(self) -> dict[str, slice]:
        """Where each body's joint positions stand in the positions of the figure."""
        return _slices([(body.name, body.joint.positions) for body in self.order])

    @cached_property
    def speed_slices(self) -> dict[str, slice]:
        """Where each body's joint speeds stand in the speeds of the figure."""
        return _slices([(body.name, body.joint.speeds) for body in self.order])

    @property
    def zero(self) -> tuple[float, ...]:
        """The positions at which every joint does nothing."""
        return tuple(value for body in self.order for value in body.joint.zero)

    def checked_positions(self, positions: Positions | None) -> np.ndarray:
        """`positions` as an array of the right length; the zero configuration for None."""
        q = np.asarray(self.zero if positions is None else positions, dtype=float)
        if q.shape != (self.positions,):
            message = f"{self.positions} position coordinates are needed, not an array of shape {q.shape}"
            raise FigureError([Fault(message, self.name)])
        return q

    @cached_property
    def kinematics(self) -> Kinematics:
        """Where its bodies are at given positions, as arrays; compiled."""
        from gambol.figure.kinematics import Kinematics  # brings Numba

        return Kinematics((self,))

    def poses(self, positions: Positions | None = None) -> dict[str, Placement]:
        """The pose of every body's frame in the world, at `positions` (default: zero)."""
        origins, quaternions = self.kinematics(self.checked_positions(positions))
        rows = zip(self.order, origins.tolist(), quaternions.tolist())
        return {body.name: Placement(tuple(origin), tuple(turn)) for body, origin, turn in rows}

    def mass_properties(self, positions: Positions | None = None) -> Mass:
        """The mass of the whole figure, in the world's frame, at `positions` (default: zero)."""
        where = self.poses(positions)
        return sum((body.mass_properties.moved(where[body.name]) for body in self.order), NO_MASS)

    # -- edits --------------------------------------------------------------------------------------------------

    def with_body(self, body: Body) -> Figure:
        """With one more body."""
        return replace(self, bodies=(*self.bodies, body))

    def replace(self, body_name: str, **changes: Any) -> Figure:
        """With `changes` to the fields of one body; a new name is carried to its children."""
        changed = replace(self[body_name], **changes)
        bodies = []
        for body in self.bodies:
            if body.name == body_name:
                bodies.append(changed)
            else:
                bodies.append(replace(body, parent=changed.name) if body.parent == body_name else body)
        return replace(self, bodies=tuple(bodies))

    def renamed(self, mapping: Mapping[str, str] | str, *, name: str | None = None) -> Figure:
        """With other body names: a mapping from old to new, or a prefix for all; `name` renames the figure too."""
        from gambol.figure.edits import renamed

        return renamed(self, mapping, name)

    def weld(self, body: str, at: Sequence[float] | None = None) -> Figure:
        """The body becomes parts of its parent, at joint position `at` (default zero); its mass stays, its joint goes.

        Its children are joined to the parent.
        """
        from gambol.figure.edits import weld

        return weld(self, body, at)

    def remove(self, body: str) -> Figure:
        """Without the body and everything below it."""
        from gambol.figure.edits import remove

        return remove(self, body)

    def reroot(self, body: str, frame: Placement = IDENTITY) -> Figure:
        """The same mechanism with another root; see `gambol.figure.reroot` for what the coordinates become."""
        from gambol.figure.reroot import reroot

        return reroot(self, body, frame)

    def mirror(self, rename: Callable[[str], str] | None = None) -> Figure:
        """The mirror image in the plane y = 0; see `gambol.figure.mirror` for the signs of the coordinates.

        Left and right are exchanged in names (`l_`/`r_`, `left`/`right`, …), or `rename` says how.
        """
        from gambol.figure.mirror import mirror, mirrored_name

        return mirror(self, rename or mirrored_name)

    def scaled(self, length: float = 1.0, mass: float | None = None) -> Figure:
        """Lengths times `length`, masses times `mass` (default length³: densities stay).

        Joint springs, dampers and armatures are scaled so that the figure moves similarly under the same gravity,
        with times stretched by √length.
        """
        from gambol.figure.edits import scaled

        return scaled(self, length, length**3 if mass is None else mass)

    def resized(self, factors: Mapping[str, float], mass: float | None = None) -> Figure:
        """Lengths of some bodies times a factor each, by name; their masses go with the third power.

        mass   [kg] of the whole figure, if it is known: all masses are then scaled to it
        """
        from gambol.figure.edits import resized

        return resized(self, factors, mass)

    # -- files --------------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Figure:
        """Read a figure file: .yaml or .yml, .urdf, .xml or .mjcf; `options` go to the reader of that format."""
        from gambol.figure.files import read

        return read(path, **options)

    def write(self, path: str | Path) -> list[Path]:
        """Write a figure file (.yaml or .yml), shapes of many points as files in a folder beside it; returns the files.

        Reading it again gives an equal figure.
        """
        from gambol.figure.files import write

        return write(self, path)


def _slices(counts: Sequence[tuple[str, int]]) -> dict[str, slice]:
    table, start = {}, 0
    for name, count in counts:
        table[name] = slice(start, start + count)
        start += count
    return table
