"""The person stops on a mark."""

from __future__ import annotations

import math

import numpy as np

from gambol import Director, StopWhen
from gambol.experiments.direct.courses import OWN
from gambol.experiments.findings import Rate, at_least, ours
from gambol.experiments.registry import ExperimentContext, Findings, Parameter, experiment
from gambol.models.person import fallen, walking_simulation

MARK = dict(least=2.0, most=5.0, within=0.1, speed=1.0, seconds=40.0)  # [m], [m], [m], [m/s], [s]
MARK_STATES = [
    ours(
        "stands",
        f"share of marks 2 to 5 m away on which it stands within {100 * MARK['within']:g} cm, in {MARK['seconds']:g} s",
        at_least(0.9, "nine of ten, with the whole interval"),
        differs="see the note",
    ),
    ours("apart", "distance from the mark where it stands, median", unit="cm"),
]


@experiment("direct-mark", OWN, "The person stops on a mark", MARK_STATES, {"seed": Parameter(2, "of the marks")})
def mark(context: ExperimentContext) -> Findings:
    """From standing, to a mark in any direction; it slows down, and steps back where it went too far."""
    trials = 4 if context.quick else 20
    rng = np.random.default_rng(context.parameter("seed"))
    apart, fell = [], 0
    for _ in range(trials):
        sim = walking_simulation(standing=True)
        director = Director(sim)
        start, bearing, far = director.look(), rng.uniform(-math.pi, math.pi), rng.uniform(MARK["least"], MARK["most"])
        x, y = start.x + far * math.cos(bearing), start.y + far * math.sin(bearing)
        director.walk_to(x, y, speed=MARK["speed"], within=MARK["within"], halt=True)
        director.wait(1.0)
        ends = StopWhen(period=0.02, done=lambda sim, director=director: director.done, fell=fallen)
        sim.run(MARK["seconds"], controller=[*sim.controllers, ends])
        fell += fallen(sim)
        seen = director.look()
        apart.append(math.hypot(seen.x - x, seen.y - y) if director.done else math.inf)
    note = f"{fell} fell, {sum(map(math.isinf, apart)) - fell} were late"
    yield context.found("stands", Rate(sum(x < MARK["within"] for x in apart), trials), note=note)
    yield context.found("apart", 100.0 * float(np.median(apart)))
