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

from gambol.figure import Box, Hull, Part, Placement, Shape
from gambol.models.person.looks import IVORY, colour_of, display
from gambol.models.person.tables import Bone, bone_table

SKELETON, SIMPLE, DISPLAY = "skeleton", "simple skin", "display skin"
LAYERS = (SKELETON, SIMPLE, DISPLAY)
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
    skin = display(row, lambda size: bone_placement(name, size))
    parts = [*_skeleton(name), *_simple(row), *(replace(part, name=DISPLAY) for part in skin)]
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
