"""What `gambol view NAME` can show live: the figures that come with Gambol, each in a world in which to poke it.

@show("hop", "A hopper on springs")
def hop() -> Live: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gambol.errors import nearest
from gambol.figure import Capsule, Figure, Part, Placement
from gambol.forces.anchor import Anchor
from gambol.forces.ball_spring import BallSpring
from gambol.forces.element import Element
from gambol.forces.ground_contact import GroundContact
from gambol.forces.joint_spring import JointSpring
from gambol.forces.surface import Surface
from gambol.view.hand import with_hand
from gambol.view.motion import ViewError
from gambol.view.parameters import Parameter
from gambol.view.source import Live
from gambol.world.world import World

SAG = 0.01  # by how much of its size the figure's weight stretches the strings that hold it
YIELD = 0.08  # [rad or m per m] by which the weight beyond a joint bends its posture spring
SETTLING = 0.15  # [s] damping over stiffness of posture springs and strings


@dataclass(frozen=True)
class Show:
    """A name, what it is, and how it is made."""

    name: str
    about: str
    make: Callable[[], Live]


SHOWS: dict[str, Show] = {}


def show(name: str, about: str) -> Callable[[Callable[[], Live]], Callable[[], Live]]:
    """Marks a function that makes a live source."""

    def mark(make: Callable[[], Live]) -> Callable[[], Live]:
        SHOWS[name] = Show(name, about, make)
        return make

    return mark


def find_show(name: str) -> Show:
    """The show of that name, or an error that names the nearest."""
    if name not in SHOWS:
        raise ViewError(f"there is no file and no show called {name!r}{nearest(name, SHOWS)}")
    return SHOWS[name]


def strings(figure: Figure, q: Any = None) -> list[Anchor]:
    """Three strings that hold the free root of a figure where it is, upright; none for a root that is not free."""
    root = figure.root
    if root.joint.type != "free":
        return []
    pose = figure.poses(q)[root.name]
    size = max(World(figure).size, 1e-6)
    stiffness = 9.81 * figure.mass / (3.0 * SAG * size)
    made = []
    for k, angle in enumerate(2.0 * np.pi * np.arange(3) / 3.0):
        point = (0.3 * size * np.cos(angle), 0.3 * size * np.sin(angle), 0.0)
        made.append(
            Anchor(
                name=f"{figure.name} string {k}",
                line="strings",
                body=f"{figure.name}/{root.name}",
                point=point,
                place=pose.apply(point),
                stiffness=stiffness,
                damping=SETTLING * stiffness,
            )
        )
    return made


def posture(figure: Figure, q: Any = None) -> list[Element]:
    """Springs that hold every hinge, slide and ball at its place in `q`, strong enough for the weight beyond it."""
    positions = np.asarray(figure.zero if q is None else q, float)
    made: list[Element] = []
    for body in figure.order:
        if body.joint.stiffness or body.joint.driven:
            continue
        reach = max(_reach(figure, body.name), 1e-3)
        stiffness = 9.81 * figure.distal_mass(body.name) * reach / YIELD
        joint, damping = f"{figure.name}/{body.name}", SETTLING * stiffness
        if body.joint.type == "ball":
            made.append(BallSpring(joint=joint, line="posture", stiffness=stiffness, damping=damping))
        elif body.joint.type in ("hinge", "slide"):
            rest = float(positions[figure.position_slices[body.name].start])
            made.append(JointSpring(joint=joint, line="posture", rest=rest, stiffness=stiffness, damping=damping))
    return made


def _reach(figure: Figure, name: str) -> float:
    """How far from a joint the mass beyond it is [m]."""
    poses = figure.poses()
    origin = np.asarray(poses[name].position)
    beyond = (figure[name], *figure.descendants(name))
    return max(
        float(np.linalg.norm(np.subtract(poses[b.name].apply(b.mass_properties.centre), origin))) for b in beyond
    )


def held(figure: Figure, q: Any = None, *, ground: float | None = 0.0) -> Live:
    """A figure that holds its posture, hung on strings by its root."""
    world = World(figure, forces=[*posture(figure, q), *strings(figure, q)])
    return Live.of(world, q=q, ground=ground)


@show("acrobat", "an acrobat of fifteen parts swings from a bar by one hand")
def acrobat() -> Live:
    from gambol.models.high_bar import BAR, hang

    start = hang()
    bar = Part(Capsule(0.02, 2.0), Placement.about((1, 0, 0), 0.5 * np.pi, (0.0, 0.0, BAR)), colour=(0.35, 0.37, 0.40))
    world = World(start.world.figures, start.world.gravity, start.world.forces)
    return Live.of(world, q=start.q, props=[bar])


@show("person90", "a person with every bone of the feet, 90 degrees of freedom, hung on strings by the pelvis")
def person90() -> Live:
    from gambol.models import person90

    return held(person90())


@show("person", "a person of 90 degrees of freedom stands on its feet and keeps its balance; push it gently")
def person() -> Live:
    from gambol.models.person import person90
    from gambol.models.person_posture import posture as standing_posture
    from gambol.models.person_posture import stand
    from gambol.models.person_world import person_world

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


@show("hexapod30", "a six-legged robot, 30 degrees of freedom, stands on the ground")
def hexapod30() -> Live:
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


@show("troupe", "an acrobat on a bar, a person and a robot, all in one world")
def troupe() -> Live:
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


@show("roach", "the roach of 1990 walks by pacemakers; change its gait")
def roach() -> Live:
    return _walking_roach({})


@show("roach-sticky", "the roach with feet that stick")
def roach_sticky() -> Live:
    from gambol.models.roach import STICKY, STICKY_FRICTION

    return _walking_roach({"sticky": STICKY, "friction": STICKY_FRICTION})


@show("roach-rough", "the roach on rough ground")
def roach_rough() -> Live:
    from gambol.forces.terrain import Rough

    return _walking_roach({"terrain": Rough(amplitude=1.2e-3, length=0.05)})


SHOWS["roach-tripod"] = SHOWS["roach"]
SETTLED = 0.3125  # [s] to come to rest on its feet before it walks; a multiple of the time between moments
GAITS = {"tripod": 0.1, "quick wave": 0.2, "wave": 0.3, "slow wave": 0.6}  # cycle of the pacemakers [s]


def _walking_roach(options: dict[str, Any]) -> Live:
    from gambol.control.gait import PacemakerGait
    from gambol.control.walker import Walker
    from gambol.models.roach import (
        STEP_TIME,
        STEPPING_LENGTH,
        STEPPING_TIME,
        legs,
        roach_world,
        standing_positions,
    )
    from gambol.stepping.options import Stepping
    from gambol.world.simulation import Simulation

    stepping = Stepping(method="implicit-pair", eps=1e-2, length=STEPPING_LENGTH, time=STEPPING_TIME)
    sim = Simulation(with_hand(roach_world(**options)), stepping=stepping, ledger=False)
    sim.reset(standing_positions())
    sim.run(SETTLED)
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=2 * STEP_TIME)
    gait.reset(2 * STEP_TIME, time=float(sim.time))
    walker = Walker(sim, gait)
    return Live(sim, driver=walker, speed=0.1, parameters=gait_parameters(walker))


def gait_parameters(walker: Any) -> list[Parameter]:
    """Gait, cycle time and turning of a walker."""
    gait = walker.gait

    def cycle() -> float:
        return float(gait.now.cycle[0])

    def name() -> str:
        return min(GAITS, key=lambda g: abs(GAITS[g] - cycle()))

    def steer(value: float) -> None:
        walker.steer = float(value)

    return [
        Parameter("gait", name, lambda g: gait.set_cycle(GAITS[g]), choices=tuple(GAITS)),
        Parameter("cycle", cycle, gait.set_cycle, 2 * gait.step_time, 1.0, unit="s"),
        Parameter("turn right", lambda: walker.steer, steer, -0.6, 0.6),
    ]


def _moved(figure: Figure, by: tuple[float, float, float]) -> Figure:
    root = figure.root
    place = Placement(tuple(np.add(root.placement.position, by)), root.placement.rotation)
    return figure.replace(root.name, placement=place)
