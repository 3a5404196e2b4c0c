"""Laws of force elements written out in NumPy, and samples: elements in a world in motion with the laws they follow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from gambol import Simulation, Terrain, World, random_figure, random_positions
from trees import gradient

GRAVITY = (0.3, -1.7, -9.81)
TIME = 0.4  # at which elements are looked at [s]


class AtJoint(NamedTuple):
    """Generalised force on one joint, from its positions, its speeds and the time."""

    body: str
    force: Callable[[np.ndarray, np.ndarray, float], np.ndarray]


class AtPoint(NamedTuple):
    """Force on a body's point, from its place, velocity, the body's rotation matrix and the time.

    `point` [m, body frame] may be a function of that frame and of the place of the body's origin.
    """

    body: str
    point: Any
    force: Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]


class AtJoints(NamedTuple):
    """Generalised forces on the first coordinates of several joints, from all positions and speeds and the time."""

    forces: Callable[[np.ndarray, np.ndarray, float], dict[str, float]]


class Couple(NamedTuple):
    """A torque on a body, from its rotation matrix and the time."""

    body: str
    torque: Callable[[np.ndarray, float], np.ndarray]


class OnPoints(NamedTuple):
    """Forces on points of several bodies ("" is the world), from all their places and velocities and the time."""

    points: Sequence[tuple[str, Any]]
    forces: Callable[[np.ndarray, np.ndarray, float], Sequence[np.ndarray]]


class AlongLine(NamedTuple):
    """A line of a length that depends on the positions, under a tension that depends on length, rate and time."""

    length: Callable[[Any, np.ndarray], float]
    tension: Callable[[float, float, float], float]


class Whole(NamedTuple):
    """Generalised forces from mechanics, positions, speeds and the time."""

    force: Callable[[Any, np.ndarray, np.ndarray, float], np.ndarray]


@dataclass(frozen=True)
class Sample:
    """Elements of one type in a world, and what they should do there.

    stores       the force at rest is minus the gradient of the stored energy
    passive      what depends on speed takes energy
    approximate  largest error of the derivative that the implicit step uses, as a share of it; None: it takes a secant,
                 or couples bodies, and is judged by how its steps converge and stay bounded instead
    setup        what is done to a simulation after it was reset
    reports      what each element says of itself: (element, mechanics, q, v) -> {name: values}
    """

    figure: Any
    q: np.ndarray
    v: np.ndarray
    forces: tuple
    laws: tuple
    stores: bool = True
    damped: bool = True
    passive: bool = True
    approximate: float | None = 1e-7
    duration: float = 0.2
    precision: float = 1e-10
    terrain: Terrain = field(default_factory=Terrain)
    profiles: dict = field(default_factory=dict)
    setup: Callable[[Simulation], None] = lambda sim: None
    reports: Callable | None = None

    def __post_init__(self) -> None:
        named = tuple(e if e.name else replace(e, name=f"e{k}") for k, e in enumerate(self.forces))
        object.__setattr__(self, "forces", named)

    @property
    def world(self):
        return World(self.figure, GRAVITY, self.forces, terrain=self.terrain, profiles=self.profiles)

    def simulation(self, stepping="rkf45", **options):
        sim = Simulation(self.world, stepping=stepping, **options)
        self.place(sim, self.q, self.v)
        return sim

    def place(self, sim, q, v, t=TIME):
        sim.reset(q, v, time=t)
        self.setup(sim)


def moving(seed, joints, root="free", spread=1.0, bodies=5):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, bodies, joints, root)
    return figure, random_positions(rng, figure, spread), rng.normal(size=figure.speeds)


# ---------------------------------------------------------------- generalised forces
class At(NamedTuple):
    """A point at a moment: its Jacobian, place, velocity, frame, and the point in the body's frame."""

    J: np.ndarray
    place: np.ndarray
    speed: np.ndarray
    frame: np.ndarray
    point: np.ndarray


def look(m, body, point, q, v) -> At:
    if not body:
        return At(np.zeros((6, m.speeds)), np.asarray(point, float), np.zeros(3), np.eye(3), np.asarray(point, float))
    frame = m.frames(q)[m.layout.body(body).name]
    if callable(point):
        point = point(frame, m.point(q, body))
    J = m.jacobian(q, body, point)
    return At(J, m.point(q, body, point), J[3:] @ v, frame, np.asarray(point, float))


def generalised(m, sample, q, v, t):
    """The laws as generalised forces."""
    return sum((force_of(m, law, q, v, t) for law in sample.laws), np.zeros(m.speeds))


def force_of(m, law, q, v, t):
    total = np.zeros(m.speeds)
    match law:
        case AtJoint():
            name = m.layout.body(law.body).name
            own = m.layout.speed_slices[name]
            total[own] += law.force(q[m.layout.position_slices[name]], v[own], t)
        case AtPoint():
            at = look(m, law.body, law.point, q, v)
            total += at.J[3:].T @ law.force(at.place, at.speed, at.frame, t)
        case AtJoints():
            for body, force in law.forces(q, v, t).items():
                total[m.layout.speed_slices[m.layout.body(body).name].start] += force
        case Couple():
            at = look(m, law.body, (0.0, 0.0, 0.0), q, v)
            total += at.J[:3].T @ law.torque(at.frame, t)
        case OnPoints():
            seen = [look(m, body, point, q, v) for body, point in law.points]
            forces = law.forces(np.array([a.place for a in seen]), np.array([a.speed for a in seen]), t)
            total += sum(a.J[3:].T @ f for a, f in zip(seen, forces))
        case Whole():
            total += law.force(m, q, v, t)
        case AlongLine():
            slope = gradient(lambda d: law.length(m, m.displaced(q, d)), m.speeds, 1e-3)
            total -= law.tension(law.length(m, q), slope @ v, t) * slope
    return total


def applied(sim, sample, q, v, t=TIME):
    """What the elements do: the forces that the accelerations need, nothing being commanded."""
    sample.place(sim, q, v, t)
    return sim.mechanics.inverse(q, v, sim.acceleration)


def stored(sim, q, v, t=TIME):
    """Energy in the elements with the parameters of the simulation."""
    return sim.mechanics.energies(q, v, time=t, parameters=sim.memory.read(sim.memory.parameters))["stored"]
