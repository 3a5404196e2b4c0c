"""How the person walks, beside how adults walk: ranges at three speeds, pushes, slopes, turns, other people."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gambol import Rough, Trajectory
from gambol.control.biped.adult_curves import ANKLE, GROUND_FORCE, HIP, KNEE, adult_curve
from gambol.draw import Camera, picture
from gambol.experiments.findings import Rate, Statement, answer, at_least, between, ours
from gambol.experiments.gait.courses import Course, going_round, walk_courses
from gambol.experiments.gait.measures import GaitLog
from gambol.experiments.gait.ranges import ADULT_RANGES
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.models.person.walking import WALK_STEPPING, tuned_walk, walk_of, walking_simulation
from gambol.plot import CURVE_COLOURS, canvas, dress

ADULT_SOURCE = "ranges of adults"
SPEEDS = (0.8, 1.25, 1.6)  # [m/s] commanded, for the table of ranges
MORE_SPEEDS = (0.6, 0.7, 0.8, 1.0, 1.25, 1.4, 1.5, 1.6, 1.8)
IMPULSE, PUSH_SECONDS = 15.0, 0.2  # [N·s], [s]
DIRECTIONS = {"forward": (1, 0), "back": (-1, 0), "left": (0, 1), "right": (0, -1)}
SLOPES = (-0.10, -0.06, -0.03, 0.03, 0.06, 0.10)
UNEVEN = Rough(amplitude=0.0107, length=1.5, octaves=4)  # 2 cm where all waves meet
UNEVEN_SEEDS, UNEVEN_WALKS, FAR = (201, 202, 203, 204, 205), 24, 300.0  # grounds; walks on each; [m] within which
PEOPLE = ((1.50, 50.0), (1.60, 80.0), (1.90, 100.0), (1.90, 60.0))  # [m], [kg]
CAMERA = Camera(azimuth=-85.0, elevation=5.0)
FASTEST_RANGES = ("speed", "cadence", "step_length")  # those that are for a comfortable speed


def range_statements(name: str, told: str, *, besides: Sequence[str] = ()) -> list[Statement]:
    """Every range of adults as a statement; those `besides` are reported without a verdict."""
    return [
        ours(
            f"{name}{key.replace('_', '-')}",
            f"{told}: {own.name}",
            None if key in besides else between(own.least, own.most, f"adults: {own.source}"),
            unit=own.unit,
            differs="the search was for 1.25 m/s, and for the mean of all ranges, not for each",
        )
        for key, own in ADULT_RANGES.items()
    ]


def walked(seconds: float, **options: Any) -> tuple[dict[str, Any], Trajectory, GaitLog, float]:
    """A walk of some seconds: its measures, its samples, its log, and how much faster than real time it ran."""
    sim = walking_simulation(**options)
    walk = walk_of(sim)
    log = GaitLog(walk)
    begin = time.thread_time()
    path = sim.run(seconds, every=0.02, include_start=True, controller=[walk, log])
    took = time.thread_time() - begin
    return log.finished().measure(), path, log, (path.time[-1] - path.time[0]) / took


def range_findings(context: ExperimentContext, name: str, measured: dict[str, Any]) -> Findings:
    """A finding for every range of adults; nan where it does not walk three whole cycles."""
    for key in ADULT_RANGES:
        yield context.found(f"{name}{key.replace('_', '-')}", float(measured.get(key, np.nan)))


def draw_cycle(context: ExperimentContext, name: str, measured: dict[str, Any]) -> None:
    """Mean angles and force over a cycle, beside an adult's."""
    made = canvas(8.0, 5.0)
    phases = np.linspace(0.0, 1.0, 101)
    plots = (("hip", HIP, "hip flexion [°]"), ("knee", KNEE, "knee flexion [°]"), ("ankle", ANKLE, "dorsiflexion [°]"),
             ("force", GROUND_FORCE, "vertical force [weights]"))  # fmt: skip
    for place, (key, adult, label) in zip(made.subplots(2, 2).ravel(), plots):
        place.plot(100 * phases, np.maximum(adult_curve(adult, phases), -99 if key != "force" else 0), color="0.6")
        place.plot(100 * phases, measured["curves"][key], color=CURVE_COLOURS[0])
        dress(place, x="share of the cycle [%]", y=label)
    made.suptitle("the person, and an adult (grey)", fontsize=9)
    context.save(name, made)


