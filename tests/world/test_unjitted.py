"""The source runs without the compiler, and gives the numbers of the compiled code."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol
from gambol import (
    Anchor,
    BallSpring,
    Boundary,
    JointLimit,
    JointSpring,
    PointForce,
    Simulation,
    Stepping,
    World,
    chain,
    random_figure,
    random_positions,
)
from gambol.figure import JOINT_TYPES
from gambol.jit import JIT_ON

pytestmark = pytest.mark.nojit
CLOSE = {"event": 1e-10, "float32": 1e-4}  # an event is located to 1e-12 s


def every_joint():
    """A tree with every joint type, one of them driven, in motion."""
    rng = np.random.default_rng(11)
    figure = random_figure(rng, 1, root="free")
    for k, type_ in enumerate(t for t in JOINT_TYPES if t not in ("free",)):
        grown = random_figure(rng, 2, (type_,)).bodies[1]
        joint = replace(grown.joint, driven=type_ == "hinge")
        figure = figure.with_body(replace(grown, name=f"b{k + 1}", parent=f"b{rng.integers(k + 1)}", joint=joint))
    return figure, random_positions(rng, figure), rng.normal(size=figure.speeds), rng.normal(size=figure.speeds)


def forward():
    """Forward dynamics of every joint type, and how far it is from the dense solve."""
    figure, q, v, tau = every_joint()
    sim = Simulation(World(figure))
    sim.reset(q, v)
    sim.command = tau
    a, force, m = sim.acceleration, sim.joint_force, sim.mechanics
    wrong = np.abs(m.mass_matrix(q) @ a + m.bias(q, v) - force).max()
    assert wrong < 1e-11, wrong
    energies = list(m.energies(q, v).values())
    return [*a, *force, *m.mass_matrix(q).ravel(), *m.momentum(q, v), *m.centre_of_mass(q), *energies]


def elements():
    """Forces of every kind upon a small figure; none begins or ends on the way, which would magnify roundings."""
    figure = chain(3, length=0.4).with_body(replace(chain(1, "ball").bodies[0], name="ball", parent="chain_1"))
    forces = (
        JointSpring(joint="chain_0", stiffness=20.0, damping=0.4, rest=0.3),
        JointLimit(joint="chain_1", lower=-2.0, upper=-1.0, stiffness=20.0, damping=0.1),
        BallSpring(joint="ball", stiffness=5.0, damping=0.2),
        PointForce(body="ball", force=(1.0, 2.0, 0.0), point=(0.0, 0.0, -0.5), duration=0.2, period=0.3),
        Anchor(body="chain_2", place=(0.3, 0.0, -1.0), stiffness=100.0, damping=3.0),
    )
    q = (0.4, 0.3, -0.2, 0.8, 0.36, -0.48, 0.0)
    return World(figure, forces=forces), q, (0.5, -1.0, 0.3, 0.2, 0.4, -0.6)


def stepped(method, eps):
    world, q, v = elements()
    sim = Simulation(world, stepping=Stepping(method=method, step=2e-3, eps=eps))
    sim.reset(q, v)
    path = sim.run(0.03, every=0.01)
    return [*path.q.ravel(), *path.v.ravel(), *path.work.ravel(), *sim.ledger().values(), *sim.counts.values()]


def free_joints():
    """Steps of turning bodies, where positions are not vectors."""
    figure, q, v, tau = every_joint()
    sim = Simulation(World(figure), stepping=Stepping(method="rkf45", step=1e-3, eps=1e-8))
    sim.reset(q, v)
    sim.command = tau
    sim.run(0.01)
    return [*sim.q, *sim.v]


def event():
    """A height passed, exactly located, and a bounce at it."""
    tip = (0.0, 0.0, -1.0)
    low = Boundary(name="low", watch="height", body="chain_1", point=tip, value=-1.9, direction="falling")
    sim = Simulation(World(chain(2), boundaries=(low,)), stepping=Stepping(method="rkf45", eps=1e-8))
    sim.reset((1.0, 0.2))

    def turn_back(sim, event):
        sim.v = -0.5 * sim.v

    sim.run(0.7, on_event=turn_back)
    return [*sim.q, *sim.v, *(e.time for e in sim.events), sim.ledger()["jumps"]]


def packs():
    """Two worlds in a pack, three worlds in two packs."""
    world, q, v = elements()
    sim = Simulation(world, worlds=3, lanes=2, stepping=Stepping(method="implicit-pair", eps=1e-2))
    sim.reset(q, np.outer((1.0, 0.5, -1.0), v))
    sim.run(0.02)
    return [*sim.q.ravel(), *sim.v.ravel(), *sim.counts["steps"]]


def single_precision():
    """Numbers stay float32 all the way."""
    figure, q, v, tau = every_joint()
    sim = Simulation(World(figure), dtype=np.float32)
    sim.reset(q, v)
    sim.command = tau
    return [*sim.acceleration]


def numbers():
    parts = dict(forward=forward(), free_joints=free_joints(), event=event(), packs=packs(), float32=single_precision())
    parts["rkf45"] = stepped("rkf45", 1e-8)
    parts["implicit-pair"] = stepped("implicit-pair", 1e-2)
    return {name: [float(x) for x in values] for name, values in parts.items()}


@pytest.mark.filterwarnings("ignore:invalid value")  # the spare lane of a pack stands at t = ∞
def test_source_without_the_compiler_gives_the_same_numbers():
    """This process runs one way, a second one the other way."""
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1" if JIT_ON else "0",
        "PYTHONPATH": str(Path(gambol.__path__[0]).parent),
    }
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    other = json.loads(done.stdout)
    for name, values in numbers().items():
        a, b = np.array(values), np.array(other[name])
        assert a.shape == b.shape and np.all(np.isfinite(a)), name
        worst = np.abs(a - b) / np.maximum(np.abs(a), 1.0)
        assert worst.max() < CLOSE.get(name, 1e-12), (name, int(worst.argmax()), worst.max())


if __name__ == "__main__":
    json.dump(numbers(), sys.stdout)
