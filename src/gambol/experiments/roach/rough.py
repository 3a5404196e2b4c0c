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
from gambol.experiments.findings import MOSTLY, Mean, Rate, at_least, beyond, exactly, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.roach.walking import RoachWalk, draw_strip, starts, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models import walking_roach
from gambol.models.roach import (
    STICKY,
    STICKY_FRICTION,
    TUNED,
    adjusted_legs,
    backward,
    legs,
    roach_world,
    upward,
)

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


WAVE_LEGS = adjusted_legs(*TUNED)
"""The tuned programs: with the printed ones the wave gait on feet that stick rocks by 15° (roach-wave), and what is
normal for a leg is then hardly less than what a reflex should answer."""
CALIBRATION_HEIGHTS = np.linspace(0.0173, 0.0187, 4)  # [m] from which the walks that are calibrated by are dropped
CALIBRATION_SECONDS = 8.0


@cache
def calibration(cycle: float = WAVE_CYCLE) -> Ranges:
    """What the legs feel in undisturbed walking on level ground, from the first step on: of several walks, either side
    leading."""
    world, found = roach_world(sticky=STICKY, friction=STICKY_FRICTION), []
    for lead in ("left", "right"):
        sim = walking_roach(
            world, cycle=cycle, limbs=WAVE_LEGS, lead=lead, worlds=len(CALIBRATION_HEIGHTS), height=CALIBRATION_HEIGHTS
        )
        walk_ = cast(GaitController, sim.controllers[0])
        found.append(measure_ranges(sim, walk_, CALIBRATION_SECONDS, TOUCH_LOAD))
    return found[0].joined(found[1])


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
            {leg.name: (leg.joints[1], 0.6 * upward(leg)) for leg in legs()}, least=0.02 * ROACH_WEIGHT, margin=1.0
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


def times_acted(run: RoachWalk) -> int:
    """How often any reflex acted."""
    return sum(getattr(reflex, "count", 0) for reflex in run.gait.gait.reflexes)


def walk_over(height: float, seed: int, *, with_reflexes: bool, seconds: float, gait=None) -> RoachWalk | None:
    """A walk over uneven ground; None when it ends in a fall the stepper cannot follow."""
    world = roach_world(sticky=STICKY, friction=STICKY_FRICTION, terrain=uneven(height, seed))
    options = {} if gait is None else {"gait": gait}
    try:
        return walk(
            world,
            cycle=WAVE_CYCLE,
            limbs=WAVE_LEGS,
            seconds=seconds,
            every=0.02,
            reflexes=reflexes() if with_reflexes else (),
            **options,
        )
    except StepError:
        return None


GROUND_HEIGHTS = (2e-3, 4e-3, 6e-3, 8e-3, 12e-3)  # [m]
SILENT_SECONDS = 10.0


