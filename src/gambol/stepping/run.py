"""What every run has in common: sample times, stops for events, the state that is saved, the errors that end it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from gambol.errors import Fault, StepError, WorldError, ZenoError
from gambol.math.pack import numbers, zeros
from gambol.stepping.memory import Rows
from gambol.stepping.options import Stepping
from gambol.stepping.room import BROKEN, EVENTS, REJECTED, RUNNING, STATUS, STEPS, STUCK, TIME, ZENO
from gambol.stepping.timetable import Timetable, Writes

DIRECTIONS = {"falling": -1, "either": 0, "rising": 1}
Path = TypeVar("Path")  # what a run returns
NOT_FINITE, TOO_SHORT = "the motion is no longer finite", "the step became too short"


class Watched(Protocol):
    """A boundary as a run sees it."""

    @property
    def name(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def priority(self) -> int: ...


@dataclass(frozen=True)
class Event:
    """A boundary was crossed: when, which, in which world."""

    time: float
    name: str
    world: int = 0


@dataclass(frozen=True)
class Due:
    """Something to be done to a run at a time [s]; `owner` finds it again."""

    time: float
    action: Callable[[Any], Any]
    owner: Any = None


@dataclass(frozen=True)
class State:
    """Everything that decides how a run goes on; copied and restored bitwise."""

    data: np.ndarray
    events: tuple[Event, ...] = ()
    books: tuple = ()
    schedule: tuple[Due, ...] = ()
    writes: Writes | None = None

    def same(self, other: State) -> bool:
        """Bit for bit?"""
        if (self.writes is None) != (other.writes is None):
            return False
        alike = self.writes is None or other.writes is None or self.writes.same(other.writes)
        return alike and self.data.tobytes() == other.data.tobytes()


class Run(Generic[Path]):
    """Something in motion: a Simulation of worlds, or the run of a plain differential equation.

    A subclass sets `memory`, `timetable`, `stepping`, `events` and says
        _call(times, record) -> int    the compiled march: how many of `times` every world has reached
        _failure(world, cause, remedy) the StepError of a world that cannot go on
        _trajectory(record, times, events)   what a run returns
    """

    memory: Rows
    timetable: Timetable  # writes that worlds make to their own cells on the way
    stepping: Stepping
    events: list[Event]
    schedule: tuple[Due, ...] = ()  # in the order of their times

    def watch(self, boundaries: Sequence[Watched]) -> None:
        """Names, directions and priorities of the boundary functions, in their order."""
        self.watched = tuple(boundaries)
        self._directions = np.array([DIRECTIONS[b.direction] for b in boundaries], np.int64)
        self._priorities = np.array([b.priority for b in boundaries], np.int64)

    # ------------------------------------------------------------ clock
    @property
    def time(self) -> float | np.ndarray:
        """[s]; for several worlds, each one's."""
        return self.clock(TIME)

    def clock(self, slot: int | np.integer) -> float | np.ndarray:
        value = self.memory.read([self.memory.clock(slot)])
        return float(value[0]) if self.memory.worlds == 1 else value[:, 0]

    @property
    def counts(self) -> dict[str, Any]:
        """Steps taken, attempts rejected, events located."""
        return {"steps": self.clock(STEPS), "rejected": self.clock(REJECTED), "events": self.clock(EVENTS)}

    # ------------------------------------------------------------ state
    def save(self) -> State:
        """A copy of everything that decides how the run goes on."""
        writes = self.timetable.saved()
        cells = self.memory.cells[:, : self.memory.saved].copy()
        return State(cells, tuple(self.events), (), self.schedule, writes)

    def restore(self, state: State) -> None:
        """Exactly as it was saved."""
        own = self.memory.cells[:, : self.memory.saved]
        if state.data.shape != own.shape or state.data.dtype != own.dtype:
            raise WorldError([Fault("this state was saved by a simulation of another world or size", "simulation")])
        own[...] = state.data
        self.timetable.restore(state.writes)
        self.events[:] = state.events
        self.schedule = state.schedule

    # ------------------------------------------------------------ things to come
    def at(self, time: float, action: Callable[[Any], Any], *, owner: Any = None) -> None:
        """Calls action(run) when the run has reached exactly `time` [s]; one whose time has passed, at the next run."""
        if not math.isfinite(time):
            raise WorldError([Fault(f"cannot do something at t = {time} s", "schedule")])
        self.schedule = tuple(sorted((*self.schedule, Due(float(time), action, owner)), key=lambda due: due.time))

    def cancel(self, owner: Any) -> None:
        """Forgets what was to be done for an owner."""
        self.schedule = tuple(due for due in self.schedule if due.owner != owner)

    def _do_what_is_due(self) -> None:
        if not self.schedule:
            return
        now = float(np.max(np.atleast_1d(self.time)))
        while self.schedule and self.memory.dtype(self.schedule[0].time) <= now:
            due, *rest = self.schedule
            self.schedule = tuple(rest)
            due.action(self)

    # ------------------------------------------------------------ running
    def run(
        self,
        duration: float | None = None,
        *,
        until: float | None = None,
        every: float | None = None,
        times: Sequence[float] | np.ndarray | None = None,
        on_event: Callable[[Any, Event], bool | None] | None = None,
        stop: Sequence[str] = (),
    ) -> Path:
        """Runs for `duration` or `until` a time [s], keeping the state at exact multiples of `every` [s].

        Or through given sample `times` [s], which rise from now on.

        At an event the run is handed to `on_event(run, event)`, which may change the state; it goes on unless that
        returns False. Boundaries named in `stop` end the run. A run that fails raises StepError whose `trajectory`
        holds what was computed.
        """
        samples = self._sample_times(duration, until, every) if times is None else self._given_times(times)
        recorder = Recorder(self, samples)
        self._do_what_is_due()
        while recorder.kept < len(samples):
            if self._march_on(recorder, samples[recorder.kept :]):
                self._do_what_is_due()
                continue
            try:
                if not self._handle_stops(on_event, stop):
                    break
            except StepError as error:
                error.trajectory = recorder.finish()
                raise
        return recorder.finish()

    def advance(self, until: float) -> None:
        """Goes to a time [s] and keeps nothing on the way; events are noted and passed. For controllers that tick."""
        self._do_what_is_due()
        while True:
            target = min(self.schedule[0].time if self.schedule else until, until, self._next_change())
            if self._call(np.array([target]), None) == 1:
                self._do_what_is_due()
                if target == until:
                    return
            else:
                self._handle_stops(None, ())

    def sampled(self, times: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """Goes through times [s] that rise, as `advance` does, and returns cells of the state at each of them."""
        recorder = Recorder(self, times, width=int(np.max(cells)) + 1)
        self._do_what_is_due()
        while recorder.kept < len(times):
            if self._march_on(recorder, times[recorder.kept :]):
                self._do_what_is_due()
            else:
                self._handle_stops(None, ())
        return self.memory.read(cells, numbers(recorder.array))

    def _march_on(self, recorder: Recorder, ahead: np.ndarray) -> bool:
        """Goes to the samples before the next thing that is due, or to that; False when it stopped on the way."""
        due = min(self.schedule[0].time if self.schedule else math.inf, self._next_change())
        before = int(np.searchsorted(ahead, due, side="right"))
        if before == 0:
            return self._call(np.array([due]), None) == 1
        reached = self._call(ahead[:before], recorder.array[recorder.kept : recorder.kept + before])
        recorder.kept += reached
        return reached == before

    def _sample_times(self, duration, until, every) -> np.ndarray:
        now = float(np.max(np.atleast_1d(self.time)))
        if (duration is None) == (until is None):
            raise WorldError([Fault("give either duration or until", "run")])
        end = now + duration if until is None else float(until)
        if not math.isfinite(end) or self.memory.dtype(end) < now:
            raise WorldError([Fault(f"cannot run from t = {now:g} s to t = {end:g} s", "run")])
        if every is None:
            return np.array([end])
        if not every > 0:
            raise WorldError([Fault(f"every must be positive, it is {every}", "run")])
        times = now + every * np.arange(1, max(round((end - now) / every), 0) + 1)
        return np.append(times[times < end - 1e-9 * every], end)

    def _given_times(self, times) -> np.ndarray:
        given = np.asarray(times, float)
        now = float(np.max(np.atleast_1d(self.time)))
        if given.ndim != 1 or not np.all(np.isfinite(given)) or np.any(np.diff(given, prepend=now) < 0):
            raise WorldError([Fault(f"sample times must rise from t = {now:g} s on", "run")])
        return given

    def _handle_stops(self, on_event, stop) -> bool:
        """Looks at every world that stopped; True when the run goes on."""
        status = np.atleast_1d(self.clock(STATUS))
        stopped = list(map(int, np.flatnonzero(status != RUNNING)))
        if not stopped:
            last = int(np.argmin(np.atleast_1d(self.time)))
            cause = f"{self.stepping.budget} attempts did not reach the next sample"
            raise self._failure(last, cause, "allow a larger budget, or sample more often")
        going = True
        for world in stopped:
            if status[world] in (STUCK, BROKEN):
                raise self._failure(world, NOT_FINITE if status[world] == BROKEN else TOO_SHORT, self._remedy())
            cells = self.memory.of(world)
            time = float(cells[self.memory.clock(TIME)])
            happened = [Event(time, self.watched[i].name, world) for i in np.flatnonzero(cells[self.memory.fired])]
            self.events += happened
            if status[world] == ZENO:
                raise self._zeno_failure(world)
            cells[self.memory.clock(STATUS)] = RUNNING
            for event in happened:
                if event.name in stop or (on_event is not None and on_event(self, event) is False):
                    going = False
        return going

    # ------------------------------------------------------------ why a run could not go on
    def _remedy(self) -> str:
        if self.stepping.chosen.adaptive:
            return "use method='implicit-pair', loosen eps, or soften what is stiff"
        return "shorten `step`, or use an adaptive or implicit method"

    def _last_events(self, world: int) -> tuple[str, ...]:
        return tuple(f"{e.name} at {e.time:.9g} s" for e in self.events if e.world == world)[-3:]

    def _zeno_failure(self, world: int) -> ZenoError:
        """The error for events that accumulate; their limit by extrapolating the gaps as a geometric series."""
        own = [e for e in self.events if e.world == world]
        times = np.array([e.time for e in own])
        gaps = np.diff(times)
        limit = float(times[-1])
        clear = np.flatnonzero(gaps > 1e6 * self.stepping.precision)  # shorter ones measure the locator, not the motion
        if len(clear) > 1 and gaps[clear[-2]] > gaps[clear[-1]]:
            before, last = gaps[clear[-2]], gaps[clear[-1]]
            limit = float(times[clear[-1] + 1] + last**2 / (before - last))
        names = tuple(dict.fromkeys(e.name for e in own[-2:]))
        return ZenoError(
            time=float(times[-1]), world=world, events=names, gaps=tuple(map(float, gaps[-12:])), limit=limit
        )

    # ------------------------------------------------------------ what a subclass says
    def _next_change(self) -> float:
        """A time [s] that no step may pass, because something switches there."""
        return math.inf

    def _call(self, times: np.ndarray, record: np.ndarray | None) -> int:
        raise NotImplementedError

    def _failure(self, world: int, cause: str, remedy: str) -> StepError:
        raise NotImplementedError

    def _trajectory(self, record: np.ndarray, times: np.ndarray, events: list[Event]) -> Path:
        raise NotImplementedError


class Recorder:
    """Room for the states of a run, filled by the march."""

    def __init__(self, run: Run[Any], times: np.ndarray, *, width: int | None = None):
        memory = run.memory
        self.run, self.times = run, times
        self.first_event = len(run.events)
        self.array = zeros((len(times), memory.rows, width or memory.saved), memory.dtype, memory.lanes)
        self.kept = 0

    def finish(self):
        """The part of the run that was reached."""
        kept = self.kept
        return self.run._trajectory(self.array[:kept], self.times[:kept], self.run.events[self.first_event :])
