"""What cannot be meant is refused where it is given, by a typed error that names it and what is allowed."""

import math

import numpy as np
import pytest

import gambol
from gambol import (
    Around,
    Boundary,
    Cable,
    Controller,
    Grid,
    Joint,
    JointSpring,
    Mass,
    Placement,
    PointForce,
    Rough,
    Simulation,
    StepError,
    Stepping,
    Via,
    World,
    WorldError,
)

NAN, INF = math.nan, math.inf
FIGURE = gambol.chain(3, Joint("hinge", (0.0, 1.0, 0.0)), length=0.5)


def world(**more):
    return World(FIGURE, forces=[JointSpring(joint="chain_1", stiffness=5.0, damping=0.1, name="spring")], **more)


def boundary(**wrong):
    return world(boundaries=[Boundary(**({"name": "edge", "watch": "position", "body": "chain_1"} | wrong))])


def element(one):
    return World(FIGURE, forces=[one])


def cable(*path):
    return Cable(name="cable", path=path, stiffness=1.0)


AROUND = Around("chain_1", Placement((0.0, 0.0, INF)), 0.1)


@pytest.fixture(scope="module")
def sim():
    return Simulation(world())


DESCRIPTIONS = [
    (lambda: boundary(value=NAN), "boundary edge: value must be a finite number", "nan"),
    (lambda: boundary(value="1"), "boundary edge: value must be a finite number", "'1'"),
    (lambda: boundary(watch="height", point=(0, 0, NAN)), "boundary edge: point must be 3 finite numbers", "nan"),
    (lambda: boundary(watch="height", normal=(0, 0, 0)), "normal must be a unit vector", "0"),
    (lambda: boundary(priority=1.5), "priority must be a whole number", "1.5"),
    (lambda: boundary(coordinate=0.5), "coordinate must be a whole number", "0.5"),
    (lambda: World(FIGURE, gravity=-9.81), "gravity must be 3 finite numbers [m/s², world axes]", "-9.81"),
    (lambda: World(FIGURE, gravity=(0, 0, NAN)), "gravity must be 3 finite numbers", "nan"),
    (lambda: World(FIGURE, gravity="down"), "gravity must be 3 finite numbers", "'down'"),
    (lambda: World("roach"), "is no Figure", "'r'"),
    (lambda: World(FIGURE, terrain=5.0), "terrain must be a Terrain", "5.0"),
    (lambda: World(FIGURE, terrain=Grid(table=(("a", 0.0),) * 2, cell=1.0)), "heights of a grid must be numbers", ""),
    (lambda: World(FIGURE, terrain=Rough(amplitude=1.0, length=1.0, octaves=1.5)), "a whole number", "1.5"),
    (lambda: World(FIGURE, forces=[3]), "forces: 3 is no Element", "3"),
    (lambda: Simulation(FIGURE), "a Simulation takes a World", "Figure"),
    (lambda: Simulation(world(), dtype=int), "dtype must be float64 or float32", "int"),
    (lambda: Simulation(world(), worlds=1.5), "worlds must be a whole number of at least 1", "1.5"),
    (lambda: Simulation(world(), worlds=2, lanes=3.5), "lanes must be a whole number", "3.5"),
    (lambda: Simulation(world(), stepping=3), "stepping must be a Stepping or the name of a method", "3"),
    (lambda: Stepping(eps="1e-3"), "eps must be a number", "'1e-3'"),
    (lambda: Stepping(step=NAN), "step must be positive and finite", "nan"),
    (lambda: Stepping(step=True), "step must be a number", "True"),
    (lambda: Stepping(max_attempts=1.5), "max_attempts must be a whole number", "1.5"),
    (lambda: element(PointForce(body="chain_1", force=np.array([0, NAN, 0]))), "force must be finite", "nan"),
    (lambda: element(JointSpring(joint="chain_1", stiffness=np.float32(NAN))), "stiffness must be finite", "nan"),
    (lambda: element(cable(Via("chain_1", (0, 0, NAN)), Via("chain_2"))), "path must be finite", "nan"),
    (lambda: element(cable(Via("chain_0"), AROUND, Via("chain_2"))), "path must be finite", "inf"),
]

