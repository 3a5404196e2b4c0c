"""A person of 68 kg and 1.77 m, after the tables of McKenna's human figure: a free trunk and 84 hinges, 90 DOF.

`data/person.csv` has one row a body: parent, axis and offset of its hinge, mass properties in the body's frame, and
the shape they were derived from. Hips, shoulders, waist, neck and wrists are three hinges each, with small links
between; every bone of the feet has its own hinge. The root is the trunk ("abdomen").

Parts are for looks: the masses are those of the table.
"""

from __future__ import annotations

import csv
import math
import re
from functools import cache
from importlib.resources import files

import numpy as np

from gambol.figure import Body, Box, Capsule, Ellipsoid, Figure, Joint, Mass, Part, Placement

ROOT_HEIGHT = 1.265  # of the root's origin above the ground, standing [m]
SKIN, SHIRT, TROUSERS = (0.86, 0.66, 0.53), (0.35, 0.52, 0.66), (0.28, 0.30, 0.38)


@cache
def person90() -> Figure:
    """The person, upright, arms hanging, with the free root at its standing height.

    90 degrees of freedom, 85 bodies, 67.98 kg.
    """
    text = files("gambol.models").joinpath("data/person.csv").read_text(encoding="utf-8")
    return Figure("person90", tuple(_body(row) for row in csv.DictReader(text.splitlines())))


def _body(row: dict[str, str]) -> Body:
    name = row["body"]
    parts = tuple(_parts(row))
    mass = Mass(
        float(row["mass_kg"]),
        _vector(row, "centre_{}_m"),
        tuple(float(row[key]) for key in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")),  # type: ignore[arg-type]
    )
    if not row["parent"]:
        return Body(name, joint=Joint("free"), placement=Placement.at(0.0, 0.0, ROOT_HEIGHT), parts=parts, mass=mass)
    axis = np.array(_vector(row, "axis_{}"))
    x, y, z = (axis / np.linalg.norm(axis)).tolist()
    place = Placement(_vector(row, "offset_{}_m"))
    return Body(name, row["parent"], Joint("hinge", (x, y, z)), place, parts, mass)


def _vector(row: dict[str, str], keys: str) -> tuple[float, float, float]:
    return (float(row[keys.format("x")]), float(row[keys.format("y")]), float(row[keys.format("z")]))


def _parts(row: dict[str, str]) -> list[Part]:
    """What the body looks like."""
    name, shape = row["body"], row["shape"]
    numbers = [float(text) for text in re.findall(r"\d+\.\d+", row["dimensions_m"])]
    centre = _vector(row, "centre_{}_m")
    if name == "abdomen":
        return [
            _look(Ellipsoid((0.11, 0.19, 0.23)), Placement.at(0.0, 0.0, 0.06), SHIRT),
            _look(Capsule(0.05, 0.1), Placement.at(0.0, 0.0, 0.28), SKIN),
        ]
    if name.startswith("head") and shape == "box":
        return [_look(Ellipsoid((0.1, 0.08, 0.125)), Placement(centre), SKIN)]
    if name == "pelvis3":
        return [_look(Ellipsoid((0.11, 0.17, 0.14)), Placement(centre), TROUSERS)]
    if shape == "tapered cylinder":
        upper, lower, length = numbers
        radius = 0.5 * (upper + lower)
        colour = TROUSERS if "thigh" in name or "shank" in name else SHIRT if "humerus" in name else SKIN
        return [_look(Capsule(radius, length - radius), Placement.at(0.0, centre[1], -0.5 * length), colour)]
    if shape == "box":
        length, width, height = numbers[:3]
        turn = math.atan2(centre[1], centre[0]) if width == height else 0.0  # bones of the feet lie along their centre
        dip = -math.atan2(centre[2], math.hypot(centre[0], centre[1])) if width == height else 0.0
        return [_look(Box((length, width, height)), Placement.euler(0.0, dip, turn, centre), SKIN)]
    return []


def _look(shape, placement: Placement, colour) -> Part:
    return Part(shape, placement, inertial=False, colour=colour)
