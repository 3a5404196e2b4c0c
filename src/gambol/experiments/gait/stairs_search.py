"""The search that finds how a person goes down or up stairs: CMA-ES over a batch of worlds, new starts each generation.

    python -m gambol.experiments.gait.stairs_search down --out walk.json [--walk start.json] [--seed 3]
                                                [--sigma 0.5] [--minutes 25]

Down, it varies what `by_descent` adds; up, the numbers of the gait that are for treads, and `by_descent` with them, so
that going down stays as it is. Written is the mean of the distribution. One that was interrupted goes on from
`walk.json.search`.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from gambol.control.biped.gait import StrideGait, TunedWalk
from gambol.experiments.gait.search import SCALES, read_walk
from gambol.experiments.gait.stairs import Climbs, Flight, climbs
from gambol.models.person.walking import tuned_walk

TREADS = ("tread_time", "tread_width", "tread_landing", "tread_hips", "tread_centre", "tread_hold", "tread_hurry",
          "tread_firm", "tread_lift", "tread_yaw", "tread_lean", "tread_push", "tread_climb")  # fmt: skip
LEGS = ("step_hold", "step_course", "step_yaw", "hip_damping", "hip_stiffness", "knee_stiffness", "knee_damping",
        "knee_swing_stiffness", "ankle_swing_stiffness", "trunk_stiffness", "trunk_damping")  # fmt: skip
WIDER = {"tread_lean": (-0.25, 0.25), "tread_centre": (-0.05, 0.08), "tread_push": (-0.05, 0.08),
         "tread_hips": (0.74, 0.85), "tread_time": (0.4, 0.9)}  # fmt: skip
SECONDS, STARTS, POPULATION, FIRST_SEED = 13.0, 6, 16, 100  # [s], of each candidate, candidates, of the starts
SLOW, UPRIGHT, LEVEL = 0.9, 0.2, 0.1  # [m/s], [rad], [rad] beyond which it costs


@dataclass(frozen=True)
class Space:
    """What is varied, as numbers of about one."""

    start: TunedWalk
    down: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Of the numbers: up, those alone that serve treads alone."""
        return (*TREADS, *LEGS) if self.down else TREADS

    def walk(self, x: np.ndarray, found: str = "") -> TunedWalk:
        """The walk of a point."""
        gait, more = asdict(self.start.gait), dict(self.start.by_descent)
        for value, name in zip(x, self.names):
            scale, low, high = SCALES[name]
            low, high = WIDER.get(name, (low, high))
            own = gait[name] + (more.get(name, 0.0) if self.down else 0.0) + scale * float(value)
            change = min(max(own, low), high) - gait[name]
            if self.down:
                more[name] = change
            else:
                gait[name] += change
                more[name] = more.get(name, 0.0) - change
        return replace(self.start, gait=StrideGait(**gait), by_descent=more, found=found)


def evaluate(walks: Sequence[TunedWalk], flight: Flight, seed: int, starts: int = STARTS) -> tuple[np.ndarray, float]:
    """The cost of each walk, and the share of all that stand at the end."""
    made = climbs(flight, starts, seed, walks=walks, seconds=SECONDS, looks=not flight.down)
    costs = np.array([cost_of(made, world) for world in range(len(made.soles))]).reshape(len(walks), starts)
    return costs.mean(1), float(made.stand.mean())


def cost_of(made: Climbs, world: int) -> float:
    """Way that is left, a fall, a body that leans, turns or is thrown ahead; soles in edges."""
    record = made.record
    fell = float(record.log.fallen[world])
    seen = record.seen[record.time < min(fell, SECONDS) - 0.25, world]
    gone = (seen[:, 0, 0].max(initial=-0.3) + 0.3) / (made.flight.last + 0.9)
    cost = 4.0 * (1.0 - min(gone, 1.0)) + (2.0 - fell / SECONDS if np.isfinite(fell) else 0.0)
    if len(seen):
        roll, pitch, yaw = np.abs(seen[:, 7]).max(0)
        cost += 0.5 * max(pitch - UPRIGHT, 0.0) / 0.2 + 0.5 * max(roll - LEVEL, 0.0) / 0.2 + 0.6 * float(yaw)
        cost += 0.5 * max(float(seen[:, 1, 0].max()) - SLOW, 0.0) / 0.4
    if np.isinf(fell) and not made.stand[world]:
        cost += 1.0 - 0.5 * float(made.arrive[world])
    return cost + 20.0 * max(float(made.soles[world]) - 0.015, 0.0)


def search(
    way: str,
    start: TunedWalk,
    out: Path,
    *,
    seed: int = 3,
    sigma: float = 0.5,
    minutes: float = 25.0,
    generations: int = 10**6,
) -> TunedWalk:
    """Searches until the time is up; the walk that was found is written to `out` at every generation."""
    import cma

    kept, walk = out.with_name(out.name + ".search"), start
    if kept.exists():
        space, strategy = pickle.loads(kept.read_bytes())
    else:
        space = Space(start, way == "down")
        options = {"popsize": POPULATION, "seed": seed, "verbose": -9}
        strategy = cma.CMAEvolutionStrategy(np.zeros(len(space.names)), sigma, options)
    begin = time.monotonic()
    while time.monotonic() - begin < 60.0 * minutes and strategy.countiter < generations:
        points = strategy.ask()
        at = FIRST_SEED + strategy.countiter
        costs, stand = evaluate([space.walk(x) for x in points], Flight(down=space.down), at)
        strategy.tell(points, costs.tolist())
        print(
            f"{strategy.countiter:4d} best {costs.min():6.3f} median {np.median(costs):6.3f} stand {stand:.2f}",
            flush=True,
        )
        told = f"{space.start.found}; gait.stairs_search {way} --seed {seed} --sigma {sigma:g}"
        told += f" --generations {strategy.countiter}"
        walk = space.walk(strategy.mean, told.lstrip("; "))
        out.write_text(json.dumps(asdict(walk), indent=1) + "\n", encoding="utf-8")
        kept.write_bytes(pickle.dumps((space, strategy)))
    return walk


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="gambol.experiments.gait.stairs_search", description=__doc__)
    parser.add_argument("way", choices=("down", "up"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--walk", type=Path, help="where to begin; default: the walk that comes with the model")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--sigma", type=float, default=0.5)
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--generations", type=int, default=10**6)
    given = vars(parser.parse_args(arguments))
    path = given.pop("walk")
    search(given.pop("way"), read_walk(path) if path else tuned_walk(), given.pop("out"), **given)


if __name__ == "__main__":
    main()
