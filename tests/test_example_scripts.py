"""Every example runs, says something and leaves the pictures that it promises."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = {  # arguments that make it short, and what it writes
    "contact": ([], []),
    "finger": (["--no-measure", "--out", "o"], ["o/film_strip.png", "o/time_series.png"]),
    "linkages": (["--seconds", "0.5", "--out", "o"], ["o/four_bar.png", "o/walker.png", "o/walker_path.png"]),
    "motors": ([], []),
    "search_gait": (["o", "128"], ["o/fastest/convergence.png", "o/front/front.png", "o/walk.png"]),
    "rope": (["rope.png", "0.3"], ["rope.png"]),
    "train_hexapod": (["o", "0.05"], ["o/curve.png", "o/walk.png"]),
    "own_hybrid_system": (["--out", "o/plates.png"], ["o/plates.png"]),
}
NEEDS = {"train_hexapod": "optax"}  # in no extra that the tests install


def test_the_learning_curve_of_the_docs_is_drawn_from_its_data(tmp_path, monkeypatch):
    data = EXAMPLES.parent / "docs" / "data" / "learning_curve.csv"
    monkeypatch.setattr(sys, "argv", ["train_hexapod.py", str(data), str(tmp_path / "curve.png")])
    runpy.run_path(str(EXAMPLES / "train_hexapod.py"), run_name="__main__")
    assert (tmp_path / "curve.png").stat().st_size > 5000


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_it_runs(name, tmp_path, monkeypatch, capsys):
    arguments, pictures = SMALL[name]
    pytest.importorskip(NEEDS.get(name, "gambol"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out.strip()
    for picture in pictures:
        assert (tmp_path / picture).stat().st_size > 5000
