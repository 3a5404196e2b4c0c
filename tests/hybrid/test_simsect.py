"""`gambol simsect`: the configuration, its faults, the three files."""

import numpy as np
import pytest
from typer.testing import CliRunner

from gambol import HybridError, TooLargeError
from gambol.cli.app import app
from gambol.hybrid.simsect.configuration import interpret_configuration, parse_assignments, read_configuration
from gambol.hybrid.simsect.session import run_session, sample_times, start_run, stepping_of
from gambol.hybrid.simsect.terminal import frame

BALL = "model = bouncing-ball; finalTime = 1.0; recordPeriod = 0.1;"


def faults_of(text, **options):
    with pytest.raises(HybridError) as caught:
        interpret_configuration(text, file="x.rc", **options)
    return [str(f) for f in caught.value.faults]


def test_statements():
    found, faults = parse_assignments("a = 1; b=2 ; # c = 3;\n\n d\n =\n 'four'; e = \"f g\";")
    assert not faults
    assert [(a.symbol, a.value, a.line) for a in found] == [
        ("a", "1", 1),
        ("b", "2", 1),
        ("d", "four", 3),
        ("e", "f g", 5),
    ]


def test_usual_values_are_those_of_the_source():
    engine = interpret_configuration("").engine
    expected = dict(tolerance=1e-5, maxTimeStep=1e-3, minTimeStep=1e-13, rkPower=0.33, stopPrecision=1e-9)
    expected |= dict(maxStopIterations=128, maxChartCount=1280000, recordPeriod=1e-3, dataBaseName="SimSect")
    assert {k: engine[k] for k in expected} == expected
    stepping = stepping_of(interpret_configuration("rkPower = 0.25; maxStopIterations = 9;"))
    assert stepping.power == 0.25 and stepping.max_trials == 9 and stepping.method == "rk3"


def test_every_fault_with_its_line():
    text = """\
finalTim = 2.0;
cycle = fast;
sweep = 0.5
friction = 0.4;
tolerance = -1;
velocty_y = 1;
useGeomview = 3;
maxChartCount = 2.5;
two words = 1;
gravity = inf;
=3;
finalTime = 1"""
    assert faults_of(text) == [
        "x.rc:1: no symbol 'finalTim' in model hexapod; did you mean 'finalTime'?",
        "x.rc:2: cycle must be a number, not 'fast'",
        "x.rc:3: missing ';' after 'sweep = 0.5'",
        "x.rc:5: tolerance must be above 0, not -1",
        "x.rc:6: no symbol 'velocty_y' in model hexapod; did you mean 'velocity_y'?",
        "x.rc:7: useGeomview must be 0 or 1, not 3",
        "x.rc:8: maxChartCount must be a whole number, not 2.5",
        "x.rc:9: 'two words' is not one symbol (a ';' may be missing before it)",
        "x.rc:10: gravity must be finite, not 'inf'",
        "x.rc:11: '=3' is not of the form symbol = value;",
        "x.rc:12: missing ';' after 'finalTime = 1'",
    ]


def test_models():
    assert "did you mean 'hexapod'" in faults_of("\nmodel = hexpod;")[0]
    assert faults_of("\nmodel = hexpod;")[0].startswith("x.rc:2:")
    assert "cannot load" in faults_of("model = nowhere.at:All;", allow_modules=True)[0]
    assert "is not a HybridSystem" in faults_of("model = math:pi;", allow_modules=True)[0]
    own = interpret_configuration("model = gambol.hybrid.models:StickSlip; belt = 0.3;", allow_modules=True)
    assert own.system.name == "StickSlip" and own.system.p.belt == 0.3
    assert "above maxTimeStep" in faults_of("minTimeStep = 1; maxTimeStep = 0.1;")[0]


def test_set_twice_is_noted():
    found = interpret_configuration("friction = 0.4;\nfriction = 0.6;", file="x.rc")
    assert found.system.p.friction == 0.6
    assert found.notes == ("x.rc:2: friction was set on line 1 before; this value counts",)


