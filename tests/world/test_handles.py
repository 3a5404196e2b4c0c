"""Handles to elements and bodies, starts by name, single worlds of a batch, and what refuses to be changed."""

import numpy as np
import pytest

from gambol import (
    Anchor,
    Controller,
    ExponentialSpring,
    JointSpring,
    Mass,
    Periodic,
    Simulation,
    World,
    WorldError,
    chain,
)


def springs(**more):
    forces = [JointSpring(name=f"spring {k}", joint=f"chain_{k}", stiffness=5.0 + k, damping=0.1) for k in range(3)]
    return World(
        chain(3), forces=[*forces, Anchor(name="hand", body="chain_2", place=(0.0, 0.0, 0.0), stiffness=0.0)], **more
    )


def test_copies_refuse_to_be_written():
    sim, many = Simulation(springs()), Simulation(springs(), worlds=3)
    for array in (sim.q, many.v, many.command, sim.acceleration, sim.gravity, sim.all_reports()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_a_start_by_names_of_joints():
    sim = Simulation(springs())
    sim.reset({"chain_1": 0.3}, {"chain/chain_2": -1.0})
    assert sim.q.tolist() == [0.0, 0.3, 0.0] and sim.v.tolist() == [0.0, 0.0, -1.0]
    many = Simulation(springs(), worlds=4)
    many.reset({"chain_0": [0.1, 0.2, 0.3, 0.4]})
    assert many.q[:, 0].tolist() == [0.1, 0.2, 0.3, 0.4] and not many.q[:, 1:].any()
    assert many.bodies["chain_0"].q.tolist() == [0.1, 0.2, 0.3, 0.4]
    with pytest.raises(WorldError, match="did you mean 'chain_1'"):
        sim.reset({"chain1": 0.3})
    with pytest.raises(WorldError, match="its joint has 1 positions"):
        sim.reset({"chain_1": (1.0, 2.0)})


def test_what_cannot_be_is_refused_by_name():
    world = springs()
    for options, words in (
        (dict(worlds=1.5), "worlds must be a whole number"),
        (dict(worlds=True), "worlds must be a whole number"),
        (dict(threads=0), "threads must be a whole number"),
        (dict(dtype=int), "dtype must be float64 or float32"),
    ):
        with pytest.raises(WorldError, match=words):
            Simulation(world, **options)
    sim = Simulation(world)
    for act, words in (
        (lambda: sim.run("2s"), "duration must be a finite number of seconds"),
        (lambda: sim.reset([0.0, np.nan, 0.0]), "positions must be finite; not so: chain/chain_1"),
        (lambda: sim.elements["spring 0"].set("stiffness", np.nan), "stiffness of 'spring 0' must be finite"),
        (
            lambda: sim.elements["spring 0"].ramp("rest", 1.0, np.nan),
            "the duration \\[s\\] of a ramp of .spring 0. must be finite",
        ),
        (lambda: sim.elements["spring 9"], "no element is called 'spring 9'; did you mean 'spring"),
        (lambda: sim.elements["spring 0"].get("stifness"), "did you mean 'stiffness'"),
        (lambda: sim.elements["spring 0"].bind("chain_1"), "cannot be bound"),
        (lambda: setattr(sim, "gravity", 9.81), "gravity must be 3 finite numbers"),
        (lambda: sim.run(1.0, controller=[object()]), "object is no controller"),
    ):
        with pytest.raises(WorldError, match=words):
            act()


def test_several_elements_as_one():
    many = Simulation(springs(), worlds=3)
    group = many.elements["spring 0", "spring 2"]
    values = np.arange(6.0).reshape(3, 2)
    group.set("stiffness", values)
    assert np.array_equal(group.get("stiffness"), values) and np.all(many.elements["spring 1"].get("stiffness") == 6.0)
    group.set("stiffness", 9.0, worlds=[1])
    assert group.get("stiffness")[:, 0].tolist() == [0.0, 9.0, 4.0]
    group.ramp("rest", values, 0.1)
    many.run(0.2)
    assert np.abs(group.get("rest") - values).max() < 1e-12
    assert many.elements.of_type(JointSpring, ExponentialSpring).get("stiffness").shape == (3, 3)
    assert set(many.elements.reporting("x", "force_x").names) == {"hand"}
    with pytest.raises(WorldError, match=r"must have shape \(\), \(3,\) or \(3, 2\), not \(2,\)"):
        group.set("stiffness", [1.0, 2.0])


def test_worlds_of_a_batch_begin_anew_alone():
    many = Simulation(springs(), worlds=5, stepping="rk4")
    many.reset({"chain_0": 0.5})
    many.elements["spring 1"].set("rest", 0.2, at=0.15)
    many.run(0.1)
    before, time = many.q, many.time
    many.reset({"chain_1": 0.7}, worlds=[1, 4])
    assert np.array_equal(many.q[[0, 2, 3]], before[[0, 2, 3]]) and many.q[4].tolist() == [0.0, 0.7, 0.0]
    assert many.time.tolist() == [time[0], 0.0, time[2], time[3], 0.0]
    many.run(until=0.3)
    rests = many.elements["spring 1"].get("rest")
    assert rests.tolist() == [0.2, 0.0, 0.2, 0.2, 0.0]  # what was to be written to them went with them
    fresh = Simulation(springs(), stepping="rk4")
    fresh.reset({"chain_1": 0.7})
    fresh.run(0.3)
    assert np.abs(many.q[4] - fresh.q).max() < 1e-12
    with pytest.raises(WorldError, match="worlds are whole numbers from 0 to 4"):
        many.reset(worlds=[5])


def test_worlds_of_a_batch_are_restored_alone():
    many = Simulation(springs(), worlds=5, stepping="rk4")
    many.reset({"chain_0": np.linspace(0.1, 0.5, 5)})
    many.elements["spring 1"].ramp("rest", 0.4, 0.2, at=0.15)
    many.run(0.1)
    state = many.save()
    many.run(0.2)
    q, v, rests = many.q, many.v, many.elements["spring 1"].get("rest")
    many.restore(state, worlds=[2])
    assert not np.array_equal(many.q[2], q[2])
    many.run(until=float(many.time.max()))
    assert np.array_equal(many.q, q) and np.array_equal(many.v, v) and len(set(many.time.tolist())) == 1
    assert np.array_equal(many.elements["spring 1"].get("rest"), rests)


def test_what_an_element_holds_is_part_of_the_state():
    """Saved, another body grabbed, restored: it goes on as it would have."""
    sim = Simulation(springs())
    sim.reset({"chain_0": 0.4})
    hand = sim.elements["hand"]
    hand.bind("chain_1", (0.0, 0.0, -0.2))
    hand.set("stiffness", 50.0)
    state = sim.save()
    first = sim.run(0.2, every=0.02).q
    sim.restore(state)
    hand.bind("chain_2")
    sim.gravity = (1.0, 0.0, -3.0)
    assert not np.array_equal(sim.run(0.2, every=0.02).q, first)
    sim.restore(state)
    assert np.array_equal(sim.run(0.2, every=0.02).q, first)
    sim.reset({"chain_0": 0.4})
    assert sim.gravity.tolist() == [0.0, 0.0, -9.81]


def test_queries_leave_the_state_as_it_was():
    sim = Simulation(springs())
    sim.reset({"chain_0": 0.4})
    sim.run(0.05)
    before = sim.save()
    _ = sim.acceleration, sim.joint_force, sim.all_reports(), sim.first_order_velocity(), sim.elements["hand"].report()
    assert sim.save().same(before)


def test_bodies_by_name():
    sim = Simulation(springs())
    sim.reset({"chain_0": 0.3, "chain_1": -0.2}, {"chain_0": 1.0})
    tip = sim.bodies["chain_2"]
    h, at = 1e-6, (0.0, 0.0, -0.1)
    here, speed = tip.point(at), tip.velocity(at)
    sim.q = sim.mechanics.displaced(sim.q, h * sim.v)
    assert np.allclose((tip.point(at) - here) / h, speed, atol=1e-5)
    tip.q = 0.9
    tip.command = 2.0
    assert sim.q[2] == 0.9 and sim.command[2] == 2.0 and tip.rotation.shape == (3, 3)
    own = Simulation(springs(), worlds=2, own_masses=True)
    own.bodies["chain_2"].set_mass(
        [Mass(1.0, (0, 0, -0.5), (0.1,) * 3 + (0.0,) * 3), Mass(3.0, (0, 0, -0.5), (0.1,) * 3 + (0.0,) * 3)]
    )
    own.reset({"chain_0": 0.5})
    own.bodies["chain_2"].set_mass(
        [Mass(1.0, (0, 0, -0.5), (0.1,) * 3 + (0.0,) * 3), Mass(3.0, (0, 0, -0.5), (0.1,) * 3 + (0.0,) * 3)]
    )
    own.run(0.1)
    assert not np.allclose(own.q[0], own.q[1])


class Counter(Controller):
    keeps = ("count",)

    def start(self, run):
        self.count = 0

    def next_time(self, run):
        return 0.1 * (self.count + 1)

    def act(self, run):
        self.count += 1
        return self.count < 3


def test_controllers_act_on_time_together_and_end_runs():
    sim, seen = Simulation(springs()), []
    counter = Counter()
    path = sim.run(1.0, every=0.05, controller=[counter, Periodic(0.07, lambda run: seen.append(run.time))])
    assert counter.count == 3 and sim.time == pytest.approx(0.3) and len(path) == 6
    assert np.allclose(seen, 0.07 * np.arange(5))
    state = sim.save()
    sim.run(0.2, controller=())
    assert sim.controllers == ()
    sim.restore(state)
    assert sim.controllers[0] is counter and counter.count == 3


def test_one_that_never_lets_time_pass_is_named():
    class Stuck(Controller):
        def next_time(self, run):
            return 0.0

    with pytest.raises(WorldError, match="Stuck: acts without end"):
        Simulation(springs()).run(1.0, controller=Stuck())


def test_what_is_watched_and_noted():
    sim = Simulation(springs())
    sim.reset({"chain_0": 0.5})
    sim.at(0.11, lambda run: run.note("half way"))
    path = sim.run(0.2, every=0.05, include_start=True, watch={"tip": lambda run: run.bodies["chain_2"].position})
    assert path.time.tolist() == pytest.approx([0.0, 0.05, 0.1, 0.15, 0.2]) and path.watched["tip"].shape == (5, 3)
    assert path.event("half way") == pytest.approx(0.11) and np.isnan(path.event("never")) and path.ended == ""