@experiment(
    "roach-terrain",
    f"{MCKENNA_1990}, 5.3",
    "Wave gait over uneven ground, without and with reflexes",
    states=[
        ours(
            "silent",
            f"reflexes stay silent in undisturbed walking on level ground: times that they act in {SILENT_SECONDS:g} s,"
            " of all starts",
            exactly(0, "none is needed there (the source left their calibration to be done)"),
        ),
        printed(
            "complies",
            "by compliance alone legs follow uneven ground and the figure makes way: share of the walks that end on"
            " their feet with a third of the way on level ground",
            "5.3, Animation 7",
            MOSTLY,
            value="walks",
        ),
        beyond(
            "gain",
            "with reflexes: farther on the same ground",
            at_least(0.0, "farther, with the whole interval"),
            unit="cm",
        ),
        beyond(
            "gain-rough", "… on ground of 8 mm and more", at_least(0.0, "farther, with the whole interval"), unit="cm"
        ),
        beyond("oscillators", "coupled oscillators with the same reflexes: farther than compliance alone", unit="cm"),
        ours("acted", "walks over uneven ground in which a reflex acts: share"),
    ],
    parameters={
        "grounds": Parameter(12, "random grounds of each height"),
        "seconds": Parameter(3.0, "length of each walk [s]"),
    },
)
def terrain(context: ExperimentContext) -> Findings:
    heights = (3e-3, 8e-3) if context.quick else GROUND_HEIGHTS
    seeds = range(1, 3) if context.quick else range(1, 1 + context.parameter("grounds"))
    seconds = 2.0 if context.quick else context.parameter("seconds")
    level = roach_world(sticky=STICKY, friction=STICKY_FRICTION)
    silent = [
        walk(level, cycle=WAVE_CYCLE, limbs=WAVE_LEGS, seconds=SILENT_SECONDS, every=0.02, reflexes=reflexes(), **start)
        for start in starts(2 if context.quick else 6)
    ]
    note = "; ".join(dict.fromkeys(counts(run) for run in silent))
    yield context.found("silent", sum(map(times_acted, silent)), note=f"{len(silent)} starts: {note}")
    flat = walk(level, cycle=WAVE_CYCLE, limbs=WAVE_LEGS, seconds=seconds, every=0.02).distance() * 100
    ways: dict[str, dict] = {
        "compliance alone": dict(with_reflexes=False),
        "with reflexes": dict(with_reflexes=True),
        "coupled oscillators with reflexes": dict(with_reflexes=True, gait=PhaseNetwork),
    }
    table = {name: np.zeros((len(heights), len(seeds))) for name in ways}  # a fall is no way
    acted = np.zeros((len(heights), len(seeds)), int)
    shown = None
    for (i, height), (j, seed), name in ((h, s, n) for h in enumerate(heights) for s in enumerate(seeds) for n in ways):
        run = walk_over(height, seed, seconds=seconds, **ways[name])
        if run is not None and run.upright():
            table[name][i, j] = run.distance() * 100
        if run is not None and name == "with reflexes":
            acted[i, j] = times_acted(run)
            if height == heights[len(heights) // 2] and shown is None:
                shown = run
        context.log(f"{name}, {height * 1e3:g} mm, ground {seed}: {table[name][i, j]:.1f} cm")
    _draw(context, 1e3 * np.array(heights), table, seconds)
    if shown is not None:
        with context.picture("strip") as path:
            draw_strip(shown, path, times=np.linspace(0.3, seconds * 0.9, 6) + shown.time[0])
    bare, helped, rival = table.values()
    told = f"1–{len(seeds)} on {len(heights)} heights"
    per_height = lambda rows: "; ".join(
        f"{h * 1e3:g} mm: {b.mean():.1f} → {r.mean():.1f}" for h, b, r in zip(heights, bare, rows)
    )
    yield context.found(
        "complies",
        Rate(int(np.sum(bare > flat / 3)), bare.size),
        note=f"{flat:.1f} cm on level ground, {bare.mean():.1f} cm on uneven",
        seed=told,
    )
    yield context.found("gain", Mean((helped - bare).ravel()), note=per_height(helped), seed=told)
    rough = np.array(heights) >= 8e-3
    yield context.found("gain-rough", Mean((helped - bare)[rough].ravel()), seed=told)
    yield context.found("oscillators", Mean((rival - bare).ravel()), note=per_height(rival), seed=told)
    yield context.found("acted", Rate(int(np.sum(acted > 0)), acted.size), note=f"{acted.sum()} times", seed=told)


def _draw(context: ExperimentContext, heights: np.ndarray, table: dict[str, np.ndarray], seconds: float) -> None:
    from gambol.plot.style import CURVE_COLOURS

    x, y, title = "height of the ground [mm]", f"way in {seconds:g} s [cm]", "wave gait over uneven ground"
    with context.axes("distance", 6.5, 3.2, x=x, y=y, title=title) as axes:
        for colour, (name, values) in zip(CURVE_COLOURS, table.items()):
            axes.plot(heights, values.mean(axis=1), "o-", color=colour, label=name)
            axes.plot(np.repeat(heights, values.shape[1]), values.ravel(), ".", color=colour, alpha=0.4)
