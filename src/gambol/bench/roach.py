"""The walking roach: simulated seconds per wall second, by the explicit and the implicit pair, and in packs."""

from collections.abc import Callable

import numpy as np

from gambol.bench.result import Floor, Result
from gambol.experiments.roach.performance import (
    BATCH_SAMPLE,
    BATCH_SECONDS,
    BATCH_WORLDS,
    QUICK_EPS,
    REQUIRED_PACK_GAIN,
    REQUIRED_SPEED,
    SOURCE_EPS,
    simulation_rates,
    started_walker,
)

SHORT_RUN = 0.1  # [s] of runs so short that waiting for the last world at their end shows


def measure_implicit(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """One walking roach by the implicit pair, and many in packs of float32 and float64."""
    walker = started_walker(eps=QUICK_EPS)
    many = {
        dtype: started_walker(eps=QUICK_EPS, worlds=BATCH_WORLDS, dtype=dtype) for dtype in (np.float32, np.float64)
    }
    quick, alone, packed = 0.0, np.zeros(2), dict.fromkeys(many, np.zeros(2))
    brief = dict.fromkeys(many, 0.0)
    for _ in range(rounds):
        quick = max(quick, float(simulation_rates(walker, 0.2)[0]))
        alone = np.maximum(alone, simulation_rates(walker, BATCH_SECONDS, BATCH_SAMPLE))
        packed = {
            dtype: np.maximum(packed[dtype], simulation_rates(herd, BATCH_SECONDS, BATCH_SAMPLE))
            for dtype, herd in many.items()
        }
        brief = {dtype: max(brief[dtype], float(simulation_rates(herd, SHORT_RUN)[0])) for dtype, herd in many.items()}
        progress()
    metric = "a walking roach, implicit pair: simulated seconds per wall second, one core"
    found = [Result("roach-implicit", metric, "s/s", quick, {}, quick, Floor("ratio", REQUIRED_SPEED))]
    for dtype, case in ((np.float32, "roach-batch"), (np.float64, "roach-batch64")):
        floor = Floor("ratio", REQUIRED_PACK_GAIN) if dtype is np.float32 else None
        metric = (
            f"{BATCH_WORLDS} walking roaches in packs of {np.dtype(dtype)} against one in float64, by processor time"
        )
        one = {"one world": float(alone[1])}
        notes = (f"{case}: called for {SHORT_RUN:g} s at a time, by wall time, {brief[dtype] / quick:.2f} times one",)
        found.append(Result.of_rates(case, metric, "s/s", float(packed[dtype][1]), one, floor, notes))
    return found


def measure_explicit(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """One walking roach by the explicit pair at the source's tolerance."""
    walker = started_walker(eps=SOURCE_EPS, method="rkf45")
    best = 0.0
    for _ in range(min(rounds, 3)):
        best = max(best, float(simulation_rates(walker, 0.02)[0]))
        progress()
    metric = "a walking roach, explicit pair at the source's tolerance: simulated seconds per wall second, one core"
    return [Result("roach-explicit", metric, "s/s", best, {}, best)]
