"""`gambol view`: the live view in the browser, or a picture, film or page of it."""

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from gambol import GroundContact, RecordingError, RoundContact, UnknownNameError, ViewError
from gambol.cli import INTERRUPTED, console
from gambol.cli.check import FIGURE_SUFFIXES, Model
from gambol.errors import nearest

CONFIGURATIONS = (".rc", ".param")  # of simsect
MOST_SLIDERS = 8
LAYOUTS = ("still", "strip", "sheet")


@dataclass(frozen=True)
class FilmOptions:
    """How pictures and films are made: size ("1280x720"), rate, quality, transparency, camera ("-60,14")."""

    size: str | None = None
    rate: float = 30.0
    quality: float = 0.8
    transparent: bool = False
    camera: str | None = None
    dark: bool = False

    def look(self) -> dict[str, Any]:
        """Options of stills, strips, sheets and films."""
        from gambol.draw.camera import Camera

        made: dict[str, Any] = {"transparent": self.transparent, "dark": self.dark}
        if self.size:
            made["size"] = tuple(int(x) for x in self._numbers("--size", self.size, "x", "1280x720"))
        if self.camera:
            azimuth, elevation = self._numbers("--camera", self.camera, ",", "-60,14")
            made["camera"] = Camera(azimuth=azimuth, elevation=elevation)
        return made

    @staticmethod
    def _numbers(option: str, text: str, between: str, example: str) -> list[float]:
        try:
            first, second = text.lower().split(between)
            return [float(first), float(second)]
        except ValueError:
            raise ViewError(f"{option} is two numbers, as in {example}, not {text!r}") from None


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
    film: FilmOptions = FilmOptions()
    ghost: Path | None = None
    worlds: str | None = None


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
    if request.ghost and (request.out or request.measure):
        raise ViewError("--ghost is for the live view: leave --out and --measure away")
    if request.out:
        from gambol.draw.filming import FILM_SUFFIXES, check_film
        from gambol.draw.picture import PICTURE_SUFFIXES

        console.check_suffix(request.out, (*PICTURE_SUFFIXES, *FILM_SUFFIXES, ".html"))
        request.film.look()
        if request.out.suffix.lower() in FILM_SUFFIXES:
            check_film(
                request.out, request.film.rate, request.speed or 1.0, request.film.quality, request.film.transparent
            )
        if request.layout not in LAYOUTS:
            raise UnknownNameError(f"--layout: no layout {request.layout!r}{nearest(request.layout, LAYOUTS)}")
        if not request.time > 0:
            raise ViewError(f"--time must be positive, not {request.time:g} s")


def serve(request: Request) -> None:
    """Serves the live view until Ctrl-C."""
    from gambol.view.playback import Player
    from gambol.view.viewer import Viewer, check_port

    check_port(request.host, request.port)  # before anything is computed
    ghost = of_recording(request.ghost).motion if request.ghost else None
    source = source_of(request)
    with console.err.status("getting ready"):
        source.prepare()
    viewer = Viewer(
        Player(source, speed=request.speed, playing=not request.paused),
        host=request.host,
        port=request.port,
        ghost=ghost,
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
    from gambol.draw.filming import FILM_SUFFIXES, film
    from gambol.draw.picture import save_image
    from gambol.view.page import replay

    suffix = out.suffix.lower()
    source = source_of(request)
    motion = motion_of(source, request.time)
    look: dict[str, Any] = {"props": source.props, "ground": source.ground}
    speed = min(request.speed or source.speed, 1e3)
    with console.progress_bar("drawing", 1) as (bar, task):

        def update(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)

        if suffix == ".html":
            replay(motion, out, progress=update, speed=speed, **look)
        elif suffix in FILM_SUFFIXES:
            look |= request.film.look()
            film(
                motion, out, progress=update, speed=speed, rate=request.film.rate, quality=request.film.quality, **look
            )
        else:
            import gambol.draw.picture as pictures

            save_image(getattr(pictures, request.layout)(motion, **look, **request.film.look()), out)
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
    """What to show: a figure file, a script, a configuration, a recording, or a show by name."""
    path = Path(request.what)
    if path.suffix.lower() in FIGURE_SUFFIXES:
        return of_figure(request.model or Model(path), loose=request.loose)
    if path.suffix.lower() == ".corpus":
        return of_script(path)
    if path.suffix.lower() in CONFIGURATIONS:
        return of_configuration(path)
    if path.exists() or path.suffix == ".gambol":
        return of_recording(path, request.worlds)
    if request.worlds:
        raise ViewError("--worlds is for recordings of several worlds")
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


def of_recording(path: Path, worlds: str | None = None) -> Any:
    """A recording, to be played; `worlds` of it side by side, as in 0,3,5, or all."""
    from gambol.draw.motion import Motion
    from gambol.record.recording import Recording
    from gambol.view.recorded import RecordedSource
    from gambol.view.stored_forces import StoredForces

    try:
        recording = Recording.open(path)
        if worlds:
            chosen = [Motion.of(recording, world=k) for k in numbers_of(worlds, recording.worlds)]
            return RecordedSource(Motion.side_by_side(chosen))
        events = [(event.time, event.name) for event in recording.events if event.world == 0]
        return RecordedSource(Motion.of(recording), forces=StoredForces(recording), events=events)
    except RecordingError as error:
        message = f"{error}; what can be viewed: a recording, or a figure file ({', '.join(FIGURE_SUFFIXES)})"
        raise RecordingError(message) from None


def of_script(path: Path) -> Any:
    """A script of the command language, with its prompt."""
    from gambol.corpus.live import script_source

    with console.err.status("getting ready"):
        return script_source(path)


def of_configuration(path: Path) -> Any:
    """The hybrid system of a configuration; sliders for what it sets otherwise than usual, then for others."""
    from gambol.hybrid.simsect.configuration import read_configuration
    from gambol.hybrid.simsect.session import start_run
    from gambol.view.hybrids import HybridSource

    configuration = read_configuration(path)
    for remark in configuration.notes:
        console.note(remark)
    system = configuration.system
    usual, own = type(system)().p._asdict(), system.p._asdict()
    turned = sorted(own, key=lambda name: own[name] == usual[name])[:MOST_SLIDERS]
    with console.err.status("getting ready"):
        return HybridSource(start_run(configuration), turned=turned, title=f"{system.name} ({path.name})")


def numbers_of(worlds: str, there: int) -> list[int]:
    """The worlds of a list, as in 0,3,5; all of them for all."""
    if worlds == "all":
        return list(range(there))
    try:
        found = [int(word) for word in worlds.split(",")]
    except ValueError:
        raise ViewError(f"--worlds is numbers with commas, as in 0,3,5, or all; not {worlds!r}") from None
    for number in found:
        if not 0 <= number < there:
            raise ViewError(f"--worlds: there are {there} worlds, from 0 to {there - 1}; {number} is none of them")
    return found


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
