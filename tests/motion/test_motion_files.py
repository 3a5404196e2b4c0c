"""Files of measured motion: what is written comes back, units and axes are right, faults name file and line."""

import json
from itertools import product

import numpy as np
import pytest
from typer.testing import CliRunner

import gambol
from gambol import GambolError, Joint, MotionError, UnknownNameError, chain
from gambol.cli.app import app
from gambol.motion import Coordinates, Markers, read_motion, read_places, write_motion

TIME = np.arange(5) / 50
PLACES = np.random.default_rng(0).normal(size=(5, 2, 3))
PLACES[2, 1] = np.nan


def test_markers_come_back(tmp_path):
    given = Markers(TIME, ("LASI", "R knee"), PLACES)
    for name in ("a.trc", "a.csv"):
        found = read_motion(write_motion(given, tmp_path / name))
        assert found.names == given.names and found.rate == pytest.approx(50)
        np.testing.assert_allclose(found.positions, PLACES, atol=1e-12)
        np.testing.assert_allclose(found.time, TIME, atol=1e-12)
    assert gambol.load(tmp_path / "a.trc", Markers).names == given.names
    assert np.isnan(given["R knee"][2]).all() and given.between(0.03, 0.07).time[0] == pytest.approx(0.04)


def test_coordinates_come_back(tmp_path):
    given = Coordinates(TIME, ("hip angle", "slide"), np.random.default_rng(1).normal(size=(5, 2)), ("deg", "mm"))
    found = read_motion(write_motion(given, tmp_path / "a.csv"))
    assert (found.names, found.units) == (given.names, given.units)
    np.testing.assert_array_equal(found.values, given.values)
    stored = read_motion(write_motion(given, tmp_path / "a.mot"))
    assert stored.degrees and stored.names == ("hip/angle", "slide")
    np.testing.assert_allclose(stored.values, given.values * [1, 1e-3], atol=1e-15)


@pytest.mark.parametrize("suffix", ("csv", "mot", "sto"))
@pytest.mark.parametrize("degrees", (False, True))
def test_tables_of_mixed_units_mean_the_same_when_read_again(tmp_path, suffix, degrees):
    """Every mixture of units of two angles: what a figure's joints are asked for is the same after the file."""
    arm = chain(2, Joint("hinge", (0, 1, 0)))
    values = np.random.default_rng(2).normal(size=(5, 2))
    for units in product(("rad", "deg", "°", ""), repeat=2):
        given = Coordinates(TIME, arm.names, values, units, degrees=degrees)
        found = read_motion(write_motion(given, tmp_path / f"a.{suffix}"))
        np.testing.assert_allclose(found.positions_of(arm), given.positions_of(arm), atol=1e-15, err_msg=f"{units}")


def test_axes_and_units_of_trc(tmp_path):
    text = (
        "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t2\t1\tmm\n"
        "Frame#\tTime\tA\t\t\n\t\tX1\tY1\tZ1\n\n1\t0.0\t1000\t2000\t3000\n2\t0.02\t1000\t\t3000\n"
    )
    (tmp_path / "a.trc").write_text(text)
    markers = read_motion(tmp_path / "a.trc")  # Y up, Z right
    np.testing.assert_allclose(markers["A"][0], [1.0, -3.0, 2.0])
    assert not markers.seen[1, 0]
    np.testing.assert_allclose(read_motion(tmp_path / "a.trc", up="z")["A"][0], [1.0, 2.0, 3.0])


def test_c3d(tmp_path):
    c3d = pytest.importorskip("c3d")
    writer = c3d.Writer(point_rate=100.0, point_units="mm")
    frames = []
    for row in PLACES:
        points = np.zeros((2, 5), np.float32)
        points[:, :3] = np.nan_to_num(1000.0 * row)
        points[np.isnan(row).any(axis=1), 3] = -1
        frames.append((points, np.zeros((0, 0))))
    writer.add_frames(frames)
    writer.set_point_labels(["LASI", "RASI"])
    with (tmp_path / "a.c3d").open("wb") as stream:
        writer.write(stream)
    found = read_motion(tmp_path / "a.c3d", up="z")
    assert found.names == ("LASI", "RASI") and found.rate == pytest.approx(100.0)
    np.testing.assert_allclose(found.positions, PLACES, atol=1e-6)
    turned = read_motion(tmp_path / "a.c3d", up="y")
    np.testing.assert_allclose(turned.positions[..., 2], found.positions[..., 1])
    whole = (tmp_path / "a.c3d").read_bytes()
    rng = np.random.default_rng(0)
    for k in range(40):
        damaged = bytearray(whole)
        for place in rng.integers(0, 1536, 8):
            damaged[place] = rng.integers(0, 256)
        (tmp_path / "b.c3d").write_bytes(damaged if k % 2 else whole[: rng.integers(0, len(whole))])
        try:
            assert isinstance(read_motion(tmp_path / "b.c3d"), Markers)
        except GambolError as error:
            assert "b.c3d" in str(error)


