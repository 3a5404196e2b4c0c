"""The walking roach: simulated seconds per wall second, by the explicit and the implicit pair, and in packs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gambol.bench.result import Floor, Result
from gambol.experiments.roach.performance import (
    EVERY,
    PACKED,
    QUICK,
    REAL_TIME,
    SECONDS,
    SOURCE_EPS,
    WORLDS,
    rates,
    walking,
)

BRIEF = 0.1  # [s] of runs so short that waiting for the last world at their end shows


def measure_implicit(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """One walking roach, and many in packs, by the implicit pair."""
    walker = walking(eps=QUICK)
    many = {dtype: walking(eps=QUICK, worlds=WORLDS, dtype=dtype) for dtype in (np.float32, np.float64)}
    quick, alone, packed = 0.0, np.zeros(2), dict.fromkeys(many, np.zeros(2))
    brief = dict.fromkeys(many, 0.0)
    for _ in range(rounds):
        quick = max(quick, float(rates(walker, 0.2)[0]))
        alone = np.maximum(alone, rates(walker, SECONDS, EVERY))
        packed = {dtype: np.maximum(packed[dtype], rates(herd, SECONDS, EVERY)) for dtype, herd in many.items()}
        brief = {dtype: max(brief[dtype], float(rates(herd, BRIEF)[0])) for dtype, herd in many.items()}
        progress()
    metric = "a walking roach, implicit pair: simulated seconds per wall second, one core"
    found = [Result("roach-implicit", metric, "s/s", quick, {}, quick, Floor("ratio", REAL_TIME))]
    for dtype, case in ((np.float32, "roach-batch"), (np.float64, "roach-batch64")):
        floor = Floor("ratio", PACKED) if dtype is np.float32 else None
        metric = f"{WORLDS} walking roaches in packs of {np.dtype(dtype)} against one in float64, by processor time"
        one = {"one world": float(alone[1])}
        notes = (f"{case}: called for {BRIEF:g} s at a time, by wall time, {brief[dtype] / quick:.2f} times one",)
        found.append(Result.of_rates(case, metric, "s/s", float(packed[dtype][1]), one, floor, notes))
    return found


def measure_explicit(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """One walking roach by the explicit pair at the source's tolerance."""
    walker = walking(eps=SOURCE_EPS, method="rkf45")
    best = 0.0
    for _ in range(min(rounds, 3)):
        best = max(best, float(rates(walker, 0.02)[0]))
        progress()
    metric = "a walking roach, explicit pair at the source's tolerance: simulated seconds per wall second, one core"
    return [Result("roach-explicit", metric, "s/s", best, {}, best)]
