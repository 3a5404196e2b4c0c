"""The two-band schedule and the cost of the recursion: sections 3 and 4."""

import numpy as np

from gambol import StepError
from gambol.experiments.finger.measure import BAND_RATIOS, best_times, free_chain, longest_stable_step
from gambol.experiments.finger.pictures import plot_curves, plot_differences
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import ARMSTRONG_GREEN_1985
from gambol.hinge_recursion import HingeSimulation
from gambol.models import finger
from gambol.plot import bar_chart, save

SUN_SECONDS, VAX_SECONDS = (604.0, 385.0), (89.0, 56.6)  # [s] for 8 s of motion: slow band every step, every other step


@experiment(
    "finger-two-bands", f"{ARMSTRONG_GREEN_1985}, section 5", "The slow band every other step saves a third of the time"
)
def two_bands(context: ExperimentContext) -> Findings:
    rounds = 3 if context.quick else 15
    times = best_times([finger.tapping_finger(ratio=ratio) for ratio in BAND_RATIOS], 800, rounds)
    saved = 100.0 * (1.0 - times[1] / times[0])
    printed = 100.0 * (1.0 - SUN_SECONDS[1] / SUN_SECONDS[0])
    ok = abs(saved - printed) < 10.0
    yield context.finding(
        "time saved by the slow band every other step (ν = 2)",
        printed=round(printed, 1),
        ours=round(saved, 1),
        unit="%",
        ok=ok,
        reason="the share of the slow band differs between machines",
    )
    converged = (
        finger.tapping_finger(step=1e-4 if context.quick else 1e-5).run(finger.DURATION, every=0.01).point("tip")
    )
    steps = (0.01, 0.005, 0.0025, 0.00125)
    errors = {ratio: [_error(step, ratio, converged) for step in steps] for ratio in BAND_RATIOS}
    with context.picture("error") as path:
        lines = {f"ν = {ratio}": values for ratio, values in errors.items()}
        title = "Error of the fingertip over 8 s with three taps"
        up = "root mean square error [mm]"
        save(plot_curves(1e3 * np.array(steps), lines, across="δt [ms]", up=up, title=title, logarithmic=True), path)
    orders = np.log2(np.array(errors[1][:-1]) / np.array(errors[1][1:]))
    yield context.finding(
        "error of the fingertip at δt = 0.01 s, by ν = 1, 2, 4 (the source gives none)",
        ours=", ".join(f"{errors[ratio][0]:.2f}" for ratio in (1, 2, 4)),
        unit="mm rms",
        beyond=True,
        reason=f"falls by order {orders.mean():.2f} in δt; with ν = 8 and δt = 0.01 s the run diverges",
    )


def _error(step: float, ratio: int, converged: np.ndarray) -> float:
    """Root mean square [mm]; nan where the run diverges."""
    try:
        path = finger.tapping_finger(step=step, ratio=ratio).run(finger.DURATION, every=0.01).point("tip")
    except StepError:
        return float("nan")
    return float(1e3 * np.sqrt(np.mean(np.sum((path - converged) ** 2, axis=1))))


@experiment(
    "finger-speed", f"{ARMSTRONG_GREEN_1985}, section 5", "Eight seconds of the finger, against a SUN and a VAX"
)
def speed(context: ExperimentContext) -> Findings:
    steps = round(finger.DURATION / finger.STEP)
    shown: dict[str, float] = {}
    for ratio in (1, 2):
        simulation = finger.tapping_finger(ratio=ratio)
        took = best_times([simulation], steps, 3 if context.quick else 15)[0] * steps
        slower = [machine[ratio - 1] / finger.DURATION for machine in (SUN_SECONDS, VAX_SECONDS)]
        shown |= {f"SUN 68010, ν = {ratio}": slower[0], f"VAX 11/780, ν = {ratio}": slower[1]}
        shown[f"here, ν = {ratio}"] = took / finger.DURATION
        if ratio == 2:
            with context.picture("times") as path:
                title = "Computing time over motion time"
                save(bar_chart(shown, across="× real time", title=title, logarithmic=True, start=1e-5), path)
        yield context.finding(
            f"computing time over motion time, ν = {ratio} (SUN 68010, VAX 11/780)",
            printed=f"{slower[0]:.0f}, {slower[1]:.0f}",
            ours=float(f"{took / finger.DURATION:.3g}"),
            unit="× real time",
            beyond=True,
            reason=f"{finger.DURATION / took:,.0f} times faster than real time on one core, {steps} steps of 0.01 s",
        )


