import itertools

import numpy as np
import pytest

from gambol.experiments.roach.rival import blocks, gaps
from gambol.experiments.roach.rough import WAVE_CYCLE, WAVE_LEGS, reflexes, uneven
from gambol.experiments.roach.walking import walk
from gambol.models.roach import STICKY, STICKY_FRICTION, roach_world


def test_reflexes_are_silent_until_they_are_needed():
    """On level ground none acts; over high ground some do."""
    wave = dict(cycle=WAVE_CYCLE, limbs=WAVE_LEGS)
    level = walk(roach_world(sticky=STICKY, friction=STICKY_FRICTION), **wave, seconds=1.0, reflexes=reflexes())
    assert sum(getattr(r, "count", 0) for r in level.gait.gait.reflexes) == 0
    acted, upright = 0, 0
    for height, seed in itertools.product((6e-3, 9e-3, 1.2e-2), range(1, 5)):  # about one walk in three needs one
        world = roach_world(sticky=STICKY, friction=STICKY_FRICTION, terrain=uneven(height, seed))
        rough = walk(world, **wave, seconds=1.5, reflexes=reflexes())
        acted += sum(getattr(r, "count", 0) for r in rough.gait.gait.reflexes)
        upright += rough.upright()
    assert acted > 0 and upright >= 9


@pytest.mark.parametrize("make", [lambda: uneven(4e-3, 1), lambda: blocks(3e-3, 1), lambda: gaps(3e-3, 1)])
def test_grounds_are_level_at_the_start(make):
    ground = make()
    assert all(ground.height(x, y) == 0.0 for x in (-0.03, 0.0, 0.02) for y in (-0.02, 0.0, 0.02))
    heights = [ground.height(x, 0.003) for x in np.linspace(0.05, 0.2, 60)]
    assert np.ptp(heights) > 1e-3
