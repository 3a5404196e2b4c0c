"""How fast the roach is simulated, beside the source's 80 hours a second."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from gambol.control.gait import PacemakerGait
from gambol.control.walker import Walker
from gambol.experiments.registry import Desk, Finding, experiment
from gambol.experiments.roach.walking import SETTLE, SOURCE, settled, stepping, walk
from gambol.models.roach import STEP_TIME, legs, roach_world, standing_positions
from gambol.world.simulation import Simulation

QUICK_EPS = 4e-2  # of the implicit pair, where its gait speed is still right


def timed_walk(seconds: float, *, eps: float, method: str = "implicit-pair") -> tuple[float, float]:
    """Simulated seconds per wall second of a walk, and steps a simulated second."""
    sim = settled(roach_world(), eps=eps, method=method)
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=2 * STEP_TIME)
    gait.reset(2 * STEP_TIME, time=float(sim.time))
    walker = Walker(sim, gait)
    steps, began = sim.counts["steps"], time.perf_counter()
    walker.run(seconds)
    took = time.perf_counter() - began
    return seconds / took, float(sim.counts["steps"] - steps) / seconds


def batch_throughput(worlds: int, seconds: float, eps: float) -> float:
    """Simulated seconds of all worlds per wall second, in packs on one thread."""
    sim = Simulation(roach_world(), stepping=stepping(eps), worlds=worlds, ledger=False)
    rng = np.random.default_rng(0)
    sim.reset(np.array([standing_positions(0.0175 + 2e-4 * rng.uniform()) for _ in range(worlds)]))
    sim.run(SETTLE)
    gait = PacemakerGait(legs(), step_time=STEP_TIME, cycle=2 * STEP_TIME, worlds=worlds)
    gait.reset(2 * STEP_TIME, time=SETTLE)
    walker = Walker(sim, gait)
    walker.run(0.05)
    began = time.perf_counter()
    walker.run(seconds)
    return worlds * seconds / (time.perf_counter() - began)


@experiment("roach-performance", source=f"{SOURCE}, 5.3 and 6", title="Simulated seconds per wall second")
def performance(desk: Desk) -> Iterator[Finding]:
    timed_walk(0.1, eps=QUICK_EPS)
    implicit = max(timed_walk(1.0, eps=QUICK_EPS)[0] for _ in range(3))
    reference = walk(seconds=3.0, eps=1e-3).speed(0.4)
    speed = walk(seconds=3.0, eps=QUICK_EPS).speed(0.4)
    yield desk.finding(
        "implicit pair, one core: simulated seconds per wall second",
        printed=1 / 288000,
        ours=implicit,
        unit="× real time",
        ok=implicit >= 20.0,
        reason=f"tolerance {QUICK_EPS:g}: {speed * 100:.2f} cm/s against {reference * 100:.2f} at 1e-3"
        f" ({100 * (speed / reference - 1):+.1f} %); to reach: 20",
    )
    explicit, steps = timed_walk(0.1 if desk.quick else 0.3, eps=10.0, method="rkf45")
    yield desk.finding(
        "explicit pair at the source's tolerance (eps 10)",
        printed=1 / 288000,
        ours=explicit,
        unit="× real time",
        beyond=True,
        reason=f"{steps:.0f} steps a simulated second",
    )
    worlds = 16 if desk.quick else 64
    packs = batch_throughput(worlds, 0.3, QUICK_EPS)
    yield desk.finding(
        f"{worlds} walkers in packs, lanes on their own clocks, one core: throughput against a single walker's",
        ours=packs / implicit,
        unit="times",
        ok=packs / implicit >= 5.0,
        reason=f"{packs:.0f} simulated seconds a second; to reach: 5 times",
    )
