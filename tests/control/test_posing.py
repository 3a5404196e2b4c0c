"""Inverse kinematics with balance."""

import numpy as np
import pytest

from gambol import Mechanics, Place, PoseError, chain, pose
from gambol.models import person90
from gambol.models.person import placed, posture


def test_a_chain_reaches_a_point_and_misses_one_too_far():
    mechanics = Mechanics(chain(6))
    names = [entry.name for entry in mechanics.layout.bodies]
    q = 0.1 * np.ones(mechanics.positions)
    goal = mechanics.point(0.3 * np.cos(np.arange(mechanics.positions)), names[-1])
    found = pose(mechanics, q, [Place(names[-1], (0.0, 0.0, 0.0), tuple(goal))], joints=names, root=False, shy=1e-4)
    assert found.error < 1e-4
    np.testing.assert_allclose(mechanics.point(found.q, names[-1]), goal, atol=1e-4)
    with pytest.raises(PoseError, match="mm are left"):
        pose(mechanics, q, [Place(names[-1], (0.0, 0.0, 0.0), (99.0, 0.0, 0.0))], joints=names, root=False)


def test_limits_are_kept():
    mechanics = Mechanics(chain(4))
    names = [entry.name for entry in mechanics.layout.bodies]
    goal = mechanics.point(np.full(4, 0.2), names[-1])
    limits = {name: (0.0, 0.25) for name in names}
    found = pose(
        mechanics, np.full(4, 0.1), [Place(names[-1], (0.0, 0.0, 0.0), tuple(goal))], joints=names, root=False,
        limits=limits, shy=1e-4,
    )  # fmt: skip
    assert np.all(found.q >= 0.0) and np.all(found.q <= 0.25)


def test_the_centre_of_mass_moves_over_the_feet_which_stay():
    figure = person90()
    mechanics = Mechanics(figure)
    start = placed(figure, posture(wide=True))
    feet = [f"{side}_hindfoot" for side in "lr"]
    corners = [(-0.05, 0.02, -0.05), (-0.05, -0.02, -0.05), (0.05, 0.0, -0.05)]
    places = [Place(foot, at, tuple(mechanics.point(start, foot, at))) for foot in feet for at in corners]
    before = mechanics.centre_of_mass(start)
    joints = [f"{s}_{j}" for s in "lr" for j in ("thigh1", "thigh2", "thigh3", "talus", "hindfoot", "shank")]
    found = pose(mechanics, start, places, joints=joints, centre=(before[0] + 0.03, -0.02))
    after = mechanics.centre_of_mass(found.q)
    assert after[:2] == pytest.approx((before[0] + 0.03, -0.02), abs=2e-3)
    for foot in feet:
        np.testing.assert_allclose(mechanics.point(found.q, foot), mechanics.point(start, foot), atol=2e-3)
