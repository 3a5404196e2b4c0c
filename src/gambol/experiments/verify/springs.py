"""C.3 linear spring, C.4 spring and damper, C.5 exponential spring."""

import numpy as np

from gambol.experiments.findings import at_most, derived, ours, printed, within
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.verify.scripts import APPENDIX_C, run_script

CUBE_MASS = 984.857  # [kg], of the bevelled cube at 1000 kg/m³
REST_POSITION = 3.0
EXPONENTIAL_PLACES = {1: 2.05985, 2: 3.80595, 5: 2.67409}  # [s]: [m]


def _draw(context: ExperimentContext, name: str, curves: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    from gambol.plot.style import CURVE_COLOURS, INK, TEXT

    with context.axes(name, 8.0, 3.5, x="time [s]", y="position [m]") as axes:
        for k, (label, (time, x)) in enumerate(curves.items()):
            closed = label == "closed form"
            colour = INK if closed else CURVE_COLOURS[k]
            axes.plot(time, x, "--" if closed else "-", label=label, linewidth=0.9 if closed else 1.6, color=colour)
        axes.legend(fontsize=TEXT - 1, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(curves))


def phase_lost(time: np.ndarray, x: np.ndarray) -> float:
    """Phase by which x lags cos t [degrees], from the best fit of a cosine and a sine."""
    basis = np.column_stack([np.cos(time), np.sin(time)])
    (c, s), *_ = np.linalg.lstsq(basis, x - REST_POSITION, rcond=None)
    return float(np.degrees(np.arctan2(s, c)))


FIGURE = "reading a figure, a fiftieth of its height"


@experiment(
    "verify-linear-spring",
    f"{APPENDIX_C}.3, figure 65",
    "An undamped spring for 110 s",
    states=[
        printed(
            "curve",
            "x(t) = 3 + cos t to 110 s with a fine tolerance: largest deviation",
            "C.3, figure 65",
            at_most(0.02, FIGURE),
            value="the curves agree",
            unit="m",
        ),
        ours("curve-exact", "… to the tolerance", at_most(1e-8, "eps 1e-12, accumulated over 3300 frames"), unit="m"),
        printed(
            "amplitude", "amplitude from 100 to 110 s", "C.3, figure 65", within(1.0, 0.02, FIGURE), value=1.0, unit="m"
        ),
        printed(
            "phase-lost",
            "phase lost from 100 to 110 s with one step a frame",
            "C.3, figure 65",
            within(30.0, 5.0, "reading a figure: a twelfth of a quarter cycle"),
            value=30.0,
            unit="degrees",
            differs="a Fehlberg step of 1/30 s in double precision loses none; the source lost its phase otherwise,"
            " most likely by single precision or a lower-order result",
        ),
    ],
)
def linear_spring(context: ExperimentContext) -> Findings:
    outcome = run_script("verify_linear_spring")
    fine, coarse = outcome.tables["spring_fine"].T, outcome.tables["spring_coarse"].T
    late = fine[0] >= 100.0
    exact = REST_POSITION + np.cos(fine[0])
    _draw(
        context,
        "late",
        {
            "tolerance 1e-12": (fine[0][late], fine[1][late]),
            "one step a frame": (coarse[0][late], coarse[1][late]),
            "closed form": (fine[0][late], exact[late]),
        },
    )
    off = float(np.abs(fine[1] - exact).max())
    yield context.found("curve", off)
    yield context.found("curve-exact", off)
    yield context.found("amplitude", np.ptp(fine[1][late]) / 2.0)
    yield context.found("phase-lost", abs(phase_lost(coarse[0][late], coarse[1][late])))


@experiment(
    "verify-damped-spring",
    f"{APPENDIX_C}.4, figure 66",
    "A spring and a damper",
    states=[
        printed(
            "curve",
            "the damped oscillation of Eq. 100 for 50 s: largest deviation",
            "C.4, figure 66",
            at_most(0.02, FIGURE),
            value="the curves agree",
            unit="m",
        ),
        derived(
            "frequency",
            "angular frequency from the crossings of the rest position",
            "Eq. 100 with m = k = 984.857, b = 100",
            within(0.998710, 1e-4, "samples of 1/30 s, interpolated"),
            value=0.998710,
            unit="rad/s",
        ),
        derived(
            "decay",
            "decay rate b/2m from the maxima",
            "Eq. 100 with m = k = 984.857, b = 100",
            within(0.050769, 1e-4, "maxima among samples of 1/30 s"),
            value=0.050769,
            unit="1/s",
        ),
    ],
)
def damped_spring(context: ExperimentContext) -> Findings:
    time, x = run_script("verify_damped_spring").tables["damped"].T
    rate = 100.0 / (2.0 * CUBE_MASS)
    frequency = np.sqrt(1.0 - rate**2)
    exact = REST_POSITION + np.exp(-rate * time) * (
        np.cos(frequency * time) + rate / frequency * np.sin(frequency * time)
    )
    _draw(context, "decay", {"simulated": (time, x), "closed form": (time, exact)})
    off = float(np.abs(x - exact).max())
    yield context.found("curve", off)
    period = 2.0 * float(np.mean(np.diff(crossings(time, x))))
    yield context.found("frequency", 2.0 * np.pi / period)
    peaks = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:])) + 1
    yield context.found("decay", -np.polyfit(time[peaks], np.log(x[peaks] - REST_POSITION), 1)[0])


