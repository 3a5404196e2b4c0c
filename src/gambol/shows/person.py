"""Experiments with the person as live shows: `gambol view person-walk`."""

from __future__ import annotations

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
from gambol.view.mouse_spring import with_mouse_spring
from gambol.view.parameters import Parameter
from gambol.view.source import LiveSource
from gambol.world.simulation import Simulation


@show("person-walk")
def walks() -> LiveSource:
    """A person walks on level ground; how far it leans sets its speed."""
    sim = walking_simulation(world=with_mouse_spring(person_world(walking_person())))
    walker = walk(sim)

    def lean(value: float) -> None:
        walker.gait = replace(walker.gait, lean=float(value))

    leaning = Parameter("lean", lambda: walker.gait.lean, lean, 0.0, 2.5 * LEVEL_WALK.lean, unit="rad")
    sim.attach(walker)
    return LiveSource(sim, parameters=[leaning], strength=60.0)


@show("person-step")
def steps() -> LiveSource:
    """The passive step: a leg swings through by itself, and then the person falls."""
    sim = started(stepping_person())
    sim.attach(Together(*step_rules()))
    return LiveSource(sim, speed=0.2)


@show("person-fall")
def falls() -> LiveSource:
    """A person whose joints are limp collapses."""
    figure = person90()
    sim = Simulation(with_mouse_spring(person_world(figure, passive=True)), stepping=STEPPING, ledger=False)
    sim.reset(placed(figure, posture()))
    return LiveSource(sim, speed=0.5)


@show("person-stand", also=("person-balance", "person-push"))
def stands() -> Any:
    """A person stands on its feet and keeps its balance."""
    return find_show("person").make()
