"""What runs between points of bodies: muscles, cables and springs, as lines."""

import numpy as np
import pytest

from gambol import Around, Cable, Joint, Muscle, Placement, Via, World, chain
from gambol.view import LiveSource


def test_driven_cables_are_muscles_and_go_over_solids():
    leg = chain(2, Joint("hinge", (0, 1, 0), damping=0.05), length=0.4, radius=0.03)
    knee = Placement.at(0.0, 0.0, -0.4)
    ends = Via("", (0.03, 0.0, 0.1)), Via("chain_1", (0.0, 0.0, -0.25))
    common = {"path": (ends[0], Around("chain_0", knee, 0.06), ends[1]), "optimum": 0.5, "strength": 300.0}
    driven = Cable(name="driven", drive="muscle", follows="muscle", input=1.0, activation=0.25, **common)
    direct = Cable(name="direct", drive="muscle", input=0.75, **common)
    string = Cable(name="string", path=ends, stiffness=10.0, taut=0.2)
    muscle = Muscle(name="muscle", path=(("", (0.0, 0.0, 1.0)), ("chain_0", (0.0, 0.0, 0.0))), rest=2.0)
    source = LiveSource.of(World(leg, forces=[driven, string, direct, muscle]))
    lines = source.lines
    assert np.allclose(lines.activations(), [1.0, 0.25, 0.75])
    poses = source.place(source.sim.q)
    pieces = lines.contracting(poses)
    assert len(pieces) == len(lines.owners) and list(lines.owners[:2]) == [0, 1]
    own = pieces[lines.owners == 1]
    assert np.allclose(own[0, 0], ends[0].point) and np.allclose(own[1:, 0], own[:-1, 1]), "from end to end"
    centre = poses.origins[0] + poses.frames[0] @ np.array(knee.position)
    away = np.linalg.norm(own[:, 0] - centre, axis=1)
    assert away.min() == pytest.approx(0.06), "on the surface, not through the ball"
    length = np.linalg.norm(np.diff(own, axis=1), axis=2).sum()
    assert length == pytest.approx(source.sim.elements["driven"].report()["length"].item(), rel=0.02)
    assert lines.stretched(poses).shape == (1, 2, 3) and lines.has_springs
