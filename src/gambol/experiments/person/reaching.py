"""Reaching for five buttons: trained by pulling springs and inverse control, performed on cues."""

import time
from typing import Any

import numpy as np

from gambol import MoveTo, Part, Place, Placement, Simulation, Sphere, Then, Trajectory, Wait, pose
from gambol.control.arms import Lesson, Reach, rest_lesson, train
from gambol.draw import Camera
from gambol.experiments.person.measuring import film_strip, perform
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person
from gambol.plot import CURVES

BUTTONS = ((0.5, 0.2, 1.3), (0.5, 0.05, 1.15), (0.5, 0.35, 1.15), (0.5, 0.35, 1.45), (0.5, 0.05, 1.45))  # [m]
MOVE_SECONDS, STAY_SECONDS = 0.8, 0.7  # [s]
GAZE_POINT = (0.5, 0.0, 0.11)  # before the face [m, head]


def fingertip() -> tuple[float, float, float]:
    """In the frame of the forearm, to which hand and wrist are welded as they stand [m]."""
    figure = person.rigid_foot()
    poses = figure.poses(person.positions(figure, person.standing_angles()))
    world = poses["l_hand3"].apply((0.0, 0.0125, -0.191))
    x, y, z = poses["l_forearm"].inverse().apply(world)
    return (x, y, z)


@experiment("person-reach", f"{MCKENNA_1994}, 7.3", "Reaching for five buttons, trained and on cue")
def reaching(context: ExperimentContext) -> Findings:
    figure = person.reaching_person()
    world = person.person_world(figure, grounded=False, parameters="script")  # its arm is damped five times as much
    arm = tuple(name for name in person.REACHING if not name.startswith("head"))
    reach = Reach("l_forearm", fingertip(), "head3", GAZE_POINT, arm)
    begin = time.thread_time()
    lessons = train(world, reach, BUTTONS)
    training = time.thread_time() - begin
    home = rest_lesson(world, reach, person.positions(figure, person.standing_angles()))
    shown, errors, pace = simulate_reaches(world, reach, home, lessons)
    balls = [Part(Sphere(0.015), Placement(b), colour=(0.8, 0.2, 0.15)) for b in BUTTONS]
    pick = [k * (MOVE_SECONDS + STAY_SECONDS) * 2 + MOVE_SECONDS + STAY_SECONDS for k in range(5)]
    film_strip(context, "strip", shown, [0.0, *pick], props=balls, camera=Camera(azimuth=-35.0, elevation=12.0))
    title = "five cues, and back each time"
    with context.axes("distances", 7.5, 3.0, x="time [s]", y="fingertip to button [cm]", title=title) as axes:
        for k, button in enumerate(BUTTONS):
            distance = np.linalg.norm(shown.watched["tip"] - np.asarray(button), axis=1)
            axes.plot(shown.time, 100.0 * distance, color=CURVES[k], label=f"button {k + 1}")
        axes.legend(frameon=False, fontsize=8, ncols=5, loc="upper center")
        axes.set_ylim(0.0, 115.0)
    formed = max(lesson.error for lesson in lessons)
    yield context.finding(
        "training: hand at the button when the posture is formed (largest error of five)",
        printed="reaches",
        ours=1e3 * formed,
        unit="mm",
        ok=formed < 5e-3,
        reason="out of reach, or neck against arm",
    )
    worst = max(errors)
    yield context.finding(
        "performance: the hand arrives (largest distance of five, 0.7 s after the move)",
        printed="reaches",
        ours=1e3 * worst,
        unit="mm",
        ok=worst < 0.015,
        reason="the arm still swings",
    )
    turns = gaze_shares(lessons)
    yield context.finding(
        "the head turns part of the way to the outer buttons",
        printed="part",
        ours=float(np.mean(turns)),
        unit="share of the way",
        ok=bool(0.1 < np.mean(turns) < 0.95),
        reason="it turns not at all or all the way",
    )
    yield context.finding(
        "training of five targets", printed=40.0, ours=training, unit="s of processor time", beyond=True
    )
    yield context.finding(
        "performance against real time (printed: a quarter, with pictures)",
        printed=0.25,
        ours=pace,
        unit="times real time",
        ok=pace > 100.0,
        reason="slower than 100 times real time",
    )
    yield context.finding(
        "the same targets by inverse kinematics (largest error)",
        ours=1e3 * by_kinematics(reach),
        unit="mm",
        beyond=True,
    )


def simulate_reaches(world, reach: Reach, home: Lesson, lessons: list[Lesson]) -> tuple[Trajectory, list[float], float]:
    """On cues out to each button and back; distances at the end of each stay, and simulated seconds a second."""
    steps: list[Any] = []
    for lesson in lessons:
        steps += [
            MoveTo(lesson.state, MOVE_SECONDS, profile="smooth"),
            Wait(STAY_SECONDS),
            MoveTo(home.state, MOVE_SECONDS, profile="smooth"),
            Wait(STAY_SECONDS),
        ]
    total = len(lessons) * 2 * (MOVE_SECONDS + STAY_SECONDS)
    tip = lambda sim: sim.mechanics.point(sim.q, reach.hand, reach.tip)
    sim = Simulation(world, stepping=person.STEPPING, ledger=False)

    def again(**options) -> Trajectory:
        sim.reset(home.q)
        home.state.apply(sim)
        return perform(sim, Then(*steps), total, **options)

    begin = time.thread_time()
    again(period=0.05, every=total)
    pace = total / (time.thread_time() - begin)
    shown = again(watch={"tip": tip})
    errors = []
    for k, lesson in enumerate(lessons):
        at = np.searchsorted(shown.time, k * 2 * (MOVE_SECONDS + STAY_SECONDS) + MOVE_SECONDS + STAY_SECONDS - 1e-6)
        errors.append(float(np.linalg.norm(shown.watched["tip"][at] - np.asarray(lesson.target))))
    return shown, errors, pace


def gaze_shares(lessons: list[Lesson]) -> list[float]:
    """How far the head turned for the buttons at the side, of the way that the gaze would have to turn."""
    figure = person.reaching_person()
    shares = []
    for lesson in lessons:
        turn = float(lesson.q[figure.position_slices["head3"]][0])
        wanted = float(np.arctan2(lesson.target[1], lesson.target[0]))
        if abs(wanted) > 0.3:
            shares.append(turn / wanted)
    return shares


def by_kinematics(reach: Reach) -> float:
    """Largest distance to a button by inverse kinematics alone [m]."""
    figure = person.reaching_person()
    sim = Simulation(person.person_world(figure, grounded=False), ledger=False)
    stops = {name: person.joint_table()[name].stop for name in reach.joints}
    limits = {name: (stop.lower, stop.upper) for name, stop in stops.items() if stop}
    start = person.positions(figure, {"l_humerus1": -0.8, "l_forearm": -0.8, "l_humerus2": 0.2})
    return max(
        pose(
            sim.mechanics,
            start,
            [Place(reach.hand, reach.tip, button)],
            joints=reach.joints,
            root=False,
            limits=limits,
            shy=1e-3,
            within=0.01,
        ).error
        for button in BUTTONS
    )
