"""The tapping finger of Armstrong & Green 1985, section 5: five links in a row, moved by a spike on the tip.

    anchor ─ proximal ─ middle ─ distal ─ tip          along x at zero position; bending down is a turn about +y

The source gives proportions and times, not sizes. Chosen here, and why:

- A human finger: three visible links of 30 mm, 8 mm radius and 20 g each.
- The anchor has no length, 100 times the mass of a visible link and 100 times its largest moment about the centre.
- The tip has no length either. It has a quarter of a visible link's mass, and about every axis the largest moment of
  a visible link: with less, its hinge would set the step.
- The anchor is held by a force that grows with its distance, plus the weight of the figure (both supports of the
  source together). A force at a point cannot keep the anchor's orientation, and the finger's weight would turn even
  a heavy anchor over in a fraction of a second; so a torque holds its orientation too. It aims so far above the level
  that the finger's weight brings the anchor level.
- False inertia: about their long axis visible links get twice their largest moment, ten times the real one.
- Slopes and frictions fall towards the tip, as what each hinge carries does. They were searched for so that every
  mode of the step about the rest pose dies out, with δt = 0.01 s and ν = 1, 2, 4, by a factor e in about half a
  second, with a third in hand on the step. With ν = 8 the slow band comes every 0.08 s: small motions still die out,
  but after a few taps the run diverges. examples/finger.py prints these rates.
- Free play is in bending only. Free play in twist and sideways as well lets the bent finger fall over sideways to the
  edge of the zone, which is right, but not what a finger does.
- The zones lie about a slightly bent finger; gravity hangs each hinge beyond the lower edge of its zone.
"""

from dataclasses import replace

import numpy as np

from gambol.figure import Body, Capsule, Figure, Joint, Mass, Part, Placement
from gambol.hinge_recursion import (
    ConstantForce,
    FalseInertia,
    HingeSimulation,
    Spike,
    SpringSupport,
    TorqueFunction,
)

LENGTH, RADIUS, MASS = 0.03, 0.008, 0.02  # [m], [m], [kg] of a visible link
HEIGHT = 0.1  # of the anchor above the world's origin [m]
ANCHOR = 100.0  # mass and inertia of the anchor, in visible links
TIP_MASS = 0.25  # mass of the tip, in visible links
LONG_AXIS = 2.0  # false inertia: moment about the long axis, in parts of the largest
STEP, DURATION, PICTURE = 0.01, 8.0, 0.1  # [s], as in the source
SPIKE_START, SPIKE_PERIOD, SPIKE_TIME = 2.0, 2.0, 0.11  # [s], as in the source
SPIKE_FORCE = (0.0, 0.0, -0.25)  # [N]
VISIBLE = ("proximal", "middle", "distal")
LINKS = ("anchor", *VISIBLE, "tip")

# By axes x (twist), y (bend), z (sideways): slope [N·m/rad], centre and half width of the free play [rad]
BEND_ZONE = (0.0, 0.1, 0.0)
TORQUES = {
    "proximal": TorqueFunction((0.027, 0.077, 0.064), (0.0, -0.43, 0.0), BEND_ZONE),
    "middle": TorqueFunction((0.022, 0.023, 0.019), (0.0, -0.31, 0.0), BEND_ZONE),
    "distal": TorqueFunction((0.013, 0.0094, 0.009), (0.0, -0.16, 0.0), BEND_ZONE),
    "tip": TorqueFunction(0.0005),
}
FRICTION = {  # [N·m·s/rad]
    "proximal": (1.2e-4, 3.5e-4, 2.9e-4),
    "middle": (7.2e-5, 7.3e-5, 6.2e-5),
    "distal": (1.9e-5, 1.4e-5, 1.3e-5),
    "tip": 2.2e-5,
}
AIM = -0.32  # turn of the anchor about y that its hold aims at [rad]
HOLD = SpringSupport(
    "anchor",
    (0.0, 0.0, HEIGHT),
    stiffness=400.0,
    damping=30.0,
    turn_stiffness=0.09,
    turn_damping=0.007,
    target_turn=Placement.about((0.0, 1.0, 0.0), AIM).rotation,
)


def finger() -> Figure:
    """The skeleton: a free anchor, and four links on ball joints."""
    along = Placement.about((0.0, 1.0, 0.0), 0.5 * np.pi, (0.5 * LENGTH, 0.0, 0.0))  # a capsule's axis is z
    part = Part(Capsule(RADIUS, LENGTH), along, mass=MASS)
    moment = float(np.linalg.eigvalsh(part.mass_properties.tensor)[2])
    ball = Joint("ball")
    bodies = [_point("anchor", ANCHOR * MASS, ANCHOR * moment)]
    for name, before in zip(VISIBLE, LINKS):
        place = Placement() if before == "anchor" else Placement.at(LENGTH, 0.0, 0.0)
        bodies.append(Body(name, before, ball, place, (part,)))
    tip = _point("tip", TIP_MASS * MASS, moment)
    bodies.append(replace(tip, parent="distal", joint=ball, placement=Placement.at(LENGTH, 0.0, 0.0)))
    bodies[0] = replace(bodies[0], placement=Placement.at(0.0, 0.0, HEIGHT))
    return Figure("finger", tuple(bodies))


def tapping_finger(*, step: float = STEP, ratio: int = 1, tapping: bool = True, **options) -> HingeSimulation:
    """The whole experiment, ready to run: starts straight and at rest, settles, taps every two seconds.

    `options` override those of `HingeSimulation`.
    """
    figure = finger()
    weight = ConstantForce("anchor", (0.0, 0.0, 9.81 * figure.mass))
    spike = Spike("tip", SPIKE_FORCE, SPIKE_TIME, SPIKE_START, SPIKE_PERIOD)
    settings = dict(
        torque_functions=TORQUES,
        friction=FRICTION,
        external=(HOLD, weight, spike) if tapping else (HOLD, weight),
        false_inertia=FalseInertia(floor=LONG_AXIS),
    )
    return HingeSimulation(figure, step=step, ratio=ratio, **{**settings, **options})


def _point(name: str, mass: float, moment: float) -> Body:
    """A link without length: the same moment [kg·m²] about every axis."""
    return Body(name, joint=Joint("free"), mass=Mass(mass, inertia=(moment, moment, moment, 0.0, 0.0, 0.0)))
