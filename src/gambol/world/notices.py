"""What is suspicious but no error: notices of a description, of the start of a run, and of its end.

Each is a record (gambol.Notice) with its numbers and a remedy: `world.notices` has those of the description alone,
which `gambol check` prints, `sim.notices` those and what was seen in motion. Each is given once as a warning too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gambol.errors import Notice, NoticeWarning, SingularMassError
from gambol.forces.ball_limit import BallLimit
from gambol.forces.clipping import EXPONENT_MOST
from gambol.forces.contact.body_contact import THICK, BodyContact
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.joint_limit import JointLimit
from gambol.forces.pulley import Pulley
from gambol.stepping.methods import IMPLICIT
from gambol.stepping.options import finest_eps
from gambol.stepping.workspace import ERROR, STEPS
from gambol.world.failure import variable_name
from gambol.world.singular_mass import (
    as_notice,
    check_masses,
    could_be_singular,
    held_by_springs,
    motion_without_mass,
    singular,
)
from gambol.world.swings import patience, shortest_swings, swing

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.world import World

FULL_TURN = 2 * math.pi
HEAVY, LIGHT = 1e6, 1e-12  # [kg] a body beyond these is no body
DENSE, THIN = 23_000.0, 0.1  # [kg/m³] osmium has 22 590, an aerogel 1
DEEP = 0.1  # of the size of the figures: a start this far inside the ground, a body this far below it
SUNK = 0.25  # of the thinner's thickness: a start this far inside another body
BEYOND = 0.05  # [rad, or sizes] a start this far beyond a stop
FAST = 1e-4  # of the output interval: a swing that is shorter …
FLEETING = 1e-5  # … or, of a run, one that is shorter than this share of it
HALF_TURN = 0.97 * math.pi  # [rad] round a pulley, beyond which nobody can tell whether it is
UNRESOLVED = math.pi  # steps of an explicit method in a swing, below which it grows
FIRST_LOOK, FIRST_TIME = 10, 0.5  # steps, or [s], after which an end of a run is looked at; then whenever doubled
ON_GROUND = (GroundContact, RoundContact)


# ---------------------------------------------------------------- of a description
def description_notices(world: World) -> Iterator[Notice]:
    """Masses, densities and ranges that nobody can mean."""
    for entry in world.layout.bodies:
        body, joint = entry.body, entry.body.joint
        mass = body.mass_properties.mass
        if mass > HEAVY or 0 < mass < LIGHT:
            what = f"its mass is {mass:.3g} kg, {'above' if mass > HEAVY else 'below'} any body's"
            yield Notice(what, entry.name, {"mass": mass}, "masses are in kg, lengths in m, densities in kg/m³")
        for part in body.parts if body.mass is None else ():
            density = part.density  # where a mass is given, a shape may be for show: a thin rod of some kilograms
            if part.inertial and part.mass is None and not THIN <= density <= DENSE:
                than = f"{'more' if density > 1 else 'less'} than any matter"
                what = f"a {part.shape.kind} of it has {density:.3g} kg/m³, {than}"
                remedy = "densities are in kg/m³ (water has 1000), lengths in m"
                yield Notice(what, entry.name, {"density": density}, remedy)
        if joint.range and _turns(joint):
            yield from _degrees(entry.name, *joint.range)
    for element in world.forces:
        if isinstance(element, JointLimit) and _turns(world.layout.body(element.joint).body.joint):
            yield from _degrees(element.name or element.joint, element.lower, element.upper)
        if isinstance(element, BallLimit):
            yield from _degrees(element.name or element.joint, 0.0, element.limit)


def _turns(joint: Any) -> bool:
    return set(joint.kind.speeds.values()) == {"rad/s"}


def _degrees(where: str, lower: float, upper: float) -> Iterator[Notice]:
    widest = max((abs(x) for x in (lower, upper) if math.isfinite(x)), default=0.0)
    if widest > FULL_TURN:
        what = f"its range {lower:g} … {upper:g} rad is {widest / FULL_TURN:.3g} turns: it looks like degrees"
        remedy = f"angles are in radians: {math.radians(lower):.4g} … {math.radians(upper):.4g}?"
        yield Notice(what, where, {"lower": lower, "upper": upper}, remedy)


# ---------------------------------------------------------------- of a run
class ContactPoints(NamedTuple):
    """The points of contacts of some types."""

    contacts: list[Any]
    owner: np.ndarray  # of each point: its contact
    report: np.ndarray  # … where its depth is among the reports
    param: np.ndarray  # … where its parameters begin
    calls: list[int]  # places of their types in `compiled.calls`

    @classmethod
    def of(cls, sim: Simulation, kinds: tuple[type, ...]) -> ContactPoints:
        """Those of a simulation."""
        found = [(e, rows) for e, rows in zip(sim.world.elements, sim.compiled.rows) if isinstance(e, kinds)]
        points = [
            (k, row.report + row.kernel.reports.index("depth"), row.param)
            for k, (_, rows) in enumerate(found)
            for row in rows
        ]
        kernels = {row.kernel for _, rows in found for row in rows}
        calls = [place for place, call in enumerate(sim.compiled.calls) if call.kernel in kernels]
        owner, report, param = np.array(points, int).reshape(-1, 3).T
        return cls([e for e, _ in found], owner, report, param, calls)

    def depths(self, sim: Simulation) -> np.ndarray:
        """(worlds, points) [m]."""
        return np.atleast_2d(sim.reports.of(self.calls))[:, self.report]


class Watchdog:
    """Looks at a simulation where its runs begin and end."""

    def __init__(self, sim: Simulation):
        self.sim = sim
        self.notices: list[Notice] = []
        self._warned: set[tuple[str, str]] = set()
        self._massless = could_be_singular(sim.layout)
        self._singular: Notice | None = None
        self._sound_start: tuple[Any, ...] | None = None
        if (error := check_masses(sim.layout, sim.mechanics)) is not None:
            self._singular = self._allowed(error)
        self.begin_anew()

    def begin_anew(self) -> None:
        """After a reset: only what the description shows stands."""
        self._looked, self._next_look, self._next_time = False, float(FIRST_LOOK), FIRST_TIME
        self._start: np.ndarray | None = None  # positions where the run began, of what can fall
        self.notices.clear()
        for notice in self.sim.world.notices:
            self.add(f"description {notice.what}", notice)
        if self._singular:
            self.add("singular", self._singular)

    def add(self, kind: str, notice: Notice) -> None:
        """Keeps a notice, and warns of it where it is the first of its kind there."""
        self.notices.append(notice)
        if (kind, notice.where) not in self._warned:
            self._warned.add((kind, notice.where))
            warnings.warn(NoticeWarning(notice), stacklevel=2)

    # ------------------------------------------------------------ where it begins
    def look_at_start(self, times: np.ndarray) -> None:
        """Once after a reset; a start of one world in which nothing was found is not looked at twice."""
        if self._looked:
            return
        self._looked, before = True, len(self.notices)
        if (start := self._start_of(times)) is None or start != self._sound_start:
            self._search_start(times)
            self._sound_start = start if len(self.notices) == before else None
        self._next_time += self.sim.latest_time
        if self._falling():
            self._start = np.atleast_2d(self.sim.q).copy()

    def _start_of(self, times: np.ndarray) -> tuple[Any, ...] | None:
        """All that decides what is found there."""
        sim = self.sim
        if sim.worlds > 1:
            return None
        cells, model = sim.memory.of(0)[: sim.memory.saved], sim.model
        shared = model.gravity.tobytes(), model.indices.tobytes(), sim.stepping
        return cells.tobytes(), *shared, len(times), *times[:2], times[-1] if len(times) else 0.0

    def _search_start(self, times: np.ndarray) -> None:
        self._look_for_singular_start()
        inside = (*self._inside_the_ground(), *self._inside_one_another())
        for notice in (*self._below_rounding(), *inside, *self._beyond_stops()):
            self.add("start", notice)
        for notice in self._too_fast(times):
            self.add("fast", notice)
        for notice in self._half_turns():
            self.add("pulley", notice)

    def _below_rounding(self) -> Iterator[Notice]:
        stepping, name = self.sim.stepping, self.sim.dtype.__name__
        finest = finest_eps(self.sim.dtype)
        if stepping.scheme.adaptive and stepping.eps is not None and stepping.eps < finest:
            what = f"eps = {stepping.eps:g} is below what {name} resolves: steps shrink, and the error is rounding"
            remedy = f"eps={1.05 * finest:.2g} or more" + (", or float64" if name == "float32" else "")
            yield Notice(what, "stepping", {"eps": stepping.eps, "finest": finest}, remedy)

    def _look_for_singular_start(self) -> None:
        sim = self.sim
        if self._massless and sim.worlds == 1 and not self._singular:
            motion = motion_without_mass(sim.layout, sim.mechanics, sim.q)
            if motion is not None:
                self.add("singular", self._allowed(singular(sim.layout, motion, "where the run begins")))

    def _allowed(self, error: SingularMassError) -> Notice:
        """A notice where implicit steps are sound without the mass; otherwise the error is raised."""
        sim = self.sim
        if sim.stepping.scheme.kind == IMPLICIT and held_by_springs(error, sim.world):
            return as_notice(error)
        raise error

    def _inside_the_ground(self) -> Iterator[Notice]:
        sim, points = self.sim, self._ground_points
        if not points.contacts:
            return
        depths = points.depths(sim)
        worst = depths.max(axis=0)
        deepest: dict[str, tuple[float, int]] = {}
        for k in np.flatnonzero(worst > DEEP * sim.world.size):
            body, found = points.contacts[points.owner[k]].body, (float(worst[k]), int(depths[:, k].argmax()))
            deepest[body] = max(found, deepest.get(body, found))
        for body, (depth, world) in deepest.items():
            what = f"starts {depth:.3g} m inside the ground" + (f" in world {world}" if sim.worlds > 1 else "")
            held, numbers = self._held()
            yield Notice(
                what + held, body, {"depth": depth} | numbers, "begin above the ground: reset with a higher root"
            )

    def _held(self) -> tuple[str, dict[str, Any]]:
        """What springs hold where a single world begins, in words and numbers."""
        sim = self.sim
        if sim.worlds > 1:
            return "", {}
        parameters, states = (sim.memory.read(c) for c in (sim.memory.parameters, sim.memory.states))
        stored = sim.mechanics.energies(sim.q, sim.v, sim.latest_time, parameters, states)["stored"]
        speed = math.sqrt(2 * max(stored, 0.0) / max(sim.mechanics.mass, 1e-300))
        told = f": springs hold {stored:.3g} J, enough to throw all out at {speed:.3g} m/s"
        return told, {"stored": stored, "speed": speed}

    @cached_property
    def _ground_points(self) -> ContactPoints:
        return ContactPoints.of(self.sim, ON_GROUND)

    @cached_property
    def _body_points(self) -> ContactPoints:
        return ContactPoints.of(self.sim, (BodyContact,))

    def _inside_one_another(self) -> Iterator[Notice]:
        sim, points = self.sim, self._body_points
        if not points.contacts:
            return
        depths = points.depths(sim)
        share = depths / sim.compiled.params[points.param + THICK]
        world, worst = np.unravel_index(int(np.argmax(share)), share.shape)
        if not share[world, worst] > SUNK:
            return
        contact, depth = points.contacts[points.owner[worst]], float(depths[world, worst])
        pairs = len(np.unique(points.owner[np.any(share > SUNK, axis=0)]))
        where = f" in world {world}" if sim.worlds > 1 else ""
        more = f" (and {pairs - 1} more pairs alike)" if pairs > 1 else ""
        held, numbers = self._held()
        what = f"starts {depth:.3g} m inside {contact.other}{where}{more}{held}"
        yield Notice(what, contact.body, {"depth": depth, "pairs": pairs} | numbers, "begin with the bodies apart")

    @cached_property
    def _stops(self) -> list[JointLimit | BallLimit]:
        return [e for e in self.sim.world.elements if isinstance(e, JointLimit | BallLimit)]

    @cached_property
    def _pulleys(self) -> list[Pulley]:
        return [e for e in self.sim.world.elements if isinstance(e, Pulley)]

    def _beyond_stops(self) -> Iterator[Notice]:
        sim, q = self.sim, np.atleast_2d(self.sim.q)
        for element in self._stops:
            values = q[:, sim.layout.position_slices[sim.layout.body(element.joint).name]]
            if isinstance(element, BallLimit):
                lower, upper = 0.0, element.limit
                beyond = 2.0 * np.arctan2(np.linalg.norm(values[:, 1:], axis=1), np.abs(values[:, 0])) - upper
            else:
                lower, upper = element.lower, element.upper
                beyond = np.maximum(values - upper, lower - values)
            scale = 1.0 if _turns(sim.layout.body(element.joint).body.joint) else sim.world.size
            worst = float(np.max(beyond, initial=0.0))
            if worst > BEYOND * scale:
                energy = self._held_by_stop(element, worst)
                what = f"starts {worst:.3g} beyond its stop ({lower:g} … {upper:g}), which holds {energy:.3g} J there"
                yield Notice(what, element.joint, {"beyond": worst, "energy": energy}, "begin inside the range")

    def _held_by_stop(self, element: JointLimit | BallLimit, beyond: float) -> float:
        """[J] that it holds so far beyond its range."""
        energy = 0.5 * element.stiffness * beyond**2
        if isinstance(element, BallLimit):
            return energy
        grown = math.expm1(min(element.rise * beyond, EXPONENT_MOST))
        energy += element.strength * (grown / element.rise - beyond) if element.strength else 0.0
        return energy * element.scale(self.sim.layout)

    # ------------------------------------------------------------ springs that are too fast
    @cached_property
    def _swings(self) -> list[tuple[Any, float]]:
        return shortest_swings(self.sim)

    def _too_fast(self, times: np.ndarray) -> Iterator[Notice]:
        sim = self.sim
        length = float(times[-1]) - sim.latest_time
        if not length > 0:
            return
        interval = float(times[1] - times[0]) if len(times) > 1 else math.inf
        scheme = sim.stepping.scheme
        slowest = max(FLEETING * length, FAST * interval if math.isfinite(interval) else 0.0)
        fixed = not scheme.adaptive and scheme.kind != IMPLICIT
        if fixed:
            slowest = max(slowest, UNRESOLVED * sim.stepping.step)
        springs = [element for element, period in self._swings if period < slowest * patience(element)]
        if not springs:
            return
        q = np.atleast_2d(sim.q)[0]
        mobility = np.linalg.pinv(sim.mechanics.mass_matrix(q), hermitian=True)
        for element in springs:
            period = swing(sim, element, mobility, q)
            if period < slowest * patience(element):
                swings = length / period
                what = f"it swings in {period:.2g} s, and a run of {length:.3g} s has {swings:.2g} such swings"
                if fixed and period < UNRESOLVED * sim.stepping.step * patience(element):
                    what += f"; a step of {sim.stepping.step:g} s of {scheme.name} does not follow it"
                numbers = {"period": period, "swings": swings}
                yield Notice(what, element.where, numbers, "soften it, or weld or constrain what it holds")

    def _half_turns(self) -> Iterator[Notice]:
        """Pulleys (of the first world) that are, or were taken for, round about half a turn."""
        if not self._pulleys:
            return
        sim, q = self.sim, np.atleast_2d(self.sim.q)[0]
        told = {notice.where for notice in self.notices if "turn" in notice.numbers}
        for pulley in self._pulleys:
            if pulley.where not in told and abs(turn := pulley.turn(sim.mechanics, q)) > HALF_TURN:
                what = (
                    f"it runs about half a turn ({turn:.4g} rad) round its pulley: beyond that it is taken for straight"
                )
                yield Notice(
                    what, pulley.where, {"turn": turn}, "a Cable with Around(side=…) goes round as far as it must"
                )

    # ------------------------------------------------------------ where it ends
    def look_at_end(self) -> None:
        """At the end of a run, when twice as many steps were taken as at the last look."""
        sim = self.sim
        steps, now = float(np.max(sim.clock(STEPS))), sim.latest_time
        if steps < self._next_look and now < self._next_time:
            return
        self._next_look, self._next_time = 2.0 * steps, max(2.0 * now, self._next_time)
        for notice in self._below_the_ground():
            self.add("below", notice)
        for notice in self._half_turns():
            self.add("pulley", notice)
        cell = sim.memory.couplings_left_out
        if cell is not None and (missed := float(np.max(sim.memory.read([cell])))) > 0:
            rows = sim.compiled.couplings.rows
            what = f"{missed:.0f} couplings found no room among {rows} rows: they act, but without implicit impedance"
            remedy = "merge elements between the same bodies, weld small bodies, or use an explicit method"
            self.add("couplings", Notice(what, "world", {"left_out": missed, "rows": rows}, remedy))
        if sim.energy_ledger and np.allclose(sim.gravity, sim.world.gravity):  # it does not know what others change
            verdict = sim.energy_ledger.verdict()
            if verdict.word == "wrong":
                self.add("ledger", self._ledger_notice(verdict))

    def _falling(self) -> bool:
        return self.sim.gravity[2] < 0 and bool(self._loose_bodies)

    def _heights(self, q: np.ndarray) -> np.ndarray:
        """How far, at positions q, the loose bodies are above the ground [m]; of several worlds the lowest."""
        sim, bodies = self.sim, self._loose_bodies
        if len(q) > 1:
            slices = [sim.layout.position_slices[name] for name in bodies]
            at = np.concatenate([q[:, own][:, :3] for own in slices])
        else:
            at = sim.mechanics.kinematics(q[0])[0][self._loose_places]
        return (at[:, 2] - sim.world.terrain.heights_at(at[:, :2])).reshape(len(bodies), -1).min(axis=1)

    @cached_property
    def _loose_bodies(self) -> dict[str, int]:
        """Bodies without contact of figures that can fall, and their places there; of several worlds the roots."""
        layout, elements = self.sim.layout, self.sim.world.elements
        held = {layout.body(e.body).name for e in elements if isinstance(e, ON_GROUND)}
        roots = {e.figure: e.name for e in layout.bodies if e.body.parent is None and e.body.joint.type == "free"}
        loose = {e.name: k for k, e in enumerate(layout.bodies) if e.figure in roots and e.name not in held}
        return loose if self.sim.worlds == 1 else {name: k for name, k in loose.items() if name in roots.values()}

    @cached_property
    def _loose_places(self) -> np.ndarray:
        return np.array(list(self._loose_bodies.values()), int)

    def _below_the_ground(self) -> Iterator[Notice]:
        if self._start is None:
            return
        heights = self._heights(np.atleast_2d(self.sim.q))
        below = heights < -DEEP * self.sim.world.size
        if not below.any():
            return
        below &= self._heights(self._start) > 0
        if count := int(below.sum()):
            lowest = int(np.argmin(np.where(below, heights, np.inf)))
            depth = -float(heights[lowest])
            more = f" (and {count - 1} more bodies)" if count > 1 else ""
            what = f"is {depth:.3g} m below the ground{more}: it has no contact with it, and fell through"
            remedy = "give it a GroundContact, or another gravity"
            yield Notice(what, list(self._loose_bodies)[lowest], {"depth": depth, "bodies": count}, remedy)

    def _ledger_notice(self, verdict: Any) -> Notice:
        sim, worst = self.sim, self._worst_of_energy()
        what = (
            f"the stepper made {verdict.numerical:.3g} J, {100 * verdict.share:.2g} % of the {verdict.turnover:.3g} J"
            f" turned over{worst}"
        )
        adaptive = sim.stepping.scheme.adaptive
        remedy = (
            f"a tighter eps than {sim.stepping.eps:g}" if adaptive else f"a shorter step than {sim.stepping.step:g} s"
        )
        numbers = {"numerical": verdict.numerical, "turnover": verdict.turnover, "share": verdict.share}
        return Notice(what, "energy", numbers, f"{remedy}, or another method")

    def _worst_of_energy(self) -> str:
        """What the error of the last step is largest in; where steps have none, the largest line of work, or motion."""
        sim = self.sim
        cells, offsets = sim.memory.of(0), sim.memory.offsets
        error = np.abs(cells[int(offsets[ERROR]) : int(offsets[ERROR + 1])]) * sim.error_scale
        if error.any():
            return f"; the error of its last step is largest in {variable_name(sim, int(np.argmax(error)))}"
        work = {name: value for name, value in sim.ledger().items() if name.startswith("work of ") and value}
        if work:
            largest = max(work, key=lambda name: abs(work[name]))
            return f"; the largest line of the ledger is {largest} ({work[largest]:.3g} J)"
        share = np.abs(sim.v * (sim.mechanics.mass_matrix(sim.q) @ sim.v))
        return f"; most of the motion is that of {sim.layout.speed_names[int(np.argmax(share))]}" if share.any() else ""
