"""MuJoCo's soft constraints as springs and dampers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

ROUNDS = 60  # of halving


def impedance(solimp: Any, violation: float) -> float:
    """MuJoCo's d at a violation [m or rad]: it grows from solimp's first number to its second over its width."""
    low, high = (min(max(float(x), 1e-4), 0.9999) for x in solimp[:2])
    width, middle, power = (
        max(float(solimp[2]), 1e-15),
        min(max(float(solimp[3]), 1e-4), 0.9999),
        max(float(solimp[4]), 1.0),
    )
    x = min(abs(violation) / width, 1.0)
    y = (
        x**power / middle ** (power - 1.0)
        if x <= middle
        else 1.0 - (1.0 - x) ** power / (1.0 - middle) ** (power - 1.0)
    )
    return low + y * (high - low)


def soft_constraint(
    solref: Any, solimp: Any, ease: float, *, deep: bool = False, load: float | None = None
) -> tuple[float, float] | None:
    """Stiffness and damping that answer as a soft constraint of MuJoCo does, on what has the inverse inertia `ease`.

    MuJoCo gives a = (1 - d) a₀ - d (d k r + b v) [m/s² or rad/s²] for a violation r: a force d/(1 - d) (d k r + b v)
    times the inertia. The impedance d is that at the violation under a `load` [N or N·m]; without one it is taken
    halfway through its range, or `deep`, where it ends.
    """
    if not 0.0 < ease < math.inf:
        return None
    low, high = (min(max(float(x), 1e-4), 0.9999) for x in solimp[:2])
    if solref[0] > 0.0:
        k, b = 1.0 / (high * solref[0] * max(solref[1], 1e-6)) ** 2, 2.0 / (high * solref[0])
    else:
        k, b = -solref[0] / high**2, max(-solref[1], 0.0) / high
    d = high if deep else 0.5 * (low + high)
    if load is not None and k > 0.0:
        most = load * ease / k * (1.0 - low) / low**2
        d = impedance(solimp, _balanced(lambda r: _push(impedance(solimp, r)) * k * r - load * ease, most))
    stiffness, damping = _push(d) * k / ease, _push(d) / d * b / ease
    return (float(stiffness), float(damping)) if stiffness > 0.0 else None


def _push(d: float) -> float:
    return d * d / (1.0 - d)


def _balanced(excess: Callable[[float], float], most: float) -> float:
    """Where a growing function crosses zero, between 0 and `most`."""
    low, high = 0.0, most
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if excess(middle) > 0.0 else (middle, high)
    return high
