"""The regressor of open chains: identities of mechanics, and the two-link arm in closed form."""

import numpy as np
import pytest

from gambol import Mechanics, WorldError, box_figure, random_figure, random_positions
from gambol.control.arms import ChainRegressor, two_link_regressor
from gambol.models.arms import roach_leg, six_link_arm, slotine_li_arm, two_link_parameters, uno_arm

TREES = [("hinge",), ("hinge", "slide", "screw"), ("ball", "hinge"), ("universal", "cylindrical", "planar", "ball")]


def chain_of(joints, seed=2):
    figure = random_figure(seed, bodies=5, joints=joints, root=joints[0])
    rng = np.random.default_rng(seed)
    mechanics = Mechanics(figure)
    q = random_positions(rng, figure)
    v, v_r, a_r = rng.normal(size=(3, mechanics.speeds))
    return mechanics, q, v, v_r, a_r


@pytest.mark.parametrize("joints", TREES, ids=str)
def test_the_true_parameters_give_inverse_dynamics(joints):
    mechanics, q, v, _, a = chain_of(joints)
    regressor = ChainRegressor(mechanics)
    torque = regressor(q[None], v[None], v[None], a[None])[0] @ regressor.truth
    # accelerations are those of the joint coordinates: the turning of a ball's own axes is in the bias
    assert torque == pytest.approx(mechanics.inverse(q, v, a), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("joints", TREES[:2], ids=str)
def test_coriolis_is_linear_and_leaves_the_rate_of_mass_skew(joints):
    mechanics, q, v, _, _ = chain_of(joints)
    regressor, n = ChainRegressor(mechanics, gravity=False), mechanics.speeds
    rows = [regressor(q[None], v[None], e[None], np.zeros((1, n)))[0] @ regressor.truth for e in np.eye(n)]
    C = np.array(rows).T
    assert C @ v == pytest.approx(mechanics.inverse(q, v) - mechanics.gravity_torque(q), abs=1e-10)
    h = 1e-6
    ahead, behind = (mechanics.mass_matrix(mechanics.displaced(q, s * h * v)) for s in (1, -1))
    rate = (ahead - behind) / (2 * h)
    skew = rate - 2 * C
    assert skew + skew.T == pytest.approx(np.zeros((n, n)), abs=1e-7)


@pytest.mark.parametrize("figure", [slotine_li_arm(), uno_arm()], ids=lambda f: f.name)
def test_the_two_link_arm_in_four_parameters(figure):
    mechanics = Mechanics(figure, gravity=(0, 0, 0))
    rng = np.random.default_rng(0)
    q, v, v_r, a_r = rng.normal(size=(4, 7, 2))
    general = ChainRegressor(mechanics)
    theirs = general(q, v, v_r, a_r) @ general.truth
    assert two_link_regressor(q, v, v_r, a_r) @ two_link_parameters(figure) == pytest.approx(theirs, abs=1e-12)


def test_the_parameters_of_the_sources_arms():
    assert two_link_parameters(slotine_li_arm()) == pytest.approx([3.34, 0.97, 1.0392304845, 0.6], abs=1e-9)
    assert two_link_parameters(uno_arm()) == pytest.approx([0.23375, 0.1, 0.04125, 0.0], abs=1e-12)


def test_limbs_beyond_two_links():
    for figure, joints in ((six_link_arm(), 6), (roach_leg(), 5)):
        mechanics = Mechanics(figure)
        rng = np.random.default_rng(1)
        q, v, a = rng.normal(size=(3, joints))
        regressor = ChainRegressor(mechanics)
        torque = regressor(q[None], v[None], v[None], a[None])[0] @ regressor.truth
        expected = mechanics.inverse(q, v, a)
        assert torque == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
        assert len(regressor.names) == len(regressor.truth) == 10 * joints


def test_a_floating_root_is_refused():
    with pytest.raises(WorldError, match="box: a free joint floats"):
        ChainRegressor(Mechanics(box_figure()))
