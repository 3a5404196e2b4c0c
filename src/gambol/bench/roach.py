"""The walking roach: simulated seconds per wall second, by the explicit and the implicit pair, and in packs."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gambol.bench.result import Floor, Result
from gambol.control.walker import Walker
from gambol.models.roach import walking_roach

QUICK = 4e-2  # tolerance of the implicit pair at which the gait's speed is still right to 2 %
SOURCE_EPS = 10.0  # of the explicit pair, the source's
REAL_TIME, PACKED = 20.0, 5.0
WORLDS = 64


def walking(*, eps: float, method: str = "implicit-pair", worlds: int = 1, dtype=np.float64) -> Walker:
    """A roach (or many, dropped from heights of their own) that has begun to walk in a tripod."""
    height = (0.0175 + 1e-5 * np.arange(worlds)).tolist()
    walker = walking_roach(eps=eps, method=method, worlds=worlds, dtype=dtype, height=height)
    walker.run(0.05)
    return walker


def rate(walker: Walker, seconds: float) -> float:
    """Simulated seconds (of all worlds) per wall second."""
    began = time.perf_counter()
    walker.run(seconds)
    return walker.sim.worlds * seconds / (time.perf_counter() - began)


def measure_implicit(rounds: int, progress: Callable[[], None]) -> list[Result]:
    walker = walking(eps=QUICK)
    many = {dtype: walking(eps=QUICK, worlds=WORLDS, dtype=dtype) for dtype in (np.float32, np.float64)}
    alone, packed = 0.0, dict.fromkeys(many, 0.0)
    for _ in range(rounds):
        alone = max(alone, rate(walker, 0.2))
        packed = {dtype: max(packed[dtype], rate(roaches, 0.1)) for dtype, roaches in many.items()}
        progress()
    metric = "a walking roach, implicit pair: simulated seconds per wall second, one core"
    found = [Result("roach-implicit", metric, "s/s", alone, {}, alone, Floor("ratio", REAL_TIME))]
    for dtype, case in ((np.float32, "roach-batch"), (np.float64, "roach-batch64")):
        floor = Floor("ratio", PACKED) if dtype is np.float32 else None
        metric = f"{WORLDS} walking roaches in packs of {np.dtype(dtype)} against one in float64, one core"
        found.append(Result.of_rates(case, metric, "s/s", packed[dtype], {"one world": alone}, floor))
    return found


def measure_explicit(rounds: int, progress: Callable[[], None]) -> list[Result]:
    walker = walking(eps=SOURCE_EPS, method="rkf45")
    best = 0.0
    for _ in range(min(rounds, 3)):
        best = max(best, rate(walker, 0.02))
        progress()
    metric = "a walking roach, explicit pair at the source's tolerance: simulated seconds per wall second, one core"
    return [Result("roach-explicit", metric, "s/s", best, {}, best)]
