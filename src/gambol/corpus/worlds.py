"""Worlds with their figures, clocks and environments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.corpora import Corpus, CorpusLink, CorpusPart
from gambol.corpus.engine import Engine
from gambol.corpus.gait import GaitController
from gambol.corpus.joint_settings import MuscleSettings
from gambol.corpus.lines import Line
from gambol.corpus.render_settings import Vector
from gambol.corpus.table import look_up, spelling
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.interpreter import Interpreter

GROUND_CONSTANTS = {
    "groundk": (0.0, "linear spring of the ground [N/m]"),
    "groundb": (0.0, "damper of the ground [N·s/m]"),
    "groundkrf": (0.0, "velocity-dependent ground reaction: a damper on top of groundb [N·s/m]"),
    "groundea": (0.0, "exponential spring of the ground: strength [N]"),
    "groundeB": (0.0, "exponential spring of the ground: rise [1/m]"),
    "groundemaxz": (0.0, "largest depth used in the exponential [m] (0: any)"),
    "grounde": (1.0, "restitution: share of the spring's force while a point moves out"),
    "groundfric": (0.0, "friction coefficient"),
    "groundfricb": (0.0, "friction damper, limited by the friction coefficient [N·s/m]"),
    "groundfric2": (0.0, "second friction: coefficient that limits the spring along the ground"),
    "groundfric2k": (0.0, "second friction: spring along the ground to where a point came down [N/m]"),
    "groundfric2e": (1.0, "second friction: share of that spring while a point comes back"),
    "groundstickeA": (0.0, "sticky ground: strength of its exponential spring [N]"),
    "groundstickeB": (0.0, "sticky ground: rise [1/m]"),
    "groundstickemaxz": (0.0, "sticky ground: displacement at which it lets go [m] (0: never)"),
    "groundsticke": (1.0, "sticky ground: restitution"),
    "groundz": (0.0, "height of level ground [m]"),
}
COLLISION_CONSTANTS = {
    "collisione": (1.0, "restitution of body-body contact"),
    "collisionk": (0.0, "linear spring of body-body contact [N/m]"),
    "collisionb": (0.0, "damper of body-body contact [N·s/m]"),
    "collisionea": (0.0, "exponential spring of body-body contact: strength [N]"),
    "collisioneB": (0.0, "exponential spring of body-body contact: rise [1/m]"),
    "collisionemaxz": (0.0, "largest depth used in the exponential [m] (0: any)"),
    "collisionfric": (0.0, "friction coefficient of body-body contact"),
    "collisionfricb": (0.0, "friction damper of body-body contact [N·s/m]"),
}


@dataclass
class Alarm:
    """A command for a time; `period` repeats it. `span` is the leg program it was set in."""

    time: float
    command: Line
    period: float = 0.0
    program_duration: float | None = None


@dataclass
class AttachmentSettings:
    """A spring between two points of two bodies."""

    name: str
    body1: CorpusLink
    body2: CorpusLink | None  # None: the ground
    point1: Vector
    point2: Vector
    k: float
    ea: float
    eB: float
    e: float
    breaks: float | None
    b: float = 0.0
    impulse: np.ndarray | None = None


@dataclass
class ScriptWorld:
    """One world of a session: environment, integrator settings, clock and figures."""

    name: str
    worlds: ScriptWorlds
    corpora: dict[str, Corpus] = field(default_factory=dict)
    constants: dict[str, float] = field(
        default_factory=lambda: {
            name: value for name, (value, _) in {**GROUND_CONSTANTS, **COLLISION_CONSTANTS}.items()
        }
    )
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))  # [m/s²]
    gravity_on: bool = True
    attraction_on: bool = False
    attraction: float = 6.673e-11  # [N·m²/kg²]
    attracting_pairs: list[tuple[CorpusLink, CorpusLink]] = field(default_factory=list)
    ground_on: bool = True
    ground_type: str = "flat"
    grid: Any = None  # a SceneObject
    mass_scaled_ground: bool = False
    collisions_on: bool = False
    impulses_on: bool = False
    colliding_pairs: list[tuple[CorpusLink, CorpusLink]] = field(default_factory=list)
    attachments: list[AttachmentSettings] = field(default_factory=list)
    attachment_count: int = 0  # how many were ever made
    pushes: dict[str, tuple[Vector, Vector]] = field(default_factory=dict)
    muscles: dict[str, MuscleSettings] = field(default_factory=dict)
    integration: str = "rkf"
    order: str = "newt"
    dt: float = 1.0 / 30.0
    h: float = 0.0
    eps: float = 1e-4
    iterations: int = 1
    time: float = 0.0
    saved_time: float = 0.0
    alarms: list[Alarm] = field(default_factory=list)
    collision_log: str = ""
    frame: int = 0  # how many were begun

    def __post_init__(self) -> None:
        self.engine = Engine(self)

    def links(self):
        """The bodies of all figures."""
        return (link for corpus in self.corpora.values() for link in corpus.links.values())

    def gaits(self) -> list[GaitController]:
        """The gait controllers of its figures."""
        return [gait for gait in self.worlds.gaits.values() if gait.corpus in self.corpora.values()]

    def run_due_alarms(self) -> None:
        """Runs the commands whose time has come, in the order of their times."""
        interpreter = self.worlds.interpreter
        while due := [a for a in self.alarms if a.time <= self.time * (1 + 1e-12) + 1e-12]:
            alarm = min(due, key=lambda a: a.time)
            self.alarms.remove(alarm)
            if alarm.period > 0:
                self.alarms.append(
                    Alarm(alarm.time + alarm.period, alarm.command, alarm.period, alarm.program_duration)
                )
            before, interpreter.program_duration = interpreter.program_duration, alarm.program_duration
            try:
                interpreter.call(alarm.command.text, alarm.command)
            finally:
                interpreter.program_duration = before

    def run_frames(self, frames: int) -> None:
        """Simulates so many frames."""
        total = frames * self.iterations
        interpreter = self.worlds.interpreter
        try:
            for done in range(total):
                interpreter.progress(done, total)
                self.run_due_alarms()
                self.frame += 1
                self.engine.advance(self.dt)
                if interpreter.verbosity in ("extra", "super", "detailed"):
                    interpreter.info(self.engine.report(interpreter.verbosity))
        finally:  # an interruption takes the bar away, too
            interpreter.progress(total, total)
        for corpus in self.corpora.values():
            if corpus.ready:
                corpus.place_objects()


class ScriptWorlds:
    """Every world, the current one, the current figure and the current gait controller."""

    def __init__(self, interpreter: Interpreter):
        self.interpreter = interpreter
        self.by_name: dict[str, ScriptWorld] = {}
        self.gaits: dict[str, GaitController] = {}
        self._current: ScriptWorld | None = None
        self._corpus: Corpus | None = None
        self._gait: GaitController | None = None

    # ------------------------------------------------------------ what is current
    @property
    def current(self) -> ScriptWorld:
        """The current world; an error when there is none."""
        if self._current is None:
            raise CommandError("there is no world yet: addworld makes one")
        return self._current

    @current.setter
    def current(self, world: ScriptWorld) -> None:
        self._current = world
        self._corpus = next(reversed(world.corpora.values()), None)

    @property
    def corpus(self) -> Corpus:
        """The current figure; an error when there is none."""
        if self._corpus is None:
            raise CommandError("there is no corpus yet: addcorpus makes one")
        return self._corpus

    @corpus.setter
    def corpus(self, corpus: Corpus) -> None:
        self._corpus = corpus

    @property
    def finished_corpus(self) -> Corpus:
        """The current figure, finished."""
        if not self.corpus.ready:
            raise CommandError(f"corpus {self.corpus.name!r} is not finished: corpusinit comes first")
        return self.corpus

    @property
    def gait(self) -> GaitController:
        """The current gait controller; an error when there is none."""
        if self._gait is None:
            raise CommandError("there is no gait controller yet: addroach makes one")
        return self._gait

    @gait.setter
    def gait(self, gait: GaitController) -> None:
        self._gait = gait

    # ------------------------------------------------------------ by name
    def find(self, kind: str, name: str) -> Any:
        """A body, part, figure, world, muscle or gait controller by its name."""
        match kind:
            case "body":
                return self.link(name)
            case "part":
                return self._piece(name)
            case "corpus":
                return look_up(self.current.corpora, name, "corpus")
            case "world":
                return look_up(self.by_name, name, "world")
            case "muscle":
                return look_up(self.current.muscles, name, "muscle")
            case "roach":
                return look_up(self.gaits, name, "gait controller")
        raise CommandError(f"nothing of kind {kind!r} has a name")

    def link(self, name: str) -> CorpusLink:
        """A body: of the current figure, or the only one of that name in the world."""
        if name in self.corpus.links:
            return self.corpus.links[name]
        everywhere = [link for link in self.current.links() if name in (link.name, link.full_name)]
        if len(everywhere) == 1:
            return everywhere[0]
        if everywhere:
            which = ", ".join(link.full_name for link in everywhere)
            raise CommandError(f"several bodies are called {name!r}: {which}; use the full name")
        hint = spelling(name, [link.name for link in self.current.links()])
        if name in self.corpus.removed_bodies:
            hint = f": {self.corpus.removed_bodies[name]}"
        raise CommandError(f"there is no body {name!r}{hint}")

    def _piece(self, name: str) -> CorpusPart:
        pieces = {piece.name: piece for link in self.current.links() for piece in link.pieces}
        return look_up(pieces, name, "part")
