"""Records a run while it goes on."""

from __future__ import annotations

import math
import os
import re
import time as clock
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import RecordingError, RecordingWarning, StepError
from gambol.math.pack import numbers
from gambol.record.channel import Channel, Piece, Source, checked
from gambol.record.checkpoint import Checkpoint, jump_row
from gambol.record.description import described
from gambol.record.file import RecordingFile
from gambol.record.lock import WriterLock
from gambol.record.recording import Recording
from gambol.record.report import Reporter
from gambol.record.standard import standard_channels
from gambol.stepping import interrupts
from gambol.stepping.controller import Controller
from gambol.stepping.run import Run
from gambol.stepping.state import Event
from gambol.world.simulation import Simulation

COMMIT_PERIOD = 0.4  # [s] of the wall clock between commits
PIECE_TIME = 0.05  # [s] of the wall clock that a piece of a run should take
MAX_PIECE = 4096  # samples in a piece


class Recorder:
    """Records a Simulation or an OdeRun into a file (or in memory, path=None), at the present state and every so often.

        with Recorder(sim, "walk.gambol", every=1 / 60) as recorder:
            recorder.run(10.0, controller=walk)

    every       time between samples [s]
    channels    further ones: Channel objects, or names of optional ones (gambol.record.standard)
    sources     objects with a method channels(run), such as sensors; controllers that have one are asked as well
    parameters  of the experiment, for the report; title likewise
    reports     keep what named force elements say of themselves (contacts, springs, muscles)
    overwrite   replace a file that is there (with the first commit); otherwise that is an error
    keep_running   when the file can no longer be written (a full disk, a folder that is gone), warn and go on without
                recording, instead of ending with a RecordingError

    Twice a second what was recorded is committed with the state of the run, that of its controllers included; a crash
    loses what came after, at most a second. Only one recorder can write a file at a time.
    """

    def __init__(
        self,
        run: Run,
        path: str | Path | None = None,
        *,
        every: float = 1 / 60,
        channels: Sequence[Channel | str] = (),
        sources: Iterable[Source] = (),
        parameters: Mapping[str, Any] | None = None,
        title: str = "",
        reports: bool = True,
        overwrite: bool = False,
        keep_running: bool = False,
    ):
        if not (every > 0 and math.isfinite(every)):
            raise RecordingError(f"every must be a positive time [s], it is {every}")
        path = None if path is None else Path(path)
        if path is not None and path.exists() and not overwrite:
            raise RecordingError(f"{path} exists: choose another name, overwrite=True, or resume it")
        lock = WriterLock(path) if path is not None else None
        try:
            self._prepare(run, path, every, channels, sources, reports, lock, keep_running)
            self.origin, self.next_sample = self._now(), 0
            self._begin(title or (path.stem if path else what_of(run)), parameters or {})
        except BaseException:
            if lock:
                lock.release()
            raise

    @classmethod
    def resume(cls, run: Run, path: str | Path, **options: Any) -> Recorder:
        """Goes on with a recording from its last commit: `run`, built as it was then, is brought to that state.

        `options` are controller, channels, sources and reports, as they were given then. Samples after the commit are
        taken again.
        """
        from gambol.record.resume import resumed

        return resumed(cls, run, Path(path), **options)

    def _prepare(self, run, path, every, channels, sources, reports, lock=None, keep_running=False) -> None:
        self._lock, self._keep_running, self._lost = lock, keep_running, ""
        self._committed = 0, -math.inf  # rows, and the time [s] of the last
        self.subject, self.path, self.every = run, path, float(every)
        self._given = tuple(channels), tuple(sources), reports
        self.channels = self._find_channels()
        self.worlds = run.memory.worlds
        self._event_names: dict[str, int] = {}
        self._seen = self._jumps = 0
        self._piece, self._last = 1, -math.inf
        self._open = True

    def _find_channels(self) -> list[Channel]:
        (channels, sources, reports), run = self._given, self.subject
        found = standard_channels(run, [c for c in channels if isinstance(c, str)], reports=reports)
        found += [c for c in channels if isinstance(c, Channel)]
        sources += tuple(c for c in run.controllers if isinstance(c, Source))
        return checked([*found, *(c for source in sources for c in source.channels(run))])

    def _begin(self, title: str, parameters: Mapping[str, Any]) -> None:
        self.report = Reporter(self.subject, title=title, parameters=parameters, every=self.every)
        self._make_file(self.path)
        self.report.capture_warnings()
        self._flushed = self._counted = clock.perf_counter()

    def _make_file(self, path: Path | None) -> None:
        run = self.subject
        self.report.channels = [c.name for c in self.channels]
        self.file = RecordingFile(
            path,
            self.channels,
            described(run, self.every, self.origin),
            worlds=self.worlds,
            dtype=run.memory.dtype,
            jump_size=3 + 2 * (run.layout.nq + run.layout.nv) if isinstance(run, Simulation) else 3,
        )

    def _attach(self, controllers: Controller | Iterable[Controller]) -> None:
        """The run takes them on; their channels are recorded, if nothing is yet."""
        self.subject.attach(controllers)
        channels = self._find_channels()
        if [c.name for c in channels] == [c.name for c in self.channels]:
            return
        if self.file.rows:
            raise RecordingError("controllers with channels of their own must be attached before the first sample")
        self.channels = channels
        self.file.close()
        self._make_file(self.path)

    # ------------------------------------------------------------ running
    def run(
        self,
        duration: float | None = None,
        *,
        until: float | None = None,
        controller: Controller | Iterable[Controller] | None = None,
        on_event: Callable[[Any, Event], bool | None] | None = None,
        stop: Sequence[str] = (),
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Runs for `duration` or `until` a time [s], as `Run.run` does, piece by piece.

        `progress` is called with the time [s] now and then.
        """
        end = self._end(duration, until)
        if controller is not None:
            self._attach(controller)
        with interrupts.waiting_for_whole_states():
            self._run_to(end, on_event, stop, progress)

    def _run_to(self, end: float, on_event, stop, progress) -> None:
        self._first()
        going = True
        while going and self._now() < end:
            self._maybe_flush()
            interrupts.look()
            began = clock.perf_counter()
            try:
                going = self._run_piece(self._times(end), on_event, stop)
            except (StepError, KeyboardInterrupt) as error:
                self._take(getattr(error, "trajectory", None))
                failed = isinstance(error, StepError)
                self.report.outcome = f"failed: {error}" if failed else "interrupted"
                self.flush()
                raise
            self._pace(clock.perf_counter() - began)
            if progress:
                progress(self._now())
        if not going and self.worlds == 1:
            self.sample()
        self._maybe_flush()

    def _run_piece(self, times: np.ndarray, on_event, stop) -> bool:
        """To the last of these times; False when something has ended the run before, or there."""
        run, last = self.subject, PieceEnd(float(times[-1]))
        acted_on = bool(run.controllers or run.schedule or on_event)
        watch = {c.name: c.read for c in self.channels if c.read is not None and (acted_on or c.derive is None)}
        run.attach((*run.controllers, last))
        try:
            self._take(run.run(times=times, watch=watch, whole_states=True, on_event=on_event, stop=stop))
        finally:
            run.attach([c for c in run.controllers if c is not last])
        return last.reached

    def _end(self, duration: float | None, until: float | None) -> float:
        self._still_open()
        if (duration is None) == (until is None):
            raise RecordingError("give either duration or until")
        end = self._now() + float(duration) if until is None else float(until)  # type: ignore[arg-type]
        if not math.isfinite(end) or end < self._now():
            raise RecordingError(f"cannot run from t = {self._now():g} s to t = {end:g} s")
        if (apart := np.spacing(max(abs(end), abs(self.origin)))) > self.every:
            message = f"samples every {self.every:g} s cannot be told apart: at t = {end:g} s"
            raise RecordingError(f"{message} the numbers of the clock are {apart:.3g} s apart")
        return end

    def _times(self, end: float) -> np.ndarray:
        """The sample times of the next piece, on the grid of the recording, ending with `end`."""
        times = self.origin + self.every * np.arange(self.next_sample, self.next_sample + self._piece)
        times = times[times < end - 1e-9 * self.every]
        return times if len(times) == self._piece else np.append(times, end)

    def _take(self, path: Any) -> None:
        """Keeps the samples of a piece of the run."""
        if path is not None and len(path):
            self._keep(self._piece_of(path))
            passed = (float(path.time[-1]) - self.origin) / self.every
            self.next_sample = max(self.next_sample, math.floor(passed + 1e-6) + 1)

    def _pace(self, took: float) -> None:
        if took < 0.5 * PIECE_TIME:
            self._piece = min(2 * self._piece, MAX_PIECE)
        elif took > 2.0 * PIECE_TIME:
            self._piece = max(1, self._piece // 2)

    def sample(self) -> None:
        """Keeps the present state, due or not."""
        self._still_open()
        if self._now() > self._last:  # otherwise a sample of this moment is there
            self._keep(self._present())

    def count_left_out(self, what: str, count: int = 1) -> None:
        """Counts something clipped, skipped or left out, for the report."""
        self.report.left_out[what] += count

    # ------------------------------------------------------------ keeping
    def _first(self) -> None:
        if not self.file.rows and not self._lost:
            self._keep(self._present())
            self.next_sample = max(self.next_sample, 1)
            self.flush()  # so that the file can be opened from now on

    def _piece_of(self, path: Any) -> Piece:
        run = self.subject
        if not isinstance(run, Simulation):
            return Piece(run, path.time, {"y": path.y}, path.watched)
        cells = numbers(path.record)
        state = {"q": path.q, "v": path.v, "work": path.work, "command": run.memory.read(run.memory.commands, cells)}
        return Piece(run, np.asarray(path.time, float), state, path.watched, cells)

    def _present(self) -> Piece:
        run: Any = self.subject
        if isinstance(run, Simulation):
            state = {"q": run.q, "v": run.v, "work": run.memory.read(run.memory.lines), "command": run.command}
        else:
            state = {"y": run.y}
        watched = {c.name: np.asarray(c.read(run))[None] for c in self.channels if c.read is not None}
        return Piece(run, np.array([self._now()]), {name: x[None] for name, x in state.items()}, watched)

    def _keep(self, piece: Piece) -> None:
        values = {c.name: c.values(piece, self.worlds) for c in self.channels}
        self._write(lambda: self.file.append(piece.time, values))
        self._last = float(piece.time[-1])

    def _write(self, act: Callable[[], None]) -> None:
        if self._lost:
            return
        try:
            act()
        except (OSError, RuntimeError, RecordingError) as error:
            self.abandon()
            self._lost = self._loss(error)
            if not self._keep_running:
                raise RecordingError(self._lost) from error
            warnings.warn(RecordingWarning(f"{self._lost}; the run goes on unrecorded"), stacklevel=4)

    def _loss(self, error: Exception) -> str:
        if isinstance(error, RecordingError):
            return str(error)
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else _system_reason(str(error))
        rows, time = self._committed
        kept = f"{rows} samples up to t = {time:g} s were committed and are kept" if rows else "nothing was committed"
        return f"{self.path}: cannot be written: {reason}; {kept}"

    def abandon(self) -> None:
        """Leaves the file as it was at the last commit, and writes no more."""
        self.file.abandon()
        self.report.release_warnings()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock:
            self._lock.release()

    def _maybe_flush(self) -> None:
        if clock.perf_counter() - self._flushed > COMMIT_PERIOD:
            self.flush()

    def flush(self) -> None:
        """Commits everything so far, with the state of the run."""
        if self._lost:
            return
        run, names = self.subject, self._event_names
        events = [(e.time, names.setdefault(e.name, len(names)), e.world) for e in run.events[self._seen :]]
        self._seen += len(events)
        state = run.save()
        settled = [jump_row(jump) for jump in state.jumps[self._jumps : -1]]
        self._jumps += len(settled)
        in_file = state.controllers if self.path else ()  # nobody goes on from what is in memory
        mark = Checkpoint(
            rows=self.file.rows,
            events=self._seen,
            event_names=list(names),
            jumps=self._jumps,
            next_sample=self.next_sample,
            origin=self.origin,
            data=state.data,
            last_jump=jump_row(state.jumps[-1]) if state.jumps else np.zeros(0),
            due=[due.time for due in state.schedule],
            writes=None if state.writes is None else tuple(state.writes),
            shared=state.shared,
            controllers=[(type(controller).__name__, saved) for controller, saved in in_file],
        )
        now = clock.perf_counter()
        self.report.measured(now - self._counted, self._now() - self.origin - self.report.simulated)
        self._counted = now

        def act() -> None:
            self.file.append_events(events)
            if settled:
                self.file.append_jumps(settled)
            mark.checks = dict(self.file.checks)
            self.file.commit(self.report.data(), mark.to_bytes())

        self._write(act)
        self._committed = self.file.rows, self._last
        self._flushed = clock.perf_counter()

    # ------------------------------------------------------------ ending
    def close(self) -> None:
        """Commits and closes; a recording that ended without a failure is called complete."""
        if not self._open:
            return
        self._open = False
        try:
            if self.report.outcome == "unfinished" and not self._lost:
                self._first()
                self.report.outcome = "complete"
            self.flush()
            self._write(self.file.close)
        finally:
            self.report.release_warnings()
            self._unlock()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind, error, trace) -> None:
        if error is not None and self.report.outcome == "unfinished":
            self.report.outcome = "interrupted" if kind is KeyboardInterrupt else f"failed: {kind.__name__}: {error}"
        self.close()

    @property
    def recording(self) -> Recording:
        """What was recorded so far, as a Recording."""
        if self._lost:
            raise RecordingError(self._lost)
        if self._open:
            self.flush()
        return Recording.open(self.path) if self.path else Recording(self.file.file, "memory")

    def _now(self) -> float:
        return self.subject.latest_time

    def _still_open(self) -> None:
        if self._lost and not self._keep_running:
            raise RecordingError(self._lost)
        if not self._open:
            raise RecordingError("the recorder is closed; Recorder.resume opens a recording again")


def _system_reason(text: str) -> str:
    """Of an error of HDF5, what the system said."""
    found = re.search(r"error message = '([^']*)'", text)
    return found[1] if found else text.splitlines()[0]


class PieceEnd(Controller):
    """Acts after all others at the end of a piece, unless one of them has ended the run there."""

    def __init__(self, time: float):
        self.time, self.reached = time, False

    def next_time(self, run: Run) -> float:
        return math.inf if self.reached else self.time

    def act(self, run: Run) -> None:
        self.reached = True


def what_of(run: Any) -> str:
    """What is recorded, in a word: names of figures, or an equation."""
    return "+".join(f.name for f in run.layout.figures) if isinstance(run, Simulation) else "equation"
