"""Fig. 6: mean forward speed over cycle time and sweep angle."""

import time
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.experiments.compliant_hexapod.trials import run_trials
from gambol.experiments.findings import ALWAYS, at_least, at_most, derived, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.plot import canvas, dress

CYCLE_RANGE, SWEEP_RANGE = (0.4, 1.2), (0.1, 1.05)  # [s], [rad]


TURN_THRESHOLD = 0.5  # [rad] of heading at the end of a run that count as turning


@dataclass(frozen=True)
class SpeedSurface:
    """Speeds (cycle, sweep) [m/s] with nan for falls, which runs turned, and the seconds it took."""

    cycles: np.ndarray
    sweeps: np.ndarray
    speed: np.ndarray
    turned: np.ndarray
    seconds: float


def speed_surface(side: int, duration: float, **more: float) -> SpeedSurface:
    """Runs on a grid of cycle times and sweep angles; `more` are parameters of the hexapod."""
    cycles, sweeps = np.linspace(*CYCLE_RANGE, side), np.linspace(*SWEEP_RANGE, side)
    grid = np.meshgrid(cycles, sweeps, indexing="ij")
    began = time.perf_counter()
    parameters = {"cycle": grid[0].ravel(), "sweep": grid[1].ravel()}
    trial = run_trials(
        CompliantHexapod(**more), parameters, worlds=side * side, duration=duration, settled=0.6 * duration, every=0.5
    )
    seconds = time.perf_counter() - began
    heading = np.unwrap(trial.path["yaw"], axis=0)[-1]
    turned = (np.abs(heading) > TURN_THRESHOLD) & ~trial.fallen
    return SpeedSurface(cycles, sweeps, trial.speed.reshape(side, side), turned.reshape(side, side), seconds)


def draw(surface: SpeedSurface) -> Canvas:
    """The speeds as a surface and from above, with falls and turns marked."""
    cycles, sweeps, found = surface.cycles, surface.sweeps, surface.speed
    picture = canvas(9.0, 3.8)
    left = picture.add_subplot(1, 2, 1, projection="3d")
    grid = np.meshgrid(cycles, sweeps, indexing="ij")
    left.plot_surface(*grid, np.ma.masked_invalid(found), cmap="viridis", edgecolor="k", linewidth=0.15)
    left.set_xlabel("cycle t_c [s]", fontsize=8)
    left.set_ylabel("sweep φ_s [rad]", fontsize=8)
    left.set_title("mean forward speed [m/s]", fontsize=10, loc="left")
    left.tick_params(labelsize=7)
    left.view_init(28, -60)
    right = picture.add_subplot(1, 2, 2)
    shown = right.pcolormesh(cycles, sweeps, found.T, cmap="viridis", shading="nearest")
    for mask, style, label in ((np.isnan(found), "x", "fell"), (surface.turned, "+", "turned")):
        k, j = np.nonzero(mask)
        if len(k):
            right.plot(cycles[k], sweeps[j], style, color="#d55e00", label=label)
    if right.get_legend_handles_labels()[0]:
        right.legend(fontsize=8, loc="lower left")
    picture.colorbar(shown, ax=right, label="m/s")
    dress(right, x="cycle [s]", y="sweep [rad]", title="the same from above")
    right.grid(False)
    return picture


@experiment(
    "hexapod-surface",
    f"{SARANLI_BUEHLER}, fig. 6",
    "Speed over cycle time and sweep angle",
    states=[
        printed(
            "settles",
            "it invariably settles on stable forward running on flat ground: share of the grid",
            "section 5.1, fig. 6",
            ALWAYS,
            value="invariably",
            differs="points with long sweeps in short cycles fall or turn; the report does not say which part of the"
            " plane its grid covers",
        ),
        ours("settles-gentle", "… with sweeps up to 0.6 rad: share of the grid", ALWAYS),
        derived(
            "smooth",
            "the speed is a smooth function of the two parameters: largest step between neighbours of the grid that"
            " run, of the range",
            "fig. 6 draws one surface; section 5.1: simple control by the two parameters",
            at_most(0.25, "a quarter of the range between neighbours is a jump"),
            value="smooth",
            differs="where long sweeps in short cycles begin to turn or slide it jumps",
        ),
        ours("longer-faster", "longer sweeps are faster, from 0.6 s and up to 0.6 rad: share of the steps", ALWAYS),
        printed(
            "actuators",
            "the upper limit of the speed is imposed by the actuators: largest without their limits, over that with",
            "section 5.1",
            at_least(1.1, "a tenth faster without"),
            value="the actuators",
            full=True,
            differs="within the grid sweep and cycle limit the speed more than the motors do",
        ),
        ours("computing", "time of the runs", unit="s", timed=True),
    ],
)
def surface(context: ExperimentContext) -> Findings:
    side, duration = (8, 10.0) if context.quick else (20, 30.0)
    context.log(f"{side * side} runs of {duration:g} s")
    made = speed_surface(side, duration)
    cycles, sweeps, found = made.cycles, made.sweeps, made.speed
    np.savetxt(
        context.path("speeds.csv"), np.c_[cycles, found], header="cycle, then speed at each sweep", delimiter=","
    )
    context.save("surface", draw(made))
    forward = found > 0.01
    span = f"{np.nanmin(found):.2f} to {np.nanmax(found):.2f} m/s"
    note = f"{np.isnan(found).sum()} points fall, {made.turned.sum()} turn; {span}"
    yield context.found("settles", np.mean(forward), note=note)
    yield context.found("settles-gentle", np.mean(forward[:, sweeps <= 0.6]))
    steps = np.concatenate([np.abs(np.diff(found, axis=axis)).ravel() for axis in (0, 1)])
    yield context.found("smooth", np.nanmax(steps) / (np.nanmax(found) - np.nanmin(found)))
    order = np.diff(np.nan_to_num(found[cycles >= 0.6][:, sweeps <= 0.6]), axis=1)
    yield context.found("longer-faster", np.mean(order > 0))
    if not context.quick:
        free = speed_surface(side, duration, torque_cap=1e6, supply=1e5).speed
        both = np.isfinite(found) & np.isfinite(free)
        yield context.found(
            "actuators",
            np.nanmax(free) / np.nanmax(found),
            note=f"without limits {np.sum(np.isnan(found) & np.isfinite(free))} more points run; at"
            f" {np.sum((free > found + 0.02) & both)} it is faster, at {np.sum((free < found - 0.02) & both)} slower",
        )
    yield context.found("computing", made.seconds, note=f"{side * side} runs of {duration:g} s")
