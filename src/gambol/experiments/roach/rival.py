"""Two controllers over blocks and gaps: the pacemaker, and coupled oscillators with stumble and retraction."""

import numpy as np

from gambol import Grid, PacemakerGait, PhaseNetwork, Retraction, Simulation, StepError
from gambol.experiments.findings import Mean, beyond
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.roach.rough import WAVE_CYCLE, WAVE_LEGS, reflexes
from gambol.experiments.roach.walking import RoachWalk, draw_strip, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models.roach import STICKY, STICKY_FRICTION, legs, roach_world, settled_roach, upward
from gambol.plot import CURVE_COLOURS

BLOCK_CELL = 1.5e-3  # [m]
BLOCK_ROWS, BLOCK_COLUMNS = 200, 80
LEVEL_UNTIL = 0.035  # [m]: level up to here
RIVAL_SECONDS = 2.5


def _grid(table: np.ndarray) -> Grid:
    x0, y0 = -0.06, -0.5 * BLOCK_CELL * BLOCK_COLUMNS
    table[x0 + BLOCK_CELL * np.arange(BLOCK_ROWS) < LEVEL_UNTIL] = 0.0
    return Grid(table=tuple(map(tuple, table)), cell=BLOCK_CELL, x0=x0, y0=y0)


def blocks(height: float, seed: int) -> Grid:
    """Square blocks of 9 mm at random heights up to `height` [m]."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(0.0, height, (BLOCK_ROWS // 6 + 1, BLOCK_COLUMNS // 6 + 1))
    return _grid(np.kron(coarse, np.ones((6, 6)))[:BLOCK_ROWS, :BLOCK_COLUMNS])


def gaps(width: float, seed: int) -> Grid:
    """Ditches 5 mm deep and `width` [m] wide across the way, every 15 mm or so."""
    rng = np.random.default_rng(seed)
    table = np.zeros((BLOCK_ROWS, BLOCK_COLUMNS))
    x = 0
    while x < BLOCK_ROWS:
        x += round((0.015 + rng.uniform(-0.003, 0.003)) / BLOCK_CELL)
        table[x : x + max(round(width / BLOCK_CELL), 1)] = -5e-3
    return _grid(table)


BLOCK_TERRAINS = {
    "blocks of 3 mm": lambda seed: blocks(3e-3, seed),
    "blocks of 6 mm": lambda seed: blocks(6e-3, seed),
    "gaps of 3 mm": lambda seed: gaps(3e-3, seed),
    "gaps of 6 mm": lambda seed: gaps(6e-3, seed),
}


def foot_heights(sim: Simulation):
    """A function that gives the heights of the feet [m], (worlds, legs)."""
    return lambda: np.array([[sim.mechanics.point(sim.q, leg.foot)[2] for leg in legs()]])


def controllers(sim: Simulation) -> dict[str, dict]:
    """By name: how to walk."""
    lifts = {leg.name: (leg.joints[1], leg.step.strokes[1].target + 0.2 * upward(leg)) for leg in legs()}
    retraction = Retraction(lifts, depth=4.5e-3, heights=foot_heights(sim))
    return {
        "pacemaker": dict(gait=PacemakerGait),
        "pacemaker, reflexes": dict(gait=PacemakerGait, reflexes=reflexes()),
        "oscillators, stumble and retraction": dict(gait=PhaseNetwork, reflexes=[*reflexes(), retraction]),
    }


def walk_over(ground: Grid, name: str) -> RoachWalk | None:
    """A walk over a ground with one of the controllers; None where the stepper cannot follow it."""
    try:
        sim = settled_roach(roach_world(sticky=STICKY, friction=STICKY_FRICTION, terrain=ground))
        return walk(sim, cycle=WAVE_CYCLE, limbs=WAVE_LEGS, seconds=RIVAL_SECONDS, every=0.02, **controllers(sim)[name])
    except StepError:
        return None


TERRAIN_KEYS = dict(zip(("blocks-3", "blocks-6", "gaps-3", "gaps-6"), BLOCK_TERRAINS))
RIVALS = {"reflexes": "pacemaker, reflexes", "oscillators": "oscillators, stumble and retraction"}


@experiment(
    "roach-rival",
    f"{MCKENNA_1990}, beyond it",
    "Pacemaker and coupled oscillators over blocks and gaps",
    states=[
        beyond(
            f"{key}-{rival}",
            f"{title}: way in {RIVAL_SECONDS:g} s with {name}, more than the bare pacemaker's on the same ground",
            unit="cm",
        )
        for key, title in TERRAIN_KEYS.items()
        for rival, name in RIVALS.items()
    ],
    parameters={"grounds": Parameter(6, "random grounds of each kind")},
)
def rival(context: ExperimentContext) -> Findings:
    seeds = (1, 2) if context.quick else range(1, 1 + context.parameter("grounds"))
    names = ["pacemaker", "pacemaker, reflexes", "oscillators, stumble and retraction"]
    table = np.zeros((len(BLOCK_TERRAINS), len(names), len(seeds)))
    shown = None
    for (i, (title, make)), (j, name), (k, seed) in (
        (t, n, s) for t in enumerate(BLOCK_TERRAINS.items()) for n in enumerate(names) for s in enumerate(seeds)
    ):
        run = walk_over(make(seed), name)
        table[i, j, k] = run.distance() * 100 if run is not None and run.upright() else 0.0
        shown = run if run is not None and (i, j) == (1, 2) else shown
        context.log(f"{title}, {name}, ground {seed}: {table[i, j, k]:.1f} cm")
    y, title = f"way in {RIVAL_SECONDS:g} s [cm]", "over blocks and gaps (a fall counts as no way)"
    with context.axes("way", 8.0, 3.2, y=y, title=title) as axes:
        places = np.arange(len(BLOCK_TERRAINS))
        for j, name in enumerate(names):
            axes.bar(places + 0.27 * (j - 1), table[:, j].mean(axis=1), 0.25, color=CURVE_COLOURS[j], label=name)
        axes.set_xticks(places, list(BLOCK_TERRAINS), fontsize=8)
    if shown is not None:
        with context.picture("strip") as path:
            draw_strip(shown, path, times=np.linspace(0.5, 2.3, 6) + shown.time[0])
    for i, key in enumerate(TERRAIN_KEYS):
        for j, rival_key in enumerate(RIVALS, start=1):
            yield context.found(
                f"{key}-{rival_key}",
                Mean(table[i, j] - table[i, 0]),
                note=f"{table[i, 0].mean():.1f} → {table[i, j].mean():.1f} cm",
                seed=f"1–{len(seeds)}",
            )
