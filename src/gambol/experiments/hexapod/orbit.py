"""Fig. 7: the motion settles on a periodic orbit; its multipliers say how fast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.experiments.hexapod.gait_picture import draw_gait
from gambol.experiments.hexapod.trials import FINE, SOURCE, judged, threads
from gambol.experiments.registry import Desk, Finding, experiment
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.gait import gait_coordinates
from gambol.hybrid.orbit import find_orbit
from gambol.hybrid.return_map import ReturnMap
from gambol.hybrid.run import HybridRun
from gambol.plot.style import CURVES, PALE, canvas, dress, save

CYCLE, SWEEP, CYCLES = 0.7, 0.5, 16


def draw(path, early, late, distance, orbit) -> None:
    picture = canvas(11.0, 3.4)
    axes = picture.subplots(1, 3)
    axes[0].plot(early["body z"], early["velocity z"], color=PALE, lw=0.6, label="from the start")
    axes[0].plot(late["body z"], late["velocity z"], color=CURVES[0], lw=1.6, label="last three cycles")
    dress(axes[0], x="height [m]", y="its rate [m/s]", title="state space")
    axes[0].legend(fontsize=7)
    axes[1].plot(early["pitch"], early["velocity y"], color=PALE, lw=0.6)
    axes[1].plot(late["pitch"], late["velocity y"], color=CURVES[0], lw=1.6)
    dress(axes[1], x="pitch [rad]", y="forward speed [m/s]")
    axes[2].semilogy(np.arange(1, len(distance) + 1), distance, "o-", color=CURVES[0], ms=3, label="run")
    size = abs(orbit.multipliers[0])
    axes[2].semilogy(
        np.arange(1, 10), distance[0] * size ** np.arange(9), "--", color=CURVES[1], label=f"$|\\mu|$ = {size:.2f}"
    )
    dress(axes[2], x="cycle", y="change of the state in a cycle", title="return map")
    axes[2].legend(fontsize=7)
    save(picture, path)


@experiment("hexapod-orbit", source=f"{SOURCE}, fig. 7", title="Convergence to a periodic orbit")
def orbit(desk: Desk) -> Iterator[Finding]:
    hexapod = CompliantHexapod(cycle=CYCLE, sweep=SWEEP)
    desk.say("running from rest")
    run = HybridRun(hexapod, stepping=FINE)
    path = run.run(CYCLES * CYCLE, every=CYCLE / 140)
    at_cycles = slice(139, None, 140)
    chart, states = int(path.chart[at_cycles][-1]), path.x[at_cycles]
    coordinates = gait_coordinates(chart)
    points = np.array([coordinates.to(x) for x in states])
    changes = np.abs(np.diff(points, axis=0)).max(axis=1)
    desk.say("closing the orbit")
    to_next = ReturnMap(hexapod, period=CYCLE, stepping=FINE, threads=threads())
    found = find_orbit(
        to_next, states[-1], chart=chart, coordinates=coordinates, tolerance=2e-6, difference=1e-5, most=8
    )
    names = ("body z", "velocity z", "pitch", "velocity y")
    first, last = ({n: path[n][part] for n in names} for part in (slice(None), slice(-420, None)))
    with desk.picture("orbit") as file:
        draw(file, first, last, changes, found)
    with desk.picture("gait") as file:
        draw_gait(file, path, CYCLE)
    sizes = np.abs(found.multipliers)
    np.savetxt(desk.path("multipliers.csv"), np.c_[found.multipliers.real, found.multipliers.imag], delimiter=",")
    yield judged(
        desk,
        "the system settles down on a periodic orbit",
        ours=f"change over a cycle falls from {changes[0]:.2g} to {changes[8:].max():.1g} in 9 cycles",
        ok=bool(changes[8:].max() < 1e-4),
        reason="it does not settle",
    )
    yield judged(
        desk,
        "such orbits seem to attract",
        printed="suggested by plots",
        ours=f"largest multipliers {', '.join(f'{s:.3f}' for s in sizes[:4])}; closes to {found.residual:.0e}",
        ok=found.stable,
        reason="a multiplier lies outside the unit circle",
    )
    late, early = np.log(changes[7] / changes[1]) / 6, np.log(sizes[0])
    yield desk.finding(
        "a run closes in at the rate of the largest multiplier",
        ours=f"{np.exp(late):.2f} a cycle beside {np.exp(early):.2f}",
        beyond=True,
    )
