"""A script on show: `gambol view script.corpus`. It runs as fast as it is looked at, with a prompt beside it.

The script runs in a thread of its own, a frame of `go` at a time. Every object of the scene is drawn where it is.
What a script did cannot be taken back; it can be looked at again, and run anew from its start.
"""

from __future__ import annotations

import math
import queue
import threading
import time as clock
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gambol.corpus.corpora import Corpus
from gambol.corpus.geometry import part_of
from gambol.corpus.interpreter import Interpreter
from gambol.corpus.lines import Line, LineSource
from gambol.corpus.scene import SceneObject
from gambol.draw.motion import placer
from gambol.errors import GambolError, ScriptError
from gambol.figure import Body, Figure, Joint, Mass, Part, Placement, Sphere
from gambol.figure.placement import quaternions
from gambol.view.history import History, Moment
from gambol.view.live import LiveRun

PICTURE = 1 / 30  # [s] by which the clock of the view goes on where only objects were moved
RIGID = 1e-6  # how far a motion may be from a rigid one
SPEEDS = (0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
WAIT = 0.05  # [s] between looks at whether it is over


class Stopped(BaseException):
    """The script is to end where it is."""


class ScriptPrompt:
    """What a script printed, and the line on which commands are typed."""

    def __init__(self, name: str):
        self.name = name
        self.lines: list[str] = []
        self.typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.interpreter: Interpreter | None = None
        self.idle = False

    def say(self, text: str) -> None:
        """Takes a line that a command printed."""
        self.lines.append(text)

    def type(self, text: str) -> None:
        """Takes a line that somebody typed; it is executed when its turn comes."""
        self.typed.put(text)

    def state(self) -> dict[str, bool]:
        """Is it at work, and does it wait for the rest of a block?"""
        waiting = self.idle and self.typed.empty()
        return {"busy": not waiting, "collecting": self.interpreter is not None and self.interpreter.collecting}


class Drawn:
    """The objects of a scene as they were when they last were others: figures of one free body each."""

    def __init__(self, found: dict[str, tuple[SceneObject, np.ndarray, bool]], level: float | None):
        self.level = level
        self.key = key_of(found, level)
        self._inverse: list[np.ndarray | None] = []
        figures = []
        for name, (obj, matrix, moves) in found.items():
            frame = rigid_part(matrix)
            local = np.linalg.inv(frame) @ matrix
            sound = abs(float(np.linalg.det(matrix[:3, :3]))) > 1e-15
            self._inverse.append(np.linalg.inv(local) if sound else None)
            x, y, z, _ = map(float, local @ [*obj.geometry.vertices.mean(axis=0), 1.0])
            mass = Mass(1.0 if moves else 1e-6, centre=(x, y, z), inertia=(1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0))
            part = part_of(obj.geometry, local, convex=False, inertial=False, colour=obj.appearance.colour)
            figures.append(Figure(name, (Body(name, joint=Joint("free"), parts=(part,), mass=mass),)))
        if not figures:
            dot = Part(Sphere(0.02), Placement(), colour=(0.6, 0.6, 0.6))
            figures = [Figure("origin", (Body("origin", joint=Joint("free"), parts=(dot,)),))]
        self.figures = tuple(figures)
        self.place = placer(self.figures)

    def positions(self, found: dict[str, tuple[SceneObject, np.ndarray, bool]]) -> np.ndarray | None:
        """Where they are now; None where one is another, or was moved other than rigidly."""
        if not found:
            return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        frames = []
        for (_, matrix, _), inverse in zip(found.values(), self._inverse):
            frame = np.eye(4) if inverse is None else matrix @ inverse
            turn = frame[:3, :3]
            if np.abs(turn @ turn.T - np.eye(3)).max() > RIGID:
                return None
            frames.append(frame)
        made = np.array(frames)
        return np.concatenate([made[:, :3, 3], quaternions(made[:, :3, :3])], axis=1).ravel()


def rigid_part(matrix: np.ndarray) -> np.ndarray:
    """The rigid motion nearest to a transform."""
    frame = np.eye(4)
    if abs(float(np.linalg.det(matrix[:3, :3]))) > 1e-15:
        u, _, v = np.linalg.svd(matrix[:3, :3])
        turn = u @ v
        if np.linalg.det(turn) < 0:
            turn = u @ np.diag([1.0, 1.0, -1.0]) @ v
        frame[:3, :3], frame[:3, 3] = turn, matrix[:3, 3]
    return frame


def key_of(found: dict[str, tuple[SceneObject, np.ndarray, bool]], level: float | None) -> tuple:
    """Another one when what is to be drawn is another."""
    looks = [(name, id(obj.geometry), tuple(obj.appearance.colour), moves) for name, (obj, _, moves) in found.items()]
    return (level, *looks)


def shown_objects(interpreter: Interpreter) -> dict[str, tuple[SceneObject, np.ndarray, bool]]:
    """The objects that are seen, where they are in the world, and whether they belong to a figure."""
    at: dict[int, np.ndarray] = {}
    for world in interpreter.worlds.by_name.values():
        for corpus in world.corpora.values():
            if corpus.ready:
                at |= _of_corpus(corpus)
    seen = {name: obj for name, obj in interpreter.scene.objects.items() if obj.appearance.shown}
    return {
        name: (obj, at.get(id(obj), obj.world_matrix), id(obj) in at)
        for name, obj in seen.items()
        if len(obj.geometry.vertices)
    }


def _of_corpus(corpus: Corpus) -> dict[int, np.ndarray]:
    """Where the objects of a figure are, by its joints."""
    poses: dict[str, np.ndarray] = {}
    found: dict[int, np.ndarray] = {}
    for link in corpus.tree():
        poses[link.name] = corpus.pose if link.parent is None else poses[link.parent.name] @ link.local_pose
        for piece in link.pieces:
            found[id(piece.obj)] = poses[link.name] @ piece.to_body
    return found


class ScriptSource(LiveRun):
    """A script that runs as it is looked at, then takes commands.

    file     the script
    options  go to the Interpreter: allow_paths
    """

    reversible = False

    def __init__(self, file: Path | str, **options: Any):
        self.file, self._options = Path(file), options
        self.file.read_text(encoding="utf-8")  # what cannot be read says so here
        self.prompt = ScriptPrompt(self.file.name)
        self._news: list[tuple[Drawn | None, float, np.ndarray]] = []
        self._turn = threading.Condition()
        self._worker: threading.Thread | None = None
        self._drawn, self._q = Drawn({}, None), np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        self._launch()
        self._wait_for_work(math.inf)
        drawn, q = self._first()
        super().__init__(drawn.figures, ground=drawn.level, title=self.file.stem)
        self._adopt(drawn, 0.0, q)
        self.speed = min(SPEEDS, key=lambda s: abs(math.log(s / (30.0 * self._dt))))

    # ------------------------------------------------------------ the thread of the script
    def _launch(self) -> None:
        self._clock, self._allowed, self._dt, self._stopping = 0.0, 0.0, PICTURE, False
        self.prompt.idle = False
        self._interpreter = self.prompt.interpreter = Interpreter(
            self.file.parent, out=self.prompt.say, progress=self._frame, **self._options
        )
        self._worker = threading.Thread(target=self._work, name="gambol script", daemon=True)
        self._worker.start()

    def _work(self) -> None:
        interpreter = self._interpreter
        try:
            try:
                interpreter.run_file(self.file)
            except ScriptError as error:
                for fault in error.faults:
                    self.prompt.say(f"error: {fault}")
            while not interpreter.finished:
                interpreter.run(LineSource(self._typed(), name="<prompt>", interactive=True))
            self.prompt.say("The script has ended. Restart runs it anew.")
        except Stopped:
            pass
        finally:
            interpreter.processes.close()
            with self._turn:
                self.prompt.idle = True
                self._turn.notify_all()

    def _typed(self) -> Iterator[Line]:
        number = 0
        while True:
            self._look(PICTURE)
            with self._turn:
                self.prompt.idle = True
                self._turn.notify_all()
            text = None
            while text is None:
                if self._stopping:
                    raise Stopped
                try:
                    text = self.prompt.typed.get(timeout=WAIT)
                except queue.Empty:
                    continue
            self.prompt.idle = False
            number += 1
            self.prompt.say(f"corpus> {text}")
            yield Line(text, "<prompt>", number)

    def _frame(self, done: int, frames: int) -> None:
        """A frame of `go` is done (but not before the first): it is kept, and the next one waits for its turn."""
        world = self._interpreter.worlds.current
        self._dt = world.dt
        self._look(world.dt if done else 0.0)
        with self._turn:
            while self._clock >= self._allowed - 1e-12 and done < frames and not self._stopping:
                self._turn.notify_all()
                self._turn.wait(WAIT)
        if self._stopping:
            raise Stopped

    def _look(self, later: float) -> None:
        """Keeps where the objects are, so much later [s] than before, when something is to be seen of it."""
        found, level = shown_objects(self._interpreter), self._level()
        drawn: Drawn | None = None
        q = self._drawn.positions(found) if key_of(found, level) == self._drawn.key else None
        if q is None:
            drawn = self._drawn = Drawn(found, level)
            q = drawn.positions(found)
        assert q is not None
        if drawn is None and np.array_equal(q, self._q) and later == PICTURE:
            return
        with self._turn:
            self._clock, self._q = self._clock + later, q
            self._news.append((drawn, self._clock, q))

    def _level(self) -> float | None:
        world = self._interpreter.worlds._current
        if world is None or not world.ground_on or world.ground_type != "flat":
            return None
        return float(world.constants["groundz"])

    # ------------------------------------------------------------ in the player's thread
    def _wait_for_work(self, seconds: float) -> None:
        """Until it comes to a frame or to its end; so long at most [s]."""
        until = clock.perf_counter() + seconds
        with self._turn:
            while self.prompt.state()["busy"] and self._clock < self._allowed - 1e-12 and clock.perf_counter() < until:
                self._turn.wait(WAIT)
            while not self._news and not self.prompt.idle and math.isinf(seconds):
                self._turn.wait(WAIT)

    def _first(self) -> tuple[Drawn, np.ndarray]:
        with self._turn:
            drawn = next((d for d, _, _ in reversed(self._news) if d is not None), self._drawn)
            q = self._news[-1][2] if self._news else self._q
            self._news.clear()
        return drawn, q

    def advance(self, until: float, deadline: float, every: float | None = None) -> None:
        """Lets the script run up to a time of the view [s], or until the clock passes `deadline`."""
        with self._turn:
            self._allowed = until
            self._turn.notify_all()
        self._wait_for_work(deadline - clock.perf_counter())
        with self._turn:
            news, self._news = self._news, []
        for drawn, time, q in news:
            if drawn is not None:
                self._adopt(drawn, time, q)
            else:
                with self.lock:
                    self.history.extend([Moment(time, q, np.zeros(0))])

    def _adopt(self, drawn: Drawn, time: float, q: np.ndarray) -> None:
        """Other objects are shown from now on; the timeline begins anew."""
        with self.lock:
            self.figures, self.place, self.ground = drawn.figures, drawn.place, drawn.level
            self.history = History()
            self.history.extend([Moment(time, q, np.zeros(0))])
            self.edition += 1

    def finer(self, seconds: float) -> float:
        """There is nothing between its frames."""
        return self._dt

    def now(self) -> float:
        """The time of the view [s]: that of all frames so far."""
        return self._clock

    def present(self) -> Moment:
        """What is seen now."""
        return Moment(self._clock, self._q, np.zeros(0))

    def saved(self) -> Any:
        """A script cannot be taken back."""
        return None

    def prepare(self) -> None:
        """It waits at its first frame already."""

    def restart(self) -> None:
        """Runs the script anew from its start."""
        self.halt()
        with self._turn:
            self._news.clear()
        self.prompt.say(f"--- {self.file.name} anew ---")
        self._drawn = Drawn({}, None)
        self._launch()
        self._wait_for_work(math.inf)
        drawn, q = self._first()
        self._adopt(drawn, self._clock, q)

    def resume_at(self, time: float) -> None:
        """It cannot go on otherwise than it went."""

    def halt(self) -> None:
        """Ends the script where it is."""
        self._stopping = True
        with self._turn:
            self._turn.notify_all()
        if self._worker is not None and self._worker is not threading.current_thread():
            self._worker.join(5.0)


def script_source(file: Path | str, **options: Any) -> ScriptSource:
    """The source of a script, or an error in words."""
    try:
        return ScriptSource(file, **options)
    except (OSError, UnicodeDecodeError) as error:
        raise GambolError(f"{file} cannot be read: {error}") from None
