"""Controllers: what acts on a run at times of its own.

    class Beat(Controller):
        keeps = ("beats",)                     # attributes that decide how it goes on

        def start(self, run):
            self.beats = 0

        def next_time(self, run):
            return 0.5 * (self.beats + 1)

        def act(self, run):
            self.beats += 1
            run.elements["knee spring"].ramp("rest", 0.3 * (-1) ** self.beats, 0.2)

    path = sim.run(5.0, every=1 / 60, controller=Beat())

The run asks every controller when it wants to act next, marches there in one compiled call, lets it act, and goes on.
At a time that is also a sample, the sample comes first. What must act at every stage of a step, rather than at times,
is a ContinuousController (gambol.control.continuous).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from gambol.errors import Fault, WorldError


def next_multiple(due: float, period: float) -> float:
    """The multiple of a period [s] after the one nearest to `due`: what acts at multiples of a time meets exactly."""
    return period * (round(due / period) + 1)


class Controller:
    """Acts on a run at times of its own; part of the run's state while it is attached.

    keeps   names of the attributes that decide how it goes on: saved, restored and recorded with the run
    """

    keeps: ClassVar[tuple[str, ...]] = ()

    def start(self, run: Any) -> None:
        """Once, when the run takes it on."""

    def next_time(self, run: Any) -> float:
        """When it wants to act next [s]; infinity: no more."""
        return math.inf

    def act(self, run: Any) -> bool | None:
        """The run has come to that time; may change commands, parameters and state. False ends the run.

        One that knows ahead what it will do may enter all of it up to `run.horizon` as timed writes.
        """
        return None

    def rewind(self, run: Any) -> None:
        """The run has ended before its horizon: one that had entered things ahead goes back to this moment."""

    def save(self) -> Any:
        """A copy of everything that decides how it goes on."""
        return {name: copy.deepcopy(getattr(self, name)) for name in self.keeps if hasattr(self, name)}

    def restore(self, state: Any) -> None:
        """Exactly as it was saved."""
        for name, value in state.items():
            setattr(self, name, copy.deepcopy(value))


class Periodic(Controller):
    """Calls `action(run)` every `period` [s], the first time at once; False ends the run."""

    keeps = ("count", "origin")

    def __init__(self, period: float, action: Callable[[Any], bool | None]):
        if not (period > 0 and math.isfinite(period)):
            raise WorldError([Fault(f"a period must be a positive time [s], it is {period}", "controller")])
        self.period, self.action = float(period), action

    def start(self, run: Any) -> None:
        self.count, self.origin = 0, run.latest_time

    def next_time(self, run: Any) -> float:
        return self.origin + self.count * self.period

    def act(self, run: Any) -> bool | None:
        self.count += 1
        return self.action(run)


def as_controllers(given: Controller | Iterable[Controller]) -> tuple[Controller, ...]:
    """One controller or several, checked for what a run asks of them."""
    several = given if isinstance(given, Iterable) else (given,)
    found = tuple(several)
    needed = [name for name in vars(Controller) if not name.startswith("_") and name != "keeps"]
    for controller in found:
        missing = [name for name in needed if not callable(getattr(controller, name, None))]
        if missing:
            message = f"{type(controller).__name__} is no controller: it has no {', '.join(missing)}"
            raise WorldError([Fault(message, "controller")])
    return found
