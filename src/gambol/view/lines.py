"""What runs between points of bodies: muscles with their activation, springs, and the places where constraints hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.draw.motion import Poses
from gambol.forces.cable import Cable
from gambol.forces.muscle import Muscle
from gambol.forces.routing import Around, Branch, Stop, Via
from gambol.view.mouse_spring import NAME, PIN

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

End = tuple[str, Sequence[float]]  # a body ("": the world) and a point of it [m]
BENT = 10  # pieces with which the way around a solid is drawn


class Lines:
    """Lines between points of bodies, as rows of the poses and points [m, body frame]."""

    def __init__(self, names: Sequence[str], ends: Sequence[tuple[End, End]]):
        rows = {name: k for k, name in enumerate(names)} | {name.rsplit("/", 1)[-1]: k for k, name in enumerate(names)}
        self.rows = np.array([[rows.get(body, -1) for body, _ in pair] for pair in ends], int).reshape(-1, 2)
        self.points = np.array([[point for _, point in pair] for pair in ends], float).reshape(-1, 2, 3)

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, poses: Poses) -> np.ndarray:
        """Where they are, (n, 2, 3) [m, world]."""
        placed = poses.origins[self.rows] + np.einsum("nkij,nkj->nki", poses.frames[self.rows], self.points)
        return np.where((self.rows < 0)[:, :, None], self.points, placed)


class Route:
    """The way of one cable: from point to point, and over the solids between them.

    A straight way that would go through a solid is lifted to its surface, away from its middle; by which side a cable
    goes round (`Around.side`) is not looked at.
    """

    def __init__(self, names: Sequence[str], path: Sequence[Stop]):
        ends: list[tuple[End, End]] = []
        self._solids: list[Around | None] = []
        before: Via | None = None
        solid: Around | None = None
        for stop in path:
            if isinstance(stop, Around):
                solid = stop
                continue
            if isinstance(stop, Via) and before is not None:
                ends.append(((before.body, before.point), (stop.body, stop.point)))
                self._solids.append(solid)
            before, solid = (None if isinstance(stop, Branch) else stop), None
        self._ways = Lines(names, ends)
        middles = [(s.body, s.place.position) if s else ("", (0.0, 0.0, 0.0)) for s in self._solids]
        self._middles = Lines(names, [(middle, middle) for middle in middles])

    def __len__(self) -> int:
        return sum(BENT if solid else 1 for solid in self._solids)

    def at(self, poses: Poses) -> np.ndarray:
        """Its pieces, (n, 2, 3) [m, world]."""
        found: list[np.ndarray] = []
        for k, (way, solid) in enumerate(zip(self._ways.at(poses), self._solids)):
            if solid is None:
                found.append(way[None])
                continue
            row = self._middles.rows[k, 0]
            frame = (poses.frames[row] if row >= 0 else np.eye(3)) @ solid.place.matrix
            middle = self._middles.at(poses)[k, 0]
            points = lifted(way, middle, frame[:, 2] if solid.cylinder else None, solid.radius)
            found.append(np.stack([points[:-1], points[1:]], axis=1))
        return np.concatenate(found) if found else np.zeros((0, 2, 3))


def lifted(way: np.ndarray, middle: np.ndarray, axis: np.ndarray | None, radius: float) -> np.ndarray:
    """Points (n, 3) from end to end of a straight `way` (2, 3), those inside a ball (or a cylinder along `axis`) on its
    surface [m]."""
    points = way[0] + np.linspace(0.0, 1.0, BENT + 1)[:, None] * (way[1] - way[0])
    out = points - middle
    if axis is not None:
        out = out - np.outer(out @ axis, axis)
    away = np.linalg.norm(out, axis=1)
    inside = (away < radius) & (away > 1e-12)
    points[inside] += out[inside] * (radius / away[inside] - 1.0)[:, None]
    return points


class Drawn:
    """The lines of a simulation. Muscles are `Muscle` elements and cables that something drives; of the pieces of their
    ways, `owners` are the muscles in their order. Cables that only stretch are springs."""

    def __init__(self, sim: Simulation, names: Sequence[str]):
        forces: Any = sim.world.forces
        self._muscles, self._cables = sim.elements.of_type(Muscle), sim.elements.of_type(Cable)
        cables = [element for element in forces if isinstance(element, Cable)]
        driven = [cable.drive != "none" for cable in cables]
        self._driven = np.array(driven, bool)
        ways: list[Sequence[Stop]] = [
            [Via(body, (at[0], at[1], at[2])) for body, at in element.path]
            for element in forces
            if isinstance(element, Muscle)
        ]
        ways += [cable.path for cable, on in zip(cables, driven) if on]
        self.muscles = [Route(names, way) for way in ways]
        self.owners = np.repeat(np.arange(len(ways)), [len(route) for route in self.muscles])
        self.springs = Lines(names, [ends for element in forces if (ends := spring_ends(element)) is not None])
        self._strings = [Route(names, cable.path) for cable, on in zip(cables, driven) if not on]
        self.nails = Lines(names, [((body, at), (body, at)) for body, at in held_points(sim.world.constraints)])

    def activations(self) -> np.ndarray:
        """Of each muscle, at this moment."""
        found = [np.zeros(0)]
        if len(self._muscles):
            found.append(np.atleast_1d(np.asarray(self._muscles.get("activation"), float)))
        if self._driven.any():
            found.append(np.atleast_1d(np.asarray(self._cables.report()["activation"], float))[self._driven])
        return np.concatenate(found)

    def stretched(self, poses: Poses) -> np.ndarray:
        """Springs and cables that only stretch, (n, 2, 3) [m, world]."""
        return np.concatenate([self.springs.at(poses), *(string.at(poses) for string in self._strings)])

    def contracting(self, poses: Poses) -> np.ndarray:
        """The ways of muscles, piece by piece, (n, 2, 3) [m, world]."""
        return np.concatenate([np.zeros((0, 2, 3)), *(muscle.at(poses) for muscle in self.muscles)])

    @property
    def has_springs(self) -> bool:
        """Is there something between points, or held?"""
        return len(self.springs) + len(self._strings) + len(self.nails) > 0


def spring_ends(element: Any) -> tuple[End, End] | None:
    """The two ends of an element along a line, or of an anchor; None for others."""
    if element.name in (NAME, PIN):
        return None
    if hasattr(element, "other_point"):
        return (element.body, element.point), (element.other, element.other_point)
    if hasattr(element, "place") and hasattr(element, "stiffness") and hasattr(element, "body"):
        return (element.body, element.point), ("", element.place)
    return None


def held_points(constraints: Sequence[Any]) -> list[End]:
    """Bodies and points that constraints hold."""
    found: list[End] = []
    for constraint in constraints:
        points = getattr(constraint, "points", None) or [getattr(constraint, "point", None)]
        found += [(getattr(constraint, "body", ""), point) for point in points if point is not None]
    return found
