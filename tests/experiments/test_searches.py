"""Searches that go on where they were."""

import numpy as np
import pytest

from gambol.experiments.kept import KeptValues


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
