"""The tapping finger of section 5: it settles, taps, and is pushed about."""

import numpy as np

from gambol.experiments.finger.pictures import film_strip, plot_push, time_series
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import ARMSTRONG_GREEN_1985
from gambol.models import finger


def settling_time(time: np.ndarray, height: np.ndarray, rest: float) -> float:
    """When the height comes within 5 % of its first distance from rest for good [s]."""
    away = np.flatnonzero(np.abs(height - rest) > 0.05 * abs(height[0] - rest))
    return float(time[away[-1] + 1]) if len(away) and away[-1] + 1 < len(time) else float(time[0])


@experiment(
    "finger-taps", f"{ARMSTRONG_GREEN_1985}, section 5", "A finger settles under gravity and taps every two seconds"
)
def taps(context: ExperimentContext) -> Findings:
    step, ratio = context.parameter("step", finger.STEP), context.parameter("ratio", 1)  # δt [s] and ν
    recording = finger.tapping_finger(step=step, ratio=ratio).run(finger.DURATION)
    height, time = recording.point("tip")[:, 2], recording.time
    for name, draw in (("film-strip", film_strip), ("time-series", time_series)):
        context.save(name, draw(recording), dpi=100)
    before = time < finger.SPIKE_START
    rest = float(height[before][-1])
    settled = settling_time(time[before], height[before], rest)
    yield context.finding(
        "starting straight, it comes to rest within one or two seconds",
        printed="1 to 2",
        ours=round(settled, 2),
        unit="s",
        ok=settled <= 2.0,
        reason="it swings longer than the source's finger",
    )
    lows: list[float] = []
    for start in np.arange(finger.SPIKE_START, finger.DURATION, finger.SPIKE_PERIOD):
        during = (time >= start) & (time < start + finger.SPIKE_PERIOD)
        lows.append(float(height[during].min()))
    same = max(lows) - min(lows) < 1e-3 and max(lows) < rest - 0.01
    yield context.finding(
        "a spike on the tip every two seconds makes it tap: how far the tip goes down at each tap",
        ours=", ".join(f"{1e3 * (rest - low):.1f}" for low in lows),
        unit="mm",
        ok=same,
        reason="the taps are not alike",
    )


@experiment("finger-pushed", f"{ARMSTRONG_GREEN_1985}, sections 1 and 6", "A finger pushed aside while it runs")
def pushed(context: ExperimentContext) -> Findings:
    simulation = finger.tapping_finger(tapping=False, step=0.002)
    simulation.advance(4.0)
    tip = simulation.run(0.002).point("tip")[0]
    simulation.push("tip", (0.0, 0.05, 0.05))
    away = simulation.run(3.0, every=0.1)
    simulation.release()
    back = simulation.run(6.0, every=0.1)
    moved = float(np.linalg.norm(away.point("tip")[-1] - tip))
    left = float(np.linalg.norm(back.point("tip")[-1] - tip))
    context.save("tip", plot_push(away, back))
    yield context.finding(
        "it rolls with a push from outside while it runs: how far the tip yields to 0.07 N",
        ours=round(1e3 * moved, 1),
        unit="mm",
        ok=0.001 < moved < 0.09,
        reason="it does not yield, or not like a finger",
    )
    yield context.finding(
        "released, it returns: distance of the tip from where it was",
        ours=round(1e3 * left, 4),
        unit="mm",
        ok=left < 0.01 * moved,
        reason="free play lets it rest elsewhere in its zone",
    )
