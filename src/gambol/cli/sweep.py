"""`gambol sweep`: one target over many parameters."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from gambol import StudyError
from gambol.cli import console
from gambol.experiments.registry import find_experiment
from gambol.study import Target, grid, read_table, samples
from gambol.study.journal import FAILED, TABLE_FILE
from gambol.study.points import Point, parse_axis, parse_range
from gambol.study.runner import require_parquet
from gambol.study.runner import sweep as perform

SHOWN = 5  # failures that are told in full


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    target: str
    grid: tuple[str, ...]
    sample: tuple[str, ...]
    count: int
    scheme: str
    seed: int
    workers: int
    out: Path | None
    retry: bool
    json: Path | None
    findings: tuple[str, ...] = ()


def sweep(request: Request) -> None:
    """Runs the target at every point and says how it went."""
    with console.report_errors(console.USAGE):
        made = points(request)
        target = Target(request.target, find_experiment, request.findings)
        target.check(set(made[0]))
        require_parquet()
    folder = request.out or Path("gambol-out") / f"sweep-{request.target.replace('/', '-').replace(':', '-')}"
    interrupted = False
    with console.report_errors():
        with console.progress_bar(f"sweeping {request.target}", len(made)) as (bar, task):
            update = lambda done, total: bar.update(task, completed=done, total=total)
            try:
                table = perform(
                    target, made, folder, workers=request.workers or None, retry=request.retry, progress=update
                )
            except KeyboardInterrupt:
                interrupted, table = True, read_table(folder)
        summary = print_summary(table, made, folder)
        if request.json:
            console.write_json(summary, request.json)
    if interrupted:
        console.stop_interrupted("the same command goes on from here")
    if len(table) < len(made):
        raise typer.Exit(console.FAULT)


def points(request: Request) -> list[Point]:
    """The grid, the samples, or samples at every point of the grid."""
    if not request.grid and not request.sample:
        raise StudyError("say what to vary: --grid NAME=1,2,3 or --sample NAME=LOW:HIGH")
    axes = dict(parse_axis(text) for text in request.grid)
    ranges = dict(parse_range(text) for text in request.sample)
    if both := sorted(set(axes) & set(ranges)):
        raise StudyError(f"{both[0]!r} is both on the grid and sampled")
    crossed = grid(**axes) if axes else [{}]
    drawn = samples(request.count, seed=request.seed, scheme=request.scheme, **ranges) if ranges else [{}]
    return [{**a, **b} for a in crossed for b in drawn]


def print_summary(table: Any, made: list[Point], folder: Path) -> dict[str, Any]:
    """How many points ran, the first that failed, the files; the same for programs."""
    from gambol.study.pictures import draw_results

    pictures = draw_results(table, list(made[0]), folder) if len(table) else []
    failed = table[table["outcome"] == FAILED] if len(table) else table
    console.plain(f"{len(table)} of {len(made)} points, {len(failed)} failed")
    for _, row in failed.head(SHOWN).iterrows():
        where = ", ".join(f"{name}={row[name]}" for name in made[0])
        console.err.print(f"  {where}: {row['message']}", soft_wrap=True)
    if len(failed) > SHOWN:
        console.err.print(f"  and {len(failed) - SHOWN} more; they are rows of the table")
    for path in (folder / TABLE_FILE, *pictures):
        console.plain(f"  {path}")
    return {
        "points": len(made),
        "done": len(table),
        "failed": len(failed),
        "table": str(folder / TABLE_FILE),
        "pictures": [str(path) for path in pictures],
    }
