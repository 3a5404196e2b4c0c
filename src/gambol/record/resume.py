"""Going on with a recording: what was committed is copied into a fresh file, which then takes the place of the old."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gambol.errors import RecordingError
from gambol.record.channel import Channel, Source
from gambol.record.checkpoint import Checkpoint
from gambol.record.description import check_same
from gambol.record.lock import WriterLock
from gambol.record.recording import Recording
from gambol.stepping.controller import Controller
from gambol.stepping.run import Run

if TYPE_CHECKING:
    from gambol.record.recorder import Recorder

BLOCK = 4096  # rows copied at a time


def resumed(
    make: type[Recorder],
    run: Run,
    path: Path,
    *,
    controller: Controller | Iterable[Controller] | None = None,
    channels: Sequence[Channel | str] = (),
    sources: Iterable[Source] = (),
    reports: bool = True,
) -> Recorder:
    """A recorder that goes on with the recording at `path`; see Recorder.resume."""
    lock = WriterLock(path) if path.is_file() else None
    try:
        return _resumed(make, run, path, lock, controller, channels, sources, reports)
    except BaseException:
        if lock:
            lock.release()
        raise


def _resumed(make, run, path, lock, controller, channels, sources, reports) -> Recorder:
    old = Recording.open(path)
    check_same(run, old.description, str(path))
    mark = old.checkpoint
    if mark is None:
        raise RecordingError(f"{path} holds no state to go on from")
    if controller is not None:
        run.attach(controller)
    _check_actors(run, mark, path)
    recorder = make.__new__(make)
    recorder._prepare(run, path, old.description["every"], channels, sources, reports, lock)
    names = [c.name for c in recorder.channels]
    if names != old.report["channels"]:
        raise RecordingError(f"{path} has the channels {', '.join(old.report['channels'])}, not {', '.join(names)}")
    run.restore(mark.state(run, old.events, old.jumps))
    recorder.origin, recorder.next_sample = mark.origin, mark.next_sample
    try:
        recorder._begin(old.report["title"], old.report["parameters"])
        _take_over(recorder, old, mark.rows)
        recorder.flush()
    except BaseException:
        recorder.abandon()
        raise
    return recorder


def _check_actors(run: Run, mark: Checkpoint, path: Path) -> None:
    """The same controllers, and nothing that was scheduled: actions cannot be stored."""
    then = [name for name, _ in mark.controllers]
    now = [type(controller).__name__ for controller in run.controllers]
    if now != then:
        given, wanted = (", ".join(names) or "none" for names in (now, then))
        raise RecordingError(f"{path} was recorded with the controllers {wanted}; given as controller=… are {given}")
    if mark.due:
        message = f"{path}: actions were scheduled for t = {mark.due} s, and cannot be stored; let a controller do them"
        raise RecordingError(message)


def _take_over(recorder: Recorder, old: Recording, rows: int) -> None:
    """Copies rows and what the report has gathered."""
    names = [c.name for c in recorder.channels]
    for first in range(0, rows, BLOCK):
        block = slice(first, min(first + BLOCK, rows))
        recorder.file.append(old.read("time", block), {name: old.read(name, block) for name in names})
    if rows:
        recorder._last = float(old.read("time", slice(rows - 1, rows))[0])
    before, report = old.report, recorder.report
    report.began, report.warnings = before["began"], list(before["warnings"])
    report.left_out.update(before["left_out"])
    report.wall, report.simulated = before["wall_s"], before["simulated_s"]
    report.resumed = [*before["resumed_at_s"], recorder._now()]
