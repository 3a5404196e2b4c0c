"""The mouse spring: a spring and damper between a body and the mouse, slack until somebody drags.

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
from gambol.forces.anchor import Anchor
from gambol.stepping.controller import Controller

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.world import World

NAME = "mouse spring"
REACH = 0.25  # stretch at full strength, of the figure's size
PERIOD = 1 / 128  # [s] between looks at where the held body is


def with_mouse_spring(world: World) -> World:
    """The same world with a slack mouse spring in it."""
    first = world.layout.bodies[0].name
    slack = Anchor(name=NAME, line=NAME, body=first, place=(0.0, 0.0, 0.0), stiffness=0.0)
    return replace(world, forces=(*world.forces, slack))


class MouseSpring(Controller):
    """The mouse spring of a simulation whose world came from `with_mouse_spring`; what it holds is part of the state.

    strength  the largest force of its spring [N]
    body      what it holds
    """

    keeps = ("strength", "body", "_at", "_target", "_due")

    def __init__(self, sim: Simulation):
        if NAME not in sim.elements:
            raise ViewError("this world has no mouse spring: make it with gambol.view.with_mouse_spring(world)")
        self.sim, self._spring = sim, sim.elements[NAME]
        self.mass = float(sum(figure.mass for figure in sim.layout.figures))
        self.weight = 9.81 * self.mass
        self.strength = float(f"{0.5 * self.weight:.2g}")
        self.body: str | None = None
        self._at, self._target, self._due = np.zeros(3), np.zeros(3), math.inf

    @property
    def stiffness(self) -> float:
        """[N/m]"""
        return self.strength / (REACH * self.sim.world.size)

    def grab(self, body: str, at) -> None:
        """Takes hold of a body at a point `at` [m, body frame]."""
        self._spring.bind(body, at)
        self.body, self._at = self.sim.bodies[body].name, np.asarray(at, float)
        self.pull(self.point())

    def pull(self, target) -> None:
        """Pulls the point towards `target` [m, world]."""
        self._target = np.asarray(target, float)
        if self.body is not None:
            self.act(self.sim)

    def release(self) -> None:
        """Lets go."""
        self.body, self._due = None, math.inf
        self._spring.set("stiffness", 0.0)
        self._spring.set("damping", 0.0)

    def point(self) -> np.ndarray:
        """Where the held point is [m, world]."""
        if self.body is None:
            raise ViewError("the mouse spring holds nothing")
        return self.sim.bodies[self.body].point(tuple(self._at))

    def next_time(self, run: Simulation) -> float:
        return self._due

    def act(self, run: Simulation) -> None:
        """Keeps the pull within the strength."""
        here = self.point()
        for axis, x in zip("xyz", here + self._reach(here)):
            self._spring.set(axis, float(x))
        self._spring.set("stiffness", self.stiffness)
        self._spring.set("damping", 0.5 * math.sqrt(self.stiffness * self.mass))
        self._due = PERIOD * (math.floor(run.latest_time / PERIOD + 1e-6) + 1)

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