def still_up(log: GaitLog, path: Trajectory) -> str:
    """How a walk ended."""
    fell = log.fallen[0]
    return f"falls at {fell:.1f} s" if np.isfinite(fell) else f"still up after {path.time[-1]:.0f} s"


RIGID_STATES = [
    ours("steps", "steps taken", unit="steps"),
    *range_statements("", "1.25 m/s"),
    ours("fine", "speed at a tenth of the tolerance and a fifth of the step: apart by", unit="mm/s"),
    ours(
        "pace",
        "simulated seconds a second of one core, one world",
        at_least(10.0, "what a live view with room to spare needs"),
        differs="the controller acts from Python",
        timed=True,
    ),
]


@experiment("gait-rigid", ADULT_SOURCE, "The person's walk on rigid feet beside an adult's", RIGID_STATES)
def rigid(context: ExperimentContext) -> Findings:
    """The ranges of adults on level ground, at a comfortable speed; at a tenth of the tolerance; its pace."""
    seconds = 12.0 if context.quick else 60.0
    measured, path, log, _ = walked(seconds)
    with context.picture("strip") as file:
        moments = list(np.linspace(6.0, 7.0, 9))
        picture.save_image(picture.strip(path, times=moments, camera=CAMERA, size=(150, 260)), file)
    if "curves" in measured:
        draw_cycle(context, "cycle", measured)
    yield context.found("steps", len(log.walk.strikes), note=f"in {seconds:.0f} s; {still_up(log, path)}")
    yield from range_findings(context, "", measured)
    fine, *_ = walked(12.0, stepping=replace(WALK_STEPPING, eps=1e-3, max_step=1e-3))
    yield context.found("fine", 1e3 * abs(fine.get("speed", 0.0) - measured.get("speed", 0.0)))
    sim = walking_simulation()
    sim.run(1.0)
    begin = time.thread_time()
    sim.run(5.0)
    yield context.found("pace", 5.0 / (time.thread_time() - begin))


def speed_key(speed: float) -> str:
    """Of a commanded speed [m/s]: "v125" is 1.25 m/s."""
    return f"v{round(100 * speed):03d}"


SPEED_STATES = [
    ours(
        speed_key(v),
        f"told to walk at {v:g} m/s it walks at (0: falls)",
        between(v - 0.1, v + 0.1, "a walk that keeps up with one beside it"),
        unit="m/s",
        differs="what speed adds to the gait is linear, and found for 1.45, 1.65 and 1.85 m/s at once",
        full=v not in SPEEDS,
    )
    for v in MORE_SPEEDS
]
for _v in SPEEDS:
    SPEED_STATES += range_statements(f"{speed_key(_v)}-", f"{_v:g} m/s", besides=() if _v == 1.25 else FASTEST_RANGES)


@experiment("gait-speeds", ADULT_SOURCE, "Slow, comfortable and fast walks beside an adult's", SPEED_STATES)
def speeds(context: ExperimentContext) -> Findings:
    """The ranges at three speeds; which speeds it walks at all, the command ramped from 1.25 m/s."""
    chosen = SPEEDS if context.quick else MORE_SPEEDS
    courses = [Course(f"{v:g} m/s", speeds=((0.0, 1.25), (1.0, v)), measured=(6.0, np.inf)) for v in chosen]
    seconds = 12.0 if context.quick else 30.0
    record = walk_courses([tuned_walk()] * len(courses), courses, seconds)
    table = {v: record.measure(k, after=6.0) for k, v in enumerate(chosen)}
    for v, measured in table.items():
        up = measured["alive"] > seconds - 0.1
        told = f"{measured['cadence']:.0f} steps/min of {measured['step_length']:.2f} m" if up else ""
        note = told or f"falls after {measured['alive']:.1f} s"
        yield context.found(speed_key(v), measured["speed"] if up else 0.0, note=note)
    made = canvas(5.0, 3.5)
    axes = made.subplots(1, 1)
    done = [(v, m["speed"]) for v, m in table.items() if m["alive"] > seconds - 0.1]
    axes.plot(chosen, chosen, color="0.7")
    axes.plot(*zip(*done), "o-", color=CURVE_COLOURS[0])
    dress(axes, x="speed it is told [m/s]", y="speed it walks at [m/s]")
    context.save("speeds", made)
    for v in SPEEDS:
        yield from range_findings(context, f"{speed_key(v)}-", table[v])


