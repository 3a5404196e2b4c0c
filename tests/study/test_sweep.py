"""Sweeps: every point once, failures kept, resumable after a crash."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas
import pytest
from typer.testing import CliRunner

from gambol import GambolError, StudyError
from gambol.cli.app import app
from gambol.experiments.registry import find_experiment
from gambol.study import Target, grid, read_table, samples, sweep
from gambol.study.points import parse_axis, parse_range

CODE = """
import os, time
def product(a, b=2.0):
    return {"product": a * b, "who": "me"}
def picky(a):
    if a == 2:
        raise ValueError("not two")
    if a == 3:
        os._exit(9)
    return a * 10.0
def held(a):
    while a > 8 and not os.path.exists("open"):
        time.sleep(0.01)
    return a
"""


@pytest.fixture
def code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "things.py").write_text(CODE)
    return tmp_path / "things.py"


def test_points():
    assert grid(a=[1, 2], b=np.array([0.5])) == [{"a": 1, "b": 0.5}, {"a": 2, "b": 0.5}]
    for scheme in ("latin", "sobol", "random"):
        drawn = samples(7, scheme=scheme, seed=3, x=(1.0, 2.0), y=(-1.0, 0.0))
        assert len(drawn) == 7 and drawn == samples(7, scheme=scheme, seed=3, x=(1.0, 2.0), y=(-1.0, 0.0))
        assert all(1.0 <= p["x"] <= 2.0 and -1.0 <= p["y"] <= 0.0 for p in drawn)
    # a Latin hypercube has one sample in each slice
    slices = sorted(int(8 * (p["x"] - 1.0)) for p in samples(8, x=(1.0, 2.0)))
    assert slices == list(range(8))
    assert parse_axis("a=1,2.5,wave,true") == ("a", [1, 2.5, "wave", True])
    assert parse_axis("a=0:1:3") == ("a", [0.0, 0.5, 1.0]) and parse_range("x=0.5:2") == ("x", (0.5, 2.0, False))


@pytest.mark.parametrize(
    "act, words",
    [
        (lambda: grid(a=[]), "has no values"),
        (lambda: samples(0, x=(0.0, 1.0)), "at least 1"),
        (lambda: samples(1, x=(1.0, 0.0)), "smaller to a larger"),
        (lambda: samples(1, scheme="grid", x=(0.0, 1.0)), "no scheme"),
        (lambda: parse_axis("a"), "name=1,2,3"),
        (lambda: parse_axis("a=1:2"), "name=1,2,3"),
        (lambda: parse_range("a=1"), "LOW:HIGH"),
        (lambda: sweep("none.py:f", [{"a": 1}], "o"), "no such file"),
        (lambda: sweep("things.py:produkt", [{"a": 1}], "o"), "did you mean 'product'"),
        (lambda: sweep("things.py:product", [{"c": 1}], "o"), "no parameter 'c'"),
        (lambda: sweep("no.such.module:f", [{"a": 1}], "o"), "cannot be imported"),
        (lambda: sweep(Target("finger-tops", find_experiment), [{"a": 1}], "o"), "did you mean 'finger-taps'"),
        (lambda: read_table("o"), "holds no study"),
    ],
)
def test_wrong_studies_are_refused(code, act, words):
    with pytest.raises(GambolError, match=words):
        act()


def test_a_sweep_makes_a_table(code, tmp_path):
    table = sweep("things.py:product", grid(a=[1, 2, 3], b=[0.5, 1.0]), tmp_path / "o", workers=2)
    assert len(table) == 6 and set(table.columns) == {"a", "b", "product", "who", "outcome", "message", "seconds"}
    assert np.array_equal(table["product"], table["a"] * table["b"]) and (table["outcome"] == "ok").all()
    assert pandas.read_parquet(tmp_path / "o" / "table.parquet").equals(read_table(tmp_path / "o"))
    with pytest.raises(StudyError, match=r"is of things.py:product over a, b; choose another folder"):
        sweep("things.py:held", [{"a": 1}], tmp_path / "o")


def test_failures_and_dying_processes_are_rows(code, tmp_path):
    table = sweep("things.py:picky", grid(a=[1, 2, 3, 4, 5]), tmp_path / "o", workers=2).sort_values("a")
    assert table["outcome"].tolist() == ["ok", "failed", "failed", "ok", "ok"]
    assert "ValueError: not two (things.py:" in table["message"].iloc[1] and "died" in table["message"].iloc[2]
    assert table["value"].tolist()[3:] == [40.0, 50.0]
    # failed points are not run again, unless asked for
    code.write_text(CODE.replace("a == 2", "a == -1").replace("a == 3", "a == -1"))
    assert (sweep("things.py:picky", grid(a=[1, 2, 3]), tmp_path / "o")["outcome"] == "failed").sum() == 2
    assert (sweep("things.py:picky", grid(a=[1, 2, 3]), tmp_path / "o", retry=True)["outcome"] == "ok").all()


def test_a_killed_sweep_goes_on(code, tmp_path):
    run = "sweep('things.py:held', grid(a=range(40)), 'o', workers=1)"
    (tmp_path / "go.py").write_text(f"from gambol.study import *\nif __name__ == '__main__': {run}")
    child = subprocess.Popen([sys.executable, "go.py"], start_new_session=True)
    journal = tmp_path / "o" / "journal.jsonl"
    while not journal.exists() or len(journal.read_text().splitlines()) < 5:
        assert child.poll() is None
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    (tmp_path / "open").touch()
    done = len(read_table("o"))
    assert 4 <= done <= 9
    with journal.open("a") as stream:
        stream.write('{"point": {"a": 39}, "val')  # as a crash in mid-line leaves it
    counted = []
    table = sweep("things.py:held", grid(a=range(12)), "o", progress=lambda n, total: counted.append(n))
    assert counted[0] == done and sorted(table["a"]) == list(range(12))
    assert table["a"].is_unique


def test_a_script_that_starts_a_study_runs_once_and_texts_of_shards_are_kept(code, tmp_path):
    go = "print('once')\nfrom gambol.study import *\nsweep('things.py:product', grid(a=['x', 'y']), 'o', workers=2)\n"
    (tmp_path / "go.py").write_text(go)  # without a guard
    ran = subprocess.run([sys.executable, "go.py"], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["once"]
    text = "two\u2028lines\x85"
    (tmp_path / "o" / "shards").mkdir()
    row = {"outcome": "ok", "point": {"a": text}, "values": {"product": 7.0}, "message": "", "seconds": 0.0}
    (tmp_path / "o" / "shards" / "node-1.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    table = sweep("things.py:product", grid(a=["x", text]), "o", workers=1).set_index("a")
    assert table.loc[text, "product"] == 7.0 and len(table) == 3


def test_experiments_are_swept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    varied = ["--grid", "step=0.005,0.01", "--grid", "ratio=1,2", "--finding", "settles"]
    run = CliRunner().invoke(app, ["sweep", "finger-taps", *varied, "--json", "s.json"])
    assert run.exit_code == 0, run.output
    data = json.loads((tmp_path / "s.json").read_text())
    assert data["done"] == 4 and data["failed"] == 0
    table = pandas.read_parquet(data["table"])
    assert table["settles [s]"].between(0.5, 2.0).all() and "taps [mm]" not in table
    assert data["pictures"] and all((tmp_path / p).stat().st_size > 3000 for p in data["pictures"])


@pytest.mark.parametrize(
    "arguments, code_, words",
    [
        (["things.py:product"], 2, "say what to vary"),
        (["things.py:product", "--grid", "a=1", "--sample", "a=0:1"], 2, "both on the grid and sampled"),
        (["things.py:produkt", "--grid", "a=1"], 2, "did you mean 'product'?"),
        (["things.py:product", "--grid", "a=1", "--out", "things.py"], 1, "things.py"),
        (["things.py:product", "--grid", "a=1", "--finding", "b"], 2, "is a function"),
        (["finger-taps", "--grid", "stepp=1"], 2, "no parameter 'stepp'; did you mean 'step'?"),
        (["finger-linear", "--grid", "stepp=1"], 2, "it has none"),
        (["finger-taps", "--grid", "step=1", "--finding", "setles"], 2, "did you mean 'settles'?"),
    ],
)
def test_the_command_refuses(code, arguments, code_, words):
    found = CliRunner().invoke(app, ["sweep", *arguments])
    assert found.exit_code == code_ and words in found.output and "Traceback" not in found.output


def test_the_command_reports_failures(code):
    found = CliRunner().invoke(app, ["sweep", "things.py:picky", "--grid", "a=1,2,4"])
    assert found.exit_code == 0 and "3 of 3 points, 1 failed" in found.output and "a=2: ValueError" in found.output
