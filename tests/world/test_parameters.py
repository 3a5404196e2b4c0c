"""Named parameters: set, read and ramped, of every world alike or one by one, saved with the state."""

import numpy as np
import pytest

from gambol import Anchor, JointSpring, Simulation, Terrain, World, WorldError, chain


def world():
    forces = (
        JointSpring(joint="chain_1", stiffness=50.0, damping=1.0, rest=0.1, name="knee"),
        JointSpring(joint="chain_2", stiffness=30.0, rest=0.2, name="ankle", scaled_by="mass"),
        Anchor(body="chain_0", place=(0.1, 0.2, 0.3), stiffness=7.0, name="hook"),
    )
    return World(chain(3, "universal", mass=2.0), forces=forces, terrain=Terrain(level=-5.0))


def test_read_and_set():
    sim = Simulation(world())
    assert sim.elements["hook"].get("stiffness") == 7.0 and sim.elements["hook"].get("z") == 0.3
    assert np.array_equal(sim.elements["knee"].get("rest"), [0.1, 0.1])  # one for each coordinate
    assert sim.elements["ankle"].get("scale") == pytest.approx([2.0, 2.0])
    sim.elements["knee"].set("rest", 0.7)
    assert np.array_equal(sim.elements["knee"].get("rest"), [0.7, 0.7])
    assert sim.elements["knee"].report()["force"] == pytest.approx([35.0, 35.0])
    assert sim.elements["ankle"].report()["force"] == pytest.approx([12.0, 12.0])
    sim.elements["terrain"].set("level", -4.0)
    assert sim.elements["terrain"].get("level") == -4.0
    sim.reset()
    assert np.array_equal(sim.elements["knee"].get("rest"), [0.1, 0.1]) and sim.elements["terrain"].get("level") == -5.0


def test_worlds_one_by_one():
    sim = Simulation(world(), worlds=3)
    sim.elements["hook"].set("stiffness", [1.0, 2.0, 3.0])
    assert np.array_equal(sim.elements["hook"].get("stiffness"), [1.0, 2.0, 3.0])
    sim.elements["knee"].set("rest", [0.0, 0.5, 1.0])
    assert np.array_equal(sim.elements["knee"].get("rest"), [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])
    assert sim.elements["knee"].report()["force"] == pytest.approx(np.array([[0.0, 0.0], [25.0, 25.0], [50.0, 50.0]]))
    sim.elements["knee"].ramp("rest", [1.0, 1.0, 0.0], [0.1, 0.2, 0.1])
    sim.run(0.1)
    assert sim.elements["knee"].get("rest")[:, 0] == pytest.approx([1.0, 0.75, 0.0], abs=1e-12)
    with pytest.raises(WorldError, match="shape"):
        sim.elements["hook"].set("stiffness", [1.0, 2.0])


def test_a_ramp_waits_for_its_start_and_is_seen_at_every_stage():
    sim = Simulation(world(), stepping="rk4")
    sim.elements["knee"].ramp("rest", 1.1, 0.5, start=0.25)
    sim.run(0.2)
    assert np.array_equal(sim.elements["knee"].get("rest"), [0.1, 0.1])
    sim.run(0.3)
    assert sim.elements["knee"].get("rest") == pytest.approx([0.6, 0.6])
    told, q = sim.elements["knee"].report()["force"], sim.q[2:4]
    assert told == pytest.approx(-50.0 * (q - 0.6) - sim.v[2:4])
    sim.elements["knee"].set("rest", 0.0)  # ends the ramp
    sim.run(0.1)
    assert np.array_equal(sim.elements["knee"].get("rest"), [0.0, 0.0])


def test_parameters_are_part_of_the_state():
    sim = Simulation(world())
    sim.elements["knee"].ramp("rest", 1.1, 0.5)
    sim.run(0.2)
    saved = sim.save()
    sim.run(0.2)
    end = sim.q
    sim.elements["knee"].set("rest", 9.0)
    sim.elements["hook"].set("stiffness", 0.0)
    sim.restore(saved)
    assert sim.elements["hook"].get("stiffness") == 7.0 and sim.elements["knee"].get("rest")[0] == pytest.approx(0.5)
    sim.run(0.2)
    assert np.array_equal(sim.q, end)


def test_wrong_names():
    sim = Simulation(world())
    for call, words in (
        (lambda: sim.elements["kne"].get("rest"), "did you mean 'knee'"),
        (lambda: sim.elements["knee"].get("wrest"), "did you mean 'rest'"),
        (lambda: sim.elements["terrain"].set("levels", 0.0), "did you mean 'level'"),
        (lambda: sim.elements["hook"].ramp("stiffness", 1.0, 0.1), "it has none that can"),
        (lambda: sim.elements["hok"].report(), "did you mean 'hook'"),
    ):
        with pytest.raises(WorldError, match=words):
            call()
    with pytest.raises(WorldError, match="two elements are called 'twin'"):
        twins = [JointSpring(joint=f"chain_{k}", name="twin") for k in (0, 1)]
        Simulation(World(chain(2), forces=twins))
    with pytest.raises(WorldError, match="from 0 to 1"):
        World(chain(2), profiles={"bad": (0.0, 0.5)})
