"""Wave gait over uneven ground: by compliance alone, with reflexes, and the rival controller."""

from functools import cache
from typing import cast

import numpy as np

from gambol import GaitController, Grid, PhaseNetwork, StepError
from gambol.control.legs.reflexes import (
    ElevatorReflex,
    LoadReflex,
    NeighbourInhibition,
    Ranges,
    SearchingReflex,
    StepReflex,
    measure_ranges,
)
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.walking import RoachWalk, draw_strip, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models import walking_roach
from gambol.models.roach import STICKY, STICKY_FRICTION, backward, legs, roach_world, upward

WAVE_CYCLE = 0.3  # [s]: a pure wave
TRIANGLE_CELL = 6e-3  # [m]
ROACH_WEIGHT = 0.0213  # [N]
TOUCH_LOAD = 0.01 * ROACH_WEIGHT  # [N] of load that is ground


def uneven(height: float, seed: int) -> Grid:
    """Triangles between random heights from 0 to `height` [m], level where the roach starts."""
    rng = np.random.default_rng(seed)
    rows, columns = 90, 60
    table = rng.uniform(0.0, height, (rows, columns))
    x0, y0 = -0.06, -0.5 * TRIANGLE_CELL * columns
    x = x0 + TRIANGLE_CELL * np.arange(rows)
    table[x < 0.035] = 0.0
    return Grid(table=tuple(map(tuple, table)), cell=TRIANGLE_CELL, x0=x0, y0=y0)


@cache
def calibration(cycle: float = WAVE_CYCLE) -> Ranges:
    """What the legs feel in undisturbed walking on level ground, from the first step on."""
    sim = walking_roach(roach_world(sticky=STICKY, friction=STICKY_FRICTION), cycle=cycle)
    return measure_ranges(sim, cast(GaitController, sim.controllers[0]), max(12 * cycle, 4.0), TOUCH_LOAD)


def reflexes(cycle: float = WAVE_CYCLE) -> list:
    """The whole set, with triggers just outside what undisturbed walking shows."""
    felt = calibration(cycle)
    first, second = ({leg.name: leg.joints[k] for leg in legs()} for k in (0, 1))
    signs = {leg.name: backward(leg) for leg in legs()}
    return [
        felt.step_reflex(first, signs, margin=0.1),
        felt.load_reflex(second, margin=0.3),
        NeighbourInhibition(),
        felt.elevator_reflex(
            {leg.name: (leg.joints[1], 0.35 * upward(leg)) for leg in legs()}, least=0.02 * ROACH_WEIGHT, margin=1.0
        ),
        felt.searching_reflex(
            {leg.name: (leg.joints[1], -0.1 * upward(leg)) for leg in legs()}, TOUCH_LOAD, margin=0.04
        ),
    ]


def counts(run: RoachWalk) -> str:
    """How often each reflex acted."""
    names = {StepReflex: "step", LoadReflex: "load", ElevatorReflex: "elevator", SearchingReflex: "searching"}
    found = [(names[type(r)], getattr(r, "count", 0)) for r in run.gait.gait.reflexes if type(r) in names]
    return ", ".join(f"{name} {count}" for name, count in found)


def walk_over(height: float, seed: int, *, with_reflexes: bool, seconds: float, gait=None) -> RoachWalk | None:
    """A walk over uneven ground; None when it ends in a fall the stepper cannot follow."""
    world = roach_world(sticky=STICKY, friction=STICKY_FRICTION, terrain=uneven(height, seed))
    options = {} if gait is None else {"gait": gait}
    try:
        return walk(
            world,
            cycle=WAVE_CYCLE,
            seconds=seconds,
            every=0.02,
            reflexes=reflexes() if with_reflexes else (),
            **options,
        )
    except StepError:
        return None


