"""A figure that walks: a gait bound to a simulation, whose legs' motor programs it starts exactly on time."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.control.legs.gait import Changes, GaitState, PacemakerGait, StepLog
from gambol.control.legs.leg import Stroke
from gambol.errors import Fault, StepError, WorldError
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


Begun = tuple[Stroke, tuple[int, ...], float]
"""A stroke that begins now, in some worlds, and how long its program takes [s]."""


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
        joints = tuple(dict.fromkeys(joint for leg in gait.legs for joint in leg.joints))
        self._columns = {joint: k for k, joint in enumerate(joints)}
        self._cells = np.array([self._rest_cells(joint) for joint in joints])
        self._pads = {leg.name: self._pad_cells(leg.foot) for leg in gait.legs}
        self._ahead: np.ndarray | None = None  # ramps as planned so far, while a stretch is planned

    def _rest_cells(self, joint: str) -> np.ndarray:
        return self.sim.parameters.cells(joint, "rest")[0] + np.arange(RAMP)

    def _pad_cells(self, foot: str) -> tuple[np.ndarray, np.ndarray] | None:
        """Cells of `sticky` and `stuck` of a foot that can stick: it does in stance only."""
        place = self.sim.parameters.places.get(f"{foot} contact")
        if place is None or "sticky" not in place.module.NUMBERS:
            return None
        cells = [self.sim.parameters.cells(f"{foot} contact", name)[0] for name in ("sticky", "stuck")]
        return cells[0], cells[1]

    # ------------------------------------------------------------ state
    def save(self) -> WalkerState:
        """Everything that decides how the walk goes on."""
        return WalkerState(self.sim.save(), self.gait.now.copy(), tuple(self.agenda))

    def restore(self, state: WalkerState) -> None:
        """Exactly as it was saved."""
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
        steps = 0 if every is None else round(duration / every)
        frames = np.minimum(start + (every or 0.0) * np.arange(1, steps + 1), end)
        times: list[float] = []
        q: list[np.ndarray] = []
        while self.gait.now.time < end - 1e-12:
            ahead = frames[len(times) :]
            if self.gait.reflexes:
                passed = self._tick(min([end, *ahead[:1]]), ahead)
            else:
                due = self.sim.schedule[0].time if self.sim.schedule else end  # it may change the gait
                last = end if watch is None else min([end, *ahead[:1]])
                passed = self._go(max(min(last, due), self.gait.now.time), ahead)
            times += ahead[: len(passed)].tolist()
            q += passed
            if len(passed) and watch is not None:
                watch(self)
        return np.array(times), np.array(q)

    def _tick(self, until: float, frames: np.ndarray) -> list[np.ndarray]:
        """Goes on to where reflexes have a look, at most to a time; positions if that is the first of `frames`."""
        now = self.gait.now.time
        target = min(until, self._next_time())
        if target > now:
            self.sim.advance(target)
        self.update(max(target, now))
        return [self.sim.q] if len(frames) and target >= frames[0] - 1e-12 else []

    def _go(self, until: float, frames: np.ndarray) -> list[np.ndarray]:
        """Walks to a time without a look on the way: nothing interferes, so all strokes are entered ahead.

        Positions at those `frames` [s] that it passes.
        """
        before = self.gait.now.copy(), list(self.agenda), self.log.copy()
        self._plan(until)
        passed = np.minimum(frames[frames <= until + 1e-12], until)
        try:
            found = list(self.sim.sampled(passed, self.sim.memory.positions)) if len(passed) else []
            self.sim.advance(until)
            return found
        except StepError:
            self.gait.now, self.agenda, self.log = before
            self._plan(max(float(np.min(self.sim.time)), self.gait.now.time))
            self.sim.timetable.clear()
            raise

    def _plan(self, until: float) -> None:
        """Moves the gait to a time and enters what it does in the timetable of the simulation."""
        numbers = np.atleast_2d(self.sim.memory.read(self._cells.ravel()))
        self._ahead = numbers.reshape(-1, *self._cells.shape)
        try:
            while (soon := self._next_time()) < until:
                self.update(soon)
            self.update(until)
        finally:
            self._ahead = None

    def _next_time(self) -> float:
        soon = self.gait.next_time()
        if self.agenda:
            soon = min(soon, self.agenda[0].time)
        if self.gait.reflexes:
            soon = min(soon, self.gait.now.time + self.period)
        return soon

    def update(self, time: float) -> Changes:
        """The gait at this moment: starts the programs of legs that change, and strokes whose time has come."""
        due = []
        while self.agenda and self.agenda[0].time <= time + 1e-12:
            later = heapq.heappop(self.agenda)
            due.append((later.stroke, later.worlds, later.duration))
        self._start(due, time)
        sensed = self.sense(self) if self.sense and self.gait.reflexes else None
        changes = self.gait.advance(time, sensed)
        if changes:
            self.log.enter(time, changes)
            self._start(self._begun(changes, time), time)
            for k, leg in enumerate(self.gait.legs):
                self._stick(leg.name, changes.steps[:, k], changes.stances[:, k], time)
        if sensed is not None:
            for reflex in self.gait.reflexes:
                if hasattr(reflex, "react"):
                    reflex.react(self, sensed)
        return changes

    def _begun(self, changes: Changes, time: float) -> list[Begun]:
        """The strokes with which programs begin; those that come later go on the agenda."""
        step, stance = np.full(self.sim.worlds, self.gait.step_time), self.gait.stance_time
        found: list[Begun] = []
        for k, leg in enumerate(self.gait.legs):
            for program, which, durations in (
                (leg.step, changes.steps[:, k], step),
                (leg.stance, changes.stances[:, k], stance),
            ):
                for worlds, duration in _by_duration(which, durations):
                    for stroke in program.strokes:
                        if stroke.start == 0.0:
                            found.append((stroke, worlds, duration))
                        else:
                            self._order += 1
                            begins = time + stroke.start * duration
                            heapq.heappush(self.agenda, Later(begins, self._order, stroke, duration, worlds))
        return found

    def _stick(self, leg: str, lets_go: np.ndarray, holds_on: np.ndarray, time: float) -> None:
        pads = self._pads[leg]
        if pads is None:
            return
        for which, sticky in ((lets_go, 0.0), (holds_on & ~lets_go, 1.0)):
            if which.any():
                values = np.append(np.full(len(pads[0]), sticky), np.zeros(len(pads[1])))
                self._write(time, np.concatenate(pads), values, tuple(np.flatnonzero(which).tolist()))

    def start(self, stroke: Stroke, worlds: tuple[int, ...], time: float, duration: float) -> None:
        """Drives the rest angle of a joint to its target, from where it is now, for a program of this duration [s]."""
        self._start([(stroke, worlds, duration)], time)

    def _start(self, begun: list[Begun], time: float) -> None:
        """Strokes in their order; those of the same worlds together, as long as no joint comes twice."""
        while begun:
            worlds, together = begun[0][1], {}
            for stroke, own, duration in begun:
                if own != worlds or stroke.joint in together:
                    break
                together[stroke.joint] = (stroke, duration)
            self._ramp(list(together.values()), worlds, time)
            begun = begun[len(together) :]

    def _ramp(self, strokes: list[tuple[Stroke, float]], worlds: tuple[int, ...], time: float) -> None:
        """Ramps of several joints, in some worlds, from where they are at this time."""
        columns = [self._columns[stroke.joint] for stroke, _ in strokes]
        cells, chosen = self._cells[columns], list(worlds)
        if self._ahead is None:
            numbers = np.atleast_2d(self.sim.memory.read(cells.ravel())).reshape(-1, *cells.shape)[chosen]
        else:
            numbers = self._ahead[np.ix_(chosen, columns)]
        profiles = self.sim.parameters.profiles
        new = np.empty_like(numbers)
        new[..., FROM] = ramp_value(numbers, time, self.sim.elements.tables)
        new[..., TO] = self._targets([stroke for stroke, _ in strokes], chosen)
        new[..., START] = time
        new[..., DURATION] = [stroke.duration * duration for stroke, duration in strokes]
        new[..., PROFILE] = [profiles[stroke.profile] for stroke, _ in strokes]
        if self._ahead is not None:
            self._ahead[np.ix_(chosen, columns)] = new
        self._write(time, cells.ravel(), new.reshape(len(chosen), -1), worlds)

    def _write(self, time: float, cells: np.ndarray, values: np.ndarray, worlds: tuple[int, ...]) -> None:
        """Into the rows of worlds: (cells,) or (worlds, cells); at once, or at its time where a stretch is planned."""
        if self._ahead is not None:
            self.sim.timetable.add(time, cells, values, worlds)
        elif len(worlds) == self.sim.worlds:
            self.sim.memory.write(cells, values, "ramps")
        else:
            for world, row in zip(worlds, np.broadcast_to(values, (len(worlds), len(cells)))):
                self.sim.memory.of(world)[cells] = row

    def _targets(self, strokes: list[Stroke], worlds: list[int]) -> Any:
        """Where strokes go [rad]: (strokes,) or (worlds, strokes)."""
        if not np.any(self.steer):
            return [stroke.target for stroke in strokes]
        return [[self.target(stroke, world) for stroke in strokes] for world in worlds]

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


def _by_duration(which: np.ndarray, durations: np.ndarray) -> Iterator[tuple[tuple[int, ...], float]]:
    """The worlds that are meant, together where their durations are the same."""
    worlds = np.flatnonzero(which)
    own = durations[worlds]
    for duration in sorted(set(own.tolist())):
        yield tuple(worlds[own == duration].tolist()), duration
