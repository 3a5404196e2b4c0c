"""Figs. 9 and 10: speed and battery life over the slope of the ground."""

import numpy as np

from gambol.experiments.compliant_hexapod.trials import HexapodTrials, run_trials
from gambol.experiments.findings import ALWAYS, about, at_least, ours, printed
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import SARANLI_BUEHLER
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod, start
from gambol.plot import CURVE_COLOURS, canvas, dress, save

MAX_SLOPE = 0.25  # rise per length
SLOPE_GAIT = dict(cycle=1.0, sweep=np.pi / 10)
# A hexapod with softer, more damped legs, a stiffer controller and better grip, which the report would also describe.
SOFT_LEGS = dict(
    friction=1.8,
    stiffness=470.0,
    middle_stiffness=620.0,
    damping=22.0,
    middle_damping=29.0,
    position_gain=86.0,
    speed_gain=0.54,
)


def run_slopes(slopes: np.ndarray, duration: float, **more: float) -> HexapodTrials:
    """Runs on every slope (rise per length); `more` are parameters of the hexapod."""
    hexapod = CompliantHexapod(**SLOPE_GAIT, **more)
    x = np.array([start(hexapod.p._replace(slope_y=s))[1] for s in slopes])
    return run_trials(
        hexapod, {"slope_y": slopes}, worlds=len(slopes), duration=duration, settled=0.5 * duration, x=x, every=0.5
    )


def battery_life(trial: HexapodTrials) -> np.ndarray:
    """[min] until the battery is empty."""
    return 1.0 / trial.rate("battery used") / 60.0


def slope_grid(context: ExperimentContext) -> tuple[np.ndarray, float]:
    """The slopes to try, and how long to run [s]."""
    return (np.linspace(-0.2, 0.2, 9), 10.0) if context.quick else (np.linspace(-MAX_SLOPE, MAX_SLOPE, 41), 20.0)


def slope_speed(trial: HexapodTrials, slopes: np.ndarray) -> np.ndarray:
    """Mean speed along the slope [m/s]."""
    return trial.speed * np.sqrt(1 + slopes**2)


UPHILL = "uphill the toes slide back more than the fast swing gains; with more grip and softer legs it rises"


@experiment(
    "hexapod-slopes",
    f"{SARANLI_BUEHLER}, fig. 9",
    "Speed against slope",
    states=[
        printed(
            "varies",
            "considerable variation of the forward speed with the slope: range, of the speed on the flat",
            "fig. 9",
            at_least(0.25, "“considerable”: a quarter, the factor that “about” is"),
            value="considerable",
        ),
        printed(
            "uphill",
            "the speed increases for positive slopes: its largest uphill above that on the flat, of it",
            "fig. 9",
            at_least(0.02, "to be seen in a figure: a fiftieth"),
            value="increases",
            differs=UPHILL,
        ),
        ours("varies-soft", "varies, with softer and more damped legs, a stiffer controller and better grip"),
        ours("uphill-soft", "increases uphill, with those legs"),
    ],
)
def speeds(context: ExperimentContext) -> Findings:
    slopes, duration = slope_grid(context)
    curves = {
        "usual parameters": run_slopes(slopes, duration),
        "softer legs": run_slopes(slopes, duration, **SOFT_LEGS),
    }
    x, y, title = "slope (rise per length)", "mean forward speed [m/s]", "t_c = 1 s, φ_s = π/10"
    with context.axes("speed", 6.0, 3.6, x=x, y=y, title=title) as axis:
        for k, (title, trial) in enumerate(curves.items()):
            axis.plot(slopes, slope_speed(trial, slopes), "o-", ms=3, color=CURVE_COLOURS[k], label=title)
        axis.axvline(0.0, color="k", lw=0.6)
    flat = int(np.argmin(np.abs(slopes)))
    for soft, trial in zip(("", "-soft"), curves.values()):
        way = slope_speed(trial, slopes)
        note = f"{np.nanmin(way):.3f} to {np.nanmax(way):.3f}, on the flat {way[flat]:.3f} m/s"
        yield context.found(f"varies{soft}", (np.nanmax(way) - np.nanmin(way)) / abs(way[flat]), note=note)
        yield context.found(f"uphill{soft}", np.nanmax(way[flat + 1 :]) / way[flat] - 1.0)


@experiment(
    "hexapod-battery",
    f"{SARANLI_BUEHLER}, fig. 10",
    "Battery life against slope",
    states=[
        printed(
            "life",
            "operation of up to 45 minutes (its voltage is not printed: two batteries of 12 V in series)",
            "fig. 10",
            about(45.0),
            value=45.0,
            unit="min",
        ),
        ours("single", "on the flat, from a single battery of 12 V", unit="min"),
        printed(
            "decreases",
            "battery life decreases as the slope increases: share of the steps from slope to slope, down- and uphill",
            "fig. 10",
            ALWAYS,
            value="decreases",
            differs="uphill it does; downhill currents count by size, and braking drains the battery as driving does",
        ),
        ours("decreases-uphill", "battery life decreases uphill: share of the steps from slope to slope"),
        ours("resistance", "specific resistance P/(m g v) on the flat"),
    ],
)
def battery(context: ExperimentContext) -> Findings:
    slopes, duration = slope_grid(context)
    trial = run_slopes(slopes, duration)
    life, flat = battery_life(trial), int(np.argmin(np.abs(slopes)))
    power = trial.rate("electrical energy")
    resistance = power / (7.0 * 9.81 * np.abs(slope_speed(trial, slopes)))
    with context.picture("life") as path:
        picture = canvas(8.0, 3.4)
        left, right = picture.subplots(1, 2)
        left.plot(slopes, life, "o-", ms=3, color=CURVE_COLOURS[0])
        dress(left, x="slope (rise per length)", y="battery life [min]", title="two batteries of 12 V in series")
        right.plot(slopes, power, "o-", ms=3, color=CURVE_COLOURS[1], label="electrical power [W]")
        right.plot(slopes, resistance, "s-", ms=3, color=CURVE_COLOURS[2], label="specific resistance")
        right.set_ylim(bottom=0)
        dress(right, x="slope (rise per length)")
        right.legend(fontsize=8)
        save(picture, path)
    yield context.found("life", np.nanmax(life))
    half = battery_life(run_slopes(slopes[[flat, flat]], duration, nominal_voltage=12.0))
    yield context.found("single", half[0])
    falls = np.diff(life[np.isfinite(life)]) < 0.0
    down, up = life[np.isfinite(life)][[0, -1]]
    note = f"{down:.1f} min downhill, {life[flat]:.1f} on the flat, {up:.1f} uphill"
    yield context.found("decreases", falls.mean(), note=note)
    uphill = life[flat:][np.isfinite(life[flat:])]
    yield context.found("decreases-uphill", np.mean(np.diff(uphill) < 0.0))
    yield context.found("resistance", resistance[flat])
