"""What runs between points of bodies: muscles with their activation, springs, and the places where constraints hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.draw.motion import Poses
from gambol.forces.muscle import Muscle
from gambol.view.mouse_spring import NAME, PIN

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

End = tuple[str, Sequence[float]]  # a body ("": the world) and a point of it [m]


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


class Drawn:
    """The lines of a simulation; `owners` of the pieces of muscles are the muscles in their order."""

    def __init__(self, sim: Simulation, names: Sequence[str]):
        forces: Any = sim.world.forces
        self._muscles = sim.elements.of_type(Muscle)
        pieces: list[tuple[End, End]] = []
        owners: list[int] = []
        for k, muscle in enumerate(element for element in forces if isinstance(element, Muscle)):
            pairs = list(zip(muscle.path, muscle.path[1:]))
            pieces += pairs
            owners += [k] * len(pairs)
        self.muscles, self.owners = Lines(names, pieces), np.array(owners, int)
        self.springs = Lines(names, [ends for element in forces if (ends := spring_ends(element)) is not None])
        self.nails = Lines(names, [((body, at), (body, at)) for body, at in held_points(sim.world.constraints)])

    def activations(self) -> np.ndarray:
        """Of each muscle, at this moment."""
        return np.atleast_1d(np.asarray(self._muscles.get("activation"), float)) if len(self._muscles) else np.zeros(0)


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