def test_initial_states():
    run = start_run(
        interpret_configuration(BALL + "height = 2.0; speed = 1.5;")
    )  # a parameter and a state of that name: the parameter
    assert run.x[1] == 1.5
    run = start_run(interpret_configuration("velocity_x = 0.3; body_z = 0.2;"))
    states = dict(zip(run.system.charts[0].states, run.x))
    assert states["velocity x"] == 0.3 and states["body z"] == 0.2
    run = start_run(interpret_configuration("model = stick-slip; chart = 1; x = 1.2; v = -0.1;"))
    assert run.chart_name == "slides backward" and list(run.x) == [1.2, -0.1]
    with pytest.raises(HybridError, match="has no state v"):
        start_run(interpret_configuration("model = stick-slip; v = 1;"))


def test_sample_times():
    times = sample_times(interpret_configuration(BALL + "measurePeriod = 0.25;"))
    assert np.allclose(times, sorted({*(0.1 * k for k in range(1, 11)), 0.25, 0.75}))


def test_three_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = run_session(interpret_configuration(BALL + "dataBaseName = out/fall; useGeomview = 1;"))
    assert [f.name for f in report.files] == ["fall.data", "fall.param", "fall.initial", "fall.transforms"]
    data = np.loadtxt("out/fall.data")
    assert data.shape == (11, 4)  # the start and ten samples: time, chart, states
    before = data[:, 0] < 0.45
    assert np.allclose(data[before, 2], 1.0 - 0.5 * 9.81 * data[before, 0] ** 2, atol=1e-6)
    again = interpret_configuration(
        (tmp_path / "out/fall.param").read_text() + (tmp_path / "out/fall.initial").read_text()
    )
    assert again.system.p == report.run.system.p and again.engine["finalTime"] == 1.0
    second = run_session(again)
    assert np.array_equal(np.loadtxt(second.files[0]), data)
    shown = (tmp_path / "out/fall.transforms").read_text().splitlines()
    assert shown[2].split("\t")[1] == "ball" and len(shown) == 12


def test_limits():
    many = interpret_configuration("model = rimless-wheel; finalTime = 100; maxChartCount = 3; recordPeriod = 0.1;")
    report = run_session_in_memory(many)
    assert report.run.change_count == 3 and report.end_reason == "3 chart changes"


def run_session_in_memory(configuration):
    import tempfile
    from dataclasses import replace
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        engine = configuration.engine | {"dataBaseName": str(Path(folder) / "x")}
        return run_session(replace(configuration, engine=engine))


def test_a_run_that_fails_leaves_its_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "SimSect.rc").write_text(BALL.replace("1.0", "3.0"))
    result = CliRunner().invoke(app, ["simsect"])
    assert result.exit_code == 1
    assert "events accumulate" in result.output + (result.stderr or "")
    assert np.loadtxt("SimSect.data")[-1, 0] == pytest.approx(1.3)


def test_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.rc").write_text("finalTime = 0.2; recordPeriod = 0.02; dataBaseName = trot; # short\n")
    result = CliRunner().invoke(app, ["simsect", "-c", "my.rc"])
    assert result.exit_code == 0, result.output
    data = np.loadtxt("trot.data")
    names = (tmp_path / "trot.data").read_text().splitlines()[1].removeprefix("# ").split("\t")
    assert data.shape == (11, len(names)) and names[:3] == ["time", "chart", "roll"]
    assert data[0, names.index("position_z")] == pytest.approx(0.18)
    assert data[-1, names.index("position_z")] < 0.17
    assert read_configuration("my.rc").base == "trot"
    bad = CliRunner().invoke(app, ["simsect", "-c", "missing.rc"])
    assert bad.exit_code == 1
    listed = CliRunner().invoke(app, ["simsect", "--symbols"])
    assert listed.exit_code == 0 and "finalTime = 10;" in listed.output and "toe_left_front_x" in listed.output


@pytest.mark.parametrize("name", [":Ball", ".evil:Ball", "..evil:Ball", "a b:Ball", "os:", "os:system", "evil:Ball"])
def test_a_file_starts_no_code(name, tmp_path, monkeypatch):
    (tmp_path / "evil.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(tmp_path)
    assert faults_of(f"\nmodel = {name};")[0].startswith("x.rc:2:")


def test_files_are_written_below_the_present_folder(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "way").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path / "in")
    for base in ("../x", str(tmp_path / "x"), "a/../../x", "way/x", "."):
        assert "outside the present folder" in faults_of(f"dataBaseName = {base};")[0]
    assert interpret_configuration("dataBaseName = ../x;", allow_paths=[tmp_path]).base == "../x"
    assert interpret_configuration("dataBaseName = out/x;").base == "out/x"


