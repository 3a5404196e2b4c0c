"""The tapping finger of Armstrong & Green 1985: runs it, draws it, and measures the two-band schedule.

    python examples/finger.py [--out gambol-out/finger]

Writes film_strip.png and time_series.png, and prints the tables of docs/hinge_recursion.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from gambol.dynamics.hinge_recursion import HingeRecording, HingeSimulation, HingeStepError
from gambol.dynamics.hinge_recursion.stepping import run_steps
from gambol.figure import Placement, chain
from gambol.models import finger

RATIOS = (1, 2, 4, 8)
STRIP = (0.4 * np.arange(21), 2.0 + 0.1 * np.arange(7))  # the whole run; one tap close up [s]


# ---------------------------------------------------------------- pictures
def spiking(t: float) -> bool:
    return (
        finger.SPIKE_START <= t < finger.DURATION
        and (t - finger.SPIKE_START) % finger.SPIKE_PERIOD < finger.SPIKE_TIME - 1e-9
    )


def draw_finger(ax, recording: HingeRecording, t: float) -> None:
    """Side view from hinge positions; the spike is an arrow on the tip."""
    frame = int(np.argmin(np.abs(recording.time - t)))
    places = 1e3 * recording.position[frame]
    x, z = places[:, 0], places[:, 2]
    ax.plot(x[1:], z[1:], color="#e0b090", linewidth=9, solid_capstyle="round", solid_joinstyle="round", zorder=1)
    ax.plot(x[1:], z[1:], color="#7a4a2a", linewidth=1, marker="o", markersize=3, zorder=2)
    ax.plot(x[0], z[0], color="#303030", marker="s", markersize=9, zorder=3)
    if spiking(float(recording.time[frame])):
        ax.annotate(
            "", (x[-1], z[-1] - 4), (x[-1], z[-1] + 34), arrowprops=dict(arrowstyle="-|>", color="#c00000", lw=2)
        )
    ax.text(0.96, 0.93, f"{recording.time[frame]:.1f} s", transform=ax.transAxes, ha="right", va="top", fontsize=9)
    ax.set(xlim=(-15, 105), ylim=(15, 125), aspect="equal")
    ax.tick_params(labelsize=7)


def film_strip(recording: HingeRecording, path: Path) -> None:
    figure, axes = plt.subplots(4, 7, figsize=(14, 8.2), sharex=True, sharey=True, layout="constrained")
    for ax, t in zip(axes.flat, np.concatenate(STRIP)):
        draw_finger(ax, recording, t)
    for ax in axes[:, 0]:
        ax.set_ylabel("height [mm]", fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("forward [mm]", fontsize=8)
        ax.set_facecolor("#f4f4ff")
    figure.suptitle(
        "Tapping finger, side view: every 0.4 s; last row (tinted): the first tap, every 0.1 s.  ■ anchor, ↓ spike"
    )
    figure.savefig(path, dpi=110)
    plt.close(figure)


def time_series(recording: HingeRecording, path: Path) -> None:
    figure, (height, energy) = plt.subplots(2, 1, figsize=(10, 6.5), sharex=True, layout="constrained")
    height.plot(recording.time, 1e3 * recording.point("tip")[:, 2], color="#7a4a2a", label="tip")
    height.plot(recording.time, 1e3 * recording.position[:, 0, 2], color="#303030", linewidth=1, label="anchor")
    height.set_ylabel("height [mm]")
    rest = recording.energy["total"][recording.time < finger.SPIKE_START][-1]
    energy.plot(recording.time, 1e3 * recording.energy["kinetic"], color="#c00000", label="kinetic")
    energy.plot(recording.time, 1e3 * (recording.energy["total"] - rest), color="#0050a0", label="total, above rest")
    energy.set(ylabel="energy [mJ]", xlabel="time [s]")
    for ax, corner in ((height, "lower right"), (energy, "upper right")):
        for t in np.arange(finger.SPIKE_START, finger.DURATION, finger.SPIKE_PERIOD):
            ax.axvspan(t, t + finger.SPIKE_TIME, color="#c00000", alpha=0.15, linewidth=0)
        ax.grid(alpha=0.3)
        ax.legend(loc=corner)
    height.set_title("Tapping finger, δt = 0.01 s, ν = 1 (shaded: spike on the tip)")
    figure.savefig(path, dpi=110)
    plt.close(figure)


# ---------------------------------------------------------------- measurements
def best_times(simulations: list[HingeSimulation], steps: int, rounds: int = 9) -> list[float]:
    """Seconds a step of each simulation; interleaved, the best of several rounds."""
    saved = [s.state.copy() for s in simulations]
    best = [np.inf] * len(simulations)
    for _ in range(rounds):
        for k, s in enumerate(simulations):
            s.restore(saved[k])
            start = time.perf_counter()
            run_steps(s.layout.model, s.state, s.step, s.ratio, steps)
            best[k] = min(best[k], (time.perf_counter() - start) / steps)
        for k, s in enumerate(simulations):
            s.restore(saved[k])
    return best


def measure_errors() -> None:
    print(
        "\nError of the fingertip against a converged run (δt = 10 µs, ν = 1), 8 s with three taps [mm rms (largest)]"
    )
    converged = finger.tapping_finger(step=1e-5).run(finger.DURATION, every=0.01).point("tip")
    print(f"{'δt [s]':>8} " + " ".join(f"{f'ν = {ratio}':>18}" for ratio in RATIOS))
    for step in (0.01, 0.005, 0.0025, 0.00125):
        cells = []
        for ratio in RATIOS:
            try:
                path = finger.tapping_finger(step=step, ratio=ratio).run(finger.DURATION, every=0.01).point("tip")
            except HingeStepError:
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
        times = best_times([make(ratio=ratio) for ratio in RATIOS], 800)
        cells = (f"{1e6 * t:.3f} ({100 * (1 - t / times[0]):3.0f} %)" for t in times)
        print(f"{name:>16} " + " ".join(f"{cell:>16}" for cell in cells))


def free_chain(n: int):
    return chain(n, "ball", root="free", length=0.1, radius=0.02)


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


def rest_state(step: float = 0.001) -> HingeSimulation:
    simulation = finger.tapping_finger(step=step, tapping=False)
    simulation.advance(20.0)
    return simulation


def slowest_rate(ratio: int, step: float = finger.STEP) -> float:
    """Rate [1/s] at which the slowest mode of the step about the rest pose dies out (negative: it grows)."""
    simulation, rest = finger.tapping_finger(ratio=ratio, step=step, tapping=False), rest_state().state
    n = len(finger.LINKS)

    def cycle(x: np.ndarray) -> np.ndarray:
        state = rest.copy()
        state.clock[0] = 0
        state.position[:] += x[:3]
        state.velocity[:], state.spin[:] = x[3:6], x[6 : 6 + 3 * n]
        turns = x[6 + 3 * n :].reshape(n, 3)
        for q, r in zip(state.turn.reshape(n, 4), turns):
            angle = float(np.linalg.norm(r))
            q[:] = Placement(rotation=q).compose(Placement.about(r, angle) if angle else Placement()).rotation
        run_steps(simulation.layout.model, state, step, ratio, ratio)
        moved = [
            Placement(rotation=a).inverse().compose(Placement(rotation=b)).rotation
            for a, b in zip(rest.turn.reshape(n, 4), state.turn.reshape(n, 4))
        ]
        small = 2.0 * np.array([np.copysign(1.0, m[0]) * np.array(m[1:]) for m in moved])
        return np.concatenate([state.position - rest.position, state.velocity, state.spin, small.ravel()])

    d = 1e-5
    jacobian = np.array([(cycle(d * e) - cycle(-d * e)) / (2 * d) for e in np.eye(6 + 6 * n)]).T
    return -np.log(np.abs(np.linalg.eigvals(jacobian)).max()) / (ratio * step)


def measure_stability() -> None:
    print("\nSlowest decay of a mode about the rest pose [1/s], δt = 0.01 s")
    print(", ".join(f"ν = {ratio}: {slowest_rate(ratio):.2f}" for ratio in RATIOS))
    limit = next(ms for ms in range(10, 100) if slowest_rate(1, 1e-3 * ms) <= 0.0)
    print(f"ν = 1: every mode dies out up to δt = {limit - 1} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("gambol-out/finger"), help="folder for the pictures")
    parser.add_argument("--no-measure", action="store_true", help="pictures only")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    simulation = finger.tapping_finger()
    for report in simulation.layout.enlarged:
        print(f"false inertia: {report}")
    recording = simulation.run(finger.DURATION)
    height, first = 1e3 * recording.point("tip")[:, 2], round(finger.SPIKE_START / finger.STEP)
    print(
        f"tip: at rest {height[first]:.1f} mm, taps down to {height[first:].min():.1f} mm, rebounds to"
        f" {height[first:].max():.1f} mm; kinetic energy: largest {1e3 * recording.energy['kinetic'].max():.1f} mJ,"
        f" before the first spike {1e9 * recording.energy['kinetic'][first]:.0f} nJ"
    )
    film_strip(recording, options.out / "film_strip.png")
    time_series(recording, options.out / "time_series.png")
    print(f"pictures: {options.out / 'film_strip.png'}, {options.out / 'time_series.png'}")
    if not options.no_measure:
        measure_errors()
        measure_costs()
        measure_links()
        measure_speed()
        measure_stability()


if __name__ == "__main__":
    main()
