"""The bevelled cube that McKenna's figures are made of: side 1, edges cut so that its volume is 0.984857 (1994, C)."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from gambol.figure import Hull, Mass

CUBE_BEVEL = 0.05142695346913569  # cut off each edge
CUBE_VOLUME = 0.984857


def bevelled_corners() -> np.ndarray:
    """Its 24 vertices, about the origin."""
    a, b = 0.5, 0.5 - CUBE_BEVEL
    signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return np.array([np.multiply(s, face) for s in signs for face in ((a, b, b), (b, a, b), (b, b, a))])


@cache
def _spread() -> float:
    """Mean square distance of its points from each plane of symmetry (of a plain cube: 1/12)."""
    whole = Hull(tuple(map(tuple, bevelled_corners()))).mass_properties(1.0)
    return float(whole.tensor[0, 0] / (2.0 * whole.mass))


def bevelled_mass(size: Sequence[float], centre: Sequence[float], density: float) -> Mass:
    """Of the cube scaled to a box of this size [m] about a centre [m], at a density [kg/m³]."""
    (x, y, z), (cx, cy, cz) = map(float, size), map(float, centre)
    mass = density * CUBE_VOLUME * x * y * z
    xx, yy, zz = (mass * _spread() * side * side for side in (x, y, z))
    return Mass(mass, (cx, cy, cz), (yy + zz, xx + zz, xx + yy, 0.0, 0.0, 0.0))
