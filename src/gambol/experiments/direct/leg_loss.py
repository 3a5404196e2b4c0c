"""The search that found how a roach walks that has lost a leg (gambol.models.roach.walk_without)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gambol import Director, GaitController, GaitSteering
from gambol.control.legs.stance import MOST_MOVED, ways_of_feet
from gambol.models.roach import (
    FIVE_LEG_STEERING,
    TUNED,
    QuickSteps,
    adjusted_legs,
    roach_without,
    roach_world,
    settled_roach,
    walking_roach,
)
from gambol.world.mechanics import Mechanics

TASKS = [(0.08, angle) for angle in (2.3, -2.3, 0.8, -0.8)]  # [m], [rad]: how far and in which direction a place is
TASK_SECONDS, WAY_LEFT, TILTED = 4.0, 0.03, 2.0  # [s]; [m/s] by which way that is left counts; [s] for lying
FIRST_BACK = 1.5  # [mm] by which all feet stand back at first
SPREAD = [0.06] * 4 + [0.9] * 15  # [turns], [mm]


def search_walk_without(lost: str, generations: int = 10, log: Callable[[str], None] = lambda text: None) -> np.ndarray:
    """All orders of the legs that are left, evenly spaced; from the best, CMA-ES: four phases [turns] (of the first leg
    0) and how far ahead, left and up five feet stand elsewhere [mm]."""
    import cma

    trials = Trials(lost)
    orders = [order for order in itertools.permutations(range(1, 5))]
    candidates = [np.concatenate([-(np.argsort(order) + 1) / 5, [-FIRST_BACK] * 5, np.zeros(10)]) for order in orders]
    costs = trials.costs(candidates).mean(axis=1)
    log(f"{lost}: best order {orders[int(np.argmin(costs))]} of {trials.names}: {costs.min():.2f} s")
    search = cma.CMAEvolutionStrategy(
        candidates[int(np.argmin(costs))], 1.0, {"CMA_stds": SPREAD, "popsize": 12, "seed": 5, "verbose": -9}
    )
    for k in range(generations):
        candidates = search.ask()
        costs = trials.costs(candidates).mean(axis=1)
        search.tell(candidates, costs.tolist())
        log(f"generation {k}: best {costs.min():.2f} s, median {np.median(costs):.2f} s")
    return np.asarray(search.mean)


class Trials:
    """Candidates and tasks as worlds of one batch."""

    def __init__(self, lost: str):
        self.figure = roach_without(lost)
        self.world = roach_world(figure=self.figure)
        self.legs = [leg for leg in adjusted_legs(*TUNED) if leg.name != lost]
        self.names = [leg.name for leg in self.legs]
        q = np.array([x for body in self.figure.bodies for x in body.joint.zero])
        for leg in self.legs:
            for joint in leg.joints:
                q[self.figure.position_slices[joint]] = 0.5 * (leg.step.last(joint) + leg.stance.last(joint))
        self.ways = ways_of_feet(Mechanics(self.figure), q, np.eye(3), self.legs)

    def moved(self, feet: np.ndarray) -> dict[str, float]:
        """By how much joints are moved [rad] so that feet stand elsewhere, (3, legs) [mm]."""
        found: dict[str, float] = {}
        for leg, by in zip(self.legs, 1e-3 * feet.T):
            turned = np.clip(self.ways[leg.name] @ by, -MOST_MOVED, MOST_MOVED)
            found |= dict(zip(leg.joints, map(float, turned)))
        return found

    def costs(self, candidates: Sequence[np.ndarray]) -> np.ndarray:
        """Time to each place, or all of it and more for the way that is left, (candidates, tasks) [s]."""
        many = np.repeat(np.array(candidates), len(TASKS), axis=0)
        phases: Any = {name: phase for name, phase in zip(self.names, np.insert(many[:, :4], 0, 0.0, axis=1).T)}
        sim = settled_roach(self.world, worlds=len(many))
        walking_roach(sim, cycle=0.2, limbs=self.legs, phases=phases, gait=QuickSteps)
        walk = next(each for each in sim.controllers if isinstance(each, GaitController))
        moved = [self.moved(own[4:].reshape(3, 5)) for own in many]
        walk.moved = {joint: np.array([own[joint] for own in moved]) for joint in moved[0]}
        directors = [
            Director(sim, GaitSteering(walk, world=k, **FIVE_LEG_STEERING), period=0.02) for k in range(len(many))
        ]
        places = np.empty((len(many), 2))
        for k, director in enumerate(directors):
            (far, angle), here = TASKS[k % len(TASKS)], director.look()
            places[k] = here.x + far * math.cos(angle), here.y + far * math.sin(angle)
            director.walk_to(*places[k], speed=0.08, within=0.01)
            director.stop()
        sim.run(TASK_SECONDS)
        _, x, y, _ = sim.q[:, 3:7].T
        left = np.hypot(*(sim.q[:, :2] - places).T) / WAY_LEFT + TILTED * (x * x + y * y > 0.15)
        costs = TASK_SECONDS + left
        for event in sim.events:
            if event.name.startswith("walk to"):
                costs[event.world] = event.time - sim.latest_time + TASK_SECONDS
        return costs.reshape(-1, len(TASKS))
