"""Figures that go where they are told: random courses, the share of them that is done in time, and the person's."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gambol import Controller, Director, Simulation
from gambol.control.biped.gait import TunedWalk
from gambol.control.biped.striding import Stride
from gambol.control.directing.steering import StrideSteering
from gambol.experiments.findings import Rate, Statement, at_least, ours
from gambol.experiments.gait.courses import course_worlds
from gambol.experiments.gait.measures import down, put_away
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.models.person.walking import soles_of, tuned_walk, walking_simulation, walking_start
from gambol.plot import CURVE_COLOURS, canvas, dress

OWN = "figures that an animator directs"
PLACES = 3  # on a course
PERSON = dict(least=4.0, most=8.0, within=0.5, speed=1.25, seconds=60.0)  # [m], [m], [m], [m/s], [s]
PERSON_TURN = math.radians(100.0)  # the next place is not further round than this


@dataclass(frozen=True)
class Course:
    """Places to go to [m], and what became of it."""

    places: np.ndarray
    path: np.ndarray
    done: bool
    seconds: float
    ended: str


def random_places(rng: np.random.Generator, least: float, most: float, widest: float = math.pi) -> np.ndarray:
    """Places one after the other, each at a random distance and direction from the last."""
    here, heading, found = np.zeros(2), 0.0, []
    for _ in range(PLACES):
        heading += rng.uniform(-widest, widest)
        here = here + rng.uniform(least, most) * np.array([math.cos(heading), math.sin(heading)])
        found.append(here)
    return np.array(found)


def draw_courses(context: ExperimentContext, courses: list[Course], unit: str, scale: float) -> None:
    """Some courses from above."""
    made = canvas(8.0, 4.5)
    for place, course in zip(made.subplots(2, 4).ravel(), courses):
        place.plot(*(scale * course.path.T), color=CURVE_COLOURS[0] if course.done else CURVE_COLOURS[1])
        place.plot(*(scale * course.places.T), "o", color="0.5", markersize=4)
        place.set_aspect("equal", adjustable="datalim")
        dress(place, x=f"[{unit}]", y="")
    context.save("courses", made)


def statements(what: str, setup: dict[str, float]) -> list[Statement]:
    """The share of random courses that is done, and how long one takes."""
    told = f"{what}: share of random courses of {PLACES} places done in {setup['seconds']:g} s"
    return [
        ours("done", told, at_least(0.9, "nine of ten, with the whole interval"), differs="see the note"),
        ours("median", f"{what}: median time of a course that was done", unit="s"),
    ]


def rate_findings(context: ExperimentContext, courses: list[Course]) -> Findings:
    """The share that was done, with its interval."""
    done = sum(course.done for course in courses)
    late = sum(course.ended == "" and not course.done for course in courses)
    note = f"{late} were late, {len(courses) - done - late} fell"
    yield context.found("done", Rate(done, len(courses)), note=note, seed=context.parameter("seed"))
    yield context.found("median", float(np.median([course.seconds for course in courses if course.done] or [np.nan])))


SEED = {"seed": Parameter(1, "of the random courses")}


Fallen = Callable[[], np.ndarray]
Leave = Callable[[Simulation, np.ndarray], None]


class Referee(Controller):
    """Looks after the directed figures of a batch: who fell when, who is done when.

    fallen   which worlds' figures have fallen, (worlds,)
    leave    what becomes of those that have, or are done (run, worlds)
    """

    keeps: ClassVar[tuple[str, ...]] = ("due",)

    def __init__(self, directors: Sequence[Director], fallen: Fallen, leave: Leave, *, period: float = 0.05):
        self.directors, self.fallen, self.leave, self.period = directors, fallen, leave, period

    def start(self, run: Simulation) -> None:
        self.due = run.latest_time
        self.fell, self.done = (np.full(run.worlds, np.inf) for _ in range(2))
        self.places: list[np.ndarray] = []

    def next_time(self, run: Simulation) -> float:
        return self.due

    def act(self, run: Simulation) -> bool | None:
        self.due += self.period
        over = np.isfinite(self.fell) | np.isfinite(self.done)
        places = np.array([director.look()[:2] for director in self.directors])
        self.places.append(np.where(over[:, None], np.nan, places))
        fell = self.fallen() & ~over
        done = np.array([director.done for director in self.directors]) & ~over & ~fell
        self.fell[fell], self.done[done] = run.latest_time, run.latest_time
        self.leave(run, np.flatnonzero(fell | done))
        return False if np.all(over | fell | done) else None


def directed_persons(
    places: Sequence[np.ndarray], setup: dict[str, float], walk: TunedWalk | None = None, **steering: float
) -> list[Course]:
    """Persons that walk, each in a world of a batch, sent from place to place; steering: see StrideSteering."""
    worlds = len(places)
    sim = course_worlds("rigid", worlds)
    figure, walk = sim.world.layout.figures[0], walk or tuned_walk()
    q, v = walking_start(figure, walk.gait)
    sim.reset(np.tile(q, (worlds, 1)), np.tile(v, (worlds, 1)))
    sim.elements["terrain"].set("slope_x", np.zeros(worlds))
    stride = Stride(walk, soles_of(sim.world))
    sim.attach(stride)
    directors = [Director(sim, StrideSteering(stride, world=k, **steering)) for k in range(worlds)]
    return go_round(sim, directors, places, setup, lambda: down(stride), put_away)


def go_round(
    sim: Simulation,
    directors: Sequence[Director],
    places: Sequence[np.ndarray],
    setup: dict[str, float],
    fallen: Fallen,
    leave: Leave,
) -> list[Course]:
    """Sends the figures of a batch from place to place, each from where it stands; see Referee."""
    origins = np.array([director.look()[:2] for director in directors])
    for director, own, origin in zip(directors, places, origins):
        for x, y in own + origin:
            director.walk_to(x, y, speed=setup["speed"], within=setup["within"])
    referee = Referee(directors, fallen, leave)
    begin = sim.latest_time
    sim.run(setup["seconds"], controller=[*sim.controllers, referee])
    sim.attach(())
    courses = []
    for k, (own, origin) in enumerate(zip(places, origins)):
        path = np.array([at[k] for at in referee.places]) - origin
        end = min(float(referee.fell[k]), float(referee.done[k]), begin + setup["seconds"]) - begin
        done = bool(np.isfinite(referee.done[k]))
        ended = "fell" if np.isfinite(referee.fell[k]) else ""
        courses.append(Course(own, path[np.isfinite(path[:, 0])], done, end, ended))
    return courses


PERSON_STATES = [
    *statements("person", PERSON),
    ours(
        "pace",
        "a directed person: simulated seconds a second of one core, one world",
        at_least(10.0, "what a live view with room to spare needs"),
        differs="director and walk act from Python",
        timed=True,
    ),
]


def directed_pace(seconds: float = 8.0) -> float:
    """Simulated seconds by processor time of a person sent round three places."""
    sim = walking_simulation()
    director = Director(sim)
    for place in ((6.0, 1.0), (10.0, 6.0), (6.0, 10.0)):
        director.walk_to(*place, speed=PERSON["speed"], within=PERSON["within"])
    sim.run(1.0)
    begin = time.thread_time()
    sim.run(seconds)
    return seconds / (time.thread_time() - begin)


@experiment("direct-person", OWN, "The person sent from place to place", PERSON_STATES, SEED)
def person(context: ExperimentContext) -> Findings:
    """It walks from place to place; a place is reached within half a metre."""
    trials = 8 if context.quick else 40
    rng = np.random.default_rng(context.parameter("seed"))
    places = [random_places(rng, PERSON["least"], PERSON["most"], PERSON_TURN) for _ in range(trials)]
    courses = directed_persons(places, PERSON)
    draw_courses(context, courses[:8], "m", 1.0)
    yield from rate_findings(context, courses)
    yield context.found("pace", directed_pace())
