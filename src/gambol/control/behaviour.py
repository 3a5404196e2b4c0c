"""Behaviours: small programs with states and events that are put together and performed by a simulation.

    rise = Then(Wait(1.0), MoveTo(standing, 2.0), Wait(3.0))
    shown = perform(sim, Together(balance, rise), 8.0, every=1 / 60)
    shown.time, shown.q, shown.kept["height"], shown.events

A behaviour is started once and then asked, every `period` of the performance, to act; it says whether it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from gambol.control.posture.control_state import ControlState
from gambol.world.simulation import Simulation

Condition = Callable[[Simulation], bool]


@dataclass(frozen=True)
class Occurrence:
    """Something a behaviour noted: when [s], and what."""

    time: float
    name: str


class Behaviour(Protocol):
    """`start` when its turn comes; `act` at every tick, True when it is done."""

    def start(self, sim: Simulation, note: Callable[[str], None]) -> None:
        """Its turn has come; note(name) enters an event."""

    def act(self, sim: Simulation, note: Callable[[str], None]) -> bool:
        """Acts at a tick; True when it is done."""


@dataclass
class Wait:
    """Does nothing for some seconds."""

    seconds: float
    _ends: float = field(default=0.0, init=False)

    def start(self, sim, note) -> None:
        """From now on."""
        self._ends = float(sim.time) + self.seconds

    def act(self, sim, note) -> bool:
        """Done when the time is over."""
        return float(sim.time) >= self._ends - 1e-9


@dataclass
class Do:
    """Calls action(sim) once."""

    action: Callable[[Simulation], Any]
    name: str = ""

    def start(self, sim, note) -> None:
        """Calls the action."""
        self.action(sim)
        if self.name:
            note(self.name)

    def act(self, sim, note) -> bool:
        """Done at once."""
        return True


@dataclass
class Until:
    """Waits for an event: condition(sim) becomes true."""

    condition: Condition
    name: str = ""

    def start(self, sim, note) -> None:
        """Nothing to begin with."""
        pass

    def act(self, sim, note) -> bool:
        """Done when the condition holds."""
        if not self.condition(sim):
            return False
        if self.name:
            note(self.name)
        return True


@dataclass
class MoveTo:
    """Motor programs to a control state in some seconds.

    through   a behaviour with `go(rest, seconds)` and `joints` (a Balance) that drives some of the joints itself
    """

    state: ControlState
    seconds: float
    profile: str = "linear"
    through: Any = None
    _ends: float = field(default=0.0, init=False)

    def start(self, sim, note) -> None:
        """Starts the motor programs of all joints."""
        own = self.state
        if self.through is not None:
            taken = set(self.through.joints)
            self.through.go({k: v for k, v in own.rest.items() if k in taken}, float(sim.time), self.seconds)
            own = ControlState({k: v for k, v in own.rest.items() if k not in taken}, own.strength)
        own.move(sim, self.seconds, profile=self.profile)
        self._ends = float(sim.time) + self.seconds

    def act(self, sim, note) -> bool:
        """Done when they have arrived."""
        return float(sim.time) >= self._ends - 1e-9


@dataclass
class Push:
    """A force [N, world] on the element `element` (a PointForce) for some seconds."""

    force: tuple[float, float, float]
    seconds: float
    element: str = "push"
    _ends: float = field(default=0.0, init=False)

    def start(self, sim, note) -> None:
        """Puts the force on."""
        set_push(sim, self.force, self.element)
        self._ends = float(sim.time) + self.seconds

    def act(self, sim, note) -> bool:
        """Takes it off when its time is over."""
        if float(sim.time) < self._ends - 1e-9:
            return False
        set_push(sim, (0.0, 0.0, 0.0), self.element)
        return True


def set_push(sim: Simulation, force, element: str = "push") -> None:
    """Gives a PointForce its force [N]."""
    for axis, value in zip("xyz", force):
        sim.set_parameter(element, f"force_{axis}", float(value))


class Then:
    """One after the other."""

    def __init__(self, *steps: Behaviour):
        self.steps = steps
        self._at = 0

    def start(self, sim, note) -> None:
        """Begins with the first."""
        self._at = 0
        self.steps[0].start(sim, note)

    def act(self, sim, note) -> bool:
        """Goes on to the next as each gets done."""
        while self._at < len(self.steps) and self.steps[self._at].act(sim, note):
            self._at += 1
            if self._at < len(self.steps):
                self.steps[self._at].start(sim, note)
        return self._at == len(self.steps)


class Together:
    """At the same time; done when all are. Those that never end (a Balance) go on with the performance."""

    def __init__(self, *parts: Behaviour):
        self.parts = parts
        self._done: list[bool] = []

    def start(self, sim, note) -> None:
        """Starts all."""
        self._done = [False] * len(self.parts)
        for part in self.parts:
            part.start(sim, note)

    def act(self, sim, note) -> bool:
        """Done when all are."""
        for k, part in enumerate(self.parts):
            if not self._done[k]:
                self._done[k] = part.act(sim, note)
        return all(self._done)


@dataclass(frozen=True)
class Performance:
    """What was seen: times [s], positions, watched quantities by name (one row a time), and what was noted.

    ended   "done", "time" or the name of the stop that was met
    """

    layout: Any
    time: np.ndarray
    q: np.ndarray
    kept: Mapping[str, np.ndarray]
    events: tuple[Occurrence, ...]
    ended: str

    def event(self, name: str) -> float:
        """When something was first noted [s]; NaN if never."""
        return next((e.time for e in self.events if e.name == name), float("nan"))


def perform(
    sim: Simulation,
    behaviour: Behaviour | None,
    seconds: float,
    *,
    period: float = 0.01,
    every: float = 1 / 30,
    watch: Mapping[str, Callable[[Simulation], Any]] | None = None,
    stops: Mapping[str, Condition] | None = None,
) -> Performance:
    """Runs a behaviour, asking it every `period` [s], for `seconds` or until it is done or a stop's condition holds."""
    events: list[Occurrence] = []
    note = lambda name: events.append(Occurrence(float(sim.time), name))
    begin = float(sim.time)
    ticks = max(1, round(seconds / period))
    keep = max(1, round(every / period))
    times: list[float] = []
    q: list[np.ndarray] = []
    kept: dict[str, list] = {name: [] for name in watch or {}}
    ended = "time"

    def look() -> None:
        times.append(float(sim.time))
        q.append(sim.q)
        for name, measure in (watch or {}).items():
            kept[name].append(measure(sim))

    look()
    if behaviour is not None:
        behaviour.start(sim, note)
    for k in range(1, ticks + 1):
        sim.advance(begin + k * period)
        done = behaviour.act(sim, note) if behaviour is not None else False
        if k % keep == 0:
            look()
        met = next((name for name, condition in (stops or {}).items() if condition(sim)), None)
        if met or done:
            ended = met or "done"
            note(ended)
            break
    return Performance(
        sim.layout, np.array(times), np.array(q), {k: np.array(v) for k, v in kept.items()}, tuple(events), ended
    )
