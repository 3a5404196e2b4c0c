"""The contract of a force element (gambol.forces.kernel), for every one in the package and some from outside it.

A new element needs samples in joint_samples, line_samples or contact_samples: worlds in motion with at least two of
it, and its law written out once more.
"""

import itertools
from dataclasses import replace

import contact_samples
import joint_samples
import line_samples
import numpy as np
import own_elements
import own_samples
import pytest
from laws import TIME, AtJoint, AtPoint, applied, generalised, look, moving, stored

from gambol import JointMeter, PointForce, Simulation, Stepping, Terrain, World
from gambol.forces.kernel import kernel_of
from gambol.forces.programs import TYPE_COUNT
from gambol.forces.registry import compile_elements, element_types
from trees import close, derivative, gradient

pytestmark = pytest.mark.filterwarnings("ignore:invalid value")  # spare lanes at t = ∞
SAMPLES = joint_samples.SAMPLES | line_samples.SAMPLES | contact_samples.SAMPLES | own_samples.SAMPLES


TYPES = {x.type_name(): x for x in (*element_types(), *own_elements.TYPES)}
NAMES = [name for name, x in TYPES.items() if not x.measures]


def samples_of(name):
    assert name in SAMPLES, f"force element {name!r} has no sample: add one to joint_, line_ or contact_samples"
    return [make() for make in SAMPLES[name]]


every_element = pytest.mark.parametrize("name", NAMES)


@every_element
@pytest.mark.nojit
def test_module_and_sample(name):
    for sample in samples_of(name):
        assert all(type(e) is TYPES[name] for e in sample.forces) and len(sample.forces) > 1
        (kernel,) = {kernel_of(e) for e in sample.forces}
        layout = sample.world.layout
        rows = [row for e in sample.forces for row in e.rows(layout)]
        assert kernel.name == name and {(len(i), len(p)) for i, p in rows} == {(kernel.indices, kernel.parameters)}
        compiled = compile_elements(sample.forces, layout, Terrain(), ledger=True)
        assert compiled.table[:, TYPE_COUNT].sum() == len(rows) and compiled.lines[2:] == (name,)


def test_every_sample_belongs_to_an_element():
    assert set(SAMPLES) == set(NAMES)
    assert set(TYPES) - set(NAMES) == {"joint_meter", "battery"}


@every_element
@pytest.mark.nojit
def test_force_is_that_of_its_law(name):
    for sample in samples_of(name):
        sim = sample.simulation()
        for v in (sample.v, 0.0 * sample.v):
            wanted = generalised(sim.mechanics, sample, sample.q, v, TIME)
            bias = sim.mechanics.bias(sample.q, v)
            close(applied(sim, sample, sample.q, v), wanted, sample.precision, scale=np.abs(bias).max())
        assert np.abs(generalised(sim.mechanics, sample, sample.q, sample.v, TIME)).max() > 1e-3


@every_element
@pytest.mark.nojit
def test_stored_energy(name):
    """The force at rest is minus the gradient of the stored energy."""
    for sample in samples_of(name):
        sim = sample.simulation()
        m, still = sim.mechanics, 0.0 * sample.v
        if not sample.stores:
            continue
        slope = gradient(lambda d, q=sample.q, m=m, s=sim, v=still: stored(s, m.displaced(q, d), v), m.speeds, 2e-4)
        wanted = generalised(m, sample, sample.q, still, TIME)
        close(-slope, wanted, 1e-7)
        assert np.abs(slope).max() > 1e-3


@every_element
def test_power_of_what_depends_on_speed(name):
    for sample in samples_of(name):
        sim = sample.simulation()
        rng = np.random.default_rng(1)
        for _ in range(5):
            v = rng.normal(size=len(sample.v))
            change = applied(sim, sample, sample.q, v) - applied(sim, sample, sample.q, 0.0 * v)
            bias = sim.mechanics.bias(sample.q, v)
            if sample.passive:
                assert change @ v < 1e-9 * max(1.0, np.abs(bias).max())
            if sample.passive and sample.stores and sample.damped:
                assert change @ v < -1e-3


@every_element
def test_reports(name):
    """What an element says of itself is what its law gives."""
    for sample in samples_of(name):
        sim = sample.simulation()
        for element in sample.forces:
            told = sim.elements[element.name].report()
            assert tuple(told) == kernel_of(element).reports
            if sample.reports is None:
                continue
            for what, wanted in sample.reports(element, sim.mechanics, sample.q, sample.v).items():
                found = told[what]
                if name == "body_contact":  # the sum over all probes; of places the middle
                    weights = np.linalg.norm([told[f"force_{axis}"] for axis in "xyz"], axis=0)
                    found = np.atleast_1d(found.sum() if "force" in what else np.average(found, weights=weights))
                close(found, np.atleast_1d(wanted), max(1e-8, sample.precision), scale=1e-3)


# ---------------------------------------------------------------- nothing comes from nowhere
HELD = {"anchor", "point_force", "drag", "mooring", "ground_contact", "round_contact", "sticky_contact",
        "anchored_contact"}  # by the world, which takes up what they give  # fmt: skip
