"""The formats that are tried: for each, good contents, how they are damaged, and what reads them."""

from __future__ import annotations

import functools
import json
import random
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile

from .mutants import byte_mutant, text_mutant

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Format:
    """seeds() gives good contents; damage(content, chance) a mutant; read(file) uses it all and says what it holds."""

    suffix: str
    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[Path], Any]
    damage: Callable[[bytes, random.Random], bytes]
    exact: bool = False  # whatever is read must be what was in the seed


def _as_text(content: bytes, chance: random.Random) -> bytes:
    return text_mutant(content.decode(), chance).encode("utf-8", "surrogatepass")


# ---------------------------------------------------------------- texts
def _figures() -> list[bytes]:
    from gambol import Joint, chain, random_figure, yaml_text

    arm = chain(2, Joint("hinge", (0, 1, 0), damping=0.1, stiffness=1.0, range=(-1.0, 1.0)))
    return [yaml_text(figure).encode() for figure in (arm, random_figure(3, 4), random_figure(8, 3))]


URDF = """<?xml version="1.0"?>
<robot name="arm"><material name="blue"><color rgba="0 0 1 1"/></material>
<link name="base"><inertial><origin xyz="0 0 0.1" rpy="0 0 0.2"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>
<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
<link name="fore"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="0.4"/></geometry><material name="blue"/></visual>
</link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="fore"/><origin xyz="0 0 0.3" rpy="0.1 0 0"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="0.3" friction="0"/></joint>
</robot>"""
MJCF = """<mujoco model="m"><worldbody><body name="a" pos="0 0 1"><freejoint/>
<geom type="box" size=".1 .2 .3" mass="1"/>
<body name="b" pos="0 0 .3"><joint type="hinge" axis="0 1 0" range="-60 60" damping=".1"/>
<geom type="capsule" fromto="0 0 0 0 0 .3" size=".05" density="1000"/></body></body></worldbody></mujoco>"""
BVH = """HIERARCHY
ROOT hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -0.5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.01
0 1 0 10 20 30 0 5 0
0 1 0.1 10 20 30 0 6 0
"""
SIMSECT = """# a ball
model = bouncing-ball;
finalTime = 0.1; recordPeriod = 0.01;
tolerance = 1e-6; maxTimeStep = 1e-3; minTimeStep = 1e-13;
dataBaseName = "ball"; chart = 0; height = 1.0; maxChartCount = 20;
"""


def _read_figure(file: Path) -> Any:
    from gambol import Figure, World

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = Figure.read(file)
        world = World(figure)
        return figure.mass, world.layout if hasattr(world, "layout") else None


def _read_bvh(file: Path) -> Any:
    from gambol.export import read_bvh

    return read_bvh(file).world_positions().shape


def _read_simsect(file: Path) -> Any:
    from gambol.hybrid.simsect.configuration import read_configuration
    from gambol.hybrid.simsect.session import sample_times, start_run

    configuration = read_configuration(file)
    if type(configuration.system).__name__ == "BouncingBall":  # others would have to be compiled
        start_run(configuration)
    return sample_times(configuration).shape


SCRIPT = """addworld w
grav off
addcorpus c
get a from unit_cube
get b from unit_cubeb
addbody a a 0 0 1 rotary 1000
addbody b b 0 0 1 rotary 1000
linkbodies a b
setroot a
corpusinit
%n= 3
commandlist turn
rotate a x 10
.
turn
if %n > 2 move b 1 2 3
commandlist again
%n+ 1
.
again 3
cloop 2
move b 0 0 1
.
"""


def _read_script(file: Path) -> Any:
    from gambol.corpus import Interpreter

    interpreter = Interpreter(file.parent, out=lambda line: None)
    interpreter.max_lines = 20_000
    interpreter.run_file(file)
    return len(interpreter.scene.objects) if hasattr(interpreter.scene, "objects") else 0


def _journal() -> list[bytes]:
    lines: list[dict[str, Any]] = [{"target": "m:f", "parameters": ["x"]}]
    for k in range(3):
        lines.append({"point": {"x": k}, "values": {"y": k * 0.5}, "outcome": "ok", "message": "", "seconds": 0.1})
    return ["".join(json.dumps(line) + "\n" for line in lines).encode()]


def _read_journal(file: Path) -> Any:
    from gambol.study import read_table
    from gambol.study.journal import Journal

    folder = file.with_suffix("")
    folder.mkdir(exist_ok=True)
    (folder / "journal.jsonl").write_bytes(file.read_bytes())
    journal = Journal(folder, {"target": "m:f", "parameters": ["x"]})
    try:
        journal.remaining([{"x": 1}], retry=True)
        return len(journal.table()), len(read_table(folder))
    finally:
        journal.close()


# ---------------------------------------------------------------- recordings
@functools.cache
def _recordings() -> tuple[bytes, ...]:
    from gambol import Joint, Recorder, Simulation, World, chain

    made = []
    with tempfile.TemporaryDirectory() as folder:
        for k in (2, 1):
            sim = Simulation(World(chain(k, Joint("hinge", (0, 1, 0), damping=0.001), length=0.4, radius=0.03)))
            sim.reset(q=[0.5, 0.2][:k])
            file = Path(folder) / f"{k}.gambol"
            with Recorder(sim, file, every=0.02, reports=False) as recorder:
                recorder.run(0.4)
            made.append(file.read_bytes())
    return tuple(made)


