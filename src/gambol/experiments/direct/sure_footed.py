"""The search that found how a roach walks on slopes (gambol.models.roach.sure_footed_walk).

Courses that it is judged by are others, and longer (gambol.experiments.direct.roach).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gambol import Director, GaitController, GaitSteering, Terrain
from gambol.experiments.direct.leg_loss import TILTED, WAY_LEFT
from gambol.models.roach import QuickSteps, roach_world, settled_roach, standing_positions, surer_legs, walking_roach

SLOPE = math.radians(15.0)
TASKS = [  # [rad]: heading at the start and direction of a place, from uphill; slope
    (0.0, 0.0, SLOPE),
    (0.5 * math.pi, 0.4, SLOPE),
    (0.0, -1.2, SLOPE),
    (math.pi, -2.0, SLOPE),
    (0.0, 2.6, SLOPE),
    (0.0, 2.2, 0.0),
]
FAR, TASK_SECONDS, MOST = 0.08, 3.5, 9.0  # [m], [s]; [s] that a task costs at most
PAIRS, EACH = "fmb", ("ahead", "aside", "up", "fall", "lift")
START = np.array([-1, 0, 1, 1, 0.8, -1, 0, 1, 1, 3.4, -1, 0, 1, 1, 1.8, 5.6, 0.7, 0.1, 0.105, 1.2])
SPREAD = np.array([1.5, 1.5, 1.5, 1, 1] * 3 + [0.8, 0.35, 0.1, 0.012, 0.4])
"""Paths of the feet of each pair [mm], stride [mm], lean, low, fast cycle [s], turn gain."""
SLOWER = 1.6  # is the slow cycle than the fast one


def read(found: np.ndarray) -> tuple[dict[str, tuple[float, ...]], float, dict[str, Any]]:
    """Paths by pair [mm], stride [m], and the steering of a point of the search."""
    many = len(EACH)
    paths = {pair: tuple(map(float, found[k * many : (k + 1) * many])) for k, pair in enumerate(PAIRS)}
    stride, lean, low, cycle, gain = map(float, found[len(PAIRS) * many :])
    fast = max(cycle, 0.07)
    steering = dict(lean=lean, low=max(low, 0.0), fast_cycle=fast, slow_cycle=SLOWER * fast, turn_gain=max(gain, 0.2))
    return paths, 1e-3 * max(stride, 2.0), steering


def task_times(found: np.ndarray, tasks: Sequence[tuple[float, float, float]] = TASKS) -> np.ndarray:
    """Time to each place, or all of it and more for the way that is left, (tasks,) [s]."""
    paths, stride, steering = read(found)
    starts = np.array([standing_positions() for _ in tasks])
    for q, (heading, _, slope) in zip(starts, tasks):
        (c, s), (up, nose) = ((math.cos(0.5 * a), math.sin(0.5 * a)) for a in (heading, -slope))
        q[3:7] = up * c, -nose * s, nose * c, up * s  # turned about its own upright axis, then tilted
    sim = settled_roach(roach_world(terrain=Terrain()), worlds=len(tasks), q=starts, settle=0.0)
    sim.elements["terrain"].set("slope_x", np.tan([slope for _, _, slope in tasks]))
    sim.run(0.3125)
    walking_roach(sim, cycle=0.2, limbs=surer_legs(paths, stride), gait=QuickSteps)
    walk = next(each for each in sim.controllers if isinstance(each, GaitController))
    directors = [Director(sim, GaitSteering(walk, world=k, **steering), period=0.02) for k in range(len(tasks))]
    places = np.empty((len(tasks), 2))
    for k, director in enumerate(directors):
        here, angle = director.look(), tasks[k][1]
        places[k] = here.x + FAR * math.cos(angle), here.y + FAR * math.sin(angle)
        director.walk_to(*places[k], speed=0.08, within=0.01)
        director.stop()
    sim.run(TASK_SECONDS)
    q = np.atleast_2d(sim.q)
    x, y = q[:, 4:6].T
    times = TASK_SECONDS + np.hypot(*(q[:, :2] - places).T) / WAY_LEFT + TILTED * (x * x + y * y > 0.3)
    for event in sim.events:
        if event.name.startswith("walk to"):
            times[event.world] = event.time - sim.latest_time + TASK_SECONDS
    return np.asarray(np.minimum(times, MOST))


def search_sure_footed(
    generations: int = 15, seed: int = 7, log: Callable[[str], None] = lambda text: None
) -> np.ndarray:
    """CMA-ES for the mean time of the tasks; see `START` and `read` for what it finds."""
    import cma

    search = cma.CMAEvolutionStrategy(np.zeros(len(START)), 0.5, {"popsize": 10, "seed": seed, "verbose": -9})
    best, least = START, float("inf")
    for k in range(generations):
        asked = search.ask()
        costs = [float(task_times(START + SPREAD * own).mean()) for own in asked]
        search.tell(asked, costs)
        if min(costs) < least:
            least, best = min(costs), START + SPREAD * asked[int(np.argmin(costs))]
        log(f"generation {k}: best {min(costs):.2f} s, median {np.median(costs):.2f} s")
    return best
