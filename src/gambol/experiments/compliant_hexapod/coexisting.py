"""Fig. 8: different gaits under one controller, chosen by the start."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.experiments.compliant_hexapod.basin import start_states
from gambol.experiments.compliant_hexapod.trials import run_trials
from gambol.experiments.findings import at_least, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.parameters import BODY_ATTITUDE, BODY_VELOCITY
from gambol.plot import CURVE_COLOURS, canvas, dress

PRINTED_STARTS = np.array([(-0.6, -0.8), (-0.8, 0.2)])  # to the right, forward [m/s]
FURTHER_STARTS = np.array([(0.0, 0.0), (0.3, 0.5), (-0.3, 0.8), (0.6, -0.2), (0.1, -0.9), (0.8, 0.4)])
USUAL_GAIT = dict(cycle=0.7, sweep=0.5)
HIGH_FRICTION_GAIT = dict(cycle=0.51, sweep=0.9857, friction=4.0, torque_cap=1e6)
TURNING_GAIT = dict(cycle=0.60, sweep=1.075, friction=4.0, torque_cap=1e6)
SAMPLES_PER_CYCLE, MAX_PERIOD, PERIOD_TOLERANCE = 40, 12, 2e-3


def velocities_along(x: np.ndarray) -> np.ndarray:
    """Forward, sideways and upward speed in the robot's own heading, (samples, worlds, 3)."""
    w, a, b, c = np.moveaxis(x[..., BODY_ATTITUDE : BODY_ATTITUDE + 4], -1, 0)
    yaw = np.arctan2(2 * (w * c - a * b), 1 - 2 * (a * a + c * c))  # of the forward axis, as it lies on the ground
    vx, vy, vz = np.moveaxis(x[..., BODY_VELOCITY : BODY_VELOCITY + 3], -1, 0)
    return np.stack([vy * np.cos(yaw) - vx * np.sin(yaw), vx * np.cos(yaw) + vy * np.sin(yaw), vz], axis=-1)


def period_of(profile: np.ndarray) -> int:
    """Cycles after which the motion repeats; 0 for none up to MAX_PERIOD. `profile` is (samples, 3)."""
    cycles = profile[: len(profile) // SAMPLES_PER_CYCLE * SAMPLES_PER_CYCLE].reshape(
        -1, SAMPLES_PER_CYCLE * profile.shape[1]
    )
    last = cycles[-2 * MAX_PERIOD :]
    for k in range(1, min(MAX_PERIOD, len(last) - 1) + 1):
        if np.abs(last[k:] - last[:-k]).max() < PERIOD_TOLERANCE * max(1.0, np.abs(last).max()) * 5:
            return k
    return 0


def run_gaits(parameters: dict[str, float], velocities: np.ndarray, cycles: int):
    """(profiles, periods, fallen) of runs from these velocities."""
    hexapod = CompliantHexapod(**parameters)
    trial = run_trials(
        hexapod,
        {},
        worlds=len(velocities),
        duration=cycles * hexapod.p.cycle,
        settled=0.0,
        every=hexapod.p.cycle / SAMPLES_PER_CYCLE,
        x=start_states(hexapod, velocities),
    )
    late = trial.path.x[-2 * MAX_PERIOD * SAMPLES_PER_CYCLE :]
    profiles = velocities_along(late)
    periods = [0 if f else period_of(profiles[:, k]) for k, f in enumerate(trial.fallen)]
    return trial, profiles, np.array(periods)


def draw(rows) -> Canvas:
    """Forward speed over the last cycles, two starts side by side."""
    picture = canvas(9.5, 2.5 * len(rows))
    axes = np.atleast_2d(picture.subplots(len(rows), 2, sharex="row", sharey="row"))
    for line, (title, profiles, periods, labels) in zip(axes, rows):
        for axis, k in zip(line, range(2)):
            t = np.arange(len(profiles)) / SAMPLES_PER_CYCLE
            axis.plot(t, profiles[:, k, 0], color=CURVE_COLOURS[k], lw=1.0)
            what = (
                f"period {periods[k]}" if periods[k] else "no period up to 12" if np.ptp(profiles[:, k, 0]) else "fell"
            )
            dress(axis, x="cycles", y="forward [m/s]", title=f"{title}:\n{labels[k]}, {what}")
            axis.set_xlim(0, 12)
            axis.title.set_fontsize(8)
    return picture


