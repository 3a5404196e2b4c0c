"""Feet that stand elsewhere."""

import numpy as np
import pytest

from gambol import (
    FootPath,
    GaitController,
    Mechanics,
    PacemakerGait,
    WorldError,
    with_feet_moved,
    with_straight_strokes,
)
from gambol.models.roach import TUNED, adjusted_legs, roach


def feet(limbs, share=0.5):
    """Where feet are at a share of their stance."""
    figure = roach()
    q = np.array([x for body in figure.bodies for x in body.joint.zero])
    for leg in limbs:
        for joint in leg.joints:
            q[figure.position_slices[joint]] = (1.0 - share) * leg.step.last(joint) + share * leg.stance.last(joint)
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


def test_feet_go_straight_back_all_by_one_way():
    """As tuned, hind feet are drawn in by more than 5 mm, and pairs are swept by 3 to 9 mm."""
    limbs = adjusted_legs(*TUNED)
    paths = {"ml": FootPath(by=(-0.001, 0.0, 0.001), fall=0.001)}
    straight = with_straight_strokes(roach(), limbs, 0.005, paths)
    was = {name: feet(limbs, 0.0)[name] - at for name, at in feet(limbs, 1.0).items()}
    assert was["bl"][1] > 5e-3 and was["bl"][0] > 2.5 * was["ml"][0]
    first, last, middle = feet(straight, 0.0), feet(straight, 1.0), feet(limbs)
    for name in ("fl", "fr", "ml", "mr"):
        down = 0.001 if name == "ml" else 0.0
        assert first[name] - last[name] == pytest.approx((0.005, 0.0, down), abs=3e-4)
        moved = 0.5 * (first[name] + last[name]) - middle[name]
        assert moved == pytest.approx((-0.001, 0.0, 0.001) if name == "ml" else (0.0, 0.0, 0.0), abs=2e-4)
    for name in ("bl", "br"):  # as far as their joints may be moved
        assert abs((first[name] - last[name])[1]) < 0.2 * abs(was[name][1])


def test_a_foot_is_lifted_higher_and_comes_down_where_it_did():
    limbs = adjusted_legs(*TUNED)
    plain = with_straight_strokes(roach(), limbs)
    higher = with_straight_strokes(roach(), limbs, paths={leg.name: FootPath(lift=0.001) for leg in limbs})
    for before, after in zip(plain, higher):
        up = [b.target - a.target for a, b in zip(before.step.strokes, after.step.strokes) if a != b]
        assert len(up) == 1 and up[0] * (1.0 if before.side == "left" else -1.0) > 0.05
        assert all(before.step.last(joint) == after.step.last(joint) for joint in before.joints)


def test_a_straight_stroke_stays_straight_when_it_is_made_shorter():
    """All joints swing by less, not the first alone: on the spot a foot stands still."""
    limbs = with_straight_strokes(roach(), adjusted_legs(*TUNED), 0.006)
    figure, leg = roach(), limbs[2]
    walk = GaitController(PacemakerGait(limbs, step_time=0.05, cycle=0.2))
    for drive in (1.0, 0.5, 0.0, -1.0):
        walk.drive = drive
        ends = []
        for program in (leg.step, leg.stance):
            q = np.array([x for body in figure.bodies for x in body.joint.zero])
            for stroke in program.strokes:  # in their order: the last of each joint stays
                (q[figure.position_slices[stroke.joint]],) = walk.targets(stroke, (0,))
            ends.append(Mechanics(figure).point(q, leg.foot))
        assert ends[0] - ends[1] == pytest.approx((0.006 * drive, 0.0, 0.0), abs=4e-4)
    lifts = [stroke for stroke in leg.step.strokes if stroke.target != leg.step.last(stroke.joint)]
    middle = 0.5 * (leg.step.last(lifts[0].joint) + leg.stance.last(lifts[0].joint))
    walk.drive = 0.0  # it is lifted as high above where it then comes down
    assert walk.targets(lifts[0], (0,))[0] - middle == pytest.approx(
        lifts[0].target - leg.step.last(lifts[0].joint), abs=1e-12
    )


def test_a_path_of_a_leg_that_is_not_there():
    with pytest.raises(WorldError, match="no leg is called 'lf'"):
        with_straight_strokes(roach(), adjusted_legs(*TUNED), paths={"lf": FootPath()})
