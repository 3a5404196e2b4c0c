"""What the person is made of and looks like: three layers of parts.

    skeleton       the blocks of the bones: kinematics; has no mass, touches nothing
    simple skin    few faces: where mass and contact come from (boxes, tapered prisms)
    display skin   the same sizes, rounded: looks only

Skin sizes were reconstructed from printed masses, densities and lengths; those of the trunk are an estimate.
"""

import math
import re
from dataclasses import replace

import numpy as np

from gambol.figure import Box, Ellipsoid, Hull, Part, Placement, Shape
from gambol.models.loft import loft, rod
from gambol.models.looks import SKIN, hand, head
from gambol.models.person.tables import Bone, bone_table

SKELETON, SIMPLE, DISPLAY = "skeleton", "simple skin", "display skin"
LAYERS = (SKELETON, SIMPLE, DISPLAY)
SHIRT, TROUSERS, IVORY = (0.24, 0.47, 0.68), (0.27, 0.29, 0.37), (0.90, 0.87, 0.78)
SHOE, SOLE, SOCK = (0.20, 0.21, 0.24), (0.86, 0.85, 0.82), (0.80, 0.80, 0.78)
DENSITY = {"head": 545.0, "abdomen": 780.0, "pelvis": 780.0, "thigh": 1050.0, "shank": 1090.0, "humerus": 1070.0}
DENSITY |= {"forearm": 1130.0, "hand": 1160.0}  # [kg/m³]; the rest is foot
FOOT_DENSITY, LINK_DENSITY, NECK_DENSITY = 1413.0, 10.0, 565.0
FACES = 8  # of a tapered prism
# Sections of the trunk: height above the root's origin [m], its middle forward, half depth, half width
TRUNK = (
    (-0.155, 0.0, 0.097, 0.147),
    (0.015, 0.005, 0.118, 0.168),
    (0.065, 0.012, 0.133, 0.196),
    (0.225, 0.0, 0.092, 0.168),
)

SKIN_SWELL = 1.09  # of the skin over the trunk's bone layer
NECK = Placement.euler(0.0, math.radians(15.0), 0.0, (-0.011, 0.0, 0.273))


def layers_of(row: dict[str, str], *, shown: str) -> tuple[Part, ...]:
    """The parts of a body of the table; those of the layer `shown` are visible."""
    name = row["body"]
    parts = [*_skeleton(name), *_simple(row), *_display(row)]
    return tuple(replace(part, visible=part.name == shown) for part in parts)


def _bone(name: str) -> tuple[Bone, bool] | None:
    """The block of a body, and whether it is the mirror image of the one in the table."""
    table = bone_table()
    mirrored = name.startswith("r_")
    key = f"l_{name[2:]}" if mirrored else name
    return (table[key], mirrored) if key in table else None


def bone_placement(name: str, size: tuple[float, float, float]) -> Placement:
    """Where a block of this size [m] lies that is put as the bone of a body is: centre and turn in the body's frame."""
    found = _bone(name)
    if found is None:
        return Placement.at(0.0, 0.0, 0.0)
    bone, mirrored = found
    x, y, z = (s * d for s, d in zip(bone.shift, size))
    place = Placement.at(x, y, z)
    for axis, degrees in bone.turns:
        direction = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}[axis]
        place = Placement.about(direction, math.radians(degrees)).compose(place)
    place = Placement(bone.move).compose(place)
    return place.mirrored() if mirrored else place


# ---------------------------------------------------------------- skeleton
def _skeleton(name: str) -> list[Part]:
    if name == "abdomen":
        slim = [tuple((z, x, depth / SKIN_SWELL, width / SKIN_SWELL)) for z, x, depth, width in TRUNK]
        blocks = [(Hull(_block(low, high)), Placement.at(0.0, 0.0, 0.0)) for low, high in zip(slim, slim[1:])]
        blocks.append((_prism(0.03, 0.03, 0.11), NECK))
        return [_part(SKELETON, *block, IVORY, inertial=False, colliding=False) for block in blocks]
    found = _bone(name)
    if found is None:
        return []
    size = found[0].size
    return [_part(SKELETON, Box(size), bone_placement(name, size), IVORY, inertial=False, colliding=False)]


