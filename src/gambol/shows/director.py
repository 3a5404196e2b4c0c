"""Figures to be steered with the arrow keys or by a click on the ground: `gambol view director`."""

from typing import Any

from gambol import Director
from gambol.shows.registry import show
from gambol.view import LiveSource, Parameter, with_mouse_spring
from gambol.view.pilot import Pilot

PACES = {"stop": 0.0, "walk": 0.5, "run": 1.0, "back": -0.5}  # shares of the top speed


@show("director", also=("roach-directed",))
def director() -> LiveSource:
    """A roach that goes where it is told: by the arrow keys, or by a click on the ground."""
    from gambol.models.roach import TUNED, adjusted_legs, roach_world, walking_roach

    sim = walking_roach(with_mouse_spring(roach_world()), limbs=adjusted_legs(*TUNED))
    return directed(sim, PACES, speed=0.25)


@show("person-directed")
def person_directed() -> LiveSource:
    """A person that goes where it is told: by the arrow keys, or by a click on the ground; it stands until then."""
    from gambol.models import person

    sim = person.walking_simulation(world=with_mouse_spring(person.walking_world()), standing=True)
    return directed(
        sim, {"stop": 0.0, "back": -0.06, "slow": 0.1, "walk": 0.31, "fast": 0.39, "run": 0.75}, strength=60.0
    )


def directed(sim: Any, paces: dict[str, float], **options: Any) -> LiveSource:
    """A simulation with a walk attached, under a director; `paces` are shares of its top speed."""
    own = Director(sim)
    pilot = Pilot(own)

    def share() -> float:
        return own.speed / own.steering.top_speed

    def pace(name: str) -> None:
        own.clear()
        own.speed = paces[name] * own.steering.top_speed

    def heading(value: float) -> None:
        own.clear()
        own.heading = float(value)

    told = [
        Parameter("pace", lambda: min(paces, key=lambda n: abs(paces[n] - share())), pace, choices=tuple(paces)),
        Parameter("heading", lambda: float(own.heading), heading, -3.2, 3.2, unit="rad"),
    ]
    return LiveSource(sim, parameters=told, pilot=pilot, **options)
