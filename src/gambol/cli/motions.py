"""The command that takes measured motion, and its options."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the result here, as JSON.")]


def follow(
    motion: Annotated[Path, typer.Argument(metavar="MOTION", help="Motion: .csv, .c3d, .trc, .mot, .sto or .bvh.")],
    figure: Annotated[
        str, typer.Argument(metavar="FIGURE", help="A figure file, or person (38 joint coordinates), person90.")
    ] = "person",
    by: Annotated[
        str,
        typer.Option(metavar="LAW", help="torque (computed torque), springs, or none: only fit and say the forces."),
    ] = "torque",
    root: Annotated[
        str, typer.Option(metavar="HOW", help="Of a free root: held on its path by a force that is told, or free.")
    ] = "held",
    ground: Annotated[
        str | None,
        typer.Option(
            metavar="HEIGHT",
            help="Ground at a height \\[m], under (the lowest point of the motion), none, or bearing: soft, and as "
            "high as carries the motion.",
        ),
    ] = None,
    places: Annotated[
        Path | None, typer.Option("--markers", metavar="FILE", help="YAML: NAME: {body: BODY, at: \\[x, y, z]} \\[m].")
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="COLUMN=COORDINATE", help="What a column is here. May be repeated."),
    ] = None,
    size: Annotated[bool, typer.Option("--size", help="Give the figure the segment lengths of the markers.")] = False,
    mass: Annotated[float | None, typer.Option(metavar="KG", help="With --size: mass of the person \\[kg].")] = None,
    cutoff: Annotated[
        float | None, typer.Option(metavar="HZ", help="Low-pass filter [Hz]; 0: none. By default 6 for markers.")
    ] = None,
    frequency: Annotated[
        float | None,
        typer.Option(metavar="HZ", help="How promptly errors are corrected; by default 8, or 4 by springs."),
    ] = None,
    start: Annotated[
        float | None, typer.Option("--from", metavar="T", help="Begin at this time of the motion \\[s].")
    ] = None,
    end: Annotated[
        float | None, typer.Option("--to", metavar="T", help="End at this time of the motion \\[s].")
    ] = None,
    up: Annotated[str | None, typer.Option(metavar="AXIS", help="z or y: which axis of the markers is up.")] = None,
    rate: Annotated[float | None, typer.Option(metavar="HZ", help="Frames a second of a CSV without times.")] = None,
    scale: Annotated[float, typer.Option(help="Of lengths in BVH: 100 for centimetres.")] = 1.0,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for results; by default gambol-out/MOTION.")
    ] = None,
    json: Json = None,
) -> None:
    """Let a figure follow a measured motion, and say what forces it takes.

    Markers are fitted by inverse kinematics (residuals.png, residuals.csv); joint coordinates are taken as they are.
    Writes positions.csv, forces.csv and forces.png (inverse dynamics, and what the world must give to a free root), and
    the run that follows the motion as NAME.gambol, for gambol view, plot and export.

    For example: [bold]gambol follow walk.c3d person --size --ground under[/]
    """
    from gambol.cli.follow import Request
    from gambol.cli.follow import follow as act

    for name, value in (("--mass", mass), ("--frequency", frequency), ("--rate", rate), ("--scale", scale)):
        if value is not None and not value > 0:
            raise typer.BadParameter(f"must be positive, it is {value:g}", param_hint=name)
    if cutoff is not None and cutoff < 0:
        raise typer.BadParameter(f"must not be negative, it is {cutoff:g}", param_hint="--cutoff")
    named = {}
    for pair in names or ():
        column, given, coordinate = pair.partition("=")
        if not given or not column or not coordinate:
            raise typer.BadParameter(f"takes COLUMN=COORDINATE, not {pair!r}", param_hint="--name")
        named[column] = coordinate
    act(
        Request(
            motion, figure, by, root, ground, places, named, size, mass, cutoff, frequency,
            (start, end), up, rate, scale, out, json,
        )
    )  # fmt: skip


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(follow)