TRC = "PathFileType\t4\t(X/Y/Z)\ta\nDataRate\tNumFrames\tNumMarkers\tUnits\n"
TRC += "60\t{frames}\t1\t{unit}\nFrame#\tTime\tA\n\tX1\n"
HOSTILE = [
    ("a.csv", "", r"a.csv:1: the file is empty"),
    ("a.csv", "knee [deg]\n1\n", r"a.csv:1: the first column must be the time"),
    ("a.csv", "time,knee\n0,1\n0.1,x\n0.2,y\n", r"a.csv:3: knee: a number is wanted here, not 'x'\n.*a.csv:4: knee"),
    ("a.csv", "time,knee\n0,1\n0,2\n", r"a.csv:3: time goes from 0 s to 0 s"),
    ("a.csv", "time,knee\n0,1,2\n", r"a.csv:2: 3 values, and there are 2 columns"),
    ("a.csv", "time,knee,knee\n0,1,2\n", r"a.csv:1: the column 'knee' is there twice"),
    ("a.csv", "time [h],knee\n0,1\n", r"a.csv:1: time is in s or ms, not in 'h'"),
    ("a.csv", "time,A x [ft],A y [ft],A z [ft]\n0,1,1,1\n", r"a.csv:1: markers are in m, cm, mm, not in 'ft'"),
    ("a.csv", "time,knee\n", r"a.csv:2: there are no rows"),
    ("a.csv", "time,knee\n0,inf\n", r"a.csv:2: knee: a number is wanted here, not 'inf'"),
    ("a.csv", "time,\n0,1\n", r"a.csv:1: column 2 has no name"),
    ("a.csv", b"time,knee\n0,\xff\n", r"a.csv:2: is not text in UTF-8"),
    ("a.csv", "time,knee\n" + "0,x\n" * 500, r"^(.*\n){9}.*a.csv:11: "),
    ("a.trc", "hello", r"a.trc:1: a TRC file begins with PathFileType"),
    ("a.trc", TRC.format(frames=1, unit="ft"), r"a.trc:3: Units are 'ft'"),
    ("a.trc", TRC.format(frames=2, unit="mm") + "1\t0\t1\t2\t3\n", r"a.trc:3: NumFrames is '2', and there are 1"),
    ("a.trc", TRC.format(frames=1, unit="mm") + "1\t\t1\t2\t3\n", r"a.trc:6: Time: a number is missing"),
    ("a.mot", "nRows=1\n", r"a.mot:1: there is no 'endheader'"),
    ("a.mot", "inDegrees=maybe\nendheader\ntime a\n0 1\n", r"a.mot:1: inDegrees is yes or no"),
    ("a.sto", "endheader\nx a\n0 1\n", r"a.sto:2: the first column must be time"),
    ("a.sto", "endheader\ntime a\n0 1 2\n", r"a.sto:3: 3 values, and there are 2 columns"),
    ("a.sto", "nRows=7\nendheader\ntime a\n0 1\n", r"a.sto:2: nRows is '7', and there are 1 rows"),
    ("a.csv", None, r"a.csv:1: cannot be read"),
]


@pytest.mark.parametrize("name, text, message", HOSTILE)
def test_faulty_files_are_refused_by_file_and_line(tmp_path, name, text, message):
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MotionError, match=message):
        read_motion(path)


def test_what_cannot_be_asked(tmp_path):
    (tmp_path / "a.csv").write_text("knee [deg]\n1\n2\n")
    found = read_motion(tmp_path / "a.csv", rate=50)
    assert found.names == ("knee",) and found.time[1] == pytest.approx(0.02)
    for options in ({"up": "x"}, {"kind": "both"}):
        with pytest.raises(UnknownNameError):
            read_motion(tmp_path / "a.csv", **options)
    with pytest.raises(MotionError, match="must be positive"):
        read_motion(tmp_path / "a.csv", rate=0.0)
    with pytest.raises(MotionError, match="markers need three columns"):
        read_motion(tmp_path / "a.csv", rate=50, kind="markers")
    with pytest.raises(UnknownNameError, match=r"no motion has the suffix '.txt'"):
        read_motion(tmp_path / "a.txt")


