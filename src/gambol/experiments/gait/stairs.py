"""The person goes up and down stairs: it sees the treads, and puts its feet on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gambol import Controller, Director, Simulation, Stairs, StrideSteering, Terrain
from gambol.control.biped.gait import TunedWalk
from gambol.control.biped.standing_law import MODE, STANDING_STILL
from gambol.control.biped.striding import SIDES, Stride
from gambol.draw import picture
from gambol.experiments.findings import Rate, at_least, at_most, ours
from gambol.experiments.gait.courses import course_worlds
from gambol.experiments.gait.measures import GaitLog, WalkRecord
from gambol.experiments.gait.walking import CAMERA
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.models.person.walking import SOLE, soles_of, standing_start, tuned_walk, walking_simulation
from gambol.stepping.controller import next_multiple

RISE, TREAD, STEPS = 0.17, 0.29, 5  # [m], [m]
SPEED = 0.5  # [m/s] that it is told
NEAREST, FARTHEST, ASIDE, OFF = 0.5, 1.0, 0.2, math.radians(4.0)  # [m], [m], [m], [rad]: how it stands before a flight
BEYOND, LANDED = 0.9, 0.1  # [m] past the last edge: where it is sent; where it has to be
OWN = "our own trials"
SECONDS, TRIALS, SEED = 16.0, 60, 6  # the order they are given was settled on starts of seed 5
BESIDE, BETWEEN = 0.05, 8  # [m] in which an edge is looked for; places of a sole between two of its spheres
SUNK = 8e-3  # [m] less than this is ground that gives
MOST = at_least(0.9, "nine of ten, with the whole interval")
UP_DIFFERS = "some fall back where the body comes too slowly over the next tread, some as they come to rest on top"
DOWN_DIFFERS = "they come down on their feet; some step aside as they come to rest below, and run away sideways"
STAIRS_STATES = [
    ours("up", "sent up 5 steps of 17 by 29 cm from 0.5 to 1 m before them: stands on top", MOST, differs=UP_DIFFERS),
    ours("down", "sent down the same steps: stands below", MOST, differs=DOWN_DIFFERS),
    ours("reaches", "sent up: comes to the landing on its feet"),
    ours("alternate", "up: share of the steps on the flight that go to the next tread, not beside the other foot"),
    ours("pace", "up: speed ahead on the flight, median of those that arrive", unit="m/s"),
    ours(
        "edges",
        "up: how far any place of a sole goes into a tread or riser, most, median of those that arrive",
        at_most(20.0, "feet go over edges, not through them; the ground gives that much"),
        unit="mm",
        differs="a foot in the air comes too late over an edge, or down on one",
    ),
    ours("slip", "up: how far a foot slides in a step on the flight, mean of those that arrive", unit="mm"),
]


@dataclass(frozen=True)
class Flight:
    """Steps of some rise and tread [m], walked down where `down`."""

    rise: float = RISE
    tread: float = TREAD
    down: bool = False

    @property
    def terrain(self) -> Stairs:
        """Its ground: the first edge is at x = 0."""
        return Stairs(start=0.0, length=self.tread, rise=-self.rise if self.down else self.rise, steps=STEPS)

    @property
    def last(self) -> float:
        """Where its last edge is [m]."""
        return (STEPS - 1) * self.tread


def sole_places() -> np.ndarray:
    """Places under a left sole, from heel to toes on either side, (n, 3) [m] in the frame of the hindfoot."""
    rows = [[(x, y, z - radius) for x, y, z in centres] for radius, centres in SOLE.values()]
    inner, outer = ([row[k] for row in rows] for k in (-1, 0))
    found = []
    for line in (inner, outer):
        for a, b in zip(line, line[1:]):
            shares = np.linspace(0.0, 1.0, BETWEEN)[:, None]
            found.append((1.0 - shares) * np.array(a) + shares * np.array(b))
    return np.concatenate(found)


class SoleLog(Controller):
    """How deep the soles of a batch of persons are in the ground [m], the deepest place of each: deepest (worlds,)."""

    keeps: ClassVar[tuple[str, ...]] = ("due",)

    def __init__(self, walk: Stride):
        self.walk = walk

    def start(self, run: Simulation) -> None:
        self.due, self.terrain = run.latest_time, run.world.terrain
        self.deepest = np.zeros(run.worlds)
        self.figure = run.layout.figures[0]
        names = [body.name for body in self.figure.order]
        self.feet = [names.index(f"{side}_hindfoot") for side in SIDES]
        left = sole_places()
        self.places = np.array([left, left * [1.0, -1.0, 1.0]])

    def next_time(self, run: Simulation) -> float:
        return self.due

    def act(self, run: Simulation) -> bool | None:
        """Looks at every place of every sole."""
        self.due = next_multiple(self.due, self.walk.period)
        origins, quaternions = self.figure.kinematics(np.atleast_2d(run.q)[:, : self.figure.positions])
        for foot, places in zip(self.feet, self.places):
            at = origins[:, foot, None] + turned(quaternions[:, foot, None], places)
            self.deepest = np.maximum(
                self.deepest, depth_in(self.terrain, at.reshape(-1, 3)).reshape(len(at), -1).max(1)
            )
        return None


def turned(quaternions: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Places (…, 3) turned by quaternions (…, 4)."""
    w, axis = quaternions[..., :1], quaternions[..., 1:]
    across = np.cross(axis, places)
    return places + 2.0 * (w * across + np.cross(axis, across))


