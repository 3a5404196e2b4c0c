"""The person goes up and down stairs: it sees the treads, and puts its feet on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gambol import Controller, Director, Simulation, Stairs, StrideSteering
from gambol.control.biped.standing_law import MODE, STANDING_STILL
from gambol.control.biped.striding import SIDES, Stride
from gambol.draw import Camera, picture
from gambol.experiments.findings import Rate, at_least, at_most, ours
from gambol.experiments.gait.courses import course_worlds
from gambol.experiments.gait.measures import GaitLog, WalkRecord
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.models.person.walking import SOLE, soles_of, standing_start, tuned_walk, walk_of, walking_simulation
from gambol.stepping.controller import next_multiple

RISE, TREAD, STEPS = 0.17, 0.29, 5  # [m], [m]
FLIGHTS = ((0.15, 0.30), (0.16, 0.32), (0.18, 0.29), (0.17, 0.31))  # [m] rise and tread of others
NEAREST, FARTHEST, ASIDE, OFF = 0.5, 1.0, 0.2, math.radians(4.0)  # [m], [m], [m], [rad]: how it stands before a flight
BEYOND, LANDED = 0.7, 0.05  # [m] past the last edge: where it is sent; where it has to be
SECONDS, SEED = 20.0, 5
BESIDE, BETWEEN = 0.05, 8  # [m] in which an edge is looked for; places of a sole between two of its spheres
MOST = at_least(0.9, "nine of ten, with the whole interval")
STAIRS_STATES = [
    ours("up", "sent up a flight of 5 steps of 17 by 29 cm: stands on the landing", MOST, differs="see the note"),
    ours("down", "sent down the same flight: stands below", MOST, differs="see the note"),
    ours("alternate", "share of the steps on the flight that go to the next tread, up and down", unit=""),
    ours("pace", "speed ahead on the flight, up", unit="m/s"),
    ours(
        "borne",
        "share of the feet that come down on the flight with heel and ball on one tread",
        at_least(0.95, "a foot that is half on an edge rolls over it"),
        differs="see the note",
    ),
    ours(
        "edges",
        "how far any place of a sole goes into a tread or a riser, most of all climbs that succeed",
        at_most(20.0, "feet that pass beside edges, not through them; skin gives so much"),
        unit="mm",
        differs="the foot in the air is late, or comes down where it was not to",
    ),
    ours("slip", "how far a foot slides while it carries, mean of the steps on the flight", unit="mm"),
    ours("others", "flights of other rises and treads, up: stands on the landing", None),
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
            self.deepest = np.maximum(self.deepest, depth_in(self.terrain, at.reshape(-1, 3)).reshape(len(at), -1).max(1))
        return None


def turned(quaternions: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Places (…, 3) turned by quaternions (…, 4)."""
    w, axis = quaternions[..., :1], quaternions[..., 1:]
    across = np.cross(axis, places)
    return places + 2.0 * (w * across + np.cross(axis, across))


def depth_in(terrain: Stairs, places: np.ndarray) -> np.ndarray:
    """How deep places (n, 3) are in the ground, by the nearest of the tread above and the riser ahead or behind [m]."""
    depth = terrain.heights_at(places[:, :2]) - places[:, 2]
    for k in np.flatnonzero(depth > 0.0):
        x, y, z = places[k]
        ways = np.linspace(-BESIDE, BESIDE, 41)
        free = terrain.heights_at(np.column_stack([x + ways, np.full(41, y)])) <= z
        if free.any():
            depth[k] = min(depth[k], np.abs(ways[free]).min())
    return np.maximum(depth, 0.0)
