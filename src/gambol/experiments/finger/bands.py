"""The two-band schedule and the cost of the recursion: sections 3 and 4."""

import numpy as np

from gambol import StepError
from gambol.experiments.findings import ABOUT, at_least, at_most, beyond, derived, ours, printed, within
from gambol.experiments.finger.measure import (
    BAND_RATIOS,
    best_times,
    free_chain,
    longest_stable_step,
    step_times,
)
from gambol.experiments.finger.pictures import plot_curves, plot_differences
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import ARMSTRONG_GREEN_1985
from gambol.hinge_recursion import HingeSimulation
from gambol.models import finger
from gambol.plot import bar_chart, save

EVEN_LINKS, EVEN_RATIO = 160, 4
SUN_SECONDS, VAX_SECONDS = (604.0, 385.0), (89.0, 56.6)  # [s] for 8 s of motion: slow band every step, every other step


@experiment(
    "finger-two-bands",
    f"{ARMSTRONG_GREEN_1985}, section 5",
    "The slow band every other step saves a third of the time",
    states=[
        derived(
            "saved",
            "time saved by the slow band every other step (ν = 2)",
            "section 5: 604 s and 385 s on the SUN, 89 s and 56.6 s on the VAX",
            within(36.3, 5.0, "timings of another processor, which scatter by a few per cent"),
            value=36.3,
            unit="%",
            timed=True,
            differs="the slow band's share of a step is that of this processor",
        ),
        *(
            ours(f"error-{ratio}", f"error of the fingertip over 8 s at δt = 0.01 s, ν = {ratio}", unit="mm rms")
            for ratio in (1, 2, 4)
        ),
        *(
            ours(f"spread-error-{ratio}", f"… the slow band spread over the fast steps, ν = {ratio}", unit="mm rms")
            for ratio in (2, 4)
        ),
        printed(
            "even",
            "the slow band is split into ν parts and executed uniformly over the fast steps: longest step, of the mean,"
            f" {EVEN_LINKS} links, ν = {EVEN_RATIO}",
            "section 4",
            at_most(ABOUT, f"“uniformly”: within the factor of {ABOUT:g} that “about” is"),
            value="uniformly",
            timed=True,
        ),
        ours("uneven", "… with the slow band in one go", timed=True),
        ours(
            "order",
            "the error falls with δt: order of the step, ν = 1",
            within(1.0, 0.2, "the velocities are stepped by Euler's rule"),
        ),
    ],
)
def two_bands(context: ExperimentContext) -> Findings:
    rounds = 3 if context.quick else 15
    times = best_times([finger.tapping_finger(ratio=ratio) for ratio in BAND_RATIOS], 800, rounds)
    saved = 100.0 * (1.0 - times[1] / times[0])
    yield context.found("saved", saved)
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
    for ratio in (1, 2, 4):
        yield context.found(f"error-{ratio}", errors[ratio][0])
    for ratio in (2, 4):
        yield context.found(f"spread-error-{ratio}", _error(steps[0], ratio, converged, spread=True))
    for key, spread in (("even", True), ("uneven", False)):
        chain = HingeSimulation(free_chain(EVEN_LINKS), step=1e-3, ratio=EVEN_RATIO, spread=spread)
        took = step_times(chain, 50 if context.quick else 500)
        note = f"{', '.join(f'{1e6 * t:.1f}' for t in took)} µs"
        yield context.found(key, took.max() / took.mean(), note=note)
    yield context.found("order", orders.mean(), note="with ν = 8 and δt = 0.01 s the run diverges")


def _error(step: float, ratio: int, converged: np.ndarray, spread: bool = False) -> float:
    """Root mean square [mm]; nan where the run diverges."""
    try:
        run = finger.tapping_finger(step=step, ratio=ratio, spread=spread).run(finger.DURATION, every=0.01)
        path = run.point("tip")
    except StepError:
        return float("nan")
    return float(1e3 * np.sqrt(np.mean(np.sum((path - converged) ** 2, axis=1))))


@experiment(
    "finger-speed",
    f"{ARMSTRONG_GREEN_1985}, section 5",
    "Eight seconds of the finger, against a SUN and a VAX",
    states=[
        beyond(
            f"pace-{ratio}",
            f"computing time over motion time, ν = {ratio} (of the VAX 11/780, the faster of its two machines)",
            value=round(VAX_SECONDS[ratio - 1] / finger.DURATION, 1),
            where="section 5",
            unit="× real time",
            timed=True,
        )
        for ratio in (1, 2)
    ],
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
        yield context.found(
            f"pace-{ratio}",
            took / finger.DURATION,
            note=f"{finger.DURATION / took:,.0f} times faster than real time on one core, {steps} steps of 0.01 s;"
            f" SUN 68010: {slower[0]:.0f}",
        )


@experiment(
    "finger-linear",
    f"{ARMSTRONG_GREEN_1985}, section 3",
    "The cost grows linearly with the links",
    states=[
        printed(
            "cost",
            "the cost is linear in the links: cost per link of the longest chain over that of a chain of 10",
            "section 3",
            within(1.0, 0.25, "a quadratic cost would be 16 and more; what is left are timings and caches"),
            value="linear",
            timed=True,
            differs="long chains do not fit the cache of this processor",
        )
    ],
)
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
    yield context.found("cost", each[-1] / each[1], note=f"{sizes[-1]} links")


@experiment(
    "finger-equations",
    f"{ARMSTRONG_GREEN_1985}, section 3",
    "The recursion solves the equations exactly",
    states=[
        ours(
            "difference",
            "39 equations of a figure of 12 links: largest difference from solving M(q) a = f directly, over the"
            " largest a",
            at_most(1e-9, "rounding of two direct solutions of a condition number up to 1e6"),
        )
    ],
)
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
    yield context.found("difference", worst, seed=1985)


def _spin_rates(figure, mechanics, q, v, acc) -> list[np.ndarray]:
    """ω̇ of every link in its own axes, from joint accelerations."""
    frames, found = mechanics.frames(q), []
    for name in (f"{figure.name}/{body.name}" for body in figure.order):
        turning = mechanics.jacobian(q, name)[:3] @ acc + mechanics.bias_acceleration(q, v, name)[:3]
        found.append(frames[name].T @ turning)
    return found


@experiment(
    "finger-false-inertia",
    f"{ARMSTRONG_GREEN_1985}, section 4",
    "False inertia lengthens the step",
    states=[
        printed(
            "longer",
            "enlarging the inertia of thin links about their long axis allows longer steps: longest stable δt, over"
            " that without",
            "section 4",
            at_least(1.25, "longer by more than the whole milliseconds in which it is measured"),
            differs="other modes set the step of this finger",
        )
    ],
)
def false_inertia(context: ExperimentContext) -> Findings:
    with_it = longest_stable_step()
    without = longest_stable_step(false_inertia=None)
    with context.picture("steps") as path:
        longest = {"with false inertia": 1e3 * with_it, "without": 1e3 * without}
        save(bar_chart(longest, across="longest stable step δt [ms]", title="False inertia of thin links"), path)
    yield context.found("longer", with_it / without, note=f"{1e3 * with_it:.0f} and {1e3 * without:.0f} ms")
