"""The roach of 1990: *Blatta* in boxes, 33 bodies and 38 degrees of freedom.

`data/roach_*.csv` are the tables of the source (bodies, links, joints, motor programs, legs). Angles in radians; the
roach faces +x, its left is +y.
"""

import csv
import itertools
import math
from functools import cache
from importlib.resources import files
from typing import cast

import numpy as np

from gambol.errors import Fault, FigureError, nearest
from gambol.figure import Body, Box, Capsule, Ellipsoid, Figure, Joint, Part, Placement, Shape
from gambol.models.bevelled_cube import bevelled_mass
from gambol.models.loft import loft, rod

MIDDLE_LEFT = -0.5  # rest angle of leg_ml1; printed -.05, but its mirror image is 0.5 and the step program ends at -0.5
SHELL, SHIELD, LIMB, FOOT = (0.50, 0.28, 0.15), (0.62, 0.39, 0.20), (0.62, 0.41, 0.23), (0.44, 0.28, 0.17)
EYE = (0.10, 0.09, 0.09)
RINGS, ROUNDED = 7, 0.20  # of the abdomen; the share of it, from its tip, that is round


def table(name: str) -> list[dict[str, str]]:
    """One of the source's tables."""
    text = files("gambol.models").joinpath(f"data/roach_{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def roach() -> Figure:
    """The figure at zero joint angles: 33 boxes, 2.14 g, 2.95 cm long.

    The first part of each body is the box of the source, whose corners touch; the others are its looks. Its mass is
    that of the box with its edges bevelled, as the source's cube is.
    """
    links = {row["child"]: row for row in table("links")}
    return Figure("roach", tuple(_body(row, links.get(row["body"])) for row in table("bodies")))


def _body(row: dict[str, str], link: dict[str, str] | None) -> Body:
    low, high = ([float(row[f"box_{end}_{axis}_m"]) for axis in "xyz"] for end in ("lo", "hi"))
    size, centre = np.subtract(high, low), np.add(high, low) / 2
    colour = FOOT if row["body"][-1] in "34" else LIMB if row["body"].startswith("leg") else SHELL
    box = Part(Box(tuple(size)), Placement(tuple(centre)), inertial=False, colour=colour, visible=False)
    parts = (box, *_skin(row["body"], np.array(low), np.array(high), colour))
    mass = bevelled_mass(tuple(size), tuple(centre), float(row["density_kg_m3"]))
    if link is None:
        return Body(row["body"], joint=Joint("free"), parts=parts, mass=mass)
    axis = np.array([float(link[f"axis_{a}"]) for a in "xyz"])
    place = _placement(link["placement_ops_in_order"])
    if link["axis_frame"] == "parent":
        axis = np.asarray(place.matrix).T @ axis
    joint = Joint("hinge", tuple(axis / np.linalg.norm(axis)))
    return Body(row["body"], row["parent"], joint, place, parts, mass=mass)


def _look(shape: Shape, colour: tuple[float, ...], place: Placement | None = None) -> Part:
    where = place or Placement.at(0.0, 0.0, 0.0)
    return Part(shape, where, inertial=False, colliding=False, colour=colour, finish="chitin", name="skin")


def _skin(name: str, low: np.ndarray, high: np.ndarray, colour: tuple[float, ...]) -> list[Part]:
    """A body of chitin that fills its box."""
    if name == "abdomen":
        return [_look(loft(_abdomen(low, high), along="x"), colour), *_tails(low)]
    if name == "thorax":
        share = ((-0.04, 0.55), (0.0, 0.86), (0.25, 1.12), (0.6, 1.10), (0.9, 0.78), (1.0, 0.40), (1.03, 0.05))
        half = 0.5 * (high - low)
        rows = tuple((low[0] + s * 2 * half[0], 0.0, 0.0003, w * half[1], w * half[2]) for s, w in share)
        return [_look(loft(rows, along="x"), SHIELD)]
    if name == "head":
        return _head(low, high)
    end = high[1] if high[1] > -low[1] else low[1]
    half = high[0] * {"0": 1.12, "1": 1.15}.get(name[-1], 1.2)
    taper = {"0": (0.95, 1.1, 0.85, 0.6), "1": (0.75, 1.1, 0.95, 0.62)}.get(name[-1], (1.0, 0.9, 0.8, 0.62))
    return [_look(rod([half * t for t in taper], end, along="y"), colour)]


def _abdomen(low: np.ndarray, high: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """Plates that lie over one another, from the tail to the waist."""
    half, rows = 0.5 * (high - low), [(low[0] - 0.0004, 0.0, 0.0, 0.0004, 0.0003)]
    for k in range(RINGS):
        for share, lift in ((0.04, 0.98), (0.95, 1.035)):
            s = (k + share) / RINGS
            wide = lift * (0.34 + 0.66 * math.sin(math.pi * (0.10 + 0.56 * s)) ** 0.8)
            wide *= math.sqrt(1.0 - max(0.0, 1.0 - s / ROUNDED) ** 2)
            rows.append((low[0] + s * 2.0 * half[0], 0.0, 0.0, wide * half[1], 0.94 * wide * half[2]))
    return (*rows, (high[0] + 0.0003, 0.0, 0.0, 0.45 * half[1], 0.5 * half[2]))  # type: ignore[return-value]


def _tails(low: np.ndarray) -> list[Part]:
    """The two short feelers at its end."""
    found = []
    for side in (1.0, -1.0):
        way = np.array([-1.0, 0.55 * side, 0.12])
        way /= np.linalg.norm(way)
        axis = np.cross((0.0, 0.0, 1.0), way)
        middle = np.array([low[0] + 0.0012, 0.0007 * side, 0.0002]) + 0.0014 * way
        turn = Placement.about(tuple(axis / np.linalg.norm(axis)), float(np.arccos(way[2]))).rotation
        found.append(_look(Ellipsoid((0.00022, 0.00022, 0.0019)), FOOT, Placement(tuple(middle), turn)))
    return found


def _head(low: np.ndarray, high: np.ndarray) -> list[Part]:
    """Broader than its box, bent down, with eyes and feelers."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    parts = [_look(Ellipsoid((1.25 * half[0], 1.7 * half[1], 1.06 * half[2])), SHELL, Placement(tuple(middle)))]
    for side in (1.0, -1.0):
        eye = Placement.at(middle[0] + 0.0005, side * 1.35 * half[1], middle[2] + 0.0013)
        root = np.array([middle[0] + 0.0012, side * 0.0008, middle[2] + 0.0012])
        parts.append(_look(Ellipsoid((0.00055, 0.0005, 0.0009)), EYE, eye))
        for bend, (out, up) in enumerate(((0.35, 0.55), (0.62, 0.16))):
            way = np.array([1.0, side * out, up]) / np.linalg.norm([1.0, out, up])
            long = 0.0052
            axis = np.cross((0.0, 0.0, 1.0), way)
            place = Placement.about(tuple(axis / np.linalg.norm(axis)), float(np.arccos(way[2])))
            thick = 0.00016 - 0.00005 * bend
            parts.append(_look(Capsule(thick, long), LIMB, Placement(tuple(root + 0.5 * long * way), place.rotation)))
            root = root + long * way
    return parts


def _placement(commands: str) -> Placement:
    """From "rotate x 90; move 0 1 0": each acts in the parent's axes on what the ones before it made."""
    place = Placement.at(0.0, 0.0, 0.0)
    for command in commands.split(";"):
        word, *rest = command.split()
        if word == "move":
            place = Placement.at(*(float(x) for x in rest)).compose(place)
        else:
            axis = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}[rest[0]]
            place = Placement.about(axis, np.radians(float(rest[1]))).compose(place)
    return place


def rest_angles() -> dict[str, float]:
    """Of every joint as the listing sets them, with the one misprint corrected."""
    angles = {row["body_joint"]: float(row["e_q_rest_rad"] or row["k_q_rest_rad"] or 0.0) for row in table("joints")}
    return angles | {"leg_ml1": MIDDLE_LEFT}


def corners(body: Body) -> list[tuple[float, float, float]]:
    """The eight corners of a body's box [m, body frame]."""
    part = body.parts[0]
    half = np.asarray(cast(Box, part.shape).size) / 2
    return [part.placement.apply(tuple(np.array(s) * half)) for s in itertools.product((-1, 1), repeat=3)]


@cache
def roach_with_middle_legs_backwards() -> Figure:
    """The same figure with its middle legs mounted the wrong way round: by half a turn about the vertical."""
    figure = roach()
    half_turn = Placement.about((0.0, 0.0, 1.0), np.pi)
    for side, across in (("l", "r"), ("r", "l")):
        other, own = roach()[f"leg_m{across}0"], figure[f"leg_m{side}0"]
        place = half_turn.compose(Placement((0.0, 0.0, 0.0), other.placement.rotation))
        figure = figure.replace(own.name, placement=Placement(own.placement.position, place.rotation))
    return figure


@cache
def roach_without(*legs: str) -> Figure:
    """The roach with some legs removed: "fl", "fr", "ml", "mr", "bl", "br"."""
    known = ("fl", "fr", "ml", "mr", "bl", "br")
    if unknown := [leg for leg in legs if leg not in known]:
        raise FigureError([Fault(f"no leg {leg!r}{nearest(leg, known)}", "roach") for leg in unknown])
    figure = roach()
    for leg in legs:
        figure = figure.remove(f"leg_{leg}0")
    return figure


def standing_positions(height: float = 0.0175, figure: Figure | None = None) -> np.ndarray:
    """Joint angles of the listing, the abdomen's centre at a height above the plane z = 0 [m]; of a figure that may
    lack some legs."""
    figure, angles = figure or roach(), rest_angles()
    q = np.array([x for body in figure.bodies for x in body.joint.zero])
    for name, place in figure.position_slices.items():
        if name in angles:
            q[place] = angles[name]
    q[2] = height
    return q
