"""Reflexes of legs. Each looks at what the legs feel and changes when they step, or how.

`act(gait, sensed)` comes before legs begin their steps, `react(controller, sensed)` after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gambol.control.legs.gait import IN_STANCE, IN_STEP, MAY_STEP, PacemakerGait, Reflex
from gambol.control.legs.leg import Stroke
from gambol.control.legs.senses import Sensed, Senses
from gambol.stepping.controller import Controller
from gambol.world.simulation import Simulation

if TYPE_CHECKING:
    from gambol.control.legs.gait_controller import GaitController


class Extreme(NamedTuple):
    """A joint's angle [rad] beyond which, in the direction of `sign`, a leg wants to step."""

    joint: str
    angle: float
    sign: float


BINS = 20  # of a step or a stance, in which an envelope has a value each
Envelope = float | np.ndarray  # one value, or (BINS,) over the share of the step or stance


def at_share(envelope: Envelope, share: np.ndarray) -> np.ndarray:
    """The envelope at these shares of a step or stance; beyond its end, as at its end."""
    values = np.asarray(envelope, float)
    if values.ndim == 0:
        return np.full(np.shape(share), float(values))
    return values[bin_of(share)]


def bin_of(share: np.ndarray) -> np.ndarray:
    """Which value of an envelope belongs to each share."""
    return np.clip((np.asarray(share) * BINS).astype(int), 0, BINS - 1)


def widened(values: np.ndarray, by: int = 1) -> np.ndarray:
    """The largest of each value and its neighbours: legs are not on time to a bin."""
    padded = np.pad(values, by, mode="edge")
    return np.max([padded[k : k + len(values)] for k in range(2 * by + 1)], axis=0)


class Burden(NamedTuple):
    """A joint's force [N·m] above which a leg carries too much to step, over the share of its stance."""

    joint: str
    force: Envelope


@dataclass
class StepReflex(Reflex):
    """A leg that has been carried too far back steps, whatever its pacemaker says. `count` of how often."""

    triggers: Mapping[str, Extreme]
    count: int = 0

    def act(self, gait: PacemakerGait, sensed: Sensed) -> None:
        """Legs beyond their trigger angle want to step."""
        for k, leg in enumerate(gait.legs):
            if leg.name in self.triggers:
                joint, angle, sign = self.triggers[leg.name]
                beyond = ((sensed.angles[joint] - angle) * sign > 0) & (gait.now.state[:, k] == IN_STANCE)
                # not at once after a step: the leg must have been down
                beyond &= sensed.time - gait.now.since[:, k] > 0.2 * gait.step_time
                gait.now.state[beyond, k] = MAY_STEP
                self.count += int(beyond.sum())


@dataclass
class LoadReflex(Reflex):
    """A leg that carries too much does not step: it stays in its stance until it is relieved."""

    limits: Mapping[str, Burden]
    patience: float = 0.5  # of a cycle: after so long it steps all the same
    count: int = 0
    _waiting: np.ndarray | None = field(default=None, repr=False)

    def act(self, gait: PacemakerGait, sensed: Sensed) -> None:
        """Legs that carry too much wait with their step."""
        if self._waiting is None or self._waiting.shape != gait.now.state.shape:
            self._waiting = np.full(gait.now.state.shape, np.inf)
        for k, leg in enumerate(gait.legs):
            if leg.name in self.limits:
                joint, force = self.limits[leg.name]
                stood = (sensed.time - gait.now.since[:, k]) / gait.stance_time[:, k]
                wants = gait.now.state[:, k] == MAY_STEP
                since = np.where(wants, np.minimum(self._waiting[:, k], sensed.time), np.inf)
                self._waiting[:, k] = since
                patient = sensed.time - since < self.patience * gait.now.cycle[:, k]
                loaded = (np.abs(sensed.forces[joint]) > at_share(force, stood)) & wants & patient
                gait.blocked[loaded, k] = True
                self.count += int(loaded.sum())


@dataclass
class NeighbourInhibition(Reflex):
    """No leg steps while a neighbour does."""

    inhibits_neighbours: bool = True


