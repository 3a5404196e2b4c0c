"""The person's walk: adult curves, feet placed by feedback."""

import numpy as np
import pytest

from gambol import UnknownNameError
from gambol.control.biped import stride_law
from gambol.control.biped.adult_curves import CURVES, HIP, PHASES, adult_curve, curve_tables
from gambol.control.biped.gait import GAIT_NUMBERS
from gambol.experiments.gait.measures import GaitLog
from gambol.experiments.gait.ranges import ADULT_RANGES, SOURCES
from gambol.experiments.gait.search import SCALES
from gambol.models.person import tuned_walk, walk_of, walking_simulation


@pytest.fixture(scope="module")
def walked():
    """Nine seconds of walking: simulation and log."""
    sim = walking_simulation()
    log = GaitLog(walk_of(sim))
    sim.run(9.0, controller=[*sim.controllers, log])
    return sim, log


def test_numbers_and_curves_are_where_the_law_reads_them():
    for k, name in enumerate(GAIT_NUMBERS):
        assert getattr(stride_law, name.upper()) == k
    assert len(CURVES) == 14 and stride_law.BUMP_ANKLE_SLAP == 13
    assert set(SCALES) == set(GAIT_NUMBERS)


def test_curves_go_through_what_was_read():
    assert adult_curve(HIP, PHASES) == pytest.approx(HIP)
    values, slopes = curve_tables()
    assert values[:, 0] == pytest.approx(values[:, -1]) and slopes[:, 0] == pytest.approx(slopes[:, -1])
    by_differences = np.gradient(values, 1 / (values.shape[1] - 1), axis=1)[:, 5:-5]
    assert slopes[:, 5:-5] == pytest.approx(by_differences, abs=0.02 * np.abs(slopes).max())


def test_it_walks_as_adults_do(walked):
    _, log = walked
    measured = log.finished().measure()
    outside = {name for name, own in ADULT_RANGES.items() if not own.holds(measured[name])}
    assert outside <= {"depth", "clearance", "slip"} and np.isinf(log.fallen[0])


def test_feet_strike_in_turn(walked):
    sim, _ = walked
    strikes = walk_of(sim).strikes
    assert all(a.side != b.side for a, b in zip(strikes, strikes[1:])) and len(strikes) >= 15
    assert len([event for event in sim.events if "strikes" in event.name]) == len(strikes)


def test_it_goes_on_from_a_saved_state_to_the_bit():
    sim = walking_simulation()
    sim.run(0.7)
    state = sim.save()
    sim.run(0.5)
    first = sim.q.copy()
    sim.restore(state)
    sim.run(0.5)
    assert np.array_equal(sim.q, first)


def test_every_range_names_its_source():
    assert all(own.source in SOURCES for own in ADULT_RANGES.values())


def test_feet_without_a_walk():
    with pytest.raises(UnknownNameError, match="no walk was found for complex feet"):
        tuned_walk("complex")
    with pytest.raises(UnknownNameError, match=r"'rigd'.*rigid"):
        tuned_walk("rigd")
