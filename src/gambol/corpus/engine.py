"""Runs a world: builds the simulation when a frame is asked for, and keeps the figures' state in step with it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.contact_elements import carry_over_persistent
from gambol.corpus.geometry import matrix_of, placement_from, placement_of
from gambol.corpus.impacts import answer_impact, impact_boundaries, resolve_impacts
from gambol.corpus.measurements import Measurements
from gambol.corpus.motors import MotorPrograms
from gambol.corpus.physics import environment
from gambol.errors import CommandError

if TYPE_CHECKING:
    from gambol.corpus.corpora import Corpus, CorpusLink
    from gambol.corpus.worlds import ScriptWorld
    from gambol.world.simulation import Simulation

INTEGRATORS = {
    "rkf": "rkf45",
    "rkfixed": "rk4",
    "rkvar": "rk4-doubling",
    "euler": "euler-1994",
    "implicit": "implicit-pair",
}


class Engine:
    """The simulation behind a world of the script, built anew when figures were changed."""

    def __init__(self, world: ScriptWorld):
        self.world = world
        self.sim: Simulation | None = None
        self.stale = True
        self.state_stale = True
        self.motors = MotorPrograms(self)
        self.measurements = Measurements(self)
        self.speed_clips = 0
        self.steps = 0

    # ------------------------------------------------------------ what was changed
    def invalidate(self) -> None:
        """The figures or their environment were changed: the next frame builds a new simulation."""
        self.stale = True
        self.measurements.invalidate()

    def invalidate_state(self) -> None:
        """Positions or speeds were changed: the next frame sends them to the simulation."""
        self.state_stale = True
        self.measurements.invalidate()

    @property
    def current(self) -> Simulation | None:
        """The simulation, when it is still that of the world as described."""
        return None if self.stale else self.sim

    # ------------------------------------------------------------ building
    def simulation(self) -> Simulation:
        """The simulation, up to date with everything the commands have said."""
        if self.sim is None or self.stale:
            self._build()
        elif self.state_stale:
            assert self.sim is not None
            self.sim.q, self.sim.v = self._positions(), self._speeds()
            self.sim.command = self._commands()
            self.state_stale = False
        assert self.sim is not None
        if len(self.sim.controllers) != len(self.world.gaits()):
            self.sim.attach(self.world.gaits())
        return self.sim

    def _build(self) -> None:
        from gambol.world.simulation import Simulation
        from gambol.world.world import World

        touching = {link.full_name for pair in self.world.colliding_pairs for link in pair}
        figures = [corpus.figure(touching) for corpus in self.world.corpora.values() if corpus.ready]
        if not figures:
            raise CommandError("there is no finished figure to simulate: addcorpus … corpusinit")
        gravity = self.world.gravity if self.world.gravity_on else np.zeros(3)
        self.motors.drop_finished()
        touches = impact_boundaries(self.world)
        world = World(figures, gravity=tuple(map(float, gravity)), boundaries=touches, **environment(self.world))
        before = self.sim
        self.sim = Simulation(world, stepping=self._stepping())
        self.sim.reset(self._positions(), self._speeds(), time=self.world.time)
        self.sim.command = self._commands()
        self.sim.attach(self.world.gaits())
        self.motors.start_all()
        if before is not None:
            carry_over_persistent(before, self.sim)
        self.measurements.restart()
        self.stale = self.state_stale = False

    def _stepping(self):
        from gambol.stepping.options import Stepping

        world = self.world
        method = INTEGRATORS[world.integration]
        step = world.h or world.dt
        if method == "implicit-pair":
            return Stepping(method=method, step=step)
        return Stepping(method=method, step=step, eps=world.eps)

    # ------------------------------------------------------------ state, there and back
    def _moving(self):
        assert self.sim is not None
        return ((self.world.corpora[self.sim.layout.figures[e.figure].name], e) for e in self.sim.layout.bodies)

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

        def command(corpus: Corpus, link: CorpusLink) -> Any:
            if link is corpus.root:
                return corpus.acceleration if corpus.root_motion in ("kinematic", "constrained") else np.zeros(6)
            return link.ddq if link.driven else 0.0

        return self._fill(np.zeros(layout.nv), layout.speed_slices, command)

    def read_state(self) -> None:
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
                corpus.pose = matrix_of(placement_from(q[at]))
                corpus.velocity = np.array(v[speed])
            else:
                link.q, link.dq = float(q[at][0]), float(v[speed][0])
        self.world.time = float(sim.time)
        self.motors.update_constants()

    # ------------------------------------------------------------ moving on
    def advance(self, dt: float) -> None:
        """One frame; gait controllers act at its beginning."""
        until, self.steps = self.world.time + dt, 0
        sim = self.simulation()
        self.measurements.begin_frame()
        if self.world.order == "arist":
            for gait in self.world.gaits():  # no run: time stands still
                if math.isfinite(gait.next_time(sim)):
                    gait.act(sim)
            sim = self.simulation()
            sim.relax(dt)
            self.read_state()
            self.world.time += dt
            self.stale = True  # the clock of the simulation stood still
        else:
            while not self._run(until):  # a leg's commands have changed what is simulated
                pass
        self.measurements.invalidate()
        self.measurements.integrate(dt)
        self._limit_speeds()

    def _run(self, until: float) -> bool:
        """On to a time, or to where a controller changed the world as described; has the time come?"""
        sim = self.simulation()
        before = sim.counts["steps"]
        try:
            if sim.world.boundaries:
                answer = lambda sim, event: answer_impact(self.world, sim, event.name)
                sim.run(until=until, on_event=answer)
            else:
                sim.advance(until)
            if not self._changed:
                resolve_impacts(self.world, sim)
        finally:  # also what was reached before a failure or an interruption
            ended = not self._changed
            if ended:
                self.read_state()
        self.steps += int(sim.counts["steps"] - before)
        return ended

    @property
    def _changed(self) -> bool:
        return self.stale or self.state_stale

    def _limit_speeds(self) -> None:
        """`maxv`: speeds above a limit are cut, and counted."""
        for link in self.world.links():
            if link.speed_limits is None:
                continue
            linear, angular = link.speed_limits
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
        self.speed_clips += 1
        self.invalidate_state()

    # ------------------------------------------------------------ what is printed
    def force_law_clips(self) -> dict[str, float]:
        """How often each force law was evaluated beyond what it is good for, since the simulation was built."""
        return self.sim.elements.clipped() if self.sim is not None else {}

    def report(self, verbosity: str) -> str:
        """What is printed about a frame."""
        sim = self.simulation()
        text = f"time {self.world.time:.9g}: {self.steps} steps"
        if verbosity in ("super", "detailed"):
            text += f", {int(sim.counts['rejected'])} rejected so far"
            ledger = sim.ledger()
            text += f", energy {ledger['kinetic'] + ledger['gravity'] + ledger['stored']:.9g} J"
        if verbosity == "detailed":
            rows = [f"{link.name}: q {link.q:.9g} dq {link.dq:.9g}" for link in self.world.links() if link.parent]
            text = "\n".join([text, *rows])
        return text


def _position(corpus: Corpus, link: CorpusLink) -> Any:
    if link is not corpus.root:
        return link.q
    place = placement_of(corpus.pose, f"the root {link.name!r}")
    return np.array([*place.position, *place.rotation])
