"""A six-legged walking robot the size of a shoe box: a free trunk and six legs of four hinges, 30 DOF.

    trunk ─ coxa (z: swings fore and aft) ─ femur (lifts) ─ tibia (bends) ─ tarsus (bends)

Sizes are those of small servo-driven robots: 0.32 m long, 2.9 kg. Legs stand at ±60°, ±90° and ±120° from forward.
Nothing is tuned and no joint has springs: it is a plain tree for measurements and first experiments.
"""

import math

from gambol.figure import Body, Box, Capsule, Figure, Joint, Part, Placement

TRUNK = (0.32, 0.14, 0.06)  # [m]
TRUNK_MASS = 1.5  # [kg]
# name: length [m], radius [m], mass [kg], axis
SEGMENTS = {
    "coxa": (0.045, 0.016, 0.07, (0.0, 0.0, 1.0)),
    "femur": (0.085, 0.014, 0.08, (0.0, 1.0, 0.0)),
    "tibia": (0.100, 0.011, 0.06, (0.0, 1.0, 0.0)),
    "tarsus": (0.045, 0.008, 0.02, (0.0, 1.0, 0.0)),
}
HIPS = {"front": (0.13, 60.0), "middle": (0.0, 90.0), "hind": (-0.13, 120.0)}  # x [m], heading of the leg [°]
ORANGE, GREY, DARK = (0.90, 0.55, 0.20), (0.62, 0.65, 0.70), (0.30, 0.33, 0.38)
COLOURS = {"coxa": DARK, "femur": ORANGE, "tibia": GREY, "tarsus": DARK}
FINISHES = {"coxa": "metal", "tibia": "metal", "tarsus": "rubber"}  # the others are painted


def hexapod30(*, height: float = 0.12, root: str = "free") -> Figure:
    """The robot with its trunk's centre at `height` [m]; at zero position its legs stretch out level.

    30 degrees of freedom with the free root, 25 bodies, 2.88 kg.
    """
    shell = Part(Box(TRUNK), mass=TRUNK_MASS, colour=ORANGE)
    window = Placement.at(0.5 * TRUNK[0], 0.0, 0.008)
    visor = Part(Box((0.008, 0.09, 0.022)), window, inertial=False, colliding=False, colour=DARK, name="visor")
    bodies = [Body("trunk", joint=Joint(root), placement=Placement.at(0.0, 0.0, height), parts=(shell, visor))]
    for side, sign in (("l", 1.0), ("r", -1.0)):
        for pair, (x, heading) in HIPS.items():
            hip = Placement.about((0, 0, 1), sign * math.radians(heading), (x, sign * 0.5 * TRUNK[1], 0.0))
            bodies += _leg(f"{side}_{pair}", hip)
    return Figure("hexapod30", tuple(bodies))


def _leg(name: str, hip: Placement) -> list[Body]:
    """Four segments in a row; each body's x axis points along the leg."""
    made: list[Body] = []
    place, parent = hip, "trunk"
    for segment, (length, radius, mass, axis) in SEGMENTS.items():
        along = Placement.about((0, 1, 0), 0.5 * math.pi, (0.5 * length, 0.0, 0.0))  # a capsule's axis is z
        colour, finish = COLOURS[segment], FINISHES.get(segment, "")
        part = Part(Capsule(radius, length - radius), along, mass=mass, colour=colour, finish=finish)
        body = Body(f"{name}_{segment}", parent, Joint("hinge", axis), place, (part,))
        made.append(body)
        place, parent = Placement.at(length, 0.0, 0.0), body.name
    return made


def stance(figure: Figure) -> list[float]:
    """Positions in which it stands on bent legs, femurs up and tarsi down."""
    q = list(figure.zero)
    for body in figure.order:
        angle = {"femur": -0.5, "tibia": 1.5, "tarsus": 0.4}.get(body.name.rsplit("_", 1)[-1], 0.0)
        if angle:
            q[figure.position_slices[body.name].start] = angle
    return q
