"""A search for one hexapod that does all of figures 6 to 10.

What the report leaves open is searched within stated bounds: a quasi-random map of the whole space first, then
continuation, points scattered closer and closer about the best so far. What was measured is kept in a file, so that a
search that was interrupted goes on where it was.
"""

from dataclasses import dataclass, fields

import numpy as np
from scipy.stats import qmc

from gambol.experiments.compliant_hexapod.statements import STATEMENTS, Measured, measure
from gambol.experiments.kept import KeptValues

# Bounds [lowest, highest]; all are factors but for the last two, so they are spread in logarithms.
BOUNDS = {
    "friction": (0.3, 6.0),
    "mobility": (0.01, 1.0),  # [m/s/N]
    "stiffness": (400.0, 3000.0),  # [N/m]; middle legs 4/3 of it, as in the usual set
    "damping": (6.0, 40.0),  # [N·s/m]; middle legs 4/3 of it
    "position_gain": (10.0, 100.0),  # [N·m/rad]
    "speed_gain": (0.3, 1.5),  # [N·m·s/rad]
    "torque_cap": (2.0, 20.0),  # [N·m]
    "cycle": (0.4, 1.0),  # [s] of the clock of fig. 8, which the report does not print
    "sweep": (0.2, 1.1),  # [rad]
}
CYCLES = (0.42, 0.51, 0.6, 0.7, 0.85, 1.0)  # [s] of these the nearest: points of one cycle are run together
USUAL = (0.5, 1.0, 1200.0, 12.0, 24.015, 0.67242, 4.0, 0.7, 0.5)
AT_ONCE = 8  # parameter sets in a batch
KEPT = 8  # best points continued from
SCATTER, SHRINK = 0.12, 0.6  # of the first round, of the range; by how much each is narrower than the one before


@dataclass(frozen=True)
class SpaceMap:
    """Points of the space (in units of its bounds, 0 to 1) and what came of each."""

    points: np.ndarray
    rounds: np.ndarray  # 0: the map; 1, 2, …: continuation
    measured: Measured

    @property
    def best(self) -> int:
        """The point with the best score."""
        return int(np.argmax(self.measured.score))

    def table(self) -> np.ndarray:
        """A row for every point: its round, its parameters, what was measured, how many statements hold."""
        values = [getattr(self.measured, name) for name in STATEMENTS]
        return np.column_stack([self.rounds, numbers_at(self.points), *values, self.measured.holds.sum(axis=1)])


COLUMNS = ("round", *BOUNDS, *STATEMENTS, "hold")


def numbers_at(points: np.ndarray) -> np.ndarray:
    """Parameters at points of the unit cube."""
    low, high = np.log(np.array(list(BOUNDS.values()))).T
    return np.exp(low + np.clip(points, 0.0, 1.0) * (high - low))


def point_of(numbers) -> np.ndarray:
    """The point of the unit cube with these parameters."""
    low, high = np.log(np.array(list(BOUNDS.values()))).T
    return (np.log(numbers) - low) / (high - low)


def as_sets(points: np.ndarray) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Parameters of the robot, and the clocks of fig. 8."""
    sets, clocks = [], []
    for row in numbers_at(points):
        given = dict(zip(BOUNDS, map(float, row)))
        clocks.append({name: given.pop(name) for name in ("cycle", "sweep")})
        clocks[-1]["cycle"] = CYCLES[int(np.argmin(np.abs(np.log(np.array(CYCLES) / clocks[-1]["cycle"]))))]
        given |= {"middle_stiffness": 4 / 3 * given["stiffness"], "middle_damping": 4 / 3 * given["damping"]}
        sets.append(given)
    return sets, clocks


def measure_points(points: np.ndarray, kept: KeptValues) -> Measured:
    """All statements at all points, a batch after the other."""

    def how(batch: np.ndarray) -> np.ndarray:
        some = batch if len(batch) > 1 else np.repeat(batch, 2, axis=0)  # one is no batch
        made = measure(*as_sets(some))
        return np.column_stack([getattr(made, f.name) for f in fields(Measured)])[: len(batch)]

    return Measured(*kept.measure(points, AT_ONCE, how).T)


def joined(parts: list[Measured]) -> Measured:
    """One after the other."""
    return Measured(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Measured)})


def search_space(
    count: int, rounds: int, in_round: int, log=lambda text: None, seed: int = 0, kept: KeptValues | None = None
) -> SpaceMap:
    """The usual set and `count` points of a Sobol sequence, then rounds of continuation from the best."""
    kept = KeptValues() if kept is None else kept
    points = np.vstack([point_of(USUAL), qmc.Sobol(len(BOUNDS), seed=seed).random(count)])
    log(f"a map of {len(points)} parameter sets")
    made = SpaceMap(points, np.zeros(len(points)), measure_points(points, kept))
    rng, spread = np.random.default_rng(seed), SCATTER
    for k in range(rounds):
        held = made.measured.holds[made.best].sum()
        log(f"continuation {k + 1}: the best holds {held} of {len(STATEMENTS)}")
        first = np.argsort(-made.measured.score)[:KEPT]
        near = made.points[rng.choice(first, in_round)] + spread * rng.standard_normal((in_round, len(BOUNDS)))
        near = np.clip(near, 0.0, 1.0)
        new = measure_points(near, kept)
        everything = joined([made.measured, new])
        made = SpaceMap(np.vstack([made.points, near]), np.append(made.rounds, np.full(in_round, k + 1.0)), everything)
        spread *= SHRINK
    return made
