"""Searches that go on where they were, soles of other shapes."""

import numpy as np
import pytest

from gambol.experiments.direct.sure_footed import START, TASK_SECONDS, TASKS, read, task_times
from gambol.experiments.kept import KeptValues
from gambol.experiments.person.soles import USUAL, Soles, level_pitch, soles_at
from gambol.models import person90
from gambol.models.person import lowest_point, placed


def test_what_was_measured_is_not_measured_again(tmp_path):
    asked: list[int] = []

    def squares(points: np.ndarray) -> np.ndarray:
        asked.append(len(points))
        return np.column_stack([points**2, -points])

    points = np.linspace(0.0, 1.0, 5)[:, None]
    file = tmp_path / "points.npz"
    first = KeptValues(file).measure(points[:3], 2, squares)
    assert asked == [2, 1] and first[:, 0] == pytest.approx(points[:3, 0] ** 2)
    kept = KeptValues(file)
    assert len(kept) == 3
    again = kept.measure(points[::-1], 2, squares)
    assert asked == [2, 1, 2] and again[:, 0] == pytest.approx(points[::-1, 0] ** 2)
    assert again[:, 1] == pytest.approx(-points[::-1, 0])


def test_soles_change_what_touches_and_nothing_else():
    usual, thick = Soles(*USUAL).figure(), Soles(1.0, 1.3, 0.0, 0.01, 0.0, 0.0, 0.0, 1.0)
    made = thick.figure()
    for body in person90().bodies:
        for figure in (usual, made):
            own, was = figure[body.name].mass_properties, body.mass_properties
            assert own.mass == pytest.approx(was.mass) and own.tensor == pytest.approx(was.tensor)
    angles = thick.angles()
    heel = lambda figure: lowest_point(figure, placed(person90(), angles), of=lambda name: "hindfoot" in name)
    assert 0.004 < heel(usual) - heel(made) < 0.01  # its bone lies aslant
    assert level_pitch(made, angles) > 0.05  # a higher heel leans it forward; the reconstruction's 0.031 rad
    low, high = soles_at(np.zeros(8)), soles_at(np.ones(8))
    assert (low.length, high.length, low.heel, high.toes) == pytest.approx((0.8, 1.3, -0.003, 0.006))


def test_the_search_for_sure_feet_begins_where_a_roach_gets_uphill():
    paths, stride, steering = read(START)
    assert paths["m"] == (-1.0, 0.0, 1.0, 1.0, 3.4) and stride == pytest.approx(0.0056)
    assert steering["slow_cycle"] == pytest.approx(1.6 * 0.105)
    assert task_times(START, TASKS[:1])[0] < TASK_SECONDS
