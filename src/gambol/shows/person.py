"""Experiments with the person as live shows: `gambol view person-walk`."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from gambol.control.behaviour import Together
from gambol.models.person import (
    LEVEL_WALK,
    STEPPING,
    person90,
    person_world,
    placed,
    posture,
    started,
    step_rules,
    stepping_person,
    walk,
    walking_person,
    walking_simulation,
)
from gambol.shows.registry import find_show, show
from gambol.view.hand import with_hand
from gambol.view.parameters import Parameter
from gambol.view.source import Live
from gambol.world.simulation import Simulation


class Performing:
    """A behaviour as the control of a live run, asked every `period` [s]; what it remembers can be taken back."""

    def __init__(self, behaviour: Any, sim: Simulation, *, period: float, parameters: Sequence[Parameter] = ()):
        self.behaviour, self.period, self.parameters = behaviour, period, parameters
        behaviour.start(sim, self._note)

    def __call__(self, sim: Simulation) -> None:
        self.behaviour.act(sim, self._note)

    def save(self) -> dict[str, Any]:
        """What the behaviour remembers."""
        return deepcopy(vars(self.behaviour))

    def restore(self, kept: dict[str, Any]) -> None:
        """Takes it back."""
        vars(self.behaviour).update(deepcopy(kept))

    def _note(self, name: str) -> None:
        """Nobody reads what is noted."""


@show("person-walk")
def walks() -> Live:
    """A walk on level ground; its lean is a parameter."""
    sim = walking_simulation(world=with_hand(person_world(walking_person())))
    walker = walk(sim)

    def lean(value: float) -> None:
        walker.gait = replace(walker.gait, lean=float(value))

    leaning = Parameter("lean", lambda: walker.gait.lean, lean, 0.0, 2.5 * LEVEL_WALK.lean, unit="rad")
    return Live(sim, control=Performing(walker, sim, period=0.005, parameters=[leaning]), strength=60.0)


@show("person-step")
def steps() -> Live:
    """The passive step, in slow motion."""
    sim = started(stepping_person())
    return Live(sim, control=Performing(Together(*step_rules()), sim, period=0.005), speed=0.2)


@show("person-fall")
def falls() -> Live:
    """A collapse with limp joints."""
    figure = person90()
    sim = Simulation(with_hand(person_world(figure, passive=True)), stepping=STEPPING, ledger=False)
    sim.reset(placed(figure, posture()))
    return Live(sim, speed=0.5)


@show("person-stand", also=("person-balance", "person-push"))
def stands() -> Any:
    """The standing person."""
    return find_show("person").make()