def depth_in(terrain: Terrain, places: np.ndarray) -> np.ndarray:
    """How deep places (n, 3) are in the ground, by the nearest of the tread above and the riser ahead or behind [m]."""
    depth = terrain.heights_at(places[:, :2]) - places[:, 2]
    for k in np.flatnonzero(depth > SUNK):
        x, y, z = places[k]
        ways = np.linspace(-BESIDE, BESIDE, 41)
        free = terrain.heights_at(np.column_stack([x + ways, np.full(41, y)])) <= z
        if free.any():
            depth[k] = min(depth[k], np.abs(ways[free]).min())
    return np.maximum(depth, 0.0)


@dataclass
class Climbs:
    """Persons that were sent over a flight, each in a world: what was written down, and which of them arrive."""

    flight: Flight
    record: WalkRecord
    soles: np.ndarray  # [m]

    @property
    def arrive(self) -> np.ndarray:
        """Which are on their feet beyond the last edge at the end."""
        there = self.record.seen[-1, :, 0, 0] > self.flight.last + LANDED
        return np.isinf(self.record.log.fallen) & there

    @property
    def stand(self) -> np.ndarray:
        """Which of these stand there."""
        return self.arrive & (self.record.log.walk.state[:, MODE] == STANDING_STILL)

    def treads(self, world: int) -> list[int]:
        """Treads that its feet came down on, one after the other; 0: before the flight."""
        strikes = [
            s for s in self.record.log.walk.strikes if s.world == world and s.time <= self.record.log.fallen[world]
        ]
        return [min(max(math.floor(s.place[0] / self.flight.tread) + 1, 0), STEPS) for s in strikes]

    def pace(self, world: int) -> float:
        """Speed ahead between the first edge and the last [m/s]."""
        x = self.record.seen[:, world, 0, 0]
        begin, end = (int(np.argmax(x > edge)) for edge in (0.0, self.flight.last))
        return float(self.flight.last / (self.record.time[end] - self.record.time[begin]))

    def slip(self, world: int) -> float:
        """How far feet slide on the flight, for each that came down on it [m]."""
        x = self.record.seen[:, world, 0, 0]
        on = (x > 0.0) & (x < self.flight.last)
        count = sum(0 < tread < STEPS for tread in self.treads(world))
        return float(self.record.slip[on, world].sum() * self.record.tick) / max(count, 1)


