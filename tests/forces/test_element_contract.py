"""The contract of a force element (gambol.forces.registry), for every one that is registered.

A new element needs a sample in SAMPLES: worlds in motion with at least two of it, and its law written out once more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from gambol import Anchor, BallSpring, JointLimit, JointSpring, PointForce, Simulation, Stepping, World
from gambol.figure import random_figure, random_positions
from gambol.forces.registry import compile_elements, element_modules, module_of
from gambol.forces.terrain import Terrain
from trees import close, derivative, gradient

pytestmark = [pytest.mark.nojit, pytest.mark.filterwarnings("ignore:invalid value")]  # spare lanes at t = ∞
GRAVITY = (0.3, -1.7, -9.81)
TIME = 0.4  # at which elements are looked at [s]


# ---------------------------------------------------------------- laws, written out
class AtJoint(NamedTuple):
    """Generalised force on one joint, from its positions and speeds."""

    body: str
    force: Callable[[np.ndarray, np.ndarray], np.ndarray]


class AtPoint(NamedTuple):
    """Force on a body's point, from its place, velocity, the body's rotation matrix and the time."""

    body: str
    point: tuple[float, float, float]
    force: Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]


def rotation_vector(x):
    """Of a quaternion, by the textbook formula."""
    w, r = (x[0], x[1:]) if x[0] >= 0 else (-x[0], -x[1:])
    s = np.linalg.norm(r)
    return 2.0 * np.arctan2(s, w) * r / s if s > 0 else 2.0 * r


@dataclass(frozen=True)
class Sample:
    """Elements of one type in a world, and what they should do there.

    `stores`: the force at rest is minus the gradient of the stored energy. `passive`: what depends on speed takes
    energy. `approximate`: largest error of the derivative that the implicit step uses, as a share of it.
    """

    figure: Any
    q: np.ndarray
    v: np.ndarray
    forces: tuple
    laws: tuple
    stores: bool = True
    passive: bool = True
    approximate: float = 1e-7
    duration: float = 0.2

    @property
    def world(self):
        return World(self.figure, GRAVITY, forces=self.forces)

    def simulation(self, stepping="rkf45", **options):
        sim = Simulation(self.world, stepping=stepping, **options)
        sim.reset(self.q, self.v, time=TIME)
        return sim


def moving(seed, joints, root="free", spread=1.0, bodies=5):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, bodies, joints, root)
    return figure, random_positions(rng, figure, spread), rng.normal(size=figure.speeds)


def joint_springs():
    figure, q, v = moving(1, ("hinge", "universal", "slide"))
    forces = [
        JointSpring(joint=b.name, stiffness=20.0 + 3 * k, damping=0.5 + 0.1 * k, rest=0.2 * k)
        for k, b in enumerate(figure.bodies[1:])
    ]
    laws = [AtJoint(e.joint, lambda x, u, e=e: -e.stiffness * (x - e.rest) - e.damping * u) for e in forces]
    return Sample(figure, q, v, tuple(forces), tuple(laws))


def joint_limits():
    figure, q, v = moving(2, ("hinge", "slide"), "hinge")
    forces, laws = [], []
    for k, body in enumerate(figure.bodies):
        x = q[figure.position_slices[body.name]][0]
        lower, upper = ((x + 0.8, x + 2.0), (x - 2.0, x - 0.9), (x - 9.0, x + 9.0))[k % 3]  # below, above, inside
        e = JointLimit(joint=body.name, lower=lower, upper=upper, stiffness=30.0 + k, damping=1.0 + 0.1 * k)
        forces.append(e)

        def law(x, u, e=e):
            beyond = np.maximum(x - e.upper, 0.0) + np.minimum(x - e.lower, 0.0)
            return np.where(beyond == 0.0, 0.0, -e.stiffness * beyond - e.damping * u)

        laws.append(AtJoint(body.name, law))
    return Sample(figure, q, v, tuple(forces), tuple(laws), duration=0.05)


def ball_springs(angle):
    figure, q, v = moving(3, ("ball",))
    rng = np.random.default_rng(3)
    for body in figure.bodies[1:]:
        turn = rng.normal(size=3)
        turn *= angle / np.linalg.norm(turn)
        size = np.linalg.norm(turn)
        q[figure.position_slices[body.name]] = [np.cos(size / 2), *(np.sin(size / 2) * turn / size)]
    forces = [BallSpring(joint=b.name, stiffness=15.0 + k, damping=0.7) for k, b in enumerate(figure.bodies[1:])]
    laws = [AtJoint(e.joint, lambda x, u, e=e: -e.stiffness * rotation_vector(x) - e.damping * u) for e in forces]
    # the derivative is taken as if the rotation vector were a plain coordinate: wrong by half the angle, to the side
    return Sample(figure, q, v, tuple(forces), tuple(laws), approximate=min(0.6 * angle, 0.5))


def point_forces():
    figure, q, v = moving(4, ("hinge", "ball"))
    world = PointForce(body="b2", force=(3.0, -2.0, 5.0), point=(0.1, 0.2, -0.3), start=0.1)
    body = PointForce(body="b3", force=(1.0, 4.0, -2.0), point=(0.0, -0.2, 0.1), axes="body")
    later = PointForce(body="b1", force=(100.0, 0.0, 0.0), start=5.0)
    past = PointForce(body="b1", force=(0.0, 100.0, 0.0), start=0.1, duration=0.2)
    laws = (
        AtPoint("b2", world.point, lambda place, speed, frame, t: np.array(world.force)),
        AtPoint("b3", body.point, lambda place, speed, frame, t: frame @ body.force),
    )
    return Sample(figure, q, v, (world, body, later, past), laws, stores=False)


def anchors():
    figure, q, v = moving(5, ("hinge", "slide"))
    forces = (
        Anchor(body="b2", place=(0.3, 0.2, 0.9), stiffness=80.0, damping=2.0, point=(0.1, 0.0, 0.2)),
        Anchor(body="b4", place=(-0.5, 0.1, 0.4), stiffness=40.0, damping=3.0),
    )
    laws = tuple(
        AtPoint(e.body, e.point, lambda x, u, frame, t, e=e: -e.stiffness * (x - e.place) - e.damping * u)
        for e in forces
    )
    return Sample(figure, q, v, forces, laws)


SAMPLES = {
    "joint_spring": (joint_springs,),
    "joint_limit": (joint_limits,),
    "ball_spring": (lambda: ball_springs(1e-3), lambda: ball_springs(0.8), lambda: ball_springs(2.5)),
    "point_force": (point_forces,),
    "anchor": (anchors,),
}
MODULES = {m.__name__.rsplit(".", maxsplit=1)[-1]: m for m in element_modules()}
NAMES = list(MODULES)


def samples_of(name):
    assert name in SAMPLES, f"force element {name!r} is registered but has no sample: add one to SAMPLES in {__file__}"
    return [make() for make in SAMPLES[name]]


every_element = pytest.mark.parametrize("name", NAMES)


# ---------------------------------------------------------------- generalised forces
def generalised(mechanics, sample, q, v, t):
    """The laws as generalised forces."""
    total = np.zeros(mechanics.speeds)
    figure = sample.figure
    for law in sample.laws:
        if isinstance(law, AtJoint):
            own = figure.speed_slices[law.body]
            total[own] += law.force(q[figure.position_slices[law.body]], v[own])
        else:
            J = mechanics.jacobian(q, law.body, law.point)[3:]
            frame = mechanics.frames(q)[f"{figure.name}/{law.body}"]
            total += J.T @ law.force(mechanics.point(q, law.body, law.point), J @ v, frame, t)
    return total


def applied(sim, q, v, t):
    """What the elements do: the forces that the accelerations need, nothing being commanded."""
    sim.reset(q, v, time=t)
    return sim.mechanics.inverse(q, v, sim.acceleration)


# ---------------------------------------------------------------- tests
@every_element
def test_module_and_sample(name):
    module = MODULES[name]
    for sample in samples_of(name):
        assert all(module_of(e) is module and e.type_name() == name for e in sample.forces) and len(sample.forces) > 1
        layout = sample.world.layout
        rows = [row for e in sample.forces for row in e.rows(layout)]
        assert {(len(i), len(p)) for i, p in rows} == {(module.INDICES, module.PARAMETERS)}
        compiled = compile_elements(sample.forces, layout, Terrain(), ledger=True)
        assert compiled.table[:, 1].sum() == len(rows) and compiled.lines[2:] == (name,)


def test_every_sample_belongs_to_an_element():
    assert set(SAMPLES) == set(NAMES)


@every_element
def test_force_is_that_of_its_law(name):
    for sample in samples_of(name):
        sim = sample.simulation()
        for v in (sample.v, 0.0 * sample.v):
            wanted = generalised(sim.mechanics, sample, sample.q, v, TIME)
            bias = sim.mechanics.bias(sample.q, v)
            close(applied(sim, sample.q, v, TIME), wanted, 1e-10, scale=np.abs(bias).max())
            assert np.abs(wanted).max() > 1e-3


@every_element
def test_stored_energy(name):
    """The force at rest is minus the gradient of the stored energy."""
    for sample in samples_of(name):
        sim = sample.simulation()
        m = sim.mechanics

        def stored(q, m=m, still=0.0 * sample.v):
            return m.energies(q, still, time=TIME)["stored"]

        if not sample.stores:
            assert stored(sample.q) == 0.0
            continue
        slope = gradient(lambda d, q=sample.q, m=m, f=stored: f(m.displaced(q, d)), m.speeds)
        wanted = generalised(m, sample, sample.q, 0.0 * sample.v, TIME)
        close(-slope, wanted, 1e-8)
        assert stored(sample.q) > 0.0 and np.abs(slope).max() > 1e-3


@every_element
def test_power_of_what_depends_on_speed(name):
    for sample in samples_of(name):
        sim = sample.simulation()
        rng = np.random.default_rng(1)
        for _ in range(5):
            v = rng.normal(size=len(sample.v))
            change = applied(sim, sample.q, v, TIME) - applied(sim, sample.q, 0.0 * v, TIME)
            if sample.passive:
                assert change @ v < 1e-9
            if sample.passive and sample.stores:
                assert change @ v < -1e-3  # these samples have dampers


def differences(sample, mechanics, q, v, acc, h):
    """First-order change of the laws over an implicit step, the arms of point forces held where they are.

    At a point with velocity u and acceleration w: ∂F/∂x h (u + h w) + ∂F/∂u h w.
    """
    total = np.zeros(mechanics.speeds)
    figure, step = sample.figure, 1e-4
    path = lambda s: mechanics.displaced(q, s * (v + h * acc))
    for law in sample.laws:
        if isinstance(law, AtJoint):
            own, at = figure.speed_slices[law.body], figure.position_slices[law.body]
            change = derivative(lambda s, law=law, own=own, at=at: law.force(path(s)[at], v[own] + s * acc[own]), step)
            total[own] += h * change
        else:
            J = mechanics.jacobian(q, law.body, law.point)
            u, w = J[3:] @ v, J[3:] @ acc + mechanics.bias_acceleration(q, v, law.body, law.point)[3:]
            frame, place = mechanics.frames(q)[f"{figure.name}/{law.body}"], mechanics.point(q, law.body, law.point)
            change = derivative(
                lambda s, law=law, u=u, w=w, frame=frame, x=place: law.force(
                    x + s * (u + h * w), u + s * w, frame, TIME
                ),
                step,
            )
            total += h * J[3:].T @ change
    return total


@every_element
@pytest.mark.parametrize("h", (1e-3, 0.05))
def test_implicit_step_uses_the_derivative_of_the_force(name, h):
    """One linearly implicit Euler step: M a + bias = force + its change by stiffness and damping."""
    for sample in samples_of(name):
        sim = sample.simulation(Stepping(method="implicit-euler", step=h))
        m = sim.mechanics
        sim.run(h)
        assert sim.counts["steps"] == 1
        acc = (sim.v - sample.v) / h
        force = generalised(m, sample, sample.q, sample.v, TIME)
        left = m.inverse(sample.q, sample.v, acc) - force
        wanted = differences(sample, m, sample.q, sample.v, acc, h)
        share = sample.approximate
        rounding = 1e-14 / h * np.abs(m.mass_matrix(sample.q)).max() + 1e-12 * np.abs(force).max()
        assert np.abs(left - wanted).max() <= share * np.abs(wanted).max() + rounding


@every_element
def test_work_in_the_ledger_is_the_integral_of_power(name):
    for sample in samples_of(name):
        sim = sample.simulation(Stepping(method="rkf45", eps=1e-12))
        parts = 200
        path = sim.run(sample.duration, every=sample.duration / parts)
        m, line = sim.mechanics, sim.elements.lines.index(name)
        times = [TIME, *path.time]
        states = list(zip([sample.q, *path.q], [sample.v, *path.v], times))
        power = np.array([generalised(m, sample, q, v, t) @ v for q, v, t in states])
        weights = np.array([1.0, *([4.0, 2.0] * (parts // 2))])  # Simpson's rule
        weights[-1] = 1.0
        work = weights @ power * sample.duration / parts / 3.0
        scale = np.abs(power).max() * sample.duration
        close(path.work[-1, line], work, 1e-7, scale)
        assert abs(path.work[-1, line]) > 1e-4
        books = sim.ledger()
        assert abs(books["numerical"]) < 1e-8 * max(1.0, scale)
        if sample.stores:  # what it gave and what it holds: the rest went to its dampers
            begin = m.energies(sample.q, sample.v, time=TIME)["stored"]
            assert books[f"work of {name}"] + books["stored"] - begin < 0.0


@every_element
@pytest.mark.parametrize("method", ("rk4", "implicit-pair"))
def test_worlds_in_a_pack_move_as_single_ones(name, method):
    """Three worlds with other states and parameters; fixed steps, or steps chosen one by one."""
    for sample in samples_of(name):
        rng = np.random.default_rng(2)
        stepping = Stepping(method=method, step=2e-3, eps=1e-4 if method == "implicit-pair" else None)
        worlds = [(sample.q, sample.v + rng.normal(0.0, 0.1, len(sample.v))) for _ in range(3)]
        many = Simulation(sample.world, stepping=stepping, worlds=3)
        many.reset(np.array([q for q, _ in worlds]), np.array([v for _, v in worlds]), time=TIME)
        many.run(0.02)
        for k, (q, v) in enumerate(worlds):
            one = Simulation(sample.world, stepping=stepping, ledger=False)
            one.reset(q, v, time=TIME)
            one.run(0.02)
            assert many.counts["steps"][k] == one.counts["steps"]
            close(many.q[k], one.q, 1e-11)
            close(many.v[k], one.v, 1e-10)


def test_gate_of_a_point_force():
    """On from start, for the duration, again every period."""
    figure, q, _ = moving(6, ("hinge",), bodies=1)
    push = PointForce(body="b0", force=(1.0, 0.0, 0.0), start=0.3, duration=0.1, period=0.25)
    sim = Simulation(World(figure, (0.0, 0.0, 0.0), forces=(push,)))
    on = lambda t: bool(np.abs(applied(sim, q, np.zeros(6), t)).max() > 1e-6)
    times = {0.0: False, 0.29: False, 0.31: True, 0.39: True, 0.41: False, 0.54: False, 0.56: True, 0.64: True,
             0.66: False, 2.81: True, 2.91: False}  # fmt: skip
    assert {t: on(t) for t in times} == times
