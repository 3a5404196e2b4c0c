import json
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from gambol.cli.app import app


@pytest.fixture
def gambol(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_reproduce_writes_a_report_and_the_agreed_json(gambol, tmp_path):
    found = gambol("finger-taps", "finger-speed", "--quick", "--out", "o", "--json", "r.json")
    assert found.exit_code == 0, found.output
    assert "2 of 2 experiments ran" in found.stdout and "matches" in found.stdout
    rows = json.loads((tmp_path / "r.json").read_text())
    assert {r["id"] for r in rows} == {"finger-taps", "finger-speed"}
    assert all(r["verdict"] in ("matches", "differs", "beyond", "reported") for r in rows)
    assert "printed, section 5: 1 to 2 s; ours" in found.stdout and "limit 1 to 2 s (" in found.stdout
    assert rows == json.loads((tmp_path / "o" / "results.json").read_text())
    assert "data:image/png" in (tmp_path / "o" / "report.html").read_text()


def test_reproduce_lists(gambol, tmp_path):
    found = gambol("--list", "--json", "l.json")
    assert found.exit_code == 0 and "finger-taps" in found.stdout
    assert json.loads((tmp_path / "l.json").read_text())[0]["id"].startswith("finger-")


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        ((), 2, "say which experiments"),
        (("finger-tops",), 2, "did you mean 'finger-taps'?"),
        (("finger-taps", "--out", "file/below"), 1, "file"),
    ],
)
def test_reproduce_refuses(gambol, tmp_path, arguments, code, words):
    (tmp_path / "file").write_text("precious")
    found = gambol(*arguments)
    assert found.exit_code == code and words in found.output and "Traceback" not in found.output
    assert (tmp_path / "file").read_text() == "precious"


def test_reproduce_fails_when_an_experiment_does(gambol, tmp_path, monkeypatch):
    from gambol.experiments import registry
    from gambol.experiments.findings import ours

    def broken(context):
        yield context.found("much", 1.0)
        raise ValueError("no floor")

    made = registry.Experiment("limbs-x", "S", "T", broken, [ours("much", "this much")])
    monkeypatch.setitem(registry._experiments, "limbs-x", made)
    found = gambol("limbs-x", "--json", "r.json")
    assert found.exit_code == 1 and "limbs-x failed: ValueError: no floor" in found.output
    assert json.loads((tmp_path / "r.json").read_text())[0]["statement"] == "this much"


# The command, with an experiment that says when it has begun and never ends.
ENDLESS = """
import time
from gambol.cli import main
from gambol.experiments.findings import ours
from gambol.experiments.registry import experiment

@experiment("finger-waits", source="S", title="T", states=[ours("in-time", "found in time")])
def waits(desk):
    yield desk.found("in-time", 1.0)
    desk.path("begun").touch()
    time.sleep(1e6)

main()
"""


def test_ctrl_c_keeps_what_was_found(tmp_path):
    command = [sys.executable, "-c", ENDLESS, "reproduce", "finger-equations", "finger-waits", "--out", "o"]
    results = tmp_path / "o" / "results.json"
    results.parent.mkdir()
    results.write_text(
        '[{"id": "finger-taps", "seconds": 2.0}]'
    )  # of an earlier run: kept until there is something new
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (results.parent / "finger-waits-begun").exists():
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    rows = json.loads(results.read_text())
    assert child.returncode == 130 and "interrupted; what was found is kept" in err and "Traceback" not in err
    assert [row["id"] for row in rows] == ["finger-equations", "finger-waits"] and "1 of 2 experiments ran" in out
    assert "Interrupted" in (tmp_path / "o" / "report.html").read_text()
