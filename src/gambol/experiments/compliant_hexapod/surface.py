"""Fig. 6: mean forward speed over cycle time and sweep angle."""

import time
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.experiments.compliant_hexapod.trials import run_trials
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
    left.set_xlabel("cycle $t_c$ [s]", fontsize=8)
    left.set_ylabel(r"sweep $\varphi_s$ [rad]", fontsize=8)
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


@experiment("hexapod-surface", f"{SARANLI_BUEHLER}, fig. 6", "Speed over cycle time and sweep angle")
def surface(context: ExperimentContext) -> Findings:
    side, duration = (8, 10.0) if context.quick else (20, 30.0)
    context.log(f"{side * side} runs of {duration:g} s")
    made = speed_surface(side, duration)
    cycles, sweeps, found = made.cycles, made.sweeps, made.speed
    np.savetxt(
        context.path("speeds.csv"), np.c_[cycles, found], header="cycle, then speed at each sweep", delimiter=","
    )
    context.save("surface", draw(made))
    gentle = found[:, sweeps <= 0.6]
    slow = found[cycles >= 0.6]
    yield context.finding(
        "the hexapod invariably settles on stable forward running on flat ground (sweeps up to 0.6 rad)",
        ours=f"{np.mean(gentle > 0.01):.0%} of the grid",
        ok=bool(np.all(gentle > 0.01)),
        reason="some points of the grid fall or run backward",
    )
    yield context.finding(
        "… and for longer sweeps",
        ours=f"{np.mean(found[:, sweeps > 0.6] > 0.01):.0%} of the grid",
        ok=bool(np.all(found[:, sweeps > 0.6] > 0.01)),
        reason=f"{np.isnan(found).sum()} points fall and {made.turned.sum()} turn, with long sweeps in short cycles;"
        " the report does not say which part of the plane its grid covers",
    )
    order = np.diff(np.nan_to_num(slow[:, sweeps <= 0.6]), axis=1)
    yield context.finding(
        "the speed is a smooth function of the two controller parameters: longer sweeps are faster",
        ours=f"{np.nanmin(found):.2f} to {np.nanmax(found):.2f}",
        unit="m/s",
        ok=bool(np.all(order > 0)),
        reason="not everywhere",
    )
    free = speed_surface(side, duration, torque_cap=1e6, supply=1e5).speed if not context.quick else None
    if free is not None:
        ran, freely = np.isfinite(found), np.isfinite(free)
        both = ran & freely
        lost = np.sum(~ran & freely)
        yield context.finding(
            "the upper limit of the speed is imposed by the actuators",
            ours=f"without motor limits {lost} more points of the grid run; at {np.sum((free > found + 0.02) & both)}"
            f" points it is faster, at {np.sum((free < found - 0.02) & both)} slower",
            ok=bool(lost > 0 or np.nanmax(free) > np.nanmax(found) + 0.02),
            reason="within the grid the sweep and cycle limit the speed, not the motors",
        )
    yield context.finding(
        f"{side * side} runs of {duration:g} s", ours=made.seconds, unit="s of computing", beyond=True
    )