TURNS = (*((v, rate) for v in (1.0, 1.25) for rate in (0.2, 0.35, 0.5, 0.7)), (0.9, 0.9))  # [m/s], [rad/s]
QUICK_TURN = 0.35
DISTURBED_STATES = [
    *(
        ours(
            f"push-{name}",
            f"pushed {name} by {IMPULSE:g} N·s at moments over a cycle: share survived",
            at_least(0.5, "more often than not, with the whole interval"),
            differs="feet cross or come too late at some moments: one step is not enough",
        )
        for name in DIRECTIONS
    ),
    *(
        ours(
            f"slope-{'up' if s > 0 else 'down'}-{round(100 * abs(s))}",
            f"slope of {100 * s:+.0f} %: it walks for",
            at_least(14.9, "the whole run of 15 s"),
            unit="s",
            differs="what slope adds to the gait is linear, and not enough here",
        )
        for s in SLOPES
    ),
    *(
        ours(
            f"circle-{speed_key(speed)}-{round(100 * rate):02d}",
            f"{speed:g} m/s, turning by {rate:g} rad/s (radius {speed / rate:.1f} m), a full circle",
            answer("walks it", "it is walked or it is not"),
            differs="feet are placed beside the trunk, not beside the way that bends",
            full=rate != QUICK_TURN,
        )
        for speed, rate in TURNS
    ),
    *(
        ours(
            f"size-{round(100 * height)}-{round(mass)}",
            f"{height:g} m, {mass:g} kg: walks for",
            at_least(19.9, "the whole run of 20 s"),
            unit="s",
            differs="widths do not go with the height alone, so that the copy is not exact",
        )
        for height, mass in PEOPLE
    ),
]


DISTURBED_STATES.append(
    ours(
        "uneven",
        "random ground that rises and falls by up to 2 cm, waves of 1.5 m and shorter: share that walks 15 s",
        at_least(0.9, "nine of ten, with the whole interval"),
        differs="the next foot meets the ground too early or too late",
    )
)


@experiment("gait-disturbed", ADULT_SOURCE, "Pushes, slopes, turns, and people of other sizes", DISTURBED_STATES)
def disturbed(context: ExperimentContext) -> Findings:
    """The same walk where things are not as they were when it was tuned."""
    yield from pushes(context)
    yield from slopes(context)
    yield from uneven(context)
    yield from turns(context)
    yield from people(context)


def pushes(context: ExperimentContext) -> Findings:
    """15 N·s at the chest in 0.2 s, in four directions, at moments spread over a cycle: is it up six seconds later?"""
    moments = 4 if context.quick else 16
    force = IMPULSE / PUSH_SECONDS
    courses = [
        Course(f"{name} {k}", pushes=((5.0 + 1.0 * k / moments, x * force, y * force),))
        for name, (x, y) in DIRECTIONS.items()
        for k in range(moments)
    ]
    record = walk_courses([tuned_walk()] * len(courses), courses, 12.0)
    up = np.isinf(record.log.fallen).reshape(len(DIRECTIONS), moments)
    made = canvas(6.0, 2.4)
    axes = made.subplots(1, 1)
    axes.imshow(up, aspect="auto", cmap="RdYlGn", vmin=-0.3, vmax=1.3)
    axes.set_yticks(range(len(DIRECTIONS)), list(DIRECTIONS))
    dress(axes, x="moment of the push, over a cycle", y="", title=f"pushes of {IMPULSE:g} N·s: green, it walks on")
    context.save("pushes", made)
    for name, row in zip(DIRECTIONS, up):
        yield context.found(f"push-{name}", Rate(int(row.sum()), moments))


