from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import FigureError, Joint, chain, random_figure, random_positions, reroot_positions
from gambol.figure import JOINT_TYPES
from gambol.figure.builders import random_joint

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=30, deadline=None, derandomize=True)


def masses(figure, q):
    """Every body's mass in the world."""
    poses = figure.poses(q)
    return {body.name: body.mass_properties.moved(poses[body.name]) for body in figure.bodies}


def close(a, b):
    np.testing.assert_allclose(a.centre, b.centre, atol=1e-9)
    np.testing.assert_allclose(a.tensor, b.tensor, atol=1e-8)


@few
@given(seeds, st.booleans())
def test_every_body_stands_where_it_stood(seed, shapes):
    """All bodies at the same places for all positions: then kinetic and potential energy are the same functions."""
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, 9, shapes=shapes)
    name = f"b{rng.integers(9)}"
    q = random_positions(rng, figure)
    new = figure.reroot(name)
    assert new.root.name == name and new.root.joint.type == "free"
    there = masses(new, reroot_positions(figure, name, q))
    for body, mass in masses(figure, q).items():
        close(there[body], mass)


@few
@given(seeds)
def test_there_and_back_is_the_same_figure(seed):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, 9, passive=False)
    name = f"b{rng.integers(1, 9)}"
    step = figure[name]
    while step.parent != "b0":
        step = figure[step.parent]
    back = figure.reroot(name).reroot("b0", frame=step.placement.inverse())
    for old, new in zip(figure.bodies, back.bodies):
        assert (old.name, old.parent, old.joint.type) == (new.name, new.parent, new.joint.type)
        assert old.joint == new.joint
        np.testing.assert_allclose(new.placement.position, old.placement.position, atol=1e-9)
        np.testing.assert_allclose(new.placement.matrix, old.placement.matrix, atol=1e-9)
        close(new.mass_properties, old.mass_properties)


@pytest.mark.parametrize("type_", JOINT_TYPES)
def test_reversed_joint_undoes_the_joint(type_):
    rng = np.random.default_rng(3)
    joint = random_joint(rng, type_)
    q = np.asarray(joint.zero) + rng.normal(0, 0.5, joint.positions)
    if type_ in ("ball", "free"):
        q[-4:] /= np.linalg.norm(q[-4:])
    back = joint.kind.reversed(joint)
    whole = joint.pose(q).compose(back.pose(joint.kind.reversed_positions(joint, q)))
    np.testing.assert_allclose(whole.position, 0, atol=1e-12)
    np.testing.assert_allclose(whole.matrix, np.eye(3), atol=1e-12)
    assert back.kind.reversed(back) == joint


@pytest.mark.parametrize("type_", ["hinge", "slide", "screw", "cylindrical", "universal", "ball"])
def test_reversed_springs_and_ranges_act_alike(type_):
    """The same elastic energy, and the same positions inside the range."""

    def coordinates(joint, q):
        if joint.type != "ball":
            return np.asarray(q)
        return 2 * np.arccos(q[0]) * np.asarray(q[1:]) / np.linalg.norm(q[1:])

    rng = np.random.default_rng(4)
    joint = replace(random_joint(rng, type_, passive=True), range=(-0.2, 0.9))
    back = joint.kind.reversed(joint)
    for _ in range(20):
        q = np.asarray(joint.zero) + rng.normal(0, 0.3, joint.positions)
        if type_ == "ball":
            q /= np.linalg.norm(q)
        here, there = coordinates(joint, q), coordinates(back, joint.kind.reversed_positions(joint, q))
        energies = [0.5 * j.stiffness * np.sum((x - j.rest) ** 2) for j, x in ((joint, here), (back, there))]
        assert energies[0] == pytest.approx(energies[1])
        inside = [np.all((j.range[0] < x) & (x < j.range[1])) for j, x in ((joint, here), (back, there))]
        assert inside[0] == inside[1]


def test_a_hinge_keeps_its_angle_and_spring():
    joint = Joint("hinge", (0, 1, 0), stiffness=3.0, rest=0.2, range=(-0.1, 0.5))
    figure = chain(3, joint, root="free")
    new = figure.reroot("chain_2")
    assert new["chain_0"].joint == Joint("hinge", (0, -1, 0), stiffness=3.0, rest=0.2, range=(-0.1, 0.5))
    q = [0, 0, 0, 1, 0, 0, 0, 0.4, 0.7]
    mapped = reroot_positions(figure, "chain_2", q)
    assert mapped[new.position_slices["chain_0"]] == 0.4 and mapped[new.position_slices["chain_1"]] == 0.7


def test_fixed_root_stands_where_it_stood_at_zero():
    figure = chain(3, root="fixed")
    new = figure.reroot("chain_2")
    assert new.root.joint.type == "fixed"
    np.testing.assert_allclose(new.poses()["chain_2"].position, figure.poses()["chain_2"].position)
    for name, mass in masses(figure, None).items():
        close(masses(new, None)[name], mass)


def test_what_cannot_be_rerooted_says_why():
    with pytest.raises(FigureError, match="chain_0: its joint to the world is a hinge; only a free or fixed one"):
        chain(2).reroot("chain_1")
    sliding = chain(2, Joint("planar", (0, 1, 0), damping=1.0), root=Joint("free"))
    with pytest.raises(FigureError, match="chain_1: the damping of its planar joint cannot be reversed"):
        sliding.reroot("chain_1")
    dragged = chain(2, root=Joint("free", damping=1.0))
    with pytest.raises(FigureError, match="chain_0: the damping of its free joint cannot pass to another body"):
        dragged.reroot("chain_1")
