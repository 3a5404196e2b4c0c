"""Gaits from pacemakers: one clock, a phase for every leg by Wilson's rules, and the states of the legs.

    phase of a leg = clock + rank · delay / cycle (+ half a turn on the right)

so steps run from the rear to the front on each side, opposite legs alternate, a step always takes the same time, and
one number, the cycle time, changes the gait smoothly from a wave to a tripod. A leg whose phase passes a quarter turn
may step (potential step); reflexes may make it, or keep it from it. All arrays are (worlds, legs): one world and a
batch use the same code.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gambol.control.legs.leg import Leg, check_legs
from gambol.errors import Fault, WorldError, nearest

Cycle = float | np.ndarray | Sequence[float] | Mapping[str, float]
IN_STANCE, MAY_STEP, IN_STEP = 0, 1, 2
TRIGGER = 0.25  # of a turn: the peak of the oscillator
SAME_TIME = 1e-9  # [s] within which two things happen at once


class GaitChanges:
    """Which legs begin a step and which begin their stance, (worlds, legs) of bool."""

    def __init__(self, steps: np.ndarray, stances: np.ndarray):
        self.steps, self.stances = steps, stances

    def __bool__(self) -> bool:
        return bool(self.steps.any() or self.stances.any())


class Reflex:
    """A reflex looks at what the legs feel and changes what they may do. What it remembers begins with "_"."""

    count: int = 0  # how often it acted

    def act(self, gait: PacemakerGait, sensed: Any) -> None:
        """Before steps begin: may set gait.now.state of legs in IN_STANCE to MAY_STEP, or block legs (gait.blocked)."""

    def react(self, controller: Any, sensed: Any) -> None:
        """After steps have begun: may begin strokes of its own (GaitController.begin)."""

    def save(self) -> dict[str, Any]:
        """A copy of what it remembers."""
        return {name: copy.deepcopy(value) for name, value in vars(self).items() if name == "count" or name[0] == "_"}

    def restore(self, state: dict[str, Any]) -> None:
        """As it was saved."""
        for name, value in state.items():
            setattr(self, name, copy.deepcopy(value))


@dataclass
class GaitState:
    """Everything that decides how a gait goes on."""

    time: float
    clock: np.ndarray
    cycle: np.ndarray
    state: np.ndarray
    since: np.ndarray
    triggers: np.ndarray
    steps: np.ndarray

    def copy(self) -> GaitState:
        """A copy that shares no array."""
        return GaitState(self.time, *(x.copy() for x in list(vars(self).values())[1:]))


@dataclass
class PacemakerGait:
    """The gait of a set of legs.

    step_time  [s], the same at every speed; delay [s] between neighbouring legs of a side (default: the step time)
    cycle      [s] of the pacemaker, see `set_cycle`; the fastest allowed is two step times (a tripod, for six legs)
    lead       "left" or "right": the side whose phases have no half turn added
    leg_phases of legs by name, in turns: in place of rank · delay / cycle and the half turn, whatever the cycle; of a
               batch, one number or one a world
    phase      of the clock at the start, in turns
    reflexes   asked in their order at every update that has sensed something
    """

    legs: Sequence[Leg]
    step_time: float
    cycle: Cycle = 1.0
    delay: float | None = None
    lead: str = "left"
    worlds: int = 1
    phase: float = 0.0
    reflexes: list[Reflex] = field(default_factory=list)
    leg_phases: Mapping[str, float | np.ndarray] | None = None

    own_cycles: ClassVar[bool] = False  # may its legs have cycles of their own?

    def __post_init__(self) -> None:
        check_legs(self.legs)
        if not self.step_time > 0:
            raise WorldError([Fault(f"step_time must be positive, it is {self.step_time}", "gait")])
        self.delay = self.step_time if self.delay is None else float(self.delay)
        self.names = [leg.name for leg in self.legs]
        self.rank = np.array([leg.rank for leg in self.legs], float)
        self.side = np.array([0.0 if leg.side == self.lead else 0.5 for leg in self.legs])
        self._fixed = self._own_phases()
        self.near = np.array([[other.name in leg.neighbours for other in self.legs] for leg in self.legs])
        self.blocked = np.zeros((self.worlds, len(self.legs)), bool)
        self.reset(self.cycle)

    def _own_phases(self) -> np.ndarray:
        """(worlds, legs): those that were given in place of Wilson's rules, nan for the others."""
        given, names = dict(self.leg_phases or {}), [leg.name for leg in self.legs]
        faults = [Fault(f"no leg is called {n!r}{nearest(n, names)}", "leg_phases") for n in given if n not in names]
        odd = {name: x for name, x in given.items() if not np.all(np.isfinite(x))}
        faults += [Fault(f"{name} must be finite, it is {x}", "leg_phases") for name, x in odd.items()]
        if self.lead not in ("left", "right"):
            faults.append(Fault(f"lead must be 'left' or 'right', not {self.lead!r}", "gait"))
        if faults:
            raise WorldError(faults)
        return np.stack([np.broadcast_to(given.get(name, np.nan), self.worlds) for name in names], axis=1)

    def lags(self) -> np.ndarray:
        """By how much each leg is ahead of the clock, (worlds, legs) [turns]: Wilson's rules, or what was given."""
        by_rule = (self.delay or 0.0) / self.now.cycle * self.rank + self.side
        return np.where(np.isnan(self._fixed), by_rule, self._fixed)

    def reset(self, cycle: Cycle, *, time: float = 0.0) -> None:
        """All legs in stance, the clock at its first phase."""
        shape = (self.worlds, len(self.legs))
        self.now = GaitState(
            time=time,
            clock=np.full(self.worlds, self.phase, float),
            cycle=np.full(shape, np.nan),
            state=np.full(shape, IN_STANCE),
            since=np.full(shape, time, float),
            triggers=np.zeros(shape),
            steps=np.zeros(shape, int),
        )
        self.set_cycle(cycle)
        self.now.triggers[...] = np.floor(self.phases() - TRIGGER)

    # ------------------------------------------------------------ speed
    def set_cycle(self, cycle: Cycle) -> None:
        """The cycle time from now on [s]; never faster than two step times.

        One number, one a world, or (worlds, legs), or some legs by name; where legs have cycles of their own, one a
        leg of a single world too. A pacemaker has one for all legs (PhaseNetwork: each its own).
        """
        values = self._cycles(cycle)
        if not self.own_cycles and np.any(values != values[:, :1]):
            raise WorldError([Fault("a pacemaker has one cycle for all legs; a PhaseNetwork one for each", "gait")])
        if not np.all(np.isfinite(values)) or np.any(values < 2.0 * self.step_time * (1.0 - 1e-12)):
            least = (
                f"{2.0 * self.step_time:g} s (two steps: faster, and a leg would start before its neighbour has ended)"
            )
            raise WorldError([Fault(f"the cycle must be at least {least}, not {np.min(values):g} s", "gait")])
        self.now.cycle[...] = values

    def _cycles(self, cycle: Cycle) -> np.ndarray:
        """As (worlds, legs) [s]."""
        if isinstance(cycle, Mapping):
            if unknown := [name for name in cycle if name not in self.names]:
                raise WorldError([Fault(f"no leg is called {unknown[0]!r}{nearest(unknown[0], self.names)}", "gait")])
            values = self.now.cycle.copy()
            for name, own in cycle.items():
                values[:, self.names.index(name)] = own
            if left := [name for name, own in zip(self.names, values[0]) if np.isnan(own)]:
                raise WorldError([Fault(f"no cycle is given for the legs {', '.join(left)}", "gait")])
            return values
        given, shape = np.asarray(cycle, float), (self.worlds, len(self.legs))
        if given.shape == (self.worlds,) and shape != (1, 1):
            given = given[:, None]
        if given.shape not in ((), (self.worlds, 1), shape) and (given.shape, self.worlds) != ((len(self.legs),), 1):
            message = f"a cycle is one number, or has the shape {shape[:1]} or {shape}, not {given.shape}"
            raise WorldError([Fault(message, "gait")])
        return np.array(np.broadcast_to(given, shape))

    @property
    def stance_time(self) -> np.ndarray:
        """How long each leg stands at its own cycle, (worlds, legs) [s]."""
        return self.now.cycle - self.step_time

    def phases(self) -> np.ndarray:
        """Of every leg, in turns, (worlds, legs); they only ever grow while the cycle stays."""
        return self.now.clock[:, None] + self.lags()

    # ------------------------------------------------------------ time
    def next_time(self) -> float:
        """When the next leg is triggered or ends its step, if nothing interferes [s]."""
        now = self.now
        wait = (now.triggers + 1.0 + TRIGGER - self.phases()) * now.cycle
        ends = np.where(now.state == IN_STEP, now.since + self.step_time - now.time, np.inf)
        return now.time + max(float(min(wait.min(), ends.min())), 0.0)

    def advance(self, time: float, sensed: Any = None) -> GaitChanges:
        """Moves the clock to `time` [s] and lets legs change: steps end first, because neighbours hand over."""
        now = self.now
        self._turn(time - now.time)
        now.time = time
        ended = (now.state == IN_STEP) & (time - now.since >= self.step_time - SAME_TIME)
        self._enter(ended, IN_STANCE)
        crossings = np.floor(self.phases() - TRIGGER + SAME_TIME / now.cycle)
        triggered = crossings > now.triggers
        now.triggers = np.maximum(crossings, now.triggers)
        now.state[triggered & (now.state == IN_STANCE)] = MAY_STEP
        self.blocked[...] = False
        if sensed is not None:
            for reflex in self.reflexes:
                reflex.act(self, sensed)
        begun = (now.state == MAY_STEP) & ~self.blocked
        if self.inhibited:
            begun = self._without_neighbours(begun)
        self._enter(begun, IN_STEP)
        now.steps += begun
        return GaitChanges(begun, ended)

    def _turn(self, duration: float) -> None:
        """Moves the clock on by a duration [s]."""
        self.now.clock += duration / self.now.cycle[:, 0]

    @property
    def inhibited(self) -> bool:
        """Do stepping neighbours keep a leg from stepping?"""
        return any(getattr(reflex, "inhibits_neighbours", False) for reflex in self.reflexes)

    def _without_neighbours(self, begun: np.ndarray) -> np.ndarray:
        """One leg after the other: of two neighbours that want to step at once, the first in order does."""
        stepping = self.now.state == IN_STEP
        for k in range(len(self.legs)):
            begun[:, k] &= ~(stepping & self.near[k]).any(axis=1)
            stepping[:, k] |= begun[:, k]
        return begun

    def _enter(self, which: np.ndarray, state: int) -> None:
        self.now.state[which] = state
        self.now.since[which] = self.now.time