def slopes(context: ExperimentContext) -> Findings:
    """Slopes of 3, 6 and 10 %, up and down: is it up after 15 s, and how fast?"""
    courses = [Course(f"{100 * s:+.0f} %", slope=s) for s in SLOPES]
    record = walk_courses([tuned_walk()] * len(courses), courses, 15.0)
    for k, slope in enumerate(SLOPES):
        measured = record.measure(k)
        key = f"slope-{'up' if slope > 0 else 'down'}-{round(100 * abs(slope))}"
        yield context.found(key, measured["alive"], note=f"{measured.get('speed', float('nan')):.2f} m/s")


def uneven(context: ExperimentContext) -> Findings:
    """From random places of fractal grounds that the walk was not tuned on: is it up after 15 s?

    It is told that the ground is uneven, and nothing else of it.
    """
    seeds, count = (UNEVEN_SEEDS[:1], 8) if context.quick else (UNEVEN_SEEDS, UNEVEN_WALKS)
    up, speeds = 0, []
    for seed in seeds:
        places = np.random.default_rng(seed).uniform(-FAR, FAR, (count, 2))
        courses = [Course("uneven", place=tuple(place)) for place in places]
        record = walk_courses([tuned_walk()] * count, courses, 15.0, terrain=replace(UNEVEN, seed=float(seed)))
        walks = np.flatnonzero(np.isinf(record.log.fallen))
        up += len(walks)
        speeds += [record.measure(int(k))["speed"] for k in walks]
    sim = walking_simulation(terrain=replace(UNEVEN, seed=float(seeds[0])))
    path = sim.run(7.0, every=0.02, include_start=True)
    with context.picture("uneven") as file:
        moments = list(np.linspace(5.8, 6.8, 9))
        picture.save_image(picture.strip(path, times=moments, camera=CAMERA, size=(150, 260)), file)
    note = f"at {np.mean(speeds):.2f} m/s" if speeds else ""
    yield context.found("uneven", Rate(up, count * len(seeds)), note=note)


def turns(context: ExperimentContext) -> Findings:
    """Told to turn right round: does it, and on which radius?"""
    chosen = [(speed, rate) for speed, rate in TURNS if not context.quick or rate == QUICK_TURN]
    seconds = 6.0 + 2.0 * math.pi / min(rate for _, rate in chosen)
    courses = [
        Course(
            "circle",
            speeds=((0.0, 1.25), (1.0, speed)),
            headings=going_round(rate, 4.0, 4.0 + 2.0 * math.pi / rate),
            turning=rate,
        )
        for speed, rate in chosen
    ]
    record = walk_courses([tuned_walk()] * len(courses), courses, seconds)
    for world, (speed, rate) in enumerate(chosen):
        end, fell = 4.0 + 2.0 * math.pi / rate, record.log.fallen[world]
        turned = record.time > 4.0 + 0.5 * math.pi / rate
        turned &= record.time < min(end, fell)
        way = record.seen[turned, world, 1, :2]
        radius = float(np.hypot(*way.T).mean() / rate) if turned.any() else math.nan
        ended = "walks it" if fell > end + 1.0 else f"falls at {fell:.1f} s"
        key = f"circle-{speed_key(speed)}-{round(100 * rate):02d}"
        yield context.found(key, ended, note=f"radius {radius:.1f} m")


def people(context: ExperimentContext) -> Findings:
    """Lengths, times and forces are scaled: no number is tuned again."""
    for height, mass in PEOPLE:
        speed = 1.25 * math.sqrt(height / 1.77)
        measured, path, log, _ = walked(20.0, height=height, mass=mass, speed=speed)
        up = bool(np.isinf(log.fallen[0]))
        told = f"{measured.get('speed', 0.0):.2f} m/s, {measured.get('cadence', 0.0):.0f} steps/min"
        ended = float(path.time[-1]) if up else float(log.fallen[0])
        yield context.found(f"size-{round(100 * height)}-{round(mass)}", ended, note=told)
