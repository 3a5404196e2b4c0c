"""Files made to break readers, one by one as they were found; each is refused in words, and soon."""

import json

import numpy as np
import pytest

from gambol import (
    ExportError,
    Figure,
    FigureError,
    GambolError,
    Recorder,
    RecordingError,
    ScriptError,
    Simulation,
    StepError,
    StudyError,
    TooLargeError,
    World,
    WorldError,
    chain,
    parse_yaml,
    read_urdf,
)
from gambol.cli.console import HARMLESS
from gambol.corpus import Interpreter
from gambol.export import read_bvh
from gambol.study import grid, read_table, samples
from gambol.study.journal import Journal
from gambol.study.points import parse_axis

HEAD = "gambol: figure/1\nname: f\nbodies:\n"
ALIASES = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
ALIASES += "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 9))


def ball(radius):
    return f"{HEAD}  - name: a\n    parts: [{{sphere: {{radius: {radius}}}}}]\n"


YAML = {
    "brackets": ("[" * 100_000, "1: lists and mappings are nested more than 60 deep"),
    "nested": (f"a: {'[' * 2000}{']' * 2000}", "1: lists and mappings are nested more than 60 deep"),
    "maps": ("{a: " * 5000, "1: lists and mappings are nested more than 60 deep"),
    "aliases": (ALIASES, "1: aliases stand for more than 200000 values"),
    "huge": (ball("1e308"), "5: a: part 0: its sizes are beyond what numbers can hold"),
    "tiny": (ball("1e-308"), "5: a: part 0: its sizes are beyond what numbers can hold"),
    "digits": (ball("9" * 5000), r"5: a: parts\[0\].sphere.radius must be finite, not inf"),
    "heavy": (
        ball("1}, density: 1e308, placement: {position: [0, 0, 0]"),
        "its sizes are beyond what numbers can hold",
    ),
    "axis": (
        f"{HEAD}  - name: a\n    joint: {{type: hinge, axis: [1.0e-320,0,0]}}\n    parts: [{{sphere: {{radius: 1}}}}]",
        r"5: a: joint: axis must be a unit vector, its norm is 9.99989e-321; normalised it is \(1, 0, 0\)",
    ),
    "mesh": (f"{HEAD}  - name: a\n    parts: [{{mesh: {{file: 5}}}}]\n", "5: a: .*mesh.file must be text"),
}


@pytest.mark.parametrize("name", YAML)
def test_yaml(name):
    text, words = YAML[name]
    with pytest.raises(FigureError, match=words):
        parse_yaml(text, "f.yaml")


LINK = """<link name="l"><inertial><origin xyz="{}"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="m"/>"""
JOINT = '<joint name="j" {}><axis xyz="{}"/><parent link="l"/><child link="m"/></joint>'


@pytest.mark.parametrize(
    ("place", "kind", "axis", "words"),
    [
        ("0 0 0", "", "1 0 0", "j: unknown joint type 'None'"),
        ("0 0 0", 'type="revolute"', "1 0", "j: <axis> xyz must be 3 numbers, not '1 0'"),
        ("0 0 0", 'type="revolute"', "nan 0 0", "j: its axis must be 3 numbers"),
        ("0 0", 'type="revolute"', "1 0 0", "l: <origin> xyz must be 3 numbers, not '0 0'"),
        ("0 0 0 9", 'type="revolute"', "1 0 0", "l: <origin> xyz must be 3 numbers, not '0 0 0 9'"),
    ],
)
def test_urdf(place, kind, axis, words):
    pytest.importorskip("yourdfpy")
    with pytest.raises(FigureError, match=words):
        read_urdf(f'<robot name="r">{LINK.format(place)}{JOINT.format(kind, axis)}</robot>')


def test_urdf_of_nothing():
    pytest.importorskip("yourdfpy")
    with pytest.raises(FigureError, match="the text is empty"):
        read_urdf(" ")


BVH = "HIERARCHY\nROOT a\n{{ OFFSET 0 0 0 CHANNELS {} }}\nMOTION\nFrames: {}\nFrame Time: {}\n{}\n"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("1 Xrotation", "1", "0.1", "nan"), "7: a number is wanted here, not 'nan'"),
        (("1 Xrotation", "nan", "0.1", "0"), "a number is wanted here, not 'nan'"),
        (("1 Xrotation", "1.5", "0.1", "0"), "a number of frames is wanted here, not 1.5"),
        (("1 Xrotation", "-1", "0.1", "0"), "a number of frames is wanted here, not -1"),
        (("2 Xrotation Xrotation", "1", "0.1", "0 0"), "the channel Xrotation is given twice"),
        (("1e9 Xrotation", "1", "0.1", "0"), "a number of channels is wanted here"),
        (("0", "1e12", "0.1", ""), r"1000000000000 frames of 1 joints would take 56 TB of memory"),
        (("1 Xrotation", "1", "0", "0"), "the frame time must be positive, it is 0"),
    ],
)
def test_bvh(tmp_path, given, words):
    (tmp_path / "a.bvh").write_text(BVH.format(*given))
    with pytest.raises((ExportError, TooLargeError), match=words):
        read_bvh(tmp_path / "a.bvh")


