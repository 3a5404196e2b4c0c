"""Units of studies: from where they are declared to the table, its file, the journal, and every axis."""

import json

import pandas
import pytest
from typer.testing import CliRunner

from gambol import StudyError
from gambol.cli.app import app
from gambol.experiments.registry import Parameter, find_experiment
from gambol.plot import save
from gambol.study import Target, grid, means, read_table, sensitivity, sweep, units, units_of
from gambol.study import pictures as drawing

CODE = """
from gambol.study import units
@units({"who [k]": "K"}, cycle="s", friction="1", speed="m/s", sped="m")
def speed(cycle, friction=0.5, seed=0):
    return {"speed": friction / cycle + seed, "time [s]": cycle, "cycle": 2 * cycle, "share": friction, "who [k]": 1.0}
def bare(cycle):
    return 2.0 * cycle
@units(x="m", y="m", value="J")
def bowl(x, y):
    return (x - 0.3) ** 2 + y**2
"""
KNOWN = {"cycle": "s", "friction": "1", "speed": "m/s", "cycle (result)": "s", "who [k]": "K"}


@pytest.fixture
def code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.py").write_text(CODE)
    return tmp_path / "walk.py"


@pytest.fixture
def labels(monkeypatch):
    """Of the axes and colour bars of all pictures that are saved."""
    seen = set()

    def note(picture, path):
        seen.update(words for axes in picture.axes for words in (axes.get_xlabel(), axes.get_ylabel()))
        return save(picture, path)

    monkeypatch.setattr(drawing, "save", note)
    return seen


def test_units_are_in_the_table_its_file_and_the_journal(code):
    table = sweep("walk.py:speed", grid(cycle=[0.1, 0.2], friction=[0.5, 1.0]), "study", workers=1)
    assert units_of(table) == KNOWN
    assert pandas.read_parquet("study/table.parquet").attrs["units"] == KNOWN
    assert units_of(read_table("study")) == KNOWN
    averaged = means(table.assign(seed=0), ["cycle", "friction", "seed"])
    assert units_of(averaged)["speed ±"] == "m/s" and units_of(averaged)["cycle"] == "s"


def test_axes_have_units(code, labels):
    table = sweep("walk.py:speed", grid(cycle=[0.1, 0.2], friction=[0.5, 1.0]), "study", workers=1)
    drawing.draw_results(table, ["cycle", "friction"], code.parent)
    drawing.draw_results(table, ["cycle", "friction"], code.parent, axes=["cycle"])
    assert labels == {
        "cycle [s]", "friction", "speed [m/s]", "time [s]", "cycle (result) [s]", "share", "who [k]", ""
    }  # fmt: skip


def test_axes_of_replicates_have_units(code, labels):
    table = sweep("walk.py:speed", grid(cycle=[0.1, 0.2], seed=[1, 2]), "study", workers=1)
    drawing.draw_results(table, ["cycle", "seed"], code.parent)
    assert {"cycle [s]", "speed [m/s]"} <= labels


def test_a_study_without_units_goes_on_when_it_has_some(code):
    points = grid(cycle=[0.1, 0.2])
    table = sweep("walk.py:bare", points[:1], "study", workers=1)
    assert units_of(table) == {} and "units" not in json.loads((code.parent / "study/journal.jsonl").open().readline())
    code.write_text(CODE.replace("def bare", '@units(cycle="s", value="m")\ndef bare'))
    assert units_of(sweep("walk.py:bare", points, "study", workers=1)) == {"cycle": "s", "value": "m"}
    assert units_of(read_table("study")) == {"cycle": "s", "value": "m"}
    lines = (code.parent / "study/journal.jsonl").read_text().splitlines()
    assert len(lines) == 3  # the point that was there did not run again


def test_units_that_are_none_are_told(code):
    code.write_text(CODE + "@units(x=3)\ndef wrong(x): ...\n")
    with pytest.raises(StudyError, match=r"walk.py cannot be loaded: StudyError: the unit of 'x' is a text such as"):
        sweep("walk.py:wrong", grid(x=[1]), "study", workers=1)
    with pytest.raises(StudyError, match="units are a mapping of names to texts, not 3"):
        units(3)
    assert units({"0.2 m/s": " m/s "}, cycle="s")(lambda cycle: cycle).gambol_units == {"0.2 m/s": "m/s", "cycle": "s"}


@pytest.mark.parametrize("bad", [7, ["s"], {"x": 3}, {"x": ""}])
def test_damaged_units_of_a_journal(tmp_path, bad):
    head = {"target": "m:f", "parameters": ["x"], "units": bad}
    (tmp_path / "journal.jsonl").write_text(json.dumps(head) + "\n")
    with pytest.raises(StudyError, match=r"journal.jsonl: damaged: .*; take 'units' out of its first line"):
        read_table(tmp_path)


def test_experiments_declare_theirs():
    known = Target("finger-taps", find_experiment).units()
    assert known["step"] == "s" and "ratio" not in known
    assert all(name in find_experiment("finger-taps").parameters or name.endswith(f"[{known[name]}]") for name in known)
    assert [Parameter(1, meaning).unit for meaning in ("of the fall [m]", "starts", "")] == ["m", "", ""]


def test_searches_and_effects_have_units(code, labels):
    answer = CliRunner().invoke(
        app,
        "optimise walk.py:bowl --parameter x=0:1 --parameter y=-1:1 --budget 24 --workers 1 --out best".split(),
    )
    assert answer.exit_code == 0, answer.output
    assert {"x [m]", "y [m]", "value [J]", "value [J] (min)"} <= labels
    assert "value = " in answer.output and " J\n" in answer.output and " m, y=" in answer.output
    pytest.importorskip("SALib")
    made = sensitivity("walk.py:bowl", {"x": (0, 1), "y": (0, 1)}, "m", method="morris", count=4, workers=1)
    assert units_of(made)["mu_star"] == "J"


def test_the_command_says_units_and_names_those_of_nothing(code):
    answer = CliRunner().invoke(
        app, "sweep walk.py:speed --grid cycle=0.1,0.2 --workers 1 --out study --json it.json".split()
    )
    assert answer.exit_code == 0, answer.output
    said = " ".join(answer.output.split())
    assert "a unit is declared of 'sped', which no column is called; did you mean 'speed'?" in said
    assert json.loads((code.parent / "it.json").read_text())["units"]["speed"] == "m/s"
    page = (code.parent / "study/report.html").read_text()
    assert "<th>cycle [s]</th>" in page and "<th>speed [m/s]</th>" in page
