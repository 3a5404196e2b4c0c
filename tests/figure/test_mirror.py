import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import (
    Body,
    Box,
    Figure,
    FigureError,
    Joint,
    Mass,
    Part,
    Placement,
    chain,
    mirror_positions,
    random_figure,
    random_positions,
)
from gambol.figure.mirror import mirrored_name

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=30, deadline=None, derandomize=True)


@few
@given(seeds, st.booleans())
def test_the_image_moves_as_the_image_of_the_motion(seed, shapes):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, 9, shapes=shapes)
    q = random_positions(rng, figure)
    image = figure.mirror()
    original, seen = figure.poses(q), image.poses(mirror_positions(figure, q))
    for name, pose in original.items():
        np.testing.assert_allclose(seen[name].position, pose.mirrored().position, atol=1e-10)
        np.testing.assert_allclose(seen[name].matrix, pose.mirrored().matrix, atol=1e-10)
        here, there = figure[name].mass_properties.mirrored(), image[name].mass_properties
        np.testing.assert_allclose(there.centre, here.centre, atol=1e-10)
        np.testing.assert_allclose(there.tensor, here.tensor, atol=1e-7)


@few
@given(seeds, st.booleans())
def test_twice_is_itself(seed, shapes):
    figure = random_figure(seed, 9, ("hinge", "slide", "screw", "universal", "planar"), shapes=shapes, passive=True)
    assert figure.mirror().mirror() == figure
    q = random_positions(seed, figure)
    np.testing.assert_array_equal(mirror_positions(figure.mirror(), mirror_positions(figure, q)), q)


def test_a_symmetric_figure_is_its_own_image():
    def leg(side, sign):
        part = Part(Box((0.1, 0.1, 0.4)), Placement((0, 0.01 * sign, -0.2)))
        hip = Joint("universal", (-sign, 0, 0), (0, 1, 0))
        return Body(f"{side}_leg", "trunk", hip, Placement((0, 0.1 * sign, 0)), [part])

    trunk = Body("trunk", joint=Joint("free"), parts=[Part(Box((0.2, 0.3, 0.5)))])
    figure = Figure("biped", [trunk, leg("l", 1), leg("r", -1)])
    image = figure.mirror()
    assert {b.name: b for b in image.bodies} == {b.name: b for b in figure.bodies}


@pytest.mark.parametrize(
    "name, image",
    [
        ("l_thigh", "r_thigh"),
        ("thigh_l", "thigh_r"),
        ("thigh.L", "thigh.R"),
        ("left_foot", "right_foot"),
        ("LeftFoot", "RightFoot"),
        ("footLeft", "footRight"),
        ("leftFoot", "rightFoot"),
        ("LEFT-HAND", "RIGHT-HAND"),
        ("leg_L2", "leg_R2"),
        ("L1", "R1"),
        ("trunk", "trunk"),
        ("leftover", "leftover"),
        ("upright", "upright"),
        ("roll", "roll"),
        ("bleft", "bleft"),
    ],
)
def test_names(name, image):
    assert mirrored_name(name) == image
    assert mirrored_name(image) == name


def test_names_by_another_rule():
    spine = Figure("spine", [Body("L5", mass=Mass.point(1.0))])
    assert spine.mirror().names == ("R5",)
    assert spine.mirror(rename=lambda name: name).names == ("L5",)


def test_a_pitch_hinge_keeps_its_axis_and_a_screw_changes_hand():
    assert chain(1).mirror() == chain(1)
    screw = chain(1, Joint("screw", (0, 1, 0), pitch=0.1)).mirror().root.joint
    assert screw.axis == (0, 1, 0) and screw.pitch == -0.1


def test_what_has_no_image_says_why():
    lopsided = Joint("cylindrical", range=(0.0, 1.0))
    figure = Figure("f", [Body("a", joint=lopsided, mass=Mass.point(1.0, (1, 0, 0)))])
    with pytest.raises(FigureError, match=r"a: the range \(0.0, 1.0\) of a cylindrical joint has no mirror image"):
        figure.mirror()
    sprung = figure.replace("a", joint=Joint("ball", stiffness=1.0, rest=0.3))
    with pytest.raises(FigureError, match=r"a: the spring of a ball joint at rest 0\.3 has no mirror image"):
        sprung.mirror()