@experiment(
    "hexapod-coexisting",
    f"{SARANLI_BUEHLER}, fig. 8",
    "Different periodicities under one controller",
    states=[
        printed(
            "different",
            "starts (−0.6, −0.8) and (−0.8, 0.2) m/s lead to different periodicities: difference of the periods in"
            " cycles, −1 where one falls (usual parameters)",
            "fig. 8",
            at_least(1, "different, and neither falls"),
            value="different",
            differs="all starts lead to one gait with these parameters; the report does not give its own",
        ),
        ours("kinds", "different periods among eight starts (usual parameters)"),
        ours(
            "kinds-grip",
            "different periods among eight starts (friction 4, no torque cap, cycle 0.51 s, sweep 0.9857)",
            at_least(2, "more than one gait under one controller"),
        ),
        ours(
            "turning-grip",
            "left and right turning gaits coexist (cycle 0.60 s, sweep 1.075 rad, friction 4, no torque cap): the"
            " slower of the fastest turns to the left and to the right (below zero: none to one side)",
            at_least(0.01, "a third of a turn in two hundred seconds, to either side"),
            unit="rad/s",
        ),
    ],
)
def coexisting(context: ExperimentContext) -> Findings:
    cycles = 50 if context.quick else 120
    context.log("two starts, usual parameters and looser ones")
    rows, found = [], {}
    for title, parameters in (
        ("usual, cycle 0.7 s, sweep 0.5", USUAL_GAIT),
        ("friction 4, no torque cap, cycle 0.51 s, sweep 0.9857", HIGH_FRICTION_GAIT),
    ):
        velocities = np.concatenate([PRINTED_STARTS, FURTHER_STARTS])
        trial, profiles, periods = run_gaits(parameters, velocities, cycles)
        alive = np.flatnonzero(~trial.fallen)
        found[title] = (periods, trial.fallen, trial.track_speed)
        shown = [0, 1]
        if len(set(periods[alive])) > 1:
            first = alive[0]
            other = next(k for k in alive if periods[k] != periods[first])
            shown = [int(first), int(other)]
        labels = [f"from ({velocities[k][0]:g}, {velocities[k][1]:g}) m/s" for k in shown]
        rows.append((title, profiles[:, shown], periods[shown], labels))
    context.save("gaits", draw(rows))
    for grip, (periods, fallen, _) in zip(("", "-grip"), found.values()):
        told = [("fell" if f else str(p) if p else "none up to 12") for p, f in zip(periods, fallen)]
        note = f"periods {told[0]} and {told[1]}; six other starts: {', '.join(told[2:])}"
        if not grip:
            apart = -1 if fallen[:2].any() else abs(int(periods[0]) - int(periods[1]))
            yield context.found("different", apart, note=note)
        yield context.found(f"kinds{grip}", len({p for p, f in zip(periods, fallen) if not f}), note=note)
    rate = turning(40 if context.quick else 80)
    told = ["fell" if np.isnan(r) else f"{r:+.2f}" for r in rate]
    yield context.found("turning-grip", min(np.nanmax(rate), -np.nanmin(rate)), note=", ".join(told))


def turning(cycles: int) -> np.ndarray:
    """Rates of turn [rad/s] of eight starts in a gait that turns; nan for those that fell."""
    velocities = np.concatenate([PRINTED_STARTS, FURTHER_STARTS])
    trial, _, _ = run_gaits(TURNING_GAIT, velocities, cycles)
    yaw = np.unwrap(trial.path["yaw"], axis=0)
    rate = (yaw[-1] - yaw[-1 - 10 * SAMPLES_PER_CYCLE]) / (10 * TURNING_GAIT["cycle"])
    return np.where(trial.fallen, np.nan, rate)
