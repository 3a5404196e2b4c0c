"""Many free bodies in a heap, each of which may touch each: what an evaluation and a step cost as they get more.

Beside it the same heap with every pair looked at, which must come to the same bits.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gambol.bench.result import Result
from gambol.figure import Body, Box, Figure, Joint, Part, Shape, Sphere
from gambol.forces.contact.body_contact import BodyContact
from gambol.forces.contact.broad_phase import every_pair
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.surface import Surface
from gambol.stepping.options import Stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

FALLEN = 0.3  # [s] until most of them touch
BALL, BRICK, APART = 0.05, (0.12, 0.1, 0.08), 0.13  # [m]
EVALUATIONS, HEAP_SECONDS, HEAP_EPS = 50, 0.05, 1e-2


def heap(count: int, *, bricks: bool = False, stepping: Stepping | str = "rkf45", **options) -> Simulation:
    """A cube of balls, or of balls and bricks, just above one another and the ground, none quite in line."""
    shapes: list[Shape] = [Box(BRICK) if bricks and k % 2 else Sphere(BALL) for k in range(count)]
    figures = [
        Figure(f"body{k}", (Body(f"body{k}", joint=Joint("free"), parts=(Part(shape, mass=1.0),)),))
        for k, shape in enumerate(shapes)
    ]
    surface = Surface.bearing(9.81, points=4, sinkage=1e-3, friction=0.5)
    forces = [*BodyContact.of_figures(figures, surface)]
    ground = [contact for figure in figures for contact in GroundContact.of_figure(figure, surface)]
    sim = Simulation(World(figures, forces=[*forces, *ground]), stepping=stepping, ledger=False, **options)
    side = int(np.ceil(count ** (1 / 3)))
    at = np.stack([np.arange(count) % side, np.arange(count) // side % side, np.arange(count) // side**2], axis=1)
    start = np.zeros((count, 7))
    start[:, :3] = APART * at + 0.01 * np.random.default_rng(1).uniform(-1.0, 1.0, (count, 3))
    start[:, 2] += 0.07
    start[:, 3] = 1.0
    sim.reset(start.ravel() if sim.worlds == 1 else np.tile(start.ravel(), (sim.worlds, 1)))
    return sim


def _evaluation(sim: Simulation) -> float:
    """Seconds of one evaluation of all forces, settled for a while."""
    sim.acceleration  # noqa: B018
    began = time.perf_counter()
    for _ in range(EVALUATIONS):
        sim._call(np.zeros(0), None)
    return (time.perf_counter() - began) / EVALUATIONS


def measure(count: int, rounds: int, progress: Callable[[], None]) -> list[Result]:
    """An evaluation of a heap of balls, with the search and with every pair looked at."""
    found = heap(count)
    with every_pair():
        every = heap(count)
    for sim in (found, every):
        sim.run(HEAP_SECONDS)
        progress()
    if found.q.tobytes() != every.q.tobytes():
        raise AssertionError("the search for pairs has changed the motion")
    times = [min(_evaluation(sim) for _ in range(rounds)) for sim in (found, every)]
    notes = [f"heap-{count}: {count * (count - 1) // 2} pairs, the same motion to the bit"]
    implicit = heap(count, stepping=Stepping(method="implicit-pair", eps=HEAP_EPS))
    implicit.run(FALLEN)
    progress()
    before = implicit.counts["steps"] + implicit.counts["rejected"]
    began = time.perf_counter()
    implicit.run(HEAP_SECONDS)
    spent = time.perf_counter() - began
    attempts = implicit.counts["steps"] + implicit.counts["rejected"] - before
    notes.append(
        f"heap-{count}: {1e3 * spent / attempts:.2f} ms an attempt of the implicit pair after {FALLEN:g} s, when"
        " most of them touch"
    )
    metric = f"{count} free balls in a heap: an evaluation of all forces"
    return [
        Result.of_times(
            f"heap-{count}", metric, "µs", 1e6 * times[0], {"every pair": 1e6 * times[1]}, None, tuple(notes)
        )
    ]
