"""C.6 double pendulum and C.7 independence of the root."""

import numpy as np

from gambol.experiments.findings import at_most, between, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.verify.scripts import APPENDIX_C, run_script

LINK_LENGTH, PENDULUM_GRAVITY = 1.0, 9.81
PENDULUM_STATES = {
    "0 0 0 0": (0.0, 0.0, 0.0, 0.0),
    ".3 -.5 1 -2": (0.3, -0.5, 1.0, -2.0),
    "1 .5 2 3": (1.0, 0.5, 2.0, 3.0),
}


def closed_form(state: tuple[float, ...], mass: float, inertia: float) -> np.ndarray:
    """Joint accelerations [rad/s²] of two equal links (Eq. 117–118, no torques); angles from the horizontal."""
    th1, th2, w1, w2 = state
    l, m = LINK_LENGTH, mass
    c2, s2 = np.cos(th2), np.sin(th2)
    m11 = 2.0 * inertia + m * l * l * (c2 + 1.5)
    m12 = inertia + m * l * l * (0.25 + 0.5 * c2)
    m22 = inertia + 0.25 * m * l * l
    far = 0.5 * PENDULUM_GRAVITY * m * l * np.cos(th1 + th2)
    rest1 = (
        -0.5 * m * l * l * w2**2 * s2 - m * l * l * w1 * w2 * s2 + far + 1.5 * PENDULUM_GRAVITY * m * l * np.cos(th1)
    )
    rest2 = 0.5 * m * l * l * w1**2 * s2 + far
    return np.linalg.solve([[m11, m12], [m12, m22]], [-rest1, -rest2])


def integrate_pendulum(times: np.ndarray, mass: float, inertia: float) -> np.ndarray:
    """Angles (samples, 2) [rad] of the closed form, by another integrator."""

    from scipy.integrate import solve_ivp

    def law(_, y):
        return [y[2], y[3], *closed_form(tuple(y), mass, inertia)]

    solved = solve_ivp(law, (0.0, times[-1]), [0.0] * 4, t_eval=times, rtol=1e-11, atol=1e-11, method="DOP853")
    return solved.y[:2].T


@experiment(
    "verify-double-pendulum",
    f"{APPENDIX_C}.6, Eq. 117–118",
    "Two cylinders that swing",
    states=[
        printed(
            "closed-form",
            "accelerations of both joints in three states are those of the closed form: largest difference",
            "C.6, Eq. 117–118",
            at_most(1e-6, "the digits that the script prints"),
            value="equal",
            unit="rad/s²",
        ),
        ours(
            "swing",
            "2 s of swinging against the closed form integrated otherwise: largest difference",
            at_most(1e-4, "the tolerance of the script's integrator over 2 s"),
            unit="rad",
        ),
    ],
)
def double_pendulum(context: ExperimentContext) -> Findings:
    outcome = run_script("verify_double_pendulum")
    mass = float(outcome.lines[0])
    inertia = float(outcome.after("upper:", 1)[0].split()[0])
    differences = []
    for name, state in PENDULUM_STATES.items():
        found = np.array(outcome.numbers_after(f"state {name}", 2))
        differences.append(float(np.abs(found - closed_form(state, mass, inertia)).max()))
    yield context.found("closed-form", max(differences), note=f"states {'; '.join(PENDULUM_STATES)}")
    time, upper = outcome.tables["pendulum_upper"].T
    path = np.column_stack([upper, outcome.tables["pendulum_lower"][:, 1]])
    exact = integrate_pendulum(time, mass, inertia)
    off = float(np.abs(path - exact).max())
    _draw(context, time, path, exact)
    yield context.found("swing", off)


def _draw(context: ExperimentContext, time: np.ndarray, path: np.ndarray, exact: np.ndarray) -> None:
    from gambol.plot.style import CURVE_COLOURS, INK

    with context.axes("swing", 7.0, 3.5, x="time [s]", y="angle [rad]") as axes:
        for k, name in enumerate(("first joint", "second joint")):
            axes.plot(time, path[:, k], label=name, linewidth=1.8, color=CURVE_COLOURS[k])
            label = "" if k == 0 else "closed form, integrated"
            axes.plot(time, exact[:, k], "--", linewidth=0.8, color=INK, label=label)


@experiment(
    "verify-root-independence",
    f"{APPENDIX_C}.7",
    "One chain built from each of its links",
    states=[
        printed(
            "agreement",
            "joint values of the four structures after 5 s agree: relative spread",
            "C.7",
            at_most(0.01, "within 1 %, as printed"),
            value=0.01,
        ),
        ours("rounding", "… agree to rounding", at_most(1e-8, "eps 1e-9, accumulated over 5 s")),
        printed(
            "speed",
            "speed of the powered joint: over 18",
            "C.7",
            between(18.0, 19.0, "“over 18”: a whole number that it has passed"),
            value=18,
            unit="rad/s",
        ),
    ],
)
def root_independence(context: ExperimentContext) -> Findings:
    with context.picture("chains") as path:
        outcome = run_script("verify_root_independence", keep=path)
    values = np.array([np.abs(outcome.numbers_after(f"chain {k}", 6)) for k in (1, 2, 3, 4)])
    spread = float((np.ptp(values, axis=0) / values.mean(axis=0)).max())
    yield context.found("agreement", spread)
    yield context.found("rounding", spread)
    yield context.found("speed", values[:, 1].min())
