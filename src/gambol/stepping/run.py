"""What every run has in common: sample times, stops for events, the state that is saved, the errors that end it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from gambol.errors import Fault, HybridError, StepError, WorldError, ZenoError, nearest
from gambol.limits import refuse_too_large
from gambol.stepping import given
from gambol.stepping.compiled import CompiledMarch, compile_march
from gambol.stepping.controller import Controller, as_controllers
from gambol.stepping.march import March, make_room
from gambol.stepping.memory import Rows
from gambol.stepping.options import Stepping
from gambol.stepping.pieces import Pieces, slowest_world
from gambol.stepping.samples import Samples
from gambol.stepping.state import Event, ScheduledAction, State
from gambol.stepping.threads import blocks_of, crew_size, march_in_blocks
from gambol.stepping.timetable import Timetable
from gambol.stepping.workspace import (
    BROKEN,
    EVENTS,
    REJECTED,
    RUNNING,
    STATUS,
    STEP_REACH,
    STEPS,
    STUCK,
    TIME,
    ZENO,
)

DIRECTIONS = {"falling": -1, "either": 0, "rising": 1}
SECONDS = "a finite number of seconds"
ACTS_AT_ONCE = 10_000  # times that controllers may act without the clock moving on
NOT_FINITE, TOO_SHORT = "the motion is no longer finite", "the step became too short"
UNSEEN = "what is apart could touch, or pass, unseen in the shortest step"


class Watched(Protocol):
    """A boundary as a run sees it."""

    @property
    def name(self) -> str:
        """What its events are called."""

    @property
    def direction(self) -> str:
        """Which crossings count: "rising", "falling" or "either"."""

    @property
    def priority(self) -> int:
        """Of those that fire at once the smallest acts first."""


class RunPath:
    """What every run returns: sample times [s], the events on the way, and what was watched, one row a sample."""

    time: np.ndarray
    events: list[Event]
    watched: Mapping[str, np.ndarray] = MappingProxyType({})
    ended: str = ""  # the event that ended the run before its time

    def __len__(self) -> int:
        return len(self.time)

    def event(self, name: str) -> float:
        """When something of that name first happened [s]; NaN if never."""
        return next((event.time for event in self.events if event.name == name), math.nan)


Path = TypeVar("Path", bound=RunPath)


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
    schedule: tuple[ScheduledAction, ...] = ()  # in the order of their times
    controllers: tuple[Controller, ...] = ()  # those attached
    horizon: float = -math.inf  # [s] up to which nothing but a step of the march will happen
    target_time: float = -math.inf  # [s] to which this call of `run` goes
    threads: int = 1
    _awaited: float = -math.inf  # [s] of the sample that worlds did not all reach
    _compiled: CompiledMarch | None = None  # once it was needed

    def watch(self, boundaries: Sequence[Watched]) -> None:
        """Names, directions and priorities of the boundary functions, in their order."""
        self.watched = tuple(boundaries)
        self._directions = np.array([DIRECTIONS[b.direction] for b in boundaries], np.int64)
        self._priorities = np.array([b.priority for b in boundaries], np.int64)

    @functools.cached_property
    def pieces(self) -> Pieces:
        """The pieces in which it marches; set `pieces.halted` from another thread to end a run where it is."""
        return Pieces()

    # ------------------------------------------------------------ clock
    @property
    def time(self) -> float | np.ndarray:
        """[s]; for several worlds, each one's."""
        return self.clock(TIME)

    def clock(self, slot: int | np.integer) -> float | np.ndarray:
        """A number of the clock, one or one a world."""
        memory = self.memory
        return memory.number(memory.clock(slot)) if memory.worlds == 1 else memory.cell(memory.clock(slot))

    @property
    def counts(self) -> dict[str, Any]:
        """Steps taken, attempts rejected, events located."""
        return {"steps": self.clock(STEPS), "rejected": self.clock(REJECTED), "events": self.clock(EVENTS)}

    @property
    def failed_worlds(self) -> np.ndarray:
        """Numbers of the worlds whose last step could not be taken, after a StepError; restoring them mends them."""
        return np.flatnonzero(np.isin(np.atleast_1d(self.clock(STATUS)), (STUCK, BROKEN, ZENO)))

    @property
    def latest_time(self) -> float:
        """[s] of the world that is farthest ahead; between calls of `run` all worlds are there."""
        time = self.time
        return time if isinstance(time, float) else float(time.max())

    def is_due(self, time: float) -> bool:
        """Has the run come to a time [s], as far as its clock can tell?"""
        return bool(self.memory.dtype(time) <= self.latest_time)

    # ------------------------------------------------------------ state
    def save(self) -> State:
        """A copy of everything that decides how the run goes on, attached controllers included."""
        writes = self.timetable.saved()  # first: it counts anew in the cells
        cells = self.memory.cells[:, : self.memory.saved].copy()
        controllers = tuple((controller, controller.save()) for controller in self.controllers)
        return State(cells, tuple(self.events), (), self.schedule, writes, (), controllers)

    def restore(self, state: State, worlds: Sequence[int] | np.ndarray | None = None) -> None:
        """Exactly as it was saved; or some worlds of a batch alone, with what is to be written to them."""
        own = self.memory.cells[:, : self.memory.saved]
        if state.data.shape != own.shape or state.data.dtype != own.dtype:
            raise WorldError([Fault("this state was saved by a simulation of another world or size", "simulation")])
        if worlds is not None:
            chosen = self.memory.chosen(worlds)
            self.memory.copy_worlds(own, state.data, chosen)
            self.timetable.restore_worlds(state.writes, chosen)
            return
        own[...] = state.data
        self.timetable.restore(state.writes)
        self.events[:] = state.events
        self.schedule = state.schedule
        self.controllers = tuple(controller for controller, _ in state.controllers)
        for controller, saved in state.controllers:
            controller.restore(saved)

    # ------------------------------------------------------------ what acts on it
    def attach(self, controllers: Controller | Iterable[Controller]) -> None:
        """Takes on one or several controllers in place of those it has; those it had already go on as they are."""
        given = as_controllers(controllers)
        before, self.controllers = self.controllers, given
        for controller in given:
            if not any(controller is known for known in before):
                controller.start(self)

    def note(self, name: str, world: int = 0) -> None:
        """Enters an event by name at this moment: something that a controller did or saw."""
        self.events.append(Event(self.latest_time, name, world))

    def at(self, time: float, action: Callable[[Any], Any], *, owner: Any = None) -> None:
        """Calls action(run) when the run has reached exactly `time` [s]; one whose time has passed, at the next run."""
        time = given.number(time, "the time of an action", "schedule", allowed=SECONDS)
        added = ScheduledAction(time, action, owner)
        self.schedule = tuple(sorted((*self.schedule, added), key=lambda due: due.time))

    def cancel(self, owner: Any) -> None:
        """Forgets what was to be done for an owner."""
        self.schedule = tuple(due for due in self.schedule if due.owner != owner)

    def _soonest(self, besides: Controller | None = None) -> float:
        """When the schedule or a controller (but not `besides`) acts next [s]."""
        soonest = self.schedule[0].time if self.schedule else math.inf
        for controller in self.controllers:
            if controller is not besides:
                soonest = min(soonest, controller.next_time(self))
        return soonest

    def _act(self, now: float, end: float) -> bool:
        """Everything that is due now, the schedule first, then controllers in their order; False ends the run."""
        if not (self.schedule or self.controllers):
            return True
        due = self.memory.dtype
        for _ in range(ACTS_AT_ONCE):
            acted = False
            while self.schedule and due(self.schedule[0].time) <= now:
                first, *rest = self.schedule
                self.schedule = tuple(rest)
                first.action(self)
                acted = True
            for controller in self.controllers:
                if due(controller.next_time(self)) <= now:
                    self.horizon = max(min(end, self._soonest(controller)), now)
                    if controller.act(self) is False:
                        return False
                    acted = True
            if not acted:
                return True
        names = ", ".join(type(controller).__name__ for controller in self.controllers)
        raise WorldError([Fault(f"acts without end at t = {now:g} s: next_time must move on", names or "schedule")])

    # ------------------------------------------------------------ running
    def run(
        self,
        duration: float | None = None,
        *,
        until: float | None = None,
        every: float | None = None,
        times: Sequence[float] | np.ndarray | None = None,
        controller: Controller | Iterable[Controller] | None = None,
        watch: Mapping[str, Callable[[Any], Any]] | None = None,
        include_start: bool = False,
        whole_states: bool = False,
        on_event: Callable[[Any, Event], bool | None] | None = None,
        stop: Sequence[str] = (),
    ) -> Path:
        """Runs for `duration` or `until` a time [s], keeping the state at exact multiples of `every` [s].

        Or through given sample `times` [s], which rise from now on.

        controller   one or several (see `attach`); they stay attached, and are saved with the state
        watch        functions of the run, asked at every sample: `path.watched[name]` has a row for each
        include_start   the present state is the first sample
        whole_states    samples keep whatever is saved, such as every parameter of every element, not the motion alone
        on_event     is handed (run, event) when a boundary is crossed, and may change the state; the run goes on unless
                     it returns False
        stop         names of boundaries that end the run

        A run that fails raises StepError (HybridError, where a chart is not valid) whose `trajectory` holds what was
        computed; Ctrl-C, heard within a fraction of a second also in compiled code, raises a KeyboardInterrupt that has
        one too.
        """
        ahead = self._sample_times(duration, until, every) if times is None else given.times(times, self.latest_time)
        known = self._stop_names()
        if unknown := [name for name in stop if name not in known]:
            message = f"cannot stop at {unknown[0]!r}: no boundary is called so{nearest(unknown[0], known)}"
            raise WorldError([Fault(message, "run")])
        if controller is not None:
            self.attach(controller)
        self._check()
        if include_start:
            ahead = np.concatenate([[self.latest_time], ahead])
        samples = Samples(self, ahead, watch or {}, self.memory.saved if whole_states else self._motion_cells())
        try:
            self._go_through(ahead, samples, on_event, stop)
        except (StepError, HybridError, KeyboardInterrupt) as error:
            error.trajectory = samples.finish()  # type: ignore[union-attr]
            raise
        return samples.finish()

    def advance(self, until: float) -> None:
        """Goes to a time [s] and keeps nothing on the way; events are noted and passed."""
        self._go_through(self._sample_times(None, until, None), None, None, ())

    def _go_through(self, times: np.ndarray, samples: Samples | None, on_event, stop) -> None:
        """The loop of every run: march to the next sample or to what acts next, let it act, go on."""
        reached, end = 0, float(times[-1])
        try:
            reached = self._march_through(times, end, samples, on_event, stop)
        finally:
            if reached < len(times):
                for controller in self.controllers:
                    controller.rewind(self)

    def _march_through(self, times: np.ndarray, end: float, samples: Samples | None, on_event, stop) -> int:
        """How many of the times were reached before something ended the run."""
        self.target_time = end
        reached, going = 0, self._act(self.latest_time, end)
        while going and reached < len(times):
            soonest = min(self._soonest(), self._next_change())
            before = int(np.searchsorted(times[reached:], soonest, side="right"))
            if samples and samples.watch:
                before = min(before, 1)
            if before == 0:
                now, arrived = soonest, self._call(np.array([soonest]), None) == 1
                self._awaited = soonest
            else:
                ahead = times[reached : reached + before]
                done = self._call(ahead, samples.array[reached : reached + before] if samples else None)
                reached += done
                now, arrived = float(ahead[-1]), done == before
                self._awaited = float(ahead[min(done, before - 1)])
                if samples:
                    samples.keep(done)
            going = self._act(now, end) if arrived else self._handle_stops(on_event, stop)
        return reached

    def _sample_times(self, duration, until, every) -> np.ndarray:
        now = self.latest_time
        if (duration is None) == (until is None):
            raise WorldError([Fault("give either duration or until", "run")])
        if until is None:
            duration = given.number(duration, "duration", "run", allowed=SECONDS)
            end = now + duration
            if duration > 0 and not self.memory.dtype(end) > now:
                apart = abs(np.spacing(self.memory.dtype(now)))
                message = f"the clock stands still: its numbers are {apart:.3g} s apart at t = {now:g} s"
                raise WorldError([Fault(f"{message}, and duration is {duration:g} s", "run")])
        else:
            end = given.number(until, "until", "run", allowed=SECONDS)
        if self.memory.dtype(end) < now:
            message = f"cannot run from t = {now:g} s back to t = {end:g} s"
            raise WorldError([Fault(message, "run")])
        if every is None:
            return np.array([end])
        every = given.number(every, "every", "run", allowed=SECONDS)
        if not every > 0:
            raise WorldError([Fault(f"every must be positive, it is {every}", "run")])
        count = (end - now) / every if every > (end - now) / 1e300 else math.inf
        cells = self.memory.rows * max(self.memory.lanes, 1) * self._motion_cells() * self.memory.cells.itemsize
        refuse_too_large(f"run: {count:.3g} samples of every = {every:g} s", count * (cells + 24.0))
        before = max(round((end - now) / every), 0)
        times = now + every * np.arange(1, before + 2)
        while before and times[before - 1] >= end - 1e-9 * every:
            before -= 1
        times[before] = end
        return times[: before + 1]

    def _handle_stops(self, on_event, stop) -> bool:
        """Looks at every world that stopped; True when the run goes on."""
        status = np.atleast_1d(self.clock(STATUS))
        stopped = list(map(int, np.flatnonzero(status != RUNNING)))
        if not stopped:
            last = slowest_world(self, self._awaited)
            cause = f"{self.stepping.max_attempts} attempts did not reach the next sample"
            raise self._failure(last, cause, "allow more of them, or sample more often")
        going = True
        for world in stopped:
            cells = self.memory.of(world)
            if status[world] in (STUCK, BROKEN):
                if status[world] == STUCK and cells[self.memory.clock(STEP_REACH)] < self.stepping.min_step:
                    raise self._failure(world, UNSEEN, f"a smaller min_step than {self.stepping.min_step:g} s")
                raise self._failure(world, NOT_FINITE if status[world] == BROKEN else TOO_SHORT, self._remedy())
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
        if self.stepping.scheme.adaptive:
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
    def _check(self) -> None:
        """Refuses to run where it cannot."""

    def _stop_names(self) -> list[str]:
        """Names of what can stop a run."""
        return [boundary.name for boundary in self.watched]

    def _next_change(self) -> float:
        """A time [s] that no step may pass, because something switches there."""
        return math.inf

    def _motion_cells(self) -> int:
        """How many cells of a row, from the first, tell its motion."""
        return self.memory.saved

    def _call(self, times: np.ndarray, record: np.ndarray | None) -> int:
        raise NotImplementedError

    def _march(
        self,
        march: March,
        model: Callable[[], Any],
        scale: np.ndarray,
        times: np.ndarray,
        record: np.ndarray | None,
        *,
        apart: bool = False,
    ) -> int:
        """The compiled loop, over threads by blocks of rows.

        model   makes what the kernels know
        scale   weights of the tangent variables in the error
        apart   what the kernels know holds room for one thread: each has its own
        """
        array, offsets = self.memory.array, self.memory.offsets
        rules = self.stepping.rules(self.memory.dtype, scale, self._directions, self._priorities)
        record = array[:0].reshape(0, 0, array.shape[1]) if record is None else record
        writes = self.timetable.writes
        asked = march.asked(model(), rules)
        if self._compiled is None or not self._compiled.serves(asked):
            self._compiled = compile_march(march, model(), self.memory, rules, asked, writes)
        compiled, flushing = self._compiled, self.memory.dtype is np.float32
        threads = crew_size(len(array), self.threads)
        known = [model() for _ in range(threads if apart else 1)]  # they live as long as they are marched
        rooms = [compiled.room, *(make_room(()) for _ in known[1:])]
        blocks = blocks_of(len(array), threads)

        def call(ahead: np.ndarray, room: np.ndarray, attempts: int) -> int:
            each = max(attempts * threads // blocks, 1)
            own = rules._replace(control=rules.control._replace(max_attempts=each), code=compiled.code)
            for mine, where in zip(known, rooms):
                march.hand_over(mine, array, offsets, own, asked, ahead, room, writes, where)
            return march_in_blocks(compiled.loop, rooms, len(array), threads, flushing)

        return self.pieces.march(self, call, times, record)

    def _failure(self, world: int, cause: str, remedy: str) -> StepError:
        raise NotImplementedError

    def _trajectory(self, record: np.ndarray, times: np.ndarray, events: list[Event]) -> Path:
        raise NotImplementedError
