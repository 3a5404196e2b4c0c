"""The figures that come with Gambol on show, each in a world in which to poke it."""

from dataclasses import replace

import numpy as np

from gambol import Capsule, Figure, GroundContact, Part, Placement, Surface, World
from gambol.shows.registry import show
from gambol.view import LiveSource, Parameter, with_mouse_spring
from gambol.view.holding import held, posture, strings

STEEL = (0.50, 0.52, 0.55)


@show("acrobat")
def acrobat() -> LiveSource:
    """An acrobat of fifteen parts swings from a bar by one hand."""
    from gambol.models.high_bar import BAR, hang

    start = hang()
    bar = Part(
        Capsule(0.02, 2.0), Placement.about((1, 0, 0), 0.5 * np.pi, (0.0, 0.0, BAR)), colour=STEEL, finish="metal"
    )
    world = World(start.world.figures, start.world.gravity, start.world.forces)
    return LiveSource.of(world, q=start.q, props=[bar])


@show("person90")
def person90() -> LiveSource:
    """A person with every bone of the feet, 90 degrees of freedom, hung on strings by the pelvis."""
    from gambol.models import person90

    return held(person90())


@show("person142")
def person142() -> LiveSource:
    """The person with hands that bend, 142 degrees of freedom, hung on strings by the pelvis."""
    from gambol.models.person import person_hands

    return held(person_hands())


@show("person")
def person() -> LiveSource:
    """A person of 90 degrees of freedom stands on its feet and keeps its balance; push it gently."""
    from gambol.models.person import person90, person_world, stand
    from gambol.models.person import posture as standing_posture

    standing = stand(with_mouse_spring(person_world(person90())), standing_posture(wide=True))
    balance = standing.balance()
    tuned = balance.gains

    def scale(value: float) -> None:
        balance.gains = replace(tuned, position=value * tuned.position, speed=value * tuned.speed)

    standing.sim.attach(balance)
    gain = Parameter("balance", lambda: balance.gains.position / tuned.position, scale, 0.0, 1.5, unit="× tuned")
    return LiveSource(standing.sim, parameters=[gain], strength=40.0)


@show("hexapod30")
def hexapod30() -> LiveSource:
    """A six-legged robot, 30 degrees of freedom, stands on the ground."""
    from gambol.models import hexapod30
    from gambol.models.hexapod import stance

    figure = hexapod30(height=0.15)
    q = stance(figure)
    return LiveSource.of(World(figure, forces=[*posture(figure, q), *feet(figure)]), q=_lowered(figure, q))


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
def troupe() -> LiveSource:
    """An acrobat on a bar, a person and a robot, all in one world."""
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
    bar = Part(
        Capsule(0.02, 2.0), Placement.about((1, 0, 0), 0.5 * np.pi, (0.0, 0.0, BAR)), colour=STEEL, finish="metal"
    )
    q = np.concatenate([start.q, person.zero, _lowered(robot, stance(robot))])
    return LiveSource.of(World((hung, person, robot), forces=forces), q=q, props=[bar])


def _moved(figure: Figure, by: tuple[float, float, float]) -> Figure:
    root = figure.root
    place = Placement(tuple(np.add(root.placement.position, by)), root.placement.rotation)
    return figure.replace(root.name, placement=place)