@experiment("finger-linear", f"{ARMSTRONG_GREEN_1985}, section 3", "The cost grows linearly with the links")
def linear(context: ExperimentContext) -> Findings:
    sizes = (5, 10, 20, 40, 80, 160) if context.quick else (5, 10, 20, 40, 80, 160, 320, 640)
    each = []
    for links in sizes:
        context.log(f"{links} links")
        simulation = HingeSimulation(free_chain(links), step=1e-3)
        each.append(1e9 * best_times([simulation], max(8, 8000 // links), 3 if context.quick else 9)[0] / links)
    with context.picture("cost") as path:
        title = "Free chains, slow band every step"
        save(plot_curves(sizes, {"": each}, across="links", up="time of a step [ns a link]", title=title), path)
    ratio = each[-1] / each[1]
    yield context.finding(
        f"cost per link of a chain of {sizes[-1]}, over that of a chain of {sizes[1]}",
        printed=1.0,
        ours=round(ratio, 3),
        ok=abs(ratio - 1.0) < 0.25,
        reason="long chains do not fit the cache of this processor",
    )


@experiment("finger-equations", f"{ARMSTRONG_GREEN_1985}, section 3", "The recursion solves the equations exactly")
def equations(context: ExperimentContext) -> Findings:
    from gambol.figure import random_positions
    from gambol.world.mechanics import Mechanics

    rng = np.random.default_rng(1985)
    figure = free_chain(12)
    mechanics, differing = Mechanics(figure), []
    for _ in range(3 if context.quick else 20):
        q, v = random_positions(rng, figure), rng.normal(size=figure.speeds)
        simulation = HingeSimulation(figure, positions=list(q), speeds=list(v))
        exact = np.linalg.solve(mechanics.mass_matrix(q), -mechanics.bias(q, v))
        hinge, spin = simulation.accelerations()
        turning = np.array(_spin_rates(figure, mechanics, q, v, exact))
        differences = np.concatenate([hinge[0] - exact[3:6], (spin - turning).ravel()])
        differing.append(float(np.abs(differences).max() / np.abs(exact).max()))
    worst = max(differing)
    context.save("differences", plot_differences(differing, "Recursion against M(q) a = f, solved directly"))
    yield context.finding(
        "39 equations of a figure of 12 links: largest difference from solving M(q) a = f directly, over the largest a",
        ours=float(f"{worst:.2g}"),
        ok=worst < 1e-9,
        reason="the recursion does not solve the equations of motion",
    )


def _spin_rates(figure, mechanics, q, v, acc) -> list[np.ndarray]:
    """ω̇ of every link in its own axes, from joint accelerations."""
    frames, found = mechanics.frames(q), []
    for name in (f"{figure.name}/{body.name}" for body in figure.order):
        turning = mechanics.jacobian(q, name)[:3] @ acc + mechanics.bias_acceleration(q, v, name)[:3]
        found.append(frames[name].T @ turning)
    return found


@experiment("finger-false-inertia", f"{ARMSTRONG_GREEN_1985}, section 4", "False inertia lengthens the step")
def false_inertia(context: ExperimentContext) -> Findings:
    with_it = longest_stable_step()
    without = longest_stable_step(false_inertia=None)
    with context.picture("steps") as path:
        longest = {"with false inertia": 1e3 * with_it, "without": 1e3 * without}
        save(bar_chart(longest, across="longest stable step δt [ms]", title="False inertia of thin links"), path)
    yield context.finding(
        "enlarging the inertia of thin links about their long axis allows longer steps: longest stable δt, with and"
        " without",
        ours=f"{1e3 * with_it:.0f}, {1e3 * without:.0f}",
        unit="ms",
        ok=with_it > without,
        reason="other modes set the step of this finger",
    )
