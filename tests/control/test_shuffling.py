"""Active walking."""

import numpy as np
import pytest

from gambol import Placement, StopWhen
from gambol.control.biped.shuffling import trunk_angles
from gambol.experiments.person.walking import SimulatedWalk, simulate_walk
from gambol.models.person import (
    COMPLEX_SHUFFLE,
    LEVEL_SHUFFLE,
    fallen,
    foot_load,
    shuffle,
    shuffling_simulation,
    walking_person,
)


@pytest.mark.parametrize("angles", [(0.3, 0.0, 0.0), (0.0, -0.4, 0.0), (0.0, 0.0, 1.2), (0.2, 0.3, -0.5)])
def test_trunk_angles(angles):
    roll, pitch, yaw = angles
    turn = Placement.about((0.0, 0.0, 1.0), yaw)
    turn = turn.compose(Placement.about((0.0, 1.0, 0.0), pitch)).compose(Placement.about((1.0, 0.0, 0.0), roll))
    assert trunk_angles(np.array(turn.rotation)) == pytest.approx(angles, abs=1e-12)


def test_freedoms():
    assert walking_person().speeds == 28 and walking_person("complex", upper=False).speeds == 72


def test_feet_share_the_weight_of_a_start():
    sim = shuffling_simulation()
    load = foot_load(sim)
    assert load(sim, "l") > 300.0 and load(sim, "r") == 0.0


def test_it_walks():
    run = simulate_walk(4.0)
    assert run.shown.ended != "fell" and run.steps >= 12
    assert run.distance > 3.0
    sides = [side for _, side, _ in run.strikes]
    assert all(a != b for a, b in zip(sides, sides[1:]))


def test_it_starts_from_standing_still():
    run = simulate_walk(5.0, gait=COMPLEX_SHUFFLE, standing=True)
    assert run.shown.ended != "fell" and run.steps >= 8
    assert np.abs(run.shown.watched["centre"][0, 0]) < 0.05 and run.distance > 2.0


def test_without_feedback_on_where_feet_go_it_falls():
    """The same targets, but the swing foot does not answer to the centre of mass."""
    from dataclasses import replace

    blind = replace(LEVEL_SHUFFLE, place_x=0.0, speed_x=0.0, place_y=0.0, speed_y=0.0)
    sim = shuffling_simulation()
    assert sim.run(6.0, controller=[shuffle(sim, blind), StopWhen(fell=fallen)]).ended == "fell"


def test_only_steps_ahead_with_alternate_feet_count():
    feet = [("r", 0.3), ("l", 0.7), ("r", 1.1), ("r", 1.5), ("l", 1.9), ("r", 1.85)]
    strikes = [(0.1 * k, side, (x, 0.0, 0.0)) for k, (side, x) in enumerate(feet)]
    assert SimulatedWalk(None, strikes).steps == 2
