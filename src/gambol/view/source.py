"""Where the shown motion comes from: a simulation that computes it (a motion that is known is in `recorded`)."""

from __future__ import annotations

import math
import time as clock
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gambol.draw.motion import placer
from gambol.draw.terrain import is_plane
from gambol.errors import GambolError
from gambol.figure import Part
from gambol.view.external_forces import ExternalForces
from gambol.view.history import NO_FORCES, NO_TORQUES, History, Moment
from gambol.view.joint_torques import JointTorques
from gambol.view.mouse_spring import NAME, MouseSpring, with_mouse_spring
from gambol.view.parameters import Parameter, standard
from gambol.view.pilot import Pilot

if TYPE_CHECKING:
    from gambol.control.legs.gait_controller import GaitController
    from gambol.forces.contact.terrain import Terrain
    from gambol.stepping.run import State
    from gambol.world.simulation import Simulation
    from gambol.world.world import World

EVERY = 1 / 128  # [s] between moments kept: a power of two, so that their times are exact however they are reached
SNAPSHOT = 0.5  # [s] between states from which a run can be taken up again
MAX_STRETCH, STRETCH_TIME = 64, 4e-3  # moments computed in one call, where nothing asks for fewer; [s] it may take


class Checkpoint(NamedTuple):
    """A live run at one moment: its state, its past, the values of its parameters, which of them were chosen."""

    state: Any
    history: History
    snapshots: list[tuple[float, Any]]
    values: list[tuple[Parameter, Any]]
    chosen: set[str]


