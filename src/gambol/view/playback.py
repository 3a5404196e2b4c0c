"""The player: what moment is shown, and the thread that moves on from it.

Playing goes forward through what is known; a live source computes more when the end is reached. So a look into the
past is a replay that runs on into the present.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time as clock
from collections.abc import Callable
from typing import Any

from gambol.view.history import Moment
from gambol.view.live import Checkpoint, LiveRun
from gambol.view.recorded import RecordedSource

PERIOD = 1 / 60  # [s] between looks at the clock
LONGEST = 0.1  # [s] by which a slow frame may move the motion on
FASTEST = float("inf")
UNDOS = 20  # changes that can be taken back


class Player:
    """A source on show. Methods may be called from any thread; the simulation is touched by the player's own alone."""

    def __init__(
        self,
        source: LiveRun | RecordedSource,
        *,
        speed: float | None = None,
        playing: bool = True,
        loop: bool = False,
    ):
        self.source = source
        self.playing, self.loop = playing, loop
        self.speed = source.speed if speed is None else speed
        self.shown = source.first
        self.pace = 0.0  # simulated seconds a second, of late
        self._kept: list[tuple[Checkpoint, float]] = []
        self.version = 0  # changes whenever something may look different
        self._todo: queue.SimpleQueue[tuple[Callable[[], None], bool]] = queue.SimpleQueue()
        self._closing, self._awake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="gambol player", daemon=True)

    def start(self) -> Player:
        """Starts the thread that computes or plays."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Ends the thread; waits for it up to 5 s."""
        self._closing.set()
        self._awake.set()
        if isinstance(self.source, LiveRun):
            self.source.halt()
        if self._thread.is_alive():
            self._thread.join(5.0)

    @property
    def native_id(self) -> int | None:
        """Of the thread that computes, as the system knows it."""
        return self._thread.native_id

    # ------------------------------------------------------------ what people ask for
    def do(self, action: Callable[[], None], *, seen: bool = True) -> None:
        """Has the player's thread do something between stretches; `seen`: things may look different after it."""
        self._todo.put((action, seen))
        self._awake.set()

    def ask(self, question: Callable[[], Any], timeout: float = 10.0) -> Any:
        """Does it and gives the answer."""
        answer: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()

        def act() -> None:
            try:
                answer.put((question(), None))
            except Exception as error:
                answer.put((None, error))

        self.do(act)
        value, error = answer.get(timeout=timeout)
        if error:
            raise error
        return value

    def play(self) -> None:
        """Goes on; a recording at its end begins anew."""

        def act() -> None:
            if not self.source.live and self.shown >= self.source.last:
                self.shown = self.source.first
            self.playing = True

        self.do(act)

    def pause(self) -> None:
        """Stands still at the moment shown."""
        self.do(lambda: setattr(self, "playing", False))

    def step(self, seconds: float = 1 / 60) -> None:
        """One moment on, then still; back when negative."""

        def act() -> None:
            self.playing = False
            self._move_to(self.shown + seconds)

        self.do(act)

    def seek(self, time: float) -> None:
        """Shows a moment [s] that is known, and holds it."""

        def act() -> None:
            self.playing = False
            self.shown = min(max(time, self.source.first), self.source.last)

        self.do(act)

    def remember(self) -> None:
        """Keeps what is about to be changed, for `undo`. In the player's thread."""
        if isinstance(self.source, LiveRun) and self.source.reversible:
            self._kept = [*self._kept[1 - UNDOS :], (self.source.checkpoint(), self.shown)]

    @property
    def undoable(self) -> int:
        """How many changes can be taken back."""
        return len(self._kept)

    def undo(self) -> None:
        """Takes back the last push, change of a parameter, restart or going on."""

        def act() -> None:
            if self._kept and isinstance(self.source, LiveRun):
                then, self.shown = self._kept.pop()
                self.source.go_back(then)
                self.playing = False

        self.do(act)

    def touch(self, action: Callable[[], None]) -> None:
        """Does something to the figures at the moment shown: what came after it is forgotten, all can be undone."""

        def act() -> None:
            self.remember()
            if not self.at_end:
                self.source.resume_at(self.shown)
                self.shown = self.source.last
            action()

        self.do(act)

    def restart(self) -> None:
        """Back to the first moment of the source."""

        def act() -> None:
            self.remember()
            self.source.restart()
            self.shown = self.source.first

        self.do(act)

    def resume_here(self) -> None:
        """A live run goes on from the shown moment; what came after is forgotten."""

        def act() -> None:
            self.remember()
            self.source.resume_at(self.shown)
            self.shown = self.source.last
            self.playing = True

        self.do(act)

    def moment(self) -> Moment:
        """What is shown now."""
        return self.source.at(self.shown)

    @property
    def at_end(self) -> bool:
        """Is the newest moment shown?"""
        return self.shown >= self.source.last - 1e-9

    # ------------------------------------------------------------ the thread
    def _run(self) -> None:
        with contextlib.suppress(KeyboardInterrupt):  # a march that was halted
            self._play()

    def _play(self) -> None:
        last = clock.perf_counter()
        while not self._closing.is_set():
            now = clock.perf_counter()
            elapsed, last = now - last, now
            self._awake.clear()
            self._act()
            before = self.shown
            if self.playing:
                self._go(min(elapsed, LONGEST))
            rate = (self.shown - before) / elapsed if elapsed > 0 else 0.0
            self.pace += min(1.0, elapsed / 0.5) * (max(rate, 0.0) - self.pace)
            rest = PERIOD - (clock.perf_counter() - now)
            if rest > 0 and not (self.playing and self.speed == FASTEST and self.source.live):
                self._awake.wait(rest)

    def _act(self) -> None:
        while not self._todo.empty():
            action, seen = self._todo.get()
            action()
            self.version += seen

    def _go(self, elapsed: float) -> None:
        if self.speed == FASTEST and self.source.live:
            self.source.advance(FASTEST, clock.perf_counter() + PERIOD)
            self.shown = self.source.last
        else:
            self._move_to(self.shown + min(self.speed, 1e3) * elapsed)
        self.version += 1
        if self.source.fault and self.at_end:
            self.playing = False
        elif not self.source.live and self.at_end:
            self.shown = self.source.first if self.loop else self.source.last
            self.playing = self.loop

    def _move_to(self, time: float) -> None:
        """Shows a time [s]; a live source that is slower than its clock is not left behind by more than a moment."""
        every = self.source.finer(self.speed * PERIOD) if isinstance(self.source, LiveRun) else 0.0
        if time > self.source.last:
            self.source.advance(time, clock.perf_counter() + 0.05, every)
        room = every if not self.source.fault else 0.0
        self.shown = min(max(time, self.source.first), self.source.last + room)