@dataclass(frozen=True)
class Footfalls:
    """When each leg stepped: (start, end) [s] by leg, of one world; the last may be unfinished (nan)."""

    legs: tuple[str, ...]
    steps: tuple[tuple[tuple[float, float], ...], ...]
    duration: float

    def duty(self, after: float = 0.0) -> np.ndarray:
        """Share of the time each leg stands, over its whole cycles after a time."""
        found = []
        for steps in self.steps:
            whole = [s for s in steps if s[0] >= after and np.isfinite(s[1])]
            spans = [(b[0] - a[0], a[1] - a[0]) for a, b in zip(whole, whole[1:])]
            found.append(1.0 - np.sum([s for _, s in spans]) / np.sum([c for c, _ in spans]) if spans else np.nan)
        return np.array(found)

    def lags(self, leg: str, after: float = 0.0) -> dict[str, float]:
        """Mean time from a step of `leg` to the next of each other leg [s]."""
        starts = {name: [s[0] for s in steps if s[0] >= after] for name, steps in zip(self.legs, self.steps)}
        found = {}
        for name, times in starts.items():
            gaps = [min((t - s for t in times if t >= s - SAME_TIME), default=np.nan) for s in starts[leg][:-1]]
            found[name] = float(np.nanmean(gaps)) if gaps else float("nan")
        return found


