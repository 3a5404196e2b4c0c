"""Objects of any kind, constrained together: figures, ropes, cloth, whatever offers the routines of `Constrainable`.

The source (§2.4.3) asks four routines of an object that is to be constrained, and nothing else: what a force at a point
does, how a force at one point accelerates another, and how a point accelerates by all other forces and by velocities.
`BoundObjects` ties points of such objects together by solving A F = −B for the forces of all ties at once, at every
stage of a Runge–Kutta step:

    arm, line = FigureObject(World(chain(3))), rope(12, length=1.0, mass=0.2, start=(0, 0, -3))
    bound = BoundObjects({"arm": arm, "rope": line}, [Tie("rope", 0, "arm", ("chain_2", (0, 0, -1.0)))])
    path = bound.run(2.0, every=0.02)

It is Python, one object at a time: for a few objects of a few hundred freedoms. Figures among themselves are
constrained by `World(constraints=…)`, compiled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from gambol.errors import Fault, StepError, WorldError, nearest
from gambol.stepping import given
from gambol.stepping.workspace import CARRY, TIME

if TYPE_CHECKING:
    from gambol.world.world import World

CUTOFF = 1e-11  # singular values below this share of the largest are of ties that depend on others
DIFFERENCE = 1e-5  # [s] over which rates of positions are taken


@runtime_checkable
class Constrainable(Protocol):
    """What an object offers. `point` is whatever it calls its points by; vectors are in world axes.

    state    its state now, a flat array; `put` makes it another, and forgets the forces that were applied
    rate     the rate of its state, with all forces that were applied since `put`
    energy   kinetic and potential [J]
    """

    @property
    def state(self) -> np.ndarray:
        """Its state now."""
        ...

    def put(self, time: float, state: np.ndarray) -> None:
        """Takes up a state at a time [s]; the forces applied before are gone."""
        ...

    def point_motion(self, point: Any) -> tuple[np.ndarray, np.ndarray]:
        """Place [m] and velocity [m/s] of a point."""
        ...

    def apply_force(self, point: Any, force: np.ndarray) -> None:
        """A force [N] at a point, until the next `put`."""
        ...

    def force_to_acceleration(self, point: Any, other: Any) -> np.ndarray:
        """(3, 3): acceleration of `point` for a unit force at `other` [1/kg]."""
        ...

    def acceleration_from_force(self, point: Any) -> np.ndarray:
        """Acceleration of a point by every force that is no tie's [m/s²]."""
        ...

    def acceleration_from_velocity(self, point: Any) -> np.ndarray:
        """Acceleration of a point by velocities alone [m/s²]: what is left when all speeds stay as they are."""
        ...

    def rate(self) -> np.ndarray:
        """Rate of the state, with the forces applied."""
        ...

    def energy(self) -> float:
        """Kinetic and potential [J]."""
        ...


