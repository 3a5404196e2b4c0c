"""The person: tables, layers, versions, symmetry, statics."""

import numpy as np
import pytest

from gambol import Box, ExponentialSpring, FigureError, Joint, Mechanics, parse_yaml, yaml_text
from gambol.models import person90
from gambol.models.person import (
    DISPLAY,
    SIMPLE,
    SKELETON,
    anatomical_angles,
    basic_biped,
    bone_placement,
    corners,
    ground,
    is_foot_bone,
    joint_limits,
    joint_springs,
    joint_table,
    lowest_point,
    person_hands,
    person_of,
    person_world,
    positions,
    programs,
    reaching_person,
    region_of,
    rest_angles,
    rigid_foot,
    single_body,
    standing_angles,
    without,
)


def mirrored_pair(left):
    return "r_" + left[2:]


def test_the_counts_of_the_source():
    figure = person90()
    hinges = [body for body in figure.bodies if body.joint.type == "hinge"]
    assert (len(figure.bodies), len(hinges), figure.speeds) == (85, 84, 90)
    assert figure.mass == pytest.approx(68.0, abs=0.05)
    assert sum(is_foot_bone(body.name) for body in figure.bodies) == 52
    assert figure.distal_mass("l_talus") == pytest.approx(0.985, abs=2e-3)
    assert set(joint_table()) == {body.name for body in hinges}
    assert parse_yaml(yaml_text(figure)) == figure


@pytest.mark.parametrize(
    "make, dof", [(rigid_foot, 38), (reaching_person, 6), (single_body, 6), (basic_biped, 13), (person_hands, 142)]
)
def test_versions(make, dof):
    figure = make()
    assert figure.speeds == dof
    assert figure.mass == pytest.approx(61.7 if make is basic_biped else 67.98, abs=0.01)


def test_welding_keeps_the_whole_as_it_stands():
    angles = standing_angles()
    whole, stiff, statue = person90(), rigid_foot(), single_body()
    own = whole.mass_properties(positions(whole, angles))
    for figure in (stiff, statue):
        other = figure.mass_properties(positions(figure, angles))
        np.testing.assert_allclose(other.centre, own.centre, atol=1e-12)
        np.testing.assert_allclose(other.inertia, own.inertia, rtol=1e-10, atol=1e-10)
        low = [lowest_point(f, positions(f, angles)) for f in (whole, figure)]
        assert low[0] == pytest.approx(low[1], abs=1e-12)


def test_the_bones_end_where_the_next_joint_is():
    """Kinematic table and skeleton were printed apart; the far end of each block must be the next offset."""
    figure = person90()
    for parent, child in (("l_metat1", "l_phal1.1"), ("r_metat4", "r_phal4.1"), ("l_phal2.2", "l_toe2.1")):
        skeleton = next(part for part in figure[parent].parts if part.name == SKELETON)
        far = skeleton.placement.apply((0.5 * skeleton.shape.size[0], 0.0, 0.0))
        np.testing.assert_allclose(far, figure[child].placement.position, atol=5e-4)


def test_simple_skin_carries_the_mass_and_the_contact():
    figure = person90()
    for body in figure.bodies:
        skin = [part for part in body.parts if part.name == SIMPLE]
        made = sum(part.mass_properties.mass for part in skin)
        assert made == pytest.approx(body.mass.mass, rel=0.02), body.name
        others = [part for part in body.parts if part.name != SIMPLE]
        assert not any(part.inertial or part.colliding for part in others)
    heel = next(part for part in figure["l_hindfoot"].parts if part.name == SIMPLE)
    assert corners(heel)[:, 2].min() == pytest.approx(-0.05415, abs=1e-4)  # 54 mm below the subtalar joint


def test_layers_are_shown_one_at_a_time():
    for layer in (SKELETON, SIMPLE, DISPLAY):
        seen = {part.name for body in person90(layer).bodies for part in body.parts if part.visible}
        assert seen == {layer}
    with pytest.raises(FigureError, match="did you mean 'skeleton'"):
        person90("skeletn")


