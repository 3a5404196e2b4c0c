import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import Body, Box, Figure, FigureError, Mass, Placement
from gambol.figure.builders import random_mass, random_placement

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None, derandomize=True)


def spatial(mass):
    """The 6×6 spatial inertia about the frame's origin, by the definition."""
    c = np.asarray(mass.centre)
    skew = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    upper = np.hstack([mass.tensor + mass.mass * skew @ skew.T, mass.mass * skew])
    return np.vstack([upper, np.hstack([mass.mass * skew.T, mass.mass * np.eye(3)])])


def close(a, b, atol=1e-10):
    assert a.mass == pytest.approx(b.mass)
    np.testing.assert_allclose(a.centre, b.centre, atol=atol)
    np.testing.assert_allclose(a.tensor, b.tensor, atol=atol)


@few
@given(seeds)
def test_addition_is_that_of_spatial_inertias(seed):
    rng = np.random.default_rng(seed)
    a, b = random_mass(rng), random_mass(rng)
    np.testing.assert_allclose(spatial(a + b), spatial(a) + spatial(b), atol=1e-12)


@few
@given(seeds)
def test_addition_commutes_with_motion(seed):
    rng = np.random.default_rng(seed)
    a, b, place = random_mass(rng), random_mass(rng), random_placement(rng)
    close((a + b).moved(place), a.moved(place) + b.moved(place))
    close(a.moved(place).moved(place.inverse()), a)


@few
@given(seeds)
def test_motion_keeps_kinetic_energy(seed):
    rng = np.random.default_rng(seed)
    mass, place = random_mass(rng), random_placement(rng)
    omega, velocity = rng.normal(size=3), rng.normal(size=3)
    here = np.concatenate([omega, velocity]) @ spatial(mass) @ np.concatenate([omega, velocity])
    turned = place.matrix @ omega
    at_origin = place.matrix @ velocity - np.cross(turned, place.position)
    twist = np.concatenate([turned, at_origin])
    assert twist @ spatial(mass.moved(place)) @ twist == pytest.approx(here)


@few
@given(seeds)
def test_parallel_axis(seed):
    rng = np.random.default_rng(seed)
    mass, point = random_mass(rng), rng.normal(size=3)
    d = np.asarray(mass.centre) - point
    moments = np.diag(mass.tensor_about(point)) - np.diag(mass.tensor)
    np.testing.assert_allclose(moments, mass.mass * (d @ d - d * d), atol=1e-12)


@few
@given(seeds)
def test_mirrored_twice_is_itself(seed):
    mass = random_mass(np.random.default_rng(seed))
    assert mass.mirrored().mirrored() == mass
    flip = np.diag([1, -1, 1])
    np.testing.assert_allclose(mass.mirrored().tensor, flip @ mass.tensor @ flip)


def test_point_masses_make_a_dumbbell():
    dumbbell = Mass.point(2.0, (1, 0, 0)) + Mass.point(2.0, (-1, 0, 0))
    close(dumbbell, Mass(4.0, inertia=(0, 4, 4, 0, 0, 0)))
    assert not list(dumbbell.faults())


def test_sum_over_pieces_is_the_whole():
    halves = [Box((1, 2, 3)).mass_properties(7.0).moved(Placement((x, 0, 0))) for x in (-0.5, 0.5)]
    close(halves[0] + halves[1], Box((2, 2, 3)).mass_properties(7.0))


@pytest.mark.parametrize(
    "mass, words",
    [
        (Mass(-1.0), "mass must not be negative"),
        (Mass(float("nan")), "mass must be finite"),
        (Mass("heavy"), "mass must be a number"),
        (Mass(1.0, (0, 0)), "centre of mass must have 3 components, not 2"),
        (Mass(1.0, inertia=(1, 1, float("inf"), 0, 0, 0)), "must be finite"),
        (Mass(1.0, inertia=(1, 1, 2.1, 0, 0, 0)), "triangle inequality"),
        (Mass(1.0, inertia=(1, 1, 1, 0, 0, 2)), "not positive definite"),
        (Mass(0.0, inertia=(1, 1, 1, 0, 0, 0)), "inertia without mass"),
    ],
)
def test_impossible_masses(mass, words):
    with pytest.raises(FigureError, match=words) as caught:
        Figure("f", [Body("trunk", mass=mass)])
    assert {fault.where for fault in caught.value.faults} == {"trunk"}


@few
@given(seeds)
def test_degenerate_but_real(seed):
    """Rods and discs sit on the edge of the triangle inequality, in any orientation."""
    place = random_placement(np.random.default_rng(seed))
    for inertia in ((1, 1, 0, 0, 0, 0), (1, 1, 2, 0, 0, 0), (0, 0, 0, 0, 0, 0)):
        assert not list(Mass(1.0, inertia=inertia).moved(place).faults())
