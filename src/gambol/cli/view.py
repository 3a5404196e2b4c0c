"""`gambol view`: the live view in the browser, or a picture, film or page of it."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol.cli.console import compiling_is_said, err, plain, reported

FIGURES = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    what: str
    host: str
    port: int
    speed: float
    paused: bool
    loose: bool


def view(request: Request) -> None:
    with reported(), compiling_is_said():
        from gambol.view.motion import ViewError
        from gambol.view.stage import Stage
        from gambol.view.viewer import Viewer, check_port

        if not request.speed > 0:
            raise ViewError(f"speed must be positive, not {request.speed:g}")
        check_port(request.host, request.port)  # before anything is computed
        source = source_of(request)
        viewer = Viewer(
            Stage(source, speed=request.speed, playing=not request.paused), host=request.host, port=request.port
        )
        signal.signal(signal.SIGTERM, lambda *_: viewer.stop())
        plain(f"{source.title} at {viewer.address}  (Ctrl-C ends it)")
        viewer.serve()


def source_of(request: Request) -> Any:
    """What to show: a figure file, or a show by name."""
    from gambol.view.motion import ViewError
    from gambol.view.shows import find_show

    path = Path(request.what)
    if path.suffix.lower() in FIGURES:
        return of_figure(path, loose=request.loose)
    if path.exists():
        raise ViewError(f"{path}: neither a recording nor a figure file ({', '.join(FIGURES)})")
    with err.status("getting ready"):
        return find_show(request.what).make()


def of_figure(path: Path, *, loose: bool) -> Any:
    """A figure file, live: as described, its free root held by strings unless `loose`."""
    from gambol.cli.check import read
    from gambol.view.shows import strings
    from gambol.view.source import Live
    from gambol.world.world import World

    figure, world, left_out = read(path)
    for note in left_out:
        err.print(f"note: {note}", markup=False, soft_wrap=True)
    holding = [] if loose else strings(figure)
    if holding:
        err.print(
            f"note: {figure.root.name} is hung on three strings, because nothing else would hold it (--loose lets it"
            " fall)",
            markup=False,
            soft_wrap=True,
        )
    with err.status("getting ready"):
        return Live.of(World(figure, world.gravity, (*world.forces, *holding)))
