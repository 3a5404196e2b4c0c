"""Bars with their numbers."""

import pytest

from gambol.plot import bar_chart, save


def test_a_bar_for_each_with_its_number(tmp_path):
    picture = bar_chart({"then": 3.5e-6, "now": 20.0}, across="rate", title="speed", logarithmic=True, start=1e-6)
    (axes,) = picture.axes
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
    assert ends == pytest.approx([3.5e-6, 20.0]) and axes.get_xscale() == "log"
    assert [text.get_text().strip() for text in axes.texts] == ["3.5e-06", "20"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["then", "now"] and axes.yaxis_inverted()
    assert save(picture, tmp_path / "bars.png").stat().st_size > 3000


def test_plain_bars_begin_at_nothing():
    (axes,) = bar_chart({"a": 2.0, "b": 4.0}, across="x").axes
    assert [bar.get_x() for bar in axes.patches] == [0.0, 0.0] and axes.get_xscale() == "linear"
