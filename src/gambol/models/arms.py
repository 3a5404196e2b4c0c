"""Arms and legs fixed at their root, for the study of control."""

import math
from dataclasses import replace

import numpy as np

from gambol.figure import Body, Capsule, Figure, Joint, Mass, Part, Placement
from gambol.models.roach import roach

Z = (0.0, 0.0, 1.0)


Pair = tuple[float, float]


def two_link_arm(
    *, mass: Pair, length: Pair, centre: Pair, moment: Pair, offset: float = 0.0, name: str = "arm"
) -> Figure:
    """A planar arm in the plane z = 0, turning about z; straight along x at zero.

    mass [kg], length [m], centre [m] from the joint, moment [kg·m²] about the centre, of the upper arm and the forearm;
    the forearm's centre lies off its line by the angle `offset` [rad].
    """
    second = (centre[1] * math.cos(offset), centre[1] * math.sin(offset), 0.0)
    places = [(centre[0], 0.0, 0.0), second]
    masses = [Mass.from_tensor(m, c, np.diag([0.5 * i, 0.6 * i, i])) for m, c, i in zip(mass, places, moment)]
    shapes = [
        Part(Capsule(0.04 * l, 0.92 * l), Placement.about((0.0, 1.0, 0.0), 0.5 * math.pi, (0.5 * l, 0.0, 0.0)))
        for l in length
    ]
    upper = Body("upper", joint=Joint("hinge", Z), parts=(shapes[0],), mass=masses[0])
    lower = Body("lower", "upper", Joint("hinge", Z), Placement((length[0], 0.0, 0.0)), (shapes[1],), masses[1])
    return Figure(name, (upper, lower))


def slotine_li_arm() -> Figure:
    """The arm of Slotine and Li's example 9.1: heavy, with a load held firmly."""
    mass, length, centre, moment = (1.0, 2.0), (1.0, 1.2), (0.5, 0.6), (0.12, 0.25)
    turn = -math.pi / 6
    return two_link_arm(mass=mass, length=length, centre=centre, moment=moment, offset=turn, name="slotine_li")


def uno_arm() -> Figure:
    """The arm of Uno et al. 1989, about that of a person; the numbers are recalled, not verified."""
    mass, centre, joint = (0.9, 1.1), (0.11, 0.15), (0.065, 0.1)
    moment = (joint[0] - mass[0] * centre[0] ** 2, joint[1] - mass[1] * centre[1] ** 2)
    return two_link_arm(mass=mass, length=(0.25, 0.35), centre=centre, moment=moment, name="uno")


def two_link_parameters(figure: Figure) -> np.ndarray:
    """(a1, a2, a3, a4) of a two-link arm [kg·m²]; a4 > 0 where the forearm's centre lies on the side of −y."""
    upper, lower = figure.bodies
    I1 = float(upper.mass_properties.tensor_about((0.0, 0.0, 0.0))[2, 2])
    I2 = float(lower.mass_properties.tensor_about((0.0, 0.0, 0.0))[2, 2])
    m, l = lower.mass_properties, lower.placement.position[0]
    return np.array([I1 + I2 + m.mass * l**2, I2, m.mass * l * m.centre[0], -m.mass * l * m.centre[1]])


def six_link_arm() -> Figure:
    """A spatial arm of six hinges (shoulder three, elbow, wrist two), about the size of a person's."""
    rows = [  # name, axis, length of the link along −z [m], mass [kg], radius [m]
        ("shoulder_yaw", (0.0, 0.0, 1.0), 0.08, 1.0, 0.05),
        ("shoulder_pitch", (0.0, 1.0, 0.0), 0.06, 0.8, 0.05),
        ("upper", (1.0, 0.0, 0.0), 0.30, 2.0, 0.045),
        ("forearm", (0.0, 1.0, 0.0), 0.26, 1.2, 0.04),
        ("wrist", (0.0, 0.0, 1.0), 0.06, 0.3, 0.03),
        ("hand", (1.0, 0.0, 0.0), 0.18, 0.4, 0.03),
    ]
    bodies, before, drop = [], None, 0.0
    for name, axis, length, mass, radius in rows:
        shape = Part(Capsule(radius, length), Placement((0.0, 0.0, -0.5 * length)), mass=mass)
        bodies.append(Body(name, before, Joint("hinge", axis), Placement((0.0, 0.0, -drop)), (shape,)))
        before, drop = name, length
    return Figure("six_link", tuple(bodies))


def roach_leg(leg: str = "leg_fl") -> Figure:
    """One leg of the roach with its coxa fixed in the world, its hinges without springs."""
    bodies = [b for b in roach().order if b.name.startswith(leg)]
    root = replace(bodies[0], parent=None)
    return Figure(leg, (root, *bodies[1:]))
