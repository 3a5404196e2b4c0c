"""How fast the roach is simulated, beside the source's 80 hours a second."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from gambol.experiments.registry import Desk, Finding, experiment
from gambol.experiments.roach.walking import SOURCE, walk
from gambol.models.roach import walking_roach
from gambol.plot.bars import bar_chart
from gambol.plot.style import save
from gambol.world.simulation import Simulation

QUICK = 4e-2  # tolerance of the implicit pair at which the gait's speed is still right to 2 %
SOURCE_EPS = 10.0  # of the explicit pair, the source's
REAL_TIME, PACKED = 20.0, 5.0
WORLDS = 64
SECONDS, EVERY = 1.0, 0.01  # of a run, and between the samples that it keeps [s]
CONVERGED = 1.0  # eps of the explicit pair; at the source's 10 the gait is a third slower
NEAR = 0.02


def walking(*, eps: float, method: str = "implicit-pair", worlds: int = 1, dtype=np.float64) -> Simulation:
    """A roach (or many, dropped from heights of their own) that has begun to walk in a tripod."""
    height = (0.0175 + 1e-5 * np.arange(worlds)).tolist()
    sim = walking_roach(eps=eps, method=method, worlds=worlds, dtype=dtype, height=height)
    sim.run(0.05)
    return sim


def rates(sim: Simulation, seconds: float, every: float | None = None) -> np.ndarray:
    """Simulated seconds (of all worlds) per wall second, and per second of processor time.

    On a machine that others use, the short run of one world finds a moment for itself and the long one of a batch does
    not: the two are compared by processor time, which is wall time where nobody else is.
    """
    began = np.array([time.perf_counter(), time.process_time()])
    sim.run(seconds, every=every)
    return sim.worlds * seconds / (np.array([time.perf_counter(), time.process_time()]) - began)


@experiment("roach-performance", source=f"{SOURCE}, 5.3 and 6", title="Simulated seconds per wall second")
def performance(desk: Desk) -> Iterator[Finding]:
    walker = walking(eps=QUICK)
    implicit = max(float(rates(walker, 0.3)[0]) for _ in range(3 if desk.quick else 5))
    seconds = 1.5 if desk.quick else 3.0
    reference, speed = (walk(seconds=seconds, eps=eps).speed(0.4) for eps in (1e-3, QUICK))
    yield desk.finding(
        "implicit pair, one core: simulated seconds per wall second",
        printed=1 / 288000,
        ours=implicit,
        unit="× real time",
        ok=implicit >= REAL_TIME,
        note=f"tolerance {QUICK:g}: {speed * 100:.2f} cm/s against {reference * 100:.2f} at 1e-3"
        f" ({100 * (speed / reference - 1):+.1f} %); to reach: {REAL_TIME:g}",
    )
    if not desk.quick:  # minutes
        converged = walk(seconds=seconds, eps=CONVERGED, method="rkf45").speed(0.4)
        yield desk.finding(
            f"gait speed of the implicit pair at tolerance {QUICK:g}, beside the explicit pair's when converged",
            ours=100 * (speed / converged - 1),
            unit="%",
            ok=abs(speed / converged - 1) < NEAR,
            note=f"{speed * 100:.2f} against {converged * 100:.2f} cm/s; to reach: {100 * NEAR:g} %",
        )
    explicit = walking(eps=SOURCE_EPS, method="rkf45")
    before, speed_up = explicit.counts["steps"], float(rates(explicit, 0.02 if desk.quick else 0.1)[0])
    yield desk.finding(
        "explicit pair at the source's tolerance (eps 10)",
        printed=1 / 288000,
        ours=speed_up,
        unit="× real time",
        beyond=True,
        note=f"{explicit.counts['steps'] - before:.0f} steps",
    )
    alone = max(float(rates(walker, SECONDS, EVERY)[1]) for _ in range(3))  # by processor time, as the batches
    packed: dict[str, float] = {}
    for dtype in (np.float32, np.float64):
        many = walking(eps=QUICK, worlds=WORLDS, dtype=dtype)
        packed[str(np.dtype(dtype))] = max(float(rates(many, SECONDS, EVERY)[1]) for _ in range(2))
    shown = {"McKenna 1990": 1 / 288000, "explicit pair": speed_up, "implicit pair": implicit}
    shown |= {f"{WORLDS} in packs, {name}": packs for name, packs in packed.items()}
    with desk.picture("rates") as path:
        across = "simulated seconds a second"
        picture = bar_chart(shown, across=across, title="A walking roach on one core", logarithmic=True, start=1e-6)
        save(picture, path)
    for name, packs in packed.items():
        yield desk.finding(
            f"{WORLDS} walkers in packs of {name}, each on its own clock: throughput of a core against one",
            ours=packs / alone,
            unit="times",
            ok=packs / alone >= PACKED,
            note=f"{packs:.0f} simulated seconds a second; to reach: {PACKED:g} times",
        )