def climbs(
    flight: Flight,
    trials: int,
    seed: int = SEED,
    *,
    walks: Sequence[TunedWalk] = (),
    seconds: float = SECONDS,
    looks: bool = True,
) -> Climbs:
    """Persons that stand before a flight, at distances, places aside and headings drawn at random, are sent over it.

    walks   each of which goes through all trials, one after the other; default: the one that comes with the model
    looks   is it written down how deep soles are in edges?
    """
    walks = walks or (tuned_walk(),)
    rng, worlds = np.random.default_rng(seed), trials * len(walks)
    sim = course_worlds("rigid", worlds, flight.terrain)
    away, aside, yaw = (
        np.tile(rng.uniform(*span, trials), len(walks)) for span in ((NEAREST, FARTHEST), (-ASIDE, ASIDE), (-OFF, OFF))
    )
    q, v = (np.tile(x, (worlds, 1)) for x in standing_start(sim.world.layout.figures[0]))
    q[:, 0] -= away
    q[:, 1] += aside
    q[:, 3], q[:, 6] = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
    sim.reset(q, v)
    each = [walk for walk in walks for _ in range(trials)]
    walk = Stride(each, soles_of(sim.world), standing=True, speed=0.0, heading=yaw)
    sim.attach(walk)
    for world in range(worlds):
        director = Director(sim, StrideSteering(walk, world=world))
        director.walk_to(flight.last + BEYOND, 0.0, speed=SPEED, within=0.3)
        director.stop()
    soles, log = SoleLog(walk), GaitLog(walk, put_away=True)
    sim.run(seconds, controller=[*sim.controllers, *([soles] if looks else []), log])
    sim.attach(())
    return Climbs(flight, log.finished(), soles.deepest if looks else np.zeros(worlds))


def changes(treads: Sequence[int]) -> list[bool]:
    """Does each step on a flight go to the next tread? False: beside the other foot, or back."""
    return [b > a for a, b in zip(treads, treads[1:]) if 0 < b and a < STEPS]


@experiment(
    "gait-stairs", OWN, "The person goes up and down stairs", STAIRS_STATES, {"seed": Parameter(SEED, "of the starts")}
)
def stairs(context: ExperimentContext) -> Findings:
    """It sees the ground ahead: slows down before an edge, chooses treads for its feet, lifts its hips with each."""
    trials, seed = 6 if context.quick else TRIALS, int(context.parameter("seed"))
    up = climbs(Flight(), trials, seed)
    yield context.found("up", Rate(int(up.stand.sum()), trials), seed=seed)
    down = climbs(Flight(down=True), trials, seed)
    yield context.found("down", Rate(int(down.stand.sum()), trials), seed=seed)
    yield context.found("reaches", Rate(int(up.arrive.sum()), trials), seed=seed)
    there = [int(world) for world in np.flatnonzero(up.arrive)]
    next_ones = [each for world in there for each in changes(up.treads(world))]
    yield context.found("alternate", Rate(sum(next_ones), len(next_ones)) if next_ones else math.nan)
    yield context.found("pace", float(np.median([up.pace(world) for world in there])) if there else math.nan)
    yield context.found("edges", 1e3 * float(np.median(up.soles[there])) if there else math.nan)
    yield context.found("slip", 1e3 * float(np.mean([up.slip(world) for world in there])) if there else math.nan)
    draw_strip(context)


def draw_strip(context: ExperimentContext) -> None:
    """Up the flight, and down."""
    for name, rise in (("strip", RISE), ("down", -RISE)):
        sim = walking_simulation(standing=True, terrain=Stairs(start=0.6, length=TREAD, rise=rise, steps=STEPS))
        director = Director(sim)
        director.walk_to(0.6 + Flight().last + BEYOND, 0.0, halt=True)
        path = sim.run(7.0, every=0.02, include_start=True)
        with context.picture(name) as file:
            times = list(np.linspace(path.time[0] + 2.0, path.time[-1], 10))
            picture.save_image(picture.strip(path, times=times, camera=CAMERA, size=(190, 260)), file)