@pytest.mark.parametrize("period", ["1e-308", "1e-15", "1e-300"])
def test_more_lines_than_there_is_room_for(period):
    with pytest.raises(TooLargeError, match=r"lines of finalTime / recordPeriod would take .* of memory"):
        sample_times(interpret_configuration(f"recordPeriod = {period};"))


# ---------------------------------------------------------------- sections, axes, the terminal
def test_sections_of_a_configuration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = BALL + "restitution = 0.9; section_apex = speed falling; section_half = height - 0.5 rising;"
    report = run_session(interpret_configuration(text + "dataBaseName = cut;"))
    assert [f.name for f in report.files] == ["cut.data", "cut.param", "cut.initial", "cut.sections"]
    lines = [line.split("\t") for line in (tmp_path / "cut.sections").read_text().splitlines()[2:]]
    first = np.sqrt(2 / 9.81)
    rise = 0.9 * np.sqrt(2 * 9.81)
    assert [line[1] for line in lines] == ["apex", "half", "apex"]
    assert abs(float(lines[0][0])) < 1e-6  # it starts on that one
    del lines[0]
    assert float(lines[1][0]) == pytest.approx(first + rise / 9.81, abs=1e-8)
    assert float(lines[0][0]) == pytest.approx(first + (rise - np.sqrt(rise**2 - 9.81)) / 9.81, abs=1e-8)
    again = interpret_configuration((tmp_path / "cut.param").read_text())
    assert [(s, g.text) for s, g in again.sections.items()] == [
        ("section_apex", "speed falling"),
        ("section_half", "height - 0.5 rising"),
    ]
    ended = run_session(interpret_configuration(text + "maxSectionCount = 2; dataBaseName = one;"))
    assert ended.end_reason == "2 section crossings" and ended.run.time == pytest.approx(float(lines[0][0]))


def test_faults_of_sections():
    text = (
        BALL
        + """
section_a = hight;
section_b = speed +;
section_c = __import__('os');
section_d = speed.real;
section_e = 3;
section_ = speed;
section_f = sqrt(speed, 2);"""
    )
    assert faults_of(text) == [
        "x.rc:2: section_a: no state or parameter 'hight'; did you mean 'height'?",
        "x.rc:3: section_b: 'speed +' is no expression",
        "x.rc:4: section_c: no function '__import__' (allowed: sin, cos, sqrt, abs)",
        "x.rc:5: section_d: 'speed.real' is not allowed in a section",
        "x.rc:6: section_e: '3' does not depend on a state or on t",
        "x.rc:7: a section needs a name: section_NAME = expression;",
        "x.rc:8: section_f: sqrt takes one number",
    ]


def test_every_file_says_its_axes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "finalTime = 0.01; recordPeriod = 0.005; useGeomview = 1; section_up = velocity_z rising;"
    report = run_session(interpret_configuration(text))
    assert len(report.files) == 5
    for file in report.files:
        assert file.read_text().splitlines()[0] == "# axes: x right, y forward, z up; SI units, radians"
    data = np.loadtxt("SimSect.data")
    columns = (tmp_path / "SimSect.data").read_text().splitlines()[1].lstrip("# ").split("\t")
    body = [line for line in (tmp_path / "SimSect.transforms").read_text().splitlines() if "\tbody\t" in line][-1]
    place = np.array(body.split("\t")[2].split(), float).reshape(4, 4)[:3, 3]
    assert np.allclose(place, data[-1, [columns.index(f"position_{a}") for a in "xyz"]], atol=1e-8)


def test_the_terminal_shows_a_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []
    configuration = interpret_configuration("finalTime = 0.02; recordPeriod = 0.005;")
    run_session(configuration, look=lambda run, end: seen.append(frame(run, end)), frame_period=0.01)
    assert len(seen) == 2 and "t =    0.020 of 0.02 s" in seen[-1]
    picture = seen[-1].splitlines()[2:]
    front, middle, back = (next(line.index(c) for line in picture if c in line) for c in "FMB")
    assert back < middle < front  # it goes to the right
    (tmp_path / "x.rc").write_text("model = stick-slip; finalTime = 0.1;")
    done = CliRunner().invoke(app, ["simsect", "-c", "x.rc", "--live"])
    assert done.exit_code == 0 and "StickSlip" in done.stdout
