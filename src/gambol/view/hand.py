"""A hand that pulls at a body: a spring and damper in the world, slack until somebody drags.

Its force is bounded: the place it pulls to is never farther from the body than the strength allows. Its damper only
takes energy. The stepper knows both (they are an Anchor), so a pull can be strong without being stiff.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.draw.motion import Poses
from gambol.errors import ViewError
from gambol.forces import anchor
from gambol.forces.anchor import Anchor
from gambol.forces.programs import COUNT, INDEX, PARAM, TYPE

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.world import World

NAME = "hand"
REACH = 0.25  # stretch at full strength, of the figure's size


def with_hand(world: World) -> World:
    """The same world with a slack hand in it."""
    first = world.layout.bodies[0].name
    slack = Anchor(name=NAME, line=NAME, body=first, place=(0.0, 0.0, 0.0), stiffness=0.0)
    return replace(world, forces=(*world.forces, slack))


class Hand:
    """The hand of a simulation whose world came from `with_hand`.

    strength  the largest force of its spring [N]
    """

    def __init__(self, sim: Simulation):
        if NAME not in sim.elements.places:
            raise ViewError("this world has no hand: make it with gambol.view.hand.with_hand(world)")
        self.sim = sim
        self._first = sim.elements.places[NAME].params[0]
        self._index = _index_of(sim, self._first)
        self.mass = float(sum(figure.mass for figure in sim.layout.figures))
        self.weight = 9.81 * self.mass
        self.strength = float(f"{0.5 * self.weight:.2g}")
        self.body: str | None = None
        self._at = np.zeros(3)
        self._target = np.zeros(3)

    @property
    def stiffness(self) -> float:
        """[N/m]"""
        return self.strength / (REACH * self.sim.world.size)

    def grab(self, body: str, at) -> None:
        """Takes hold of a body at a point `at` [m, body frame]."""
        entry = self.sim.layout.body(body)
        self.body, self._at = entry.name, np.asarray(at, float)
        self.sim.model.indices[self._index] = entry.link
        cells = np.asarray(self.sim.memory.parameters)[self._first : self._first + 3]
        self.sim.memory.write(cells, entry.turn.T @ self._at, "point")
        self._target = self.point()
        self.hold()

    def pull(self, target) -> None:
        """Pulls the point towards `target` [m, world]."""
        self._target = np.asarray(target, float)
        self.hold()

    def release(self) -> None:
        """Lets go."""
        self.body = None
        self.sim.elements[NAME].set("stiffness", 0.0)
        self.sim.elements[NAME].set("damping", 0.0)

    def point(self) -> np.ndarray:
        """Where the held point is [m, world]."""
        if self.body is None:
            raise ViewError("the hand holds nothing")
        return self.sim.mechanics.point(self.sim.q, self.body, list(self._at))

    def hold(self) -> None:
        """Keeps the pull within the strength; called before every stretch of a run."""
        if self.body is None:
            return
        here = self.point()
        for axis, x in zip("xyz", here + self._reach(here)):
            self.sim.elements[NAME].set(axis, float(x))
        self.sim.elements[NAME].set("stiffness", self.stiffness)
        self.sim.elements[NAME].set("damping", 0.5 * math.sqrt(self.stiffness * self.mass))

    def pulling(self, poses: Poses, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where the spring pulls [m, world] and its force [N], at given poses of the bodies called `names`."""
        body = self.body
        if body is None:
            return np.zeros(3), np.zeros(3)
        row = list(names).index(body)
        here = poses.origins[row] + poses.frames[row] @ self._at
        return here, self.stiffness * self._reach(here)

    def _reach(self, here: np.ndarray) -> np.ndarray:
        """From the held point to where it is pulled: no farther than the strength allows."""
        reach = self._target - here
        return reach * min(1.0, REACH * self.sim.world.size / max(float(np.linalg.norm(reach)), 1e-12))


def _index_of(sim: Simulation, first: int) -> int:
    """Where, among the indices, the link is of the anchor whose parameters begin at `first`."""
    for row in sim.compiled.table:
        count, step = int(row[COUNT]), anchor.PARAMETERS
        if sim.compiled.modules[row[TYPE]] is anchor and row[PARAM] <= first < row[PARAM] + count * step:
            return int(row[INDEX]) + (first - int(row[PARAM])) // step
    raise ViewError("the hand is not an anchor of this world")
