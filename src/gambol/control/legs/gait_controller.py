"""A gait bound to a simulation: starts the motor programs of its legs exactly on time.

walk = GaitController(PacemakerGait(legs, step_time=0.05, cycle=0.2))
path = sim.run(2.0, every=1 / 100, controller=walk)
walk.footfalls().duty()
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from gambol.control.legs.gait import Cycle, Footfalls, GaitChanges, GaitState, PacemakerGait, StepLog
from gambol.control.legs.leg import Stroke
from gambol.control.legs.senses import Sensed, Senses
from gambol.errors import Fault, WorldError
from gambol.stepping.controller import Controller
from gambol.world.simulation import Simulation

ROUNDING = 1e-12  # [s] within which a stroke is due


@dataclass(frozen=True, order=True)
class QueuedStroke:
    """A stroke that begins later, in some worlds; `program` is the duration [s] of the program it belongs to."""

    time: float
    order: int
    stroke: Stroke
    program: float
    worlds: tuple[int, ...]


BegunStroke = tuple[Stroke, tuple[int, ...], float]
"""A stroke that begins now, in some worlds, and how long its program takes [s]."""


class GaitController(Controller):
    """Lets the legs of a simulation walk.

    gait     what the legs do when; it has as many worlds as the simulation
    senses   function (sim, legs) -> callable that gives what reflexes feel, asked every `period` [s] while there are
             reflexes; default: joint angles and forces, loads and bumps of feet (Senses)
    drive    how long strokes are: 1 as the programs say, 0 on the spot, -1 backward; may be changed
    steer    (-1 … 1): left legs push by so much more and right legs less, so that it turns right; may be changed
    moved    by how much strokes of joints end farther on than the programs say [rad], by name; may be changed

    Of a batch each of the three may be one number, or one a world; `tell` and `move` change one world's.
    Springs of the simulation are called like the joints of the legs, and their parameter `rest` is driven; contacts of
    feet are called "<foot> contact", and pads that stick do so in stance only. A gait without reflexes is entered ahead
    as timed writes, so that the worlds of a batch need not wait for one another at strokes.
    """

    def __init__(
        self,
        gait: PacemakerGait,
        *,
        senses: Callable[..., Callable[[], Sensed]] = Senses,
        period: float = 2.5e-3,
        steer: float | np.ndarray = 0.0,
        drive: float | np.ndarray = 1.0,
    ):
        self.gait, self.period, self.steer, self.drive = gait, period, steer, drive
        self._make_senses = senses
        self.moved: dict[str, float | np.ndarray] = {}
        self._swings = {joint: leg for leg in gait.legs for joint in leg.joints[: None if leg.straight else 1]}
        joints = tuple(dict.fromkeys(joint for leg in gait.legs for joint in leg.joints))
        self._columns = {joint: k for k, joint in enumerate(joints)}

    # ------------------------------------------------------------ what a run asks of a controller
    def start(self, run: Simulation) -> None:
        """The gait begins with all legs in stance, its clock at its first phase."""
        gait = self.gait
        if gait.worlds != run.worlds:
            message = f"the gait is for {gait.worlds} worlds, the simulation has {run.worlds}"
            raise WorldError([Fault(message, "gait")])
        self.sim = run
        gait.reset(gait.now.cycle, time=run.latest_time)
        self.log = StepLog(gait.legs)
        self.queue: list[QueuedStroke] = []
        self._order, self._entered_until = 0, run.latest_time
        self._planned = self._entered = False
        self._springs = {joint: run.elements[joint] for joint in self._columns}
        self._together: dict[tuple[str, ...], Any] = {}  # springs of joints that begin strokes at once
        self._pads = {leg.name: self._pad(leg.foot) for leg in gait.legs}
        self._senses = self._make_senses(run, gait.legs) if gait.reflexes else None

    def _pad(self, foot: str) -> Any:
        """The contact of a foot that can stick: it does in stance only."""
        name = f"{foot} contact"
        found = self.sim.elements[name] if name in self.sim.elements else None
        return found if found is not None and "sticky" in found.parameters else None

    def next_time(self, run: Simulation) -> float:
        soon = self._next_stroke()
        if self.gait.reflexes:
            return min(soon, self.gait.now.time + self.period)
        return min(soon, self._entered_until) if self._entered_until < run.target_time else soon

    def _next_stroke(self) -> float:
        soon = self.gait.next_time()
        return min(soon, self.queue[0].time) if self.queue else soon

    def act(self, run: Simulation) -> None:
        now = run.latest_time
        if self.gait.reflexes:
            self._update(now)
            return
        while run.is_due(soon := self._next_stroke()):  # as the clock tells: in float32 it may be behind
            self._update(soon)
        if run.horizon <= now:
            return
        self._before = self._walk_state()
        self._planned = True
        while (soon := self._next_stroke()) < run.horizon:
            self._update(max(soon, now))  # and no further: how the run is cut must not be seen in the last bits
        self._planned, self._entered_until = False, run.horizon

    def rewind(self, run: Simulation) -> None:
        """The run has ended before what was entered ahead: back to the strokes that have begun."""
        now = run.latest_time
        self._entered_until = min(self._entered_until, now)
        if self.gait.now.time <= now:
            return
        for handle in self._springs.values():
            handle.cancel("rest")
        for pad in self._pads.values():
            if pad is not None:
                pad.cancel("sticky")
                pad.cancel("stuck")
        self._restore_walk(self._before)
        self._entered = True  # what it does up to now was done
        while (soon := self._next_stroke()) <= now:
            self._update(soon)
        self._update(now)
        self._entered = False

    def save(self) -> dict[str, Any]:
        """Plain numbers, texts and arrays."""
        own = {name: np.array(getattr(self, name), float) for name in ("steer", "drive")}
        return self._walk_state() | own | {"moved": {joint: np.array(by) for joint, by in self.moved.items()}}

    def restore(self, state: dict[str, Any]) -> None:
        self._restore_walk(state)
        self.moved = {joint: _told(by) for joint, by in state["moved"].items()}
        for name in ("steer", "drive"):
            setattr(self, name, _told(state[name]))

    def _walk_state(self) -> dict[str, Any]:
        return {
            "gait": {name: np.array(value) for name, value in vars(self.gait.now).items()},
            "queue": [(s.time, s.order, list(astuple(s.stroke)), s.program, list(s.worlds)) for s in self.queue],
            "order": self._order,
            "entered until": self._entered_until,
            "steps": [list(steps) for steps in self.log.steps],
            "reflexes": [reflex.save() for reflex in self.gait.reflexes],
        }

    def _restore_walk(self, state: dict[str, Any]) -> None:
        numbers: dict[str, Any] = {name: np.array(value) for name, value in state["gait"].items()}
        self.gait.now = GaitState(**numbers | {"time": float(numbers["time"])})
        self.queue = [QueuedStroke(t, k, Stroke(*stroke), p, tuple(w)) for t, k, stroke, p, w in state["queue"]]
        self._order, self._entered_until = state["order"], state["entered until"]
        self.log.steps = [[(a, b) for a, b in steps] for steps in state["steps"]]
        for reflex, saved in zip(self.gait.reflexes, state["reflexes"]):
            reflex.restore(saved)

    # ------------------------------------------------------------ for people
    def set_cycle(self, cycle: Cycle) -> None:
        """The cycle time from now on [s], as the gait takes it; phases do not jump."""
        if self.sim.latest_time > self.gait.now.time:
            self._update(self.sim.latest_time)
        self.gait.set_cycle(cycle)

    def tell(self, world: int, *, cycle: float, drive: float, steer: float) -> None:
        """Cycle time [s], drive and steer of one world from now on."""
        if self.gait.now.cycle[world, 0] != cycle:
            cycles = self.gait.now.cycle.copy()
            cycles[world] = cycle
            self.set_cycle(cycles)
        self.drive, self.steer = self._with(self.drive, world, drive), self._with(self.steer, world, steer)

    def move(self, world: int, by: Mapping[str, float]) -> None:
        """By how much strokes of some joints end farther on in one world [rad]."""
        self.moved |= {joint: self._with(self.moved.get(joint, 0.0), world, angle) for joint, angle in by.items()}

    def _with(self, values: float | np.ndarray, world: int, value: float) -> float | np.ndarray:
        """The values of all worlds, one of them changed."""
        if self.gait.worlds == 1:
            return value
        changed = np.array(np.broadcast_to(values, (self.gait.worlds,)), float)
        changed[world] = value
        return changed

    def footfalls(self) -> Footfalls:
        """When each leg stepped so far, of the first world."""
        return self.log.footfalls(self.sim.latest_time)

    # ------------------------------------------------------------ strokes
    def _update(self, time: float) -> None:
        """The gait at this moment: starts the programs of legs that change, and strokes whose time has come."""
        due = []
        while self.queue and self.queue[0].time <= time + ROUNDING:
            queued = heapq.heappop(self.queue)
            due.append((queued.stroke, queued.worlds, queued.program))
        self._begin(due, time)
        sensed = self._senses() if self._senses and self.gait.reflexes else None
        changes = self.gait.advance(time, sensed)
        if changes:
            self.log.enter(time, changes)
            self._begin(self._begun(changes, time), time)
            for k, leg in enumerate(self.gait.legs):
                self._stick(leg.name, changes.steps[:, k], changes.stances[:, k], time)
        if sensed is not None:
            for reflex in self.gait.reflexes:
                reflex.react(self, sensed)

    def _begun(self, changes: GaitChanges, time: float) -> list[BegunStroke]:
        """The strokes with which programs begin; those that come later are queued."""
        step, stance = np.full(self.gait.worlds, self.gait.step_time), self.gait.stance_time
        found: list[BegunStroke] = []
        for k, leg in enumerate(self.gait.legs):
            for program, which, durations in (
                (leg.step, changes.steps[:, k], step),
                (leg.stance, changes.stances[:, k], stance[:, k]),
            ):
                for worlds, duration in _by_duration(which, durations):
                    for stroke in program.strokes:
                        if stroke.start == 0.0:
                            found.append((stroke, worlds, duration))
                        else:
                            self._order += 1
                            begins = time + stroke.start * duration
                            heapq.heappush(self.queue, QueuedStroke(begins, self._order, stroke, duration, worlds))
        return found

    def _stick(self, leg: str, lets_go: np.ndarray, holds_on: np.ndarray, time: float) -> None:
        pad = self._pads[leg]
        if pad is None or self._entered:
            return
        at = time if self._planned else None
        for which, sticky in ((lets_go, 0.0), (holds_on & ~lets_go, 1.0)):
            if which.any():
                worlds = np.flatnonzero(which)
                pad.set("sticky", sticky, at=at, worlds=worlds)
                pad.set("stuck", 0.0, at=at, worlds=worlds)

    def begin(self, stroke: Stroke, worlds: tuple[int, ...], time: float, program: float) -> None:
        """Drives the rest angle of a joint to its target, from where it is now, for a program of this duration [s]."""
        self._begin([(stroke, worlds, program)], time)

    def _begin(self, begun: list[BegunStroke], time: float) -> None:
        """Strokes in their order; those of the same worlds together, as long as no joint comes twice."""
        while begun:
            worlds, together = begun[0][1], {}
            for stroke, own, program in begun:
                if own != worlds or stroke.joint in together:
                    break
                together[stroke.joint] = (stroke, program)
            self._ramp(list(together.values()), worlds, time)
            begun = begun[len(together) :]

    def _ramp(self, strokes: list[tuple[Stroke, float]], worlds: tuple[int, ...], time: float) -> None:
        """Ramps of several joints, in some worlds, from where they are at this time."""
        if self._entered:
            return
        joints = tuple(stroke.joint for stroke, _ in strokes)
        if joints not in self._together:
            self._together[joints] = self.sim.elements[joints]
        everywhere = len(worlds) == self.gait.worlds
        self._together[joints].ramp(
            "rest",
            np.stack([self.targets(stroke, worlds) for stroke, _ in strokes], axis=-1),
            np.broadcast_to([stroke.duration * program for stroke, program in strokes], (len(worlds), len(strokes))),
            profile=[stroke.profile for stroke, _ in strokes],
            at=time if self._planned else None,
            worlds=None if everywhere else worlds,
        )

    def targets(self, stroke: Stroke, worlds: Sequence[int]) -> np.ndarray:
        """Where a stroke goes in some worlds [rad]: swings as long as `drive` says, one side longer by `steer`."""
        told = (self.moved.get(stroke.joint, 0.0), self.steer, self.drive)
        moved, steer, drive = (np.broadcast_to(x, (self.gait.worlds,))[list(worlds)] for x in told)
        leg = self._swings.get(stroke.joint)
        if leg is None:
            return stroke.target + moved
        first, last = leg.step.last(stroke.joint), leg.stance.last(stroke.joint)
        middle = 0.5 * (first + last)
        gain = drive + steer if leg.side == "left" else drive - steer
        if stroke.joint == leg.joints[0]:
            return moved + np.where(gain == 1.0, stroke.target, middle + gain * (stroke.target - middle))
        end = last if stroke.target == last else first  # what lifts it goes along with where it comes down
        return moved + stroke.target + (gain - 1.0) * (end - middle)


def _told(saved: np.ndarray) -> float | np.ndarray:
    """A number, or one a world, as it was saved."""
    return float(saved) if saved.ndim == 0 else saved.copy()


def _by_duration(which: np.ndarray, durations: np.ndarray) -> Iterator[tuple[tuple[int, ...], float]]:
    """The worlds that are meant, together where their durations are the same."""
    worlds = np.flatnonzero(which)
    own = durations[worlds]
    for duration in sorted(set(own.tolist())):
        yield tuple(worlds[own == duration].tolist()), duration
