"""Grounds by name: how far a standing load sinks in, how much of its speed it gets back, and how well it grips.

Friction is what handbooks give for shoes or rubber feet; sinkage and restitution are chosen for figures the size of a
person. They are places to start from, not measurements.
"""

from __future__ import annotations

from typing import NamedTuple

from gambol.errors import Fault, WorldError, nearest
from gambol.forces.contact.surface import Surface


class Material(NamedTuple):
    """Sinkage under the weight [m], ratio of speeds of a bounce (0: critically damped), coefficient of friction."""

    sinkage: float
    restitution: float
    friction: float


MATERIALS = {
    "concrete": Material(2e-4, 0.4, 0.8),
    "steel": Material(1e-4, 0.7, 0.4),
    "wood": Material(5e-4, 0.5, 0.5),
    "ice": Material(2e-4, 0.3, 0.05),
    "rubber mat": Material(3e-3, 0.5, 0.9),
    "gym mat": Material(4e-2, 0.2, 0.8),
    "turf": Material(1e-2, 0.3, 0.6),
    "sand": Material(3e-2, 0.0, 0.6),
}


def material(name: str, weight: float, *, points: int = 1, size: float = 1.0, law: str = "damper") -> Surface:
    """The surface of a material under `weight` [N] on `points` points; its `note` says what was chosen.

    size   multiplies the sinkage: the height of the figure over that of a person, say
    """
    if name not in MATERIALS:
        raise WorldError([Fault(f"no material {name!r}{nearest(name, MATERIALS)}", "surface")])
    found = MATERIALS[name]
    return Surface.bearing(
        weight,
        points=points,
        sinkage=found.sinkage * size,
        restitution=found.restitution,
        friction=found.friction,
        law=law,
    )
