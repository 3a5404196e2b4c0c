"""The hexapod that stands: the same figure in both engines, and poses that converge."""

import numpy as np
import pytest

from gambol import Stepping
from gambol.bench.cases import cases
from gambol.bench.standing import CONTACT_CASE, SINKAGE, GambolStand, MuJoCoStand, pose_error

pytest.importorskip("mujoco")


def test_both_engines_have_the_same_springs():
    """In the air, joints bent away from rest: equal accelerations."""
    ours, theirs = GambolStand(), MuJoCoStand(1e-4)
    bent = ours.start.copy()
    bent[2] += 1.0
    bent[7:] += np.random.default_rng(1).normal(0.0, 0.3, 24)
    v = np.random.default_rng(2).normal(0.0, 0.5, 30)
    ours.sim.reset(bent, v)
    theirs._set(bent, v)
    found, wanted = theirs.acceleration(), ours.sim.acceleration
    assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max()


def test_both_stand_alike():
    ours, theirs = GambolStand().poses()[-1], MuJoCoStand(5e-4).poses()[-1]
    assert ours[2] == pytest.approx(theirs[2], abs=1e-4)  # height of the trunk [m]
    assert np.abs(ours[7:] - theirs[7:]).max() < 5e-3  # joints [rad]
    assert GambolStand().start[2] - ours[2] > 2e-3 + SINKAGE


def test_our_poses_converge():
    reference = GambolStand(Stepping(method="implicit-pair", eps=1e-8)).poses()
    errors = [
        pose_error(GambolStand(Stepping(method="implicit-euler", step=step)).poses(), reference)
        for step in (2e-3, 1e-3, 5e-4)
    ]
    assert errors[0] < 2e-3 and errors[0] > 1.5 * errors[1] > 2.25 * errors[2]


def test_it_is_a_case():
    assert CONTACT_CASE in cases()
