"""Files made to break readers, one by one as they were found; each is refused in words, and soon."""

import io
import json
import struct
import zipfile
import zlib
from dataclasses import replace

import numpy as np
import pytest

from gambol import (
    CommandError,
    ExportError,
    Figure,
    FigureError,
    GambolError,
    HybridError,
    Recorder,
    RecordingError,
    ScriptError,
    Simulation,
    StudyError,
    TaskError,
    TooLargeError,
    World,
    WorldError,
    chain,
    parse_yaml,
    read_mjcf,
    read_scene,
    read_urdf,
)
from gambol.cli.console import HARMLESS
from gambol.corpus import Interpreter
from gambol.corpus.frame_buffer import read_image
from gambol.export import read_bvh
from gambol.export.formats import own_file
from gambol.figure.files import file_name
from gambol.hybrid.simsect.configuration import interpret_configuration
from gambol.learn import Policy
from gambol.record.arrays import read_arrays
from gambol.record.lock import WriterLock, lock_path
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
    "number": (f"{HEAD}  - name: a\n    parts: [{{cylinder: 0.0}}]\n", r"5: a: parts\[0\].cylinder"),
}


@pytest.mark.parametrize("name", YAML)
def test_yaml(name):
    text, words = YAML[name]
    with pytest.raises(FigureError, match=words):
        parse_yaml(text, "f.yaml")


LINK = """<link name="l"><inertial><origin xyz="{}"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="m"/>"""
JOINT = '<joint name="j" {}><axis xyz="{}"/><parent link="l"/><child link="m"/></joint>'


