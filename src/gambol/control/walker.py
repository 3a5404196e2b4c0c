"""A figure that walks: a gait bound to a simulation, whose legs' motor programs it starts exactly on time."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.control.gait import Changes, GaitState, PacemakerGait, StepLog
from gambol.control.legs import Stroke
from gambol.errors import Fault, WorldError
from gambol.forces.ramp import DURATION, FROM, PROFILE, RAMP, START, TO, ramp_value
from gambol.stepping.run import State
from gambol.world.simulation import Simulation


@dataclass(frozen=True, order=True)
class Later:
    """A stroke that begins later, in some worlds."""

    time: float
    order: int
    stroke: Stroke
    duration: float
    worlds: tuple[int, ...]


@dataclass(frozen=True)
class WalkerState:
    """Everything that decides how a walk goes on."""

    simulation: State
    gait: GaitState
    agenda: tuple[Later, ...]


class Walker:
    """Runs a simulation under a gait.

    gait    what the legs do when; it has as many worlds as the simulation
    sense   function (walker) -> what reflexes feel (senses.Senses); asked every `period` [s] while there are reflexes
    steer   (-1 … 1): left legs push by so much more and right legs less, so that it turns right; may be changed
    Springs of the simulation are called like the joints of the legs, and their parameter `rest` is driven; contacts of
    feet are called "<foot> contact", and pads that stick do so in stance only.
    """

    def __init__(
        self,
        sim: Simulation,
        gait: PacemakerGait,
        *,
        sense: Callable[[Walker], Any] | None = None,
        period: float = 2.5e-3,
        steer: float = 0.0,
    ):
        if gait.worlds != sim.worlds:
            raise WorldError(
                [Fault(f"the gait is for {gait.worlds} worlds, the simulation has {sim.worlds}", "walker")]
            )
        self.sim, self.gait, self.sense, self.period, self.steer = sim, gait, sense, period, steer
        self._swings = {leg.joints[0]: leg for leg in gait.legs}
        self.gait.now.time = float(np.max(sim.time))
        self.log = StepLog(gait.legs)
        self.agenda: list[Later] = []
        self._order = 0
        self._cells = {joint: self._rest_cells(joint) for leg in gait.legs for joint in leg.joints}
        self._pads = {leg.name: self._pad_cells(leg.foot) for leg in gait.legs}

    def _rest_cells(self, joint: str) -> np.ndarray:
        return self.sim.parameters.cells(joint, "rest")[0] + np.arange(RAMP)

    def _pad_cells(self, foot: str) -> tuple[np.ndarray, np.ndarray] | None:
        """Cells of `sticky` and `stuck` of a foot that can stick: it does in stance only."""
        place = self.sim.parameters.places.get(f"{foot} contact")
        if place is None or "sticky" not in place.module.NUMBERS:
            return None
        return tuple(self.sim.parameters.cells(f"{foot} contact", name)[0] for name in ("sticky", "stuck"))

    # ------------------------------------------------------------ state
    def save(self) -> WalkerState:
        return WalkerState(self.sim.save(), self.gait.now.copy(), tuple(self.agenda))

    def restore(self, state: WalkerState) -> None:
        self.sim.restore(state.simulation)
        self.gait.now = state.gait.copy()
        self.agenda = list(state.agenda)
        heapq.heapify(self.agenda)

    # ------------------------------------------------------------ running
    def run(self, duration: float, *, every: float | None = None, watch: Callable[[Walker], None] | None = None):
        """Walks for `duration` [s]; returns positions at multiples of `every` [s] as (times, q).

        `watch` is called with the walker at those times.
        """
        start = float(np.max(self.sim.time))
        end = start + duration
        frames = [] if every is None else list(start + every * np.arange(1, round(duration / every) + 1))
        times, q = [], []
        while True:
            now = self.gait.now.time
            if now >= end - 1e-12:
                break
            target = min(self._next_time(), end, frames[len(times)] if len(times) < len(frames) else end)
            if target > now:
                self.sim.advance(target)
            self.update(max(target, now))
            if len(times) < len(frames) and target >= frames[len(times)] - 1e-12:
                times.append(target)
                q.append(self.sim.q)
                if watch is not None:
                    watch(self)
        return np.array(times), np.array(q)

    def _next_time(self) -> float:
        soon = self.gait.next_time()
        if self.agenda:
            soon = min(soon, self.agenda[0].time)
        if self.gait.reflexes:
            soon = min(soon, self.gait.now.time + self.period)
        return soon

    def update(self, time: float) -> Changes:
        """The gait at this moment: starts the programs of legs that change, and strokes whose time has come."""
        while self.agenda and self.agenda[0].time <= time + 1e-12:
            later = heapq.heappop(self.agenda)
            self.start(later.stroke, later.worlds, time, later.duration)
        sensed = self.sense(self) if self.sense and self.gait.reflexes else None
        changes = self.gait.advance(time, sensed)
        if changes:
            self.log.enter(time, changes)
            step, stance = np.full(self.sim.worlds, self.gait.step_time), self.gait.stance_time
            for k, leg in enumerate(self.gait.legs):
                self._begin(leg.step.strokes, changes.steps[:, k], time, step)
                self._begin(leg.stance.strokes, changes.stances[:, k], time, stance)
                self._stick(leg.name, changes.steps[:, k], changes.stances[:, k])
        if sensed is not None:
            for reflex in self.gait.reflexes:
                if hasattr(reflex, "react"):
                    reflex.react(self, sensed)
        return changes

    def _stick(self, leg: str, lets_go: np.ndarray, holds_on: np.ndarray) -> None:
        pads = self._pads[leg]
        if pads is None:
            return
        for world in np.flatnonzero(lets_go | holds_on).tolist():
            row = self.sim.memory.of(world)
            row[pads[0]] = 0.0 if lets_go[world] else 1.0
            row[pads[1]] = 0.0

    def _begin(self, strokes: Sequence[Stroke], which: np.ndarray, time: float, durations: np.ndarray) -> None:
        if not which.any():
            return
        for duration in np.unique(durations[which]):
            worlds = tuple(np.flatnonzero(which & (durations == duration)).tolist())
            for stroke in strokes:
                if stroke.start == 0.0:
                    self.start(stroke, worlds, time, float(duration))
                else:
                    self._order += 1
                    begins = time + stroke.start * float(duration)
                    heapq.heappush(self.agenda, Later(begins, self._order, stroke, float(duration), worlds))

    def start(self, stroke: Stroke, worlds: tuple[int, ...], time: float, duration: float) -> None:
        """Drives the rest angle of a joint to its target, from where it is now, for a program of this duration [s]."""
        cells = self._cells[stroke.joint]
        profile = self.sim.parameters.profiles[stroke.profile]
        if self.sim.worlds == 1:
            row = self.sim.memory.of(0)
            row[cells] = self._ramp(row[cells], stroke, self.target(stroke, 0), time, duration, profile)
            return
        chosen = list(worlds)
        numbers = self.sim.memory.read(cells)
        steered = np.any(self.steer) and stroke.joint in self._swings
        targets = np.array([self.target(stroke, w) for w in chosen]) if steered else stroke.target
        numbers[chosen] = self._ramp(numbers[chosen], stroke, targets, time, duration, profile)
        self.sim.memory.write(cells, numbers, "ramps")

    def _ramp(self, numbers: np.ndarray, stroke: Stroke, target, time: float, duration: float, profile: int):
        """The numbers of a ramp from where these ramps are now."""
        new = np.empty_like(numbers)
        new[..., FROM] = ramp_value(numbers, time, self.sim.elements.tables)
        new[..., TO], new[..., START] = target, time
        new[..., DURATION], new[..., PROFILE] = stroke.duration * duration, profile
        return new

    def target(self, stroke: Stroke, world: int) -> float:
        """Where a stroke goes [rad]; steering lengthens the swing of one side and shortens the other's."""
        leg = self._swings.get(stroke.joint)
        if leg is None or (np.ndim(self.steer) == 0 and self.steer == 0.0):
            return stroke.target
        steer = np.broadcast_to(self.steer, self.sim.worlds)[world]
        ends = leg.step.last(stroke.joint), leg.stance.last(stroke.joint)
        middle = 0.5 * (ends[0] + ends[1])
        gain = 1.0 + steer if leg.side == "left" else 1.0 - steer
        return middle + gain * (stroke.target - middle)
