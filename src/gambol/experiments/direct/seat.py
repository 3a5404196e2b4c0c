"""The person sits down on what is behind it, waits, and stands up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gambol import Director, Stairs
from gambol.control.biped.striding import Stride
from gambol.draw import Camera, Motion, picture
from gambol.experiments.direct.courses import OWN, SEED
from gambol.experiments.findings import Rate, at_least, at_most, ours
from gambol.experiments.registry import ExperimentContext, Findings, experiment
from gambol.models.person import walk_of, walking_simulation
from gambol.stepping.controller import Controller, next_multiple

HEIGHTS, MASSES = (1.5, 1.9), (50.0, 100.0)  # [m], [kg]
SEATS, GAPS = (0.42, 0.48), (0.07, 0.12)  # [m] of the seat over the ground, of its edge behind the ankles
PERSONS, BEFORE, REST, LONGEST = 48, 0.5, 1.5, 14.0  # trials; [s] it stands first, sits, of a trial at most
REFERENCE, UPRIGHT = 1.77, 0.95  # [m]; share of the height of its hips at which it stands again
SEAT_STATES = [
    ours(
        "sits",
        f"persons of {HEIGHTS[0]:g} to {HEIGHTS[1]:g} m and {MASSES[0]:g} to {MASSES[1]:g} kg on seats of {SEATS[0]:g} "
        f"to {SEATS[1]:g} m, which they feel for: sit upright, stand up, and stand",
        at_least(0.9, "nine of ten, with the whole interval"),
        differs="some miss the seat, or tip over",
    ),
    ours("down", "from the order to a trunk that is upright on the seat, median", unit="s"),
    ours("up", "from the order to rise to hips as high as before, median", unit="s"),
    ours(
        "weight", "of the weight, on the seat while it sits, median", at_least(0.5, "it rests there, not on its feet")
    ),
    ours("slip", "of an ankle from where it stood, most, median", at_most(50.0, "feet stay"), unit="mm"),
    ours("lean", "of the trunk as the seat is left, median", unit="°"),
    ours("touch", "most on the seat, median", at_most(1.5, "it does not drop"), unit="body weights"),
]


class SeatLog(Controller):
    """Moments of one trial: time [s], loads [N], pitch of the trunk [rad], ankles and hips [m]."""

    def __init__(self, walk: Stride):
        self.walk, self.rows = walk, []  # type: ignore[var-annotated]

    def start(self, run: Any) -> None:
        self.due = run.latest_time

    def next_time(self, run: Any) -> float:
        return self.due

    def act(self, run: Any) -> None:
        self.due = next_multiple(self.due, 0.02)
        seen = self.walk.seen[0]
        self.rows.append([run.latest_time, *self.walk.loads[0], seen[7, 1], *seen[2:6].ravel()])


class Sitting:
    """One person on one bench: what became of it."""

    def __init__(self, height: float, mass: float, seat: float, gap: float):
        size = height / REFERENCE
        self.bench = Stairs(start=-gap * size - 0.035, length=9.0, rise=-seat, steps=1, level=seat)
        sim = walking_simulation(standing=True, seat=True, terrain=self.bench, height=height, mass=mass)
        director, walk = Director(sim), walk_of(sim)
        log = SeatLog(walk)
        director.wait(BEFORE)
        sit = director.sit()
        director.wait(REST)
        director.rise()
        path = sim.run(LONGEST, controller=[*sim.controllers, log], every=0.02)
        self.motion = Motion.of(path)
        rows = np.array(log.rows)
        time, seat_load, pitch = rows[:, 0], rows[:, 3], rows[:, 4]
        limbs = rows[:, 5:].reshape(-1, 4, 3)
        hips = limbs[:, 2:, 2].mean(1) - limbs[:, :2, 2].mean(1)
        before = np.searchsorted(time, BEFORE)
        said = {event.name: event.time for event in sim.events}
        self.sat, rest = said.get("sit: done", math.nan), f"wait {REST:g} s: done"
        self.told, self.weight = said.get(rest, math.nan), 9.81 * mass
        self.down = self.sat - BEFORE
        again = (time > self.told) & (hips > UPRIGHT * hips[before])
        self.up = float(time[again.argmax()] - self.told) if again.any() else math.nan
        sits = (time > self.sat) & (time < self.told)
        self.share = float(seat_load[sits].mean() / self.weight) if sits.any() else math.nan
        off = (time > self.told) & (seat_load < 1.0)
        self.lean = math.degrees(pitch[off.argmax()]) if off.any() else math.nan
        self.touch = float(seat_load.max() / self.weight)
        moved = np.linalg.norm(limbs[:, :2, :2] - limbs[before, :2, :2], axis=-1).max(1)
        self.slip = 1e3 * float(moved.max())
        self.stands = bool(sit.ended == "done" and director.done and walk.modes == ["stands"] and again[-1])


def persons(rng: np.random.Generator, trials: int) -> list[tuple[float, float, float, float]]:
    """Height [m], mass [kg], height of the seat [m], gap behind the ankles [m] at 1.77 m."""
    return [tuple(float(rng.uniform(*span)) for span in (HEIGHTS, MASSES, SEATS, GAPS)) for _ in range(trials)]  # type: ignore[misc]


@experiment("direct-seat", OWN, "The person sits down and stands up", SEAT_STATES, SEED)
def seat(context: ExperimentContext) -> Findings:
    """Told to sit it lowers its hips, leaning ahead, until something behind carries; to rise it leans, then stands."""
    rng = np.random.default_rng(context.parameter("seed"))
    trials = [Sitting(*own) for own in persons(rng, 6 if context.quick else PERSONS)]
    yield context.found("sits", Rate(sum(trial.stands for trial in trials), len(trials)))
    for key, name in (("down", "down"), ("up", "up"), ("weight", "share"), ("slip", "slip"), ("lean", "lean")):
        yield context.found(key, float(np.nanmedian([getattr(trial, name) for trial in trials])))
    yield context.found("touch", float(np.median([trial.touch for trial in trials])))
    with context.picture("strip") as file:
        shown = Sitting(REFERENCE, 68.0, 0.45, 0.07)
        times = list(np.linspace(BEFORE, shown.told + shown.up, 11))
        camera = Camera(azimuth=-60.0, elevation=8.0)
        picture.save_image(picture.strip(shown.motion, times=times, camera=camera, size=(130, 240)), file)
