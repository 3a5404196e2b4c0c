"""Worlds with their figures, clocks and environments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.corpora import Corpus, Link, Piece
from gambol.corpus.engine import Engine
from gambol.corpus.gait import Gait
from gambol.corpus.joint_settings import Muscle
from gambol.corpus.lines import Line
from gambol.corpus.studio import Vector
from gambol.errors import CommandError, nearest

if TYPE_CHECKING:
    from gambol.corpus.interpreter import Interpreter

GRAVITY = 9.81  # [m/s²]
NEWTON = 6.673e-11  # [N·m²/kg²]

GROUND = {
    "groundk": (0.0, "linear spring of the ground [N/m]"),
    "groundb": (0.0, "damper of the ground [N·s/m]"),
    "groundkrf": (0.0, "velocity-dependent ground reaction: a damper on top of groundb [N·s/m]"),
    "groundea": (0.0, "exponential spring of the ground: strength [N]"),
    "groundeB": (0.0, "exponential spring of the ground: rise [1/m]"),
    "groundemaxz": (0.0, "largest depth used in the exponential [m] (0: any)"),
    "grounde": (1.0, "restitution: share of the spring's force while a point moves out"),
    "groundfric": (0.0, "friction coefficient"),
    "groundfricb": (0.0, "friction damper, limited by the friction coefficient [N·s/m]"),
    "groundstickeA": (0.0, "sticky ground: strength of its exponential spring [N]"),
    "groundstickeB": (0.0, "sticky ground: rise [1/m]"),
    "groundstickemaxz": (0.0, "sticky ground: displacement at which it lets go [m] (0: never)"),
    "groundsticke": (1.0, "sticky ground: restitution"),
    "groundz": (0.0, "height of level ground [m]"),
}
COLLISION = {
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
    span: float | None = None


@dataclass
class Attachment:
    """A spring between two points of two bodies."""

    name: str
    body1: Link
    body2: Link | None  # None: the ground
    point1: Vector
    point2: Vector
    k: float
    ea: float
    eB: float
    e: float
    breaks: float | None
    b: float = 0.0
    sum: np.ndarray | None = None


@dataclass
class Realm:
    """One world of a session: environment, integrator settings, clock and figures."""

    name: str
    universe: Universe
    corpora: dict[str, Corpus] = field(default_factory=dict)
    numbers: dict[str, float] = field(
        default_factory=lambda: {name: value for name, (value, _) in {**GROUND, **COLLISION}.items()}
    )
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -GRAVITY]))
    gravity_on: bool = True
    attraction_on: bool = False
    attraction: float = NEWTON
    attracting: list[tuple[Link, Link]] = field(default_factory=list)
    ground_on: bool = True
    ground_type: str = "flat"
    grid: Any = None  # a thing
    mass_scaled_ground: bool = False
    collisions_on: bool = False
    impulses_on: bool = False
    colliding: list[tuple[Link, Link]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    attached: int = 0  # how many were ever made
    pushes: dict[str, tuple[Vector, Vector]] = field(default_factory=dict)
    muscles: dict[str, Muscle] = field(default_factory=dict)
    integration: str = "rkf"
    order: str = "newt"
    dt: float = 1.0 / 30.0
    h: float = 0.0
    eps: float = 1e-4
    iterations: int = 1
    time: float = 0.0
    saved_time: float = 0.0
    alarms: list[Alarm] = field(default_factory=list)
    log: str = ""

    def __post_init__(self) -> None:
        self.engine = Engine(self)

    def links(self):
        return (link for corpus in self.corpora.values() for link in corpus.links.values())

    def fire_due(self) -> None:
        """Runs the commands whose time has come, in the order of their times."""
        it = self.universe.it
        while due := [a for a in self.alarms if a.time <= self.time * (1 + 1e-12) + 1e-12]:
            alarm = min(due, key=lambda a: a.time)
            self.alarms.remove(alarm)
            if alarm.period > 0:
                self.alarms.append(Alarm(alarm.time + alarm.period, alarm.command, alarm.period, alarm.span))
            before, it.span = it.span, alarm.span
            try:
                it.call(alarm.command.text, alarm.command)
            finally:
                it.span = before

    def go(self, frames: int) -> None:
        """Simulates so many frames."""
        total = frames * self.iterations
        for done in range(total):
            self.universe.it.progress(done, total)
            self.fire_due()
            for gait in self.universe.gaits.values():
                if gait.corpus in self.corpora.values():
                    gait.advance(self.universe.it, self.time, self.dt)
            self.engine.advance(self.dt)
            if self.universe.it.verbosity in ("extra", "super", "detailed"):
                self.universe.it.note(self.engine.report(self.universe.it.verbosity))
        self.universe.it.progress(total, total)
        for corpus in self.corpora.values():
            if corpus.ready:
                corpus.place_objects()


class Universe:
    """Every world, the current one, the current figure and the current gait controller."""

    def __init__(self, it: Interpreter):
        self.it = it
        self.realms: dict[str, Realm] = {}
        self.gaits: dict[str, Gait] = {}
        self._realm: Realm | None = None
        self._corpus: Corpus | None = None
        self._gait: Gait | None = None

    # ------------------------------------------------------------ what is current
    @property
    def realm(self) -> Realm:
        if self._realm is None:
            raise CommandError("there is no world yet: addworld makes one")
        return self._realm

    @realm.setter
    def realm(self, realm: Realm) -> None:
        self._realm = realm
        self._corpus = next(reversed(realm.corpora.values()), None)

    @property
    def corpus(self) -> Corpus:
        if self._corpus is None:
            raise CommandError("there is no corpus yet: addcorpus makes one")
        return self._corpus

    @corpus.setter
    def corpus(self, corpus: Corpus) -> None:
        self._corpus = corpus

    @property
    def built(self) -> Corpus:
        """The current figure, finished."""
        if not self.corpus.ready:
            raise CommandError(f"corpus {self.corpus.name!r} is not finished: corpusinit comes first")
        return self.corpus

    @property
    def gait(self) -> Gait:
        if self._gait is None:
            raise CommandError("there is no gait controller yet: addroach makes one")
        return self._gait

    @gait.setter
    def gait(self, gait: Gait) -> None:
        self._gait = gait

    # ------------------------------------------------------------ by name
    def find(self, kind: str, name: str) -> Any:
        match kind:
            case "body":
                return self.link(name)
            case "part":
                return self._piece(name)
            case "corpus":
                return _found(self.realm.corpora, name, "corpus")
            case "world":
                return _found(self.realms, name, "world")
            case "muscle":
                return _found(self.realm.muscles, name, "muscle")
            case "roach":
                return _found(self.gaits, name, "gait controller")
        raise CommandError(f"nothing of kind {kind!r} has a name")

    def link(self, name: str) -> Link:
        """A body: of the current figure, or the only one of that name in the world."""
        if name in self.corpus.links:
            return self.corpus.links[name]
        everywhere = [link for link in self.realm.links() if name in (link.name, link.full_name)]
        if len(everywhere) == 1:
            return everywhere[0]
        if everywhere:
            which = ", ".join(link.full_name for link in everywhere)
            raise CommandError(f"several bodies are called {name!r}: {which}; use the full name")
        hint = nearest(name, [link.name for link in self.realm.links()]).partition(" (allowed")[0]
        if name in self.corpus.gone:
            hint = f": {self.corpus.gone[name]}"
        raise CommandError(f"there is no body {name!r}{hint}")

    def _piece(self, name: str) -> Piece:
        pieces = {piece.name: piece for link in self.realm.links() for piece in link.pieces}
        return _found(pieces, name, "part")


def _found(things: dict[str, Any], name: str, what: str) -> Any:
    if name not in things:
        hint = nearest(name, things).partition(" (allowed")[0]
        raise CommandError(f"there is no {what} {name!r}{hint}")
    return things[name]
