"""Integrated states of elements, in an element written by hand as a module (gambol.forces.kernel)."""

import numpy as np
import pytest
from maxwell import Maxwell

from gambol import Joint, JointMeter, JointSpring, Simulation, Stepping, World, WorldError, chain
from trees import close

EXACT = Stepping(method="rkf45", eps=1e-12)


def world(**options):
    """A universal joint (two rows of one element) and a hinge, with other elements and a meter beside them."""
    figure = chain(2, Joint("hinge", (0, 1, 0)), root=Joint("universal", (1, 0, 0), axis2=(0, 1, 0)), length=0.4)
    forces = (
        Maxwell(name="slow", joint="chain_0", stiffness=6.0, viscosity=3.0, creep=0.1),
        JointSpring(joint="chain_1", stiffness=1.0),
        Maxwell(name="quick", joint="chain_1", stiffness=4.0, viscosity=0.5, line="other"),
        JointMeter(name="meter", joint="chain_1"),
    )
    return Simulation(World(figure, forces=forces), **options)


def test_a_held_joint_relaxes():
    """The force of a Maxwell element at a joint that is held fades with the time viscosity / stiffness."""
    figure = chain(1, Joint("hinge", (0, 1, 0), driven=True), length=0.4)
    element = Maxwell(name="m", joint="chain_0", stiffness=6.0, viscosity=3.0)
    sim = Simulation(World(figure, forces=(element,)), stepping=EXACT)
    sim.reset([0.5])
    sim.run(1.0)
    fade = np.exp(-2.0)
    told = sim.elements["m"].report()
    assert told["force"][0] == pytest.approx(-6.0 * 0.5 * fade, rel=1e-3)
    assert told["creep"][0] == sim.elements["m"].states[0] == pytest.approx(0.5 * (1.0 - fade), rel=1e-3)
    assert sim.ledger()["stored"] == pytest.approx(0.5 * 6.0 * (0.5 * fade) ** 2, rel=1e-3)


def test_states_of_several_rows():
    sim = world(stepping=EXACT)
    slow, both = sim.elements["slow"], sim.elements["slow", "quick"]
    assert slow.states.tolist() == [0.1, 0.1] and both.states.tolist() == [0.1, 0.1, 0.0]
    assert both.state_names == ("creep",) * 3 and sim.elements["meter"].state_names == ()
    sim.reset([0.4, -0.3, 0.5])
    path = sim.run(0.5, every=0.05)
    assert path.states.shape == (10, 3) and np.array_equal(path.states[-1], both.states)
    rate = -np.array([slow.report()["force"][0], slow.report()["force"][1]]) / 3.0
    step = 1e-6
    before = slow.states
    sim.run(step)
    close((slow.states - before) / step, rate, 1e-4)
    # the ledger closes: what is lost went into the dashpots
    books = sim.ledger()
    assert abs(books["numerical"]) < 1e-9 and books["work of maxwell"] + books["stored"] < 3.0
    slow.states = [0.0, 0.2]
    assert slow.report()["creep"].tolist() == [0.0, 0.2] == slow.states.tolist()
    sim.reset()
    assert both.states.tolist() == [0.1, 0.1, 0.0]


@pytest.mark.parametrize("method", ("rkf45", "implicit-pair"))
def test_packs(method):
    stepping = Stepping(method=method, eps=1e-7)
    many, one = world(stepping=stepping, worlds=3), world(stepping=stepping, ledger=False)
    creeps = np.array([[0.0, 0.1, 0.2], [0.3, 0.0, 0.1], [0.1, 0.1, 0.0]])
    many.elements["slow", "quick"].states = creeps
    many.run(0.3)
    for k in range(3):
        one.reset()
        one.elements["slow", "quick"].states = creeps[k]
        one.run(0.3)
        close(many.elements["slow", "quick"].states[k], one.elements["slow", "quick"].states, 1e-9)
        close(many.q[k], one.q, 1e-9)
        assert many.measured("meter")[k] == pytest.approx(one.measured("meter"), rel=1e-8)


def test_bad_input():
    sim = world()
    with pytest.raises(WorldError, match="states of 'slow' must have shape"):
        sim.elements["slow"].states = [1.0]
    with pytest.raises(WorldError, match="must be finite"):
        sim.elements["slow"].states = [1.0, np.nan]
