"""Records a run while it goes on."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import RecordingError, StepError
from gambol.record.channel import Channel, Piece, Source, checked
from gambol.record.checkpoint import Checkpoint, jump_row
from gambol.record.description import described
from gambol.record.elements import changes_by_itself
from gambol.record.file import RecordingFile
from gambol.record.recording import Recording
from gambol.record.report import Reporter
from gambol.record.standard import standard_channels
from gambol.stepping.run import Event, Run
from gambol.world.simulation import Simulation

FLUSH = 0.5  # [s] of the wall clock between commits
PIECE = 0.1  # [s] of the wall clock that a piece of a run should take
LONGEST = 4096  # samples in a piece


class Recorder:
    """Records a Simulation or an OdeRun into a file (or in memory, path=None), at the present state and every so often.

        with Recorder(sim, "walk.gambol", every=1 / 60) as recorder:
            recorder.run(10.0)

    A run that is driven tick by tick calls `tick()` after each: it keeps a sample when one is due.

    every       time between samples [s]
    channels    further ones: Channel objects, or names of optional ones (gambol.record.standard)
    sources     objects with a method channels(run): controllers, sensors
    keep        objects with save() and restore(data) whose state belongs to that of the run, by name
    parameters  of the experiment, for the report; title likewise
    reports     keep what named force elements say of themselves (contacts, springs, muscles)
    overwrite   replace a file that is there; otherwise that is an error

    Twice a second what was recorded is committed with the state of the run; a crash loses what came after.
    """

    def __init__(
        self,
        run: Run,
        path: str | Path | None = None,
        *,
        every: float = 1 / 60,
        channels: Sequence[Channel | str] = (),
        sources: Iterable[Source] = (),
        keep: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        title: str = "",
        reports: bool = True,
        overwrite: bool = False,
    ):
        if not (every > 0 and math.isfinite(every)):
            raise RecordingError(f"every must be a positive time [s], it is {every}")
        path = None if path is None else Path(path)
        if path is not None and path.exists() and not overwrite:
            raise RecordingError(f"{path} exists: choose another name, overwrite=True, or resume it")
        self._prepare(run, path, every, channels, sources, keep, reports)
        self.origin, self.next_sample = self._now(), 0
        self._begin(title or (path.stem if path else what_of(run)), parameters or {})

    @classmethod
    def resume(cls, run: Run, path: str | Path, **options: Any) -> Recorder:
        """Goes on with a recording from its last commit: `run`, built as it was then, is brought to that state.

        `options` are channels, sources, keep and reports, as they were given then. Samples after the commit are taken
        again.
        """
        from gambol.record.resume import resumed

        return resumed(cls, run, Path(path), **options)

    def _prepare(self, run, path, every, channels, sources, keep, reports=True) -> None:
        self.subject, self.path, self.every = run, path, float(every)
        self.keep = dict(keep or {})
        found = standard_channels(run, [c for c in channels if isinstance(c, str)], reports=reports)
        found += [c for c in channels if isinstance(c, Channel)]
        found += [c for source in sources for c in source.channels(run)]
        self.channels = checked(found)
        self.worlds = run.memory.worlds
        self._live = any(c.read is not None for c in self.channels)
        self._names = [b.name for b in run.watched]
        self._seen = self._jumps = 0
        self._piece, self._last = 16, -math.inf
        self._open = True

    def _begin(self, title: str, parameters: Mapping[str, Any], path: Path | None = None) -> None:
        run = self.subject
        names = [c.name for c in self.channels]
        self.report = Reporter(run, title=title, parameters=parameters, every=self.every, channels=names)
        size = 3 + 2 * (run.layout.nq + run.layout.nv) if isinstance(run, Simulation) else 3
        self.file = RecordingFile(
            path or self.path,
            self.channels,
            described(run, self.every, self.origin),
            worlds=self.worlds,
            dtype=run.memory.dtype,
            jump_size=size,
        )
        self.report.listen()
        self._flushed = self._counted = clock.perf_counter()

    # ------------------------------------------------------------ running
    def run(
        self,
        duration: float | None = None,
        *,
        until: float | None = None,
        on_event: Callable[[Any, Event], bool | None] | None = None,
        stop: Sequence[str] = (),
        control: Callable[[Any], None] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Runs for `duration` or `until` a time [s]; events as in `Run.run`.

        `control(run)` is called at every sample, before the run goes on from it, and may change commands and
        parameters. `progress` is told the time [s] now and then.
        """
        end = self._end(duration, until)
        self._first()
        slow = self._live or on_event is not None or control is not None
        slow = slow or (isinstance(self.subject, Simulation) and changes_by_itself(self.subject))
        while self._now() < end:
            self._maybe_flush()  # before control acts, so that whoever goes on from here begins with it
            if control:
                control(self.subject)
            times = self._times(end, 1 if slow or self.subject.schedule else self._piece)
            began, halted = clock.perf_counter(), False
            try:
                path = self.subject.run(times=times, on_event=on_event, stop=stop)
                halted = len(path) < len(times)
            except StepError as error:
                self._take(error.trajectory)  # type: ignore[attr-defined]
                self.report.outcome = f"failed: {error}"
                self.flush()
                raise
            self._take(path)
            self._pace(clock.perf_counter() - began)
            if halted and self.worlds == 1:
                self.sample()
            if progress:
                progress(self._now())
            if halted:
                break
        self._maybe_flush()

    def _end(self, duration: float | None, until: float | None) -> float:
        self._still_open()
        if (duration is None) == (until is None):
            raise RecordingError("give either duration or until")
        end = self._now() + float(duration) if until is None else float(until)  # type: ignore[arg-type]
        if not math.isfinite(end) or end < self._now():
            raise RecordingError(f"cannot run from t = {self._now():g} s to t = {end:g} s")
        return end

    def _times(self, end: float, count: int) -> np.ndarray:
        """The next sample times, on the grid of the recording, ending with `end`."""
        times = self.origin + self.every * np.arange(self.next_sample, self.next_sample + count)
        times = times[times < end - 1e-9 * self.every]
        return times if len(times) == count else np.append(times, end)

    def _take(self, path: Any) -> None:
        """Keeps the samples of a piece of the run."""
        if len(path):
            self._keep(np.asarray(path.time, float), path)
            passed = (float(path.time[-1]) - self.origin) / self.every
            self.next_sample = max(self.next_sample, math.floor(passed + 1e-6) + 1)

    def _pace(self, took: float) -> None:
        if took < 0.5 * PIECE:
            self._piece = min(2 * self._piece, LONGEST)
        elif took > 2.0 * PIECE:
            self._piece = max(1, self._piece // 2)

    def tick(self) -> bool:
        """After each tick of a run driven from elsewhere: keeps a sample when one is due; says whether it did."""
        self._still_open()
        passed = (self._now() - self.origin) / self.every
        due = passed >= self.next_sample - 1e-6
        if due:
            self.sample()
            self.next_sample = math.floor(passed + 1e-6) + 1
        self._maybe_flush()
        return due

    def sample(self) -> None:
        """Keeps the present state, due or not."""
        self._still_open()
        run = self.subject
        if self._now() <= self._last:  # a sample of this moment is there
            return
        self._keep(np.array([self._now()]), None if isinstance(run, Simulation) else run)

    def note(self, what: str, count: int = 1) -> None:
        """Counts something clipped, skipped or left out, for the report."""
        self.report.left_out[what] += count

    # ------------------------------------------------------------ keeping
    def _first(self) -> None:
        if not self.file.rows:
            self.sample()
            self.next_sample = max(self.next_sample, 1)
            self.flush()  # so that the file can be opened from now on

    def _keep(self, time: np.ndarray, path: Any) -> None:
        run = self.subject
        command = parameters = None
        if isinstance(run, Simulation):
            memory = run.memory
            command, parameters = run.command, memory.read(memory.parameters)
            if path is None:
                state = {"q": run.q[None], "v": run.v[None], "work": memory.read(memory.lines)[None]}
            else:
                state = {"q": path.q, "v": path.v, "work": path.work}
        else:
            y = np.asarray(path.y)
            state, parameters = {"y": y[None] if y.ndim == 1 else y}, run.p  # type: ignore[attr-defined]
        piece = Piece(run, time, state, command, parameters)
        values = {c.name: c.values(piece, self.worlds) for c in self.channels}
        self._write(lambda: self.file.append(time, values))
        self._last = float(time[-1])

    def _write(self, act: Callable[[], None]) -> None:
        try:
            act()
        except OSError as error:
            raise RecordingError(f"{self.path}: cannot be written: {error}; what was committed is kept") from error

    def _maybe_flush(self) -> None:
        if clock.perf_counter() - self._flushed > FLUSH:
            self.flush()

    def flush(self) -> None:
        """Commits everything so far, with the state of the run."""
        run = self.subject
        index = {name: k for k, name in enumerate(self._names)}
        events = [(e.time, index[e.name], e.world) for e in run.events[self._seen :]]
        self._seen += len(events)
        state = run.save()
        settled = [jump_row(jump) for jump in state.energy_ledger[self._jumps : -1]]
        self._jumps += len(settled)
        last = jump_row(state.energy_ledger[-1]) if state.energy_ledger else np.zeros(0)
        kept = {name: thing.save() for name, thing in self.keep.items()}
        mark = Checkpoint(
            self.file.rows,
            self._seen,
            self._jumps,
            self.next_sample,
            self.origin,
            state.data,
            last,
            [due.time for due in state.schedule],
            kept,
            state.writes,
        )
        now = clock.perf_counter()
        self.report.measured(now - self._counted, self._now() - self.origin - self.report.simulated)
        self._counted = now

        def act() -> None:
            self.file.append_events(events)
            if settled:
                self.file.append_jumps(settled)
            self.file.commit(self.report.data(), mark.to_bytes())

        self._write(act)
        self._flushed = clock.perf_counter()

    # ------------------------------------------------------------ ending
    def close(self) -> None:
        """Commits and closes; a recording that ended without a failure is called complete."""
        if self._open:
            self.report.stop_listening()
            if self.report.outcome == "unfinished":
                self._first()
                self.report.outcome = "complete"
            self.flush()
            self.file.close()
            self._open = False

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind, error, trace) -> None:
        if error is not None and self.report.outcome == "unfinished":
            self.report.outcome = "interrupted" if kind is KeyboardInterrupt else f"failed: {kind.__name__}: {error}"
        self.close()

    @property
    def recording(self) -> Recording:
        """What was recorded so far, as a Recording."""
        if self._open:
            self.flush()
        return Recording.open(self.path) if self.path else Recording(self.file.file, "memory")

    def _now(self) -> float:
        return float(np.max(np.atleast_1d(self.subject.time)))

    def _still_open(self) -> None:
        if not self._open:
            raise RecordingError("the recorder is closed; Recorder.resume opens a recording again")


def what_of(run: Any) -> str:
    """What is recorded, in a word: names of figures, or an equation."""
    return "+".join(f.name for f in run.layout.figures) if isinstance(run, Simulation) else "equation"
