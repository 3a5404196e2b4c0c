"""The roach sent from place to place: on level ground, on slopes, over a step, pushed, without a leg."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gambol import Director, GaitController, GaitSteering, PointForce, Simulation, Stairs, Terrain, World
from gambol.experiments.direct.courses import (
    OWN,
    PLACES,
    SEED,
    Course,
    draw_courses,
    go_round,
    random_places,
    rate_findings,
    statements,
)
from gambol.experiments.findings import Rate, Statement, at_least, ours
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.experiments.roach.rough import ROACH_WEIGHT
from gambol.models.roach import (
    STICKY,
    STICKY_FRICTION,
    SURE_FOOTED_STEERING,
    TUNED,
    FiveLegs,
    SureFooted,
    adjusted_legs,
    roach_without,
    roach_world,
    settled_roach,
    steering_without,
    sure_footed_walk,
    walk_without,
    walking_roach,
)

ROACH = dict(least=0.04, most=0.12, within=0.01, speed=0.08, seconds=10.0)  # [m], [m], [m], [m/s], [s]
BATCH = 50  # courses at once


def directed_roaches(
    places: Sequence[np.ndarray], world: World | None = None, gait: FiveLegs | SureFooted | None = None, **steering: Any
) -> list[Course]:
    """Roaches, each in a world of a batch, sent from place to place; steering: see GaitSteering."""
    worlds = len(places)
    sim = settled_roach(world, worlds=worlds)
    walking_roach(sim, cycle=0.2, **(gait._asdict() if gait else {"limbs": adjusted_legs(*TUNED)}))
    walk = next(each for each in sim.controllers if isinstance(each, GaitController))
    directors = [Director(sim, GaitSteering(walk, world=k, **steering)) for k in range(worlds)]

    def fallen() -> np.ndarray:
        """One that rolls down a slope may come to its feet again, and goes on."""
        return np.zeros(worlds, bool)

    def stay(run: Simulation, over: np.ndarray) -> None:
        """A roach that stands costs no more than one that is far away."""
        for k in over:
            directors[k].clear()
            directors[k].stop()

    return go_round(sim, directors, places, ROACH, fallen, stay)


def in_batches(places: Sequence[np.ndarray], *args: Any, **options: Any) -> list[Course]:
    """Courses of roaches, so many at once as a batch has worlds."""
    batches = [places[k : k + BATCH] for k in range(0, len(places), BATCH)]
    return [course for batch in batches for course in directed_roaches(batch, *args, **options)]


def courses_of(context: ExperimentContext, trials: int) -> list[np.ndarray]:
    """Random courses for a roach."""
    rng = np.random.default_rng(context.parameter("seed"))
    return [random_places(rng, ROACH["least"], ROACH["most"]) for _ in range(trials)]


@experiment("direct-roach", OWN, "The roach sent from place to place", statements("roach", ROACH), SEED)
def roach(context: ExperimentContext) -> Findings:
    """Stroke lengths of the two sides steer it; the first place may be behind it."""
    courses = in_batches(courses_of(context, 8 if context.quick else 200))
    draw_courses(context, courses[:8], "cm", 100.0)
    yield from rate_findings(context, courses)


SLOPE = math.tan(math.radians(15.0))
STEP_UP, STEP_AT = 0.005, 0.025  # [m]: a quarter of a middle leg, along its segments; where it is


def _pushed() -> World:
    """Pushed aside by half its weight for 60 ms, once in 0.7 s."""
    push = PointForce(body="thorax", force=(0.0, 0.5 * ROACH_WEIGHT, 0.0), start=0.9, duration=0.06, period=0.7)
    return roach_world(forces=[push])


HARDER: dict[str, tuple[str, Callable[[], World]]] = {
    "slope": ("on a slope of 15°, up, down and across", lambda: roach_world(terrain=Terrain(slope_x=SLOPE))),
    "claws": (
        "on a slope of 15°, on feet that stick",
        lambda: roach_world(terrain=Terrain(slope_x=SLOPE), sticky=STICKY, friction=STICKY_FRICTION),
    ),
    "step": (
        "a step of a quarter of its leg before it",
        lambda: roach_world(terrain=Stairs(start=STEP_AT, length=10.0, rise=STEP_UP)),
    ),
    "pushes": ("pushed by half its weight for 60 ms, again and again", _pushed),
}
LEGS = {
    "leg": ("ml", "its left middle leg"),
    "leg-mr": ("mr", "its right middle leg"),
    "leg-fl": ("fl", "its left front leg"),
    "leg-fr": ("fr", "its right front leg"),
    "leg-bl": ("bl", "its left hind leg"),
    "leg-br": ("br", "its right hind leg"),
}


def _stated(key: str, told: str, differs: str) -> Statement:
    return ours(
        key,
        f"roach, {told}: share of random courses of {PLACES} places done in {ROACH['seconds']:g} s",
        at_least(0.5, "more often than not, with the whole interval"),
        differs=differs,
    )


HARDER_STATES = [
    *(
        _stated(key, told, "one walk for all of them, tuned on a slope of 15° and on level ground")
        for key, (told, _) in HARDER.items()
    ),
    *(_stated(key, f"without {told}", "five legs carry it less well") for key, (_, told) in LEGS.items()),
]


@experiment(
    "direct-roach-disturbed",
    OWN,
    "The roach sent about on slopes, over a step, pushed, a leg lost",
    HARDER_STATES,
    SEED,
)
def roach_disturbed(context: ExperimentContext) -> Findings:
    """The same courses where things are not as on level ground: one walk for all, but that without a leg five walk."""
    places = courses_of(context, 4 if context.quick else 200)
    walk = sure_footed_walk()
    cases = {key: in_batches(places, make(), walk, **SURE_FOOTED_STEERING) for key, (_, make) in HARDER.items()}
    for key, (lost, _) in LEGS.items():
        world = roach_world(figure=roach_without(lost))
        cases[key] = in_batches(places, world, walk_without(lost), **steering_without(lost))
    for key, courses in cases.items():
        done = sum(course.done for course in courses)
        note = f"{len(courses) - done} were late or fell"
        yield context.found(key, Rate(done, len(courses)), note=note, seed=context.parameter("seed"))
    draw_courses(context, [course for courses in cases.values() for course in courses[:1]][:8], "cm", 100.0)
