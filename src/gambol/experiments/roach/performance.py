"""How fast the roach is simulated, beside the source's 80 hours a second."""

import time

import numpy as np

from gambol import Simulation
from gambol.experiments.findings import at_least, beyond, ours, within
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.walking import walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models import walking_roach
from gambol.plot import bar_chart, save

QUICK_EPS = 4e-2  # tolerance of the implicit pair at which the gait's speed is still right to 2 %
SOURCE_EPS = 10.0  # of the explicit pair, the source's
REQUIRED_SPEED, REQUIRED_PACK_GAIN = 20.0, 5.0
BATCH_WORLDS = 64
BATCH_SECONDS, BATCH_SAMPLE = 1.0, 0.01  # of a run, and between the samples that it keeps [s]
CONVERGED_EPS = 1.0  # eps of the explicit pair; at the source's 10 the gait is a third slower
SPEED_TOLERANCE = 0.02


def started_walker(*, eps: float, method: str = "implicit-pair", worlds: int = 1, dtype=np.float64) -> Simulation:
    """A roach (or many, dropped from heights of their own) that has begun to walk in a tripod."""
    height = (0.0175 + 1e-5 * np.arange(worlds)).tolist()
    sim = walking_roach(eps=eps, method=method, worlds=worlds, dtype=dtype, height=height)
    sim.run(0.05)
    return sim


def simulation_rates(sim: Simulation, seconds: float, every: float | None = None) -> np.ndarray:
    """Simulated seconds (of all worlds) per wall second, and per second of processor time.

    On a machine that others use, the short run of one world finds a moment for itself and the long one of a batch does
    not: by processor time, which is wall time where nobody else is, they can be compared.
    """
    began = np.array([time.perf_counter(), time.process_time()])
    sim.run(seconds, every=every)
    return sim.worlds * seconds / (np.array([time.perf_counter(), time.process_time()]) - began)


def core_rate(sim: Simulation, seconds: float, every: float | None = None) -> float:
    """Simulated seconds (of all worlds) per second of processor time."""
    return float(simulation_rates(sim, seconds, every)[1])


@experiment(
    "roach-performance",
    f"{MCKENNA_1990}, 5.3 and 6",
    "Simulated seconds per second of a core",
    states=[
        beyond(
            "implicit",
            "implicit pair: simulated seconds per second of processor time (4 minutes a 1/1200 s are printed)",
            at_least(REQUIRED_SPEED, "what was asked of it before it was built"),
            value=1 / 288000,
            where="5.3",
            unit="× real time",
            differs="the clock of the machine decides, and what else computes on it",
            timed=True,
        ),
        ours(
            "speed-error",
            f"gait speed of the implicit pair at tolerance {QUICK_EPS:g}, beside the explicit pair's when converged",
            within(0.0, 100 * SPEED_TOLERANCE, "what was asked of the tolerance"),
            unit="%",
            full=True,
        ),
        beyond(
            "explicit",
            "explicit pair at the source's tolerance (eps 10)",
            value=1 / 288000,
            where="5.3",
            unit="× real time",
            timed=True,
        ),
        *(
            beyond(
                f"packs-{name}",
                f"{BATCH_WORLDS} walkers in packs of {name}, each on its own clock: throughput of a core against one",
                at_least(REQUIRED_PACK_GAIN, "what was asked of packs before they were built"),
                unit="times",
                differs="a pack holds half as many float64 as float32",
                timed=True,
            )
            for name in ("float32", "float64")
        ),
    ],
)
def performance(context: ExperimentContext) -> Findings:
    walker = started_walker(eps=QUICK_EPS)
    implicit = max(core_rate(walker, 0.3) for _ in range(3 if context.quick else 5))
    seconds = 1.5 if context.quick else 3.0
    reference, speed = (walk(seconds=seconds, eps=eps).speed(0.4) for eps in (1e-3, QUICK_EPS))
    yield context.found(
        "implicit",
        implicit,
        note=f"tolerance {QUICK_EPS:g}: {speed * 100:.2f} cm/s against {reference * 100:.2f} at 1e-3"
        f" ({100 * (speed / reference - 1):+.1f} %)",
    )
    if not context.quick:  # minutes
        converged = walk(seconds=seconds, eps=CONVERGED_EPS, method="rkf45").speed(0.4)
        yield context.found(
            "speed-error",
            100 * (speed / converged - 1),
            note=f"{speed * 100:.2f} against {converged * 100:.2f} cm/s",
        )
    explicit = started_walker(eps=SOURCE_EPS, method="rkf45")
    before, speed_up = (
        explicit.counts["steps"],
        core_rate(explicit, 0.02 if context.quick else 0.1),
    )
    yield context.found("explicit", speed_up, note=f"{explicit.counts['steps'] - before:.0f} steps")
    alone = max(core_rate(walker, BATCH_SECONDS, BATCH_SAMPLE) for _ in range(3))
    packed: dict[str, float] = {}
    for dtype in (np.float32, np.float64):
        many = started_walker(eps=QUICK_EPS, worlds=BATCH_WORLDS, dtype=dtype)
        packed[str(np.dtype(dtype))] = max(core_rate(many, BATCH_SECONDS, BATCH_SAMPLE) for _ in range(2))
    shown = {"McKenna 1990": 1 / 288000, "explicit pair": speed_up, "implicit pair": implicit}
    shown |= {f"{BATCH_WORLDS} in packs, {name}": packs for name, packs in packed.items()}
    with context.picture("rates") as path:
        across = "simulated seconds a second"
        picture = bar_chart(shown, across=across, title="A walking roach on one core", logarithmic=True, start=1e-6)
        save(picture, path)
    for name, packs in packed.items():
        yield context.found(f"packs-{name}", packs / alone, note=f"{packs:.0f} simulated seconds a second")