@dataclass
class ElevatorReflex(Reflex):
    """A stepping leg that bumps into something lifts higher.

    lifts   by leg: the joint that lifts and the angle [rad] added to its highest target (with its sign)
    bumps   by leg: [N] of horizontal force on foot and shin that counts, over the share of the step: a foot that drags
            as it lifts off or lands is no bump, the same force in mid-swing is
    """

    lifts: Mapping[str, tuple[str, float]]
    bumps: Mapping[str, Envelope]
    early: float = 0.7  # share of the step after which it no longer acts
    count: int = 0
    _lifted: dict[tuple[int, str], float] = field(default_factory=dict, repr=False)

    def react(self, controller, sensed: Sensed) -> None:
        """Legs that are stopped in swing are lifted higher."""
        gait = controller.gait
        for k, leg in enumerate(gait.legs):
            if leg.name not in self.lifts:
                continue
            joint, more = self.lifts[leg.name]
            share = (sensed.time - gait.now.since[:, k]) / gait.step_time
            met = (gait.now.state[:, k] == IN_STEP) & (share > 0.15) & (share < self.early)
            met &= sensed.bumps[leg.name] > at_share(self.bumps[leg.name], share)
            for world in np.flatnonzero(met).tolist():
                began = float(gait.now.since[world, k])
                if self._lifted.get((world, leg.name)) == began:
                    continue
                self._lifted[world, leg.name] = began
                top = max((s.target for s in leg.step.strokes if s.joint == joint), key=lambda t: t * np.sign(more))
                controller.begin(Stroke(joint, top + more, duration=0.15), (world,), sensed.time, gait.step_time)
                self.count += 1


@dataclass
class SearchingReflex(Reflex):
    """A leg that finds no ground in its stance reaches down for it.

    reaches  by leg: the joint that depresses and how much farther it goes [rad] (with its sign)
    touch    [N] of load that counts as ground
    waits    by leg: how long it may stand without a load [s]
    """

    reaches: Mapping[str, tuple[str, float]]
    touch: float
    waits: Mapping[str, float]
    count: int = 0
    _since: np.ndarray | None = field(default=None, repr=False)
    _reached: dict[tuple[int, str], float] = field(default_factory=dict, repr=False)

    def act(self, gait: PacemakerGait, sensed: Sensed) -> None:
        """Notes since when each leg has had nothing below it."""
        if self._since is None or self._since.shape != gait.now.state.shape:
            self._since = np.full(gait.now.state.shape, sensed.time)
        for k, leg in enumerate(gait.legs):
            fresh = (gait.now.state[:, k] == IN_STEP) | (sensed.loads[leg.name] > self.touch)
            self._since[fresh, k] = sensed.time

    def react(self, controller, sensed: Sensed) -> None:
        """Legs that stand on nothing reach down."""
        gait = controller.gait
        for k, leg in enumerate(gait.legs):
            if leg.name not in self.reaches or self._since is None:
                continue
            joint, more = self.reaches[leg.name]
            lost = (gait.now.state[:, k] == IN_STANCE) & (sensed.time - self._since[:, k] > self.waits[leg.name])
            for world in np.flatnonzero(lost & (gait.now.steps[:, k] > 0)).tolist():
                began = float(gait.now.since[world, k])
                if self._reached.get((world, leg.name)) == began:
                    continue
                self._reached[world, leg.name] = began
                controller.begin(
                    Stroke(joint, leg.stance.last(joint) + more, duration=0.5), (world,), sensed.time, gait.step_time
                )
                self.count += 1


