"""Searches: found, constrained, resumed to the bit, as a front; what sweeps promise beside their tables."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from gambol import StudyError
from gambol.cli.app import app
from gambol.study import Target, grid, means, optimise, replicated, samples, sensitivity, sweep
from gambol.study.pictures import draw_results
from gambol.study.points import parse_axis, parse_range
from gambol.study.search import parse_constraint

CODE = """
import os, sys, time
import numpy as np
import neighbour
def bowl(x, y=0.0):
    return (x - 0.3) ** 2 + 2 * (y + 0.4) ** 2
def bowls(x, y):
    assert x.shape == y.shape
    return {"a": (x - 0.3) ** 2 + y**2, "b": (x + 0.3) ** 2 + y**2}
def noisy(x, y, seed=0):
    return {"value": bowl(x, y) + 0.01 * np.random.default_rng(seed).standard_normal()}
def lasting(seconds):
    return 2 * seconds
def told(message):
    return 1
def named(seed, count):
    return {"seed": 2 * seed, "sum": seed + count}
def odd(a):
    if a == 1:
        sys.exit("enough")
    if a == 2:
        time.sleep(60)
    return {"big": 2**80 if a == 3 else a, "mixed": "text" if a == 4 else a, "near": neighbour.number}
def texts(kind, a, seed=0):
    return {"y": a * (2 if kind == "x" else 1) + seed}
def whole(n):
    assert isinstance(n, int)
    return (n - 7) ** 2
def linear(x, y, z):
    return 4 * x + 2 * y + 0 * z
def counted(a):
    with open(f"ran-{a}", "a") as stream:
        stream.write("x")
    time.sleep(0.02)
    return a
