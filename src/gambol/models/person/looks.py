"""How the person looks: a display skin over the blocks of its bones. None of it weighs or touches anything."""

import re
from collections.abc import Callable

from gambol.figure import Ellipsoid, Part, Placement, Shape
from gambol.models.loft import loft, rod
from gambol.models.looks import SKIN, hand, head, look

SHIRT, TROUSERS, IVORY = (0.24, 0.47, 0.68), (0.27, 0.29, 0.37), (0.90, 0.87, 0.78)
SHOE, SOLE, SOCK = (0.20, 0.21, 0.24), (0.86, 0.85, 0.82), (0.80, 0.80, 0.78)


def display(row: dict[str, str], bone: Callable[[tuple[float, float, float]], Placement]) -> list[Part]:
    """The skin of a body of the table; `bone`: where a block of this size [m] lies in its frame."""
    name, shape = row["body"], row["shape"]
    numbers = [float(text) for text in re.findall(r"\d+\.\d+", row["dimensions_m"])]
    centre = (float(row["centre_x_m"]), float(row["centre_y_m"]), float(row["centre_z_m"]))
    if name == "abdomen":
        return [_look(loft(CHEST, square=2.35), SHIRT), _look(loft(THROAT), SKIN)]
    if name == "head3":
        return head()
    if name == "pelvis3":
        return [_look(loft(HIPS, square=2.3), TROUSERS)]
    if shape == "tapered cylinder":
        upper, lower, length = numbers
        aside = centre[1] * length / -centre[2]
        return [_look(rod(_limb(name, upper, lower), -length, lean=(0.0, aside)), colour_of(name))]
    if "hand" in name and shape == "box":
        return hand(1.0 if name.startswith("l_") else -1.0)
    if shape == "box":
        size = (numbers[0], numbers[1], numbers[2])
        return _shoe(name, size, bone(size))
    return []


# Sections of the skin: height, middle forward, middle left, half depth, half width [m, body frame]
CHEST = (
    (-0.215, 0.002, 0.0, 0.060, 0.090),
    (-0.205, 0.002, 0.0, 0.098, 0.137),
    (-0.150, 0.000, 0.0, 0.102, 0.141),
    (-0.060, 0.004, 0.0, 0.108, 0.150),
    (0.050, 0.012, 0.0, 0.121, 0.170),
    (0.130, 0.008, 0.0, 0.112, 0.186),
    (0.180, -0.004, 0.0, 0.092, 0.198),
    (0.208, -0.008, 0.0, 0.076, 0.196),
    (0.226, -0.010, 0.0, 0.062, 0.168),
    (0.240, -0.011, 0.0, 0.052, 0.105),
    (0.248, -0.011, 0.0, 0.036, 0.056),
)
THROAT = (
    (0.215, -0.012, 0.0, 0.050, 0.052),
    (0.260, -0.008, 0.0, 0.049, 0.050),
    (0.315, 0.002, 0.0, 0.050, 0.049),
    (0.350, 0.006, 0.0, 0.040, 0.040),
)
HIPS = (
    (0.030, 0.022, 0.0, 0.060, 0.090),
    (0.022, 0.022, 0.0, 0.094, 0.133),
    (-0.020, 0.022, 0.0, 0.104, 0.146),
    (-0.090, 0.026, 0.0, 0.117, 0.166),
    (-0.160, 0.032, 0.0, 0.120, 0.176),
    (-0.215, 0.044, 0.0, 0.102, 0.168),
    (-0.250, 0.050, 0.0, 0.060, 0.110),
)


# Pieces of a left shoe by the bone they are on: its joint at rest [m], and rows: way forward, middle to the left, half
# width, height [m]; each runs into the next, so that the shoe bends where the foot does
SHOE_PIECES = {
    "hindfoot": ((0.0375, 0.090, 0.054), (
        (-0.036, 0.095, 0.008, 0.030), (-0.031, 0.095, 0.024, 0.058), (-0.006, 0.095, 0.033, 0.078),
        (0.040, 0.096, 0.038, 0.080), (0.085, 0.101, 0.044, 0.066), (0.110, 0.104, 0.030, 0.044),
    )),
    "metat3": ((0.0695, 0.101, 0.057), (
        (0.060, 0.098, 0.026, 0.050), (0.080, 0.100, 0.044, 0.066), (0.120, 0.105, 0.049, 0.054),
        (0.150, 0.108, 0.050, 0.046), (0.166, 0.109, 0.036, 0.032),
    )),
    "phal3.2": ((0.1483, 0.1148, 0.0203), (
        (0.134, 0.108, 0.034, 0.030), (0.150, 0.108, 0.050, 0.044), (0.200, 0.106, 0.050, 0.038),
        (0.230, 0.101, 0.042, 0.032), (0.248, 0.095, 0.028, 0.024), (0.255, 0.093, 0.010, 0.014),
    )),
}  # fmt: skip
WELT = 0.010  # height of the sole [m]


def _look(shape: Shape, colour: tuple[float, float, float], place: Placement | None = None) -> Part:
    finish = {SKIN: "skin", SHIRT: "cloth", TROUSERS: "cloth", SHOE: "rubber"}.get(colour, "")
    return look(shape, colour, place, finish=finish)


def _limb(name: str, upper: float, lower: float) -> tuple[float, ...]:
    """Radii of a limb from joint to joint: a calf has its belly high up, a thigh and an arm are fullest at the top."""
    shares = (0.86, 1.14, 1.08, 0.62, 0.0) if "shank" in name else (0.72, 1.00, 0.84, 0.42, 0.0)
    return tuple(lower + share * (upper - lower) for share in shares)


def _shoe(name: str, size: tuple[float, float, float], place: Placement) -> list[Part]:
    """A bone of the foot as its piece of a shoe: neighbours run into one another."""
    length, width, height = size
    if "talus" in name:
        return [_look(Ellipsoid((0.040, 0.036, 0.046)), SOCK, place.compose(Placement.at(0.0, 0.0, 0.012)))]
    if name[2:] in SHOE_PIECES:
        return _piece(name)
    toe = "toe" in name or "phal" in name
    wide, high = (0.75, 0.46) if toe else (1.0, 0.62)  # of toes all is in the cap
    return [_look(Ellipsoid((0.66 * length, wide * width, high * height)), SHOE, place)]


def _piece(name: str) -> list[Part]:
    """A piece of a shoe: its upper and its sole."""
    side = 1.0 if name.startswith("l_") else -1.0
    (x, y, z), rows = SHOE_PIECES[name[2:]]
    low, welt = 0.6 * WELT, 0.5 * WELT
    upper = ((a - x, side * (b - y), 0.5 * (high + low) - z, wide, 0.5 * (high - low)) for a, b, wide, high in rows)
    sole = ((a - x, side * (b - y), welt - z, wide + 0.003, min(welt, 0.4 * wide)) for a, b, wide, _ in rows)
    return [
        _look(loft(tuple(upper), along="x", square=2.5, around=16), SHOE),
        _look(loft(tuple(sole), along="x", square=3.0, around=16), SOLE),
    ]


def colour_of(name: str) -> tuple[float, float, float]:
    """Shirt, trousers or skin."""
    if "thigh" in name or "shank" in name or "pelvis" in name:
        return TROUSERS
    return SHIRT if "humerus" in name or name == "abdomen" else SKIN
