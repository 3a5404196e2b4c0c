"""Section 5.2: from which initial velocities it recovers."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.experiments.compliant_hexapod.trials import HexapodTrials, run_trials
from gambol.experiments.findings import MOSTLY, Rate, at_least, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod, start
from gambol.plot import canvas, dress

MAX_START_SPEED = 2.0  # [m/s]


def start_states(hexapod: CompliantHexapod, velocities: np.ndarray) -> np.ndarray:
    """States that start with velocities (to the right, forward)."""
    return np.array([start(hexapod.p, velocity=tuple(v))[1] for v in velocities])


def run_velocities(hexapod: CompliantHexapod, side: int, duration: float) -> tuple[np.ndarray, HexapodTrials]:
    """Runs from a square grid of initial velocities (to the right, forward) [m/s]."""
    line = np.linspace(-MAX_START_SPEED, MAX_START_SPEED, side)
    velocities = np.array([(a, b) for b in line for a in line])
    x = start_states(hexapod, velocities)
    trial = run_trials(hexapod, {}, worlds=len(x), duration=duration, settled=duration - 2.0, x=x)
    return velocities, trial


def recovered(trial: HexapodTrials) -> np.ndarray:
    """Runs at its own speed again, along whatever heading it has."""
    with np.errstate(invalid="ignore"):
        return ~trial.fallen & (np.abs(trial.track_speed - np.nanmedian(trial.track_speed)) < 0.02)


def largest_recovered_speed(velocities: np.ndarray, good: np.ndarray) -> float:
    """The largest speed [m/s] up to which every direction of the grid recovers."""
    size = np.hypot(*velocities.T)
    bad = size[~good]
    return float(size[good & (size < (bad.min() if len(bad) else np.inf))].max())


def draw(results: dict[str, tuple[np.ndarray, HexapodTrials]]) -> Canvas:
    """The plane of initial velocities, and what came of each."""
    picture = canvas(4.3 * len(results), 4.3)
    axes = np.atleast_1d(picture.subplots(1, len(results)))
    angle = np.linspace(0, 2 * np.pi, 100)
    for axis, (title, (velocities, trial)) in zip(axes, results.items()):
        good = recovered(trial)
        for mask, style, label in (
            (good, dict(marker="o", color="#009e73"), "recovers"),
            (~good & ~trial.fallen, dict(marker="s", color="#e69f00"), "runs otherwise"),
            (trial.fallen, dict(marker="x", color="#d55e00"), "topples"),
        ):
            axis.plot(*velocities[mask].T, ls="", ms=4, label=f"{label} ({mask.sum()})", **style)
        axis.plot(np.cos(angle), np.sin(angle), color="k", lw=0.8)
        dress(axis, x="to the right [m/s]", y="forward [m/s]", title=title)
        axis.set_aspect("equal")
        axis.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, frameon=False)
    return picture


GRIP = 5.0  # the friction at which toes hardly slide


@experiment(
    "hexapod-basin",
    f"{SARANLI_BUEHLER}, section 5.2",
    "Initial velocities from which it recovers",
    states=[
        printed(
            "recovers",
            "recovers from lateral and fore–aft velocities of up to 1 m/s: largest speed up to which every direction of"
            " the grid does",
            "section 5.2",
            at_least(1.0, "as printed"),
            value=1.0,
            unit="m/s",
        ),
        printed(
            "topples",
            "higher initial velocities topple it: share of the starts between 1 and 2.8 m/s",
            "section 5.2",
            MOSTLY,
            value="topple",
            differs="toes slide before the body topples; with friction 5 they hold, and then it does not recover from"
            " all up to 1 m/s",
        ),
        ours("recovers-grip", f"recovers, with friction {GRIP:g}", unit="m/s"),
        ours("topples-grip", f"topples above 1 m/s, with friction {GRIP:g}: share of the starts"),
    ],
)
def basin(context: ExperimentContext) -> Findings:
    side, duration = (7, 6.0) if context.quick else (17, 10.0)
    results = {}
    for title, more in (("friction 0.5 (usual)", {}), (f"friction {GRIP:g}", {"friction": GRIP})):
        context.log(f"{side * side} velocities, {title}")
        results[title] = run_velocities(CompliantHexapod(**more), side, duration)
    context.save("basin", draw(results))
    for grip, (velocities, trial) in zip(("", "-grip"), results.values()):
        good, size = recovered(trial), np.hypot(*velocities.T)
        slow = size <= 1.0 + 1e-9
        note = f"{np.mean(good[slow]):.0%} of the starts up to 1 m/s"
        yield context.found(f"recovers{grip}", largest_recovered_speed(velocities, good), note=note)
        yield context.found(f"topples{grip}", Rate(int(np.sum(trial.fallen & ~slow)), int(np.sum(~slow))))
