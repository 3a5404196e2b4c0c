"""Periodic orbits of hybrid systems: fixed points of a return map, and how perturbations of them grow or die."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from gambol.errors import Fault, HybridError, OrbitError, nearest
from gambol.hybrid.return_map import ReturnedPoints, ReturnMap
from gambol.hybrid.system import HybridSystem

WIDER = 4.0  # the second difference, by which the first is judged
SURE = 2.0  # uncertainties by which a multiplier must clear 1


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
    uncertainty   of each multiplier: how far another difference, WIDER times as long, moves it
    difference    the step of the differences, relative to coordinates above 1
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
    uncertainty: np.ndarray
    difference: float

    @property
    def stability(self) -> str:
        """Do all perturbations die out? "stable", "unstable", or "undecided" where SURE times the uncertainty of a
        multiplier reaches across 1."""
        sizes, doubt = np.abs(self.multipliers), SURE * self.uncertainty
        if np.all(sizes + doubt < 1.0):
            return "stable"
        return "unstable" if np.any(sizes - doubt > 1.0) else "undecided"

    @property
    def stable(self) -> bool:
        """Do all perturbations die out? An OrbitError where the multipliers are too uncertain to say."""
        if (verdict := self.stability) != "undecided":
            return verdict == "stable"
        worst = int(np.argmax(np.abs(self.multipliers) + SURE * self.uncertainty))
        raise OrbitError(
            f"no verdict of stability: a multiplier is {abs(self.multipliers[worst]):.3g} ±"
            f" {self.uncertainty[worst]:.2g} in size with differences of {self.difference:.1e};"
            " tighten eps of the return map's stepping, or give another difference_step"
        )


def find_orbit(
    return_map: ReturnMap,
    x: Sequence[float],
    *,
    coordinates: OrbitCoordinates,
    chart: int = 0,
    returns: int = 1,
    tolerance: float = 1e-10,
    difference_step: float | None = None,
    max_iterations: int = 30,
) -> Orbit:
    """Newton's method from x on the section; `returns` > 1 finds orbits of that many returns.

    tolerance        on the largest change of a coordinate over the orbit
    difference_step  steps of the central differences; by default the square root of what the stepper leaves uncertain
                     (ReturnMap.noise): shorter ones measure that, longer ones bend, or change the order of events
    """
    difference = math.sqrt(return_map.noise) if difference_step is None else difference_step
    point = np.array(x, float)
    z = coordinates.reduce(point)
    best = np.inf
    for iteration in range(1, max_iterations + 1):
        landing, jacobian = _differentiate(return_map, point, coordinates, chart, returns, difference)
        wrong = coordinates.reduce(landing.x[0]) - z
        residual = float(np.abs(wrong).max())
        if residual <= tolerance or (iteration > 6 and residual >= 0.5 * best and residual < 100 * tolerance):
            values = np.linalg.eigvals(jacobian)
            values = values[np.argsort(-np.abs(values))]
            _, other = _differentiate(return_map, point, coordinates, chart, returns, WIDER * difference)
            doubt = _moved(values, np.linalg.eigvals(other))
            period = float(landing.duration[0])
            return Orbit(coordinates, point, chart, period, values, jacobian, residual, iteration, doubt, difference)
        best = min(best, residual)
        z = z - np.linalg.solve(jacobian - np.eye(len(z)), wrong)
        point = coordinates.expand(z, point)
    raise OrbitError(f"{return_map.system.name}: {max_iterations} iterations leave a residual of {best:.3g}")


def _moved(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How far each value is from its partner among the others; where they happen to agree, as far as is usual."""
    apart = np.abs(values[:, None] - others[None, :])
    rows, partners = linear_sum_assignment(apart)
    found = np.empty(len(values))
    found[rows] = apart[rows, partners]
    return np.maximum(found, math.sqrt(float(np.mean(found**2))))


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