def test_left_and_right_are_mirror_images():
    figure = person90()
    image = figure.mirror()
    flipped = {body.name: body for body in image.bodies}
    for body in figure.bodies:
        other = flipped[body.name]
        np.testing.assert_allclose(other.placement.position, body.placement.position, atol=4e-6)
        np.testing.assert_allclose(other.mass.centre, body.mass.centre, atol=1e-9)
        assert abs(np.dot(other.joint.axis, body.joint.axis)) == pytest.approx(1.0, abs=1e-9) or not body.parent
    for name, row in joint_table().items():
        if name.startswith("l_"):
            other = joint_table()[mirrored_pair(name)]
            sign = np.dot(flipped[name].joint.axis, figure[name].joint.axis)
            assert other.standing == pytest.approx(sign * row.standing, abs=1e-9), name
            assert other.table == row.table


def test_bevels_cut_every_corner_into_three():
    part = next(part for part in person90()["r_metat1"].parts if part.name == SIMPLE)
    plain, cut = corners(part), corners(part, bevel=0.05)
    assert (len(plain), len(cut)) == (8, 24)
    assert np.ptp(cut, axis=0) == pytest.approx(np.ptp(plain, axis=0), rel=0.1)
    inner = (cut - np.asarray(part.placement.position)) @ np.asarray(part.placement.matrix)
    assert np.abs(inner).max(axis=0) == pytest.approx(np.asarray(part.shape.size) / 2)


def test_parameters_after_the_table_or_the_script():
    figure = person90()
    table = {e.name: e for e in joint_springs(figure)}
    script = {e.name: e for e in joint_springs(figure, parameters="script")}
    assert len(table) == 84 and table["l_talus"].damping == 1.0 and script["l_talus"].damping == 10.0
    assert table["r_toe1"].strength == 0.015 and script["r_toe1"].strength == 0.15
    assert len(joint_limits(figure)) == 26
    passive = {e.name: e for e in joint_springs(figure, passive=True)}
    assert passive["l_shank"].strength < 1e-6 and passive["l_metat1"].strength == 5.0
    stiffer = {e.name: e for e in joint_springs(figure, stiffer={"foot": 8.0, "talus": 1.5})}
    assert stiffer["l_nav"].strength == 40.0 and stiffer["l_talus"].strength == 93.0
    with pytest.raises(FigureError, match="no parameters 'tabel'"):
        joint_springs(figure, parameters="tabel")


def test_joint_table_round_trip():
    """From the table to the world's elements and back: the torque of every spring at the standing angle."""
    angles, printed = standing_angles(), {"r_talus": 25.02, "l_shank": 11.2, "l_metat2": 10.63, "pelvis1": 12.45}
    springs = {e.name: e for e in person_world().elements if isinstance(e, ExponentialSpring)}
    for name, row in joint_table().items():
        spring, gap = springs[name], springs[name].rest - angles[name]
        assert (spring.strength, spring.rise, spring.rest) == (row.table.strength, row.table.rise, row.rest)
        if name in printed:
            torque = np.sign(gap) * spring.strength * np.expm1(spring.rise * abs(gap))
            assert torque == pytest.approx(printed[name], rel=2e-3)


def test_arms_and_head_springs_balance_gravity():
    """Joints above the ground need no contact model: what the springs of Table 11 give is what gravity asks."""
    figure = person90()
    mechanics = Mechanics(figure)
    q = positions(figure, standing_angles())
    pitch = 0.0285  # of the trunk [rad]: one number, fitted to nine torques
    q[3:7] = np.cos(0.5 * pitch), 0.0, np.sin(0.5 * pitch), 0.0
    need = mechanics.gravity_torque(q)
    angles, rest = standing_angles(), rest_angles()
    for name in ("l_humerus1", "r_humerus2", "l_humerus3", "l_forearm", "head1", "l_hand1", "r_hand2"):
        spring, gap = joint_table()[name].table, rest[name] - angles[name]
        gives = np.sign(gap) * spring.strength * np.expm1(spring.rise * abs(gap))
        asked = need[mechanics.layout.speed_slices[f"person90/{name}"]][0]
        assert gives == pytest.approx(asked, rel=0.03, abs=0.012), name


