"""`gambol run`: simulates a figure file, writes a table of coordinates and pictures."""

from __future__ import annotations

import csv
import time as clock
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from gambol.cli.check import read
from gambol.cli.console import compiling_is_said, err, out, plain, progress_bar, reported, write_json
from gambol.errors import Fault, StepError, WorldError, nearest

CHUNKS = 50  # pieces a run is made of, for its progress
COORDINATES = {
    "hinge": ("angle [rad]",),
    "slide": ("distance [m]",),
    "screw": ("angle [rad]",),
    "cylindrical": ("distance [m]", "angle [rad]"),
    "universal": ("angle 1 [rad]", "angle 2 [rad]"),
    "planar": ("distance 1 [m]", "distance 2 [m]", "angle [rad]"),
    "ball": ("qw", "qx", "qy", "qz"),
    "free": ("x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz"),
    "fixed": (),
}


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    file: Path
    time: float
    out: Path | None
    every: float
    method: str
    step: float
    start: tuple[str, ...]
    frames: int
    json: Path | None


def run(request: Request) -> None:
    with reported(), compiling_is_said():
        from gambol.stepping.options import Stepping
        from gambol.world.simulation import Simulation

        figure, world, left_out = read(request.file)
        for note in left_out:
            err.print(f"note: {note}", markup=False, soft_wrap=True)
        sim = Simulation(world, stepping=Stepping(method=request.method, step=request.step))
        start = start_positions(sim, request.start)
        sim.reset(start)
        folder = request.out or Path("gambol-out") / figure.name
        began = clock.perf_counter()
        failure, pieces = None, []
        try:
            for piece in marched(sim, request):
                pieces.append(piece)
        except StepError as error:  # what was computed is kept
            failure = error
            pieces.append(error.trajectory)  # type: ignore[attr-defined]
        took = clock.perf_counter() - began
        folder.mkdir(parents=True, exist_ok=True)
        write_table(sim, start, pieces, folder / "positions.csv")
        written = ["positions.csv", *pictures(sim, pieces, folder, request.frames)]
        summary = {
            "figure": figure.name,
            "time_s": float(sim.time),
            "wall_s": took,
            "method": sim.stepping.method,
            **{name: int(value) for name, value in sim.counts.items()},
            "ledger_J": sim.ledger(),
            "files": [str(folder / name) for name in written],
        }
        if request.json:
            write_json(summary, request.json)
        out.print(
            f"[bold]{escape(figure.name)}[/]: {sim.time:.3g} s simulated in {took:.2f} s,"
            f" {summary['steps']} steps of {sim.stepping.method}, {summary['rejected']} tried again",
            soft_wrap=True,
        )
        for name in written:
            plain(f"  {folder / name}")
        if failure:
            raise failure


def start_positions(sim, settings: tuple[str, ...]):
    """Zero positions with those that were set."""
    q = sim.layout.zero.copy()
    for setting in settings:
        name, given, values = setting.partition("=")
        try:
            numbers = [float(value) for value in values.split(",")]
        except ValueError:
            given = ""
        if not given:
            raise WorldError([Fault(f"--set takes BODY=VALUE with numbers, such as elbow=0.5, not {setting!r}")])
        names = [entry.body.name for entry in sim.layout.bodies]
        if name not in names:
            raise WorldError([Fault(f"--set: no body {name!r}{nearest(name, names)}")])
        where = sim.coordinates(name)
        if where.stop - where.start != len(numbers):
            raise WorldError([Fault(f"--set: the joint of {name!r} has {where.stop - where.start} coordinates")])
        q[where] = numbers
    return q


def marched(sim, request: Request) -> Iterator:
    """The run in pieces, with a bar of its progress; the pieces end on samples, so they do not change the motion."""
    samples = max(1, round(request.time / request.every))
    cuts = sorted({round(samples * k / CHUNKS) for k in range(1, CHUNKS + 1)} - {0})
    with progress_bar("simulating", len(cuts)) as (bar, task):
        for cut in cuts:
            last = cut == cuts[-1]
            yield sim.run(until=request.time if last else cut * request.every, every=request.every)
            bar.advance(task)


def write_table(sim, start, pieces: list, file: Path) -> None:
    columns = [
        f"{entry.body.name} {what}" for entry in sim.layout.bodies for what in COORDINATES[entry.body.joint.type]
    ]
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["time [s]", *columns])
        rows = [(0.0, start), *((time, q) for piece in pieces for time, q in zip(piece.time, piece.q))]
        table.writerows([repr(float(time)), *(repr(float(x)) for x in q)] for time, q in rows)


def pictures(sim, pieces: list, folder: Path, frames: int) -> list[str]:
    from gambol.plot import film_strip, plot_trajectory, save
    from gambol.plot.joined import joined

    path = joined(pieces)
    if not len(path):
        return []
    with err.status("drawing"):
        written = ["curves.png"]
        save(plot_trajectory(path, simulation=sim, title=sim.layout.figures[0].name), folder / written[0])
        if any(part.visible for figure in sim.layout.figures for body in figure.bodies for part in body.parts):
            written.insert(0, "film_strip.png")
            save(film_strip(path, times=frames), folder / written[0])
    return written
