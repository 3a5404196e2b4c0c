"""Bodies against ridges of uneven ground: none is passed unseen, none pays, none swallows a bounce without friction.

What is asked of each (tests/forces/test_ridges.py asks it of fewer): the velocity changes by more than half of it, and
all energy, that of turning too, is kept to 2 % + 5 eps/v. Nothing in these worlds takes energy away.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

SPEEDS = (1.0, 10.0, 100.0)  # [m/s]
RULES = (("implicit-pair", 1e-1), ("implicit-pair", 1e-2), ("implicit-pair", 1e-3), ("rkf45", 1e-1), ("rkf45", 1e-4))
HARD, HARDER = 1e6, 1e9  # [N/m]; beyond 30 m/s the ridge could not stop it with less


def ridges(given: Any) -> dict[str, Any]:
    """Every shape at every ridge, at each speed by each rule; prints what did not hold and how many."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "forces"))
    from test_ridges import RIDGES, SHAPES, go_at, world

    from gambol import Simulation, Stepping

    warnings.simplefilter("ignore")  # notices of stiff springs are no news here
    found: Counter[str] = Counter()
    for (name, terrain), shape, speed in product(RIDGES.items(), SHAPES, given.speeds or SPEEDS):
        made = world(SHAPES[shape][0], terrain, HARD if speed < 30.0 else HARDER)
        for method, eps in RULES:
            sim = Simulation(made, stepping=Stepping(method=method, eps=eps))
            turned, _ = go_at(sim, shape, terrain, speed)
            before = 0.5 * sim.layout.figures[0].mass * speed**2
            kept = sim.mechanics.kinetic_energy(sim.q, sim.v) / before - 1.0
            allowed = 0.02 + 5.0 * eps / speed
            verdict = "held"
            if turned <= 0.5:
                verdict = "passed unseen"
            elif kept > allowed:
                verdict = "gained"
            elif kept < -allowed:
                verdict = "lost"
            found[verdict] += 1
            if verdict != "held":
                print(f"{verdict}: {shape} at the {name}, {speed:g} m/s, {method} {eps:g}: {kept:+.3f}", flush=True)
    print(", ".join(f"{verdict} {count}" for verdict, count in sorted(found.items())), "of", found.total())
    return {"held": found["held"] == found.total(), "verdicts": found}
