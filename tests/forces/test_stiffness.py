"""Elements between moving bodies at a million times a sensible stiffness: implicit steps of 10 ms stay bounded."""

import math
from dataclasses import replace

import numpy as np
import pytest

from gambol import (
    Attachment,
    BodyContact,
    GroundContact,
    Muscle,
    Pulley,
    Simulation,
    Stepping,
    Surface,
    Tendon,
    World,
    box_figure,
    chain,
)

FIGURE = chain(3, length=0.5, mass=1.0, root="free")
BENT = [0, 0, 2.0, 1, 0, 0, 0, 0.6, -0.9]
ENDS = (("chain_0", (0.0, 0.05, -0.1)), ("chain_2", (0.1, 0.0, -0.3)))
HUB = {"pulley": "chain_1", "centre": (-0.06, 0.0, -0.1), "axis": (0.0, 1.0, 0.0), "radius": 0.05}
STIFF = {"stiffness": 1e9, "damping": 1e4}
(A, PA), (B, PB) = ENDS
ELEMENTS = {
    "attachment": Attachment(name="e", body=A, point=PA, other=B, other_point=PB, **STIFF),
    "muscle": Muscle(name="e", path=(ENDS[0], ("chain_1", (0.1, 0.0, -0.2)), ENDS[1]), **STIFF),
    "pulley": Pulley(name="e", body=A, point=PA, other=B, other_point=PB, **HUB, **STIFF),
    "tendon": Tendon(name="e", arms={"chain_1": 0.1, "chain_2": 0.2}, pulls_only=False, **STIFF),
}


def energy(sim):
    found = sim.mechanics.energies(sim.q, sim.v)
    return found["kinetic"] + found["gravity"]


@pytest.mark.parametrize("name", ELEMENTS)
def test_lines(name):
    element = ELEMENTS[name]
    looking = Simulation(World(FIGURE, forces=(element,)))
    looking.reset(BENT)
    rest = float(looking.elements["e"].report()["length"][0])
    world = World(FIGURE, forces=(replace(element, rest=rest),))
    sim = Simulation(world, stepping=Stepping(method="implicit-euler", step=1e-2))
    v = np.random.default_rng(3).normal(0.0, 1.0, 8)
    sim.reset(BENT, v)
    sim.q = [*BENT[:7], BENT[7] + 0.002, BENT[8] - 0.002]  # a little stretched: 1e9 N/m answer
    start = energy(sim)
    held = 0.5 * 1e9 * (float(sim.elements["e"].report()["length"][0]) - rest) ** 2
    path = sim.run(2.0, every=1e-2)
    assert np.isfinite(path.v).all()
    assert energy(sim) < start + held
    length = float(sim.elements["e"].report()["length"][0])
    assert abs(length - rest) < 0.05 or name in ("muscle", "pulley")  # these may go slack
    assert np.abs(path.v[-50:]).max() < 25.0  # it falls for two seconds


def test_bodies_in_contact():
    names = ("low", "middle", "high")
    boxes = [box_figure((0.3, 0.3, 0.2), mass=2.0, name=name) for name in names]
    gentle = Surface.bearing(6 * 9.81, points=4, sinkage=2e-4, friction=0.6)
    surface = Surface(stiffness=1e6 * gentle.stiffness, damping=1e3 * gentle.damping, friction=0.6, ramp=1e-9)
    forces = list(GroundContact.of_body(boxes[0].root, surface))
    forces += [BodyContact(body=b, other=a, surface=surface) for a, b in zip(names, names[1:])]
    sim = Simulation(World(boxes, forces=forces), stepping=Stepping(method="implicit-euler", step=1e-2))
    q = [x for k in range(3) for x in (0, 0, 0.1 + 0.2001 * k, 1, 0, 0, 0)]
    sim.reset(q)
    path = sim.run(2.0, every=1e-2)
    assert np.isfinite(path.v).all() and np.abs(path.v).max() < 2.0
    heights = sim.q.reshape(3, 7)[:, 2]
    assert np.abs(heights - [0.1, 0.3, 0.5]).max() < 5e-3
    assert math.isfinite(energy(sim))
