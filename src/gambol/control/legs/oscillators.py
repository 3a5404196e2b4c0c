"""A network of coupled phase oscillators: the modern rival of the pacemaker, on the same interface.

Every one of the n legs has a phase and a cycle of its own, and is drawn toward the phases that the others ask of it:

    dφ_i/dt = 1/cycle_i + coupling / n Σ_j sin 2π(φ_j - φ_i - lag_ij) / (2π)

What draws two legs together is equal and opposite, so legs that keep step do so at the mean of their frequencies,
1/cycle; those whose frequencies lie too far apart for the coupling fall out of it. Two legs keep step while these
differ by less than coupling/(2π), the quicker one ahead of its lag by δ turns, sin 2πδ = 2π difference / coupling.

A leg that is held back (by load, or because a neighbour steps) waits with its phase, and the others fall in with it; a
pacemaker would have gone on. Corrections by rule are reflexes: the elevator reflex is the *stumble*, `Retraction` lifts
a leg that has fallen into a gap.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.control.legs.gait import IN_STANCE, MAY_STEP, SAME_TIME, TRIGGER, Cycle, PacemakerGait, Reflex
from gambol.control.legs.leg import Stroke
from gambol.control.legs.senses import Sensed


@dataclass
class PhaseNetwork(PacemakerGait):
    """A gait from coupled oscillators. coupling [1/s]; tick [s]: longest step of the phases.

    Each leg may have a cycle of its own [s], by name or in an array (legs,) or (worlds, legs). It is the rhythm that
    the leg has by itself: its lag is a share of it, and its stance program takes what it leaves beside the step.
    """

    coupling: float = 20.0
    tick: float = 1e-3

    own_cycles = True

    def reset(self, cycle: Cycle, *, time: float = 0.0) -> None:
        """Back to the gait of a cycle [s], at a time [s]."""
        super().reset(cycle, time=time)
        self.now.clock = self._wanted() + self.phase
        self.now.triggers[...] = np.floor(self.phases() - TRIGGER)

    def _wanted(self) -> np.ndarray:
        """The phases of Wilson's rules, (worlds, legs) in turns, up to a common one."""
        return self.lags()

    def phases(self) -> np.ndarray:
        """Phases (worlds, legs) [turns]."""
        clock = self.now.clock
        return clock if clock.ndim == 2 else np.repeat(clock[:, None], len(self.legs), axis=1)

    def rates(self) -> np.ndarray:
        """dφ/dt [1/s]."""
        wanted, phases = self._wanted(), self.phases()
        lag = wanted[:, None, :] - wanted[:, :, None]
        pull = np.sin(2.0 * np.pi * (phases[:, None, :] - phases[:, :, None] - lag)).sum(axis=2)
        return 1.0 / self.now.cycle + self.coupling * pull / (2.0 * np.pi * len(self.legs))

    def next_time(self) -> float:
        """When a leg can change next at the soonest [s]."""
        now = self.now
        fastest = 1.0 / now.cycle + self.coupling / (2.0 * np.pi)
        wait = (now.triggers + 1.0 + TRIGGER - self.phases()) / fastest
        ends = np.where(now.state == 2, now.since + self.step_time - now.time, np.inf)
        return now.time + max(min(max(float(wait.min()), self.tick), float(ends.min())), 0.0)

    def _turn(self, duration: float) -> None:
        """Integrates the phases over a duration [s]; those of legs that wait for their step wait with them."""
        waiting, left = self.now.state == MAY_STEP, duration
        while left > SAME_TIME:
            step = min(left, self.tick)
            here, first = self.now.clock, self.rates()
            self.now.clock = np.where(waiting, here, here + 0.5 * step * first)
            self.now.clock = np.where(waiting, here, here + step * self.rates())
            left -= step


@dataclass
class Retraction(Reflex):
    """A standing leg that has sunk far below the others (into a gap) is lifted and steps again.

    lifts   by leg: the joint that lifts and its angle [rad] at the top
    depth   [m] below the mean of the other feet that counts
    heights function () -> heights of the feet [m], (worlds, legs)
    """

    lifts: Mapping[str, tuple[str, float]]
    depth: float
    heights: Any
    count: int = 0
    _lifted: dict[tuple[int, str], float] = field(default_factory=dict, repr=False)

    def act(self, gait: PacemakerGait, sensed: Sensed) -> None:
        """Legs that stand deeper than the others step anew."""
        heights = np.atleast_2d(self.heights())
        others = (heights.sum(axis=1, keepdims=True) - heights) / (heights.shape[1] - 1)
        sunk = (others - heights > self.depth) & (gait.now.state == IN_STANCE)
        for world, k in np.argwhere(sunk).tolist():
            if sensed.time - gait.now.since[world, k] > 0.3 * gait.step_time:
                gait.now.state[world, k] = MAY_STEP
                self.count += 1

    def react(self, controller, sensed: Sensed) -> None:
        """Its step lifts it; a leg that may not step yet is at least unloaded."""
        gait = controller.gait
        for world, k in np.argwhere(gait.now.state == MAY_STEP).tolist():
            leg = gait.legs[k]
            if leg.name in self.lifts and self._lifted.get((world, leg.name)) != gait.now.since[world, k]:
                self._lifted[world, leg.name] = float(gait.now.since[world, k])
                joint, angle = self.lifts[leg.name]
                controller.begin(Stroke(joint, angle, duration=0.3), (world,), sensed.time, gait.step_time)
