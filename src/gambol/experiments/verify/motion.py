"""C.1 free fall and C.2 constant velocity."""

import numpy as np

from gambol.experiments.findings import Statement, at_least, at_most, last_digit, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.verify.scripts import APPENDIX_C, ScriptOutput, run_script, velocity, world_position

METHOD_NAMES = {"euler": "Euler", "rkfixed": "Runge-Kutta 4", "rkf": "Fehlberg 4(5)"}
PRINTED_FALL = {  # Table 8: position [m] and velocity [m/s] after 1 s; None where it has no row
    ("euler", 1): (-4.905, -9.81),
    ("euler", 30): (-4.905, -9.81),
    ("euler", 300): (-4.90498, -9.80993),
    ("euler", 3000): (-4.90496, -9.80989),
    ("rkfixed", 1): (-4.905, -9.81),
    ("rkfixed", 300): (-4.90495, -9.80987),
    ("rkfixed", 3000): (-4.90496, -9.80989),
    ("rkf", 1): (-4.905, -9.81),
    ("rkf", 300): (-4.90499, -9.80998),
    ("rkf", 3000): (-4.90496, -9.80988),
}
FALL_HEIGHT, FALL_SPEED = -4.905, -9.81


ROUNDING = (
    "the source's numbers leave −g/2 and −g as the steps become more: the rounding of its arithmetic, which this one"
    " has not"
)


def _fall_statements() -> list[Statement]:
    """Table 8, row by row, and what is said beside it."""
    made = []
    for (method, steps), (place, speed) in PRINTED_FALL.items():
        for what, value, unit in (("height", place, "m"), ("speed", speed, "m/s")):
            statement = f"{METHOD_NAMES[method]}, {steps} steps a second: {what} after 1 s"
            limit = last_digit(f"{value:.5f}".rstrip("0"))
            key = f"{what}-{method}-{steps}"
            made.append(printed(key, statement, "Table 8", limit, value=value, unit=unit, differs=ROUNDING))
    exact = at_most(1e-9, "the digits that the script prints")
    return [
        *made,
        ours("exact", "all methods and steps: largest difference from −g/2 m and −g m/s", exact),
        printed(
            "no-rotation",
            "no rotation when the centre of mass is off the frame's origin",
            "C.1",
            exact,
            value="none",
            unit="rad/s",
        ),
        printed(
            "no-joint-motion",
            "no joint motion of a falling articulated body",
            "C.1",
            exact,
            value="none",
            unit="rad/s",
        ),
    ]


@experiment("verify-free-fall", f"{APPENDIX_C}.1, Table 8", "One second of free fall", _fall_statements())
def free_fall(context: ExperimentContext) -> Findings:
    outcome = run_script("verify_free_fall")
    heights = {case: float(world_position(outcome.after(f"{case[0]} {case[1]}", 2)[0])[2]) for case in PRINTED_FALL}
    _draw_fall(context, heights)
    worst = 0.0
    for method, steps in PRINTED_FALL:
        centre, moving = outcome.after(f"{method} {steps}", 2)
        z, v = world_position(centre)[2], velocity(moving)[2]
        worst = max(worst, abs(z - FALL_HEIGHT), abs(v - FALL_SPEED))
        yield context.found(f"height-{method}-{steps}", z)
        yield context.found(f"speed-{method}-{steps}", v)
    yield context.found("exact", worst)
    _, spin = outcome.after("offset", 2)
    yield context.found("no-rotation", np.abs(velocity(spin)[3:]).max())
    yield context.found("no-joint-motion", max(map(abs, outcome.numbers_after("linked", 2))))


def _draw_fall(context: ExperimentContext, heights: dict[tuple[str, int], float]) -> None:
    """How far each printed height, and each of ours, is from −g/2."""
    from gambol.plot.style import CURVE_COLOURS, INK

    off = lambda height: 1e6 * (height - FALL_HEIGHT)
    with context.axes("heights", 6.0, 3.6, x="steps in the second", y="height less −g/2 [µm]") as axes:
        for k, (method, name) in enumerate(METHOD_NAMES.items()):
            rows = [(steps, off(place)) for (m, steps), (place, _) in PRINTED_FALL.items() if m == method]
            axes.plot(
                *zip(*rows), "o-", color=CURVE_COLOURS[k], label=f"{name}, printed", markersize=9 - 2 * k, linewidth=1.2
            )
        ours = [(steps, off(z)) for (_, steps), z in heights.items()]
        axes.plot(*zip(*ours), "x", color=INK, label="ours, all methods", markersize=7)
        axes.set_xscale("log")


def centres(outcome: ScriptOutput, mark: str) -> np.ndarray:
    """The eleven centres of mass printed after a mark [m, world axes]."""
    return np.array([world_position(line) for line in outcome.after(mark, 11)])


@experiment(
    "verify-constant-velocity",
    f"{APPENDIX_C}.2, figure 64",
    "Ten seconds without forces",
    states=[
        *(
            printed(
                f"{case}-{method}",
                f"{case} velocity, {METHOD_NAMES[method]}: on the straight line for 10 s, largest distance from it",
                "C.2, figure 64",
                at_most(1e-6, "the figure shows none; the digits that the script prints, with room for ten steps"),
                value="on the line",
                unit="m",
            )
            for case in ("linear", "angular", "both")
            for method in ("rkfixed", "rkf")
        ),
        printed(
            "euler",
            "linear and angular velocity, Euler: leaves the line within 10 s",
            "C.2, figure 64",
            at_least(0.01, "a thousandth of the way, ten thousand times what the others may have"),
            value="drifts",
            unit="m",
        ),
    ],
)
def constant_velocity(context: ExperimentContext) -> Findings:
    outcome = run_script("verify_constant_velocity")
    time = np.arange(11.0)
    deviation = {}
    for case, speed in (("linear", 1.0), ("angular", 0.0), ("both", 1.0)):
        for method in METHOD_NAMES:
            path = centres(outcome, f"{case} {method}")
            line = path[0] + speed * time[:, None] * np.array([1.0, 0.0, 0.0])
            deviation[case, method] = np.linalg.norm(path - line, axis=1)
    _draw(context, outcome, time)
    for case in ("linear", "angular", "both"):
        for method in ("rkfixed", "rkf"):
            yield context.found(f"{case}-{method}", deviation[case, method].max())
    yield context.found("euler", deviation["both", "euler"][-1])


def _draw(context: ExperimentContext, outcome: ScriptOutput, time: np.ndarray) -> None:
    from gambol.plot.style import CURVE_COLOURS

    with context.axes("drift", 6.0, 4.0, x="time [s]", y="centre of mass beyond the line, x [m]") as axes:
        for k, (method, name) in enumerate(METHOD_NAMES.items()):
            way = centres(outcome, f"both {method}")
            off = way[:, 0] - time - way[0, 0]
            axes.plot(time, off, "so^"[k], ls="-", label=name, markersize=6 - k, color=CURVE_COLOURS[k])
