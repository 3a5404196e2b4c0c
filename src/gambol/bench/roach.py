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
SECONDS, EVERY = 1.0, 0.01  # of a run, and between the samples that it keeps [s]
BRIEF = 0.1  # [s] of runs so short that waiting for the last world at their end shows


def walking(*, eps: float, method: str = "implicit-pair", worlds: int = 1, dtype=np.float64) -> Walker:
    """A roach (or many, dropped from heights of their own) that has begun to walk in a tripod."""
    height = (0.0175 + 1e-5 * np.arange(worlds)).tolist()
    walker = walking_roach(eps=eps, method=method, worlds=worlds, dtype=dtype, height=height)
    walker.run(0.05)
    return walker


def rates(walker: Walker, seconds: float, every: float | None = None) -> np.ndarray:
    """Simulated seconds (of all worlds) per wall second, and per second of processor time.

    On a machine that others use, the short run of one world finds a moment for itself and the long one of a batch does
    not: the two are compared by processor time, which is wall time where nobody else is.
    """
    began = np.array([time.perf_counter(), time.process_time()])
    walker.run(seconds, every=every)
    return walker.sim.worlds * seconds / (np.array([time.perf_counter(), time.process_time()]) - began)


def measure_implicit(rounds: int, progress: Callable[[], None]) -> list[Result]:
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
    walker = walking(eps=SOURCE_EPS, method="rkf45")
    best = 0.0
    for _ in range(min(rounds, 3)):
        best = max(best, float(rates(walker, 0.02)[0]))
        progress()
    metric = "a walking roach, explicit pair at the source's tolerance: simulated seconds per wall second, one core"
    return [Result("roach-explicit", metric, "s/s", best, {}, best)]
