"""The compliant hexapod goes where it is told."""

import math

import numpy as np
import pytest

from gambol import Director, HybridRun, WorldError
from gambol.control.directing.clock_steering import LEAST_SHARE, slewed
from gambol.experiments.compliant_hexapod.trials import BATCH_STEPPING
from gambol.hybrid.models.ball import BouncingBall
from gambol.hybrid.models.compliant_hexapod import RHEX_CLOCK, CompliantHexapod

ALL_LEGS = 63


@pytest.fixture
def directed():
    """On level ground, after it has come to stand."""
    director = Director(HybridRun(CompliantHexapod(**RHEX_CLOCK), stepping=BATCH_STEPPING))
    director.run.run(2.5)
    return director


def test_it_stands_on_six_legs_until_it_is_told(directed):
    before = directed.look()
    directed.run.run(2.0)
    after = directed.look()
    assert directed.steering.stands and directed.run.chart == ALL_LEGS
    assert math.hypot(after.x - before.x, after.y - before.y) < 1e-3 and abs(after.turning) < 1e-3


def test_it_walks_to_a_place_to_its_left_and_stands_there(directed):
    directed.walk_to(0.8, 0.5, halt=True)
    directed.run.run(15.0)
    seen = directed.look()
    assert directed.done and directed.steering.stands and directed.run.chart == ALL_LEGS
    assert math.hypot(seen.x - 0.8, seen.y - 0.5) < 0.08
    assert directed.run.x[0] == pytest.approx(-seen.y) and directed.run.x[1] == pytest.approx(
        seen.x
    )  # axes of the source


def test_it_turns_on_the_spot_and_goes_backward(directed):
    place = directed.look()
    directed.turn(-1.2)
    directed.run.run(6.0)
    seen = directed.look()
    assert directed.done and seen.heading - place.heading == pytest.approx(-1.2, abs=0.2)
    assert math.hypot(seen.x - place.x, seen.y - place.y) < 0.1
    directed.go(-0.2, seconds=2.0)
    directed.run.run(2.0)
    back = directed.look()
    ahead = (back.x - seen.x) * math.cos(seen.heading) + (back.y - seen.y) * math.sin(seen.heading)
    assert -0.6 < ahead < -0.2


def test_it_goes_on_from_a_saved_state_to_the_bit(directed):
    run = directed.run
    directed.follow([(0.5, 0.0), (0.5, 0.5)])
    run.run(1.7)
    state = run.save()
    run.run(2.0)
    first = run.x.copy()
    run.restore(state)
    run.run(2.0)
    assert np.array_equal(run.x, first)


def test_another_director_lets_it_go_from_where_it_stands(directed):
    top = directed.steering.top_speed
    other = Director(directed.run)
    other.go(0.2, seconds=2.0)
    other.run.run(2.0)
    assert other.steering.top_speed == pytest.approx(top) and other.look().x - directed.look().x == 0.0
    assert other.look().speed > 0.1 and other.look().x > 0.15


def test_a_share_changes_its_sign_only_where_it_may():
    assert slewed(0.05, -1.0, 0.2, False) == LEAST_SHARE and slewed(-0.05, 1.0, 0.2, False) == -LEAST_SHARE
    assert slewed(0.05, -1.0, 0.2, True) == pytest.approx(-0.15)
    assert slewed(-LEAST_SHARE, 0.0, 0.2, True) == -LEAST_SHARE
    assert slewed(0.5, 1.0, 0.2, False) == pytest.approx(0.7)


def test_what_it_cannot_steer_is_refused():
    with pytest.raises(WorldError, match="CompliantHexapod"):
        Director(HybridRun(BouncingBall(), [1.0, 0.0]))
    with pytest.raises(WorldError, match="single hexapod"):
        Director(HybridRun(CompliantHexapod(), worlds=2))
