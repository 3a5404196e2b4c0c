"""C.1 free fall and C.2 constant velocity."""

import numpy as np

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


@experiment("verify-free-fall", f"{APPENDIX_C}.1, Table 8", "One second of free fall")
def free_fall(context: ExperimentContext) -> Findings:
    outcome = run_script("verify_free_fall")
    heights = {case: float(world_position(outcome.after(f"{case[0]} {case[1]}", 2)[0])[2]) for case in PRINTED_FALL}
    _draw_fall(context, heights)
    for (method, steps), (place, speed) in PRINTED_FALL.items():
        centre, moving = outcome.after(f"{method} {steps}", 2)
        z, v = world_position(centre)[2], velocity(moving)[2]
        exact = abs(z - FALL_HEIGHT) < 1e-9 and abs(v - FALL_SPEED) < 1e-9
        close = abs(z - place) < 1e-4 and abs(v - speed) < 2e-4
        what = f"{METHOD_NAMES[method]}, {steps} steps a second"
        yield context.finding(
            f"{what}: height after 1 s", printed=place, ours=round(z, 9), unit="m", ok=exact and close
        )
        yield context.finding(
            f"{what}: speed after 1 s", printed=speed, ours=round(v, 9), unit="m/s", ok=exact and close
        )
    far, spin = outcome.after("offset", 2)
    turning = float(np.abs(velocity(spin)[3:]).max())
    yield context.finding(
        "no rotation when the centre of mass is off the frame's origin",
        printed=0.0,
        ours=turning,
        unit="rad/s",
        ok=turning < 1e-9 and abs(world_position(far)[2] - (1.0 + FALL_HEIGHT)) < 1e-9,
    )
    joints = max(map(abs, outcome.numbers_after("linked", 2)))
    yield context.finding(
        "no joint motion of a falling articulated body", printed=0.0, ours=joints, unit="rad/s", ok=joints < 1e-9
    )


def _draw_fall(context: ExperimentContext, heights: dict[tuple[str, int], float]) -> None:
    """How far each printed height, and each of ours, is from −g/2."""
    from gambol.plot.style import CURVES, INK

    off = lambda height: 1e6 * (height - FALL_HEIGHT)
    with context.axes("heights", 6.0, 3.6, x="steps in the second", y="height less −g/2 [µm]") as axes:
        for k, (method, name) in enumerate(METHOD_NAMES.items()):
            rows = [(steps, off(place)) for (m, steps), (place, _) in PRINTED_FALL.items() if m == method]
            axes.plot(*zip(*rows), "o-", color=CURVES[k], label=f"{name}, printed", markersize=9 - 2 * k, linewidth=1.2)
        ours = [(steps, off(z)) for (_, steps), z in heights.items()]
        axes.plot(*zip(*ours), "x", color=INK, label="ours, all methods", markersize=7)
        axes.set_xscale("log")


def centres(outcome: ScriptOutput, mark: str) -> np.ndarray:
    """The eleven centres of mass printed after a mark [m, world axes]."""
    return np.array([world_position(line) for line in outcome.after(mark, 11)])


@experiment("verify-constant-velocity", f"{APPENDIX_C}.2, figure 64", "Ten seconds without forces")
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
            off = float(deviation[case, method].max())
            yield context.finding(
                f"{case} velocity, {METHOD_NAMES[method]}: on the straight line for 10 s",
                printed=0.0,
                ours=off,
                unit="m",
                ok=off < 1e-6,
            )
    off = float(deviation["both", "euler"][-1])
    yield context.finding(
        "linear and angular velocity, Euler: leaves the line within 10 s (the plot has no numbers)",
        ours=off,
        unit="m",
        ok=off > 0.01,
    )


def _draw(context: ExperimentContext, outcome: ScriptOutput, time: np.ndarray) -> None:
    from gambol.plot.style import CURVES

    with context.axes("drift", 6.0, 4.0, x="time [s]", y="centre of mass beyond the line, x [m]") as axes:
        for k, (method, name) in enumerate(METHOD_NAMES.items()):
            way = centres(outcome, f"both {method}")
            off = way[:, 0] - time - way[0, 0]
            axes.plot(time, off, "so^"[k], ls="-", label=name, markersize=6 - k, color=CURVES[k])