@pytest.mark.parametrize(
    "text, message",
    [
        ("A: {body: trunk, at: [1, 2]}", r"m.yaml:1: marker 'A': 'at' are three numbers"),
        (
            "A: trunk\nB: {at: [0, 0, 0]}\nC: {body: x, wieght: 2}",
            r"m.yaml:2: .*a body is wanted(.|\n)*m.yaml:3: .*did you",
        ),
        ("A: [", r"m.yaml:\d: YAML syntax"),
        ("A: " + "[" * 100_000, "nested more than 60 deep"),
        ("[1, 2]", r"m.yaml:1: markers are wanted"),
        ("A: trunk\nA: arm", r"m.yaml:2: the key 'A' is here twice, first on line 1"),
        ("A: {body: b, weight: -1}", r"'weight' is a positive number"),
    ],
)
def test_faulty_places(tmp_path, text, message):
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(MotionError, match=message):
        read_places(tmp_path / "m.yaml")


@pytest.mark.parametrize(
    "text, message",
    [
        ("[" * 20_000 + "]" * 20_000, "the first column must be the time"),
        ("time," + ",".join(f"c{k}" for k in range(20_000)) + "\n" + "1\n" * 20_000, "most of them end early"),
        ("time," + "c," * 50_000 + "c\n0\n", "the column 'c' is there twice|most of them end early"),
    ],
)
def test_tables_that_would_take_for_ever_or_all_memory(tmp_path, text, message):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(MotionError, match=message):
        read_motion(tmp_path / "a.csv")


# ---------------------------------------------------------------- the command
ROD = """\
gambol: figure/1
name: rod
bodies:
  - name: rod
    joint: {type: hinge, axis: [0, 1, 0]}
    placement: {position: [0, 0, 1.5]}
    parts:
      - capsule: {radius: 0.02, length: 1.0}
        placement: {position: [0, 0, -0.5]}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "rod.yaml").write_text(ROD)
    rows = "\n".join(f"{t:.3f},{20 * np.sin(3 * t):.9f}" for t in np.arange(0, 1, 0.02))
    (tmp_path / "swing.csv").write_text(f"time [s],rod [deg]\n{rows}\n")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_follow_this_csv(folder):
    found = run("follow", "swing.csv", "rod.yaml", "--json", "r.json")
    assert found.exit_code == 0, found.output
    made = {path.name for path in (folder / "gambol-out" / "swing").iterdir()}
    assert {"rod.gambol", "positions.csv", "forces.csv", "forces.png", "film_strip.png"} <= made
    data = json.loads((folder / "r.json").read_text())
    assert data["followed"]["joint_error_max"] < 2e-3 and data["frames"] == 50
    recording = gambol.load(folder / "gambol-out/swing/rod.gambol", gambol.Recording)
    wanted = np.radians(20.0) * np.sin(3 * recording.time)
    np.testing.assert_allclose(recording.read("q")[:, 0], wanted, atol=2e-3)


def test_follow_markers(folder):
    angle = np.radians(20.0) * np.sin(3 * TIME * 4)
    tip = np.stack([-np.sin(angle), 0 * angle, 1.5 - np.cos(angle)], axis=1)
    write_motion(Markers(TIME * 4, ("tip",), tip[:, None]), folder / "tip.csv")
    (folder / "m.yaml").write_text("tip: {body: rod, at: [0, 0, -1]}")
    found = run(
        "follow", "tip.csv", "rod.yaml", "--markers", "m.yaml", "--by", "none", "--json", "r.json", "--out", "o"
    )
    assert found.exit_code == 0, found.output
    assert json.loads((folder / "r.json").read_text())["markers"]["rms_m"] < 1e-9
    q = read_motion(folder / "o" / "positions.csv")["rod angle"]
    np.testing.assert_allclose(q, angle, atol=1e-9)
    assert (folder / "o" / "residuals.png").stat().st_size > 1000 and not list((folder / "o").glob("*.gambol"))


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (("swing.csv", "rod.yaml", "--by", "magic"), 2, "--by 'magic'"),
        (("swing.csv", "nobody"), 2, "no figure is called 'nobody'"),
        (("swing.csv", "rod.yaml", "--name", "x"), 2, "COLUMN=COORDINATE"),
        (("swing.csv", "rod.yaml", "--name", "rod=knee"), 1, "no coordinate of 'rod' is called 'knee'"),
        (("swing.csv", "rod.yaml", "--size"), 1, "--size and --markers are for markers"),
        (("swing.csv", "rod.yaml", "--from", "7"), 1, "no frame lies between"),
        (("swing.txt", "rod.yaml"), 2, "unknown suffix"),
        (("bad.csv", "rod.yaml"), 1, "bad.csv:2: rod"),
        (("swing.csv",), 1, "no column is a coordinate of 'person38'"),
    ],
)
def test_follow_says_what_is_wrong(folder, arguments, code, message):
    (folder / "bad.csv").write_text("time,rod\n0,left\n")
    found = run("follow", *arguments)
    assert found.exit_code == code, found.output
    assert message in found.output