class LiveSource:
    """A simulation that is computed as it is shown, with its controllers.

    speed       at which it is best seen: 1 is real time
    strength    of the mouse spring [N]; default half the figures' weight
    parameters  what can be turned, besides the standard ones
    on_event, stop   as in Simulation.run
    ground      height above the terrain's level at which the ground is drawn [m]; None draws none
    pilot       what arrow keys and clicks on the ground direct
    legs        a GaitController whose oscillators and steps are shown beside the figure
    """

    live = True
    show_forces = show_torques = False  # they are worked out only when somebody looks at them

    def __init__(
        self,
        sim: Simulation,
        *,
        speed: float = 1.0,
        parameters: Sequence[Parameter] = (),
        on_event: Callable[[Any, Any], bool | None] | None = None,
        stop: Sequence[str] = (),
        props: Sequence[Part] = (),
        ground: float | None = 0.0,
        title: str = "",
        strength: float | None = None,
        pilot: Pilot | None = None,
        legs: GaitController | None = None,
    ):
        self.sim, self.speed, self.pilot, self.legs = sim, speed, pilot, legs
        self.figures = tuple(sim.layout.figures)
        self.place = placer(sim.layout.figures)
        self.props, self.ground = tuple(props), self._seen_ground(ground)
        self.title = title or ", ".join(figure.name for figure in self.figures)
        self.mouse = MouseSpring(sim) if NAME in sim.elements else None
        if self.mouse:
            self.mouse.strength = self.mouse.strength if strength is None else strength
            sim.attach((*sim.controllers, self.mouse))
        self._chosen: set[str] = set()  # labels of the parameters that somebody has set
        self.parameters = [self._noted(p) for p in (*parameters, *standard(sim), *self._pull_strength())]
        self.fault = ""
        self.history = History()
        self.lock = RLock()
        self._on_event, self._stop, self._moments = on_event, tuple(stop), 1
        self._forces, self._torques = ExternalForces(sim), JointTorques(sim, self.figures)
        self._start = sim.save()
        self._begin()

    @classmethod
    def of(
        cls, world: World, *, q: Any = None, v: Any = None, stepping: Any = None, controller: Any = (), **options: Any
    ) -> LiveSource:
        """A world in motion, from positions and speeds given (default: zero, at rest), with a mouse spring.

        controller   one or several, as in Simulation.run
        """
        from gambol.world.simulation import Simulation

        sim = Simulation(with_mouse_spring(world), stepping=stepping)
        sim.reset(q, v)
        sim.attach(controller)
        return cls(sim, **options)

    def _seen_ground(self, ground: float | None) -> float | Terrain | None:
        """The ground as the world has it: a level [m], or the terrain itself where it is not level."""
        terrain = self.sim.world.terrain
        if ground is None:
            return None
        return ground + terrain.level if is_plane(terrain) else terrain

    def _pull_strength(self) -> list[Parameter]:
        mouse = self.mouse
        if mouse is None:
            return []

        def put(value: float) -> None:
            mouse.strength = float(value)

        return [Parameter("pull strength", lambda: mouse.strength, put, 0.0, 4.0 * mouse.strength, unit="N")]

    def _noted(self, parameter: Parameter) -> Parameter:
        """The parameter, remembered as chosen once it is set: what a controller moves by itself is not."""

        def put(value: Any) -> None:
            parameter.set(value)
            self._chosen.add(parameter.label)

        return replace(parameter, set=put)

    def _begin(self) -> None:
        self.history = History()
        self._snapshots: list[tuple[float, State]] = []
        self.history.append(float(self.sim.time), self.sim.q, self.sim.v)
        self._keep_snapshot()

    def _keep_snapshot(self) -> None:
        now = self.history.last
        if not self._snapshots or now >= self._snapshots[-1][0] + SNAPSHOT - 1e-9:
            self._snapshots.append((now, self.sim.save()))
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

    def advance(self, until: float, deadline: float, every: float = EVERY) -> None:
        """Computes moments at multiples of `every` [s] until a time [s], or until the clock passes `deadline`.

        Where the moments are does not depend on how they were asked for, so runs repeat to the bit. A fault ends it
        and is kept in words.
        """
        while not self.fault and (now := clock.perf_counter()) < deadline:
            times = self._ahead(until, every, 1 if self.show_forces or self.show_torques else self._moments)
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

    def _computed(self, times: np.ndarray) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """Moments at these times; what a fault leaves is kept, and its words."""
        path: Any
        try:
            path = self.sim.run(times=times, on_event=self._on_event, stop=self._stop)
        except GambolError as error:
            path, self.fault = getattr(error, "trajectory", None), str(error)
        return [] if path is None else list(zip(path.time, path.q, path.v))

    def _stretch(self, times: np.ndarray) -> None:
        moments = self._computed(times)
        forces = self._forces() if self.show_forces and not self.fault else NO_FORCES
        torques = self._torques() if self.show_torques and not self.fault else NO_TORQUES
        with self.lock:
            self.history.extend([Moment(float(time), q, v, forces, torques) for time, q, v in moments])
            if float(self.sim.time) > self.last and not self.fault:  # something ended the run between samples
                self.history.append(float(self.sim.time), self.sim.q, self.sim.v, forces, torques)
            self._keep_snapshot()
        if not self.fault and self.last < times[-1] - 1e-9:
            named = self.sim.events[-1].name if self.sim.events else "a controller"
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
            if not self.fault:
                self._stretch(np.array([moment]))

    def mark(self) -> None:
        """Somebody changed something: the run can be taken up again from here as well."""
        with self.lock:
            now = self.last
            self._snapshots = [(at, state) for at, state in self._snapshots if at < now - 1e-9]
            self._snapshots.append((now, self.sim.save()))

    def checkpoint(self) -> Checkpoint:
        """Everything as it is now, to which `go_back` returns."""
        with self.lock:
            values = [(parameter, parameter.get()) for parameter in self.parameters]
            return Checkpoint(self.sim.save(), self.history.copy(), list(self._snapshots), values, set(self._chosen))

    def go_back(self, then: Checkpoint) -> None:
        """Back to a checkpoint, the parameters too."""
        self.sim.restore(then.state)
        for parameter, value in then.values:
            if parameter.get() != value:
                parameter.set(value)
        self._chosen = set(then.chosen)
        with self.lock:
            self.history, self._snapshots = then.history, then.snapshots
        self.fault = ""

    def _restore(self, state: State) -> None:
        """The state comes back, and nothing is held; parameters that somebody chose stay as they are."""
        values = [(parameter, parameter.get()) for parameter in self.parameters if parameter.label in self._chosen]
        self.sim.restore(state)
        if self.mouse:
            self.mouse.release()
        for parameter, value in values:
            if parameter.get() != value:  # setting it anew may round it
                parameter.set(value)
        self.fault = ""