def test_a_friction_whose_square_no_number_holds(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "a.xml"
    ball = '<body><freejoint/><geom size=".1" friction="1e308 .01 .001"/></body>'
    file.write_text(f'<mujoco><worldbody><geom type="plane" size="5 5 .1"/>{ball}</worldbody></mujoco>')
    (contact,) = read_scene(file).world.elements
    assert np.isfinite((contact.surface.stiffness, contact.surface.damping)).all()


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


MULTITUDES = {
    "replicate": '<replicate count="1000"><replicate count="1000"><geom size="1"/></replicate></replicate>',
    "flexcomp": '<body><flexcomp name="f" count="2000 2000 2000" spacing="1 1 1"/></body>',
}


@pytest.mark.parametrize("name", MULTITUDES)
def test_mjcf_that_stands_for_multitudes(tmp_path, name):
    """MuJoCo would make them all, for hours."""
    pytest.importorskip("mujoco")
    world = f"<worldbody>{MULTITUDES[name]}</worldbody>"
    (tmp_path / "part.xml").write_text(f"<mujoco>{world}</mujoco>")
    (tmp_path / "whole.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    for source in (f"<mujoco>{world}</mujoco>", tmp_path / "part.xml", tmp_path / "whole.xml"):
        with pytest.raises(FigureError, match=r"it stands for \S+ elements, more than 200000"):
            read_mjcf(source)
    for asset, words in (
        ('<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>', "<hfield> asks for 1e"),
        ('<size nkey="2000000000"/>', "<size> asks for 2e"),
    ):
        with pytest.raises(FigureError, match=words):
            read_mjcf(f"<mujoco>{asset}</mujoco>")


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
    sim.reset([0.5])
    sim.run(10.0)
    motion = sim.q, sim.v
    sim.reset([0.5], time=time)  # numbers are 2 s apart here; steps are far shorter
    sim.run(10.0)
    assert sim.time == time + 10.0
    np.testing.assert_allclose((sim.q, sim.v), motion, rtol=1e-9)
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
    with pytest.raises(WorldError, match="positions must be numbers, not "):
        sim.reset(q=[10**400])
    with pytest.raises(TooLargeError, match="chain: 1000000000000 bodies"):
        chain(10**12)
    with pytest.raises(TooLargeError, match=r"a grid of 1e\+12 points"):
        grid(**{f"x{k}": range(1000) for k in range(4)})
    with pytest.raises(TooLargeError):
        samples(10**13, x=(0.0, 1.0))
    with pytest.raises(TooLargeError, match=r"the axis x of 1000000000000 values"):
        parse_axis("x=0:1:1000000000000")


def png_head(width, height):
    """A picture of this size, of which only the first bytes are there."""
    made = b"\x89PNG\r\n\x1a\n"
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    for kind, content in ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")):
        made += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return made


class Loud:
    """Whoever unpickles it hears of it."""

    def __reduce__(self):
        return pytest.fail, ("code of a file was run",)


def saved(save=np.savez, **arrays):
    stream = io.BytesIO()
    save(stream, **arrays)
    return stream.getvalue()


LAYER = {"weights0": np.zeros((3, 2)), "biases0": np.zeros(2), "mean": np.zeros(3), "spread": np.ones(3)}
LAYER["about"] = np.array('{"format": 1}')
POLICIES = {
    "nothing": (b"", "not a zip file"),
    "one array": (b"\x93NUMPY\x01\x00", "not a zip file"),
    "objects": (saved(**LAYER | {"mean": np.array([Loud()], object)}), "'mean.npy' holds objects"),
    "compressed": (
        saved(np.savez_compressed, **LAYER | {"mean": np.zeros(10**6)}),
        "compressed, or longer than the file",
    ),
    "no spread": (saved(**LAYER | {"spread": np.zeros(3)}), "'spread' must be positive"),
    "other shape": (saved(**LAYER | {"biases0": np.zeros(5)}), r"'weights0' has the shape \(3, 2\)"),
    "not finite": (saved(**LAYER | {"weights0": np.full((3, 2), np.nan)}), "'weights0' must be finite"),
    "no layers": (saved(mean=np.zeros(3), spread=np.ones(3), about=LAYER["about"]), "it has no layers"),
    "a list": (saved(**LAYER | {"about": np.array("[]")}), "another version"),
    "deep": (saved(**LAYER | {"about": np.array("[" * 100_000)}), "(recursion|Stack overflow)"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_policies(tmp_path, name):
    content, words = POLICIES[name]
    (tmp_path / "p.npz").write_bytes(content)
    with pytest.raises(TaskError, match=f"p.npz:1: it is no policy of Gambol: .*{words}"):
        Policy.read(tmp_path / "p.npz")


def test_arrays_are_no_larger_than_their_file(tmp_path):
    """A head that announces more numbers than follow, and parts that lie over one another."""
    content = saved(a=np.zeros(1000))
    with pytest.raises(ValueError, match="has 8000 bytes for 9999 numbers"):
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (9999,)})
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("a.npy", head.getvalue() + bytes(8000))
        read_arrays(tmp_path / "a.npz")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        member = archive.infolist()[0]
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("a.npy", bytes(10_000))
        archive.filelist *= 50  # fifty entries of the directory, one content
    assert member.file_size > 8000
    with pytest.raises(ValueError, match="longer than the file"):
        read_arrays(tmp_path / "b.npz")
    assert read_arrays(content)["a"].shape == (1000,)


def test_pictures(tmp_path):
    """A few bytes that would be ten gigabytes of pixels."""
    (tmp_path / "a.png").write_bytes(png_head(50_000, 50_000))
    with pytest.raises(CommandError, match=r"a.png is not read|a.png is not a picture"):
        read_image(tmp_path / "a.png")


def test_lines_that_would_take_for_ever(tmp_path):
    with pytest.raises(ScriptError, match="a line has at most 10000 characters, not 40003"):
        Interpreter(tmp_path, out=lambda line: None).run_text(f"if {'=' * 40_000}\n")


@pytest.mark.parametrize(
    ("value", "words"),
    [(f"{'(' * 5000}speed", "is no expression"), (f"speed + {'9' * 400}", "is not a number|is no expression"),
     ("speed.__class__", "is not allowed"), ("speed if t else t", "is not allowed"),
     ("(lambda: speed)()", "no function"), ("speed ** 9 ** 9 ** 9", None)],
)  # fmt: skip
def test_sections(value, words):
    text = f"model = bouncing-ball; section_a = {value};"
    if words is None:
        assert interpret_configuration(text).sections
        return
    with pytest.raises(HybridError, match=words):
        interpret_configuration(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "3", '{"host": 5}', "\xff"])
def test_locks_of_nobody_are_taken_over_or_named(tmp_path, text):
    path = tmp_path / "a.gambol"
    lock_path(path).write_bytes(text.encode("latin1"))
    try:
        WriterLock(path).release()
    except RecordingError as error:
        assert "on 5" in str(error)


def test_names_are_never_obeyed():
    assert "a\x1b]0;title\x07\u202eb\x9b".translate(HARMLESS) == r"a\x1b]0;title\x07\u202eb\x9b"
    assert "é → °\t\n".translate(HARMLESS) == "é → °\t\n"


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("../../x", "x"),
        ("/etc/x", "etc-x"),
        ("..", "unnamed"),
        (".hidden", "hidden"),
        ("a b.2", "a b.2"),
        ("é\0\n;x", "é-x"),
    ],
)
def test_names_of_figures_lead_nowhere(tmp_path, name, own):
    """What is called after a figure lies in the folder that it is to lie in."""
    assert file_name(name) == own and len(file_name(name * 1000)) <= 100
    assert own_file(tmp_path / "a.bvh", replace(chain(1), name=name), True) == tmp_path / f"a-{own}.bvh"


def test_a_figure_of_one_fixed_body_runs():
    """Nothing can move; nothing crashes either."""
    figure = parse_yaml(f"{HEAD}  - name: a\n    joint: {{type: fixed}}\n    parts: [{{sphere: {{radius: 1}}}}]\n")
    assert isinstance(figure, Figure)
    try:
        path = Simulation(World(figure)).run(0.1, every=0.05)
        assert path.q.shape == (2, 0) and np.allclose(path.time, [0.05, 0.1])
    except GambolError as error:
        assert "a" in str(error)
