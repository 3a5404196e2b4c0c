"""Continuous controllers: laws at every stage of every step, with integrated states."""

from dataclasses import dataclass

import numpy as np
import pytest

from gambol import (
    ContinuousController,
    Joint,
    JointElement,
    JointSpring,
    Simulation,
    Stepping,
    World,
    WorldError,
    chain,
    joint_kernel,
)
from gambol.math.scalar import cos, sin
from trees import close

LINK = chain(1, Joint("hinge", (0, 1, 0)), length=0.5, radius=0.03, mass=2.0)
ARM = chain(2, Joint("hinge", (0, 1, 0)), length=0.4, radius=0.03)
EXACT = Stepping(method="rkf45", eps=1e-12)


# ---------------------------------------------------------------- laws
def track(t, q, v, x, p):
    """Proportional and derivative, to a sinusoid."""
    return (p.stiffness * (p.size * sin(p.rate * t) - q[0]) - p.damping * v[0],), ()


def swing(q, v, t, size, rate):
    return size * sin(rate * t), 0.0, 0.0, 0.0


@dataclass(frozen=True, kw_only=True)
class Swing(JointElement):
    """A sinusoid of a force."""

    size: float
    rate: float

    kernel = joint_kernel(swing)


def beat(t, q, v, x, p):
    """A phase oscillator that drives two joints, in turn."""
    return (p.size * sin(x.phase), p.size * cos(x.phase)), (p.rate,)


def adapt(t, q, v, x, p):
    """Slotine and Li: inertia and weight of a link are learnt while it follows two sinusoids."""
    a, b = 0.8 * t, 2.1 * t
    wanted, rate = 0.6 * sin(a) + 0.4 * sin(b), 0.48 * cos(a) + 0.84 * cos(b)
    acceleration = -0.384 * sin(a) - 1.764 * sin(b)
    error, error_rate = q[0] - wanted, v[0] - rate
    slide = error_rate + p.slope * error
    aimed = acceleration - p.slope * error_rate
    torque = x.inertia * aimed + x.weight * sin(q[0]) - p.gain * slide
    return (torque,), (-p.learning * aimed * slide, -p.learning * 10.0 * sin(q[0]) * slide)


def oscillator(**options):
    given = {"size": 0.4, "rate": 5.0}
    return ContinuousController(
        name="beat", law=beat, coordinates=("chain_0", "chain_1"), states={"phase": 0.3}, parameters=given, **options
    )


def learner():
    gains = {"slope": 4.0, "gain": 3.0, "learning": 1.0}
    return ContinuousController(
        name="adapt", law=adapt, coordinates=("chain_0",), states={"inertia": 0.0, "weight": 0.0}, parameters=gains
    )


# ---------------------------------------------------------------- what they do
def test_following_a_sinusoid_is_a_spring_with_a_sinusoid_of_a_force():
    joint = LINK.root.name
    gains = {"stiffness": 9.0, "damping": 0.7, "size": 0.5, "rate": 3.0}
    law = ContinuousController(name="track", law=track, coordinates=(joint,), parameters=gains)
    spring = (JointSpring(joint=joint, stiffness=9.0, damping=0.7), Swing(joint=joint, size=4.5, rate=3.0))
    paths = []
    for forces in ((law,), spring):
        sim = Simulation(World(LINK, forces=forces), stepping=EXACT)
        sim.reset([0.4])
        paths.append(sim.run(3.0, every=0.1))
        assert abs(sim.ledger()["numerical"]) < 1e-9
    close(paths[0].q, paths[1].q, 1e-9)
    close(paths[0].v, paths[1].v, 1e-9)
    implicit = Simulation(World(LINK, forces=(law,)), stepping=Stepping(eps=1e-8))
    implicit.reset([0.4])
    close(implicit.run(3.0, every=0.1).q, paths[0].q, 1e-5)


