"""Optimisation: where a target is best, by CMA-ES (the package `cma`, Hansen), journalled and resumable.

    best = optimise("walker.py:speed", {"often": (0.5, 2.5), "far": (0.0, 0.8)}, "gambol-out/walk", budget=400,
                    objectives={"speed": "max"}, constraints=["height >= 0.05"])
    best.point, best.values

Every evaluation is a line of the journal. A search that was interrupted is replayed from it, number by number, and
goes on as it would have gone: to the bit.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import StudyError, nearest
from gambol.study.journal import Journal
from gambol.study.points import Point, Range, checked_range, unit_samples
from gambol.study.runner import Workers, hired, perform, require_parquet
from gambol.study.target import Target
from gambol.study.work import OK, point_key

if TYPE_CHECKING:
    import pandas

DIRECTIONS = {"min": 1.0, "max": -1.0}
FIRST_SPREAD = 0.3  # of the ranges
SCOUTS = 16  # evaluations that say how large each of several objectives is
COMPARISONS = {"<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True)
class Evaluation:
    """A candidate: its parameters, mean results over replicates, and by how much it breaks the constraints."""

    point: Point
    values: dict[str, float]
    broken: float
    restart: int

    @property
    def feasible(self) -> bool:
        """Does it meet every constraint, and has it results at all?"""
        return self.broken == 0.0


@dataclass(frozen=True)
class Optimum:
    """What a search has found.

    point, values   the best candidate that meets the constraints (of several objectives: the first of the front)
    evaluations     every candidate, in the order of the search
    front           of several objectives: those that no other beats in all of them
    table           every evaluation as a DataFrame
    """

    point: Point
    values: dict[str, float]
    evaluations: list[Evaluation]
    front: list[Evaluation]
    table: pandas.DataFrame
    objectives: dict[str, str]
    ranges: dict[str, Range]


@dataclass
class Search:
    """A search under way."""

    target: Target
    ranges: dict[str, Range]
    objectives: dict[str, str]
    constraints: list[tuple[str, str, float]]
    journal: Journal
    crew: Workers
    budget: int
    replicates: int
    seed: int
    batch: int | None
    limit: float | None
    progress: Callable[[int, int, float | None], None]
    found: list[Evaluation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows = self.journal.rows()

    # ------------------------------------------------------------ candidates
    def point(self, unit: np.ndarray) -> Point:
        """The parameters at a place of the unit cube."""
        clipped = np.clip(unit, 0.0, 1.0)
        return {name: own.value(float(x)) for (name, own), x in zip(self.ranges.items(), clipped)}

    def evaluate(self, points: Sequence[Point], restart: int) -> list[Evaluation]:
        """Runs what is not in the journal; of noisy targets the mean over replicates counts."""
        runs = [[self._seeded(point, k) for k in range(self.replicates)] for point in points]
        wanted = {point_key(run): run for own in runs for run in own}
        for _ in perform(
            self.crew,
            self.target,
            [run for key, run in wanted.items() if key not in self.rows],
            self.journal,
            batch=self.batch,
            limit=self.limit,
        ):
            self.progress(len(self.found), self.budget, self.best_value())
        if any(key not in self.rows for key in wanted):
            self.rows = self.journal.rows()
        made = [
            self._judged(point, [self.rows[point_key(r)] for r in own], restart) for point, own in zip(points, runs)
        ]
        self.found += made
        self.progress(len(self.found), self.budget, self.best_value())
        return made

    def _seeded(self, point: Point, k: int) -> Point:
        return {**point, "seed": self.seed + k} if self.replicates > 1 else point

    def _judged(self, point: Point, rows: list[dict[str, Any]], restart: int) -> Evaluation:
        good = [row["values"] for row in rows if row["outcome"] == OK]
        needed = {*self.objectives, *(name for name, _, _ in self.constraints)}
        for values in good[:1]:
            if missing := sorted(needed - values.keys()):
                raise StudyError(f"{self.target.name} gives no {missing[0]!r}{nearest(missing[0], values)}")
        usable = [v for v in good if all(isinstance(v[name], int | float) for name in needed)]
        if len(usable) < len(rows):
            return Evaluation(point, {}, np.inf, restart)
        values = {name: float(np.mean([v[name] for v in usable])) for name in sorted(needed)}
        broken = 0.0
        for name, sign, bound in self.constraints:
            if not COMPARISONS[sign](values[name], bound):
                broken += abs(values[name] - bound) / max(abs(bound), 1.0)
        return Evaluation(point, values, broken, restart)

    # ------------------------------------------------------------ what is best
    def cost(self, one: Evaluation, objective: str) -> float:
        """To be made small."""
        return DIRECTIONS[self.objectives[objective]] * one.values[objective]

    def best(self) -> Evaluation | None:
        """The best so far by the first objective, of those that meet the constraints."""
        first = next(iter(self.objectives))
        return min((e for e in self.found if e.feasible), key=lambda e: self.cost(e, first), default=None)

    def best_value(self) -> float | None:
        """Of the first objective."""
        best = self.best()
        return None if best is None else best.values[next(iter(self.objectives))]

    def front(self) -> list[Evaluation]:
        """Candidates that no other beats in every objective, each once."""
        good = list({point_key(e.point): e for e in self.found if e.feasible}.values())
        costs = np.array([[self.cost(e, name) for name in self.objectives] for e in good]).reshape(len(good), -1)
        kept = []
        for k, own in enumerate(costs):
            better = np.all(costs <= own, axis=1) & np.any(costs < own, axis=1)
            if not better.any():
                kept.append(good[k])
        return sorted(kept, key=lambda e: self.cost(e, next(iter(self.objectives))))

    # ------------------------------------------------------------ searching
    def descend(self, cost: Callable[[Evaluation], float], budget: int, restart: int, start: np.ndarray) -> None:
        """One run of CMA-ES from a place of the unit cube, until it has converged or the budget is spent."""
        import cma

        axes = max(len(self.ranges), 2)  # of one parameter: a second that means nothing
        random = np.random.RandomState(self.seed + 1 + restart)
        first = np.concatenate([start, np.full(axes - len(start), 0.5)])
        options = {"bounds": [0, 1], "randn": random.randn, "seed": np.nan, "verbose": -9, "verb_log": 0}
        options |= {"maxfevals": budget}
        if self.batch:
            options["popsize"] = self.batch
        search = cma.CMAEvolutionStrategy(first, FIRST_SPREAD, options)
        spent = 0
        while not search.stop() and spent < budget:
            asked = search.ask()
            made = self.evaluate([self.point(x[: len(self.ranges)]) for x in asked], restart)
            search.tell(asked, _ranked(made, cost))
            spent += len(asked)


def _ranked(made: Sequence[Evaluation], cost: Callable[[Evaluation], float]) -> list[float]:
    """Costs; those that break constraints come after all that do not, those without results last."""
    costs = [cost(e) if e.feasible else np.nan for e in made]
    worst = np.nanmax(costs) if not np.all(np.isnan(costs)) else 0.0
    span = max(abs(worst), 1.0)
    return [c if e.feasible else worst + span * (1.0 + min(e.broken, 1e6)) for c, e in zip(costs, made)]


def optimise(
    target: str | Target,
    parameters: Mapping[str, Sequence[Any]],
    folder: str | Path,
    *,
    budget: int,
    objectives: Mapping[str, str] | None = None,
    constraints: Sequence[str] = (),
    replicates: int = 1,
    start: Mapping[str, float] | None = None,
    restarts: str = "sobol",
    directions: int = 8,
    seed: int = 0,
    workers: int | None = None,
    on: str = "processes",
    batch: int | None = None,
    limit: float | None = None,
    gpus: float = 0.0,
    progress: Callable[[int, int, float | None], None] = lambda done, budget, best: None,
) -> Optimum:
    """Searches for the parameters at which a target is best. The same call goes on where it was interrupted.

    parameters    ranges (low, high) by name; (1, 9, True): whole numbers
    budget        evaluations in all (each of `replicates` runs)
    objectives    {"name of a result": "min" or "max"}; by default the value, made small. Several: a front is
                  searched for, by as many runs as there are `directions`, each of which weighs them otherwise
    constraints   "name <= number" or "name >= number", of results
    replicates    runs of each candidate with other seeds (the target takes `seed`); their mean counts
    start         where to begin; else in the middle. When a run has converged the next begins elsewhere: at the
                  points of a "sobol" sequence, or at "random" ones
    batch         of a batched target: candidates in a generation, all of which one call evaluates
    workers, on, limit, gpus   as of `sweep`
    progress      is told how many evaluations are done, of how many, and the best value so far
    """
    require_parquet()
    require_cma()
    target = Target(target) if isinstance(target, str) else target
    ranges = {name: checked_range(name, given) for name, given in parameters.items()}
    if not ranges:
        raise StudyError("say what to search: a range for at least one parameter")
    wanted = dict(objectives or {"value": "min"})
    if wrong := [way for way in wanted.values() if way not in DIRECTIONS]:
        raise StudyError(f"an objective is made min or max, not {wrong[0]!r}")
    if budget < 1 or replicates < 1:
        raise StudyError("budget and replicates must be at least 1")
    if restarts not in ("sobol", "random"):
        raise StudyError(f"restarts are at sobol or random points, not {restarts!r}")
    target.check({*ranges, *(("seed",) if replicates > 1 else ())})
    limits = [parse_constraint(text) for text in constraints]
    head: dict[str, Any] = {
        "target": target.name,
        "parameters": list(ranges),
        "ranges": {name: list(own) for name, own in ranges.items()},
        "objectives": wanted,
        "constraints": list(constraints),
        "search": [seed, replicates, dict(start or {}), restarts, directions, batch],
    }
    journal = Journal(Path(folder), head, target.units())
    try:
        hands = 1 if target.batched else workers
        with journal.tabled(), hired(target, Path(folder), workers=hands, on=on, limit=limit, gpus=gpus) as crew:
            search = Search(
                target, ranges, wanted, limits, journal, crew, budget, replicates, seed, batch, limit, progress
            )
            _search(search, start, restarts, directions)
        table = journal.table()
        journal.write(table)
    finally:
        journal.close()
    best = search.best()
    if best is None:
        raise StudyError(f"none of {len(search.found)} candidates has results that meet the constraints: see {folder}")
    front = search.front() if len(wanted) > 1 else []
    return Optimum(best.point, best.values, search.found, front, table, wanted, ranges)


def _search(search: Search, start: Mapping[str, float] | None, restarts: str, directions: int) -> None:
    places = _places(search, start, restarts)
    if len(search.objectives) == 1:
        (only,) = search.objectives
        restart = 0
        while len(search.found) < search.budget:
            before = len(search.found)
            search.descend(lambda e: search.cost(e, only), search.budget - before, restart, next(places))
            restart += 1
        return
    scouts = unit_samples(min(SCOUTS, search.budget), len(search.ranges), seed=search.seed, scheme="sobol")
    good = [e for e in search.evaluate([search.point(x) for x in scouts], 0) if e.feasible]
    names = list(search.objectives)
    costs = np.array([[search.cost(e, name) for name in names] for e in good]).reshape(-1, len(names))
    low = costs.min(axis=0) if len(costs) else np.zeros(len(names))
    usual = np.percentile(costs, 75.0, axis=0) if len(costs) else np.ones(len(names))  # not the worst: it may be any
    span = np.maximum(usual - low, 1e-12)
    for k, weights in enumerate(_weights(directions, len(names), search.seed)):
        left = (search.budget - len(search.found)) // (directions - k)
        if left < 1:
            break

        def weighed(e: Evaluation, weights: np.ndarray = weights) -> float:
            parts = weights * (np.array([search.cost(e, name) for name in names]) - low) / span
            return float(parts.max() + 0.05 * parts.sum())

        search.descend(weighed, left, k, next(places))


def _weights(count: int, objectives: int, seed: int) -> np.ndarray:
    """Directions over the objectives, evenly spread."""
    if objectives == 2:
        share = np.linspace(0.05, 0.95, count)
        return np.column_stack([share, 1.0 - share])
    drawn = -np.log(np.clip(unit_samples(count, objectives, seed=seed, scheme="sobol"), 1e-9, 1.0))
    return drawn / drawn.sum(axis=1, keepdims=True)


def _places(search: Search, start: Mapping[str, float] | None, restarts: str) -> Iterator[np.ndarray]:
    if start and (unknown := sorted(set(start) - set(search.ranges))):
        raise StudyError(f"there is no parameter {unknown[0]!r} to start at{nearest(unknown[0], search.ranges)}")
    begin = [own.share(start[n]) if start and n in start else 0.5 for n, own in search.ranges.items()]
    yield np.clip(begin, 0.0, 1.0)
    count = 1
    while True:
        yield unit_samples(count, len(search.ranges), seed=search.seed, scheme=restarts)[-1]
        count += 1


def parse_constraint(text: str) -> tuple[str, str, float]:
    """`torque <= 3` as a name, a comparison and a number."""
    found = re.fullmatch(r"\s*(.+?)\s*(<=|>=)\s*(\S+)\s*", text)
    try:
        if not found:
            raise ValueError
        return found.group(1), found.group(2), float(found.group(3))
    except ValueError:
        raise StudyError(f"a constraint is written 'NAME <= NUMBER' or 'NAME >= NUMBER', not {text!r}") from None


def require_cma() -> None:
    """Said before the work, not after it."""
    try:
        import cma  # noqa: F401
    except ImportError:
        raise StudyError("optimisation is by the package cma: pip install 'gambol[study]'") from None
