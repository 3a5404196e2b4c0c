"""`gambol export`: a recording or a figure in the format of another tool."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from gambol.cli.console import err, plain, reported, write_json
from gambol.errors import ExportError
from gambol.figure import Figure

FIGURES = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


def opened(source: Path) -> Any:
    """A figure or a recording, by what the file is."""
    if source.suffix.lower() in FIGURES:
        return Figure.read(source)
    from gambol.record.recording import Recording

    return Recording.open(source)


def export(
    source: Path, target: Path, fps: float | None, world: int, scale: float, channels: list[str], json: Path | None
) -> None:
    with reported():
        from gambol.export import export as act

        if source.resolve() == target.resolve():
            raise ExportError(f"{target} would replace what is exported")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            written = act(opened(source), target, fps=fps, world=world, scale=scale, channels=channels or None)
        for warning in caught:
            err.print(f"note: {warning.message}", markup=False, soft_wrap=True)
        if json:
            write_json({"source": str(source), "files": [str(path) for path in written]}, json)
    for path in written:
        plain(str(path))
