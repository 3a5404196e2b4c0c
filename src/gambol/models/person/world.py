"""The person in a world: ground under every vertex of its skin, springs, dampers and limits at its joints.

Springs are called like their joints ("l_shank"), limits "l_shank limit", contacts "l_metat1 contact", and the force on
the trunk "push" (nothing until it is set).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gambol.figure import Box, Figure, Hull
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.forces.contact.terrain import Terrain
from gambol.forces.element import Element
from gambol.forces.exponential_spring import ExponentialSpring
from gambol.forces.joint_limit import JointLimit
from gambol.forces.point_force import PointForce
from gambol.models.person.figure import HEIGHT, MASS, person90
from gambol.models.person.layers import SIMPLE, corners
from gambol.models.person.tables import JointRow, is_foot_bone, joint_table
from gambol.stepping.options import Stepping
from gambol.world.world import World

GRAVITY = 9.81  # [m/s²]
PUSH = "push"
CHEST = (0.0, 0.0, 0.05)  # where the trunk is pushed [m, its frame]
WEAK = 1e-9  # of a spring that is off; it can be ramped up again
BEVEL = 0.05  # share of a side that a bevel takes
STEPPING = Stepping(method="implicit-pair", eps=1e-2, length=0.1, time=0.01, max_step=0.02)
"""The longest step is short: long implicit steps would hide a slow fall."""
REGIONS = {
    "heel": ("hindfoot", "talus"),
    "midfoot": ("nav", "cuboid"),
    "ball": ("metat",),
    "big toe": ("phal1", "toe1"),
    "toes": ("phal", "toe"),
}
"""Parts of a foot's sole by what the names of its bodies hold; the first that fits counts."""


def ground(**changes: float | str) -> Surface:
    """The source's ground: 100 N, 100 1/m, damper 100 N·s/m; friction a damper of 100 N·s/m up to the normal force.

    The damper grows in over 0.1 mm of depth, where the source's jumps.
    """
    surface = Surface(strength=100.0, rise=100.0, damping=100.0, friction=1.0, law="damper", grip=100.0, ramp=1e-4)
    return replace(surface, **changes)  # type: ignore[arg-type]


def joint_springs(
    figure: Figure,
    *,
    rest: Mapping[str, float] | None = None,
    parameters: str = "table",
    passive: bool = False,
    stiffer: Mapping[str, float] | None = None,
    effort: float = 1.0,
    pace: float = 1.0,
) -> list[Element]:
    """An exponential spring and damper at every joint that the table knows.

    rest        rest angles [rad]; default: as printed
    passive     only dampers at the large joints; the feet keep their springs
    stiffer     factors of the strength of joints whose name holds a word: {"talus": 1.5}
    effort      factor of all torques; pace: of all times
    """
    springs: list[Element] = []
    for row in _rows(figure):
        spring = row.spring(parameters)
        off = passive and row.stop is not None
        factor = _factor(row.name, stiffer or {})
        springs.append(
            ExponentialSpring(
                name=row.name,
                joint=row.name,
                strength=WEAK if off else spring.strength * effort * factor,
                rise=spring.rise,
                damping=spring.damping * effort * pace,
                rest=(rest or {}).get(row.name, row.rest),
                line="joints",
            )
        )
    return springs


def _factor(name: str, stiffer: Mapping[str, float]) -> float:
    factor = 1.0
    for word, own in stiffer.items():
        if is_foot_bone(name) if word == "foot" else word in name:
            factor *= own
    return factor


def joint_limits(figure: Figure, *, effort: float = 1.0, pace: float = 1.0) -> list[Element]:
    """The exponential limits of the large joints."""
    return [
        JointLimit(
            name=f"{row.name} limit",
            joint=row.name,
            lower=row.stop.lower,
            upper=row.stop.upper,
            strength=row.stop.strength * effort,
            rise=row.stop.rise,
            damping=row.stop.damping * effort * pace,
            line="limits",
        )
        for row in _rows(figure)
        if row.stop is not None
    ]


