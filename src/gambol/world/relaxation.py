"""First-order ("Aristotelian") motion of a single world under error control, for a time or until it rests.

The midpoint rule, each step against two of half its length: their difference is the error of the step, and what is
left of it after the last step is known to be small. Positions that are lengths count over the size of the figures.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import Fault, RestError, WorldError
from gambol.stepping import given

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

SAFETY, SHRINK, GROW = 0.9, 0.2, 4.0
FIRST_STEP = 1e-3  # [s]
SHARE = 0.1  # of a step towards rest that may be wrong: what is stiff would hover about rest, by eps, for ever


def relax(sim: Simulation, duration: float | None, eps: float, rest: float, max_evaluations: int) -> None:
    """See Simulation.relax."""
    if sim.worlds != 1:
        raise WorldError([Fault(f"relax moves single worlds, not {sim.worlds}", "relax")])
    for name, value in (("eps", eps), ("rest", rest), ("max_evaluations", max_evaluations)):
        if not given.number(value, name, "relax", allowed="a positive number") > 0:
            raise WorldError([Fault(f"{name} must be positive, it is {value}", "relax")])
    end = math.inf if duration is None else given.number(duration, "duration", "relax", allowed="a number of seconds")
    if end < 0:
        raise WorldError([Fault(f"duration must not be negative, it is {end:g} s", "relax")])
    sim.v = np.zeros(sim.layout.nv)
    path = Descent(sim)
    t, step = 0.0, min(FIRST_STEP, end)
    slope = path.slope(sim.q)
    while t < end and not (duration is None and path.largest(slope) <= rest):
        if path.evaluations >= max_evaluations:
            raise _not_there(path, slope, t, duration, rest)
        step = min(step, end - t)
        wrong, reached = path.attempt(sim.q, slope, step)
        most = eps if duration is not None else min(eps, SHARE * step * path.largest(slope))
        factor = SHRINK if not math.isfinite(wrong) else SAFETY * (most / max(wrong, 1e-300)) ** (1 / 3)
        if wrong <= most:
            t = end if t + step >= end else t + step
            sim.q = reached
            slope = path.slope(reached)
        elif step < 1e-12:
            raise _not_there(path, slope, t, duration, rest)
        step *= min(max(factor, SHRINK), GROW)


class Descent:
    """Slopes and steps of the first-order motion of a world."""

    def __init__(self, sim: Simulation):
        self.sim, self.evaluations = sim, 0
        size = sim.world.size
        self.positions, self.speeds = np.ones(sim.layout.nq), np.ones(sim.layout.nv)  # weights
        for entry in sim.layout.bodies:
            kind = entry.body.joint.kind
            at, by = sim.layout.position_slices[entry.name], sim.layout.speed_slices[entry.name]
            weights = {"m": 1.0 / size, "": 2.0}  # a component of a quaternion is half an angle
            self.positions[at] = [weights.get(unit, 1.0) for unit in kind.positions.values()]
            self.speeds[by] = [1.0 / size if unit == "m/s" else 1.0 for unit in kind.speeds.values()]

    def slope(self, q: np.ndarray) -> np.ndarray:
        """M⁻¹ f at rest at q: the speeds of first-order motion, the accelerations of the world let go there."""
        self.evaluations += 1
        self.sim.memory.write(self.sim.memory.positions, q, "positions")
        return self.sim.acceleration

    def largest(self, slope: np.ndarray) -> float:
        """Largest speed of a coordinate [rad/s or m/s], by its weight."""
        return float(np.max(np.abs(slope) * self.speeds, initial=0.0))

    def attempt(self, q: np.ndarray, slope: np.ndarray, step: float) -> tuple[float, np.ndarray]:
        """(error, positions) of a step; the state of the world is as it was."""
        with np.errstate(all="ignore"):
            once = self._midpoint(q, slope, step)
            half = self._midpoint(q, slope, 0.5 * step)
            twice = self._midpoint(half, self.slope(half), 0.5 * step)
            wrong = float(np.max(np.abs(twice - once) * self.positions, initial=0.0)) / 3.0
        self.sim.memory.write(self.sim.memory.positions, q, "positions")
        return (wrong if math.isfinite(wrong) else math.inf), twice

    def _midpoint(self, q: np.ndarray, slope: np.ndarray, step: float) -> np.ndarray:
        displaced = self.sim.mechanics.displaced
        return displaced(q, step * self.slope(displaced(q, 0.5 * step * slope)))


def _not_there(path: Descent, slope: np.ndarray, t: float, duration: float | None, rest: float) -> RestError:
    """Says how far the world is from what was asked for."""
    largest = path.largest(slope)
    sim = path.sim
    where = sim.layout.speed_names[int(np.argmax(np.abs(slope) * path.speeds))] if sim.layout.nv else ""
    goal = f"rest ({rest:g})" if duration is None else f"{duration:g} s"
    return RestError(
        f"first-order motion did not come to {goal}: after {path.evaluations} evaluations it is at {t:.4g} s, and the"
        f" largest acceleration there is {largest:.3g} rad/s² (or of the figures' size a second squared), of {where};"
        " the world stands there. Remedy: soften what is stiff, or allow more max_evaluations",
        time=t,
        acceleration=largest,
        coordinate=where,
    )
