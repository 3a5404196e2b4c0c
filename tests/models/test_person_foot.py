"""Instruments of the feet."""

import numpy as np
import pytest

from gambol import support
from gambol.models import person90
from gambol.models.person import gait_events, person_world, posture, read_foot, stand


@pytest.fixture(scope="module")
def standing():
    return stand(person_world(person90()), posture(wide=True))


def test_two_feet_share_the_weight(standing):
    sim = standing.restart()
    left, right = read_foot(sim, "l"), read_foot(sim, "r")
    assert sum(left.loads.values()) == pytest.approx(sum(right.loads.values()), rel=1e-4)
    assert left.force[2] + right.force[2] == pytest.approx(67.98 * 9.81, rel=1e-4)
    whole = 0.5 * (left.pressure + right.pressure)
    assert whole == pytest.approx(support(sim).pressure, abs=1e-4)
    assert left.torque["talus"] == pytest.approx(standing.analysis.torque["l_talus"], abs=1e-3)
    assert left.toes == pytest.approx([-0.1, -0.23, -0.27, -0.38, -0.4], abs=1e-9)
    assert left.arch == pytest.approx(right.arch, abs=1e-6) and 2.0 < left.arch < np.pi


def test_a_foot_in_the_air_carries_nothing(standing):
    sim = standing.restart()
    q = sim.q.copy()
    q[2] += 0.5
    sim.q = q
    reading = read_foot(sim, "l")
    assert reading.loads == {} and np.isnan(reading.pressure).all()


def test_the_arch_flattens_when_the_navicular_sinks(standing):
    sim = standing.restart()
    before = read_foot(sim, "l").arch
    q = sim.q.copy()
    q[sim.coordinates("l_metat1")] -= 0.1
    sim.q = q
    assert read_foot(sim, "l").arch > before


def test_events_of_a_step():
    time = np.arange(9) * 0.1
    heel = np.array([0, 100, 300, 300, 15, 5, 0, 0, 0], float)
    front = np.array([0, 0, 5, 200, 300, 400, 300, 5, 0], float)
    names = [(round(e.time, 1), e.name) for e in gait_events(time, heel, front)]
    assert names == [(0.1, "heel strike"), (0.3, "foot flat"), (0.5, "heel off"), (0.7, "toe off")]
