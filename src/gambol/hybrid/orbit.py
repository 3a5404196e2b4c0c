"""Periodic orbits of hybrid systems: fixed points of a return map, and how perturbations of them grow or die."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import Fault, HybridError, OrbitError, nearest
from gambol.hybrid.return_map import Landing, ReturnMap
from gambol.hybrid.system import HybridSystem


@dataclass(frozen=True)
class Coordinates:
    """The coordinates in which an orbit closes: to(x) → z, and back(z, x) → x with these coordinates set to z."""

    names: tuple[str, ...]
    to: Callable[[np.ndarray], np.ndarray]
    back: Callable[[np.ndarray, np.ndarray], np.ndarray]


def keeping(system: HybridSystem, states: Sequence[str], *, chart: int = 0) -> Coordinates:
    """Some of the states of a chart; the others (a distance travelled, energy sums) need not return."""
    known = list(system.charts[chart].states)
    if unknown := [s for s in states if s not in known]:
        raise HybridError([Fault(f"no state {s!r}{nearest(s, known)}", system.name) for s in unknown])
    places = [known.index(s) for s in states]

    def back(z: np.ndarray, x: np.ndarray) -> np.ndarray:
        full = np.array(x, float)
        full[places] = z
        return full

    return Coordinates(tuple(states), lambda x: np.asarray(x, float)[places], back)


@dataclass(frozen=True)
class Orbit:
    """A periodic orbit.

    x, chart      on the section
    period        [s]
    multipliers   of the return map, largest first: all below 1 in size means that the orbit is stable
    residual      how far it fails to close, in its coordinates
    """

    coordinates: Coordinates
    x: np.ndarray
    chart: int
    period: float
    multipliers: np.ndarray
    jacobian: np.ndarray
    residual: float
    iterations: int

    @property
    def stable(self) -> bool:
        return bool(np.all(np.abs(self.multipliers) < 1.0))


def find_orbit(
    returns_to: ReturnMap,
    x: Sequence[float],
    *,
    coordinates: Coordinates,
    chart: int = 0,
    returns: int = 1,
    tolerance: float = 1e-10,
    difference: float = 1e-6,
    most: int = 30,
) -> Orbit:
    """Newton's method from x on the section; `returns` > 1 finds orbits of that many returns.

    tolerance   on the largest change of a coordinate over the orbit
    difference  steps of the central differences
    """
    point = np.array(x, float)
    z = coordinates.to(point)
    best = np.inf
    for iteration in range(1, most + 1):
        landing, jacobian = _differentiate(returns_to, point, coordinates, chart, returns, difference)
        wrong = coordinates.to(landing.x[0]) - z
        residual = float(np.abs(wrong).max())
        if residual <= tolerance or (iteration > 6 and residual >= 0.5 * best and residual < 100 * tolerance):
            values = np.linalg.eigvals(jacobian)
            values = values[np.argsort(-np.abs(values))]
            period = float(landing.duration[0])
            return Orbit(coordinates, point, chart, period, values, jacobian, residual, iteration)
        best = min(best, residual)
        z = z - np.linalg.solve(jacobian - np.eye(len(z)), wrong)
        point = coordinates.back(z, point)
    raise OrbitError(f"{returns_to.system.name}: {most} iterations leave a residual of {best:.3g}")


def _differentiate(
    returns_to: ReturnMap, point: np.ndarray, coordinates: Coordinates, chart: int, returns: int, difference: float
) -> tuple[Landing, np.ndarray]:
    """Where the point lands, and the Jacobian of the map in its coordinates."""
    z = coordinates.to(point)
    steps = difference * np.maximum(np.abs(z), 1.0)
    offsets = np.concatenate([np.zeros((1, len(z))), np.diag(steps), -np.diag(steps)])
    points = np.array([coordinates.back(z + offset, point) for offset in offsets])
    landing = returns_to(points, chart, returns=returns)
    ends = np.array([coordinates.to(x) for x in landing.x])
    forward, backward = ends[1 : 1 + len(z)], ends[1 + len(z) :]
    return landing, ((forward - backward) / (2 * steps[:, None])).T
