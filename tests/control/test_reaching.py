"""Reaching: postures formed, learnt and held."""

import numpy as np
import pytest

from gambol import ControlState, Simulation
from gambol.control.arms import Reach, rest_lesson, train
from gambol.experiments.person.reaching import BUTTONS, GAZE_POINT, fingertip
from gambol.models.person import REACHING, STEPPING, person_world, positions, reaching_person, standing_angles


@pytest.fixture(scope="module")
def world():
    return person_world(reaching_person(), grounded=False, parameters="script")


@pytest.fixture(scope="module")
def reach():
    return Reach("l_forearm", fingertip(), "head3", GAZE_POINT, tuple(n for n in REACHING if not n.startswith("head")))


def test_a_lesson_brings_the_hand_to_the_target_and_holds_it_there(world, reach):
    lesson = train(world, reach, [BUTTONS[2]])[0]
    assert lesson.error < 1e-3
    sim = Simulation(world, stepping=STEPPING, ledger=False)
    sim.reset(lesson.q)
    lesson.state.apply(sim)
    assert np.abs(sim.acceleration).max() < 1e-6
    sim.advance(2.0)
    tip = sim.mechanics.point(sim.q, reach.hand, reach.tip)
    np.testing.assert_allclose(tip, BUTTONS[2], atol=1e-3)


def test_the_neck_turns_towards_the_target_but_not_all_the_way(world, reach):
    side = train(world, reach, [(0.5, 0.35, 1.3)])[0]
    turn = side.q[reaching_person().position_slices["head3"]][0]
    assert 0.05 < turn < np.arctan2(0.35, 0.5)


def test_the_arm_at_the_side_is_a_lesson_too(world, reach):
    q = positions(reaching_person(), standing_angles())
    lesson = rest_lesson(world, reach, q)
    assert isinstance(lesson.state, ControlState) and lesson.error == 0.0
    assert set(lesson.state.rest) == set(REACHING)
