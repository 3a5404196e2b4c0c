"""What a body hands to the next of its chain may stay in hand: passes of a device, in Python, beside the usual ones."""

import numpy as np
import pytest

from gambol import GroundContact, JointSpring, Simulation, Surface, World, chain, random_positions
from gambol.dynamics.joints import hinge
from gambol.dynamics.layout import Layout
from gambol.dynamics.workspace import FOLLOWS, HANDS_ON, IN_HAND
from gambol.jit import JIT_ON
from gambol.models import hexapod30, person90
from gambol.models.roach import roach
from trees import tree

SURFACE = Surface(stiffness=2e3, damping=20.0)


def springs(figure):
    hinges = [body.name for body in figure.bodies if body.joint.type == "hinge"]
    return [JointSpring(joint=name, stiffness=3.0, damping=0.2) for name in hinges]


def on_the_ground(figure):
    return [*springs(figure), *GroundContact.of_figure(figure, SURFACE)]


CASES = {
    "chain": (lambda: chain(6), springs),
    "hexapod": (hexapod30, lambda figure: []),
    "hexapod on the ground": (hexapod30, on_the_ground),
    "roach": (roach, springs),
    "person": (person90, springs),
    "tree": (lambda: tree(5, 14, "free").figure, lambda figure: []),
}


@pytest.mark.nojit
@pytest.mark.skipif(JIT_ON, reason="compiled code keeps it in hand on a device alone")
@pytest.mark.parametrize("made, forces", CASES.values(), ids=CASES)
def test_accelerations_are_the_same(made, forces, monkeypatch):
    figure = made()
    world = World(figure, forces=forces(figure))
    rng = np.random.default_rng(2)
    q, v = random_positions(rng, figure, 0.5), rng.normal(size=world.layout.nv)

    def accelerations():
        sim = Simulation(world, ledger=False)
        sim.reset(q, v)
        one = sim.acceleration
        sim.run(2e-3, every=1e-3)
        return one, sim.q

    usual = accelerations()
    monkeypatch.setattr(
        Simulation, "_new_layout", lambda self, world: Layout(world.layout.figures, world.gravity, side_by_side=1)
    )
    monkeypatch.setattr(hinge, "keeps_in_hand", lambda W: True)
    for found, wanted in zip(accelerations(), usual):
        assert np.abs(found - wanted).max() < 1e-9 * max(1.0, np.abs(wanted).max())


def test_chains_are_found():
    """Hinges of a leg follow one another; where a body has two children neither is handed on in hand."""
    layout = Layout([hexapod30()], (0.0, 0.0, -9.81), side_by_side=1)
    flags = layout.pass_flags(shared_inertia=False, own_masses=False)
    follows = np.flatnonzero(flags & FOLLOWS)
    assert len(follows) > 12 and all(layout.parent[i] == i - 1 for i in follows)
    handed = np.flatnonzero(flags & HANDS_ON)
    assert set(handed) <= set(follows) and set(handed - 1) == set(np.flatnonzero(flags & IN_HAND))
    children = np.bincount(layout.parent[1:], minlength=len(flags))
    assert all(children[layout.parent[handed]] == 1)