"""


@pytest.fixture
def code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "things.py").write_text(CODE)
    (tmp_path / "neighbour.py").write_text("number = 5\n")
    return tmp_path


BOX = {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}


def test_a_search_finds_the_best_and_is_resumed_to_the_bit(code):
    whole = optimise("things.py:bowl", BOX, "a", budget=150, workers=1)
    assert abs(whole.point["x"] - 0.3) < 0.02 and abs(whole.point["y"] + 0.4) < 0.02 and len(whole.table) >= 150
    part = optimise("things.py:bowl", BOX, "b", budget=60, workers=1)
    told = []
    resumed = optimise("things.py:bowl", BOX, "b", budget=150, workers=2, progress=lambda *x: told.append(x))
    assert part.evaluations == whole.evaluations[: len(part.evaluations)]
    assert resumed.evaluations == whole.evaluations and told[-1][2] == whole.values["value"]
    with pytest.raises(StudyError, match=r"another study \(search differ\)"):
        optimise("things.py:bowl", BOX, "b", budget=9, seed=1)


def test_batched_targets_constraints_and_fronts(code):
    target = Target("things.py:bowls", batched=True)
    best = optimise(target, BOX, "c", budget=200, objectives={"a": "min"}, constraints=["b <= 0.2"], batch=10)
    assert best.values["b"] <= 0.2 and abs(best.point["x"] - (np.sqrt(0.2) - 0.3)) < 0.02
    both = optimise(target, BOX, "f", budget=300, objectives={"a": "min", "b": "min"}, directions=4, batch=10)
    x = np.array([e.point["x"] for e in both.front])
    assert len(both.front) > 8 and np.ptp(x) > 0.3 and np.abs(x).max() < 0.35
    assert all(
        not (o.values["a"] < e.values["a"] and o.values["b"] < e.values["b"]) for e in both.front for o in both.front
    )


def test_noise_whole_numbers_and_failures(code):
    noisy = optimise("things.py:noisy", BOX, "n", budget=60, replicates=3, workers=1)
    assert len(noisy.table) == 3 * len(noisy.evaluations) and abs(noisy.point["x"] - 0.3) < 0.3
    for restarts in ("sobol", "random"):
        found = optimise("things.py:whole", {"n": (0, 20, True)}, restarts, budget=80, restarts=restarts, workers=1)
        assert found.point == {"n": 7} and found.evaluations[-1].restart > 0
    with pytest.raises(StudyError, match="gives no 'height'"):
        optimise("things.py:bowl", BOX, "x", budget=9, constraints=["height >= 0"], workers=1)
    for text in ("a", "a < 3", "a <= b"):
        with pytest.raises(StudyError, match="NAME <= NUMBER"):
            parse_constraint(text)


def test_sensitivity_ranks_parameters(code):
    box = dict.fromkeys("xyz", (0.0, 1.0))
    found = sensitivity("things.py:linear", box, "s", count=128, workers=1).set_index("parameter")
    assert (
        abs(found.loc["x", "S1"] - 0.8) < 0.1 and abs(found.loc["y", "ST"] - 0.2) < 0.1 and found.loc["z", "ST"] < 0.01
    )
    morris = sensitivity("things.py:linear", box, "m", method="morris", count=8, workers=1).set_index("parameter")
    assert np.allclose(morris["mu_star"], [4, 2, 0])
    with pytest.raises(StudyError, match="power of two"):
        sensitivity("things.py:linear", box, "s", count=100)


def test_points_of_any_name(code):
    assert parse_axis("n=1:5:5") == ("n", [1, 2, 3, 4, 5]) and isinstance(parse_axis("n=1:5:5")[1][0], int)
    assert isinstance(parse_axis("n=1.0:5.0:5")[1][0], float)
    drawn = samples(40, {"seed": (0, 4, True), "count": parse_range("c=1:2")[1]}, seed=3)
    assert {p["seed"] for p in drawn} == {0, 1, 2, 3, 4} and all(1 <= p["count"] <= 2 for p in drawn)
    table = sweep("things.py:named", grid({"seed": [1, 2], "count": [10]}), "o", workers=1)
    assert table["seed (result)"].tolist() == [2, 4] and table["sum"].tolist() == [11, 12]
    whole = sweep("things.py:named", grid({"seed": [1, 2], "count": [10, 11]}), "o", workers=1)
    found = means(whole, ["seed", "count"])
    assert found["count"].tolist() == [10, 11] and found["replicates"].tolist() == [2, 2]
    assert found["sum"].tolist() == [11.5, 12.5] and means(table, ["seed"])["replicates"].tolist() == [2]
    only = sweep("things.py:noisy", grid({"x": [0.0], "y": [0.0], "seed": [1, 2]}), "p", workers=1)
    assert len(draw_results(only, ["x", "y", "seed"], code / "q", axes=["seed"])) == 1  # as one says, or
    assert len(draw_results(only.drop(columns=["x", "y"]), ["seed"], code / "q")) == 1  # where there is no other
    assert replicated([{"a": 1}], 2, seed=5) == [{"a": 1, "seed": 5}, {"a": 1, "seed": 6}]
    with pytest.raises(StudyError, match="replicates set it"):
        replicated([{"seed": 1}], 2)


def test_odd_points_are_rows(code):
    table = sweep("things.py:odd", grid(a=[0, 1, 2, 3, 4]), "o", workers=2, limit=1.5).sort_values("a")
    assert table["outcome"].tolist() == ["ok", "failed", "failed", "ok", "ok"]
    assert (
        "SystemExit: enough" in table["message"].iloc[1]
        and "longer than the limit of 1.5 s" in table["message"].iloc[2]
    )
    assert table["big"].tolist()[3] == str(2**80) and table["mixed"].tolist()[-1] == "text"
    assert table["near"].dropna().eq(5).all()
    import pandas

    assert len(pandas.read_parquet("o/table.parquet")) == 5
    large = sweep("things.py:odd", grid(a=[3, 2**80]), "large", workers=1)
    assert large["a"].tolist() == ["3", str(2**80)] == pandas.read_parquet("large/table.parquet")["a"].tolist()


def test_replicates_have_means_and_pictures_colours(code):
    arguments = ["sweep", "things.py:texts", "--grid", "kind=x,:x:", "--grid", "a=1,2", "--replicates", "4"]
    run = CliRunner().invoke(app, [*arguments, "--out", "o", "--workers", "1", "--axis", "a"])
    assert run.exit_code == 0, run.output
    from gambol.study import read_table

    found = means(read_table("o"), ["kind", "a", "seed"])
    assert (
        len(found) == 4
        and np.allclose(found["y"], [3.5, 5.5, 2.5, 3.5])
        and np.allclose(found["y ±"], 2.054, atol=1e-2)
    )
    page = (code / "o" / "report.html").read_text()
    assert "data:image/png;base64," in page and '<img src="0' not in page, "one file"
    assert "gambol " in page and ":x:" in page and (code / "o" / "01-y.png").stat().st_size > 5000
    wrong = CliRunner().invoke(app, ["sweep", "things.py:bowl", "--grid", "x=1:x:3"])
    assert wrong.exit_code == 2 and "'x=1:x:3'" in wrong.output


def test_the_command_optimises(code):
    arguments = ["optimise", "things.py:bowls", "--parameter", "x=-1:1", "--parameter", "y=-1:1", "--batch", "8"]
    arguments += ["--objective", "a:min", "--objective", "b:min", "--budget", "80", "--out", "o", "--json", "o.json"]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    found = json.loads((code / "o.json").read_text())
    assert found["front"] and found["best"]["a"] < 0.1
    for name in ("convergence.png", "landscape.png", "front.png", "report.html", "table.parquet"):
        assert (code / "o" / name).stat().st_size > 2000
    wrong = CliRunner().invoke(app, ["optimise", "things.py:bowl", "--parameter", "x=1:0"])
    assert wrong.exit_code == 2 and "smaller to a larger" in wrong.output
    table = CliRunner().invoke(
        app, ["sensitivity", "things.py:bowl", "--parameter", "x=0:1", "--parameter", "y=0:1", "--count", "8"]
    )
    assert table.exit_code == 0 and "ST" in table.output


def test_names_that_tables_have_points_given_twice_and_points_of_before(code):
    run = lambda *given: CliRunner().invoke(app, ["sweep", *given, "--workers", "1", "--out", "o", "--json", "o.json"])
    found = run("things.py:lasting", "--grid", "seconds=1,2,2")
    assert found.exit_code == 0 and "2 of 2 points, 0 failed" in found.output
    table = sweep("things.py:lasting", grid(seconds=[1]), "o", workers=1)
    assert table["seconds"].tolist() == [1, 2] and table["value"].tolist() == [2, 4] and "seconds (run)" in table
    more = run("things.py:lasting", "--grid", "seconds=2,3,4")
    assert "3 of 3 points, 0 failed; the folder has 1 others" in more.output
    assert json.loads((code / "o.json").read_text())["done"] == 3
    with pytest.raises(StudyError, match="cannot be called 'message'"):
        sweep("things.py:told", grid(message=["a"]), "p")
    for given in (["--grid", "x=1", "--grid", "x=2"], ["--sample", "x=0:1", "--sample", "x=1:2"]):
        twice = run("things.py:bowl", *given)
        assert twice.exit_code == 2 and "'x' is given twice" in twice.output
    box = ["--parameter", "x=0:1", "--objective", "value", "--objective", "value:max"]
    assert "'value' is given twice" in CliRunner().invoke(app, ["optimise", "things.py:bowl", *box]).output
    with pytest.raises(StudyError, match="on a cluster"):
        sweep("things.py:bowl", grid(x=[1]), "q", gpus=1)


def workers_of(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(number) for number in listed.stdout.split()]


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stream:
            return stream.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks at /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_the_sweep_and_nothing_runs_twice(code, how):
    run = "sweep('things.py:counted', grid(a=range(400)), 'o', workers=2)"
    (code / "go.py").write_text(f"from gambol.study import *\nif __name__ == '__main__': {run}")
    child = subprocess.Popen([sys.executable, "go.py"], stderr=subprocess.DEVNULL, start_new_session=True)
    journal = code / "o" / "journal.jsonl"
    while not journal.exists() or len(journal.read_text().splitlines()) < 8:
        assert child.poll() is None
        time.sleep(0.02)
    with pytest.raises(StudyError, match="another study is running"):
        sweep("things.py:counted", grid(a=range(400)), "o")
    workers = workers_of(child.pid)
    child.send_signal(how)
    child.wait()
    until = time.monotonic() + 20
    while any(map(alive, workers)):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert len(workers) >= 2
    done = {json.loads(line)["point"]["a"] for line in journal.read_text().splitlines()[1:] if line.endswith("}")}
    table = sweep("things.py:counted", grid(a=range(60)), "o", workers=2)
    assert sorted(table["a"].unique()) == sorted({*range(60), *done}) and table["a"].is_unique
    assert all((code / f"ran-{a}").read_text() == "x" for a in done)