def _rows(figure: Figure) -> list[JointRow]:
    free = {body.name for body in figure.bodies if body.parent and body.joint.speeds and not body.joint.driven}
    return [row for name, row in joint_table().items() if name in free]


def contacts(figure: Figure, surface: Surface, *, bevel: float = 0.0, feet_only: bool = False) -> list[Element]:
    """Every vertex of the simple skin against the ground; parts welded to a body are contacts of their own."""
    found: list[Element] = []
    for body in figure.bodies:
        parts = [
            p for p in body.parts if p.name in (SIMPLE, "block") and p.colliding and isinstance(p.shape, Box | Hull)
        ]
        for k, part in enumerate(parts):
            points = corners(part, bevel=bevel if isinstance(part.shape, Box) else 0.0)
            name = f"{body.name} contact" if k == 0 else f"{body.name} contact {k}"
            if feet_only and not _of_foot(body.name):
                continue
            own = tuple(map(tuple, points))
            found.append(GroundContact(name=name, body=body.name, points=own, surface=surface, line="ground"))
    return found


def _of_foot(name: str) -> bool:
    return is_foot_bone(name) or name.endswith(("hindfoot", "talus", "foot"))


def person_world(
    figure: Figure | None = None,
    *,
    rest: Mapping[str, float] | None = None,
    parameters: str = "table",
    passive: bool = False,
    stiffer: Mapping[str, float] | None = None,
    limits: bool = True,
    surface: Surface | None = None,
    bevel: float = 0.0,
    grounded: bool = True,
    gravity: float = GRAVITY,
    forces: Sequence[Element] = (),
    others: Sequence[Figure] = (),
    terrain: Terrain | None = None,
    height: float = HEIGHT,
    mass: float = MASS,
) -> World:
    """A person (person90 or one of its versions) over the ground, with springs, dampers and limits at its joints.

    rest, parameters, passive, stiffer   see joint_springs
    bevel       share of each side that is cut off the edges of contact boxes (0: 8 vertices a box, else 24)
    grounded    is there a ground
    height, mass   of the person [m], [kg]: springs and ground are scaled with them; a figure that is given must have
                   been made with the same
    """
    own = figure or person90(height=height, mass=mass)
    heavy, long = mass / MASS, height / HEIGHT
    scale = dict(effort=heavy * long, pace=long**0.5)
    made: list[Element] = joint_springs(
        own, rest=rest, parameters=parameters, passive=passive, stiffer=stiffer, **scale
    )
    if limits:
        made += joint_limits(own, **scale)
    if grounded:
        floor = surface or ground(scale=heavy, rise=100.0 / long, damping=100.0 * long**-0.5, grip=100.0 * long**-0.5)
        made += contacts(own, floor, bevel=bevel)
    made.append(PointForce(name=PUSH, body=own.root.name, point=CHEST, line="pushes"))
    return World((own, *others), (0.0, 0.0, -gravity), [*made, *forces], terrain=terrain or Terrain())


def region_of(body: str) -> str | None:
    """Which part of a sole a body is, or None."""
    return next((region for region, words in REGIONS.items() if any(word in body for word in words)), None)


def lowest_point(
    figure: Figure, q: np.ndarray, *, terrain: Terrain | None = None, of: Callable[[str], bool] | None = None
) -> float:
    """Height of the lowest vertex of the simple skin over the ground (z = 0, or a terrain) [m]; of some bodies."""
    poses = figure.poses(q)
    lowest = np.inf
    for body in figure.bodies:
        if of is not None and not of(body.name):
            continue
        for part in body.parts:
            if part.name in (SIMPLE, "block") and part.colliding and isinstance(part.shape, Box | Hull):
                points = corners(part)
                pose = poses[body.name]
                places = points @ np.asarray(pose.matrix).T + np.asarray(pose.position)
                below = np.zeros(len(places))
                if terrain is not None:
                    below = np.array([terrain.height(float(x), float(y)) for x, y, _ in places])
                lowest = min(lowest, float((places[:, 2] - below).min()))
    return lowest
