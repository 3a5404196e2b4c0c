"""What differs from episode to episode, and what comes from outside: commands, pushes, other bodies and grounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import Fault, TaskError, nearest
from gambol.forces.element import Element
from gambol.learn.batch import Batch
from gambol.learn.parts import Change, positive


@dataclass
class Commands(Change):
    """What is asked for: drawn evenly from `low` to `high` where an episode begins, and every so often [s].

    still   share of the draws in which nothing (zero) is asked for
    """

    low: Sequence[float] = (0.0, 0.0, 0.0)
    high: Sequence[float] = (0.5, 0.0, 0.0)
    every: float = 5.0
    still: float = 0.0
    keeps = ("_next", "_left")

    def prepare(self, batch: Batch) -> None:
        if len(self.low) != len(self.high):
            raise TaskError([Fault("low and high of a command must be equally many numbers", "task")])
        self._ticks = max(round(positive(self.every, "the time between commands [s]") / batch.tick), 1)
        batch.command = np.zeros((len(self.low), batch.worlds), batch.q.dtype).T
        self._next, self._left = np.zeros(batch.worlds, np.int64), 0

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        self._next[worlds] = batch.age[worlds] + self._ticks
        self._left = min(self._left, self._ticks)
        drawn = batch.random.uniform(self.low, self.high, (len(worlds), len(self.low)))
        if self.still:
            drawn[batch.random.random(len(worlds)) < self.still] = 0.0
        batch.command[worlds] = drawn

    def change(self, batch: Batch) -> None:
        """New ones where their time has come."""
        if self._left:
            self._left -= 1
            return
        due = np.flatnonzero(batch.age == self._next)
        if len(due):
            self.begin(batch, due)
        self._left = max(int((self._next - batch.age).min()) - 1, 0)


@dataclass
class Pushes(Change):
    """Every so often [s], at times of each world's own, the trunk's velocity changes by up to `speed` [m/s], level."""

    speed: float = 0.3
    every: float = 3.0
    keeps = ("_next", "_left")

    def prepare(self, batch: Batch) -> None:
        batch._root()
        self._ticks = max(round(positive(self.every, "the time between pushes [s]") / batch.tick), 1)
        self._next, self._left = np.zeros(batch.worlds, np.int64), 0  # ticks for which nothing is due in any world

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        self._next[worlds] = drawn = batch.random.integers(1, 2 * self._ticks, len(worlds))
        self._left = min(self._left, int(drawn.min()))

    def change(self, batch: Batch) -> None:
        """Pushes where it is time."""
        if self._left:
            self._left -= 1
            return
        due = np.flatnonzero(batch.age == self._next)
        if len(due):
            self._push(batch, due)
        self._left = max(int((self._next - batch.age).min()) - 1, 0)

    def _push(self, batch: Batch, due: np.ndarray) -> None:
        _, at, turn = batch._root()
        angle, size = batch.random.uniform(0, 2 * np.pi, len(due)), batch.random.uniform(0, self.speed, len(due))
        v = batch.v[due].copy()
        v[:, at + 3 : at + 6] += np.stack([size * np.cos(angle), size * np.sin(angle), 0.0 * angle], axis=1) @ turn
        batch.sim.place(due, v=v)
        self._next[due] += batch.random.integers(1, 2 * self._ticks, len(due))


@dataclass
class Randomise(Change):
    """A parameter of force elements, of each world's own: described, times a factor drawn evenly from `low` to `high`.

    elements    names, or a type (GroundContact); "terrain" with its level, slope_x and slope_y is one of them
    parameter   friction, stiffness, damping, …
    together    one factor for all elements of a world, or (False) one for each
    add         the number drawn is added instead
    """

    elements: Sequence[str] | type[Element] = ()
    parameter: str = "friction"
    low: float = 0.8
    high: float = 1.2
    together: bool = True
    add: bool = False

    def prepare(self, batch: Batch) -> None:
        chosen = self.elements
        elements = batch.sim.elements
        self._handle = elements.of_type(chosen) if isinstance(chosen, type) else elements[tuple(chosen)]
        names = self._handle.parameters
        if self.parameter not in names:
            who = chosen.__name__ if isinstance(chosen, type) else ", ".join(chosen)
            raise TaskError(
                [Fault(f"{who or 'nothing'} has no {self.parameter!r}{nearest(self.parameter, names)}", "task")]
            )
        self._described = np.atleast_1d(self._handle.described(self.parameter))

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        drawn = batch.random.uniform(self.low, self.high, (len(worlds), 1 if self.together else len(self._described)))
        values = self._described + drawn if self.add else self._described * drawn
        self._handle.set(self.parameter, values, worlds=worlds)


@dataclass
class RandomMass(Change):
    """The mass of a body times a factor drawn evenly from `low` to `high`, its inertia likewise; shape stays.

    The environment gives every world masses of its own for it, which costs a tenth of its speed.
    """

    body: str = ""
    low: float = 0.8
    high: float = 1.2

    def prepare(self, batch: Batch) -> None:
        if not batch.sim.own_masses:
            raise TaskError([Fault("worlds share their masses; make the simulation with own_masses=True", "task")])
        self._handle = batch.sim.bodies[self.body]
        self._mass = self._handle.description.mass_properties

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        m = self._mass
        factors = batch.random.uniform(self.low, self.high, len(worlds))
        own = [replace(m, mass=f * m.mass, inertia=tuple(f * x for x in m.inertia)) for f in factors]
        self._handle.set_mass(own, worlds=worlds)


@dataclass
class StartNoise(Change):
    """Joints of one coordinate begin off their start by up to `positions` [rad or m], and at up to `speeds` [1/s].

    velocity   [m/s] and turning [rad/s] that the trunk begins with, at most, in every direction
    """

    positions: float = 0.05
    speeds: float = 0.1
    velocity: float = 0.0

    def prepare(self, batch: Batch) -> None:
        names = batch.joints("all")
        self._q, self._v = batch.positions_of(names), batch.speeds_of(names)

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        q, v = batch.q[worlds].copy(), batch.v[worlds].copy()
        shape, draw = q[:, self._q].shape, batch.random.uniform
        q[:, self._q] += draw(-self.positions, self.positions, shape)
        v[:, self._v] += draw(-self.speeds, self.speeds, shape)
        if self.velocity:
            _, at, _ = batch._root()
            v[:, at : at + 6] += draw(-self.velocity, self.velocity, (len(worlds), 6))
        batch.sim.place(worlds, q, v)
        batch.look()