class FigureObject:
    """A world of figures, with its forces, as one object. A point is (body, place in the body's frame [m]), or a body.

    Worlds with constraints, driven joints or elements that integrate something are refused: what they add to the
    response to a force is known to the compiled solver alone.
    """

    def __init__(self, world: World, q: Sequence[float] | None = None, v: Sequence[float] | None = None):
        from gambol.world.simulation import Simulation

        self.sim = Simulation(world, ledger=False)
        faults = []
        if world.constraints:
            faults.append("has constraints of its own: tie its points instead")
        if len(self.sim.memory.states):
            faults.append("has elements with states of their own")
        if any(b.body.joint.driven for b in self.sim.layout.bodies):
            faults.append("has driven joints")
        if faults:
            raise WorldError([Fault(f"a world that {text} cannot be bound as an object", "world") for text in faults])
        self.sim.reset(q, v)
        self._mechanics, self._count = self.sim.mechanics, len(self.sim.q)
        layout = self.sim.layout
        places = [(layout.position_slices[b.name], layout.speed_slices[b.name]) for b in layout.bodies]
        self._turns = [slice(p.stop - 4, p.stop) for p, s in places if p.stop - p.start == s.stop - s.start + 1]
        self._push = np.zeros(len(self.sim.v))
        self._time = 0.0
        self._forget()

    def _forget(self) -> None:
        self._push[:] = 0.0
        self._free: np.ndarray | None = None
        self._solved: dict[Any, np.ndarray] = {}
        self._rows: dict[Any, np.ndarray] = {}

    @property
    def state(self) -> np.ndarray:
        """Positions, then speeds."""
        return np.concatenate([self.sim.q, self.sim.v])

    def put(self, time: float, state: np.ndarray) -> None:
        """Takes up positions and speeds; quaternions are made unit ones."""
        q = np.array(state[: self._count], float)
        for turn in self._turns:
            q[turn] /= np.linalg.norm(q[turn])
        memory = self.sim.memory
        memory.write(memory.positions, q, "positions")
        memory.write(memory.speeds, state[self._count :], "speeds")
        memory.cells[:, [memory.clock(TIME), memory.clock(CARRY)]] = time, 0.0
        self._time = time
        self._forget()

    def _at(self, point: Any) -> tuple[str, tuple[float, float, float]]:
        return (point, (0.0, 0.0, 0.0)) if isinstance(point, str) else (point[0], tuple(point[1]))

    def _jacobian(self, point: Any) -> np.ndarray:
        key = self._at(point)
        if key not in self._rows:
            self._rows[key] = self._mechanics.jacobian(self.sim.q, *key)[3:]
        return self._rows[key]

    def _response(self, point: Any) -> np.ndarray:
        """M⁻¹ Jᵀ of a point."""
        key = self._at(point)
        if key not in self._solved:
            self._solved[key] = np.linalg.solve(self._mechanics.mass_matrix(self.sim.q), self._jacobian(point).T)
        return self._solved[key]

    @property
    def _acceleration(self) -> np.ndarray:
        if self._free is None:
            self._free = np.array(self.sim.acceleration)
        return self._free

    def point_motion(self, point: Any) -> tuple[np.ndarray, np.ndarray]:
        """Place [m] and velocity [m/s] of a point."""
        return self._mechanics.point(self.sim.q, *self._at(point)), self._jacobian(point) @ self.sim.v

    def apply_force(self, point: Any, force: np.ndarray) -> None:
        """A force [N] at a point: Jᵀ F."""
        self._push += self._response(point) @ force

    def force_to_acceleration(self, point: Any, other: Any) -> np.ndarray:
        """J M⁻¹ Jᵀ of the two points."""
        return self._jacobian(point) @ self._response(other)

    def acceleration_from_force(self, point: Any) -> np.ndarray:
        """J a, with the accelerations that all elements, gravity and gyroscopic forces give."""
        return self._jacobian(point) @ self._acceleration

    def acceleration_from_velocity(self, point: Any) -> np.ndarray:
        """J̇ v."""
        return self._mechanics.bias_acceleration(self.sim.q, self.sim.v, *self._at(point))[3:]

    def rate(self) -> np.ndarray:
        """Rates of positions and speeds, with the forces applied."""
        q, step = self.sim.q, DIFFERENCE * self.sim.v
        ahead, behind = self._mechanics.displaced(q, step), self._mechanics.displaced(q, -step)
        return np.concatenate([(ahead - behind) / (2 * DIFFERENCE), self._acceleration + self._push])

    def energy(self) -> float:
        """Kinetic, of gravity, and stored in elements [J]."""
        return sum(self._mechanics.energies(self.sim.q, self.sim.v, self._time).values())


@dataclass(frozen=True)
class Tie:
    """`point` of the object `name` at `at` of the object `to` (or at the place `at` of the world, with to = "").

    The gap D follows D″ + 2λD′ + λ²D = 0 with `rate` λ [1/s].
    """

    name: str
    point: Any
    to: str = ""
    at: Any = (0.0, 0.0, 0.0)
    rate: float = 20.0

    def ends(self) -> list[tuple[str, Any, float]]:
        """(object, point, sign) of its ends on objects."""
        return [(self.name, self.point, 1.0), *([(self.to, self.at, -1.0)] if self.to else [])]


@dataclass(frozen=True)
class BoundPath:
    """What a run of bound objects leaves.

    time       (samples,) [s]
    states     of each object, (samples, its numbers)
    gap        (samples, ties) how far each tie is open [m]
    force      (samples, ties, 3) on its first object [N]
    energy     (samples,) of all objects [J]
    """

    time: np.ndarray
    states: dict[str, np.ndarray]
    gap: np.ndarray
    force: np.ndarray
    energy: np.ndarray


