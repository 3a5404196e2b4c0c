"""Balance by feedback on the centre of mass: rest angles of ankles and hips lean against its excursions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gambol.forces.ramp import FROM, RAMP, TO
from gambol.world.simulation import Simulation


@dataclass(frozen=True)
class Gains:
    """Rest angle for an excursion [rad/m], for its speed [rad·s/m], and the most it may become [rad]."""

    position: float = 2.0
    speed: float = 0.6
    most: float = 0.15


@dataclass
class Balance:
    """Holds the centre of mass above where it was over the feet when it began (a behaviour without end).

    feet      bodies whose mean origin the centre of mass is measured from
    forward   share of the forward correction that each joint takes; sideways: of the lateral one
    rest      rest angles about which it corrects, those of its own joints
    For single worlds. `clipped` counts how many corrections were cut at `gains.most`.
    """

    feet: Sequence[str]
    forward: Mapping[str, float]
    sideways: Mapping[str, float]
    rest: Mapping[str, float]
    gains: Gains = field(default_factory=Gains)
    clipped: int = field(default=0, init=False)
    offset: np.ndarray = field(default_factory=lambda: np.zeros(2), init=False)
    goal: np.ndarray | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._plan = (dict(self.rest), dict(self.rest), 0.0, 0.0)

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that it drives."""
        return tuple(dict.fromkeys([*self.forward, *self.sideways]))

    def go(self, rest: Mapping[str, float], time: float, seconds: float) -> None:
        """Moves the rest angles about which it corrects, from now on, in some seconds."""
        self._plan = (self._planned(time), {**self._plan[1], **rest}, time, seconds)

    def _planned(self, time: float) -> dict[str, float]:
        start, end, begin, seconds = self._plan
        share = 1.0 if seconds <= 0.0 else min(max((time - begin) / seconds, 0.0), 1.0)
        return {name: start[name] + share * (end[name] - start[name]) for name in end}

    def start(self, sim: Simulation, note) -> None:
        """Where the centre of mass is now is where it should be."""
        self._mass = sim.mechanics.mass
        cells = [sim.parameters.cells(joint, "rest")[0] for joint in self.joints]
        self._cells = np.array([first[0] for first in cells])[:, None] + np.arange(RAMP)
        if self.goal is None:
            self.goal = self._excursion(sim)[0]

    def _excursion(self, sim: Simulation) -> tuple[np.ndarray, np.ndarray]:
        """Centre of mass from the middle of the feet [m], and its velocity [m/s], along x and y."""
        q, mechanics = sim.q, sim.mechanics
        middle = np.mean([mechanics.point(q, foot) for foot in self.feet], axis=0)
        velocity = mechanics.momentum(q, sim.v)[3:] / self._mass
        return (mechanics.centre_of_mass(q) - middle)[:2], velocity[:2]

    def act(self, sim: Simulation, note) -> bool:
        """Leans the rest angles against the excursion; never done."""
        place, velocity = self._excursion(sim)
        raw = self.gains.position * (place - self.goal) + self.gains.speed * velocity
        self.offset = np.clip(raw, -self.gains.most, self.gains.most)
        self.clipped += int(np.count_nonzero(self.offset != raw))
        base = self._planned(float(sim.time))
        held = np.zeros((len(self.joints), RAMP))
        for k, joint in enumerate(self.joints):
            lean = self.forward.get(joint, 0.0) * self.offset[0] + self.sideways.get(joint, 0.0) * self.offset[1]
            held[k, [FROM, TO]] = base[joint] + lean
        sim.memory.of(0)[self._cells] = held
        return False
