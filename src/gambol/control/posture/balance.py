"""Balance by feedback on the centre of mass: rest angles of ankles and hips lean against its excursions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.control.behaviour import Behaviour
from gambol.world.simulation import Simulation


@dataclass(frozen=True)
class Gains:
    """Rest angle for an excursion [rad/m], for its speed [rad·s/m], and the most it may become [rad]."""

    position: float = 2.0
    speed: float = 0.6
    limit: float = 0.15


class Balance(Behaviour):
    """Holds the centre of mass above where it was over the feet when it began; it has no end.

    feet      bodies whose mean origin the centre of mass is measured from
    forward   share of the forward correction that each joint takes; sideways: of the lateral one
    rest      rest angles about which it corrects, those of its own joints
    For single worlds. `clipped` counts how many corrections were cut at `gains.limit`.
    """

    keeps = ("done", "due", "clipped", "offset", "goal", "way")

    def __init__(
        self,
        feet: Sequence[str],
        forward: Mapping[str, float],
        sideways: Mapping[str, float],
        rest: Mapping[str, float],
        gains: Gains | None = None,
        *,
        period: float = 0.01,
    ):
        self.feet, self.forward, self.sideways, self.rest = tuple(feet), dict(forward), dict(sideways), dict(rest)
        self.gains, self.period = gains or Gains(), period
        self.joints = tuple(dict.fromkeys([*forward, *sideways]))
        self.clipped, self.offset = 0, np.zeros(2)
        self.goal: np.ndarray | None = None
        self.way = (dict(rest), dict(rest), 0.0, 0.0)  # from, to, since [s], in [s]

    def move(self, rest: Mapping[str, float], time: float, seconds: float) -> None:
        """Moves the rest angles about which it corrects, from now on, in some seconds."""
        self.way = (self._middle(time), {**self.way[1], **rest}, time, seconds)

    def _middle(self, time: float) -> dict[str, float]:
        start, end, begin, seconds = self.way
        share = 1.0 if seconds <= 0.0 else min(max((time - begin) / seconds, 0.0), 1.0)
        return {name: start[name] + share * (end[name] - start[name]) for name in end}

    def start(self, run: Simulation) -> None:
        super().start(run)
        self._mass, self._springs = run.mechanics.mass, run.elements[self.joints]
        if self.goal is None:
            self.goal = self._excursion(run)[0]

    def _excursion(self, run: Simulation) -> tuple[np.ndarray, np.ndarray]:
        """Centre of mass from the middle of the feet [m], and its velocity [m/s], along x and y."""
        q, mechanics = run.q, run.mechanics
        middle = np.mean([mechanics.point(q, foot) for foot in self.feet], axis=0)
        velocity = mechanics.momentum(q, run.v)[3:] / self._mass
        return (mechanics.centre_of_mass(q) - middle)[:2], velocity[:2]

    def tick(self, run: Simulation) -> bool:
        """Leans against the excursion of the centre of mass."""
        place, velocity = self._excursion(run)
        raw = self.gains.position * (place - self.goal) + self.gains.speed * velocity
        self.offset = np.clip(raw, -self.gains.limit, self.gains.limit)
        self.clipped += int(np.count_nonzero(self.offset != raw))
        base, ahead, aside = self._middle(run.latest_time), *self.offset
        lean = [self.forward.get(j, 0.0) * ahead + self.sideways.get(j, 0.0) * aside for j in self.joints]
        self._springs.set("rest", [base[joint] + more for joint, more in zip(self.joints, lean)])
        return False
