"""Where the shown motion comes from: a simulation that computes it (a motion that is known is in `recorded`)."""

from __future__ import annotations

import math
import time as clock
from bisect import bisect_right
from collections.abc import Callable, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.draw.motion import placer
from gambol.draw.terrain import is_plane, terrain_part
from gambol.errors import GambolError
from gambol.figure import Part
from gambol.view.hand import NAME, Hand, with_hand
from gambol.view.history import NO_FORCES, History, Moment
from gambol.view.parameters import Parameter, standard
from gambol.view.pulls import Pulls

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.world import World

EVERY = 1 / 128  # [s] between moments kept: a power of two, so that their times are exact however they are reached
SNAPSHOT = 0.5  # [s] between states from which a run can be taken up again
LONGEST, QUICK = 64, 4e-3  # moments computed in one call, where nothing asks for fewer; [s] it may take


class Live:
    """A simulation that is computed as it is shown.

    control   is called with the simulation before every stretch (`control.period` [s] apart, if it says so); one that
              has a state of its own has save() and restore(state)
    driver    runs the simulation instead, as a Walker does: run(duration, every=, watch=), save(), restore(state)
    speed     at which it is best seen: 1 is real time
    strength  of the hand [N]; default half the figures' weight
    parameters   what can be turned, besides those of the control (its `parameters`) and the standard ones
    on_event, stop   as in Simulation.run
    ground    height above the terrain's level at which the ground is drawn [m]; None draws none
    """

    live = True
    show_forces = False  # forces are worked out only when somebody looks at them

    def __init__(
        self,
        sim: Simulation,
        *,
        control: Callable[[Any], None] | None = None,
        driver: Any = None,
        speed: float = 1.0,
        parameters: Sequence[Parameter] = (),
        on_event: Callable[[Any, Any], bool | None] | None = None,
        stop: Sequence[str] = (),
        props: Sequence[Part] = (),
        ground: float | None = 0.0,
        title: str = "",
        strength: float | None = None,
    ):
        self.sim, self.control, self.driver, self.speed = sim, control, driver, speed
        self.figures = tuple(sim.layout.figures)
        self.place = placer(sim.layout.figures)
        self.props, self.ground = self._surroundings(tuple(props), ground)
        self.title = title or ", ".join(figure.name for figure in self.figures)
        self.hand = Hand(sim) if NAME in sim.elements.places else None
        if self.hand and strength is not None:
            self.hand.strength = strength
        self.parameters = [*getattr(control, "parameters", ()), *parameters, *standard(sim), *self._of_hand()]
        self.fault = ""
        self.history = History()
        self.lock = RLock()
        self._on_event, self._stop, self._moments = on_event, tuple(stop), 1
        self._pulls = Pulls(sim, sim.elements.places[NAME].params[0] if self.hand else -1)
        self._start = self._save()
        self._begin()

    @classmethod
    def of(cls, world: World, *, q: Any = None, v: Any = None, stepping: Any = None, **options: Any) -> Live:
        """A world in motion, from positions and speeds given (default: zero, at rest), with a hand to push it."""
        from gambol.world.simulation import Simulation

        sim = Simulation(with_hand(world), stepping=stepping)
        sim.reset(q, v)
        return cls(sim, **options)

    def _surroundings(self, props: tuple[Part, ...], ground: float | None) -> tuple[tuple[Part, ...], float | None]:
        """The ground as the world has it: a level, or a part of its own where it is no plane."""
        terrain = self.sim.world.terrain
        if ground is None or is_plane(terrain):
            return props, ground if ground is None else ground + terrain.level
        part = terrain_part(terrain, self.place(self.sim.q).origins[0][:2], 16.0 * self.sim.world.size)
        return (*props, part), None

    def _of_hand(self) -> list[Parameter]:
        hand = self.hand
        if hand is None:
            return []

        def put(value: float) -> None:
            hand.strength = float(value)

        return [Parameter("hand strength", lambda: hand.strength, put, 0.0, 4.0 * hand.strength, unit="N")]

    def _begin(self) -> None:
        self.history = History()
        self._snapshots: list[tuple[float, Any]] = []
        self.history.append(float(self.sim.time), self.sim.q, self.sim.v)
        self._keep_snapshot()

    def _keep_snapshot(self) -> None:
        now = self.history.last
        if not self._snapshots or now >= self._snapshots[-1][0] + SNAPSHOT - 1e-9:
            self._snapshots.append((now, self._save()))
            while len(self._snapshots) > 1 and self._snapshots[1][0] <= self.history.first:
                del self._snapshots[0]

    @property
    def slope(self) -> float:
        """Rise over run of the ground along x."""
        return float(self.sim.elements["terrain"].get("slope_x"))

    @property
    def forgotten(self) -> int:
        """Moments of the past given up for room."""
        return self.history.forgotten

    @property
    def first(self) -> float:
        return self.history.first

    @property
    def last(self) -> float:
        return self.history.last

    def at(self, time: float) -> Moment:
        with self.lock:
            return self.history.at(time)

    def between(self, first: float, last: float) -> list[Moment]:
        with self.lock:
            return self.history.between(first, last)

    def advance(self, until: float, deadline: float, every: float = EVERY) -> None:
        """Computes moments at multiples of `every` [s] until a time [s], or until the clock passes `deadline`.

        Where the moments are does not depend on how they were asked for, so runs repeat to the bit. A fault ends it
        and is kept in words.
        """
        step = getattr(self.control, "period", None) or every
        watched = self.control or self.show_forces or (self.hand and self.hand.body)
        while not self.fault and (now := clock.perf_counter()) < deadline:
            end = self._next(until, step, 1 if watched else self._moments)
            if end <= self.last + 1e-9:  # a driver may stop a rounding error before a moment
                return
            if self.control:
                self.control(self.sim)
            if self.hand:
                self.hand.hold()
            self._stretch(end, step)
            quick = clock.perf_counter() - now < QUICK  # long stretches spend less time between them
            self._moments = min(2 * self._moments, LONGEST) if quick else max(self._moments // 2, 1)

    def _next(self, until: float, step: float, moments: int) -> float:
        """The end of the next stretch: whole steps, at multiples of the step unless a control counts them itself."""
        if self.control:
            return self.last + step if self.last + step <= until + 1e-9 else self.last
        first = math.floor(self.last / step + 1e-6)
        if abs(self.last - first * step) > 1e-9:
            moments = 1  # to the grid first
        last = first + moments if math.isinf(until) else min(first + moments, math.floor(until / step + 1e-6))
        return last * step

    def _save(self) -> Any:
        save = getattr(self.control, "save", None)
        return (self.driver or self.sim).save(), save() if save else None

    def _driven(self, end: float, every: float) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """Moments on the way to a time, as the driver goes there."""
        found: list[tuple[float, np.ndarray, np.ndarray]] = []
        steps = max(1, round((end - self.last) / every))

        def watch(_: Any) -> None:
            found.append((float(self.sim.time), self.sim.q, self.sim.v))

        self.driver.run(end - self.last, every=(end - self.last) / steps, watch=watch)
        return found

    def _computed(self, end: float, every: float) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """Moments on the way to a time; what a fault leaves is kept, and its words."""
        try:
            if self.driver:
                return self._driven(end, every)
            path: Any = self.sim.run(until=end, every=every, on_event=self._on_event, stop=self._stop)
        except GambolError as error:
            path, self.fault = getattr(error, "trajectory", None), str(error)
        return [] if path is None else list(zip(path.time, path.q, path.v))

    def _stretch(self, end: float, every: float) -> None:
        moments = self._computed(end, every)
        forces = self._pulls() if self.show_forces and not self.fault else NO_FORCES
        with self.lock:
            self.history.extend([Moment(float(time), q, v, forces) for time, q, v in moments])
            if float(self.sim.time) > self.last and not self.fault:  # an event ended the run between samples
                self.history.append(float(self.sim.time), self.sim.q, self.sim.v, forces)
            self._keep_snapshot()
        if not self.fault and self.last < end - 1e-9:
            named = self.sim.events[-1].name if self.sim.events else "an event"
            self.fault = f"the run ended at t = {self.last:.4g} s: {named}"

    def prepare(self) -> None:
        """Computes a moment and goes back: what must be compiled is, and what cannot run says so here."""
        self.advance(self.first + 2 * EVERY, math.inf)
        self.place(self.sim.q)
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
            if self.control:
                self.control(self.sim)
            if not self.fault:
                self._stretch(moment, moment - self.last)

    def _restore(self, state: Any) -> None:
        """The state comes back; the parameters stay as they are."""
        values = [(parameter, parameter.get()) for parameter in self.parameters]
        (self.driver or self.sim).restore(state[0])
        if restore := getattr(self.control, "restore", None):
            restore(state[1])
        if self.hand:
            self.hand.release()
        for parameter, value in values:
            if parameter.get() != value:  # setting it anew may round it
                parameter.set(value)
        self.fault = ""