def _read_recording(file: Path) -> Any:
    from gambol import Recording

    recording = Recording.open(file)
    numbers = {name: recording.read(name).tobytes() for name in ("time", *recording.channels)}
    repr(recording.dataset)
    recording.motion()
    recording.report.text()
    repr(recording)
    state = recording.checkpoint
    return numbers, len(recording.events), None if state is None else (state.rows, state.data.tobytes())


def _edited(content: bytes, chance: random.Random) -> bytes:
    """A recording changed through HDF5 itself, checksums made right again."""
    import h5py

    with tempfile.NamedTemporaryFile(suffix=".gambol") as stream:
        stream.write(content)
        stream.flush()
        with h5py.File(stream.name, "r+", libver="latest") as file:
            chance.choice(EDITS)(file, chance)
        return Path(stream.name).read_bytes()


def _names(file: Any) -> list[str]:
    found: list[str] = []
    file.visit(lambda name: found.append(name))
    return found


def _drop(file: Any, chance: random.Random) -> None:
    del file[chance.choice(_names(file))]


def _replace(file: Any, chance: random.Random) -> None:
    name = chance.choice(_names(file))
    attributes = dict(file[name].attrs) if chance.random() < 0.5 else {}
    del file[name]
    values: list[Any] = [0.0, np.zeros(0), np.zeros((3, 0, 2)), np.full((21, 2), np.nan), "text", np.arange(4.0)]
    values += [np.zeros(21, "c16"), np.array([b"a", b"b"]), np.zeros(3, [("a", "f4")]), np.array([True]), np.zeros(21)]
    if chance.random() < 0.2:
        file.create_group(name)
    else:
        made = file.create_dataset(name, data=chance.choice(values))
        for key, value in attributes.items():
            if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"):
                made.attrs[key] = value


def _attribute(file: Any, chance: random.Random) -> None:
    item = file[chance.choice(["/", *_names(file)])]
    if len(item.attrs) and chance.random() < 0.7:
        name = chance.choice(list(item.attrs))
        del item.attrs[name]
        if chance.random() < 0.5:
            item.attrs[name] = chance.choice([0.5, "x", np.zeros(3)])


def _json(file: Any, chance: random.Random) -> None:
    """The description or the report, changed as text."""
    from gambol.record.slots import Slots

    if chance.random() < 0.5:
        text = file["run/description"][...].tobytes().decode()
        del file["run/description"]
        file["run"].create_dataset("description", data=np.frombuffer(_json_mutant(text, chance).encode(), np.uint8))
    else:
        slots = Slots(file["run"], "report")
        text = slots.read()[0].decode()
        slots.write(_json_mutant(text, chance).encode("utf-8", "surrogatepass"))


def _json_mutant(text: str, chance: random.Random) -> str:
    if chance.random() < 0.3:
        return text_mutant(text, chance)
    data = json.loads(text)
    if isinstance(data, dict) and data:
        key = chance.choice(list(data))
        if chance.random() < 0.4:
            del data[key]
        else:
            data[key] = chance.choice([None, 0, -1, 10**12, 1e308, "", "x", [], {}, [[]], {"a": 1}, [None], True])
    return json.dumps(data)


def _checkpoint(file: Any, chance: random.Random) -> None:
    import io

    from gambol.record.slots import Slots

    slots = Slots(file["run"], "checkpoint")
    content = slots.read()[0]
    if chance.random() < 0.4:
        slots.write(byte_mutant(content, chance))
        return
    loaded: NpzFile = np.load(io.BytesIO(content), allow_pickle=False)
    with loaded as arrays:
        kept = dict(arrays)
    if chance.random() < 0.5:
        kept["head"] = np.array(_json_mutant(str(kept["head"]), chance))
    else:
        kept[chance.choice(list(kept))] = chance.choice([np.zeros(0), np.zeros((2, 2)), np.array("x"), np.array(3)])
    stream = io.BytesIO()
    np.savez(stream, **kept)  # type: ignore[arg-type]
    slots.write(stream.getvalue())


EDITS = (_drop, _replace, _replace, _attribute, _json, _json, _json, _checkpoint)


def _one(text: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode()]


FORMATS = {
    "yaml": Format(".yaml", _figures, _read_figure, _as_text),
    "urdf": Format(".urdf", _one(URDF), _read_figure, _as_text),
    "mjcf": Format(".xml", _one(MJCF), _read_figure, _as_text),
    "bvh": Format(".bvh", _one(BVH), _read_bvh, _as_text),
    "simsect": Format(".cfg", _one(SIMSECT), _read_simsect, _as_text),
    "script": Format(".corpus", _one(SCRIPT), _read_script, _as_text),
    "journal": Format(".jsonl", _journal, _read_journal, _as_text),
    "recording": Format(".gambol", _recordings, _read_recording, byte_mutant, exact=True),
    "edited": Format(".gambol", _recordings, _read_recording, _edited),
}
