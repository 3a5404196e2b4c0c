"""Fig. 7: the motion settles on a periodic orbit; its multipliers say how fast."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol import HybridRun, ReturnMap, find_orbit
from gambol.experiments.compliant_hexapod.gait_picture import draw_gait
from gambol.experiments.compliant_hexapod.trials import FINE_STEPPING, thread_count
from gambol.experiments.findings import about, at_most, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.gait import gait_coordinates
from gambol.plot import CURVE_COLOURS, canvas, dress
from gambol.plot.style import PALE

ORBIT_CYCLE, ORBIT_SWEEP, ORBIT_CYCLES = 0.7, 0.5, 16


def draw(early, late, distance, orbit) -> Canvas:
    """State space, and how the changes from cycle to cycle die out."""
    picture = canvas(11.0, 3.4)
    axes = picture.subplots(1, 3)
    axes[0].plot(early["body z"], early["velocity z"], color=PALE, lw=0.6, label="from the start")
    axes[0].plot(late["body z"], late["velocity z"], color=CURVE_COLOURS[0], lw=1.6, label="last three cycles")
    dress(axes[0], x="height [m]", y="its rate [m/s]", title="state space")
    axes[0].legend(fontsize=7)
    axes[1].plot(early["pitch"], early["velocity y"], color=PALE, lw=0.6)
    axes[1].plot(late["pitch"], late["velocity y"], color=CURVE_COLOURS[0], lw=1.6)
    dress(axes[1], x="pitch [rad]", y="forward speed [m/s]")
    axes[2].semilogy(np.arange(1, len(distance) + 1), distance, "o-", color=CURVE_COLOURS[0], ms=3, label="run")
    size = abs(orbit.multipliers[0])
    axes[2].semilogy(
        np.arange(1, 10), distance[0] * size ** np.arange(9), "--", color=CURVE_COLOURS[1], label=f"|μ| = {size:.2f}"
    )
    dress(axes[2], x="cycle", y="change of the state in a cycle", title="return map")
    axes[2].legend(fontsize=7)
    return picture


@experiment(
    "hexapod-orbit",
    f"{SARANLI_BUEHLER}, fig. 7",
    "Convergence to a periodic orbit",
    states=[
        printed(
            "settles",
            "the system settles down on a periodic orbit: change over a cycle after nine, of that over the first",
            "fig. 7",
            at_most(0.01, "not to be seen in the figure"),
            value="settles",
        ),
        printed(
            "attracts",
            "such orbits seem to attract: size of the largest multiplier",
            "section 5.1",
            at_most(1.0, "an orbit attracts where all multipliers are below 1"),
            value="suggested by plots",
        ),
        ours("rate", "a run closes in at the rate of the largest multiplier: ratio of the two", about(1.0)),
    ],
)
def orbit(context: ExperimentContext) -> Findings:
    hexapod = CompliantHexapod(cycle=ORBIT_CYCLE, sweep=ORBIT_SWEEP)
    context.log("running from rest")
    run = HybridRun(hexapod, stepping=FINE_STEPPING)
    path = run.run(ORBIT_CYCLES * ORBIT_CYCLE, every=ORBIT_CYCLE / 140)
    at_cycles = slice(139, None, 140)
    chart, states = int(path.chart[at_cycles][-1]), path.x[at_cycles]
    coordinates = gait_coordinates(chart)
    points = np.array([coordinates.reduce(x) for x in states])
    changes = np.abs(np.diff(points, axis=0)).max(axis=1)
    context.log("closing the orbit")
    to_next = ReturnMap(hexapod, period=ORBIT_CYCLE, stepping=FINE_STEPPING, threads=thread_count())
    found = find_orbit(
        to_next,
        states[-1],
        chart=chart,
        coordinates=coordinates,
        tolerance=2e-6,
        max_iterations=8,
    )
    names = ("body z", "velocity z", "pitch", "velocity y")
    first, last = ({n: path[n][part] for n in names} for part in (slice(None), slice(-420, None)))
    context.save("orbit", draw(first, last, changes, found))
    with context.picture("gait") as file:
        draw_gait(file, path, ORBIT_CYCLE)
    sizes = np.abs(found.multipliers)
    np.savetxt(context.path("multipliers.csv"), np.c_[found.multipliers.real, found.multipliers.imag], delimiter=",")
    yield context.found("settles", changes[8:].max() / changes[0], note=f"{changes[0]:.2g} to {changes[8:].max():.1g}")
    yield context.found(
        "attracts",
        sizes[0] + found.uncertainty[0],
        note=f"largest multipliers {', '.join(f'{s:.3f}' for s in sizes[:4])}, ± {found.uncertainty.max():.1g}"
        f" (differences of {found.difference:.0e}; the uncertainty counts); closes to {found.residual:.0e}",
    )
    late = np.exp(np.log(changes[7] / changes[1]) / 6)
    yield context.found("rate", late / sizes[0], note=f"{late:.2f} a cycle beside {sizes[0]:.2f}")
