"""Reaching for five buttons: trained by pulling springs and inverse control, performed on cues."""

import time
from typing import Any

import numpy as np

from gambol import MoveTo, Part, Place, Placement, Simulation, Sphere, Then, Trajectory, Wait, pose
from gambol.control.arms import Lesson, Reach, rest_lesson, train
from gambol.draw import Camera
from gambol.experiments.findings import at_most, between, beyond, printed
from gambol.experiments.person.measuring import film_strip, perform
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.sources import MCKENNA_1994
from gambol.models import person
from gambol.plot import CURVE_COLOURS

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


BUTTON_RADIUS = 15.0  # [mm], as they are drawn


@experiment(
    "person-reach",
    f"{MCKENNA_1994}, 7.3",
    "Reaching for five buttons, trained and on cue",
    states=[
        printed(
            "formed",
            "training: the hand is at the button when the posture is formed: largest distance of five",
            "7.3",
            at_most(BUTTON_RADIUS, "a button's radius"),
            value="reaches",
            unit="mm",
        ),
        printed(
            "arrives",
            "performance: the hand arrives: largest distance of five, 0.7 s after the move",
            "7.3",
            at_most(BUTTON_RADIUS, "a button's radius"),
            value="reaches",
            unit="mm",
        ),
        printed(
            "head",
            "the head turns part of the way to the outer buttons: share of the way",
            "7.3",
            between(0.1, 0.9, "“part”: neither none nor all"),
            value="part",
        ),
        beyond(
            "training",
            "training of five targets",
            value=40.0,
            where="7.3",
            unit="s",
            timed=True,
        ),
        beyond(
            "pace",
            "performance against real time (printed: a quarter, with pictures)",
            value=0.25,
            where="7.3",
            unit="times real time",
            timed=True,
        ),
        beyond(
            "kinematics",
            "the same targets by inverse kinematics: largest distance",
            at_most(1.0, "a millimetre"),
            unit="mm",
        ),
    ],
)
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
            axes.plot(shown.time, 100.0 * distance, color=CURVE_COLOURS[k], label=f"button {k + 1}")
        axes.legend(frameon=False, fontsize=8, ncols=5, loc="upper center")
        axes.set_ylim(0.0, 115.0)
    yield context.found("formed", 1e3 * max(lesson.error for lesson in lessons))
    yield context.found("arrives", 1e3 * max(errors))
    yield context.found("head", np.mean(gaze_shares(lessons)))
    yield context.found("training", training)
    yield context.found("pace", pace)
    yield context.found("kinematics", 1e3 * by_kinematics(reach))


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