@experiment("roach-terrain", f"{MCKENNA_1990}, 5.3", "Wave gait over uneven ground, without and with reflexes")
def terrain(context: ExperimentContext) -> Findings:
    heights = (0.0, 3e-3, 6e-3) if context.quick else (0.0, 2e-3, 4e-3, 6e-3, 8e-3)
    seeds = (1, 2) if context.quick else (1, 2, 3, 4, 5, 6)
    seconds = 2.0 if context.quick else 3.0
    silent = walk(
        roach_world(sticky=STICKY, friction=STICKY_FRICTION), cycle=WAVE_CYCLE, seconds=2.0, reflexes=reflexes()
    )
    yield context.finding(
        "reflexes stay silent in undisturbed walking on level ground",
        printed="to be calibrated",
        ours=counts(silent),
        unit="times in 2 s",
        ok=all(getattr(r, "count", 0) == 0 for r in silent.gait.gait.reflexes),
        note="triggers lie just outside the range seen in 4 s of undisturbed walking",
    )
    ways: dict[str, dict] = {
        "compliance alone": dict(with_reflexes=False),
        "with reflexes": dict(with_reflexes=True),
        "coupled oscillators with reflexes": dict(with_reflexes=True, gait=PhaseNetwork),
    }
    table = {name: np.full((len(heights), len(seeds)), np.nan) for name in ways}
    shown = None
    for (i, height), (j, seed), name in ((h, s, n) for h in enumerate(heights) for s in enumerate(seeds) for n in ways):
        run = walk_over(height, seed, seconds=seconds, **ways[name])
        if run is not None and run.upright():
            table[name][i, j] = run.distance() * 100
            if name == "with reflexes" and height == heights[len(heights) // 2] and shown is None:
                shown = run
        context.log(f"{name}, {height * 1e3:g} mm, ground {seed}: {table[name][i, j]:.1f} cm")
    _draw(context, 1e3 * np.array(heights), table, seconds)
    if shown is not None:
        with context.picture("strip") as path:
            draw_strip(shown, path, times=np.linspace(0.3, seconds * 0.9, 6) + shown.time[0])
    bare, helped = (np.nan_to_num(table[name]) for name in list(ways)[:2])
    rough = bare[1:].mean()
    yield context.finding(
        "legs comply with the terrain, the figure makes way by compliance alone",
        printed="walks",
        ours=float(rough),
        unit=f"cm in {seconds:g} s, mean over ground 1–{heights[-1] * 1e3:g} mm high",
        ok=rough > 0.3 * bare[0].mean(),
        note=f"{bare[0].mean():.1f} cm on level ground",
    )
    yield context.finding(
        "with reflexes: farther, or rougher",
        ours=float(helped[1:].mean() - rough),
        unit="cm more",
        beyond=True,
        note="; ".join(f"{h * 1e3:g} mm: {b.mean():.1f} → {r.mean():.1f}" for h, b, r in zip(heights, bare, helped)),
    )
    rival = np.nan_to_num(table["coupled oscillators with reflexes"])
    yield context.finding(
        "coupled phase oscillators with the same reflexes",
        ours=float(rival[1:].mean()),
        unit="cm",
        beyond=True,
        note="; ".join(f"{h * 1e3:g} mm: {r.mean():.1f}" for h, r in zip(heights, rival)),
    )


def _draw(context: ExperimentContext, heights: np.ndarray, table: dict[str, np.ndarray], seconds: float) -> None:
    from gambol.plot.style import CURVES

    x, y, title = "height of the ground [mm]", f"way in {seconds:g} s [cm]", "wave gait over uneven ground"
    with context.axes("distance", 6.5, 3.2, x=x, y=y, title=title) as axes:
        for colour, (name, values) in zip(CURVES, table.items()):
            axes.plot(heights, np.nan_to_num(values).mean(axis=1), "o-", color=colour, label=name)
            axes.plot(np.repeat(heights, values.shape[1]), values.ravel(), ".", color=colour, alpha=0.4)
