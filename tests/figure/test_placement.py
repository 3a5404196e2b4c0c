import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import Placement
from gambol.figure.builders import random_placement

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None, derandomize=True)


def pair(seed):
    rng = np.random.default_rng(seed)
    return random_placement(rng), random_placement(rng), tuple(rng.normal(size=3))


@few
@given(seeds)
def test_compose_is_application_in_turn(seed):
    a, b, point = pair(seed)
    np.testing.assert_allclose(a.compose(b).apply(point), a.apply(b.apply(point)), atol=1e-12)
    np.testing.assert_allclose(a.compose(b).matrix, a.matrix @ b.matrix, atol=1e-12)


@few
@given(seeds)
def test_inverse_undoes(seed):
    a, _, point = pair(seed)
    np.testing.assert_allclose(a.inverse().apply(a.apply(point)), point, atol=1e-12)
    np.testing.assert_allclose(a.compose(a.inverse()).matrix, np.eye(3), atol=1e-12)


@few
@given(seeds)
def test_matrix_round_trip_and_rotation(seed):
    a, _, _ = pair(seed)
    np.testing.assert_allclose(a.matrix @ a.matrix.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(a.matrix) > 0
    again = Placement.from_matrix(a.matrix, a.position)
    sign = math.copysign(1.0, np.dot(again.rotation, a.rotation))
    np.testing.assert_allclose(np.multiply(sign, again.rotation), a.rotation, atol=1e-12)


def test_from_matrix_at_half_turns():
    for axis in np.eye(3):
        half = Placement.about(axis, math.pi)
        np.testing.assert_allclose(Placement.from_matrix(half.matrix).matrix, half.matrix, atol=1e-12)


def test_about_follows_the_right_hand():
    np.testing.assert_allclose(Placement.about((0, 0, 2), math.pi / 2).turn((1, 0, 0)), (0, 1, 0), atol=1e-15)


def test_euler_is_yaw_after_pitch_after_roll():
    r, p, y = 0.3, -0.5, 0.7
    rx = np.array([[1, 0, 0], [0, math.cos(r), -math.sin(r)], [0, math.sin(r), math.cos(r)]])
    ry = np.array([[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]])
    rz = np.array([[math.cos(y), -math.sin(y), 0], [math.sin(y), math.cos(y), 0], [0, 0, 1]])
    np.testing.assert_allclose(Placement.euler(r, p, y).matrix, rz @ ry @ rx, atol=1e-15)


@few
@given(seeds)
def test_mirror_reflects_both_frames(seed):
    a, b, (x, y, z) = pair(seed)
    image = a.apply((x, y, z))
    np.testing.assert_allclose(a.mirrored().apply((x, -y, z)), (image[0], -image[1], image[2]), atol=1e-12)
    composed, apart = a.compose(b).mirrored(), a.mirrored().compose(b.mirrored())
    np.testing.assert_allclose(composed.matrix, apart.matrix, atol=1e-12)
    assert a.mirrored().mirrored() == a
