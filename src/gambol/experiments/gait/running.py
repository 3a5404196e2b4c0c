"""How the person runs, beside how adults run: ranges at 3 m/s, the speeds it keeps, from a walk to a run and back."""

from __future__ import annotations

import numpy as np

from gambol.draw import picture
from gambol.experiments.findings import Rate, at_least, between, ours
from gambol.experiments.gait.courses import Course, walk_courses
from gambol.experiments.gait.ranges import RUN_RANGES
from gambol.experiments.gait.walking import ADULT_SOURCE, CAMERA, IMPULSE, PUSH_SECONDS, speed_key, still_up, walked
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.models.person.walking import tuned_run, tuned_walk
from gambol.plot import CURVE_COLOURS, canvas, dress

SPEED = 3.0  # [m/s] at which ranges are looked at
SPEEDS = (2.5, 3.0, 3.5, 4.0)  # [m/s]
MOST = at_least(0.9, "nine of ten, with the whole interval")
FOUND = "the search was for 3 m/s, and for the mean of all ranges, not for each"
RUNNING_STATES = [
    ours("seconds", "told to run at 3 m/s it runs for", at_least(29.9, "the whole run of 30 s"), unit="s", full=True),
    *(
        ours(
            f"run-{key.replace('_', '-')}",
            f"3 m/s: {own.name}",
            between(own.least, own.most, f"adults: {own.source}"),
            unit=own.unit,
            differs=FOUND,
        )
        for key, own in RUN_RANGES.items()
    ),
    *(
        ours(
            f"run-{speed_key(v)}",
            f"told to run at {v:g} m/s it runs at (0: falls, or has no flight)",
            between(v - 0.2, v + 0.2, "a run that keeps up with one beside it"),
            unit="m/s",
            differs="what speed adds to the run is linear",
        )
        for v in SPEEDS
    ),
    ours("from-walk", "from a walk, told to run at 3 m/s: runs eight seconds later", MOST, differs="see the note"),
    ours("to-walk", "from a run, told to walk at 1.3 m/s: walks eight seconds later", MOST, differs="see the note"),
    ours(
        "pushed",
        f"pushed by {IMPULSE:g} N·s to either side, ahead and back as it runs: share survived",
        at_least(0.5, "more often than not, with the whole interval"),
        differs="one step is not enough",
    ),
]


@experiment("gait-running", ADULT_SOURCE, "The person runs", RUNNING_STATES)
def running(context: ExperimentContext) -> Findings:
    """Curves and moments of adults that run, by the mechanism of the walk: a phase that touch-down resets."""
    seconds = 8.0 if context.quick else 30.0
    measured, path, log, _ = walked(seconds, speed=SPEED)
    fell = log.fallen[0]
    if not context.quick:
        ran = float(fell) if np.isfinite(fell) else seconds
        yield context.found("seconds", ran, note=f"{still_up(log, path)}; {measured.get('speed', np.nan):.2f} m/s")
    with context.picture("strip") as file:
        moments = list(np.linspace(5.0, 5.72, 10))
        picture.save_image(picture.strip(path, times=moments, camera=CAMERA, size=(170, 260)), file)
    for key in RUN_RANGES:
        yield context.found(f"run-{key.replace('_', '-')}", float(measured.get(key, np.nan)))
    yield from kept_speeds(context)
    yield from changes(context)
    yield from run_pushes(context)


def kept_speeds(context: ExperimentContext) -> Findings:
    """Which speeds it runs at, the command ramped from 3 m/s."""
    courses = [Course(f"{v:g} m/s", speeds=((0.0, SPEED), (1.0, v)), measured=(6.0, np.inf)) for v in SPEEDS]
    count, seconds = len(courses), 12.0 if context.quick else 20.0
    record = walk_courses([tuned_walk()] * count, courses, seconds, runs=[tuned_run()] * count)
    made = canvas(6.0, 2.6)
    axes = made.subplots(1, 1)
    for k, v in enumerate(SPEEDS):
        measured = record.measure(k, after=6.0)
        up = measured["alive"] > seconds - 0.1 and measured.get("flight", 0.0) > 0.02
        told = f"falls after {measured['alive']:.1f} s"
        if up:
            told = f"{measured['cadence']:.0f} steps/min, {100 * measured['flight']:.0f} % of the time in the air"
        yield context.found(f"run-{speed_key(v)}", measured["speed"] if up else 0.0, note=told)
        shown = (record.time < record.log.fallen[k]) & (record.time > 6.0) & (record.time < 7.5)
        force = record.loads[shown, k, 0] / record.log.weight
        axes.plot(record.time[shown], force, color=CURVE_COLOURS[k], label=f"{v:g} m/s")
    axes.legend()
    dress(axes, x="time [s]", y="force on the left foot [weights]")
    context.save("forces", made)


def changes(context: ExperimentContext) -> Findings:
    """From walking to running and back, told at moments over a cycle."""
    moments = 4 if context.quick else 48  # of 36 that all do it, the interval begins at 0.9
    for key, begin, then in (("from-walk", 1.25, SPEED), ("to-walk", SPEED, 1.3)):
        courses = [Course(key, speeds=((0.0, begin), (3.0 + 0.8 * k / moments, then))) for k in range(moments)]
        record = walk_courses([tuned_walk()] * moments, courses, 14.0, runs=[tuned_run()] * moments)
        late = record.time > 12.0
        speed = record.seen[late, :, 1, 0].mean(0)
        flight = (record.loads[late].max(2) < 25.0).mean(0)
        right = (speed > 2.0) & (flight > 0.05) if then > 2.0 else (speed < 1.8) & (flight < 0.02)
        up = np.isinf(record.log.fallen) & right
        note = f"{int(np.isfinite(record.log.fallen).sum())} fell"
        yield context.found(key, Rate(int(up.sum()), moments), note=note)


def run_pushes(context: ExperimentContext) -> Findings:
    """As a walk is pushed: 0.2 s at the chest, four directions, moments over a cycle; is it up five seconds later?"""
    moments = 2 if context.quick else 8
    force = IMPULSE / PUSH_SECONDS
    courses = [
        Course("push", speeds=((0.0, SPEED),), pushes=((4.0 + 0.72 * k / moments, x * force, y * force),))
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
        for k in range(moments)
    ]
    record = walk_courses([tuned_walk()] * len(courses), courses, 10.0, runs=[tuned_run()] * len(courses))
    up = np.isinf(record.log.fallen).reshape(4, moments).sum(1)
    told = ", ".join(f"{name} {n} of {moments}" for name, n in zip(("ahead", "back", "left", "right"), up))
    yield context.found("pushed", Rate(int(up.sum()), len(courses)), note=told)
