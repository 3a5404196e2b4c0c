"""Feet that stand elsewhere."""

import numpy as np
import pytest

from gambol import Mechanics, WorldError, with_feet_moved
from gambol.models.roach import TUNED, adjusted_legs, roach


def feet(limbs):
    """Where feet are in the middle of their strokes."""
    figure = roach()
    q = np.array([x for body in figure.bodies for x in body.joint.zero])
    for leg in limbs:
        for joint in leg.joints:
            q[figure.position_slices[joint]] = 0.5 * (leg.step.last(joint) + leg.stance.last(joint))
    return {leg.name: Mechanics(figure).point(q, leg.foot) for leg in limbs}


def test_feet_stand_as_far_from_where_they_did_as_told():
    limbs = adjusted_legs(*TUNED)
    moved = with_feet_moved(roach(), limbs, {"fl": (-0.001, 0.0005, 0.0), "br": (0.0, -0.001, 0.0005)})
    before, after = feet(limbs), feet(moved)
    for name, by in {"fl": (-0.001, 0.0005, 0.0), "br": (0.0, -0.001, 0.0005), "mr": (0.0, 0.0, 0.0)}.items():
        assert after[name] - before[name] == pytest.approx(by, abs=1.5e-4)
    assert moved[3] == limbs[3]


def test_a_foot_goes_no_further_than_its_joints_may():
    limbs = adjusted_legs(*TUNED)
    (far, *_) = with_feet_moved(roach(), limbs, {"fl": (-1.0, 0.0, 0.0)})
    turned = [far.step.last(joint) - limbs[0].step.last(joint) for joint in far.joints]
    assert np.abs(turned).max() == pytest.approx(0.5)


def test_a_leg_that_is_not_there():
    with pytest.raises(WorldError, match="no leg is called 'lf'"):
        with_feet_moved(roach(), adjusted_legs(*TUNED), {"lf": (0.0, 0.0, 0.0)})
