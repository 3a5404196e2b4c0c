"""How the gaits of fig. 8 come about: periods over the sweep angle, and which start leads to which gait."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.experiments.compliant_hexapod.basin import start_states
from gambol.experiments.compliant_hexapod.coexisting import (
    HIGH_FRICTION_GAIT,
    MAX_PERIOD,
    PRINTED_STARTS,
    SAMPLES_PER_CYCLE,
    period_of,
    velocities_along,
)
from gambol.experiments.compliant_hexapod.trials import run_trials
from gambol.experiments.findings import at_least, ours
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod, start
from gambol.plot import CURVE_COLOURS, canvas, dress

SWEEPS = (0.85, 1.05)  # [rad]
LAST = 2 * MAX_PERIOD  # cycles at the end that count
FELL = -1


def late_cycles(system: CompliantHexapod, parameters: dict, x: np.ndarray, cycles: int):
    """Forward speed once a cycle (cycles, worlds) [m/s], and the period of each world (0: none, FELL)."""
    cycle = system.p.cycle
    made = run_trials(
        system,
        parameters,
        worlds=len(x),
        duration=cycles * cycle,
        settled=0.0,
        every=cycle / SAMPLES_PER_CYCLE,
        x=x,
    )
    late = velocities_along(made.path.x[-LAST * SAMPLES_PER_CYCLE :])
    periods = np.array([FELL if f else period_of(late[:, k]) for k, f in enumerate(made.fallen)])
    return late[::SAMPLES_PER_CYCLE, :, 0], periods


def over_sweep(count: int, cycles: int):
    """Sweeps [rad], speeds once a cycle (cycles, sweeps, 2 starts) and periods (sweeps, 2), from the printed starts."""
    sweeps = np.linspace(*SWEEPS, count)
    system = CompliantHexapod(**HIGH_FRICTION_GAIT)
    x = [start(system.p._replace(sweep=s), velocity=tuple(v))[1] for s in sweeps for v in PRINTED_STARTS]
    speed, periods = late_cycles(system, {"sweep": np.repeat(sweeps, 2)}, np.array(x), cycles)
    return sweeps, speed.reshape(len(speed), count, 2), periods.reshape(count, 2)


def over_starts(side: int, cycles: int):
    """Initial velocities (side², 2) [m/s] and the period that each leads to."""
    line = np.linspace(-1.0, 1.0, side)
    velocities = np.array([(a, b) for b in line for a in line])
    system = CompliantHexapod(**HIGH_FRICTION_GAIT)
    return velocities, late_cycles(system, {}, start_states(system, velocities), cycles)[1]


def kind_of(period: int) -> str:
    """A period in words."""
    return {FELL: "falls", 0: f"no period up to {MAX_PERIOD}"}.get(period, f"period {period}")


def draw(sweeps, speed, periods, velocities, reached) -> Canvas:
    """The bifurcation diagram from two starts, and the plane of starts coloured by period."""
    picture = canvas(11.0, 4.4)
    left, right = picture.subplots(1, 2, width_ratios=(3, 2))
    for k, (begin, colour) in enumerate(zip(PRINTED_STARTS, (CURVE_COLOURS[0], CURVE_COLOURS[1]))):
        stands = periods[:, k] != FELL
        x = np.repeat(sweeps[stands][None], len(speed), axis=0)
        label = f"from ({begin[0]:g}, {begin[1]:g}) m/s"
        left.plot(x.ravel(), speed[:, stands, k].ravel(), ".", ms=2.5 - k, color=colour, label=label)
    left.axvline(HIGH_FRICTION_GAIT["sweep"], color="k", lw=0.6)
    dress(left, x="sweep [rad]", y="forward speed once a cycle [m/s]", title="bifurcations, friction 4, no torque cap")
    left.legend(fontsize=8, markerscale=4)
    for k, period in enumerate(sorted(set(reached.tolist()))):
        here = reached == period
        style = (
            dict(marker="x", color="k")
            if period == FELL
            else dict(marker="s", color=CURVE_COLOURS[k % len(CURVE_COLOURS)])
        )
        right.plot(*velocities[here].T, ls="", ms=5, label=f"{kind_of(period)} ({here.sum()})", **style)
    right.plot(*PRINTED_STARTS.T, "o", mfc="none", mec="k", ms=9)
    right.set_aspect("equal")
    dress(right, x="to the right [m/s]", y="forward [m/s]", title="basins; ringed: the printed starts")
    right.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)
    return picture


@experiment(
    "hexapod-bifurcation",
    f"{SARANLI_BUEHLER}, fig. 8",
    "Bifurcations over the sweep, and basins of the gaits",
    states=[
        ours(
            "kinds",
            "different periods over sweeps from 0.85 to 1.05 rad (friction 4, no torque cap, cycle 0.51 s)",
            at_least(2, "a bifurcation: more than one"),
        ),
        ours("apart", "the two printed starts lead to different periods: share of the sweeps at which neither falls"),
        ours(
            "basins",
            "gaits that share the plane of starts up to 1 m/s at the sweep of fig. 8: those with a hundredth of it",
            at_least(2, "coexisting gaits"),
        ),
    ],
)
def bifurcation(context: ExperimentContext) -> Findings:
    count, side, cycles = (12, 5, 50) if context.quick else (120, 21, 100)
    context.log(f"{2 * count} runs over the sweep, {side * side} starts")
    sweeps, speed, periods = over_sweep(count, cycles)
    velocities, reached = over_starts(side, cycles)
    context.save("bifurcation", draw(sweeps, speed, periods, velocities, reached))
    found = sorted({int(p) for p in periods.ravel() if p > 0})
    yield context.found("kinds", len(found), note=f"periods {', '.join(map(str, found))}")
    both = (periods != FELL).all(axis=1)
    yield context.found("apart", float(np.mean(periods[both, 0] != periods[both, 1])), note=f"{both.sum()} sweeps")
    kinds = {int(p): int(np.sum(reached == p)) for p in set(reached.tolist()) if p != FELL}
    large = [p for p, n in kinds.items() if n >= 0.01 * len(reached)]
    yield context.found("basins", len(large), note=", ".join(f"{kind_of(p)}: {n}" for p, n in sorted(kinds.items())))
