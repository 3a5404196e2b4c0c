"""`gambol sweep`, `gambol optimise`, `gambol sensitivity`: one target at many parameters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from gambol import StudyError
from gambol.cli import console
from gambol.errors import nearest
from gambol.experiments.registry import find_experiment
from gambol.study import Target, grid, replicated, samples
from gambol.study import optimise as search
from gambol.study.journal import FAILED, OK, TABLE_FILE, done_points, point_key
from gambol.study.points import Point, Range, parse_axis, parse_range
from gambol.study.quantities import quantity, units_of, with_unit
from gambol.study.runner import require_parquet
from gambol.study.runner import sweep as perform
from gambol.study.search import require_cma

SHOWN = 5  # failures that are told in full


@dataclass(frozen=True)
class Where:
    """Where the points run, and where the results go."""

    workers: int
    on: str
    limit: float | None
    batch: int | None
    gpus: float
    out: Path | None
    json: Path | None

    @property
    def options(self) -> dict[str, Any]:
        """For the functions of gambol.study."""
        return dict(workers=self.workers or None, on=self.on, limit=self.limit, batch=self.batch, gpus=self.gpus)

    def folder(self, command: str, target: str) -> Path:
        """As asked for, or named after the target."""
        return self.out or Path("gambol-out") / f"{command}-{target.replace('/', '-').replace(':', '-')}"


@dataclass(frozen=True)
class Request:
    """The options of `gambol sweep`."""

    target: str
    grid: tuple[str, ...]
    sample: tuple[str, ...]
    count: int
    scheme: str
    seed: int
    replicates: int
    axes: tuple[str, ...]
    retry: bool
    where: Where
    findings: tuple[str, ...] = ()


def sweep(request: Request) -> None:
    """Runs the target at every point and says how it went."""
    with console.report_errors(console.USAGE):
        made = points(request)
        target = Target(request.target, find_experiment, request.findings, batched=request.where.batch is not None)
        target.check(set(made[0]))
        require_parquet()
    folder = request.where.folder("sweep", request.target)
    done = 0
    with console.report_errors():
        with console.progress_bar(f"sweeping {request.target}", len(made)) as (bar, task):

            def update(so_far: int, total: int) -> None:
                nonlocal done
                done = so_far
                bar.update(task, completed=so_far, total=total)

            try:
                table = perform(target, made, folder, retry=request.retry, progress=update, **request.where.options)
            except KeyboardInterrupt:
                console.stop_interrupted(f"{done} of {len(made)} points are kept; the same command goes on from here")
        summary = print_summary(table, made, folder, request.target, request.axes)
        _say_idle_units(target, table)
        if request.where.json:
            console.write_json(summary, request.where.json)
    if summary["done"] < len(made):
        raise typer.Exit(console.FAULT)


def points(request: Request) -> list[Point]:
    """The grid, the samples, or samples at every point of the grid; each as often as there are replicates."""
    if not request.grid and not request.sample:
        raise StudyError("say what to vary: --grid NAME=1,2,3 or --sample NAME=LOW:HIGH")
    axes = _once(map(parse_axis, request.grid))
    ranges = _once(map(parse_range, request.sample))
    if both := sorted(set(axes) & set(ranges)):
        raise StudyError(f"{both[0]!r} is both on the grid and sampled")
    crossed = grid(axes) if axes else [{}]
    drawn = samples(request.count, ranges, seed=request.seed, scheme=request.scheme) if ranges else [{}]
    made = list({point_key(p): p for p in ({**a, **b} for a in crossed for b in drawn)}.values())
    return replicated(made, request.replicates, seed=request.seed) if request.replicates > 1 else made


def _once(given: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """By name, each of which may be given once."""
    found: dict[str, Any] = {}
    for name, value in given:
        if name in found:
            raise StudyError(f"{name!r} is given twice")
        found[name] = value
    return found


def print_summary(
    table: Any, made: list[Point], folder: Path, title: str = "", axes: Sequence[str] = ()
) -> dict[str, Any]:
    """How many points ran, the first that failed, the files; the same for programs."""
    from gambol.study.pictures import draw_results, write_report

    pictures = draw_results(table, list(made[0]), folder, axes=axes) if len(table) else []
    failed = table[table["outcome"] == FAILED] if len(table) else table
    kept = done_points(folder)
    done = sum(point_key(point) in kept for point in made)
    more = f"; the folder has {len(kept) - done} others" if len(kept) > done else ""
    console.plain(f"{done} of {len(made)} points, {len(failed)} failed{more}")
    for _, row in failed.head(SHOWN).iterrows():
        where = ", ".join(f"{name}={row[name]}" for name in made[0])
        console.err.print(f"  {where}: {row['message']}".translate(console.HARMLESS), soft_wrap=True)
    if len(failed) > SHOWN:
        console.err.print(f"  and {len(failed) - SHOWN} more; they are rows of the table")
    facts: dict[str, Any] = {"points": len(made), "done": done, "failed": len(failed)}
    facts |= {"parameters": ", ".join(with_unit(name, units_of(table)) for name in made[0])}
    report = write_report(folder / "report.html", title or "sweep", facts, table, pictures)
    for path in (folder / TABLE_FILE, *pictures, report):
        console.plain(f"  {path}")
    return {
        "points": len(made),
        "done": done,
        "failed": len(failed),
        "units": units_of(table),
        "table": str(folder / TABLE_FILE),
        "pictures": [str(path) for path in pictures],
        "report": str(report),
    }


def _say_idle_units(target: Target, table: Any) -> None:
    """Names the units of a function that no column has: its name is misspelt, or nothing of that name was returned."""
    if ":" not in target.name or OK not in set(table.get("outcome", ())):
        return
    for name in target.units():
        if name not in table:
            hint = nearest(name, table.columns)
            console.err.print(f"  a unit is declared of {name!r}, which no column is called{hint}", markup=False)


# ---------------------------------------------------------------- search
@dataclass(frozen=True)
class SearchRequest:
    """The options of `gambol optimise`."""

    target: str
    parameters: tuple[str, ...]
    objectives: tuple[str, ...]
    constraints: tuple[str, ...]
    budget: int
    replicates: int
    restarts: str
    seed: int
    where: Where


def _ranges(texts: Sequence[str]) -> dict[str, Range]:
    if not texts:
        raise StudyError("say what to vary: --parameter NAME=LOW:HIGH")
    return _once(map(parse_range, texts))


def optimise(request: SearchRequest) -> None:
    """Searches, and says what was found."""
    from gambol.study.pictures import draw_search, write_report

    with console.report_errors(console.USAGE):
        ranges = _ranges(request.parameters)
        wanted = _once(map(_objective, request.objectives)) or {"value": "min"}
        target = Target(request.target, find_experiment, batched=request.where.batch is not None)
        target.check(set(ranges))
        require_parquet()
        require_cma()
    folder = request.where.folder("optimise", request.target)
    with console.report_errors():
        with console.progress_bar(f"optimising {request.target}", request.budget) as (bar, task):

            def update(done: int, budget: int, best: float | None) -> None:
                words = f"optimising {request.target}" + ("" if best is None else f", best {best:.6g}")
                bar.update(task, completed=min(done, budget), total=budget, description=words)

            try:
                found = search(
                    target,
                    ranges,
                    folder,
                    budget=request.budget,
                    objectives=wanted,
                    constraints=request.constraints,
                    replicates=request.replicates,
                    restarts=request.restarts,
                    seed=request.seed,
                    progress=update,
                    **request.where.options,
                )
            except KeyboardInterrupt:
                console.stop_interrupted("the same command goes on from here")
        pictures, units = draw_search(found, folder), units_of(found.table)
        best = [f"{name} = {quantity(name, value, units)}" for name, value in found.values.items()]
        at = ", ".join(f"{name}={quantity(name, value, units)}" for name, value in found.point.items())
        for line in (*best, f"at {at}"):
            console.plain(line)
        _say_idle_units(target, found.table)
        facts = {"target": request.target, "evaluations": len(found.evaluations), "best": ", ".join(best)}
        facts |= {"at": at, "objectives": wanted, "constraints": ", ".join(request.constraints) or "none"}
        report = write_report(folder / "report.html", f"optimise {request.target}", facts, found.table, pictures)
        for path in (folder / TABLE_FILE, *pictures, report):
            console.plain(f"  {path}")
        summary = {"best": found.values, "at": found.point, "units": units, "evaluations": len(found.evaluations)}
        summary |= {"front": [{"at": e.point, **e.values} for e in found.front], "report": str(report)}
        console.write_json(summary, folder / "optimum.json")
        if request.where.json:
            console.write_json(summary, request.where.json)


def _objective(text: str) -> tuple[str, str]:
    name, _, way = text.rpartition(":")
    if not name:
        name, way = text, "min"
    if way not in ("min", "max"):
        raise StudyError(f"an objective is written NAME:min or NAME:max, not {text!r}")
    return name, way


# ---------------------------------------------------------------- what matters
def sensitivity(target: str, parameters: Sequence[str], method: str, count: int, result: str, where: Where) -> None:
    """Says how much each parameter matters."""
    from gambol.study.effects import sensitivity as analyse
    from gambol.study.pictures import headings

    with console.report_errors(console.USAGE):
        ranges = _ranges(parameters)
        made = Target(target, find_experiment, batched=where.batch is not None)
        made.check(set(ranges))
        require_parquet()
    folder = where.folder("sensitivity", target)
    with console.report_errors():
        with console.progress_bar(f"running {target}", count) as (bar, task):
            update = lambda done, total: bar.update(task, completed=done, total=total)
            try:
                table = analyse(
                    made,
                    ranges,
                    folder,
                    method=method,
                    count=count,
                    result=result or None,
                    progress=update,
                    **where.options,
                )
            except KeyboardInterrupt:
                console.stop_interrupted("the same command goes on from here")
        for line in (
            table.rename(columns=headings(table)).to_string(index=False, float_format=lambda x: f"{x:.3f}").splitlines()
        ):
            console.plain(line)
        console.plain(f"  {folder / 'sensitivity.csv'}")
        if where.json:
            console.write_json(table.to_dict("records"), where.json)
