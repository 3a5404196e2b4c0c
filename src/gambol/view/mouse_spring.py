"""The mouse spring: a spring and damper between a body and the mouse, slack until somebody drags; and a pin.

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

NAME, PIN = "mouse spring", "pin"
REACH = 0.25  # stretch at full strength, of the figure's size
PERIOD = 1 / 128  # [s] between looks at where the held body is
GIVES = 0.01  # by how much of the figure's size its own weight draws a pinned point away


def with_mouse_spring(world: World) -> World:
    """The same world with a slack mouse spring in it, and a pin that holds nothing."""
    first = world.layout.bodies[0].name
    slack = [Anchor(name=n, line=n, body=first, place=(0.0, 0.0, 0.0), stiffness=0.0) for n in (NAME, PIN)]
    return replace(world, forces=(*world.forces, *slack))


class MouseSpring(Controller):
    """The mouse spring of a simulation whose world came from `with_mouse_spring`; what it holds is part of the state.

    strength  the largest force of its spring [N]
    body      what it holds or pushes
    pinned    the body that is pinned where it was
    """

    keeps = ("strength", "body", "pinned", "_at", "_target", "_due", "_push", "_until", "_pin_at")

    def __init__(self, sim: Simulation):
        if NAME not in sim.elements:
            raise ViewError("this world has no mouse spring: make it with gambol.view.with_mouse_spring(world)")
        self.sim, self._spring = sim, sim.elements[NAME]
        self.mass = float(sum(figure.mass for figure in sim.layout.figures))
        self.weight = 9.81 * self.mass
        self.strength = float(f"{0.5 * self.weight:.2g}")
        self.body: str | None = None
        self.pinned: str | None = None
        self._pin = sim.elements[PIN] if PIN in sim.elements else None
        self._at, self._target, self._due = np.zeros(3), np.zeros(3), math.inf
        self._push, self._until, self._pin_at = np.zeros(3), math.inf, np.zeros(3)

    tools = ("pull", "push", "pin")

    @property
    def lasting(self) -> bool:
        """Does a push end by itself?"""
        return math.isfinite(self._until)

    @property
    def stiffness(self) -> float:
        """[N/m]"""
        return self.strength / (REACH * self.sim.world.size)

    def grab(self, body: str, at) -> None:
        """Takes hold of a body at a point `at` [m, body frame]."""
        self.release()
        self._spring.bind(body, at)
        self.body, self._at = self.sim.bodies[body].name, np.asarray(at, float)
        self.pull(self.point())

    def pull(self, target) -> None:
        """Pulls the point towards `target` [m, world]."""
        self._target = np.asarray(target, float)
        if self.body is not None:
            self.act(self.sim)

    def push(self, body: str, at, force, seconds: float) -> None:
        """Pushes a body at a point `at` [m, body frame] with a force [N, world] for so many seconds, then lets go."""
        force = np.asarray(force, float)
        if not seconds > 0 or not np.all(np.isfinite(force)):
            raise ViewError(f"a push has a finite force and a positive duration, not {force} N and {seconds:g} s")
        self._spring.bind(body, at)
        self.body, self._at = self.sim.bodies[body].name, np.asarray(at, float)
        self._push, self._until = force, self.sim.latest_time + seconds
        self.act(self.sim)

    def pin(self, body: str, at) -> None:
        """Pins a point `at` [m, body frame] of a body where it is; a body that is pinned already comes free."""
        if self._pin is None:
            raise ViewError("this world has no pin: make it with gambol.view.with_mouse_spring(world)")
        name = self.sim.bodies[body].name
        if self.pinned == name:
            self.unpin()
            return
        self._pin.bind(body, at)
        self.pinned, self._pin_at = name, np.asarray(at, float)
        for axis, x in zip("xyz", self.sim.bodies[body].point(tuple(self._pin_at))):
            self._pin.set(axis, float(x))
        stiffness = self.weight / (GIVES * self.sim.world.size)
        self._pin.set("stiffness", stiffness)
        self._pin.set("damping", math.sqrt(stiffness * self.mass))

    def unpin(self) -> None:
        """Takes the pin out."""
        self.pinned = None
        if self._pin is not None:
            self._pin.set("stiffness", 0.0)
            self._pin.set("damping", 0.0)

    def release(self) -> None:
        """Lets go."""
        self.body, self._due, self._until, self._push = None, math.inf, math.inf, np.zeros(3)
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
        """Keeps the pull within the strength, or the push what it is."""
        if run.latest_time >= self._until - 1e-9:
            self.release()
            return
        here, pushing = self.point(), math.isfinite(self._until)
        stiffness = float(np.linalg.norm(self._push)) / (REACH * self.sim.world.size) if pushing else self.stiffness
        reach = self._push / max(stiffness, 1e-300) if pushing else self._reach(here)
        for axis, x in zip("xyz", here + reach):
            self._spring.set(axis, float(x))
        self._spring.set("stiffness", stiffness)
        self._spring.set("damping", 0.0 if pushing else 0.5 * math.sqrt(stiffness * self.mass))
        self._due = min(PERIOD * (math.floor(run.latest_time / PERIOD + 1e-6) + 1), self._until)

    def pulling(self, poses: Poses, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Where the spring pulls [m, world] and its force [N], at given poses of the bodies called `names`."""
        body = self.body
        if body is None:
            return np.zeros(3), np.zeros(3)
        row = list(names).index(body)
        here = poses.origins[row] + poses.frames[row] @ self._at
        return here, self._push if math.isfinite(self._until) else self.stiffness * self._reach(here)

    def pinning(self, poses: Poses, names: Sequence[str]) -> np.ndarray:
        """The pinned point [m, world], (1, 3); (0, 3) where nothing is pinned."""
        if self.pinned is None:
            return np.zeros((0, 3))
        row = list(names).index(self.pinned)
        return (poses.origins[row] + poses.frames[row] @ self._pin_at)[None]

    def _reach(self, here: np.ndarray) -> np.ndarray:
        """From the held point to where it is pulled: no farther than the strength allows."""
        reach = self._target - here
        return reach * min(1.0, REACH * self.sim.world.size / max(float(np.linalg.norm(reach)), 1e-12))
