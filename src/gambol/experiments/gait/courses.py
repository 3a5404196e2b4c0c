"""Courses for a walking person, many at once in a batch of worlds: speeds, headings, slopes, pushes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np

from gambol import Controller, Simulation, Terrain
from gambol.control.biped.gait import REFERENCE_SPEED, TunedWalk
from gambol.control.biped.goals_law import RUNS_FROM
from gambol.control.biped.striding import Stride
from gambol.experiments.gait.measures import GaitLog, WalkRecord
from gambol.models.person.walking import (
    RUN_PHASE,
    WALK_STEPPING,
    known_roughness,
    running_start,
    soles_of,
    standing_start,
    walking_start,
    walking_world,
)

PUSH_SECONDS = 0.2


@dataclass(frozen=True)
class Course:
    """What a walk is asked to do.

    speeds     (time [s], speed [m/s]) from which time on which speed is wanted; headings: the same [rad]. The first: it
               walks or runs so at the beginning, or stands (0)
    turning    [rad/s] at most
    slope      of the ground, ahead
    pushes     (time [s], force ahead [N], force to the left [N]), 0.2 s each, at the chest
    place      where it begins (x, y) [m]
    measured   (from, until) [s] when the walk is measured
    """

    name: str
    speeds: Sequence[tuple[float, float]] = ((0.0, REFERENCE_SPEED),)
    headings: Sequence[tuple[float, float]] = ()
    turning: float = 0.4
    slope: float = 0.0
    pushes: Sequence[tuple[float, float, float]] = ()
    place: tuple[float, float] = (0.0, 0.0)
    measured: tuple[float, float] = field(default=(2.0, np.inf))


def going_round(rate: float, since: float, until: float) -> tuple[tuple[float, float], ...]:
    """Headings that let a walk turn by `rate` [rad/s] all the time: each is two radians ahead of the last."""
    step = math.copysign(2.0, rate)
    count = math.ceil((until - since) * abs(rate) / 2.0) + 1
    return tuple((since + 2.0 * k / abs(rate), step * (k + 1)) for k in range(count))


class Marshal(Controller):
    """Tells the walk of every world of a batch what its course asks."""

    keeps: ClassVar[tuple[str, ...]] = ("at",)

    def __init__(self, walk: Stride, courses: Sequence[Course]):
        self.walk = walk
        orders: list[tuple[float, int, str, float, float]] = []
        for world, course in enumerate(courses):
            orders += [(t, world, "speed", speed, 0.0) for t, speed in course.speeds]
            orders += [(t, world, "heading", angle, 0.0) for t, angle in course.headings]
            for t, x, y in course.pushes:
                orders += [(t, world, "push", x, y), (t + PUSH_SECONDS, world, "push", 0.0, 0.0)]
        self.orders = sorted(orders)

    def start(self, run: Simulation) -> None:
        self.at = 0
        self.walk.speed, self.walk.heading = (
            np.broadcast_to(x, run.worlds).astype(float) for x in (self.walk.speed, self.walk.heading)
        )

    def next_time(self, run: Simulation) -> float:
        return self.orders[self.at][0] if self.at < len(self.orders) else np.inf

    def act(self, run: Simulation) -> bool | None:
        _, world, what, x, y = self.orders[self.at]
        self.at += 1
        if what == "push":
            push = run.elements["push"]
            push.set("force_x", [x], worlds=[world])
            push.set("force_y", [y], worlds=[world])
        else:
            getattr(self.walk, what)[world] = x
        return None


@cache
def course_worlds(feet: str, worlds: int, terrain: Terrain | None = None) -> Simulation:
    """As many worlds with a walking person; used again and again."""
    return Simulation(walking_world(feet, terrain=terrain), stepping=WALK_STEPPING, worlds=worlds, ledger=False)


def walk_courses(
    walks: Sequence[TunedWalk],
    courses: Sequence[Course],
    seconds: float,
    *,
    runs: Sequence[TunedWalk] = (),
    feet: str = "rigid",
    terrain: Terrain | None = None,
    **options,
) -> WalkRecord:
    """Walk k (and run k) goes through course k, each in a world of its own; a world that falls is taken away."""
    worlds = len(courses)
    sim = course_worlds(feet, worlds, terrain)
    world = sim.world
    stands, begins_running = _how_they_begin(courses)
    figure, known = world.layout.figures[0], {}
    for k, course in enumerate(courses):
        own, begin = (runs if begins_running else walks)[k], course.speeds[0][1]
        if (id(own), begin) not in known:
            if stands:
                known[id(own), begin] = standing_start(figure)
            else:
                known[id(own), begin] = (running_start if begins_running else walking_start)(
                    figure, own.gait, speed=begin
                )
    starts = [known[id((runs if begins_running else walks)[k]), c.speeds[0][1]] for k, c in enumerate(courses)]
    q, v = (np.array(x) for x in zip(*starts))
    places = np.array([course.place for course in courses])
    q[:, :2] += places
    if terrain is not None:
        q[:, 2] += terrain.heights_at(places)
    sim.reset(q if worlds > 1 else q[0], v if worlds > 1 else v[0])
    slopes = np.array([course.slope for course in courses])
    sim.elements["terrain"].set("slope_x", slopes)
    speeds = np.array([c.speeds[0][1] for c in courses])
    options.setdefault("turning", np.array([c.turning for c in courses]))
    if begins_running:
        options |= dict(running=True, stance="r", phase=RUN_PHASE)
    options.setdefault("rough", known_roughness(world.terrain))
    stride = Stride(
        list(walks), soles_of(world), run=list(runs), speed=speeds, slope=slopes, standing=stands, **options
    )
    log = GaitLog(stride, put_away=True)
    sim.run(seconds, controller=[Marshal(stride, courses), stride, log])
    return log.finished()


def _how_they_begin(courses: Sequence[Course]) -> tuple[bool, bool]:
    """Standing? Running?"""
    speeds = [course.speeds[0][1] for course in courses]
    stands, runs = {v == 0.0 for v in speeds}, {v >= RUNS_FROM for v in speeds}
    if len(stands) > 1 or len(runs) > 1:
        raise ValueError("courses of a batch begin all standing, all walking, or all running")
    return stands.pop(), runs.pop()