FREE_BODIES = {"body_contact"}  # between figures: tests/dynamics/test_couplings.py
DRIFT = np.array([30.0, -20.0, 10.0])  # [m/s] of a moving frame


def inside(sample):
    """The sample with a free root, without what holds on to the world or moves with it."""
    forces = tuple(e for e in sample.forces if "" not in e.bodies())
    free = getattr(sample.figure, "root", None) is not None and sample.figure.root.joint.type == "free"
    return replace(sample, forces=forces) if free and forces else None


@every_element
@pytest.mark.nojit
def test_what_acts_inside_a_figure_neither_pushes_nor_turns_nor_brakes_it(name):
    """The wrench on a free root is that of gravity: by the forces, and by an implicit step with its impedance.

    And in a frame that moves evenly the accelerations are the same, those of implicit steps too.
    """
    if name in HELD | FREE_BODIES:
        return
    samples = [own for own in map(inside, samples_of(name)) if own]
    assert samples, "it needs a sample with a free root"
    for sample, h in itertools.product(samples, (0.0, 1e-3, 0.05)):
        sim = sample.simulation(Stepping(method="implicit-euler", step=h) if h else "rk4")
        m, root = sim.mechanics, sim.layout.speed_slices[sim.layout.bodies[0].name]
        found = []
        for drift in (0.0 * DRIFT, DRIFT):
            v = sample.v.copy()
            v[root.start + 3 : root.stop] += drift
            sample.place(sim, sample.q, v)
            acc = sim.acceleration
            if h:
                sim.run(h)
                acc = (sim.v - v) / h
            size = np.abs(m.mass_matrix(sample.q)).max() * (np.abs(acc).max() + (1e-3 / h if h else 0.0))
            assert np.abs(m.inverse(sample.q, v, acc)[root]).max() < 1e-11 * size, (h, drift)
            found.append(acc)
        close(found[1], found[0], 1e-10, scale=1.0 / h if h else 1.0)


# ---------------------------------------------------------------- implicit steps
def differences(sample, m, q, v, acc, h):
    """First-order change of the laws over an implicit step, the arms of point forces held where they are.

    At a point with velocity u and acceleration w: ∂F/∂x h (u + h w) + ∂F/∂u h w; rest positions move on.
    """
    total = np.zeros(m.speeds)
    step = 1e-4
    path = lambda s: m.displaced(q, s * (v + h * acc))
    for law in sample.laws:
        if isinstance(law, AtJoint):
            name = m.layout.body(law.body).name
            own, at = m.layout.speed_slices[name], m.layout.position_slices[name]
            force = lambda s, law=law, own=own, at=at: law.force(path(s)[at], v[own] + s * acc[own], TIME + s)
            total[own] += h * derivative(force, step)
        elif isinstance(law, AtPoint):
            at = look(m, law.body, law.point, q, v)
            w = at.J[3:] @ acc + m.bias_acceleration(q, v, law.body, at.point)[3:]
            force = lambda s, law=law, a=at, w=w: law.force(
                a.place + s * (a.speed + h * w), a.speed + s * w, a.frame, TIME
            )
            total += h * at.J[3:].T @ derivative(force, step)
    return total


@every_element
@pytest.mark.parametrize("h", (1e-3, 0.05))
def test_implicit_step_uses_the_derivative_of_the_force(name, h):
    """One linearly implicit Euler step: M a + bias = force + its change by stiffness and damping."""
    for sample in samples_of(name):
        if sample.approximate is None:
            continue
        sim = sample.simulation(Stepping(method="implicit-euler", step=h))
        m = sim.mechanics
        sim.run(h)
        assert sim.counts["steps"] == 1
        acc = (sim.v - sample.v) / h
        force = generalised(m, sample, sample.q, sample.v, TIME)
        left = m.inverse(sample.q, sample.v, acc) - force
        wanted = differences(sample, m, sample.q, sample.v, acc, h)
        rounding = 1e-14 / h * np.abs(m.mass_matrix(sample.q)).max() + 1e-12 * np.abs(force).max()
        assert np.abs(left - wanted).max() <= sample.approximate * np.abs(wanted).max() + rounding


@every_element
def test_implicit_steps_converge(name):
    """Where the derivative is a secant or leaves out what couples bodies: the steps are of the first order still."""
    for sample in samples_of(name):
        if sample.approximate is not None:
            continue
        exact = sample.simulation(Stepping(method="rkf45", eps=1e-11))
        duration = 0.25 * sample.duration
        exact.run(duration)
        errors = []
        for steps in (100, 200, 400):
            sim = sample.simulation(Stepping(method="implicit-euler", step=duration / steps))
            sim.run(duration)
            errors.append(np.abs(sim.v - exact.v).max())
        orders = np.log2(np.array(errors[:-1]) / errors[1:])
        assert np.all(np.abs(orders - 1.0) < 0.15), (errors, orders)


