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

    return walking_roach(worlds=worlds, cycle=np.linspace(0.2, 0.4, worlds))


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


def hours(total: float, worlds: int, names: list[str], account: float) -> bool:
    """So many hours of each figure, all worlds together; `account` [s] of a single one with its energy ledger."""
    good = True
    for name in names or FIGURES:
        many, one = FIGURES[name]
        good &= _batch(name, many(worlds), 3600.0 * total / worlds)
        if one is not None and account > 0:
            good &= _account(name, one(), account)
    return good


def _batch(name: str, sim: Any, seconds: float) -> bool:
    began, sizes, speeds = time.monotonic(), [], []
    start = float(np.max(sim.time))
    for k in range(LOOKS):
        fast = []
        for part in range(8):
            sim.run(until=start + seconds * (k + (part + 1) / 8) / LOOKS)
            sim.events.clear()
            fast.append(np.sqrt(np.mean(np.square(sim.v if hasattr(sim, "v") else sim.x))))
        sizes.append(resident())
        speeds.append(float(np.mean(fast)))
    finite = bool(np.all(np.isfinite(sim.memory.read(np.arange(sim.memory.saved)))))
    grown = sizes[-1] - sizes[1]
    print(f"{name}: {sim.worlds} worlds x {seconds:.0f} s = {sim.worlds * seconds / 3600:.2f} h in "
          f"{time.monotonic() - began:.0f} s; finite: {finite}; {', '.join(f'{size:.0f}' for size in sizes)} MB; "
          f"rms of the states' speeds {', '.join(f'{speed:.3g}' for speed in speeds)}", flush=True)  # fmt: skip
    first, last = np.mean(speeds[: LOOKS // 2]), np.mean(speeds[LOOKS // 2 :])
    return finite and grown < ROOM and last < (1.0 + DRIFT) * first + 1e-3


def _account(name: str, sim: Any, seconds: float) -> bool:
    found, start = [], float(sim.time)
    for k in range(4):
        sim.run(until=start + seconds * (k + 1) / 4)
        sim.events.clear()
        found.append(sim.energy_ledger.verdict())
    told = ", ".join(f"{v.numerical:.3g} of {v.turnover:.3g} J ({v.word})" for v in found)
    print(f"{name}: one world, {seconds:.0f} s: the stepper's share at each quarter: {told}", flush=True)
    return found[-1].share < WORST and found[-1].share < 2.0 * found[0].share + 1e-3
