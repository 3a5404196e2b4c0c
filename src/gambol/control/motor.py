"""Motor programs: one parameter of an element driven through a sequence of moves, each starting exactly on time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gambol.stepping.state import ScheduledAction
from gambol.world.simulation import Simulation


class Move(NamedTuple):
    """Go to a value in a time [s], along a profile."""

    to: float
    duration: float
    profile: str = "linear"


@dataclass(frozen=True)
class Begin:
    """What a simulation does when a queued move is due."""

    element: str
    parameter: str
    move: Move

    def __call__(self, sim: Simulation) -> None:
        sim.elements[self.element].ramp(self.parameter, self.move.to, self.move.duration, profile=self.move.profile)


class Motor:
    """A motor that moves `parameter` of the element called `element`, as muscles move a rest angle.

        knee = Motor(sim, "knee spring", "rest")
        knee.move(0.5, 0.1).then(0.0, 0.2, profile="smooth")
        sim.run(0.15)
        knee.done, knee.value, knee.ends

    Its moves are part of the simulation's state: they are saved and restored with it.
    """

    def __init__(self, sim: Simulation, element: str, parameter: str):
        self.sim, self.element, self.parameter = sim, element, parameter
        self.program: list[Move] = []
        self._owner = (element, parameter)
        _ = self.value  # an unknown element or parameter is an error now

    def move(self, to: float, duration: float, profile: str = "linear") -> Motor:
        """Starts now, in place of whatever was under way or queued."""
        self.sim.cancel(self._owner)
        self.program = [Move(to, duration, profile)]
        Begin(self.element, self.parameter, self.program[0])(self.sim)
        return self

    def then(self, to: float, duration: float, profile: str = "linear") -> Motor:
        """Queues a move after all others; with nothing under way it starts now."""
        move = Move(to, duration, profile)
        self.program.append(move)
        now = float(np.max(self.sim.time))
        self.sim.at(max(self.ends, now), Begin(self.element, self.parameter, move), owner=self._owner)
        return self

    def restart(self) -> Motor:
        """The whole program from its first move, now."""
        program = self.program
        if program:
            self.move(*program[0])
            for move in program[1:]:
                self.then(*move)
        return self

    @property
    def queue(self) -> tuple[ScheduledAction, ...]:
        """Moves that have not begun."""
        return tuple(due for due in self.sim.schedule if due.owner == self._owner)

    @property
    def value(self) -> Any:
        """The parameter now; an array for several worlds."""
        return self.sim.elements[self.element].get(self.parameter)

    @property
    def ends(self) -> float:
        """When the last move will be (or was) over [s]; of several worlds, the last one's."""
        queue = self.queue
        if queue:
            action = queue[-1].action
            return queue[-1].time + action.move.duration if isinstance(action, Begin) else queue[-1].time
        return float(np.max(self.sim.elements[self.element].ramp_ends(self.parameter)))

    @property
    def done(self) -> bool:
        """Is every move over?"""
        now = float(np.min(self.sim.time))
        rounding = 8.0 * float(np.finfo(self.sim.dtype).eps) * max(1.0, abs(now))
        return not self.queue and self.ends <= now + rounding