@every_element
def test_work_in_the_ledger_is_the_integral_of_power(name):
    for sample in samples_of(name):
        sim = sample.simulation(Stepping(method="rkf45", eps=1e-12))
        parts = 100
        begin = stored(sim, sample.q, sample.v)
        path = sim.run(sample.duration, every=sample.duration / parts)
        m, line = sim.mechanics, sim.compiled.lines.index(name)
        states = list(zip([sample.q, *path.q], [sample.v, *path.v], [TIME, *path.time]))
        power = np.array([generalised(m, sample, q, v, t) @ v for q, v, t in states])
        weights = np.array([1.0, *([4.0, 2.0] * (parts // 2))])  # Simpson's rule
        weights[-1] = 1.0
        work = weights @ power * sample.duration / parts / 3.0
        scale = np.abs(power).max() * sample.duration
        close(path.work[-1, line], work, max(1e-5, sample.precision), scale)
        assert abs(path.work[-1, line]) > 1e-5
        books = sim.ledger()
        assert abs(books["numerical"]) < 1e-8 * max(1.0, scale)
        if sample.stores and sample.damped and sample.passive and not sample.profiles:
            # what it gave and what it holds: the rest went to its dampers
            assert books[f"work of {name}"] + books["stored"] - begin < 0.0


# ---------------------------------------------------------------- number types
def start_states(sample):
    rng = np.random.default_rng(2)
    return [(sample.q, sample.v + rng.normal(0.0, 0.1, len(sample.v))) for _ in range(3)]


@every_element
@pytest.mark.parametrize("method", ("rk4", "implicit-pair"))
def test_worlds_in_a_pack_move_as_single_ones(name, method):
    """Three worlds with other states; fixed steps, or steps chosen one by one."""
    for sample in samples_of(name):
        stepping = Stepping(method=method, step=2e-3, eps=1e-4 if method == "implicit-pair" else None)
        worlds = start_states(sample)
        many = Simulation(sample.world, stepping=stepping, worlds=3)
        sample.place(many, np.array([q for q, _ in worlds]), np.array([v for _, v in worlds]))
        many.run(0.02)
        for k, (q, v) in enumerate(worlds):
            one = Simulation(sample.world, stepping=stepping, ledger=False)
            sample.place(one, q, v)
            one.run(0.02)
            assert many.counts["steps"][k] == one.counts["steps"]
            close(many.q[k], one.q, 1e-11)
            close(many.v[k], one.v, 1e-10)
            for what, values in many.elements["e0"].report().items():
                alone = one.elements["e0"].report()
                touching = alone["depth"] > 0 if name == "body_contact" else slice(None)
                close(values[k][touching], alone[what][touching], 1e-9, scale=1.0)


@every_element
def test_single_precision(name):
    """float32: the same motion to six digits or so, and alone to the bit as in company."""
    for sample in samples_of(name)[:2]:
        stepping = Stepping(method="rk4", step=1e-3)
        worlds = start_states(sample)
        many = Simulation(sample.world, stepping=stepping, worlds=3, dtype=np.float32)
        sample.place(many, np.array([q for q, _ in worlds]), np.array([v for _, v in worlds]))
        many.run(0.01)
        results = {}
        for dtype in (np.float32, np.float64):
            sim = Simulation(sample.world, stepping=stepping, dtype=dtype, ledger=False)
            sample.place(sim, *worlds[1])
            sim.run(0.01)
            results[dtype] = sim
        close(many.v[1], results[np.float64].v, 1e-4, scale=1.0)
        assert results[np.float32].v.tobytes() == many.v[1].tobytes()


# ---------------------------------------------------------------- what the general tests do not see
@pytest.mark.nojit
def test_gate_of_a_point_force():
    """On from start, for the duration, again every period."""
    figure, q, _ = moving(6, ("hinge",), bodies=1)
    push = PointForce(body="b0", force=(1.0, 0.0, 0.0), start=0.3, duration=0.1, period=0.25, name="push")
    sim = Simulation(World(figure, (0.0, 0.0, 0.0), forces=(push,)))

    def on(t):
        sim.reset(q, time=t)
        return bool(np.abs(sim.acceleration).max() > 1e-6)

    times = {0.0: False, 0.29: False, 0.3: True, 0.31: True, 0.39: True, 0.4: False, 0.41: False, 0.54: False,
             0.55: True, 0.56: True, 0.64: True, 0.66: False, 2.81: True, 2.91: False}  # fmt: skip
    assert {t: on(t) for t in times} == times


def test_joint_meter_in_packs():
    """A pack keeps no books, but its meters count."""
    sample = joint_samples.joint_springs()
    meter = JointMeter(joint="b2", name="meter")
    for worlds in (1, 3):
        sim = Simulation(World(sample.figure, forces=(*sample.forces, meter)), worlds=worlds, stepping="rkf45")
        sim.reset(np.tile(sample.q, (worlds, 1))[0] if worlds == 1 else np.tile(sample.q, (worlds, 1)))
        before = sim.measured("meter")
        path = sim.run(0.1, every=1e-3)
        force = sim.elements["e1"].report()["force"]
        assert np.all(np.asarray(before) == 0.0) and np.all(np.asarray(sim.measured("meter")) != 0.0)
        told = sim.elements["meter"].report()["force"]
        close(np.ravel(told), np.ravel(force[..., 0]), 1e-9)
        assert len(path.time) == 100
