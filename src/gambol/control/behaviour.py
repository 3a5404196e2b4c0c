"""Behaviours: small controllers with an end, put together into programs.

    rise = Then(Wait(1.0), MoveTo(standing, 2.0), Wait(3.0))
    path = sim.run(8.0, every=1 / 60, controller=[Together(balance, rise), StopWhen(fell=fallen)])
    path.event("fell"), path.event("done")

A behaviour is a Controller that says when it is `done`; then it acts no more. Those of a program begin when their turn
comes, exactly on time.
"""

import math
from collections.abc import Callable
from typing import Any, ClassVar

from gambol.control.posture.control_state import ControlState
from gambol.stepping.controller import Controller
from gambol.world.simulation import Simulation

Predicate = Callable[[Simulation], bool]


class Behaviour(Controller):
    """A controller with an end. Asked every `period` [s] from its start on, unless it knows better when to act."""

    keeps: ClassVar[tuple[str, ...]] = ("done", "due")
    period: float = 0.01

    def start(self, run: Simulation) -> None:
        self.done, self.due = False, run.latest_time + self.period

    def next_time(self, run: Simulation) -> float:
        return math.inf if self.done else self.due

    def act(self, run: Simulation) -> bool | None:
        self.due += self.period
        self.done = self.tick(run)
        return None

    def tick(self, run: Simulation) -> bool:
        """What it does every period; True when it is done."""
        return True


class Wait(Behaviour):
    """Does nothing for some seconds."""

    def __init__(self, seconds: float):
        self.period = float(seconds)


class Do(Behaviour):
    """Calls action(sim) once; `name` is noted as an event."""

    def __init__(self, action: Callable[[Simulation], Any], name: str = ""):
        self.action, self.name = action, name

    def start(self, run: Simulation) -> None:
        """Calls the action."""
        self.done, self.due = True, run.latest_time
        self.action(run)
        if self.name:
            run.note(self.name)


class Until(Behaviour):
    """Waits for condition(sim) to become true, asked every `period` [s]; `name` is noted as an event then."""

    def __init__(self, condition: Predicate, name: str = "", *, period: float = 0.01):
        self.condition, self.name, self.period = condition, name, period

    def tick(self, run: Simulation) -> bool:
        """Has it come true?"""
        if not self.condition(run):
            return False
        if self.name:
            run.note(self.name)
        return True


class MoveTo(Behaviour):
    """Motor programs to a control state in some seconds.

    through   a behaviour with `move(rest, time, seconds)` and `joints` (a Balance) that drives some joints itself
    """

    def __init__(self, state: ControlState, seconds: float, profile: str = "linear", through: Any = None):
        self.state, self.period, self.profile, self.through = state, float(seconds), profile, through

    def start(self, run: Simulation) -> None:
        super().start(run)
        own = self.state
        if self.through is not None:
            taken = set(self.through.joints)
            driven = {joint: angle for joint, angle in own.rest.items() if joint in taken}
            self.through.move(driven, run.latest_time, self.period)
            own = ControlState({k: v for k, v in own.rest.items() if k not in taken}, own.strength)
        own.move(run, self.period, profile=self.profile)


class Push(Behaviour):
    """A force [N, world] of the element `element` (a PointForce) for some seconds."""

    def __init__(self, force: tuple[float, float, float], seconds: float, element: str = "push"):
        self.force, self.period, self.element = force, float(seconds), element

    def start(self, run: Simulation) -> None:
        super().start(run)
        set_push(run, self.force, self.element)

    def tick(self, run: Simulation) -> bool:
        """Ends the push."""
        set_push(run, (0.0, 0.0, 0.0), self.element)
        return True


def set_push(sim: Simulation, force: tuple[float, float, float], element: str = "push") -> None:
    """Gives a PointForce its force [N]."""
    for axis, value in zip("xyz", force):
        sim.elements[element].set(f"force_{axis}", float(value))


class Program(Behaviour):
    """Several behaviours as one; what they remember is part of its state."""

    def __init__(self, *parts: Behaviour):
        self.parts = parts

    def save(self) -> Any:
        """Its own state, and those of its parts that have begun."""
        return [super().save(), [part.save() for part in self.parts]]

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        own, parts = state
        super().restore(own)
        for part, saved in zip(self.parts, parts):
            part.restore(saved)


class Then(Program):
    """One after the other."""

    keeps = ("done", "at")

    def start(self, run: Simulation) -> None:
        """Starts all."""
        self.at, self.done = -1, False
        self._next(run)

    def _next(self, run: Simulation) -> None:
        """Starts the next one that has something left to do."""
        while self.at < 0 or self.parts[self.at].done:
            self.at += 1
            if self.at == len(self.parts):
                self.done = True
                return
            self.parts[self.at].start(run)

    def next_time(self, run: Simulation) -> float:
        return math.inf if self.done else self.parts[self.at].next_time(run)

    def act(self, run: Simulation) -> bool | None:
        going = self.parts[self.at].act(run)
        self._next(run)
        return going


class Together(Program):
    """At the same time; done when all are. Those that never end (a Balance) go on."""

    keeps = ("done",)

    def start(self, run: Simulation) -> None:
        for part in self.parts:
            part.start(run)
        self.done = all(part.done for part in self.parts)

    def next_time(self, run: Simulation) -> float:
        return min((part.next_time(run) for part in self.parts), default=math.inf)

    def act(self, run: Simulation) -> bool | None:
        going = True
        for part in self.parts:
            if run.is_due(part.next_time(run)):
                going = part.act(run) is not False and going
        self.done = all(part.done for part in self.parts)
        return going


class StopWhen(Controller):
    """Ends the run when one of its conditions (sim) holds, asked every `period` [s]; its name is noted as an event.

    sim.run(10.0, controller=[program, StopWhen(fell=fallen, done=program)])

    A behaviour as a condition holds when it is done.
    """

    keeps = ("due",)

    def __init__(self, *, period: float = 0.01, **conditions: Predicate | Behaviour):
        self.period, self.conditions = period, conditions

    def start(self, run: Simulation) -> None:
        self.due = run.latest_time + self.period

    def next_time(self, run: Simulation) -> float:
        return self.due

    def act(self, run: Simulation) -> bool | None:
        self.due += self.period
        for name, condition in self.conditions.items():
            if condition.done if isinstance(condition, Behaviour) else condition(run):
                run.note(name)
                return False
        return None
