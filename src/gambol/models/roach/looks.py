"""How the roach looks: a skin of chitin over the boxes of the source. None of it weighs or touches anything."""

import math

import numpy as np

from gambol.figure import Capsule, Ellipsoid, Part, Placement, Shape
from gambol.models.loft import loft, rod

SHELL, SHIELD, LIMB, FOOT = (0.50, 0.28, 0.15), (0.62, 0.39, 0.20), (0.62, 0.41, 0.23), (0.44, 0.28, 0.17)
EYE = (0.10, 0.09, 0.09)
RINGS, ROUNDED = 7, 0.20  # of the abdomen; the share of it, from its tip, that is round


def colour_of(name: str) -> tuple[float, float, float]:
    """Legs are lighter than the shell, feet between."""
    return FOOT if name[-1] in "34" else LIMB if name.startswith("leg") else SHELL


def _look(shape: Shape, colour: tuple[float, ...], place: Placement | None = None) -> Part:
    where = place or Placement.at(0.0, 0.0, 0.0)
    return Part(shape, where, inertial=False, colliding=False, colour=colour, finish="chitin", name="skin")


def skin(name: str, low: np.ndarray, high: np.ndarray) -> list[Part]:
    """A body of chitin that fills its box, from `low` to `high` [m, body frame]."""
    colour = colour_of(name)
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