def test_an_adaptive_law_learns_the_link_it_moves():
    world = World(LINK, forces=(learner(),))
    mechanics = Simulation(world).mechanics
    inertia, weight = mechanics.mass_matrix([0.0])[0, 0], mechanics.gravity_torque([np.pi / 2])[0]
    found = []
    for eps in (1e-7, 1e-8):
        sim = Simulation(world, stepping=Stepping(method="rkf45", eps=eps))
        sim.reset([0.5])
        path = sim.run(60.0, every=0.05)
        a, b = 0.8 * path.time, 2.1 * path.time
        error = np.abs(path.q[:, 0] - 0.6 * np.sin(a) - 0.4 * np.sin(b))
        assert error[:20].max() > 0.1 and error[-200:].max() < 1e-3
        assert path.states[-1] == pytest.approx([inertia, abs(weight)], rel=0.02)
        assert np.array_equal(path.states[-1], sim.elements["adapt"].states)
        found.append(path)
    close(found[0].q, found[1].q, 1e-5)
    close(found[0].states, found[1].states, 1e-5)


@pytest.mark.parametrize("method", ("rkf45", "rk4", "implicit-euler", "implicit-pair"))
def test_a_phase_runs_on_at_its_rate(method):
    stepping = Stepping(method=method, step=1e-3, eps=1e-6)
    sim = Simulation(World(ARM, forces=(oscillator(),)), stepping=stepping)
    assert sim.elements["beat"].state_names == ("phase",) and sim.elements["beat"].states == [0.3]
    sim.run(2.0)
    phase = sim.elements["beat"].states[0]
    assert phase == pytest.approx(10.3, abs=1e-9)
    told = sim.elements["beat"].report()
    assert told["phase"][0] == phase
    assert told["force_0"][0] == pytest.approx(0.4 * np.sin(phase)) == pytest.approx(sim.joint_force[0])
    assert told["force_1"][0] == pytest.approx(0.4 * np.cos(phase)) == pytest.approx(sim.joint_force[1])


def test_its_work_is_in_the_ledger():
    sim = Simulation(World(ARM, forces=(oscillator(),)), stepping=EXACT)
    path = sim.run(2.0, every=0.01)
    phase = path.states[:, 0]
    power = 0.4 * (np.sin(phase) * path.v[:, 0] + np.cos(phase) * path.v[:, 1])
    books = sim.ledger()
    assert abs(books["numerical"]) < 1e-9
    assert books["work of continuous_controller"] == pytest.approx(np.trapezoid([0, *power], dx=0.01), abs=1e-3)


@pytest.mark.parametrize("method", ("rkf45", "implicit-pair"))
@pytest.mark.parametrize("dtype", (np.float64, np.float32))
def test_worlds_in_a_pack_move_as_single_ones(dtype, method):
    """Rates and phases of their own."""
    eps = 1e-5 if dtype == np.float32 else 1e-8
    stepping, world = Stepping(method=method, eps=eps), World(ARM, forces=(oscillator(),))
    many = Simulation(world, stepping=stepping, worlds=3, dtype=dtype)
    many.elements["beat"].set("rate", [5.0, 6.0, 7.0])
    many.elements["beat"].states = [[0.3], [0.6], [0.9]]
    many.run(0.5)
    for k, (rate, phase) in enumerate(((5.0, 0.3), (6.0, 0.6), (7.0, 0.9))):
        one = Simulation(world, stepping=stepping, dtype=dtype, ledger=False)
        one.elements["beat"].set("rate", rate)
        one.elements["beat"].states = [phase]
        one.run(0.5)
        near = 1e-9 if dtype == np.float64 else 2e-4
        close(many.q[k], one.q, near, scale=1.0)
        close(many.elements["beat"].states[k], one.elements["beat"].states, near, scale=1.0)
        close(one.elements["beat"].states[0], phase + 0.5 * rate, near, scale=1.0)


