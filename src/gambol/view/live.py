"""A run that is computed as it is shown: its past, how it is taken up again, and what can be turned; of any engine."""

from __future__ import annotations

import math
import time as clock
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gambol.draw.motion import placer
from gambol.figure import Figure, Part
from gambol.view.history import History, Moment
from gambol.view.parameters import Parameter

if TYPE_CHECKING:
    from gambol.forces.contact.terrain import Terrain

EVERY = 1 / 128  # [s] between moments kept: a power of two, so that their times are exact however they are reached
SNAPSHOT = 0.5  # [s] between states from which a run can be taken up again
MOST_EVENTS = 200  # told to the timeline, the latest
MAX_STRETCH, STRETCH_TIME = 64, 4e-3  # moments computed in one call, where nothing asks for fewer; [s] it may take


class Checkpoint(NamedTuple):
    """A live run at one moment: its state, its past, the values of its parameters, which of them were chosen."""

    state: Any
    history: History
    snapshots: list[tuple[float, Any]]
    values: list[tuple[Parameter, Any]]
    chosen: set[str]


class LiveRun:
    """What every live source has in common. An engine says

        now()             its time [s]
        present()         the moment it has reached, as it is shown
        computed(times)   moments at these times [s]; what ends it goes into `fault`, in words
        saved(), load(state)   everything that decides how it goes on, and back to it

    every    [s] between moments kept
    mouse    what people hold, push and pin bodies with (None: they cannot)
    curves   what can be bent by the mouse: TorqueCurves, or None
    prompt   where commands are typed, or None
    charts   of a hybrid system: ChartHistory, or None
    lines    what runs between its bodies: muscles, springs, nails; or None
    field    gives arrows of a force field, (n, 2, 3) [m, world], whenever it is asked; or None
    edition  another number whenever the figures are others
    """

    live = True
    reversible = True  # can be taken up again at a moment of its past
    show_forces = show_torques = show_muscles = False  # they are worked out only when somebody looks at them
    every = EVERY
    mouse: Any = None
    pilot: Any = None
    legs: Any = None
    curves: Any = None
    prompt: Any = None
    charts: Any = None
    lines: Any = None
    field: Any = None
    edition = 0
    slope = 0.0
    fault = ""

    def __init__(
        self,
        figures: Sequence[Figure],
        *,
        speed: float = 1.0,
        parameters: Sequence[Parameter] = (),
        props: Sequence[Part] = (),
        ground: float | Terrain | None = 0.0,
        title: str = "",
    ):
        self.speed, self.figures, self.place = speed, tuple(figures), placer(figures)
        self.props, self.ground = tuple(props), ground
        self.title = title or ", ".join(figure.name for figure in self.figures)
        self._chosen: set[str] = set()  # labels of the parameters that somebody has set
        self.parameters = [self._noted(parameter) for parameter in parameters]
        self.lock = RLock()
        self._moments = 1
        self._start = self.saved()
        self._begin()

    # ------------------------------------------------------------ of the engine
    def now(self) -> float:
        """Its time [s]."""
        raise NotImplementedError

    def present(self) -> Moment:
        """The moment it has reached."""
        raise NotImplementedError

    def computed(self, times: np.ndarray) -> list[Moment]:
        """Moments at these times [s]."""
        raise NotImplementedError

    def saved(self) -> Any:
        """Everything that decides how it goes on."""
        raise NotImplementedError

    def load(self, state: Any) -> None:
        """Back to what was saved."""
        raise NotImplementedError

    def halt(self) -> None:
        """Ends what is being computed; from any thread."""

    @property
    def looked_into(self) -> bool:
        """Does somebody look at what is worked out moment by moment?"""
        return self.show_forces or self.show_torques or self.show_muscles

    @property
    def events(self) -> list[tuple[float, str]]:
        """What happened and when [s], for the timeline."""
        return []

    # ------------------------------------------------------------ its past
    def _noted(self, parameter: Parameter) -> Parameter:
        """The parameter, remembered as chosen once it is set: what a controller moves by itself is not."""

        def put(value: Any) -> None:
            parameter.set(value)
            self._chosen.add(parameter.label)

        return replace(parameter, set=put)

    def _begin(self) -> None:
        self.history = History()
        self._snapshots: list[tuple[float, Any]] = []
        self.history.extend([self.present()])
        self._keep_snapshot()

    def _keep_snapshot(self) -> None:
        now = self.history.last
        if not self._snapshots or now >= self._snapshots[-1][0] + SNAPSHOT - 1e-9:
            self._snapshots.append((now, self.saved()))
            while len(self._snapshots) > 1 and self._snapshots[1][0] <= self.history.first:
                del self._snapshots[0]

    @property
    def forgotten(self) -> int:
        """Moments of the past given up for room."""
        return self.history.forgotten

    @property
    def first(self) -> float:
        """Time at which the history begins [s]."""
        return self.history.first

    @property
    def last(self) -> float:
        """Time at which the history ends [s]."""
        return self.history.last

    def at(self, time: float) -> Moment:
        """The last moment not later than a time [s]."""
        with self.lock:
            return self.history.at(time)

    def between(self, first: float, last: float) -> list[Moment]:
        """Moments from one time [s] to another, as they were sampled."""
        with self.lock:
            return self.history.between(first, last)

    # ------------------------------------------------------------ going on
    def finer(self, seconds: float) -> float:
        """[s] between moments for pictures so far apart in its time [s]: slow motion needs finer ones."""
        return self.every if seconds >= self.every else 2.0 ** max(math.floor(math.log2(max(seconds, 1e-9))), -16)

    def advance(self, until: float, deadline: float, every: float | None = None) -> None:
        """Computes moments at multiples of `every` [s] until a time [s], or until the clock passes `deadline`.

        Where the moments are does not depend on how they were asked for, so runs repeat to the bit. A fault ends it
        and is kept in words.
        """
        every = self.every if every is None else every
        while not self.fault and (now := clock.perf_counter()) < deadline:
            times = self._ahead(until, every, 1 if self.looked_into else self._moments)
            if not len(times):
                return
            self._stretch(times)
            fast = clock.perf_counter() - now < STRETCH_TIME  # long stretches spend less time between them
            self._moments = min(2 * self._moments, MAX_STRETCH) if fast else max(self._moments // 2, 1)

    def _ahead(self, until: float, every: float, moments: int) -> np.ndarray:
        """Times of the next stretch: so many multiples of `every` from the last moment on, none later than `until`.

        As multiples, not as sums, so that they are the same to the last bit however the stretches fall.
        """
        first = math.floor(self.last / every + 1e-6)
        if abs(self.last - first * every) > 1e-9:
            moments = 1  # to the grid first
        last = first + moments if math.isinf(until) else min(first + moments, math.floor(until / every + 1e-6))
        times = every * np.arange(first + 1, last + 1)
        return times[times > self.last]

    def _stretch(self, times: np.ndarray) -> None:
        moments = self.computed(times)
        with self.lock:
            self.history.extend(moments)
            if self.now() > self.last + 1e-12 and not self.fault:  # something ended the run between samples
                self.history.extend([self.present()])
            self._keep_snapshot()
        if not self.fault and self.last < times[-1] - 1e-9:
            named = self.events[-1][1] if self.events else "a controller"
            self.fault = f"the run ended at t = {self.last:.4g} s: {named}"

    def prepare(self) -> None:
        """Computes a moment and goes back: what must be compiled is, and what cannot run says so here."""
        self.advance(self.first + 2 * self.every, math.inf)
        self.place(self.present().q)
        if not self.fault:
            self.restart()

    def restart(self) -> None:
        """Back to the start, with the parameters as they are now."""
        self._restore(self._start)
        with self.lock:
            self._begin()

    def resume_at(self, time: float) -> None:
        """Takes the run up again at a moment of its past; what came after is forgotten."""
        if time >= self.last - 1e-9:
            return
        index = max(0, bisect_right([at for at, _ in self._snapshots], time + 1e-9) - 1)
        at, state = self._snapshots[index]
        known = [moment.time for moment in self.history.between(at, time)]
        self._restore(state)
        with self.lock:
            del self._snapshots[index + 1 :]
            self.history.cut(at)
        for moment in known[1:]:  # through the same moments, so by the same steps
            if not self.fault:
                self._stretch(np.array([moment]))

    def amend(self) -> None:
        """Somebody moved something by hand: the last moment is as it is now."""
        with self.lock:
            self.history.amend(self.present())
        self.mark()

    def mark(self) -> None:
        """Somebody changed something: the run can be taken up again from here as well."""
        with self.lock:
            now = self.last
            self._snapshots = [(at, state) for at, state in self._snapshots if at < now - 1e-9]
            self._snapshots.append((now, self.saved()))

    def checkpoint(self) -> Checkpoint:
        """Everything as it is now, to which `go_back` returns."""
        with self.lock:
            values = [(parameter, parameter.get()) for parameter in self.parameters]
            return Checkpoint(self.saved(), self.history.copy(), list(self._snapshots), values, set(self._chosen))

    def go_back(self, then: Checkpoint) -> None:
        """Back to a checkpoint, the parameters too."""
        self.load(then.state)
        for parameter, value in then.values:
            if parameter.get() != value:
                parameter.set(value)
        self._chosen = set(then.chosen)
        with self.lock:
            self.history, self._snapshots = then.history.copy(), list(then.snapshots)
        self.fault = ""

    def _restore(self, state: Any) -> None:
        """The state comes back, and nothing is held; parameters that somebody chose stay as they are."""
        values = [(parameter, parameter.get()) for parameter in self.parameters if parameter.label in self._chosen]
        self.load(state)
        if self.mouse:
            self.mouse.release()
        for parameter, value in values:
            if parameter.get() != value:  # setting it anew may round it
                parameter.set(value)
        self.fault = ""
