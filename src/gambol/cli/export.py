"""`gambol export`: a recording or a figure in the format of another tool."""

import warnings
from pathlib import Path
from typing import Any

from gambol import ExportError
from gambol.cli.check import SUFFIXES, Model, read
from gambol.cli.console import check_suffix, note, plain, report_errors, write_json


def read_source(model: Model) -> Any:
    """A scene or a recording, by what the file is."""
    if model.file.suffix.lower() in SUFFIXES:
        scene = read(model)
        for remark in scene.remarks():
            note(remark)
        return scene
    from gambol.record.recording import Recording

    return Recording.open(model.file)


def export(
    model: Model, target: Path, fps: float | None, world: int, scale: float, channels: list[str], json: Path | None
) -> None:
    """Writes a recording or a figure in the format of the target's suffix."""
    with report_errors():
        from gambol.export import export_file as act
        from gambol.export.formats import SUFFIXES as FORMATS

        source = model.file
        if source.resolve() == target.resolve():
            raise ExportError(f"{target} would replace what is exported")
        check_suffix(target, FORMATS)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            written = act(read_source(model), target, fps=fps, world=world, scale=scale, channels=channels or None)
        for warning in caught:
            note(str(warning.message))
        if json:
            write_json({"source": str(source), "files": [str(path) for path in written]}, json)
    for path in written:
        plain(str(path))
