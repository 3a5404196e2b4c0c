"""The command: exit codes, messages, files, and a quick start."""

import csv
import json
import re
import subprocess
import sys
from importlib.metadata import metadata

import numpy as np
import pytest
from typer.testing import CliRunner

from gambol import chain
from gambol.cli.app import app

PENDULUM = """\
gambol: figure/1
name: pendulum
bodies:
  - name: rod
    joint: {type: hinge, axis: [0, 1, 0]}
    placement: {position: [0, 0, 1.5]}
    parts:
      - capsule: {radius: 0.02, length: 1.0}
        placement: {position: [0, 0, -0.5]}
"""
BROKEN = """\
gambol: figure/1
name: broken
bodies:
  - name: rod
    joint: {type: hing, axis: [0, 2, 0]}
    parts:
      - capsule: {radius: -0.02, length: 1.0}
  - name: tip
    parent: rodd
    mass: {mass: 1}
"""


@pytest.fixture
def gambol(tmp_path, monkeypatch):
    """Runs the command in an empty folder, on a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        return CliRunner().invoke(app, [str(a) for a in arguments])

    return run


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


# ---------------------------------------------------------------- check
def test_check_says_what_is_in_a_sound_file(gambol, tmp_path):
    found = gambol("check", write(tmp_path, "p.yaml", PENDULUM), "--json", "p.json")
    assert found.exit_code == 0
    assert "pendulum is sound" in found.stdout and "degrees of freedom  1" in found.stdout
    data = json.loads((tmp_path / "p.json").read_text())
    assert data["sound"] and data["summary"]["bodies"] == 1 and data["faults"] == []


def test_check_prints_notices(gambol, tmp_path):
    text = PENDULUM.replace("axis: [0, 1, 0]", "axis: [0, 1, 0], range: [-90, 90]")
    found = gambol("check", write(tmp_path, "d.yaml", text), "--json", "d.json")
    assert found.exit_code == 0
    assert "notice: pendulum/rod: its range -90 … 90 rad is 14.3 turns: it looks like degrees" in found.stdout
    (notice,) = json.loads((tmp_path / "d.json").read_text())["summary"]["notices"]
    assert notice["numbers"] == {"lower": -90.0, "upper": 90.0} and "radians" in notice["remedy"]


def test_check_refuses_joints_that_move_no_mass(gambol, tmp_path):
    hinge = "joint: {type: hinge, axis: [0, 1, 0]}"
    extra = f"  - name: idle\n    parent: rod\n    {hinge}\n"
    extra += f"  - name: tip\n    parent: idle\n    {hinge}\n    mass: {{mass: 1, centre: [0, 0, -1]}}\n"
    found = gambol("check", write(tmp_path, "m.yaml", PENDULUM + extra))
    assert found.exit_code == 1 and "pendulum/idle" in found.stdout and "pendulum/tip" in found.stdout


def test_check_prints_every_fault_with_its_line(gambol, tmp_path):
    file = write(tmp_path, "broken.yaml", BROKEN)
    found = gambol("check", file, "--json", "b.json")
    assert found.exit_code == 1
    lines = found.stdout.splitlines()
    assert [re.match(rf"{re.escape(str(file))}:(\d+): ", line).group(1) for line in lines] == ["5", "5", "7", "9"]
    assert "did you mean 'hinge'?" in lines[0]
    assert [f["line"] for f in json.loads((tmp_path / "b.json").read_text())["faults"]] == [5, 5, 7, 9]


def test_check_finds_what_only_a_world_refuses(gambol, tmp_path):
    text = PENDULUM.replace("type: hinge, axis: [0, 1, 0]", "type: free, stiffness: 3")
    file = write(tmp_path, "free.yaml", text)
    found = gambol("check", file)
    assert found.exit_code == 1
    assert found.stdout.startswith(f"{file}:4: ") and "use an Anchor" in found.stdout


def test_check_of_what_is_no_figure_file(gambol, tmp_path):
    (tmp_path / "folder.yaml").mkdir()
    for name in ("none.yaml", "folder.yaml"):
        found = gambol("check", name)
        assert found.exit_code == 1
        assert re.fullmatch(rf"{re.escape(name)}:1: .+", found.stdout.strip())


def test_faults_stay_on_one_line(gambol, tmp_path):
    file = write(tmp_path, "x.xml", "<mujoco>\n<worldbody>\n<body>\n")
    found = gambol("check", file)
    assert found.exit_code == 1 and len(found.stdout.splitlines()) == 1
    assert re.match(rf"{re.escape(str(file))}:\d+: ", found.stdout)


# ---------------------------------------------------------------- run
def test_run_writes_a_table_and_pictures(gambol, tmp_path):
    file = write(tmp_path, "p.yaml", PENDULUM)
    found = gambol("run", file, "--time", 0.5, "--every", 0.1, "--set", "rod=0.3", "--out", "o", "--json", "r.json")
    assert found.exit_code == 0, found.output
    rows = list(csv.reader((tmp_path / "o" / "positions.csv").open()))
    assert rows[0] == ["time [s]", "rod angle [rad]"]
    table = np.array(rows[1:], float)
    np.testing.assert_allclose(table[:, 0], np.arange(6) * 0.1)
    assert table[0, 1] == 0.3 and table[-1, 1] < 0.3
    for name in ("film_strip.png", "curves.png"):
        assert (tmp_path / "o" / name).stat().st_size > 2000 and name in found.stdout
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["time_s"] == pytest.approx(0.5) and data["steps"] > 0


def test_run_in_pieces_is_one_run(gambol, tmp_path):
    from gambol import Figure, Simulation, World

    file = write(tmp_path, "p.yaml", PENDULUM)
    options = ("--method", "rk4", "--set", "rod=0.3", "--out", "o", "--step", 0.01)
    gambol("run", file, "--time", 2, "--every", 0.01, *options)
    with (tmp_path / "o" / "positions.csv").open() as stream:
        table = np.array(list(csv.reader(stream))[1:], float)
    from gambol import Stepping

    sim = Simulation(World(Figure.read(file)), stepping=Stepping(method="rk4", step=0.01))
    sim.reset([0.3])
    np.testing.assert_allclose(table[1:, 1], sim.run(2.0, every=0.01).q[:, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "options, code, words",
    [
        (("--set", "rodd=1"), 2, "did you mean 'rod'?"),
        (("--set", "rod"), 2, "BODY=VALUE"),
        (("--set", "rod=1,2"), 2, "has 1 coordinates"),
        (("--method", "rk5"), 2, "no method 'rk5'"),
        (("--time", -1), 2, "must be positive"),
        (("--every", 0), 2, "must be positive"),
        (("--no-such-option",), 2, "No such option"),
    ],
)
def test_run_refuses(gambol, tmp_path, options, code, words):
    found = gambol("run", write(tmp_path, "p.yaml", PENDULUM), *options)
    assert found.exit_code == code
    assert words in found.output and "Traceback" not in found.output


def test_a_run_that_fails_keeps_what_it_has(gambol, tmp_path):
    text = PENDULUM.replace("axis: [0, 1, 0]", "axis: [0, 1, 0], stiffness: 1.0e+9")
    found = gambol(
        "run", write(tmp_path, "p.yaml", text), "--method", "euler", "--step", 0.01, "--set", "rod=1", "--out", "o",
        "--every", 0.01, "--time", 2,
    )  # fmt: skip
    assert found.exit_code == 1 and "no longer finite" in found.output and "remedy" in found.output
    assert len((tmp_path / "o" / "positions.csv").read_text().splitlines()) > 1


# ---------------------------------------------------------------- bench, info, demo
def test_bench_writes_the_agreed_json(gambol, tmp_path):
    found = gambol("bench", "aba-chain-2", "--rounds", 1, "--json", "b.json")
    assert found.exit_code == 0, found.output
    (row,) = json.loads((tmp_path / "b.json").read_text())
    assert set(row) == {"case", "metric", "unit", "ours", "peers", "ratio", "machine"}
    assert row["case"] == "aba-chain-2" and row["unit"] == "µs" and np.isfinite(row["ours"])
    if row["peers"]:
        assert row["ratio"] == pytest.approx(min(row["peers"].values()) / row["ours"])
    assert "aba-chain-2" in found.stdout


def test_bench_without_peers_says_how_to_get_them(gambol, monkeypatch):
    monkeypatch.setattr("gambol.bench.cases.missing", lambda: ["MuJoCo", "Pinocchio"])
    found = gambol("bench", "aba-chain-2", "--rounds", 1)
    assert found.exit_code == 0 and "pip install 'gambol[peers]'" in found.stdout


@pytest.mark.parametrize(
    "name, words",
    [("aba-hexpod", "did you mean 'aba-hexapod'?"), ("zzz", "allowed:")],
)
def test_bench_refuses_unknown_cases(gambol, name, words):
    found = gambol("bench", name)
    assert found.exit_code == 2 and words in found.output


def test_bench_lists_its_cases(gambol):
    found = gambol("bench", "--list")
    assert found.exit_code == 0 and "aba-hexapod" in found.stdout and "startup" in found.stdout


def test_info(gambol, tmp_path):
    found = gambol("info", "--json", "i.json")
    assert found.exit_code == 0 and "cache" in found.stdout and "extra" in found.stdout
    data = json.loads((tmp_path / "i.json").read_text())
    assert data["packages"]["numba"] and list(data["extras"]) == metadata("gambol").get_all("Provides-Extra")
    assert "mujoco" in {*data["extras"]["import"]["installed"], *data["extras"]["import"]["missing"]}
    for extra in data["extras"]:
        assert re.search(
            rf"^extra      {extra}: (installed|missing .+ pip install 'gambol\[{extra}\]')$", found.stdout, re.M
        )


DEMOS = {
    "roach": (("ends in a tripod", "gambol view roach"), ("film_strip.png", "gait.png", "path.png")),
    "acrobat": (("the hand lets go", "on the ground"), ("scene.png", "film_strip.png", "curves.png")),
}


@pytest.mark.parametrize("what", DEMOS)
def test_demo_draws(gambol, tmp_path, what):
    found = gambol("demo", what, "--out", "pictures")
    words, pictures = DEMOS[what]
    assert found.exit_code == 0, found.output
    assert all(text in found.stdout for text in words)
    for name in pictures:
        assert (tmp_path / "pictures" / name).stat().st_size > 10_000


def test_unknown_demo(gambol):
    found = gambol("demo", "mouse")
    assert found.exit_code == 2 and "roach, acrobat" in found.output


def test_unwritable_output_is_reported(gambol, tmp_path):
    write(tmp_path, "file", "")
    found = gambol("run", write(tmp_path, "p.yaml", PENDULUM), "--time", 0.1, "--out", "file")
    assert found.exit_code == 1 and "Traceback" not in found.output and "file" in found.output


# ---------------------------------------------------------------- all
def test_help_teaches(gambol):
    found = gambol("--help")
    assert found.exit_code == 0 and "gambol demo" in found.stdout and "Exit codes" in found.stdout
    for name in ("demo", "check", "run", "info", "bench"):
        shown = gambol(name, "--help")
        assert shown.exit_code == 0 and len(shown.stdout) > 300
    assert gambol("--version").stdout.startswith("gambol ")
    assert gambol("nonsense").exit_code == 2


def test_help_loads_only_what_it_needs():
    code = (
        "import sys, gambol.cli.app; gambol.cli.app.app(['--help'], standalone_mode=False);"
        "print([m for m in ('numba', 'numpy', 'matplotlib', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage" in run.stdout and run.stdout.endswith("\n[]\n")


def test_compiler_messages_go_through_the_console(capsys):
    from gambol.cli.console import announce_compilation
    from gambol.jit import cache

    before = cache.announcer
    with announce_compilation():
        cache.announcer.say("compiling [march]")
    assert cache.announcer is before
    assert "gambol: compiling [march]" in capsys.readouterr().err


def test_written_figures_pass(gambol, tmp_path):
    chain(3).write(tmp_path / "c.yaml")
    assert gambol("check", "c.yaml").exit_code == 0
