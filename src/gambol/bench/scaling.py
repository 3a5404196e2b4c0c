"""Two thousand hexapods on all cores of the machine against one: in contact and alone, in short calls and long."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gambol import Simulation, Stepping
from gambol.bench.gambol_contender import BENCH_STEP, GambolContender, generic_state
from gambol.bench.result import Floor, Result
from gambol.bench.standing import LANDING_STEP, GambolStand
from gambol.models import hexapod30

CASE, WORLDS, CALLS = "threads-all", 2048, (40, 400)  # steps in a call
TURN = 0.5  # [s] of calls without a pause: cores that were idle take milliseconds to come to speed
FLOOR_CORES, FLOOR = 16, 13.0  # times one thread on so many cores
DTYPES = {"float32": np.float32, "float64": np.float64}


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """A result for each number type, figure and length of a call."""
    most, results = cores(), []
    floor = Floor("ratio", FLOOR) if most >= FLOOR_CORES else None
    for name, dtype in DTYPES.items():
        for about, stand in STANDS.items():
            crews = [stand(dtype, threads) for threads in (1, most)]
            for steps in CALLS:
                rates = [0.0, 0.0]
                for _ in range(rounds):
                    rates = [max(best, rate(*crew, steps)) for best, crew in zip(rates, crews)]
                metric = f"steps a second, {about}, {name}, calls of {steps} steps: {most} threads against one"
                case = f"{CASE}-{about}-{name}-{steps}"
                results.append(Result.of_rates(case, metric, "1/s", rates[1], {"1 thread": rates[0]}, floor))
                progress()
    return results


def on_six_feet(dtype: Any, threads: int) -> tuple[Simulation, float, np.ndarray, np.ndarray]:
    """Hexapods that stand in contact: simulation, step [s], start."""
    stand = GambolStand()
    stepping = Stepping(method="implicit-euler", step=LANDING_STEP)
    sim = Simulation(stand.sim.world, stepping=stepping, worlds=WORLDS, dtype=dtype, threads=threads, ledger=False)
    return sim, LANDING_STEP, np.tile(stand.start, (WORLDS, 1)), np.zeros(sim.v.shape)


def alone(dtype: Any, threads: int) -> tuple[Simulation, float, np.ndarray, np.ndarray]:
    """Hexapods that fall."""
    figure = hexapod30()
    made = GambolContender(figure, *generic_state(figure, WORLDS), worlds=WORLDS, dtype=dtype, threads=threads)
    return made.sim, BENCH_STEP, *made.start


STANDS = {"contact": on_six_feet, "smooth": alone}


def rate(sim: Simulation, step: float, q: np.ndarray, v: np.ndarray, steps: int) -> float:
    """Steps of worlds a second over calls of so many steps, one after the other for `TURN` seconds."""
    sim.reset(q, v)
    sim.run(steps * step)
    calls, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < TURN:
        sim.run(steps * step)
        calls += 1
    return WORLDS * steps * calls / spent
