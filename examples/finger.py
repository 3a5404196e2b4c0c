"""The tapping finger of Armstrong & Green 1985: runs it, draws it, and measures the two-band schedule.

    python examples/finger.py [--out gambol-out/finger]

Writes film_strip.png and time_series.png, and prints the tables of docs/hinge_recursion.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from gambol import StepError
from gambol.experiments.finger.measure import BAND_RATIOS, best_times, free_chain, slowest_decay_rate
from gambol.experiments.finger.pictures import film_strip, time_series
from gambol.hinge_recursion import HingeSimulation
from gambol.models import finger
from gambol.plot import save


def measure_errors() -> None:
    print(
        "\nError of the fingertip against a converged run (δt = 10 µs, ν = 1), 8 s with three taps [mm rms (largest)]"
    )
    converged = finger.tapping_finger(step=1e-5).run(finger.DURATION, every=0.01).point("tip")
    print(f"{'δt [s]':>8} " + " ".join(f"{f'ν = {ratio}':>18}" for ratio in BAND_RATIOS))
    for step in (0.01, 0.005, 0.0025, 0.00125):
        cells = []
        for ratio in BAND_RATIOS:
            try:
                path = finger.tapping_finger(step=step, ratio=ratio).run(finger.DURATION, every=0.01).point("tip")
            except StepError:
                cells.append("diverges")
                continue
            error = 1e3 * np.linalg.norm(path - converged, axis=1)
            cells.append(f"{np.sqrt(np.mean(error**2)):.2f} ({error.max():.2f})")
        print(f"{step:8} " + " ".join(f"{cell:>18}" for cell in cells))


def measure_costs() -> None:
    print("\nCost of a step against ν [µs], and the part of ν = 1 that is saved (source: 36 % with ν = 2)")
    cases = {"finger, 5 links": finger.tapping_finger}
    for n in (5, 12, 40):
        cases[f"chain of {n}"] = lambda n=n, **options: HingeSimulation(free_chain(n), **options)
    for name, make in cases.items():
        times = best_times([make(ratio=ratio) for ratio in BAND_RATIOS], 800)
        cells = (f"{1e6 * t:.3f} ({100 * (1 - t / times[0]):3.0f} %)" for t in times)
        print(f"{name:>16} " + " ".join(f"{cell:>16}" for cell in cells))


def measure_links() -> None:
    print("\nCost per link of free chains, ν = 1 [ns a link and step]")
    sizes = (5, 10, 20, 40, 80, 160, 320, 640)
    times = [best_times([HingeSimulation(free_chain(n), step=1e-3)], max(8, 8000 // n))[0] for n in sizes]
    print(" ".join(f"{n:>7}" for n in sizes))
    print(" ".join(f"{1e9 * t / n:7.0f}" for n, t in zip(sizes, times)))


def measure_speed() -> None:
    print("\nSpeed: 8 s of the finger, δt = 0.01 s")
    print("source: 75 × slower than real time on a SUN (ν = 2: 48 ×), 11 × on a VAX (ν = 2: 7 ×)")
    for ratio in (1, 2):
        simulation = finger.tapping_finger(ratio=ratio)
        step = best_times([simulation], 800)[0]
        saved, with_frames = simulation.state.copy(), np.inf
        for _ in range(5):
            simulation.restore(saved)
            start = time.perf_counter()
            simulation.run(finger.DURATION, every=finger.PICTURE)
            with_frames = min(with_frames, time.perf_counter() - start)
        alone = step * finger.DURATION / finger.STEP
        print(
            f"ν = {ratio}: {1e3 * alone:.2f} ms, {finger.DURATION / alone:,.0f} × faster than real time;"
            f" with a recorded frame every 0.1 s {1e3 * with_frames:.1f} ms, {finger.DURATION / with_frames:,.0f} ×"
        )


def measure_stability() -> None:
    print("\nSlowest decay of a mode about the rest pose [1/s], δt = 0.01 s")
    print(", ".join(f"ν = {ratio}: {slowest_decay_rate(ratio):.2f}" for ratio in BAND_RATIOS))
    limit = next(ms for ms in range(10, 100) if slowest_decay_rate(1, 1e-3 * ms) <= 0.0)
    print(f"ν = 1: every mode dies out up to δt = {limit - 1} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("gambol-out/finger"), help="folder for the pictures")
    parser.add_argument("--no-measure", action="store_true", help="pictures only")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    simulation = finger.tapping_finger()
    for report in simulation.layout.enlarged_inertias:
        print(f"false inertia: {report}")
    recording = simulation.run(finger.DURATION)
    height, first = 1e3 * recording.point("tip")[:, 2], round(finger.SPIKE_START / finger.STEP)
    print(
        f"tip: at rest {height[first]:.1f} mm, taps down to {height[first:].min():.1f} mm, rebounds to"
        f" {height[first:].max():.1f} mm; kinetic energy: largest {1e3 * recording.energy['kinetic'].max():.1f} mJ,"
        f" before the first spike {1e9 * recording.energy['kinetic'][first]:.0f} nJ"
    )
    save(film_strip(recording), options.out / "film_strip.png")
    save(time_series(recording), options.out / "time_series.png")
    print(f"pictures: {options.out / 'film_strip.png'}, {options.out / 'time_series.png'}")
    if not options.no_measure:
        measure_errors()
        measure_costs()
        measure_links()
        measure_speed()
        measure_stability()


if __name__ == "__main__":
    main()
