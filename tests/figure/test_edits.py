import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import (
    Body,
    Box,
    Capsule,
    Figure,
    FigureError,
    Joint,
    Mass,
    Part,
    Placement,
    chain,
    random_figure,
    random_positions,
)

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=20, deadline=None, derandomize=True)


def close(a, b, tolerance=1e-9):
    assert a.mass == pytest.approx(b.mass)
    np.testing.assert_allclose(a.centre, b.centre, atol=tolerance)
    np.testing.assert_allclose(a.tensor, b.tensor, atol=tolerance * max(1.0, a.mass))


@few
@given(seeds, st.booleans())
def test_weld_keeps_the_whole_where_it_was(seed, shapes):
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, 8, shapes=shapes)
    name = f"b{rng.integers(1, 8)}"
    q = random_positions(rng, figure)
    welded = figure.weld(name, at=q[figure.position_slices[name]])
    rest = np.delete(q, figure.position_slices[name])
    assert name not in welded
    close(welded.mass_properties(rest), figure.mass_properties(q))
    before, after = figure.poses(q), welded.poses(rest)
    for other in welded.names:
        np.testing.assert_allclose(after[other].position, before[other].position, atol=1e-10)
        np.testing.assert_allclose(after[other].matrix, before[other].matrix, atol=1e-10)
    parent = figure[name].parent
    assert len(welded[parent].parts) == len(figure[parent].parts) + len(figure[name].parts)


def test_weld_default_is_zero_and_mixed_masses_add():
    part = Part(Box((0.1, 0.1, 0.1)))
    figure = Figure("f", [Body("a", parts=[part]), Body("b", "a", Joint("hinge"), mass=Mass.point(2.0, (1, 0, 0)))])
    close(figure.weld("b").mass_properties(), figure.mass_properties())
    close(figure.weld("b")["a"].mass_properties, part.mass_properties + Mass.point(2.0, (1, 0, 0)))


def test_weld_faults():
    with pytest.raises(FigureError, match="chain_0: the root cannot be welded"):
        chain(2).weld("chain_0")
    with pytest.raises(FigureError, match="chain_1: a hinge joint has 1 position coordinates, not 2"):
        chain(2).weld("chain_1", at=(1, 2))


@few
@given(seeds)
def test_remove_takes_the_subtree(seed):
    figure = random_figure(seed, 8)
    name = f"b{1 + seed % 7}"
    less = figure.remove(name)
    assert less.mass == pytest.approx(figure.mass - figure.distal_mass(name))
    assert set(less.names) == set(figure.names) - {name} - {b.name for b in figure.descendants(name)}


def test_remove_faults():
    with pytest.raises(FigureError, match="the root cannot be removed"):
        chain(2).remove("chain_0")
    with pytest.raises(FigureError, match="did you mean 'chain_1'"):
        chain(2).remove("chain1")


def test_renamed():
    figure = chain(3)
    assert figure.renamed("left_").names == ("left_chain_0", "left_chain_1", "left_chain_2")
    again = figure.renamed({"chain_0": "hip"}, name="leg")
    assert again.name == "leg" and again["chain_1"].parent == "hip"
    assert again.renamed({"hip": "chain_0"}, name="chain") == figure
    with pytest.raises(FigureError, match="no body 'chain_9' to rename"):
        figure.renamed({"chain_9": "x"})
    with pytest.raises(FigureError, match="taken"):
        figure.renamed({"chain_0": "chain_1"})


def test_replace_and_with_body():
    figure = chain(2)
    grown = figure.with_body(Body("tip", "chain_1", mass=Mass.point(1.0)))
    assert grown.mass == pytest.approx(3.0) and figure.mass == pytest.approx(2.0)
    turned = grown.replace("chain_1", name="fore", joint=Joint("slide"))
    assert turned["fore"].joint.type == "slide" and turned["tip"].parent == "fore"
    with pytest.raises(FigureError, match="its norm is 2"):
        figure.replace("chain_1", joint=Joint("hinge", (0, 0, 2)))
    with pytest.raises(FigureError, match="its parent 'nobody'"):
        figure.with_body(Body("x", "nobody", mass=Mass.point(1.0)))


@few
@given(seeds, st.floats(0.2, 5.0), st.floats(0.2, 5.0))
def test_scaled_lengths_and_masses(seed, length, mass):
    figure = random_figure(seed, 6, ("hinge", "slide", "screw", "ball", "universal"), shapes=True, passive=True)
    scaled = figure.scaled(length, mass)
    before, after = figure.mass_properties(), scaled.mass_properties()
    assert after.mass == pytest.approx(mass * before.mass)
    np.testing.assert_allclose(after.centre, length * np.asarray(before.centre), atol=1e-9)
    np.testing.assert_allclose(after.tensor, mass * length**2 * before.tensor, rtol=1e-7, atol=1e-7)
    assert figure.scaled(length).mass == pytest.approx(length**3 * before.mass)


def test_scaled_keeps_the_dimensionless_numbers():
    """Stiffness over weight, damping ratio, armature over inertia: what similar motion needs."""

    def numbers(figure):
        found = []
        for body in figure.bodies[1:]:
            joint, m = body.joint, body.mass_properties
            reach = 1.0 if joint.type == "slide" else abs(m.centre[2])
            load = m.mass * 9.8 * reach if joint.type == "hinge" else m.mass * 9.8 / abs(m.centre[2])
            inertia = m.mass if joint.type == "slide" else m.tensor_about((0, 0, 0))[1, 1]
            ratio = joint.damping / math.sqrt(joint.stiffness * inertia)
            found += [joint.stiffness / load, ratio, joint.armature / inertia]
        return found

    rod = Part(Capsule(0.02, 0.5), Placement((0, 0, -0.25)))
    passive = {"stiffness": 3.0, "damping": 0.2, "armature": 0.01, "rest": 0.1, "range": (-0.2, 0.3)}
    figure = Figure(
        "f",
        [
            Body("base", parts=[rod]),
            Body("h", "base", Joint("hinge", (0, 1, 0), **passive), parts=[rod]),
            Body("s", "h", Joint("slide", (0, 0, 1), **passive), parts=[rod]),
        ],
    )
    scaled = figure.scaled(length=3.0, mass=7.0)
    np.testing.assert_allclose(numbers(scaled), numbers(figure))
    assert scaled["h"].joint.range == (-0.2, 0.3)
    np.testing.assert_allclose(scaled["s"].joint.range, (-0.6, 0.9))


def test_scaling_refuses_what_it_cannot_do():
    figure = chain(2, Joint("cylindrical", stiffness=1.0, range=(-1, 1)), root="fixed")
    with pytest.raises(FigureError, match="stiffness and range of a cylindrical joint cannot be scaled"):
        figure.scaled(2.0)
    assert figure.scaled(mass=2.0)["chain_1"].joint.stiffness == 2.0
    with pytest.raises(FigureError, match="must be positive"):
        figure.scaled(0.0)