@dataclass(frozen=True)
class Ranges:
    """What legs feel in undisturbed walking.

    angles    lowest and highest of each joint in stance [rad]
    forces    largest of each joint, (BINS,) over the share of the stance [N·m]
    bumps     largest horizontal force on each leg, (BINS,) over the share of its step [N]
    unloaded  longest time each leg stood without a load [s]
    """

    angles: dict[str, tuple[float, float]]
    forces: dict[str, np.ndarray]
    bumps: dict[str, np.ndarray]
    unloaded: dict[str, float]

    def joined(self, other: Ranges) -> Ranges:
        """What was felt in either of two walks."""
        angles = {j: (min(a[0], other.angles[j][0]), max(a[1], other.angles[j][1])) for j, a in self.angles.items()}
        forces, bumps = (
            {name: np.maximum(own[name], theirs[name]) for name in own}
            for own, theirs in ((self.forces, other.forces), (self.bumps, other.bumps))
        )
        return Ranges(angles, forces, bumps, {n: max(t, other.unloaded[n]) for n, t in self.unloaded.items()})

    def step_reflex(self, joints: Mapping[str, str], signs: Mapping[str, float], margin: float = 0.05) -> StepReflex:
        """Triggers by `margin` [rad] beyond what was seen; joints and signs (backward) by leg."""
        triggers = {}
        for leg, joint in joints.items():
            low, high = self.angles[joint]
            triggers[leg] = Extreme(joint, high + margin if signs[leg] > 0 else low - margin, signs[leg])
        return StepReflex(triggers)

    def load_reflex(self, joints: Mapping[str, str], margin: float = 0.1) -> LoadReflex:
        """Limits by the share `margin` above what was seen at that share of the stance; joints by leg."""
        limits = {joint: widened(self.forces[joint]) * (1.0 + margin) for joint in joints.values()}
        return LoadReflex({leg: Burden(joint, limits[joint]) for leg, joint in joints.items()})

    def elevator_reflex(
        self, lifts: Mapping[str, tuple[str, float]], least: float, margin: float = 0.5
    ) -> ElevatorReflex:
        """Bumps count that are by the share `margin` harder than any that was seen at that share of the step, and than
        `least` [N]."""
        limits = {leg: np.maximum((1.0 + margin) * widened(f), least) for leg, f in self.bumps.items()}
        return ElevatorReflex(lifts, limits)

    def searching_reflex(
        self, reaches: Mapping[str, tuple[str, float]], touch: float, margin: float = 5e-3
    ) -> SearchingReflex:
        """A leg searches when it has stood without a load by `margin` [s] longer than was seen."""
        return SearchingReflex(reaches, touch, {leg: time + margin for leg, time in self.unloaded.items()})


class RangeFinder(Controller):
    """Notes what the legs feel while a gait walks undisturbed, every `period` [s]."""

    def __init__(self, walk: GaitController, touch: float, period: float = 2.5e-3):
        self.walk, self.touch, self.period = walk, touch, period
        self.angles: dict[str, tuple[float, float]] = {}
        self.forces: dict[str, np.ndarray] = {}
        names = [leg.name for leg in walk.gait.legs]
        self.bumps = {name: np.zeros(BINS) for name in names}
        self.unloaded = dict.fromkeys(names, 0.0)

    def start(self, run: Simulation) -> None:
        self.senses = Senses(run, self.walk.gait.legs)
        self._since = np.full(self.walk.gait.now.state.shape, run.latest_time)
        self._next = run.latest_time + self.period

    def next_time(self, run: Simulation) -> float:
        return self._next

    def act(self, run: Simulation) -> None:
        self._next += self.period
        felt, gait = self.senses(), self.walk.gait
        for k, leg in enumerate(gait.legs):
            standing = gait.now.state[:, k] != IN_STEP
            since = felt.time - gait.now.since[:, k]
            stood = bin_of(since / gait.stance_time[:, k])[standing]
            for joint in leg.joints:
                if standing.any():
                    x, force = felt.angles[joint][standing], np.abs(felt.forces[joint][standing])
                    low, high = self.angles.get(joint, (np.inf, -np.inf))
                    self.angles[joint] = (min(low, float(x.min())), max(high, float(x.max())))
                    np.maximum.at(self.forces.setdefault(joint, np.zeros(BINS)), stood, force)
            swung = bin_of(since / gait.step_time)[~standing]
            np.maximum.at(self.bumps[leg.name], swung, felt.bumps[leg.name][~standing])
            fresh = ~standing | (felt.loads[leg.name] > self.touch)
            self._since[fresh, k] = felt.time
            self.unloaded[leg.name] = max(self.unloaded[leg.name], float((felt.time - self._since[:, k]).max()))

    def ranges(self) -> Ranges:
        """What was felt so far."""
        return Ranges(self.angles, self.forces, self.bumps, self.unloaded)


def measure_ranges(sim: Simulation, walk: GaitController, duration: float, touch: float) -> Ranges:
    """Walks undisturbed for `duration` [s] and notes what the legs feel; a load above `touch` [N] is ground."""
    finder = RangeFinder(walk, touch)
    sim.run(duration, controller=[walk, finder])
    return finder.ranges()