def test_motor_programs():
    exercise, toes, rise = programs(4), programs(5), programs(6)
    assert list(exercise) == ["arms-up", "move-in", "move-out"] and exercise["move-in"].rest["l_shank"] == 2.5
    assert toes["extend"].duration == 0.5 and len(toes["flex"].rest) == 19
    assert rise["flex"].rest["l_talus"] == 0.7 and rise["arms-out"].duration == 1.5


def test_anatomical_posture():
    angles = anatomical_angles()
    assert angles["l_talus"] == -0.07 and angles["r_humerus3"] == -1.0 and angles["l_metat5"] == 0.14


def test_removal_and_what_is_left():
    figure = without(person90(), "l_phal1.1")
    assert "l_toe1" not in figure and figure.speeds == 87
    world = person_world(figure)
    names = {e.name for e in world.elements}
    assert "l_toe1" not in names and "l_toe1 contact" not in names and "r_toe1 contact" in names
    assert next(e for e in world.elements if e.name == "l_shank").strength == 62.0


def test_scaling_keeps_fractions_and_densities():
    small = person_of(1.5, 45.0)
    own = person90()
    assert small.mass == pytest.approx(45.0, abs=1e-3)
    fractions = [f["l_thigh3"].mass.mass / f.mass for f in (own, small)]
    assert fractions[0] == pytest.approx(fractions[1])
    assert np.linalg.norm(small["l_shank"].placement.position) == pytest.approx(0.432 * 1.5 / 1.77)
    thigh = small["l_thigh3"].mass.inertia
    heavy, long = 45.0 / 67.98, 1.5 / 1.77
    transverse = own["l_thigh3"].mass.inertia[0]
    assert transverse * heavy * long**2 == pytest.approx(thigh[0], rel=0.1)
    assert own["l_thigh3"].mass.inertia[2] * heavy * heavy / long == pytest.approx(thigh[2], rel=1e-6)
    world = person_world(small, height=1.5, mass=45.0)
    spring = next(e for e in world.elements if e.name == "l_shank")
    assert spring.strength == pytest.approx(62.0 * heavy * long, rel=1e-4)
    with pytest.raises(FigureError, match="height must be positive"):
        person_of(-1.0)


def test_hands_reach_as_far_as_a_hand():
    figure = person_hands()
    poses = figure.poses()
    tip = max(
        np.linalg.norm(np.subtract(poses[n].position, poses["l_hand1"].position))
        for n in figure.names
        if "l_hand_" in n
    )
    assert 0.1 < tip < 0.2
    assert figure["l_hand3"].mass_properties.mass + sum(
        b.mass_properties.mass for b in figure.descendants("l_hand3")
    ) == pytest.approx(0.408)


def test_soles_have_regions():
    assert [region_of(n) for n in ("l_hindfoot", "r_metat3", "l_toe1", "r_toe2.1", "l_phal1.2", "head3")] == [
        "heel",
        "ball",
        "big toe",
        "toes",
        "big toe",
        None,
    ]


def test_ground_and_roots():
    assert ground(friction=0.5).friction == 0.5
    assert isinstance(bone_placement("abdomen", (1.0, 1.0, 1.0)).position, tuple)
    assert reaching_person().root.joint == Joint("fixed")
    boxes = [
        p for b in rigid_foot().bodies for p in b.parts if p.name == SIMPLE and isinstance(p.shape, Box) and p.colliding
    ]
    assert len(boxes) == 50