class BoundObjects:
    """Objects tied together, in motion by classical Runge–Kutta steps, as the source takes them.

    solver  "direct": the equations as they are, which must be independent; "truncated" (the usual one): dependent and
            contradicting ties share what can be met
    step    [s] of a Runge–Kutta step
    """

    def __init__(
        self,
        objects: Mapping[str, Constrainable],
        ties: Sequence[Tie],
        *,
        solver: str = "truncated",
        step: float = 1e-3,
    ):
        self.objects, self.ties, self.solver, self.step = dict(objects), tuple(ties), solver, float(step)
        if faults := list(self._faults()):
            raise WorldError(faults)
        self.time = 0.0
        self.force = np.zeros((len(self.ties), 3))
        self.gap = np.zeros((len(self.ties), 3))

    def _faults(self):
        for name, thing in self.objects.items():
            if not isinstance(thing, Constrainable):
                lacks = [n for n in ROUTINES if not hasattr(thing, n)]
                yield Fault(f"a {type(thing).__name__} is not Constrainable: it lacks {', '.join(lacks)}", name)
        for tie in self.ties:
            for name in filter(None, (tie.name, tie.to)):
                if name not in self.objects:
                    yield Fault(f"no object {name!r}{nearest(name, self.objects)}", "tie")
            if not (math.isfinite(tie.rate) and tie.rate >= 0):
                yield Fault(f"rate must be finite and not negative, it is {tie.rate:g}", f"tie of {tie.name}")
        if self.solver not in SOLVERS:
            yield Fault(f"no solver {self.solver!r}{nearest(self.solver, SOLVERS)}", "bound objects")
        if not (math.isfinite(self.step) and self.step > 0):
            yield Fault(f"step must be positive, it is {self.step:g}", "bound objects")

    def _end(self, name: str, point: Any) -> tuple[np.ndarray, np.ndarray]:
        return self.objects[name].point_motion(point)

    def rates(self, time: float, states: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Rates of all states, with the forces of the ties (which `force` and `gap` then hold)."""
        for name, thing in self.objects.items():
            thing.put(time, states[name])
        n = len(self.ties)
        A, B = np.zeros((n, 3, n, 3)), np.zeros((n, 3))
        for i, tie in enumerate(self.ties):
            gap, closing = self._end(tie.name, tie.point)
            if tie.to:
                there, moving = self._end(tie.to, tie.at)
                gap, closing = gap - there, closing - moving
            else:
                gap = gap - np.asarray(tie.at, float)
            self.gap[i] = gap
            B[i] = 2.0 * tie.rate * closing + tie.rate**2 * gap
            for name, point, sign in tie.ends():
                thing = self.objects[name]
                B[i] += sign * (thing.acceleration_from_force(point) + thing.acceleration_from_velocity(point))
                for j, other in enumerate(self.ties):
                    for owner, at, side in other.ends():
                        if owner == name:
                            A[i, :, j] += sign * side * thing.force_to_acceleration(point, at)
        self.force = SOLVERS[self.solver](A.reshape(3 * n, 3 * n), -B.ravel()).reshape(n, 3)
        for tie, force in zip(self.ties, self.force):
            for name, point, sign in tie.ends():
                self.objects[name].apply_force(point, sign * force)
        return {name: thing.rate() for name, thing in self.objects.items()}

    def _advance(self, states: dict[str, np.ndarray], h: float) -> dict[str, np.ndarray]:
        """One classical Runge–Kutta step."""
        slopes: list[dict[str, np.ndarray]] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            before = slopes[-1] if slopes else {name: np.zeros_like(x) for name, x in states.items()}
            slopes.append(self.rates(self.time + share * h, {n: x + share * h * before[n] for n, x in states.items()}))
        a, b, c, d = slopes
        return {n: x + h / 6.0 * (a[n] + 2 * b[n] + 2 * c[n] + d[n]) for n, x in states.items()}

    def run(self, duration: float, *, every: float) -> BoundPath:
        """Runs for `duration` [s], keeping what happens at multiples of `every` [s]; the start is the first sample."""
        duration, every = (
            given.number(x, name, "bound objects", allowed="a positive number of seconds")
            for x, name in ((duration, "duration"), (every, "every"))
        )
        samples = round(duration / every) if every > 0.0 else 0
        if samples < 1 or abs(samples * every - duration) > 1e-6 * every:
            message = f"duration must be a multiple of every, both positive: they are {duration:g} s and {every:g} s"
            raise WorldError([Fault(message, "bound objects")])
        states = {name: np.array(thing.state, float) for name, thing in self.objects.items()}
        inner = max(1, math.ceil(every / self.step * (1 - 1e-9)))
        kept: list[tuple] = []
        begin = self.time
        for k in range(samples + 1):
            self.rates(self.time, states)
            states = {name: np.array(thing.state, float) for name, thing in self.objects.items()}
            energy = sum(thing.energy() for thing in self.objects.values())
            kept.append((self.time, states, np.linalg.norm(self.gap, axis=1), self.force.copy(), energy))
            for i in range(inner if k < samples else 0):
                with np.errstate(all="ignore"):  # _check says what is no longer finite
                    states = self._advance(states, every / inner)
                self.time = begin + every * (k + (i + 1) / inner)
                self._check(states, kept)
        return _path(kept)

    def _check(self, states: dict[str, np.ndarray], kept: list[tuple]) -> None:
        for name, x in states.items():
            if not np.all(np.isfinite(x)):
                error = StepError(
                    f"the state of the object {name!r} is no longer finite",
                    time=self.time,
                    world=0,
                    remedy="shorten `step`, soften what is stiff, or lower the rates of ties",
                )
                error.trajectory = _path(kept)  # type: ignore[assignment]
                raise error


def _path(kept: list[tuple]) -> BoundPath:
    time, states, gap, force, energy = zip(*kept)
    return BoundPath(
        np.array(time),
        {name: np.array([s[name] for s in states]) for name in states[0]},
        np.array(gap),
        np.array(force),
        np.array(energy),
    )


def _direct(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(A, b) if len(b) else b
    except np.linalg.LinAlgError:
        message = "ties depend on one another: the direct solver cannot solve them; use solver='truncated'"
        raise WorldError([Fault(message, "bound objects")]) from None


def _truncated(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not (np.all(np.isfinite(A)) and np.all(np.isfinite(b))):
        return np.full(len(b), np.nan)  # the state is looked at after the step
    return np.linalg.lstsq(A, b, rcond=CUTOFF)[0] if len(b) else b


SOLVERS = {"direct": _direct, "truncated": _truncated}
ROUTINES = (
    "state",
    "put",
    "point_motion",
    "apply_force",
    "force_to_acceleration",
    "acceleration_from_force",
    "acceleration_from_velocity",
    "rate",
    "energy",
)
