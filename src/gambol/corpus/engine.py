"""Runs a world: builds the simulation when a frame is asked for, and keeps the figures' state in step with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.corpus.geometry import matrix_of, placed, placement_of
from gambol.corpus.table import CommandError

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


@dataclass
class Motor:
    """A joint constant on its way to a target."""

    link: Link
    parameter: str
    start: float
    target: float
    begun: float
    ends: float

    def value(self, time: float) -> float:
        if time >= self.ends or self.ends <= self.begun:
            return self.target
        return self.start + (self.target - self.start) * max(time - self.begun, 0.0) / (self.ends - self.begun)


class Engine:
    """The simulation behind a realm. `rebuild` and `resend` say that figures, or only their state, were changed."""

    def __init__(self, realm: Realm):
        self.realm = realm
        self.sim: Simulation | None = None
        self.stale = True
        self.unsent = True
        self.motors: dict[tuple[str, str], Motor] = {}
        self.clipped = 0
        self.steps = 0
        self._metered: dict[str, float] = {}
        self._before: dict[str, float] = {}  # joint forces at the start of a frame
        self.contact_sums: dict[str, np.ndarray] = {}
        self._forces: tuple[float, np.ndarray] | None = None

    # ------------------------------------------------------------ what was changed
    def rebuild(self) -> None:
        self.stale = True
        self._forces = None

    def resend(self) -> None:
        self.unsent = True
        self._forces = None

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
        from gambol.corpus import physics
        from gambol.world.simulation import Simulation
        from gambol.world.world import World

        boxed = {link.full_name for pair in self.realm.colliding for link in pair}
        figures = [corpus.figure(boxed) for corpus in self.realm.corpora.values() if corpus.ready]
        if not figures:
            raise CommandError("there is no finished figure to simulate: addcorpus … corpusinit")
        gravity = self.realm.gravity if self.realm.gravity_on else np.zeros(3)
        self._settle_motors()
        world = World(figures, gravity=tuple(map(float, gravity)), **physics.environment(self.realm))
        before = self.sim
        self.sim = Simulation(world, stepping=self._stepping())
        self.sim.reset(self._positions(), self._speeds(), time=self.realm.time)
        self.sim.command = self._commands()
        for motor in self.motors.values():
            physics.start_motor(self.sim, motor, self.realm.time)
        if before is not None:
            physics.carry_over(before, self.sim)
        self._metered.clear()
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
        self._follow_motors()

    # ------------------------------------------------------------ moving on
    def advance(self, dt: float) -> None:
        """One frame."""
        from gambol.corpus import impacts

        sim = self.ready()
        before = sim.counts["steps"]
        self._before = {k.full_name: self.joint_force(k) for k in self.realm.links() if k.joint.sums}
        if self.realm.order == "arist":
            sim.relax(dt, dt / RELAXATION)
            self.fetch()
            self.realm.time += dt
            self.stale = True  # the clock of the simulation stood still
        else:
            sim.advance(self.realm.time + dt)
            impacts.resolve(self.realm, sim)
            self.fetch()
        self.steps = int(sim.counts["steps"] - before)
        self._forces = None
        self._sum(dt)
        self._limit_speeds()

    def _sum(self, dt: float) -> None:
        """Running integrals: of joint forces by the meters of the simulation, of the others over frames."""
        from gambol.corpus import physics

        assert self.sim is not None
        for link in self.realm.links():
            for kind in link.joint.sums:
                link.joint.since[kind] += dt
                if kind == "abs" or link.driven:  # the force of a drive is not metered
                    force = 0.5 * (self._before.get(link.full_name, 0.0) + self.joint_force(link))
                    link.joint.sums[kind] += dt * (abs(force) if kind == "abs" else force)
                else:
                    link.joint.sums[kind] += physics.metered(self.sim, link) - self._metered.get(link.full_name, 0.0)
                    self._metered[link.full_name] = physics.metered(self.sim, link)
        for name in self.contact_sums:
            link = self.realm.universe.link(name)
            self.contact_sums[name] = self.contact_sums[name] + dt * self.contact_force(link)
        for attachment in self.realm.attachments:
            if attachment.sum is not None:
                attachment.sum = attachment.sum + dt * self.attachment_force(attachment.name)

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

    # ------------------------------------------------------------ forces
    def joint_forces(self) -> dict[str, float]:
        """The force at every joint with one coordinate, now [N·m or N]."""
        sim = self.ready()
        if self._forces is None or self._forces[0] != sim.time:
            self._forces = (float(sim.time), sim.joint_force)
        values = self._forces[1]
        found = {}
        for entry in sim.layout.bodies:
            where = sim.layout.speed_slices[entry.name]
            if where.stop - where.start == 1:
                found[entry.name] = float(values[where][0])
        return found

    def joint_force(self, link: Link) -> float:
        link.joint.force = self.joint_forces().get(link.full_name, 0.0)
        return link.joint.force

    def acceleration(self, link: Link) -> float:
        sim = self.ready()
        where = sim.layout.speed_slices[link.full_name]
        return float(sim.acceleration[where][0]) if where.stop - where.start == 1 else 0.0

    # ------------------------------------------------------------ contact and attachments
    def contacts(self, link: Link) -> dict[str, np.ndarray] | None:
        """What the ground contact of a body reports now; None when it has none."""
        from gambol.corpus import physics

        sim, name = self.ready(), physics.ground_name(link)
        return sim.report(name) if name in sim.elements.places else None

    def contact_force(self, link: Link) -> np.ndarray:
        """The whole force of the ground on a body [N, world axes]."""
        found = self.contacts(link)
        return np.zeros(3) if found is None else np.array([found[f"force_{x}"].sum() for x in "xyz"])

    def attachment_force(self, name: str) -> np.ndarray:
        """The force of an attachment on its first body [N, world axes]."""
        found = self.ready().report(name)
        return np.array([float(found[f"force_{x}"][0]) for x in "xyz"])

    def switch_glue(self, link: Link) -> None:
        """A body sticks from now on, or no more."""
        from gambol.corpus import physics

        if self.sim is not None and not self.stale and not physics.set_sticky(self.sim, link):
            self.rebuild()

    def stuck(self, link: Link) -> list[np.ndarray]:
        """Of every point of a sticky body: whether it sticks, and where."""
        from gambol.corpus import physics

        return physics.stuck_points(self.ready(), link)

    def stick(self, link: Link, points: dict[int, list[float]]) -> None:
        from gambol.corpus import physics

        physics.set_stuck(self.ready(), link, points)

    # ------------------------------------------------------------ motor programs
    def start(self, link: Link, parameter: str, target: float, duration: float) -> None:
        """Begins a motor program; one that runs on the same constant is replaced."""
        from gambol.corpus import physics

        if duration < 0:
            raise CommandError(f"the time of a motor program must not be negative, it is {duration:g} s")
        now = self.realm.time
        motor = Motor(link, parameter, self.value(link, parameter), target, now, now + duration)
        self.motors[link.full_name, parameter] = motor
        if self.sim is not None and not self.stale and not physics.start_motor(self.sim, motor, now):
            self.rebuild()

    def value(self, link: Link, parameter: str) -> float:
        """A joint constant now."""
        motor = self.motors.get((link.full_name, parameter))
        return motor.value(self.realm.time) if motor else link.joint.numbers[parameter]

    def _follow_motors(self) -> None:
        for motor in self.motors.values():
            motor.link.joint.numbers[motor.parameter] = motor.value(self.realm.time)

    def _settle_motors(self) -> None:
        """Forgets motor programs that have arrived, and those of bodies that are gone."""
        self._follow_motors()
        here = {link.full_name for link in self.realm.links()}
        self.motors = {k: m for k, m in self.motors.items() if m.ends > self.realm.time and k[0] in here}

    def set_number(self, link: Link, parameter: str, value: float) -> None:
        """Sets a joint constant; a motor program on it ends."""
        from gambol.corpus import physics

        link.joint.numbers[parameter] = value
        moving = self.motors.pop((link.full_name, parameter), None)
        if self.sim is None or self.stale:
            return
        if moving is not None or not physics.set_constant(self.sim, link, parameter, value):
            self.rebuild()

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
