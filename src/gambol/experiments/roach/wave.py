"""The wave gait on level ground: how much the trunk rocks with the printed leg programs and with the tuned ones."""

from typing import Any

import numpy as np

from gambol import World
from gambol.experiments.findings import Mean, at_most, far_below, ours
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.experiments.roach.rough import WAVE_CYCLE, WAVE_LEGS
from gambol.experiments.roach.walking import RoachWalk, starts, walk
from gambol.experiments.sources import MCKENNA_1990
from gambol.models.roach import STICKY, STICKY_FRICTION, legs, roach_world
from gambol.plot.style import CURVE_COLOURS

SETTLED = 0.6  # [s] that do not count
ROCKED = 11.0  # [°] by which the printed programs were found to rock on sliding feet
STEADY = far_below(ROCKED)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "sticky-": ("feet that stick", dict(sticky=STICKY, friction=STICKY_FRICTION)),
    "": ("sliding feet", {}),
}


def rocking(run: RoachWalk) -> tuple[np.ndarray, np.ndarray]:
    """Roll and pitch of the trunk [°] once it walks."""
    w, x, y, z = run.q[run.late(SETTLED), 3:7].T
    roll = np.degrees(np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)))
    return roll, np.degrees(np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0)))


def swing(run: RoachWalk) -> float:
    """Half of the larger range of roll and pitch [°]."""
    return float(max(np.ptp(angle) for angle in rocking(run)) / 2)


def ensemble(world: World, limbs, count: int, seconds: float) -> list[RoachWalk]:
    """Walks from several starts."""
    return [walk(world, cycle=WAVE_CYCLE, limbs=limbs, seconds=seconds, **start) for start in starts(count)]


@experiment(
    "roach-wave",
    f"{MCKENNA_1990}, 5.3",
    "A wave gait that does not rock",
    states=[
        ours("rocks", "tuned programs, sliding feet: half the range of roll or pitch", STEADY, unit="°"),
        ours("sticky-rocks", "tuned programs, feet that stick", STEADY, unit="°"),
        ours("printed-rocks", "printed programs, sliding feet", unit="°"),
        ours("sticky-printed-rocks", "printed programs, feet that stick", unit="°"),
        ours("speed", "tuned programs, sliding feet: forward speed", unit="cm/s"),
        ours("turns", "… rate of turning, by size", at_most(15.0, "that of roach-tripod"), unit="°/s"),
    ],
    parameters={"starts": Parameter(12, "starts, from drops of 17.5 to 18.5 mm, either side leading in turn")},
)
def wave(context: ExperimentContext) -> Findings:
    count, seconds = (3, 1.8) if context.quick else (context.parameter("starts"), 3.0)
    shown: dict[str, RoachWalk] = {}
    for key, (name, options) in KINDS.items():
        world = roach_world(**options)
        tuned, printed = ensemble(world, WAVE_LEGS, count, seconds), ensemble(world, legs(), count, seconds)
        shown |= {f"tuned, {name}": tuned[0], f"printed, {name}": printed[0]}
        yield context.found(f"{key}rocks", Mean(map(swing, tuned)), seed=f"{count} starts")
        yield context.found(f"{key}printed-rocks", Mean(map(swing, printed)), seed=f"{count} starts")
        if not key:
            yield context.found("speed", Mean(100 * run.speed(SETTLED) for run in tuned), seed=f"{count} starts")
            turns = Mean(abs(np.degrees(run.turning(SETTLED))) for run in tuned)
            yield context.found("turns", turns, seed=f"{count} starts")
    with context.axes("rocking", 7.5, 3.2, x="time [s]", y="pitch [°]", title="wave gait, cycle 0.3 s") as axes:
        for colour, (name, run) in zip(CURVE_COLOURS, shown.items()):
            axes.plot(run.time[run.late(SETTLED)] - run.time[0], rocking(run)[1], color=colour, lw=1.0, label=name)