def test_bvh_of_5000_levels_and_without_a_root(tmp_path):
    joints = "".join(f"{'JOINT' if k else 'ROOT'} j{k} {{ OFFSET 0 1 0 CHANNELS 0 " for k in range(5000))
    (tmp_path / "deep.bvh").write_text(f"HIERARCHY {joints} {'} ' * 5000} MOTION Frames: 1 Frame Time: 0.1\n")
    assert read_bvh(tmp_path / "deep.bvh").world_positions()[0, -1] == pytest.approx([0.0, 0.0, 5000.0])
    (tmp_path / "none.bvh").write_text("HIERARCHY MOTION Frames: 1 Frame Time: 0.1\n")
    with pytest.raises(ExportError, match="'ROOT' is wanted here, not 'MOTION'"):
        read_bvh(tmp_path / "none.bvh")


ROW = {"point": {"x": 1}, "values": {"y": 2.0}, "outcome": "ok", "message": "", "seconds": 0.1}


@pytest.mark.parametrize("line", ["{}", "[]", "7", "[" * 5000, json.dumps(ROW | {"point": 3}), "{", '{"point": {}}'])
def test_damaged_journals(tmp_path, line):
    head = {"target": "m:f", "parameters": ["x"]}
    (tmp_path / "journal.jsonl").write_text(f"{json.dumps(head)}\n{line}\n{json.dumps(ROW)}\n")
    for read in (lambda: Journal(tmp_path, head), lambda: read_table(tmp_path)):
        with pytest.raises(StudyError, match=r"journal.jsonl:2: damaged: not the row of a point; remove the line"):
            read()
    for bad in (b"\xff\n", b"", b"[]\n", b'{"target": 1, "parameters": []}\n'):
        (tmp_path / "journal.jsonl").write_bytes(bad)
        with pytest.raises(StudyError, match=r"is not a journal|not UTF-8"):
            read_table(tmp_path)


@pytest.mark.parametrize("script", ["cloop 1000000000000000000\n@ x\n.\n", "cl a\n@ x\n.\na 999999999999\n"])
def test_loops_without_end(tmp_path, script):
    interpreter = Interpreter(tmp_path, out=lambda line: None, max_lines=1000)
    with pytest.raises(ScriptError, match="more than 1000 lines were executed: is this loop to end"):
        interpreter.run_text(script)
    Interpreter(tmp_path).run_text("cloop 1000000000000000000\n.\n")
    interpreter.run_text("cloop 400\n# nothing\n.\n")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (f"cl a\n@ x\n.\na {'9' * 5000}\n", "nothing can be done 999999999999999999… times"),
        ("cl a\n@ x\n.\na ²\n", "has no"),
        ("get a from b\0c\n", "is no name of a file: .*null"),
    ],
)
def test_counts_and_names_that_are_none(tmp_path, script, words):
    with pytest.raises(ScriptError, match=words):
        Interpreter(tmp_path, out=lambda line: None).run_text(script)


@pytest.mark.parametrize("time", [1e16, -1e16])
def test_time_that_stands_still(time):
    sim = Simulation(World(chain(1)), stepping="rk4")
    sim.reset(time=time)
    with pytest.raises(StepError, match="the clock stands still: its numbers are 2 s apart here"):
        sim.run(10.0)
    sim.reset(time=1e300)
    with pytest.raises(WorldError, match=r"its numbers are 1\.49e\+284 s apart at t = 1e\+300 s"):
        sim.run(10.0)
    with pytest.raises(RecordingError, match=r"samples every 0\.01 s cannot be told apart: at t = 1e\+300 s"):
        Recorder(sim, every=0.01).run(10.0)


def test_more_than_there_is_room_for():
    sim = Simulation(World(chain(1)))
    with pytest.raises(TooLargeError, match=r"1e\+12 samples of every = 1e-12 s would take \S+ TB of memory, and \S+"):
        sim.run(1.0, every=1e-12)
    for every in (1e-308, 5e-324):
        with pytest.raises(TooLargeError):
            sim.run(1.0, every=every)
    with pytest.raises(RecordingError, match=r"samples every 1e-308 s cannot be told apart: at t = 1 s"):
        Recorder(sim, every=1e-308).run(1.0)
    with pytest.raises(TooLargeError, match=r"simulation: 1000000000000 worlds would take \S+ TB of memory"):
        Simulation(World(chain(1)), worlds=10**12)
    with pytest.raises(TooLargeError, match="chain: 1000000000000 bodies"):
        chain(10**12)
    with pytest.raises(TooLargeError, match=r"a grid of 1e\+12 points"):
        grid(**{f"x{k}": range(1000) for k in range(4)})
    with pytest.raises(TooLargeError):
        samples(10**13, x=(0.0, 1.0))
    with pytest.raises(TooLargeError, match=r"the axis x of 1000000000000 values"):
        parse_axis("x=0:1:1000000000000")


def test_names_are_never_obeyed():
    assert "a\x1b]0;title\x07\u202eb\x9b".translate(HARMLESS) == r"a\x1b]0;title\x07\u202eb\x9b"
    assert "é → °\t\n".translate(HARMLESS) == "é → °\t\n"


def test_a_figure_of_one_fixed_body_runs():
    """Nothing can move; nothing crashes either."""
    figure = parse_yaml(f"{HEAD}  - name: a\n    joint: {{type: fixed}}\n    parts: [{{sphere: {{radius: 1}}}}]\n")
    assert isinstance(figure, Figure)
    try:
        path = Simulation(World(figure)).run(0.1, every=0.05)
        assert path.q.shape == (2, 0) and np.allclose(path.time, [0.05, 0.1])
    except GambolError as error:
        assert "a" in str(error)
