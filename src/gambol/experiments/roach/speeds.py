"""Steady walking over the whole range of speeds, straight walking, and what makes the heading drift."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol import Leg, StepError
from gambol.experiments.findings import at_least, at_most, beyond, ours, within
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.walking import NORMAL_EPS, TIGHT_EPS, RoachWalk, draw_paths, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models.roach import PRINTED, TUNED, adjusted_legs
from gambol.plot import CURVE_COLOURS, canvas, dress

WALK_CYCLES = (0.1, 0.12, 0.15, 0.175, 0.2, 0.25, 0.3, 0.4, 0.6)
EXPLICIT_CYCLES = {"fast": 0.1, "slow": 0.175}  # [s]
TRIPOD_STROKE = 0.0055  # [m] a cycle: what the source's tripod makes


def try_walk(limbs: tuple[Leg, ...], cycle: float, **options) -> RoachWalk | None:
    """A short walk; None where the stepper cannot follow it."""
    try:
        return walk(cycle=cycle, seconds=1.2, limbs=limbs, **options)
    except StepError:
        return None


def objective(limbs: tuple[Leg, ...], cycles=WALK_CYCLES[:7], eps: float = NORMAL_EPS) -> float:
    """What the search makes as large as it can: way per cycle up to STROKE, less turning and falling."""
    total = 0.0
    for cycle in cycles:
        run = try_walk(limbs, cycle, eps=eps)
        if run is None:
            total -= 0.1 * cycle / TRIPOD_STROKE + 2.0
        else:
            way, turning = run.speed(0.3) * cycle / TRIPOD_STROKE, abs(np.degrees(run.turning(0.3)))
            total += min(way, 1.0) - 0.004 * turning - (0.0 if run.upright() else 2.0)
    return total


def search_programs(seed: int = 3, evaluations: int = 44, log=lambda text: None) -> np.ndarray:
    """A random search from the printed set: a better trial is kept and widens the search, a worse one narrows it."""
    rng = np.random.default_rng(seed)
    best = np.array(PRINTED)
    value, width = objective(adjusted_legs(*best)), np.array([0.15, 0.15, 0.15, 0.2, 0.2])
    for k in range(evaluations):
        trial = best + width * rng.normal(size=5)
        found = objective(adjusted_legs(*trial))
        if found > value:
            best, value, width = trial, found, 1.1 * width
            log(f"trial {k}: {value:.3f} at {np.round(best, 3)}")
        else:
            width = np.maximum(0.985 * width, 0.01)
    return best


@experiment(
    "roach-speeds",
    f"beyond {MCKENNA_1990}, 5.3",
    "Steady walking over the whole range of speeds",
    states=[
        beyond(
            "least-stride",
            "the tuned set walks forward at every cycle time (the source reports no slow gait on level ground; its"
            " printed set goes backward at 0.15–0.2 s here): least way a cycle",
            at_least(1.8, "a third of the tripod's 5.5 mm"),
            unit="mm",
        ),
        ours(
            "tolerance",
            "the tuned set survives a tolerance ten times tighter: largest change of speed",
            at_most(25.0, "the factor that “about” is"),
            unit="%",
        ),
        *(
            ours(
                f"explicit-{key}",
                f"the tuned set by the explicit stepper, cycle {cycle:g} s: its speed, less the implicit pair's",
                within(0.0, 10.0, "the change of speed with the tolerance at these cycles"),
                unit="%",
                full=True,
            )
            for key, cycle in EXPLICIT_CYCLES.items()
        ),
    ],
)
def speeds(context: ExperimentContext) -> Findings:
    cycles = WALK_CYCLES[::2] if context.quick else WALK_CYCLES
    sets = {"printed": adjusted_legs(*PRINTED), "tuned": adjusted_legs(*TUNED)}
    table: dict[str, list[tuple[float, float]]] = {name: [] for name in sets}
    exact = []
    for cycle in cycles:
        for name, limbs in sets.items():
            run = try_walk(limbs, cycle, eps=NORMAL_EPS)
            table[name].append((run.speed(0.3) * 100, np.degrees(run.turning(0.3))) if run else (np.nan, np.nan))
            context.log(f"{name} set, cycle {cycle:g} s: {table[name][-1][0]:.1f} cm/s, {table[name][-1][1]:+.0f}°/s")
        run = try_walk(sets["tuned"], cycle, eps=TIGHT_EPS)
        exact.append(run.speed(0.3) * 100 if run else np.nan)
    context.save("speeds", _draw(cycles, table, exact))
    tuned = np.array(table["tuned"])
    worst = float(np.min(tuned[:, 0] * np.array(cycles)) * 10)
    changes = "; ".join(
        f"{c:g} s: {p[0]:.1f} → {t[0]:.1f}" for c, p, t in zip(cycles, table["printed"], table["tuned"])
    )
    yield context.found("least-stride", worst, note=f"printed set → tuned set [cm/s]: {changes}")
    change = float(np.nanmax(np.abs(np.array(exact) / tuned[:, 0] - 1.0)))
    yield context.found("tolerance", 100 * change, note=f"tolerance {NORMAL_EPS:g} against {TIGHT_EPS:g}")
    if not context.quick:
        yield from explicit(context, sets["tuned"])


def explicit(context: ExperimentContext, limbs: tuple[Leg, ...]) -> Findings:
    """The same set by the explicit pair."""
    for key, cycle in EXPLICIT_CYCLES.items():
        pair = walk(cycle=cycle, seconds=0.8, limbs=limbs, eps=TIGHT_EPS)
        oracle = walk(cycle=cycle, seconds=0.8, limbs=limbs, method="rkf45", eps=1.0)
        fast, slow = pair.speed(0.3) * 100, oracle.speed(0.3) * 100
        yield context.found(f"explicit-{key}", 100 * (slow / fast - 1.0), note=f"{slow:.2f} against {fast:.2f} cm/s")


def _draw(cycles, table, exact) -> Canvas:
    picture = canvas(8.5, 3.0)
    left, right = picture.subplots(1, 2)
    for colour, (name, rows) in zip(CURVE_COLOURS, table.items()):
        values = np.array(rows)
        left.plot(cycles, values[:, 0], "o-", color=colour, label=f"{name} set")
        right.plot(cycles, values[:, 1], "o-", color=colour)
    left.plot(cycles, exact, "x", color=CURVE_COLOURS[1], label="tuned, tolerance 1e-3")
    left.axhline(0.0, color="#8a919c", linewidth=0.6)
    dress(left, x="cycle time [s]", y="forward speed [cm/s]")
    dress(right, x="cycle time [s]", y="turning [°/s]")
    left.legend(fontsize=7, frameon=False)
    return picture


@experiment(
    "roach-straight",
    f"beyond {MCKENNA_1990}, 5.3",
    "Why the heading drifts, and a set that walks straight",
    states=[
        ours(
            "mirrored",
            "the drift is the gait's own, two turning gaits and no straight one: sum of the two turning rates when"
            " either side leads, over the larger, printed set",
            within(0.0, 1 / 3, "far below: a factor of 3"),
        ),
        beyond(
            "straight",
            "the tuned set walks straight: turning, by size",
            at_most(15.0, "what roach-tripod asks of the printed set"),
            unit="°/s",
        ),
        beyond(
            "steered",
            "steering by a longer stroke on one side (0.3) turns it (the source could not turn): turning, by size",
            at_least(30.0, "twice what counts as straight"),
            unit="°/s",
        ),
    ],
)
def straight(context: ExperimentContext) -> Findings:
    shares = np.linspace(0.0, 1.0, 6 if context.quick else 11)
    turns: dict[str, list[float]] = {side: [] for side in ("left", "right")}
    for share in shares:
        limbs = adjusted_legs(*(np.array(PRINTED) + share * (np.array(TUNED) - np.array(PRINTED))))
        for side, values in turns.items():
            run = walk(seconds=1.5, limbs=limbs, lead=side, eps=TIGHT_EPS)
            values.append(float(np.degrees(run.turning(0.5))))
        context.log(f"{share:.1f} of the way: {turns['left'][-1]:+.0f} and {turns['right'][-1]:+.0f} °/s")
    x, title = "from the printed set (0) to the tuned one (1)", "tripod, level ground"
    with context.axes("turning", 6.0, 3.0, x=x, y="turning [°/s]", title=title) as axes:
        for colour, (side, values) in zip(CURVE_COLOURS, turns.items()):
            axes.plot(shares, values, "o-", color=colour, label=f"{side} side leads")
    left, right = turns["left"][0], turns["right"][0]
    note = f"{left:+.0f} and {right:+.0f} °/s; largest sum on the way to the tuned set" + (
        f" {max(abs(a + b) for a, b in zip(turns['left'], turns['right'])):.1f} °/s"
    )
    yield context.found("mirrored", (left + right) / max(abs(left), abs(right)), note=note)
    run = walk(seconds=2.0, limbs=adjusted_legs(*TUNED), eps=TIGHT_EPS)
    with context.picture("path") as path:
        draw_paths({"printed set": walk(seconds=2.0, eps=TIGHT_EPS), "tuned set": run}, path)
    drift = float(np.degrees(run.turning(0.4)))
    yield context.found("straight", abs(drift), note=f"at {run.speed(0.4) * 100:.1f} cm/s")
    steered = walk(seconds=2.0, limbs=adjusted_legs(*TUNED), steer=0.3, eps=NORMAL_EPS)
    yield context.found("steered", abs(np.degrees(steered.turning(0.4))))
