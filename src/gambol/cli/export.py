"""`gambol export`: a recording or a figure in the format of another tool."""

import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gambol import ExportError, UnknownNameError
from gambol.cli.check import FIGURE_SUFFIXES, Model, read
from gambol.cli.console import check_suffix, note, plain, report_errors, write_json


def read_source(model: Model) -> Any:
    """A scene or a recording, by what the file is."""
    if model.file.suffix.lower() in FIGURE_SUFFIXES:
        scene = read(model)
        for remark in scene.remarks():
            note(remark)
        return scene
    from gambol.record.recording import Recording

    return Recording.open(model.file)


@dataclass(frozen=True)
class Animation:
    """Options of motion: bones of a character; one cycle (of about this period [s]), with or without its travel; the
    ground, a camera and a sun around it."""

    character: bool = False
    loop: bool = False
    period: float | None = None
    in_place: bool = False
    surroundings: bool = False


PLAIN = Animation()


def cut_cycle(source: Any, options: Animation, fps: float | None, world: int) -> tuple[Any, dict[str, Any]]:
    """One cycle of a motion, and what it is."""
    from gambol.export import clip_of, find_cycle, looped

    clip = clip_of(source, fps=fps, world=world)
    cycle = find_cycle(clip, period=options.period)
    where = "in place" if options.in_place else f"{cycle.speed:.3g} m/s"
    begin = clip.start + cycle.first * clip.step
    plain(
        f"cycle of {cycle.period:.4g} s from t = {begin:.4g} s, {where}; its ends were {1e3 * cycle.seam:.3g} mm apart"
    )
    return looped(clip, cycle, in_place=options.in_place), {"begin_s": begin, **asdict(cycle)}


def export(
    model: Model,
    target: Path,
    fps: float | None,
    world: int,
    scale: float,
    channels: list[str],
    json: Path | None,
    animation: Animation = PLAIN,
) -> None:
    """Writes a recording or a figure in the format of the target's suffix."""
    with report_errors():
        from gambol.export import export_file as act
        from gambol.export.formats import EXPORT_SUFFIXES, MOTION_SUFFIXES

        source = model.file
        if source.resolve() == target.resolve():
            raise ExportError(f"{target} would replace what is exported")
        check_suffix(target, EXPORT_SUFFIXES)
        if (
            animation.character or animation.loop or animation.surroundings
        ) and target.suffix.lower() not in MOTION_SUFFIXES:
            raise UnknownNameError(
                f"{target}: characters, cycles and surroundings are written as {', '.join(MOTION_SUFFIXES)}"
            )
        options: dict[str, Any] = dict(fps=fps, world=world, scale=scale, channels=channels or None)
        found: dict[str, Any] = {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            thing = read_source(model)
            if animation.loop:
                thing, found = cut_cycle(thing, animation, fps, world)
            look: dict[str, Any] = {"character": animation.character, "surroundings": animation.surroundings}
            written = act(thing, target, **look, **options)
        for warning in caught:
            note(str(warning.message))
        if json:
            rest = {"cycle": found} if found else {}
            write_json({"source": str(source), "files": [str(path) for path in written], **rest}, json)
    for path in written:
        plain(str(path))