class StepLog:
    """Writes down when legs step, of one world."""

    def __init__(self, legs: Sequence[Leg], world: int = 0):
        self.names, self.world = tuple(leg.name for leg in legs), world
        self.steps: list[list[tuple[float, float]]] = [[] for _ in legs]

    def copy(self) -> StepLog:
        """A copy that goes on by itself."""
        same = StepLog.__new__(StepLog)
        same.names, same.world, same.steps = self.names, self.world, [list(steps) for steps in self.steps]
        return same

    def enter(self, time: float, changes: GaitChanges) -> None:
        """Enters the legs that began a step or a stance at a time [s]."""
        for k, steps in enumerate(self.steps):
            if changes.stances[self.world, k] and steps:
                steps[-1] = (steps[-1][0], time)
            if changes.steps[self.world, k]:
                steps.append((time, float("nan")))

    def footfalls(self, duration: float) -> Footfalls:
        """The steps so far, of a walk of this duration [s]."""
        return Footfalls(self.names, tuple(tuple(s) for s in self.steps), duration)


def rehearse(gait: PacemakerGait, duration: float, cycle: Callable[[float], Cycle] | None = None) -> Footfalls:
    """Runs a gait by itself, without physics. `cycle` is a function of time [s] that gives the cycle time [s]."""
    log = StepLog(gait.legs)
    end = gait.now.time + duration
    while gait.now.time < end:
        step = min(gait.next_time(), end)
        if cycle is not None:
            step = min(step, gait.now.time + 0.1 * gait.step_time)
        time = max(step, gait.now.time + SAME_TIME)
        if cycle is not None:
            gait.set_cycle(cycle(time))
        log.enter(time, gait.advance(time))
    return log.footfalls(end)
