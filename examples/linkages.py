"""Mechanisms with loops: the N-four-bar through its singular positions, and a walker of Jansen's legs.

    python examples/linkages.py --out FOLDER [--seconds 6]

Prints what it measured, writes four_bar.png, walker.png and walker_path.png, and checks itself.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from gambol import Simulation, Stepping
from gambol.models.linkages import four_bar, four_bar_start, jansen_start, jansen_walker
from gambol.plot import CURVE_COLOURS, Viewpoint, canvas, dress, film_strip, save

ENERGY = 35.835  # [J] of the four-bar of two loops


def run_four_bar(folder: Path) -> None:
    """Ten seconds of N = 1, 2, 4, 8 loops: energy and time."""
    picture = canvas(9.0, 3.0)
    axes = picture.subplots(1, 2)
    for k, loops in enumerate((1, 2, 4, 8)):
        world = four_bar(loops)
        sim = Simulation(world, stepping=Stepping(method="dormand-prince", eps=1e-9), ledger=False)
        sim.reset(*four_bar_start(world))
        begin = time.perf_counter()
        path = sim.run(10.0, every=0.02)
        took = time.perf_counter() - begin
        energy = np.array([sum(sim.mechanics.energies(q, v).values()) for q, v in zip(path.q, path.v)])
        wrong = np.abs(energy - energy[0])
        print(f"{loops} loops: {took:.3f} s for 10 s, energy within {wrong.max():.1e} J")
        axes[0].plot(path.time, path.position("crank0"), color=CURVE_COLOURS[k], label=f"{loops} loops")
        axes[1].semilogy(path.time, np.maximum(wrong, 1e-14), color=CURVE_COLOURS[k])
        assert wrong.max() < 1e-5
        assert loops != 2 or abs(energy[0] - ENERGY) < 1e-9
    dress(axes[0], x="t [s]", y="angle of the first crank [rad]")
    dress(axes[1], x="t [s]", y="energy error [J]")
    axes[0].legend(fontsize=7, frameon=False)
    save(picture, folder / "four_bar.png")


def run_walker(folder: Path, seconds: float) -> None:
    """The walker on level ground: how far it comes, how well its loops hold."""
    sim = Simulation(jansen_walker(), stepping=Stepping(method="implicit-pair", eps=1e-3), ledger=False)
    jansen_start(sim)
    begin = time.perf_counter()
    path = sim.run(seconds, every=0.05)
    took = time.perf_counter() - begin
    places = path.points("frame")
    moment = sim.constraints.now()
    gap = max(float(np.abs(d).max()) for d in moment.deviation.values())
    speed = (places[-1, 0] - places[len(places) // 4, 0]) / (path.time[-1] - path.time[len(places) // 4])
    print(f"walker: {moment.rows} rows, {moment.rank} independent; loops open by {gap:.1e} m")
    print(f"walker: {places[-1, 0]:.2f} m in {seconds:g} s ({speed:.2f} m/s), {took:.1f} s of computing")
    save(film_strip(path, times=6, camera=Viewpoint(azimuth=-90.0, elevation=5.0)), folder / "walker.png")
    picture = canvas(9.0, 3.0)
    axes = picture.subplots(1, 2)
    axes[0].plot(path.time, places[:, 0], color=CURVE_COLOURS[0])
    axes[1].plot(path.time, places[:, 2], color=CURVE_COLOURS[1])
    dress(axes[0], x="t [s]", y="way [m]")
    dress(axes[1], x="t [s]", y="height of the axle [m]")
    save(picture, folder / "walker_path.png")
    assert gap < 1e-9
    assert places[-1, 0] > 0.1 * seconds
    assert places[:, 2].min() > 0.8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("linkages"), help="folder for the pictures")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long the walker walks")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    run_four_bar(given.out)
    run_walker(given.out, given.seconds)


if __name__ == "__main__":
    main()
