"""The benchmark of the standing person: it stands while it is timed, and MuJoCo has the same figure."""

import numpy as np
import pytest

from gambol.bench.cases import cases
from gambol.bench.person import CONTACT_STEP_CASE, STANDING_CASE, FixedSteps, MuJoCoPerson, measure
from gambol.models import person90
from gambol.models.person import person_world, posture, stand


@pytest.fixture(scope="module")
def standing():
    return stand(person_world(person90()), posture(wide=True))


def test_it_is_a_case_with_two_results():
    assert STANDING_CASE in cases()
    rate, step = measure(1, lambda: None)
    assert (rate.case, step.case) == (STANDING_CASE, CONTACT_STEP_CASE)
    assert rate.ratio == rate.ours and rate.floor.value == 5.0
    assert step.unit == "µs" and np.isfinite(step.ours)


def test_fixed_steps_stay_where_they_were_calibrated(standing):
    steps = FixedSteps(standing)
    steps.time()
    assert np.abs(steps.sim.q - standing.analysis.q).max() < 1e-3


def test_mujoco_has_the_same_masses_and_posture(standing):
    pytest.importorskip("mujoco")
    peer = MuJoCoPerson(standing, 5e-4)
    assert peer.model.body_mass.sum() == pytest.approx(person90().mass)
    peer.place()
    peer.mujoco.mj_forward(peer.model, peer.data)
    ours = standing.sim.mechanics.centre_of_mass(standing.analysis.q)
    np.testing.assert_allclose(peer.data.subtree_com[1], ours, atol=1e-6)
    assert peer.data.ncon > 8
