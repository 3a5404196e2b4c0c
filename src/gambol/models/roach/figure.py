"""The roach of 1990: *Blatta* in boxes, 33 bodies and 38 degrees of freedom.

`data/roach_*.csv` are the tables of the source (bodies, links, joints, motor programs, legs). Angles in radians; the
roach faces +x, its left is +y.
"""

import csv
import itertools
from functools import cache
from importlib.resources import files
from typing import cast

import numpy as np

from gambol.errors import Fault, FigureError, nearest
from gambol.figure import Body, Box, Figure, Joint, Part, Placement
from gambol.models.bevelled_cube import bevelled_mass
from gambol.models.roach.looks import colour_of, skin

MIDDLE_LEFT = -0.5  # rest angle of leg_ml1; printed -.05, but its mirror image is 0.5 and the step program ends at -0.5


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
    box = Part(Box(tuple(size)), Placement(tuple(centre)), inertial=False, colour=colour_of(row["body"]), visible=False)
    parts = (box, *skin(row["body"], np.array(low), np.array(high)))
    mass = bevelled_mass(tuple(size), tuple(centre), float(row["density_kg_m3"]))
    if link is None:
        return Body(row["body"], joint=Joint("free"), parts=parts, mass=mass)
    axis = np.array([float(link[f"axis_{a}"]) for a in "xyz"])
    place = _placement(link["placement_ops_in_order"])
    if link["axis_frame"] == "parent":
        axis = np.asarray(place.matrix).T @ axis
    joint = Joint("hinge", tuple(axis / np.linalg.norm(axis)))
    return Body(row["body"], row["parent"], joint, place, parts, mass=mass)


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
