"""The figures that come with Gambol on show, each in a world in which to poke it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gambol.figure import Capsule, Figure, Part, Placement
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.shows.registry import show
from gambol.view.hand import with_hand
from gambol.view.holding import held, posture, strings
from gambol.view.parameters import Parameter
from gambol.view.source import Live
from gambol.world.world import World


@show("acrobat")
def acrobat() -> Live:
    """On the high bar."""

    from gambol.models.high_bar import BAR, hang

    start = hang()
    bar = Part(Capsule(0.02, 2.0), Placement.about((1, 0, 0), 0.5 * np.pi, (0.0, 0.0, BAR)), colour=(0.35, 0.37, 0.40))
    world = World(start.world.figures, start.world.gravity, start.world.forces)
    return Live.of(world, q=start.q, props=[bar])


@show("person90")
def person90() -> Live:
    """Hung on strings."""

    from gambol.models import person90

    return held(person90())


@show("person142")
def person142() -> Live:
    """The person with hands, hung on strings."""

    from gambol.models.person import person_hands

    return held(person_hands())


@show("person")
def person() -> Live:
    """Standing under feedback."""

    from gambol.models.person import person90, person_world, stand
    from gambol.models.person import posture as standing_posture

    standing = stand(with_hand(person_world(person90())), standing_posture(wide=True))
    return Live(standing.sim, control=Balancing(standing), strength=40.0)


class Balancing:
    """The feedback of a standing person, asked a hundred times a second; `trust` scales it."""

    period = 0.01

    def __init__(self, standing: Any):
        self.balance = standing.balance()
        self.full, self.trust = self.balance.gains, 1.0
        self.balance.start(standing.sim, self._note)
        self.parameters = [Parameter("balance", lambda: self.trust, self._rely, 0.0, 1.5, unit="× tuned")]

    def __call__(self, sim: Any) -> None:
        self.balance.act(sim, self._note)

    def _note(self, name: str) -> None:
        """Balance notes nothing."""

    def _rely(self, trust: float) -> None:
        self.trust = float(trust)
        gains = self.full
        self.balance.gains = replace(gains, position=trust * gains.position, speed=trust * gains.speed)


@show("hexapod30")
def hexapod30() -> Live:
    """The robot on its feet."""

    from gambol.models import hexapod30
    from gambol.models.hexapod import stance

    figure = hexapod30(height=0.15)
    q = stance(figure)
    return Live.of(World(figure, forces=[*posture(figure, q), *feet(figure)]), q=_lowered(figure, q))


def feet(figure: Figure) -> list[GroundContact]:
    """The tips of the robot's legs on the ground."""
    from gambol.models.hexapod import SEGMENTS

    length, radius = SEGMENTS["tarsus"][:2]
    surface = Surface.bearing(9.81 * figure.mass, points=6, sinkage=1e-3)
    tips = [body.name for body in figure.bodies if body.name.endswith("tarsus")]
    return [
        GroundContact(
            name=name,
            line="ground",
            body=f"{figure.name}/{name}",
            points=[(length - 0.5 * radius, 0.0, 0.0)],
            radius=radius,
            surface=surface,
        )
        for name in tips
    ]


def _lowered(figure: Figure, q: list[float]) -> list[float]:
    """The same pose, put down so that the lowest tip touches."""
    from gambol.models.hexapod import SEGMENTS

    length, radius = SEGMENTS["tarsus"][:2]
    poses = figure.poses(q)
    low = min(poses[b.name].apply((length - 0.5 * radius, 0.0, 0.0))[2] for b in figure.bodies if "tarsus" in b.name)
    moved = list(q)
    moved[figure.position_slices[figure.root.name].start + 2] -= low - radius
    return moved


@show("troupe")
def troupe() -> Live:
    """Three figures in one world."""

    from gambol.models import hexapod30, person90
    from gambol.models.hexapod import stance
    from gambol.models.high_bar import BAR, hang

    start = hang()
    hung = start.world.layout.figures[0]
    person = _moved(person90(), (0.0, 2.2, 0.0))
    robot = _moved(hexapod30(height=0.18), (0.0, -1.6, 0.0))
    forces = [
        *start.world.forces,
        *posture(person),
        *strings(person),
        *posture(robot, stance(robot)),
        *feet(robot),
    ]
    bar = Part(Capsule(0.02, 2.0), Placement.about((1, 0, 0), 0.5 * np.pi, (0.0, 0.0, BAR)), colour=(0.35, 0.37, 0.40))
    q = np.concatenate([start.q, person.zero, _lowered(robot, stance(robot))])
    return Live.of(World((hung, person, robot), forces=forces), q=q, props=[bar])


def _moved(figure: Figure, by: tuple[float, float, float]) -> Figure:
    root = figure.root
    place = Placement(tuple(np.add(root.placement.position, by)), root.placement.rotation)
    return figure.replace(root.name, placement=place)
