"""The commands that run one target at many parameters, and their options."""

from pathlib import Path
from typing import Annotated

import typer

from gambol.cli import completion

TargetName = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="An experiment's id, package.module:function or file.py:function.",
        autocompletion=completion.targets,
    ),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option("--parameter", metavar="NAME=LOW:HIGH", help="A range; LOW:HIGH:int for whole numbers. Repeatable."),
]
Workers = Annotated[int, typer.Option(min=0, help="Processes; 0: as many as there are cores.")]
On = Annotated[str, typer.Option("--on", metavar="PLACE", help="processes, ray, or ray://HOST:PORT (a cluster).")]
Limit = Annotated[float | None, typer.Option(metavar="S", help="Seconds that a point may take.")]
Batch = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="The target takes arrays: so many points in a call.")
]
Gpus = Annotated[float, typer.Option(min=0.0, metavar="N", help="GPUs of each job on a cluster; 0.5: two share one.")]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Folder; by default gambol-out/COMMAND-TARGET.")]
Seed = Annotated[int, typer.Option(help="Of what is drawn.")]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the result here, as JSON.")]


def sweep(
    target: TargetName,
    grid: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUES", help="An axis: 1,2,3 or FROM:TO:COUNT. May be repeated.")
    ] = None,
    sample: Annotated[
        list[str] | None, typer.Option(metavar="NAME=LOW:HIGH", help="A range to sample from. May be repeated.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="How many samples.")] = 64,
    scheme: Annotated[str, typer.Option(help="How to sample: latin, sobol or random.")] = "latin",
    seed: Seed = 0,
    replicates: Annotated[int, typer.Option(min=1, help="Runs of each point, each with its own `seed`.")] = 1,
    axis: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A parameter to draw results over. May be repeated.")
    ] = None,
    workers: Workers = 0,
    on: On = "processes",
    limit: Limit = None,
    batch: Batch = None,
    gpus: Gpus = 0.0,
    out: Out = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run again what failed before.")] = False,
    finding: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Keep this finding of an experiment only. May be repeated.")
    ] = None,
    json: Json = None,
) -> None:
    """Run an experiment or a function at many parameters, on all cores or a cluster.

    Writes table.parquet (a row for every point: parameters, results, outcome), a picture of every result and a page
    with all of it. Ctrl-C keeps what was computed, and the same command goes on from there. Points that fail are rows.

    For example: [bold]gambol sweep finger-taps --grid step=0.0025,0.005,0.01 --grid ratio=1,2,4[/]
    """
    from gambol.cli.sweep import Request, Where
    from gambol.cli.sweep import sweep as act

    where = Where(workers, on, limit, batch, gpus, out, json)
    axes = tuple(axis or ())
    drawn, given = tuple(sample or ()), tuple(grid or ())
    kept = tuple(finding or ())
    act(Request(target, given, drawn, count, scheme, seed, replicates, axes, retry, where, kept))


def optimise(
    target: TargetName,
    parameter: Ranges = None,
    objective: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME:min", help="A result to make small (or :max, large). Several: a front."),
    ] = None,
    constraint: Annotated[
        list[str] | None, typer.Option(metavar="'NAME<=NUMBER'", help="Of a result; also >=. May be repeated.")
    ] = None,
    budget: Annotated[int, typer.Option(min=1, help="Evaluations.")] = 200,
    replicates: Annotated[int, typer.Option(min=1, help="Runs of each candidate; their mean counts.")] = 1,
    restarts: Annotated[str, typer.Option(help="Where to begin again: sobol or random.")] = "sobol",
    seed: Seed = 0,
    workers: Workers = 0,
    on: On = "processes",
    limit: Limit = None,
    batch: Batch = None,
    gpus: Gpus = 0.0,
    out: Out = None,
    json: Json = None,
) -> None:
    """Search for the parameters at which a function is best, by CMA-ES.

    Writes every evaluation as a table, pictures of the convergence and of the landscape around the optimum, and a
    page with all of it. The same command goes on where it was interrupted, to the bit.

    For example: [bold]gambol optimise walker.py:speed --parameter often=0.5:2.5 --objective speed:max --budget 400[/]
    """
    from gambol.cli.sweep import SearchRequest, Where
    from gambol.cli.sweep import optimise as act

    where = Where(workers, on, limit, batch, gpus, out, json)
    ranges, wanted, limits = (tuple(given or ()) for given in (parameter, objective, constraint))
    act(SearchRequest(target, ranges, wanted, limits, budget, replicates, restarts, seed, where))


def sensitivity(
    target: TargetName,
    parameter: Ranges = None,
    method: Annotated[str, typer.Option(help="sobol or morris.")] = "sobol",
    count: Annotated[int, typer.Option(min=2, help="Base samples; for sobol a power of two.")] = 64,
    result: Annotated[str, typer.Option(help="Which result; by default the first number.")] = "",
    workers: Workers = 0,
    on: On = "processes",
    limit: Limit = None,
    batch: Batch = None,
    gpus: Gpus = 0.0,
    out: Out = None,
    json: Json = None,
) -> None:
    """Say which parameters matter: Sobol indices, or Morris' elementary effects.

    For example: [bold]gambol sensitivity walker.py:speed --parameter often=0.5:2.5 --parameter far=0:0.8[/]
    """
    from gambol.cli.sweep import Where
    from gambol.cli.sweep import sensitivity as act

    act(target, tuple(parameter or ()), method, count, result, Where(workers, on, limit, batch, gpus, out, json))


def register(app: typer.Typer) -> None:
    """Adds them to the commands."""
    for command in (sweep, optimise, sensitivity):
        app.command()(command)
