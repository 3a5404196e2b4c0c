"""gambol run, plot and export with recordings: files, messages, exit codes."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from gambol import Recording, RecordingError
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


@pytest.fixture
def gambol(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "p.yaml").write_text(PENDULUM)
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def recording(gambol, tmp_path):
    found = gambol("run", "p.yaml", "--time", 1, "--every", 0.05, "--set", "rod=0.4", "--out", "o")
    assert found.exit_code == 0, found.output
    return tmp_path / "o" / "pendulum.gambol"


def test_run_records_and_resumes(gambol, recording, tmp_path):
    before = Recording.open(recording)
    assert before.rows == 21 and before.report["parameters"]["start"] == ["rod=0.4"]
    found = gambol("run", "p.yaml", "--time", 2, "--every", 0.05, "--out", "o", "--resume")
    assert found.exit_code == 0, found.output
    after = Recording.open(recording)
    assert after.rows == 41 and np.array_equal(after.read("q")[:21], before.dataset.q)
    straight = gambol("run", "p.yaml", "--time", 2, "--every", 0.05, "--set", "rod=0.4", "--out", "s")
    assert straight.exit_code == 0
    assert np.array_equal(Recording.open(tmp_path / "s" / "pendulum.gambol").read("q"), after.read("q"))
    (tmp_path / "q.yaml").write_text(PENDULUM.replace("length: 1.0", "length: 0.9"))
    other = gambol("run", "q.yaml", "--resume", "--out", "o")
    assert other.exit_code == 1 and "was recorded of another run: figures differ" in other.output


def rows_of(file):
    """How many rows are in a recording that is being written; none as long as it cannot be read."""
    try:
        return Recording.open(file).rows
    except RecordingError:
        return 0


def test_ctrl_c_keeps_what_was_computed(gambol, tmp_path):
    command = [sys.executable, "-m", "gambol.cli", "run", "p.yaml", "--time", "1e9", "--every", "0.01", "--out", "o"]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    file = tmp_path / "o" / "pendulum.gambol"
    while rows_of(file) <= 10:
        assert child.poll() is None
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate()
    assert child.returncode == 130 and "interrupted; --resume goes on from here" in err and "Traceback" not in err
    recording = Recording.open(file)
    assert recording.report["outcome"] == "interrupted" and recording.rows > 10
    assert [file.name for file in (tmp_path / "o").iterdir()] == [file.name]  # who stops it waits for no pictures


def rows_in(file):
    try:
        return Recording.open(file).rows
    except RecordingError:  # not there yet, or nothing committed
        return 0


@pytest.mark.parametrize("kind", ["joints", "phase", "energy", "strip"])
def test_plot(gambol, recording, tmp_path, kind):
    found = gambol("plot", recording, kind, "--out", "a.svg", "--json", "a.json")
    assert found.exit_code == 0, found.output
    files = json.loads((tmp_path / "a.json").read_text())["files"]
    assert files == (["a.svg"] if kind == "strip" else ["a.svg", "a.csv"])
    assert all((tmp_path / name).stat().st_size > 500 for name in files)


def test_runs_are_compared(gambol, recording, tmp_path):
    (tmp_path / "other.gambol").write_bytes((tmp_path / recording).read_bytes())
    found = gambol("plot", recording, "compare", "--beside", "other.gambol", "--width", 3.4, "--out", "a.svg")
    assert found.exit_code == 0, found.output
    drawn = (tmp_path / "a.svg").read_text()
    assert f'width="{72 * 3.4:.1f}' in drawn or f'width="{72 * 3.4:g}pt"' in drawn
    assert (tmp_path / "a.csv").stat().st_size > 500


@pytest.mark.parametrize("suffix", ["bvh", "glb", "csv", "parquet", "xml", "usda"])
def test_export(gambol, recording, tmp_path, suffix):
    found = gambol("export", recording, f"a.{suffix}", "--json", "a.json")
    assert found.exit_code == 0, found.output
    assert json.loads((tmp_path / "a.json").read_text())["files"] == [f"a.{suffix}"]
    assert (tmp_path / f"a.{suffix}").stat().st_size > 300


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (("plot", "o/pendulum.gambol", "jonts"), 2, "did you mean 'joints'?"),
        (("plot", "o/pendulum.gambol", "return"), 2, "--coordinate NAME --event NAME"),
        (("plot", "o/pendulum.gambol", "section"), 2, "--coordinate NAME --event NAME"),
        (("plot", "o/pendulum.gambol", "compare"), 2, "--beside OTHER"),
        (("plot", "o/pendulum.gambol", "joints", "--beside", "o/pendulum.gambol"), 2, "--beside OTHER"),
        (("plot", "o/pendulum.gambol", "gait"), 1, "no contacts with the ground"),
        (("plot", "p.yaml"), 1, "p.yaml is not a recording"),
        (("plot", "none.gambol"), 1, "no such file"),
        (("plot", "o/pendulum.gambol", "--out", "p.yaml/a.png"), 1, "p.yaml"),
        (("export", "o/pendulum.gambol", "a.fbx"), 2, "unknown suffix '.fbx'"),
        (("export", "o/curves.png", "a.bvh"), 1, "a PNG picture"),
        (("export", "p.yaml", "p.yaml"), 1, "would replace"),
        (("export", "o/pendulum.gambol", "p.yaml/a.bvh"), 1, "p.yaml"),
        (("export", "o/pendulum.gambol", "a.bvh", "--fps", 0), 2, "must be positive"),
        (("export", "o/pendulum.gambol", "a.csv", "--channel", "qq"), 2, "no channel 'qq'"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_lost(gambol, recording, tmp_path, arguments, code, words):
    kept = recording.read_bytes()
    found = gambol(*arguments)
    assert found.exit_code == code and words in found.output and "Traceback" not in found.output, found.output
    assert recording.read_bytes() == kept and (tmp_path / "p.yaml").read_text() == PENDULUM


def test_a_truncated_recording_is_said_to_be(gambol, recording, tmp_path):
    content = recording.read_bytes()
    (tmp_path / "cut.gambol").write_bytes(content[:-1000])
    found = gambol("export", "cut.gambol", "a.bvh")
    assert found.exit_code == 1 and "is cut short" in found.output and not (tmp_path / "a.bvh").exists()
