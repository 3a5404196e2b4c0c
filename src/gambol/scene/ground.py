"""The ground under a figure whose file has none, and what of the figure touches it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.figure.figure import Figure
from gambol.figure.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Hull, Mesh, Sphere
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.forces.element import Element

SINKAGE = 2e-3  # of the figure's height: how far it sinks in when it stands on four points
FRICTION = 0.8


def lowest_point(figures: Sequence[Figure], q: np.ndarray) -> float:
    """Height [m] of the lowest point of the colliding parts (of all parts, where none collides)."""
    heights: list[float] = []
    first = 0
    for figure in figures:
        poses = figure.poses(q[first : first + figure.positions])
        first += figure.positions
        parts = [(poses[b.name].compose(p.placement), p) for b in figure.bodies for p in b.parts]
        chosen = [pair for pair in parts if pair[1].colliding] or parts
        heights += [place.position[2] - _reach(part.shape, place.matrix[2]) for place, part in chosen]
    return min(heights, default=0.0)


def _reach(shape, up: np.ndarray) -> float:
    """How far down a shape reaches from its origin; `up` is the world's z in its frame."""
    x, y, z = up
    match shape:
        case Sphere(radius=r):
            return r
        case Box(size=size):
            return 0.5 * float(np.abs(up) @ size)
        case Capsule(radius=r, length=length):
            return r + 0.5 * length * abs(z)
        case Cylinder(radius=r, length=length) | Cone(radius=r, length=length):
            return r * float(np.hypot(x, y)) + 0.5 * length * abs(z)
        case Ellipsoid(radii=radii):
            return float(np.linalg.norm(up * radii))
        case Hull(points=points) | Mesh(vertices=points):
            return -float((np.asarray(points) @ up).min())
    return 0.0


def ground_contacts(figures: Sequence[Figure], sinkage: float = SINKAGE) -> list[Element]:
    """Contacts of the colliding parts of all figures that move with the ground, chosen for their weight and size.

    sinkage   how deep a figure stands in it on four points, as a share of its height
    """
    found: list[Element] = []
    for figure in figures:
        touching = any(part.colliding for body in figure.bodies for part in body.parts)
        if not figure.speeds or not touching:
            continue
        poses = figure.poses()
        heights = [pose.position[2] for pose in poses.values()]
        size = max(np.ptp(heights), 0.1)
        surface = Surface.bearing(9.81 * figure.mass, points=4, sinkage=sinkage * size, friction=FRICTION)
        found += GroundContact.of_figure(figure, surface, line="ground")
    return found


def ground_level(asked: str, figures: Sequence[Figure], q: np.ndarray) -> float:
    """The level [m] that --ground asks for: a number, or "under", just below the lowest point."""
    if asked == "under":
        return lowest_point([f for f in figures if f.speeds], q)
    try:
        return float(asked)
    except ValueError:
        raise WorldError([Fault(f"the ground is none, under, or a height [m], not {asked!r}", "scene")]) from None