# ---------------------------------------------------------------- simple skin
def _simple(row: dict[str, str]) -> list[Part]:
    name, shape = row["body"], row["shape"]
    numbers = [float(text) for text in re.findall(r"\d+\.\d+", row["dimensions_m"])]
    density = next((d for word, d in DENSITY.items() if word in name), FOOT_DENSITY)
    put = lambda form, place, **more: _part(SIMPLE, form, place, colour_of(name), density=density, **more)
    if name == "abdomen":
        trunk = [put(Hull(_block(low, high)), Placement.at(0.0, 0.0, 0.0)) for low, high in zip(TRUNK, TRUNK[1:])]
        return [*trunk, replace(put(_prism(0.0565, 0.0565, 0.11), NECK), density=NECK_DENSITY)]
    if shape == "cube":
        cube = Box((numbers[0],) * 3)
        return [replace(put(cube, bone_placement(name, cube.size), colliding=False), density=LINK_DENSITY)]
    if shape == "tapered cylinder":
        upper_radius, lower_radius, length = numbers
        lean = math.atan2(float(row["centre_y_m"]), -float(row["centre_z_m"]))
        place = Placement.euler(lean, 0.0, 0.0, (0.0, 0.0, 0.0)).compose(Placement.at(0.0, 0.0, -0.5 * length))
        return [put(_prism(upper_radius, lower_radius, length), place)]
    size = (numbers[0], numbers[1], numbers[2])
    place = bone_placement(name, size)
    if "hand" in name:
        place = Placement((float(row["centre_x_m"]), float(row["centre_y_m"]), -0.5 * size[2]))
    return [put(Box(size), place)]


def _block(low, high) -> tuple[tuple[float, float, float], ...]:
    """Corners of a slab between two rectangular sections."""
    return tuple(
        (middle + i * depth, j * width, z) for z, middle, depth, width in (low, high) for i in (-1, 1) for j in (-1, 1)
    )


def _prism(upper: float, lower: float, length: float) -> Hull:
    """A tapered prism about z with the cross-section areas of a cone of these radii [m]."""
    swell = math.sqrt(math.pi / (0.5 * FACES * math.sin(2.0 * math.pi / FACES)))
    points = []
    for radius, z in ((upper, 0.5 * length), (lower, -0.5 * length)):
        for k in range(FACES):
            angle = 2.0 * math.pi * (k + 0.5) / FACES
            points.append((swell * radius * math.cos(angle), swell * radius * math.sin(angle), z))
    return Hull(tuple(points))


# ---------------------------------------------------------------- display skin
def _display(row: dict[str, str]) -> list[Part]:
    name, shape = row["body"], row["shape"]
    numbers = [float(text) for text in re.findall(r"\d+\.\d+", row["dimensions_m"])]
    centre = (float(row["centre_x_m"]), float(row["centre_y_m"]), float(row["centre_z_m"]))
    if name == "abdomen":
        return [_look(loft(CHEST, square=2.35), SHIRT), _look(loft(THROAT), SKIN)]
    if name == "head3":
        return _named(head())
    if name == "pelvis3":
        return [_look(loft(HIPS, square=2.3), TROUSERS)]
    if shape == "tapered cylinder":
        upper, lower, length = numbers
        aside = centre[1] * length / -centre[2]
        return [_look(rod(_limb(name, upper, lower), -length, lean=(0.0, aside)), colour_of(name))]
    if "hand" in name and shape == "box":
        return _named(hand(1.0 if name.startswith("l_") else -1.0))
    if shape == "box":
        return _shoe(name, (numbers[0], numbers[1], numbers[2]))
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
    where = place or Placement.at(0.0, 0.0, 0.0)
    return _part(DISPLAY, shape, where, colour, inertial=False, colliding=False, finish=finish)


def _named(parts: list[Part]) -> list[Part]:
    return [replace(part, name=DISPLAY) for part in parts]


def _limb(name: str, upper: float, lower: float) -> tuple[float, ...]:
    """Radii of a limb from joint to joint: a calf has its belly high up, a thigh and an arm are fullest at the top."""
    shares = (0.86, 1.14, 1.08, 0.62, 0.0) if "shank" in name else (0.72, 1.00, 0.84, 0.42, 0.0)
    return tuple(lower + share * (upper - lower) for share in shares)


def _shoe(name: str, size: tuple[float, float, float]) -> list[Part]:
    """A bone of the foot as its piece of a shoe: neighbours run into one another."""
    place, (length, width, height) = bone_placement(name, size), size
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


def _part(layer: str, shape: Shape, place: Placement, colour, **more) -> Part:
    return Part(shape, place, name=layer, colour=colour, **more)


def corners(part: Part, *, bevel: float = 0.0) -> np.ndarray:
    """Vertices of a box or hull in the body's frame [m]; a box with its edges cut by `bevel` of each side has 24."""
    if isinstance(part.shape, Hull):
        local = np.asarray(part.shape.points)
    elif isinstance(part.shape, Box):
        half = 0.5 * np.asarray(part.shape.size)
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3, indexing="ij")).reshape(3, -1).T
        local = signs * half
        if bevel:
            cut = 2.0 * bevel * half
            local = np.concatenate([local - signs * cut * (np.arange(3) == k) for k in range(3)])
    else:
        raise TypeError(f"a {part.shape.kind} has no vertices")
    return local @ np.asarray(part.placement.matrix).T + np.asarray(part.placement.position)
