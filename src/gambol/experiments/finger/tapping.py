"""The tapping finger of section 5: it settles, taps, and is pushed about."""

import numpy as np

from gambol.experiments.findings import at_least, at_most, between, ours, printed
from gambol.experiments.finger.pictures import film_strip, plot_push, time_series
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.sources import ARMSTRONG_GREEN_1985
from gambol.models import finger

RESTING_SHARE = 0.05  # of the first distance and of the largest speed that count as rest
UNTIL_REST = 20.0  # [s] without taps, after which it has its place


def settling_time(time: np.ndarray, tip: np.ndarray) -> float:
    """Last time at which the tip is farther from its last place, or faster, than it is when it rests [s]."""
    away = np.linalg.norm(tip - tip[-1], axis=1)
    fast = np.linalg.norm(np.gradient(tip, time, axis=0), axis=1)
    moving = np.flatnonzero((away > RESTING_SHARE * away[0]) | (fast > RESTING_SHARE * fast.max()))
    return float(time[moving[-1]]) if len(moving) else float(time[0])


@experiment(
    "finger-taps",
    f"{ARMSTRONG_GREEN_1985}, section 5",
    "A finger settles under gravity and taps every two seconds",
    states=[
        printed(
            "settles",
            "starting straight, it comes to rest within one or two seconds: time until the tip is within 5 % of its"
            " way and of its largest speed, for good",
            "section 5",
            between(1.0, 2.0, "the two numbers"),
            value="1 to 2",
            unit="s",
        ),
        ours(
            "taps",
            "a spike on the tip every two seconds makes it tap: least way down of three taps",
            at_least(5.0, "a twentieth of the finger's length, to be seen"),
            unit="mm",
        ),
        ours(
            "taps-alike",
            "the three taps are alike: largest difference of their ways down, over the least",
            at_most(0.03, "less than a pixel of the film strip"),
        ),
    ],
    parameters={
        "step": Parameter(finger.STEP, "δt [s]"),
        "ratio": Parameter(1, "ν: fast steps to a slow one"),
        "friction": Parameter(1.0, "of the hinges, times the usual"),
    },
)
def taps(context: ExperimentContext) -> Findings:
    factor = context.parameter("friction")
    friction = {name: tuple(factor * np.broadcast_to(np.asarray(value), 3)) for name, value in finger.FRICTION.items()}
    options = dict(step=context.parameter("step"), ratio=context.parameter("ratio"), friction=friction)
    settling = finger.tapping_finger(tapping=False, **options).run(UNTIL_REST)
    recording = finger.tapping_finger(**options).run(finger.DURATION)
    height, time = recording.point("tip")[:, 2], recording.time
    for name, draw in (("film-strip", film_strip), ("time-series", time_series)):
        context.save(name, draw(recording), dpi=100)
    yield context.found("settles", settling_time(settling.time, settling.point("tip")))
    rest = float(height[time < finger.SPIKE_START][-1])
    ways: list[float] = []
    for start in np.arange(finger.SPIKE_START, finger.DURATION, finger.SPIKE_PERIOD):
        during = (time >= start) & (time < start + finger.SPIKE_PERIOD)
        ways.append(1e3 * (rest - float(height[during].min())))
    yield context.found("taps", min(ways), note=f"{', '.join(f'{way:.1f}' for way in ways)} mm")
    yield context.found("taps-alike", (max(ways) - min(ways)) / min(ways))


@experiment(
    "finger-pushed",
    f"{ARMSTRONG_GREEN_1985}, sections 1 and 6",
    "A finger pushed aside while it runs",
    states=[
        printed(
            "yields",
            "it rolls with a push from outside while it runs: how far the tip yields to 0.07 N",
            "sections 1 and 6",
            between(1.0, 90.0, "more than is seen as still, less than the finger is long"),
            unit="mm",
        ),
        printed(
            "returns",
            "released, it returns: distance of the tip from where it was, of the way that it had yielded",
            "section 4, step 2: torques restore toward the middle of the range",
            at_most(0.05, "the 5 % that count as rest"),
        ),
    ],
)
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
    yield context.found("yields", 1e3 * moved)
    yield context.found("returns", left / moved)