def crossings(time: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Times at which x passes the rest position, between the samples by cubic interpolation."""
    from scipy.interpolate import CubicSpline

    roots = CubicSpline(time, x - REST_POSITION).roots(extrapolate=False)
    return np.asarray(roots)


@experiment(
    "verify-exponential-spring",
    f"{APPENDIX_C}.5, figure 67",
    "An exponential spring",
    states=[
        ours(
            "integration",
            "agreement with an independent integration of the same law",
            at_most(1e-7, "the tolerances of both"),
            unit="m",
        ),
        derived(
            "period",
            "period, with the -1 of Eq. 81 (without it, as in Eq. 101, it would be 2.15348 s)",
            "Eq. 81, m = 984.857, α = 1, β = 10",
            within(2.15371, 2e-5, "a tenth of what the -1 makes"),
            value=2.15371,
            unit="s",
        ),
        *(
            derived(
                f"x-{second}",
                f"x({second} s)",
                "Eq. 81, m = 984.857, α = 1, β = 10",
                within(place, 2e-5, "the digits of an independent integration, and the script's frame"),
                value=place,
                unit="m",
            )
            for second, place in EXPONENTIAL_PLACES.items()
        ),
    ],
)
def exponential_spring(context: ExperimentContext) -> Findings:
    time, x = run_script("verify_exponential_spring").tables["exponential"].T
    exact = integrate_spring(time)
    _draw(context, "oscillation", {"simulated": (time, x), "closed form": (time, exact)})
    yield context.found("integration", np.abs(x - exact).max())
    yield context.found("period", 2.0 * float(np.mean(np.diff(crossings(time, x)))))
    for second in EXPONENTIAL_PLACES:
        yield context.found(f"x-{second}", np.interp(second, time, x))


def integrate_spring(times: np.ndarray) -> np.ndarray:
    """m x'' = -sign(x - 3) (e^(10 |x - 3|) - 1) from x = 4 at rest, by another integrator."""
    from scipy.integrate import solve_ivp

    def law(_, y):
        d = y[0] - REST_POSITION
        return [y[1], -np.sign(d) * np.expm1(10.0 * abs(d)) / CUBE_MASS]

    solved = solve_ivp(law, (0.0, times[-1]), [4.0, 0.0], t_eval=times, rtol=1e-12, atol=1e-12, method="DOP853")
    return solved.y[0]
