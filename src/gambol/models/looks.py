"""How people look: heads, hands, shoes and clothes over capsules and boxes. None of it weighs or touches anything."""

import math
from collections.abc import Sequence
from dataclasses import replace

from gambol.figure import Capsule, Ellipsoid, Part, Placement, Shape
from gambol.models.loft import Section, loft, rod

Colour = tuple[float, float, float]
LOOKS = "looks"  # the name of its parts
SKIN, HAIR, LIPS = (0.86, 0.66, 0.53), (0.27, 0.18, 0.13), (0.72, 0.42, 0.38)
WHITE, EYE = (0.95, 0.95, 0.93), (0.14, 0.12, 0.11)
# Sections of head and hair over the joint of the neck: height, middle forward, middle left, half depth, half width [m]
SKULL = (
    (-0.012, 0.052, 0.0, 0.022, 0.022),
    (0.000, 0.048, 0.0, 0.046, 0.044),
    (0.030, 0.034, 0.0, 0.074, 0.062),
    (0.070, 0.022, 0.0, 0.092, 0.071),
    (0.120, 0.014, 0.0, 0.100, 0.077),
    (0.165, 0.008, 0.0, 0.096, 0.075),
    (0.205, 0.004, 0.0, 0.072, 0.057),
    (0.222, 0.003, 0.0, 0.036, 0.028),
)
MANE = (
    (0.060, -0.040, 0.0, 0.034, 0.050),
    (0.085, -0.022, 0.0, 0.066, 0.074),
    (0.130, -0.006, 0.0, 0.088, 0.082),
    (0.168, 0.002, 0.0, 0.101, 0.081),
    (0.208, 0.003, 0.0, 0.080, 0.064),
    (0.230, 0.002, 0.0, 0.040, 0.032),
)


def look(shape: Shape, colour: Colour, place: Placement | None = None, *, finish: str = "cloth") -> Part:
    """A part for looks alone."""
    where = place or Placement.at(0.0, 0.0, 0.0)
    return Part(shape, where, name=LOOKS, colour=colour, finish=finish, inertial=False, colliding=False)


def dressed(parts: Sequence[Part], looks: Sequence[Part]) -> tuple[Part, ...]:
    """Parts of a body that are no longer seen themselves, and what is seen instead."""
    return (*(replace(part, visible=False) for part in parts), *looks)


def garment(sections: tuple[Section, ...], colour: Colour, *, square: float = 2.3, finish: str = "cloth") -> Part:
    """Cloth or skin around sections: height, middle forward, middle left, half depth, half width [m]."""
    return look(loft(sections, square=square), colour, finish=finish)


def limb(radii: Sequence[float], length: float, colour: Colour, *, finish: str = "skin") -> Part:
    """An arm or a leg down from its joint, so long, with these radii at even places [m]."""
    return look(rod(radii, -length), colour, finish=finish)


def head(rise: float = 0.0) -> list[Part]:
    """A head that looks forward, `rise` [m] above its frame: eyes, nose, mouth, ears, hair."""
    at = lambda x, y, z: Placement.at(x, y, z + rise)
    skin = lambda radii, place: look(Ellipsoid(radii), SKIN, place, finish="skin")
    parts = [
        look(loft(SKULL), SKIN, at(0.0, 0.0, 0.0), finish="skin"),
        look(loft(MANE), HAIR, at(0.0, 0.0, 0.0)),
        skin((0.017, 0.013, 0.022), at(0.116, 0.0, 0.078)),
        look(Ellipsoid((0.008, 0.022, 0.005)), LIPS, at(0.104, 0.0, 0.035), finish=""),
    ]
    for side in (1.0, -1.0):
        parts += [
            look(Ellipsoid((0.012, 0.013, 0.0075)), WHITE, at(0.103, 0.031 * side, 0.107), finish=""),
            look(Ellipsoid((0.005, 0.0068, 0.0066)), EYE, at(0.1125, 0.031 * side, 0.107), finish=""),
            look(Ellipsoid((0.010, 0.018, 0.004)), HAIR, at(0.106, 0.032 * side, 0.127)),
            skin((0.018, 0.007, 0.028), at(0.010, 0.077 * side, 0.090)),
        ]
    return parts


def hand(side: float) -> list[Part]:
    """A palm, four fingers a little bent, a thumb, down from the wrist; `side`: 1 left, -1 right."""
    palm = loft(((0.012, 0.0, 0.0, 0.020, 0.024), (-0.020, 0.002, 0.004 * side, 0.018, 0.034),
                 (-0.070, 0.004, 0.010 * side, 0.014, 0.041), (-0.100, 0.006, 0.012 * side, 0.010, 0.036)))  # fmt: skip
    parts = [look(palm, SKIN, finish="skin")]
    turn = Placement.euler(0.0, math.radians(-12.0), 0.0, (0.0, 0.0, 0.0))
    for k, long in enumerate((0.068, 0.078, 0.074, 0.058)):
        place = Placement.at(0.004 + 0.001 * k, side * (0.040 - 0.0195 * k), -0.098).compose(turn)
        bone = place.compose(Placement.at(0.0, 0.0, -0.5 * long))
        parts.append(look(Capsule(0.0085, long), SKIN, bone, finish="skin"))
    away = Placement.euler(math.radians(14.0) * side, math.radians(-26.0), 0.0)
    thumb = Placement.at(0.020, 0.030 * side, -0.052).compose(away)
    return [*parts, look(Capsule(0.0105, 0.050), SKIN, thumb, finish="skin")]


def fist(colour: Colour = SKIN, *, low: float = -0.065, size: float = 1.0, finish: str = "skin") -> list[Part]:
    """A closed hand, or a glove, its middle so low below the wrist [m]."""
    ball = Ellipsoid((0.037 * size, 0.033 * size, 0.046 * size))
    thumb = Placement.about((0.0, 1.0, 0.0), 0.6, (0.030 * size, 0.0, low + 0.020 * size))
    wrist = look(rod((0.024 * size, 0.026 * size), low), colour, finish=finish)
    return [wrist, look(ball, colour, Placement.at(0.0, 0.0, low), finish=finish),
            look(Capsule(0.012 * size, 0.030 * size), colour, thumb, finish=finish)]  # fmt: skip


def shoe(colour: Colour, low: float, *, finish: str = "rubber") -> list[Part]:
    """A shoe whose sole is so low below the ankle [m]."""
    rows = ((-0.068, 0.012, 0.010), (-0.062, 0.026, 0.024), (-0.030, 0.035, 0.038), (0.020, 0.037, 0.040),
            (0.080, 0.041, 0.028), (0.140, 0.042, 0.022), (0.175, 0.030, 0.017), (0.186, 0.012, 0.010))  # fmt: skip
    last = loft(tuple((x, 0.0, low + 1.02 * high, wide, high) for x, wide, high in rows), along="x", square=2.5)
    return [look(last, colour, finish=finish), look(Ellipsoid((0.040, 0.036, 0.046)), colour, finish=finish)]
