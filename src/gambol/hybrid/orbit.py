"""Periodic orbits of hybrid systems: fixed points of a return map, and how perturbations of them grow or die."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import Fault, HybridError, OrbitError, nearest
from gambol.hybrid.return_map import ReturnedPoints, ReturnMap
from gambol.hybrid.system import HybridSystem


@dataclass(frozen=True)
class OrbitCoordinates:
    """The coordinates in which an orbit closes: reduce(x) → z, and expand(z, x) → x with these coordinates set to z."""

    names: tuple[str, ...]
    reduce: Callable[[np.ndarray], np.ndarray]
    expand: Callable[[np.ndarray, np.ndarray], np.ndarray]


def select_states(system: HybridSystem, states: Sequence[str], *, chart: int = 0) -> OrbitCoordinates:
    """Some of the states of a chart; the others (a distance travelled, energy sums) need not return."""
    known = list(system.charts[chart].states)
    if unknown := [s for s in states if s not in known]:
        raise HybridError([Fault(f"no state {s!r}{nearest(s, known)}", system.name) for s in unknown])
    places = [known.index(s) for s in states]

    def expand(z: np.ndarray, x: np.ndarray) -> np.ndarray:
        full = np.array(x, float)
        full[places] = z
        return full

    return OrbitCoordinates(tuple(states), lambda x: np.asarray(x, float)[places], expand)


@dataclass(frozen=True)
class Orbit:
    """A periodic orbit.

    x, chart      on the section
    period        [s]
    multipliers   of the return map, largest first: all below 1 in size means that the orbit is stable
    residual      how far it fails to close, in its coordinates
    """

    coordinates: OrbitCoordinates
    x: np.ndarray
    chart: int
    period: float
    multipliers: np.ndarray
    jacobian: np.ndarray
    residual: float
    iterations: int

    @property
    def stable(self) -> bool:
        """Do all perturbations die out?"""
        return bool(np.all(np.abs(self.multipliers) < 1.0))


def find_orbit(
    return_map: ReturnMap,
    x: Sequence[float],
    *,
    coordinates: OrbitCoordinates,
    chart: int = 0,
    returns: int = 1,
    tolerance: float = 1e-10,
    difference_step: float = 1e-6,
    max_iterations: int = 30,
) -> Orbit:
    """Newton's method from x on the section; `returns` > 1 finds orbits of that many returns.

    tolerance        on the largest change of a coordinate over the orbit
    difference_step  steps of the central differences
    """
    point = np.array(x, float)
    z = coordinates.reduce(point)
    best = np.inf
    for iteration in range(1, max_iterations + 1):
        landing, jacobian = _differentiate(return_map, point, coordinates, chart, returns, difference_step)
        wrong = coordinates.reduce(landing.x[0]) - z
        residual = float(np.abs(wrong).max())
        if residual <= tolerance or (iteration > 6 and residual >= 0.5 * best and residual < 100 * tolerance):
            values = np.linalg.eigvals(jacobian)
            values = values[np.argsort(-np.abs(values))]
            period = float(landing.duration[0])
            return Orbit(coordinates, point, chart, period, values, jacobian, residual, iteration)
        best = min(best, residual)
        z = z - np.linalg.solve(jacobian - np.eye(len(z)), wrong)
        point = coordinates.expand(z, point)
    raise OrbitError(f"{return_map.system.name}: {max_iterations} iterations leave a residual of {best:.3g}")


def _differentiate(
    return_map: ReturnMap, point: np.ndarray, coordinates: OrbitCoordinates, chart: int, returns: int, difference: float
) -> tuple[ReturnedPoints, np.ndarray]:
    """Where the point lands, and the Jacobian of the map in its coordinates."""
    z = coordinates.reduce(point)
    steps = difference * np.maximum(np.abs(z), 1.0)
    offsets = np.concatenate([np.zeros((1, len(z))), np.diag(steps), -np.diag(steps)])
    points = np.array([coordinates.expand(z + offset, point) for offset in offsets])
    landing = return_map(points, chart, returns=returns)
    ends = np.array([coordinates.reduce(x) for x in landing.x])
    forward, backward = ends[1 : 1 + len(z)], ends[1 + len(z) :]
    return landing, ((forward - backward) / (2 * steps[:, None])).T
