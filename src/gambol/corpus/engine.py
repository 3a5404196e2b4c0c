"""Runs a world: builds the simulation when a frame is asked for, and keeps the figures' state in step with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.contact_elements import carry_over
from gambol.corpus.geometry import matrix_of, placed, placement_of
from gambol.corpus.impacts import resolve_impacts
from gambol.corpus.motors import Motors
from gambol.corpus.physics import environment
from gambol.corpus.readings import Readings
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import Corpus, Link
    from gambol.corpus.universe import Realm
    from gambol.world.simulation import Simulation

METHODS = {
    "rkf": "rkf45",
    "rkfixed": "rk4",
    "rkvar": "rk4-doubling",
    "euler": "euler-1994",
    "implicit": "implicit-pair",
}
RELAXATION = 20  # steps of first-order dynamics in a frame


class Engine:
    """The simulation behind a realm. `rebuild` and `resend` say that figures, or only their state, were changed."""

    def __init__(self, realm: Realm):
        self.realm = realm
        self.sim: Simulation | None = None
        self.stale = True
        self.unsent = True
        self.motors = Motors(self)
        self.readings = Readings(self)
        self.clipped = 0
        self.steps = 0

    # ------------------------------------------------------------ what was changed
    def rebuild(self) -> None:
        self.stale = True
        self.readings.forget()

    def resend(self) -> None:
        self.unsent = True
        self.readings.forget()

    @property
    def current(self) -> Simulation | None:
        """The simulation, when it is still that of the world as described."""
        return None if self.stale else self.sim

    # ------------------------------------------------------------ building
    def ready(self) -> Simulation:
        """The simulation, up to date with everything the commands have said."""
        if self.sim is None or self.stale:
            self._build()
        elif self.unsent:
            assert self.sim is not None
            self.sim.q, self.sim.v = self._positions(), self._speeds()
            self.sim.command = self._commands()
            self.unsent = False
        assert self.sim is not None
        return self.sim

    def _build(self) -> None:
        from gambol.world.simulation import Simulation
        from gambol.world.world import World

        boxed = {link.full_name for pair in self.realm.colliding for link in pair}
        figures = [corpus.figure(boxed) for corpus in self.realm.corpora.values() if corpus.ready]
        if not figures:
            raise CommandError("there is no finished figure to simulate: addcorpus … corpusinit")
        gravity = self.realm.gravity if self.realm.gravity_on else np.zeros(3)
        self.motors.settle()
        world = World(figures, gravity=tuple(map(float, gravity)), **environment(self.realm))
        before = self.sim
        self.sim = Simulation(world, stepping=self._stepping())
        self.sim.reset(self._positions(), self._speeds(), time=self.realm.time)
        self.sim.command = self._commands()
        self.motors.send()
        if before is not None:
            carry_over(before, self.sim)
        self.readings.restart()
        self.stale = self.unsent = False

    def _stepping(self):
        from gambol.stepping.options import Stepping

        realm = self.realm
        method = METHODS[realm.integration]
        step = realm.h or realm.dt
        if method == "implicit-pair":
            return Stepping(method=method, step=step)
        return Stepping(method=method, step=step, eps=realm.eps)

    # ------------------------------------------------------------ state, there and back
    def _moving(self):
        assert self.sim is not None
        return ((self.realm.corpora[self.sim.layout.figures[e.figure].name], e) for e in self.sim.layout.bodies)

    def _fill(self, array: np.ndarray, slices: dict[str, slice], value) -> np.ndarray:
        for corpus, entry in self._moving():
            found = value(corpus, corpus.links[entry.body.name])
            where = slices[entry.name]
            if where.stop > where.start:
                array[where] = found
        return array

    def _positions(self) -> np.ndarray:
        assert self.sim is not None
        layout = self.sim.layout
        return self._fill(np.array(layout.zero, float), layout.position_slices, _position)

    def _speeds(self) -> np.ndarray:
        assert self.sim is not None
        layout = self.sim.layout
        return self._fill(np.zeros(layout.nv), layout.speed_slices, lambda c, l: c.velocity if l is c.root else l.dq)

    def _commands(self) -> np.ndarray:
        """Accelerations of driven joints."""
        assert self.sim is not None
        layout = self.sim.layout

        def command(corpus: Corpus, link: Link) -> Any:
            if link is corpus.root:
                return corpus.acceleration if corpus.root_motion in ("kinematic", "constrained") else np.zeros(6)
            return link.ddq if link.driven else 0.0

        return self._fill(np.zeros(layout.nv), layout.speed_slices, command)

    def fetch(self) -> None:
        """Takes the state of the simulation back into the figures."""
        sim = self.sim
        assert sim is not None
        q, v = sim.q, sim.v
        for corpus, entry in self._moving():
            link = corpus.links[entry.body.name]
            at, speed = sim.layout.position_slices[entry.name], sim.layout.speed_slices[entry.name]
            if at.stop == at.start:
                continue
            if link is corpus.root:
                corpus.pose = matrix_of(placed(q[at]))
                corpus.velocity = np.array(v[speed])
            else:
                link.q, link.dq = float(q[at][0]), float(v[speed][0])
        self.realm.time = float(sim.time)
        self.motors.follow()

    # ------------------------------------------------------------ moving on
    def advance(self, dt: float) -> None:
        """One frame."""
        sim = self.ready()
        before = sim.counts["steps"]
        self.readings.begin_frame()
        if self.realm.order == "arist":
            sim.relax(dt, dt / RELAXATION)
            self.fetch()
            self.realm.time += dt
            self.stale = True  # the clock of the simulation stood still
        else:
            try:
                sim.advance(self.realm.time + dt)
                resolve_impacts(self.realm, sim)
            finally:  # also what was reached before a failure or an interruption
                self.fetch()
        self.steps = int(sim.counts["steps"] - before)
        self.readings.forget()
        self.readings.sum(dt)
        self._limit_speeds()

    def _limit_speeds(self) -> None:
        """`maxv`: speeds above a limit are cut, and counted."""
        for link in self.realm.links():
            if link.fastest is None:
                continue
            linear, angular = link.fastest
            if link is link.corpus.root:
                for part, limit in ((slice(0, 3), angular), (slice(3, 6), linear)):
                    size = float(np.linalg.norm(link.corpus.velocity[part]))
                    if size > limit:
                        link.corpus.velocity[part] *= limit / size
                        self._clip()
            else:
                limit = angular if link.kind == "rotary" else linear
                if abs(link.dq) > limit:
                    link.dq = float(np.sign(link.dq)) * limit
                    self._clip()

    def _clip(self) -> None:
        self.clipped += 1
        self.resend()

    # ------------------------------------------------------------ what is printed
    def beyond_laws(self) -> dict[str, float]:
        """How often each force law was evaluated beyond what it is good for, since the simulation was built."""
        return self.sim.parameters.clipped() if self.sim is not None else {}

    def report(self, verbosity: str) -> str:
        sim = self.ready()
        text = f"time {self.realm.time:.9g}: {self.steps} steps"
        if verbosity in ("super", "detailed"):
            text += f", {int(sim.counts['rejected'])} rejected so far"
            books = sim.ledger()
            text += f", energy {books['kinetic'] + books['gravity'] + books['stored']:.9g} J"
        if verbosity == "detailed":
            rows = [f"{link.name}: q {link.q:.9g} dq {link.dq:.9g}" for link in self.realm.links() if link.parent]
            text = "\n".join([text, *rows])
        return text


def _position(corpus: Corpus, link: Link) -> Any:
    if link is not corpus.root:
        return link.q
    place = placement_of(corpus.pose, f"the root {link.name!r}")
    return np.array([*place.position, *place.rotation])
