"""The person stands, sets off, and comes to stand again."""

from __future__ import annotations

import numpy as np

from gambol.control.biped.standing_law import MODE, STANDING_STILL
from gambol.draw import picture
from gambol.experiments.findings import Rate, at_least, at_most, ours
from gambol.experiments.gait.courses import Course, walk_courses
from gambol.experiments.gait.measures import GaitLog, WalkRecord
from gambol.experiments.gait.walking import ADULT_SOURCE, CAMERA
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.models.person.walking import tuned_walk, walk_of, walking_simulation
from gambol.plot import CURVE_COLOURS, canvas, dress

SPEEDS = (0.8, 1.0, 1.25, 1.4)  # [m/s]
SET_OFF, WALKED, STOPPED = 1.0, 10.0, 20.0  # [s]: told to walk, told to stand, when all walk steadily, end of the run
STILL = 0.02  # [m/s]
ENSEMBLE = 40  # of 36 that all do it, the interval begins at 0.9
TURNS = np.radians(np.linspace(45.0, 175.0, ENSEMBLE // 2)[:, None] * (1, -1)).ravel()  # [rad] on the spot
TURNED = 0.25  # [rad] of the trunk from where it was told to turn
SLOW = np.linspace(-0.2, 0.6, ENSEMBLE)  # [m/s]
FALLS = "some fall, or there are too few trials for a narrow interval"
MOST = at_least(0.9, "nine of ten, with the whole interval")

STANDING_STATES = [
    ours("stands", "told nothing it stands for", at_least(29.9, "the whole run of 30 s"), unit="s"),
    ours("sway", "speed of its centre of mass in the last 20 s, most", at_most(10.0, "as people sway"), unit="mm/s"),
    ours("starts", "told to walk at 0.8 to 1.4 m/s: walks five seconds later", MOST, differs="the first step"),
    ours("stops", "told to stand at moments over a cycle: stands at the end", MOST, differs=FALLS),
    ours(
        "steps",
        "steps from the order to standing, median",
        at_most(6.0, "slower, then two to stop"),
        unit="steps",
        differs="it slows down at 0.45 m/s², and then takes slow steps until its body is at rest",
    ),
    ours("way", "way from the order to standing, median", unit="m"),
    ours("again", "walks, stands and walks again", MOST, differs=FALLS),
    ours("spot", "turns on the spot by 45 to 175°: stands at the end, turned within 15°", MOST, differs=FALLS),
    ours("slow", "told to go at -0.2 to 0.6 m/s from standing: does so within 0.1 m/s", MOST, differs=FALLS),
]


def start_and_stop(moments: int, *, again: bool = False) -> tuple[WalkRecord, list[Course]]:
    """From standing at several speeds, told to stand at moments over a cycle; again: and to walk on after that."""
    courses = []
    for speed in SPEEDS:
        for k in range(moments):
            end = WALKED + 1.1 * k / moments
            more = ((end + 7.0, 1.0),) if again else ()
            courses.append(Course(f"{speed:g} m/s", speeds=((0.0, 0.0), (SET_OFF, speed), (end, 0.0), *more)))
    return walk_courses([tuned_walk()] * len(courses), courses, STOPPED + (6.0 if again else 0.0)), courses


def of_stops(record: WalkRecord, courses: list[Course]) -> tuple[list[bool], list[int], list[float]]:
    """Which stand at the end; steps and way [m] from the order to that."""
    stand, steps, way = [], [], []
    strikes = record.log.walk.strikes
    for world, course in enumerate(courses):
        end = course.speeds[2][0]
        speed = np.hypot(*record.seen[-100:, world, 1, :2].T).max()
        up = (
            bool(np.isinf(record.log.fallen[world]))
            and record.log.walk.state[world, MODE] == STANDING_STILL
            and speed < STILL
        )
        stand.append(up)
        if up:
            steps.append(sum(strike.world == world and strike.time > end for strike in strikes))
            x = record.seen[:, world, 0, 0]
            way.append(float(x[-1] - x[np.searchsorted(record.time, end)]))
    return stand, steps, way


@experiment("gait-standing", ADULT_SOURCE, "The person stands, sets off and stops", STANDING_STATES)
def standing(context: ExperimentContext) -> Findings:
    """Standing is a state of the walk: both legs hold the centre of mass over the feet, wherever these came down."""
    sim = walking_simulation(standing=True)
    log = GaitLog(walk_of(sim))
    sim.run(30.0, controller=[*sim.controllers, log])
    record = log.finished()
    speed = np.hypot(*record.seen[record.time > 10.0, 0, 1, :2].T)
    yield context.found("stands", float(min(log.fallen[0], 30.0)))
    yield context.found("sway", 1e3 * float(speed.max()))
    record, courses = start_and_stop(2 if context.quick else 10)
    walks = record.log.fallen > WALKED
    yield context.found("starts", Rate(int(walks.sum()), len(courses)))
    stand, steps, way = of_stops(record, courses)
    fell = int(np.isfinite(record.log.fallen).sum())
    yield context.found("stops", Rate(sum(stand), len(courses)), note=f"{fell} fell")
    yield context.found("steps", float(np.median(steps)) if steps else np.nan)
    yield context.found("way", float(np.median(way)) if way else np.nan)
    draw_speeds(context, record, courses)
    record, courses = start_and_stop(1 if context.quick else ENSEMBLE // len(SPEEDS), again=True)
    up = np.isinf(record.log.fallen) & (record.seen[-1, :, 1, 0] > 0.4)
    yield context.found("again", Rate(int(up.sum()), len(courses)))
    yield from slow_steps(context)
    draw_strip(context)


def slow_steps(context: ExperimentContext) -> Findings:
    """Turns on the spot, and slow speeds."""
    turns, slow = (TURNS[::13], SLOW[::8]) if context.quick else (TURNS, SLOW)
    courses = [Course("turn", speeds=((0.0, 0.0),), headings=((SET_OFF, angle),), turning=0.5) for angle in turns]
    record = walk_courses([tuned_walk()] * len(courses), courses, 14.0)
    off = np.angle(np.exp(1j * (record.seen[-1, :, 7, 2] - np.array(turns))))
    stands = np.isinf(record.log.fallen) & (record.log.walk.state[:, MODE] == STANDING_STILL) & (np.abs(off) < TURNED)
    yield context.found("spot", Rate(int(stands.sum()), len(turns)))
    courses = [Course(f"{v:g} m/s", speeds=((0.0, 0.0), (SET_OFF, v))) for v in slow]
    record = walk_courses([tuned_walk()] * len(courses), courses, 12.0)
    first, last = np.searchsorted(record.time, [6.0, 11.9])
    speed = (record.seen[last, :, 0, 0] - record.seen[first, :, 0, 0]) / (record.time[last] - record.time[first])
    good = np.isinf(record.log.fallen) & (np.abs(speed - slow) < 0.1)
    told = ", ".join(f"{got:.2f} for {v:.2f}" for v, got in zip(slow, speed) if abs(got - v) >= 0.1)
    note = f"not within it: {told} m/s" if told else ""
    yield context.found("slow", Rate(int(good.sum()), len(slow)), note=note)


def draw_speeds(context: ExperimentContext, record: WalkRecord, courses: list[Course]) -> None:
    """How fast the centre of mass is, over time."""
    made = canvas(6.5, 3.0)
    axes = made.subplots(1, 1)
    for k, speed in enumerate(SPEEDS):
        world = k * len(courses) // len(SPEEDS)
        until = record.time < record.log.fallen[world]
        axes.plot(record.time[until], record.seen[until, world, 1, 0], color=CURVE_COLOURS[k], label=f"{speed:g} m/s")
    axes.legend()
    dress(axes, x="time [s]", y="speed ahead [m/s]", title="told to walk at 1 s, to stand from 6 s on")
    context.save("speeds", made)


def draw_strip(context: ExperimentContext) -> None:
    """The first steps and the last ones."""
    for name, since, seconds in (("first", SET_OFF, 3.0), ("last", WALKED, 5.0)):
        sim = walking_simulation(standing=True)
        walk = walk_of(sim)
        sim.run(SET_OFF)
        walk.speed = 1.0
        if since == WALKED:
            sim.run(WALKED - SET_OFF)
            walk.speed = 0.0
        path = sim.run(seconds, every=0.02, include_start=True)
        with context.picture(name) as file:
            times = list(np.linspace(path.time[0], path.time[-1], 11))
            picture.save_image(picture.strip(path, times=times, camera=CAMERA, size=(130, 240)), file)
