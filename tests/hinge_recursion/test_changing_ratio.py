"""ν is changed in the middle of a run."""

import numpy as np
import pytest

from gambol.models.finger import tapping_finger


def test_another_ratio_goes_on_as_if_it_had_been_so():
    changed, fresh = tapping_finger(), tapping_finger(ratio=4)
    changed.advance(0.08)
    fresh.restore(changed.state)
    changed.set_ratio(4)
    for sim in (changed, fresh):
        sim.advance(0.40)
    assert np.array_equal(changed.state.orientation, fresh.state.orientation)
    assert changed.time == pytest.approx(0.48)


def test_between_two_slow_bands_nothing_jumps():
    sim, unchanged = tapping_finger(ratio=4), tapping_finger(ratio=4)
    for one in (sim, unchanged):
        one.advance(0.06)
    before = sim.positions()
    sim.set_ratio(3)
    assert np.array_equal(sim.positions(), before)
    for one in (sim, unchanged):
        one.advance(0.01)
    step = np.abs(unchanged.positions() - before).max()
    assert np.abs(sim.positions() - unchanged.positions()).max() < 0.5 * step, "the next step is about the same"
    sim.advance(2.93)
    alike = tapping_finger(ratio=3)
    alike.advance(3.0)
    assert np.abs(sim.positions() - alike.positions()).max() < 0.02
    with pytest.raises(ValueError, match="whole number from 1"):
        sim.set_ratio(0)


def test_everything_is_saved_between_bands_too():
    sim = tapping_finger(ratio=4)
    sim.advance(0.05)
    sim.set_ratio(3)
    saved = sim.save()
    ends = []
    for _ in range(2):
        sim.advance(0.5)
        ends.append(sim.positions())
        sim.set_ratio(1)
        sim.set_torque_function("middle", sim.layout.torque_functions["proximal"])
        sim.load(saved)
    assert np.array_equal(*ends)