def test_states_are_saved_restored_and_reset():
    sim = Simulation(World(ARM, forces=(oscillator(),)), worlds=3)
    sim.run(0.2)
    state = sim.save()
    sim.run(0.3)
    q, phases = sim.q, sim.elements["beat"].states
    sim.restore(state)
    close(sim.elements["beat"].states[:, 0], [1.3] * 3, 1e-12)
    sim.run(0.3)
    assert sim.q.tobytes() == q.tobytes() and sim.elements["beat"].states.tobytes() == phases.tobytes()
    sim.reset(worlds=[1])
    assert sim.elements["beat"].states[:, 0].tolist() == [phases[0, 0], 0.3, phases[2, 0]]
    sim.reset()
    assert np.all(sim.elements["beat"].states == 0.3)
    with pytest.raises(ValueError, match="read-only"):
        sim.elements["beat"].states[0] = 1.0


def test_states_count_in_the_error_of_a_step():
    """A fast state shortens the steps though it moves nothing; ledger and meters do not."""

    def fade(t, q, v, x, p):
        return (0.0,), (-200.0 * (x.level - cos(p.rate * t)),)

    steps = []
    for rate in (0.0, 60.0):
        law = ContinuousController(
            name="fade", law=fade, coordinates=("chain_0",), states={"level": 1.0}, parameters={"rate": rate}
        )
        sim = Simulation(World(LINK, forces=(law,)), stepping=Stepping(method="rkf45", eps=1e-6, max_step=0.004))
        sim.run(1.0)
        steps.append(sim.counts["steps"])
    assert steps[1] > 1.5 * steps[0]
    plain = Simulation(World(LINK, forces=(JointSpring(joint="chain_0", stiffness=1.0),)))
    assert len(plain.memory.states) == 0 and not plain.error_scale[2:].any()


def test_parameters_are_set_and_ramped():
    sim = Simulation(World(ARM, forces=(oscillator(ramps=("rate",)),)), stepping=EXACT)
    sim.elements["beat"].ramp("rate", 9.0, 1.0)
    sim.elements["beat"].set("size", 0.0)
    path = sim.run(2.0, every=1.0)
    close(path.states[:, 0], [0.3 + 7.0, 0.3 + 7.0 + 9.0], 1e-9)
    assert sim.elements["beat"].get("rate") == 9.0 and np.all(sim.joint_force == 0.0)


def test_states_go_on_after_a_weld():
    three = chain(3, Joint("hinge", (0, 1, 0)), length=0.4)
    sim = Simulation(World(three, forces=(oscillator(),)))
    sim.run(0.2)
    welded = sim.weld("chain_2")
    assert np.array_equal(welded.elements["beat"].states, sim.elements["beat"].states)
    assert "beat" not in sim.remove("chain_1").elements


def test_coordinates_by_number_and_bad_input():
    hip = chain(2, Joint("universal", (1, 0, 0), axis2=(0, 1, 0)), length=0.4)

    def push(t, q, v, x, p):
        return (p.first, p.second), ()

    def law(coordinates, **options):
        given = {"law": push, "parameters": {"first": 1.0, "second": 2.0}} | options
        return ContinuousController(name="push", coordinates=coordinates, **given)

    sim = Simulation(World(hip, forces=(law((("chain_1", 1), ("chain_0", 0))),)))
    assert sim.joint_force.tolist() == [2.0, 0.0, 0.0, 1.0]
    for wrong, said in (
        (law(("chain_1", "chain_0")), "say which"),
        (law((("chain_1", 2),)), "has 2 coordinates"),
        (law(("chain_9",)), "no body 'chain_9'"),
        (law((("chain_1", 0),)), "cannot be compiled"),  # a law for two
    ):
        with pytest.raises(WorldError, match=said):
            Simulation(World(hip, forces=(wrong,)))
    for wrong, said in (
        (law((), parameters={}), "at least one"),
        (law((("chain_1", 0),), parameters={"a b": 1.0}), "plain name"),
        (law((("chain_1", 0),), states={"x": np.nan}), "must be finite"),
        (law((("chain_1", 0),), ramps=("third",)), "no parameter 'third'"),
        (ContinuousController(law=push, coordinates=("chain_1",), states={"x": 0.0}), "needs a name"),
    ):
        with pytest.raises(WorldError, match=said):
            World(hip, forces=(wrong,))