ACTIONS = [
    (lambda sim: setattr(sim, "command", [0, NAN, 0]), "commands must be finite; not so: chain/chain_1 = nan", ""),
    (lambda sim: setattr(sim, "command", "abc"), "commands must be numbers", "'abc'"),
    (lambda sim: setattr(sim, "q", [0, 0, INF]), "positions must be finite; not so: chain/chain_2 = inf", ""),
    (lambda sim: setattr(sim, "v", [NAN, 0, 0]), "speeds must be finite; not so: chain/chain_0 = nan", ""),
    (lambda sim: setattr(sim.bodies["chain_2"], "v", NAN), "speeds must be finite; not so: chain/chain_2 = nan", ""),
    (lambda sim: setattr(sim, "gravity", -9.81), "gravity must be 3 finite numbers", "-9.81"),
    (lambda sim: sim.reset(q=NAN), "positions must be finite, 3 of them (chain/chain_0,", "nan"),
    (lambda sim: sim.reset({"chain_1": NAN}), "positions must be finite; not so: chain/chain_1 = nan", ""),
    (lambda sim: sim.reset(time="1"), "time must be a finite number [s]", "'1'"),
    (lambda sim: sim.elements["spring"].ramp("rest", 1.0, NAN), "duration [s] of a ramp of 'spring' must be", "nan"),
    (lambda sim: sim.elements["spring"].ramp("rest", 1.0, "1s"), "duration [s] of a ramp of 'spring'", "'1s'"),
    (lambda sim: sim.elements["spring"].ramp("rest", 1.0, -1.0), "must not be negative", "-1.0"),
    (lambda sim: sim.elements["spring"].ramp("rest", 1.0, 1.0, start=NAN), "the start of a ramp of 'spring'", "nan"),
    (lambda sim: sim.elements["spring"].set("rest", "up"), "rest of 'spring' must be numbers", "'up'"),
    (lambda sim: sim.run("2s"), "duration must be a finite number of seconds", "'2s'"),
    (lambda sim: sim.run(NAN), "duration must be a finite number of seconds", "nan"),
    (lambda sim: sim.run(1.0, every="x"), "every must be a finite number of seconds", "'x'"),
    (lambda sim: sim.run(times=["a"]), "sample times must be finite numbers", "'a'"),
    (lambda sim: sim.run(1.0, stop=["edge"]), "cannot stop at 'edge': no boundary is called so", ""),
    (lambda sim: sim.advance(NAN), "until must be a finite number of seconds", "nan"),
    (lambda sim: sim.advance(-1.0), "cannot run from t = 0 s back to t = -1 s", ""),
    (lambda sim: sim.at("1", print), "the time of an action must be", "'1'"),
]


@pytest.mark.parametrize(("describe", "message", "value"), DESCRIPTIONS)
def test_descriptions(describe, message, value):
    with pytest.raises(WorldError) as caught:
        describe()
    assert message in str(caught.value) and value in str(caught.value)


@pytest.mark.parametrize(("act", "message", "value"), ACTIONS)
def test_what_is_done_to_a_simulation(sim, act, message, value):
    sim.reset()
    before = sim.save()
    with pytest.raises(WorldError) as caught:
        act(sim)
    assert message in str(caught.value) and value in str(caught.value)
    assert sim.save().same(before)


def test_worlds_of_a_batch_are_named():
    sim = Simulation(world(), worlds=3)
    command = np.zeros((3, 3))
    command[2, 1] = NAN
    with pytest.raises(WorldError, match=r"chain/chain_1 = nan \(world 2\)"):
        sim.command = command


def test_masses_are_masses():
    sim = Simulation(world(), worlds=2, own_masses=True)
    with pytest.raises(WorldError, match=r"its mass must be a Mass, or one a world, not 2\.0"):
        sim.bodies["chain_1"].set_mass(2.0)
    sim.bodies["chain_1"].set_mass(Mass.point(2.0))


class Wild(Controller):
    """Gets a number that is not finite into the cells of a run, past the handles."""

    def next_time(self, run):
        return 0.05 if run.latest_time <= 0.05 and np.all(np.isfinite(run.command)) else INF

    def act(self, run):
        run.memory.write(run.memory.commands, [0.0, NAN, 0.0], "commands")


def test_a_failed_step_names_what_is_not_finite(sim):
    sim.reset()
    with pytest.raises(StepError) as caught:
        sim.run(0.1, controller=Wild())
    message = str(caught.value)
    assert "commands are not finite: chain/chain_1 = nan" in message and "loosen eps" not in message
