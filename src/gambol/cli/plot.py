"""`gambol plot`: a picture of a recording, and its numbers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol import GambolError, UnknownNameError
from gambol.cli.console import USAGE, check_suffix, plain, report_errors, write_json
from gambol.errors import nearest

STRIP = "strip"
FLOW = "flow"
REPORT = "report"
KINDS = ("joints", "phase", "cycle", "energy", FLOW, "ground", "gait", "return", "section", "compare", STRIP, REPORT)


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    recording: Path
    kind: str
    out: Path | None
    joints: tuple[str, ...]
    event: str
    coordinate: str
    speed: bool
    world: int
    beside: tuple[Path, ...]
    width: float | None
    json: Path | None


def plot(request: Request) -> None:
    """Draws a recording; writes the picture and its numbers."""
    with report_errors(USAGE):
        if request.kind not in KINDS:
            raise UnknownNameError(f"no kind of plot is called {request.kind!r}{nearest(request.kind, KINDS)}")
        named = {"return": "a return map", "section": "a section"}.get(request.kind)
        if named and not (request.event and request.coordinate):
            raise GambolError(f"{named} is of a coordinate at an event: --coordinate NAME --event NAME")
        if bool(request.beside) != (request.kind == "compare"):
            raise GambolError("runs are compared by `gambol plot RECORDING compare --beside OTHER`")
    with report_errors():
        from gambol.plot import save, write_data
        from gambol.plot.style import PLOT_SUFFIXES, set_width
        from gambol.record.recording import Recording

        report = request.kind == REPORT
        name = f"{request.recording.stem}-{request.kind}{'.html' if report else '.png'}"
        path = request.out or request.recording.with_name(name)
        check_suffix(path, (".html",) if report else PLOT_SUFFIXES)
        recording = Recording.open(request.recording)
        if report:
            from gambol.view.report import write_run_report

            written = [write_run_report(recording, path, world=request.world)]
        elif request.kind == STRIP and path.suffix.lower() == ".png" and not request.width:
            from gambol.draw import save_image, strip

            written = [save_image(strip(recording, size=(230, 300), world=request.world), path)]
        else:
            picture = draw(recording, request)
            if request.width:
                set_width(picture, request.width)
            written = [save(picture, path)]
            if request.kind not in (STRIP, FLOW):
                written.append(write_data(picture, path.with_suffix(".csv")))
        if request.json:
            write_json({"kind": request.kind, "files": [str(path) for path in written]}, request.json)
    for path in written:
        plain(str(path))


def draw(recording: Any, request: Request) -> Any:
    """The picture of a kind."""
    from gambol.plot import film_strip, plot_compared, plot_cycle, plot_flow, plot_section
    from gambol.plot.recorded import PLOTS
    from gambol.record.recording import Recording

    options: dict[str, Any] = {"world": request.world}
    match request.kind:
        case "strip":
            return film_strip(recording.motion(request.world))
        case "flow":
            return plot_flow(recording)
        case "cycle":
            return plot_cycle(recording, joints=request.joints or None, event=request.event, world=request.world)
        case "section":
            return plot_section(recording, event=request.event, coordinate=request.coordinate, world=request.world)
        case "compare":
            paths = (request.recording, *request.beside)
            names = [path.stem for path in paths]
            shown = names if len(set(names)) == len(names) else [str(path) for path in paths]
            runs = dict(zip(shown, (recording, *map(Recording.open, request.beside))))
            return plot_compared(runs, joints=request.joints or None, world=request.world)
        case "energy":
            options = {}
        case "joints" | "phase":
            options["joints"] = request.joints or None
        case "gait":
            options["feet"] = request.joints or None
        case "return":
            options |= {"event": request.event, "coordinate": request.coordinate, "speed": request.speed}
    return PLOTS[request.kind](recording, **options)
