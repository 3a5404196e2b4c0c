"""`gambol run`: simulates a figure file; writes a recording, a table of coordinates and pictures."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol import Fault, StepError, WorldError
from gambol.cli import console
from gambol.cli.check import FIGURE_SUFFIXES, Model, read
from gambol.errors import nearest
from gambol.figure.files import file_name


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    model: Model
    time: float
    out: Path | None
    every: float
    method: str
    step: float
    start: tuple[str, ...]
    frames: int
    json: Path | None
    resume: bool = False


def run(request: Request) -> None:
    """Simulates the figure and writes the recording, the table and the pictures."""
    with console.report_errors(), console.announce_compilation():
        from gambol.record.recorder import Recorder
        from gambol.stepping.options import Stepping

        console.check_suffix(request.model.file, FIGURE_SUFFIXES)
        with console.report_errors(console.USAGE):
            stepping = Stepping(method=request.method, step=request.step)
        scene = read(request.model)
        figure = scene.figures[0]
        for remark in scene.remarks():
            console.note(remark)
        sim = scene.simulation(request.model.pose, stepping=stepping)
        own = file_name(figure.name)
        folder = request.out or Path("gambol-out") / own
        file = folder / f"{own}.gambol"
        with console.report_errors(console.USAGE):
            sim.reset(start_positions(sim, request.start), sim.v)
        if request.resume:
            recorder = Recorder.resume(sim, file)
        else:
            given = {"file": str(request.model.file), "start": list(request.start)}
            more: dict[str, Any] = {"parameters": given, "title": figure.name, "channels": scene.channels()}
            recorder = Recorder(sim, file, every=request.every, overwrite=True, **more)
        failure = record_until(recorder, request.time)
        recording, written = recorder.recording, [file.name]
        interrupted = isinstance(failure, KeyboardInterrupt)
        if not interrupted:  # who stops it has no time for pictures: `gambol plot` and `gambol export` make them
            write_table(sim, recording, folder / "positions.csv")
            written += ["positions.csv", *pictures(sim, recording, folder, request.frames)]
        report = recording.report
        summary = {
            "figure": figure.name,
            "outcome": report["outcome"],
            "time_s": float(sim.time),
            "wall_s": report["wall_s"],
            "method": sim.stepping.method,
            **{name: int(value) for name, value in sim.counts.items()},
            "ledger_J": sim.ledger(),
            "files": [str(folder / name) for name in written],
        }
        if request.json:
            console.write_json(summary, request.json)
        took = f": {sim.time:.3g} s simulated in {report['wall_s']:.2f} s,"
        steps = f" {summary['steps']} steps of {sim.stepping.method}, {summary['rejected']} tried again"
        console.styled((figure.name, "bold"), took, steps)
        for name in written:
            console.plain(f"  {folder / name}")
        if interrupted:
            console.stop_interrupted("--resume goes on from here")
        if failure:
            raise failure


def record_until(recorder, until: float) -> BaseException | None:
    """Runs until a time, with a bar of the progress; what stopped it, if anything did. What was computed is kept."""
    try:
        with recorder, console.progress_bar("simulating", 1000) as (bar, task):
            update = lambda now: bar.update(task, completed=round(1000 * now / until))
            recorder.run(until=max(until, recorder.subject.time), progress=update)
    except (StepError, KeyboardInterrupt) as failure:
        return failure
    return None


def start_positions(sim, settings: tuple[str, ...]):
    """The positions it begins with, and those that were set."""
    q = sim.q.copy()
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


def write_table(sim, recording, file: Path) -> None:
    """A row a sample, a column a joint coordinate, with units."""
    columns = [f"{entry.body.name} {what}" for entry in sim.layout.bodies for what in entry.body.joint.kind.labels()]
    with file.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["time [s]", *columns])
        rows = zip(recording.time, recording.read("q"))
        table.writerows([repr(float(time)), *(repr(float(x)) for x in q)] for time, q in rows)


def pictures(sim, recording, folder: Path, frames: int) -> list[str]:
    """Curves, and a film strip where there is something to see; the names of the files."""
    from gambol.draw import save_image, strip
    from gambol.plot import plot_trajectory, save

    if not recording.rows:  # it was stopped before the first sample
        return []
    path = recording.motion()
    with console.err.status("drawing"):
        written = ["curves.png"]
        save(plot_trajectory(path, simulation=sim, title=sim.layout.figures[0].name), folder / written[0])
        if any(part.visible for figure in sim.layout.figures for body in figure.bodies for part in body.parts):
            written.insert(0, "film_strip.png")
            save_image(strip(path, times=frames, size=(230, 300)), folder / written[0])
    return written
