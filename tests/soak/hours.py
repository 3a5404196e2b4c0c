"""Simulated hours of figures in batches: finite states, memory and motion that stay flat; energy accounts.

roach     walks, in packs; its account: one roach that walks
person    90 degrees of freedom, float32; falls and comes to lie, and is stood up with a push every 20 s; its account:
          one person that walks
hexapod   the compliant one, which runs; hybrid systems keep no account
walker    people that walk, one a process (a fall sets it on its feet again, and is counted)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .lasting import resident
from .spreading import Lost, spread

LOOKS = 8  # at memory and motion, evenly over a run
ROOM = 50.0  # [MB] by which it may grow from the second look on
DRIFT = 0.5  # by which the motion of the last half may differ from that of the first, as a share
WORST = 0.1  # share of the energy turned over that may be the stepper's ("look", gambol.world.ledger)
STOOD_UP = 20.0  # [s] after which people stand again
PUSH = 0.3  # [rad/s and m/s] of their speeds then, one standard deviation
STEADY = 1.5  # how many times as fast as in the first half the stepper may make or lose energy in the second


def _roaches(worlds: int, seed: int) -> Any:
    from gambol.models import walking_roach

    sim = walking_roach(worlds=worlds)
    sim.v = sim.v + 1e-3 * np.random.default_rng(seed).normal(size=sim.v.shape)
    return sim


def _people(worlds: int, seed: int) -> Any:
    from gambol import Simulation
    from gambol.models.person import person_world

    sim = Simulation(person_world(), worlds=worlds, stepping="implicit-pair", dtype=np.float32)
    q = np.tile(np.asarray(sim.q)[:1], (worlds, 1))
    q[:, 0] += np.linspace(0.0, 1.0, worlds) + seed
    chance = np.random.default_rng(seed)

    def stand_up(run: Any) -> None:
        run.q, run.v = q, PUSH * chance.normal(size=run.v.shape)
        run.at(float(np.max(run.time)) + STOOD_UP, stand_up)

    sim.reset(q=q)
    sim.at(0.0, stand_up)
    return sim


def _hexapods(worlds: int, seed: int) -> Any:
    from gambol import HybridRun
    from gambol.hybrid.models.compliant_hexapod import CompliantHexapod

    return HybridRun(CompliantHexapod(), worlds=worlds, keep_changes=False)


def _roach(seed: int) -> Any:
    from gambol import Simulation
    from gambol.models import walking_roach
    from gambol.models.roach import roach_world, standing_positions
    from gambol.models.roach.walking import HEIGHT, SETTLE, stepping

    sim = Simulation(roach_world(), stepping=stepping(1e-2, "implicit-pair"))
    sim.reset(standing_positions(HEIGHT * (1.0 + 1e-3 * seed), sim.layout.figures[0]))
    sim.run(SETTLE)
    return walking_roach(sim)


def _walker(seed: int = 0, ledger: bool = True) -> Any:
    """A person that walks, as `walking_simulation` has it, with its ledger."""
    from gambol import Simulation
    from gambol.control.biped.gait import REFERENCE_SPEED
    from gambol.control.biped.striding import Stride
    from gambol.models.person import tuned_walk, walking_world
    from gambol.models.person.walking import WALK_STEPPING, soles_of, walking_start

    world, walk = walking_world(), tuned_walk()
    sim = Simulation(world, stepping=WALK_STEPPING, ledger=ledger)
    sim.reset(*walking_start(world.layout.figures[0], walk.gait))
    sim.attach(Stride(walk, soles_of(world), speed=REFERENCE_SPEED * (1.0 - 0.002 * seed)))
    return sim


FIGURES: dict[str, tuple[Callable[[int, int], Any] | None, Callable[[int], Any] | None]] = {
    "roach": (_roaches, _roach),
    "person": (_people, _walker),
    "hexapod": (_hexapods, None),
    "walker": (None, None),
}


def hours(given: Any) -> dict[str, Any]:
    """So many hours of each figure, all worlds of all processes together; `account` [s] of single ones."""
    jobs: list[tuple[str, str, int, float, int, float]] = []
    processes = max(given.processes, 1)
    for name in given.figures or FIGURES:
        many, one = FIGURES[name]
        for k in range(processes):
            seed = given.seed + k
            worlds = given.worlds if many else 1
            jobs.append((name, "batch" if many else "walk", seed, 3600.0 * given.hours / (worlds * processes), worlds,
                         given.budget))  # fmt: skip
        if one is not None and given.account > 0:
            jobs += [(name, "account", given.seed + k, given.account / processes, 1, given.budget)
                     for k in range(processes)]  # fmt: skip
    found: dict[str, list[dict[str, Any]]] = {}
    for (name, kind, *_), came in spread(_do, jobs, given.processes):
        lost = isinstance(came, Lost)
        result = {"held": False, "hours": 0.0, "told": f"lost: {came.why}"} if lost else came
        found.setdefault(f"{name} {kind}", []).append(result)
        print(f"{name} {kind}: {result['told']}", flush=True)
        given.report.write({"runs": found})
    totals = {key: sum(r["hours"] for r in results) for key, results in found.items()}
    print("in all:", ", ".join(f"{key} {total:.2f} h" for key, total in totals.items()))
    held = all(result["held"] for results in found.values() for result in results)
    return {"held": held, "hours": totals, "runs": found}


def _do(name: str, kind: str, seed: int, seconds: float, worlds: int, budget: float) -> dict[str, Any]:
    many, one = FIGURES[name]
    if kind == "batch" and many is not None:
        return _batch(many(worlds, seed), seconds, budget)
    if kind == "account" and one is not None:
        return _account(one(seed), seconds, budget)
    return _walk(seed, seconds, budget)


def _batch(sim: Any, seconds: float, budget: float) -> dict[str, Any]:
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
    early, late = np.mean(speeds[: LOOKS // 2]), np.mean(speeds[LOOKS // 2 :])
    told = (f"{sim.worlds} worlds x {last:.0f} s = {sim.worlds * last / 3600:.2f} h in "
            f"{time.monotonic() - began:.0f} s; finite: {finite}; {', '.join(f'{size:.0f}' for size in sizes)} MB; "
            f"rms of the speeds {', '.join(f'{speed:.3g}' for speed in speeds)}")  # fmt: skip
    held = finite and sizes[-1] - sizes[1] < ROOM and bool(late < (1.0 + DRIFT) * early + 1e-3)
    found = {"held": held, "hours": sim.worlds * last / 3600, "finite": finite, "memory_mb": sizes, "speeds": speeds}
    return found | {"told": told}


def _account(sim: Any, seconds: float, budget: float) -> dict[str, Any]:
    found, start, began = [], float(sim.time), time.monotonic()
    for k in range(LOOKS):
        sim.run(until=start + seconds * (k + 1) / LOOKS)
        sim.events.clear()
        found.append(sim.energy_ledger.verdict())
        if time.monotonic() - began > budget and len(found) > 1:
            break
    last, made = float(sim.time) - start, np.array([0.0, *(v.numerical for v in found)])
    told = ", ".join(f"{v.numerical:.3g} of {v.turnover:.3g} J ({v.word})" for v in found)
    half = len(made) // 2
    early, late = abs(made[half] - made[0]) / half, abs(made[-1] - made[half]) / (len(made) - 1 - half)
    return {
        "held": bool(found[-1].share < WORST and late < STEADY * early + 1e-3 * found[-1].turnover / len(found)),
        "hours": last / 3600,
        "shares": [v.share for v in found],
        "made_j_per_s": [early * len(found) / last, late * len(found) / last],
        "memory_mb": [resident()],
        "told": f"one world, {last:.0f} s in {time.monotonic() - began:.0f} s: the stepper's share so far: {told}",
    }


def _walk(seed: int, seconds: float, budget: float) -> dict[str, Any]:
    """A walking person; where it falls it begins again. Falls are counted, not judged: staying up is not asked here."""
    from gambol.models.person import fallen

    began, sizes, falls, done, longest, since = time.monotonic(), [], 0, 0.0, 0.0, 0.0
    sim = _walker(seed, ledger=False)
    fresh = sim.save()
    finite = True
    while done < seconds and time.monotonic() - began < budget:
        sim.run(5.0)
        sim.events.clear()
        done, since = done + 5.0, since + 5.0
        sizes.append(resident())
        finite &= bool(np.all(np.isfinite(np.asarray(sim.v))))
        if fallen(sim):
            falls, longest, since = falls + 1, max(longest, since), 0.0
            sim.restore(fresh)
    longest = max(longest, since)
    grown = sizes[-1] - sizes[len(sizes) // 2]
    told = f"{done:.0f} s in {time.monotonic() - began:.0f} s; {falls} falls, longest walk {longest:.0f} s; "
    told += f"finite: {finite}; {sizes[0]:.0f} to {sizes[-1]:.0f} MB"
    found = {"held": finite and grown < ROOM, "hours": done / 3600, "falls": falls, "longest_walk_s": longest}
    return found | {"finite": finite, "memory_mb": sizes[:: max(len(sizes) // 8, 1)], "told": told}
