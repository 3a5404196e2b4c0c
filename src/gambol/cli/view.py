"""`gambol view`: the live view in the browser, or a picture, film or page of it."""

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from gambol import GroundContact, RecordingError, RoundContact, UnknownNameError, ViewError
from gambol.cli import INTERRUPTED, console
from gambol.cli.check import SUFFIXES, Model
from gambol.errors import nearest

LAYOUTS = ("still", "strip", "sheet")


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    what: str
    host: str
    port: int
    speed: float | None
    paused: bool
    loose: bool
    out: Path | None = None
    time: float = 5.0
    layout: str = "strip"
    measure: bool = False
    model: Model | None = None


def view(request: Request) -> None:
    """Shows it in a browser; or writes it, or measures what looking costs."""
    with console.report_errors(console.USAGE):
        check_options(request)
    with console.report_errors(), console.announce_compilation():
        if request.measure:
            from gambol.view.measure import cost

            source = source_of(request)
            with console.err.status("measuring"):
                found = cost(source)
            console.plain(f"{source.title}: {found.words()}")
        elif request.out:
            write(request, request.out)
        else:
            serve(request)


def check_options(request: Request) -> None:
    """What can be found wrong before anything is computed."""
    if request.speed is not None and not request.speed > 0:
        raise ViewError(f"--speed must be positive, not {request.speed:g}")
    if request.out:
        from gambol.draw.filming import SUFFIXES as FILMS
        from gambol.draw.picture import SUFFIXES as PICTURES

        console.check_suffix(request.out, (*PICTURES, *FILMS, ".html"))
        if request.layout not in LAYOUTS:
            raise UnknownNameError(f"--layout: no layout {request.layout!r}{nearest(request.layout, LAYOUTS)}")
        if not request.time > 0:
            raise ViewError(f"--time must be positive, not {request.time:g} s")


def serve(request: Request) -> None:
    """Serves the live view until Ctrl-C."""
    from gambol.view.playback import Player
    from gambol.view.viewer import Viewer, check_port

    check_port(request.host, request.port)  # before anything is computed
    source = source_of(request)
    with console.err.status("getting ready"):
        source.prepare()
    viewer = Viewer(
        Player(source, speed=request.speed, playing=not request.paused), host=request.host, port=request.port
    )
    signals: list[int] = []

    def stop(signal_number: int, _: Any) -> None:
        signals.append(signal_number)
        viewer.stop()

    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, stop)
    console.plain(f"{source.title} at {viewer.address}  (Ctrl-C ends it)")
    viewer.serve()
    if signal.SIGINT in signals:
        raise typer.Exit(INTERRUPTED)


def write(request: Request, out: Path) -> None:
    """A picture, film or page, by the suffix of the file."""
    from gambol.draw.filming import SUFFIXES as FILMS
    from gambol.draw.filming import film
    from gambol.draw.picture import save_image
    from gambol.view.page import replay

    suffix = out.suffix.lower()
    source = source_of(request)
    motion = motion_of(source, request.time)
    look: dict[str, Any] = {"props": source.props, "ground": source.ground}
    with console.progress_bar("drawing", 1) as (bar, task):

        def update(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)

        if suffix == ".html":
            replay(motion, out, progress=update, **look)
        elif suffix in FILMS:
            film(motion, out, progress=update, speed=min(request.speed or source.speed, 1e3), **look)
        else:
            import gambol.draw.picture as pictures

            save_image(getattr(pictures, request.layout)(motion, **look), out)
    console.plain(f"  {out}")


def motion_of(source: Any, seconds: float) -> Any:
    """The motion of a recording, or of a live source that is run for so many seconds."""
    import time

    from gambol.draw.motion import Motion

    if not source.live:
        return source.motion
    start = source.first
    with console.progress_bar("simulating", 100) as (bar, task):
        for k in range(1, 101):
            source.advance(start + seconds * k / 100, time.perf_counter() + 3600.0)
            bar.update(task, completed=k)
    if source.fault:
        console.note(source.fault)
    moments = source.between(source.first, source.last)
    if len(moments) < 2:
        raise ViewError(f"nothing was computed: {source.fault}")
    return Motion(source.figures, [m.time for m in moments], [m.q for m in moments], source.title)


def source_of(request: Request) -> Any:
    """What to show: a figure file, or a show by name."""
    path = Path(request.what)
    if path.suffix.lower() in SUFFIXES:
        return of_figure(request.model or Model(path), loose=request.loose)
    if path.exists() or path.suffix == ".gambol":
        return of_recording(path)
    with console.err.status("getting ready"):
        return named(request.what).make()


def named(name: str) -> Any:
    """The show of that name."""
    from gambol.experiments.registry import experiments
    from gambol.shows.registry import find_show

    try:
        return find_show(name)
    except UnknownNameError:
        if name not in experiments():
            raise
        message = f"{name} has no figure to watch live; run it with: gambol reproduce {name}"
        raise UnknownNameError(message) from None


def of_recording(path: Path) -> Any:
    """A recording, to be played."""
    from gambol.draw.motion import Motion
    from gambol.record.recording import Recording
    from gambol.view.recorded import RecordedSource
    from gambol.view.stored_forces import StoredForces

    try:
        recording = Recording.open(path)
        return RecordedSource(Motion.of(recording), forces=StoredForces(recording))
    except RecordingError as error:
        message = f"{error}; what can be viewed: a recording, or a figure file ({', '.join(SUFFIXES)})"
        raise RecordingError(message) from None


def of_figure(model: Model, *, loose: bool) -> Any:
    """A figure file, live: as described, its free root held by strings unless `loose` or there is ground under it."""
    from gambol.cli.check import read
    from gambol.view.holding import strings
    from gambol.view.mouse_spring import with_mouse_spring
    from gambol.view.source import LiveSource

    scene = read(model)
    for remark in scene.remarks():
        console.note(remark)
    grounded = any(isinstance(force, GroundContact | RoundContact) for force in scene.world.forces)
    holding = [] if loose or grounded else [s for figure in scene.figures for s in strings(figure)]
    if holding:
        words = "is hung on three strings, because nothing else would hold it (--loose lets it fall)"
        console.note(f"{scene.figures[0].root.name} {words}")
    with console.err.status("getting ready"):
        held = scene.with_world(forces=(*with_mouse_spring(scene.world).forces, *holding))
        return LiveSource(held.simulation(model.pose))
