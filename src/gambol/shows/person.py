"""Experiments with the person as live shows: `gambol view person-walk`."""

from typing import Any

from gambol import Simulation, Together
from gambol.models import person
from gambol.shows.registry import find_show, show
from gambol.view import LiveSource, Parameter, with_mouse_spring


@show("person-walk")
def walks() -> LiveSource:
    """A person walks on level ground; set its speed and its heading."""
    sim = person.walking_simulation(world=with_mouse_spring(person.walking_world()))
    walk = person.walk_of(sim)

    def speed(value: float) -> None:
        walk.speed = float(value)

    def heading(value: float) -> None:
        walk.heading = float(value)

    told = [
        Parameter("speed", lambda: float(walk.speed), speed, 0.8, 1.6, unit="m/s"),
        Parameter("heading", lambda: float(walk.heading), heading, -3.0, 3.0, unit="rad"),
    ]
    return LiveSource(sim, parameters=told, strength=60.0)


@show("person-step")
def steps() -> LiveSource:
    """The passive step: a leg swings through by itself, and then the person falls."""
    sim = person.started(person.stepping_person())
    sim.attach(Together(*person.step_rules()))
    return LiveSource(sim, speed=0.2)


@show("person-fall")
def falls() -> LiveSource:
    """A person whose joints are limp collapses."""
    figure = person.person90()
    sim = Simulation(
        with_mouse_spring(person.person_world(figure, passive=True)), stepping=person.STEPPING, ledger=False
    )
    sim.reset(person.placed(figure, person.posture()))
    return LiveSource(sim, speed=0.5)


@show("person-stand", also=("person-balance", "person-push"))
def stands() -> Any:
    """A person stands on its feet and keeps its balance."""
    return find_show("person").make()
