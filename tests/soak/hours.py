"""Simulated hours of figures in batches: finite states, memory and motion that stay flat; the energy account of one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .running import resident

LOOKS = 8  # at memory and motion, evenly over a run
ROOM = 50.0  # [MB] by which it may grow from the second look on
DRIFT = 0.5  # by which the motion of the last half may differ from that of the first, as a share
WORST = 0.1  # share of the energy turned over that may be the stepper's ("look", gambol.world.ledger)


def _roaches(worlds: int) -> Any:
    from gambol.models import walking_roach

    sim = walking_roach(worlds=worlds)
    sim.v = sim.v + 1e-3 * np.random.default_rng(0).normal(size=sim.v.shape)
    return sim


def _people(worlds: int) -> Any:
    from gambol import Simulation
    from gambol.models.person import person_world

    sim = Simulation(person_world(), worlds=worlds, stepping="implicit-pair")
    q = np.tile(np.asarray(sim.q)[:1], (worlds, 1))
    q[:, 0] += np.linspace(0.0, 1.0, worlds)
    sim.reset(q=q)
    return sim


def _hexapods(worlds: int) -> Any:
    from gambol import HybridRun
    from gambol.hybrid.models.compliant_hexapod import CompliantHexapod

    return HybridRun(CompliantHexapod(), worlds=worlds, keep_changes=False)


def _roach() -> Any:
    from gambol import Simulation
    from gambol.models import walking_roach
    from gambol.models.roach import roach_world, standing_positions
    from gambol.models.roach.walking import HEIGHT, SETTLE, stepping

    sim = Simulation(roach_world(), stepping=stepping(1e-2, "implicit-pair"))
    sim.reset(standing_positions(HEIGHT, sim.layout.figures[0]))
    sim.run(SETTLE)
    return walking_roach(sim)


def _person() -> Any:
    from gambol import Simulation
    from gambol.models.person import person_world

    return Simulation(person_world(), stepping="implicit-pair")


FIGURES: dict[str, tuple[Callable[[int], Any], Callable[[], Any] | None]] = {
    "roach": (_roaches, _roach),
    "person": (_people, _person),
    "hexapod": (_hexapods, None),  # hybrid systems keep no ledger
}


def hours(total: float, worlds: int, names: list[str], account: float, budget: float) -> bool:
    """So many hours of each figure, all worlds together; `account` [s] of a single one with its energy ledger.

    budget   [s] of the wall clock for each batch: what was simulated by then is told
    """
    good = True
    for name in names or FIGURES:
        many, one = FIGURES[name]
        good &= _batch(name, many(worlds), 3600.0 * total / worlds, budget)
        if one is not None and account > 0:
            good &= _account(name, one(), account)
    return good


def _batch(name: str, sim: Any, seconds: float, budget: float) -> bool:
    looks: list[tuple[float, float, float]] = []  # time [s], memory [MB], speed
    began, start, before = time.monotonic(), float(np.max(sim.time)), None
    step = min(0.5, seconds / (8 * LOOKS))
    count, last = round(seconds / step), 0.0
    for k in range(1, count + 1):
        sim.run(until=start + k * step)
        sim.events.clear()
        state = np.asarray(sim.v if hasattr(sim, "v") else sim.x)
        moved = state if hasattr(sim, "v") else (state - (state if before is None else before)) / step
        looks.append((k * step, resident(), float(np.sqrt(np.nanmean(np.square(moved))))))
        before, last = state, k * step
        if time.monotonic() - began > budget:
            break
    finite = bool(np.all(np.isfinite(sim.memory.read(np.arange(sim.memory.saved)))))
    parts = np.array_split(np.array(looks[1:]), LOOKS)
    sizes, speeds = [part[-1, 1] for part in parts], [float(np.mean(part[:, 2])) for part in parts]
    print(f"{name}: {sim.worlds} worlds x {last:.0f} s = {sim.worlds * last / 3600:.2f} h in "
          f"{time.monotonic() - began:.0f} s; finite: {finite}; {', '.join(f'{size:.0f}' for size in sizes)} MB; "
          f"rms of the speeds {', '.join(f'{speed:.3g}' for speed in speeds)}", flush=True)  # fmt: skip
    early, late = np.mean(speeds[: LOOKS // 2]), np.mean(speeds[LOOKS // 2 :])
    return finite and sizes[-1] - sizes[1] < ROOM and bool(late < (1.0 + DRIFT) * early + 1e-3)


def _account(name: str, sim: Any, seconds: float) -> bool:
    found, start = [], float(sim.time)
    for k in range(4):
        sim.run(until=start + seconds * (k + 1) / 4)
        sim.events.clear()
        found.append(sim.energy_ledger.verdict())
    told = ", ".join(f"{v.numerical:.3g} of {v.turnover:.3g} J ({v.word})" for v in found)
    print(f"{name}: one world, {seconds:.0f} s: the stepper's share at each quarter: {told}", flush=True)
    return found[-1].share < WORST and found[-1].share < 2.0 * found[0].share + 1e-3
