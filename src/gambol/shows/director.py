"""Figures to be steered with the arrow keys or by a click on the ground: `gambol view director`."""

from typing import Any

import numpy as np

from gambol import Director, HybridRun, Stairs
from gambol.experiments.compliant_hexapod.trials import BATCH_STEPPING
from gambol.hybrid.models.compliant_hexapod import RHEX_CLOCK, CompliantHexapod
from gambol.shows.registry import show
from gambol.view import LiveSource, Parameter, with_mouse_spring
from gambol.view.hybrids import HybridSource
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


@show("person-seated")
def person_seated() -> LiveSource:
    """A person before a bench: told to, it sits down, squats, stands up; the arrow keys have it walk off."""
    from gambol.models import person

    bench = Stairs(start=-0.1, length=9.0, rise=-0.45, steps=1, level=0.45)
    world = with_mouse_spring(person.walking_world(seat=True, terrain=bench))
    source = directed(person.walking_simulation(world=world, standing=True), {"stop": 0.0, "walk": 0.31}, strength=60.0)
    own = source.pilot.director
    told = {"stand": own.rise, "squat": own.squat, "sit": own.sit}

    def posture(name: str) -> None:
        own.clear()
        told[name]()

    def now() -> str:
        sits, low = own.steering.walk.sits, own.steering.walk.crouch
        return "sit" if np.any(sits) else "squat" if np.any(low) else "stand"

    source.parameters.append(Parameter("posture", now, posture, choices=tuple(told)))
    return source


@show("hexapod-directed")
def hexapod_directed() -> HybridSource:
    """The compliant hexapod goes where it is told: by the arrow keys, or by a click on the ground."""
    run = HybridRun(CompliantHexapod(**RHEX_CLOCK), stepping=BATCH_STEPPING)
    own = Director(run)
    ranges = {"friction": (0.0, 2.0), "slope_y": (-0.3, 0.3)}
    return HybridSource(
        run,
        turned=tuple(ranges),
        ranges=ranges,
        parameters=orders(own, PACES),
        pilot=Pilot(own),
        speed=0.5,
        ground=float(run.system.p.ground),
        title="hexapod",
    )


def directed(sim: Any, paces: dict[str, float], **options: Any) -> LiveSource:
    """A simulation with a walk attached, under a director; `paces` are shares of its top speed."""
    own = Director(sim)
    return LiveSource(sim, parameters=orders(own, paces), pilot=Pilot(own), **options)


def orders(own: Director, paces: dict[str, float]) -> list[Parameter]:
    """Pace and heading of whoever is directed, for the panel."""

    def share() -> float:
        return own.speed / own.steering.top_speed

    def pace(name: str) -> None:
        own.clear()
        own.speed = paces[name] * own.steering.top_speed

    def heading(value: float) -> None:
        own.clear()
        own.heading = float(value)

    return [
        Parameter("pace", lambda: min(paces, key=lambda n: abs(paces[n] - share())), pace, choices=tuple(paces)),
        Parameter("heading", lambda: float(own.heading), heading, -3.2, 3.2, unit="rad"),
    ]
