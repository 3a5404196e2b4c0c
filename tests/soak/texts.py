"""Texts that are read: figures, motion, configurations, scripts, journals."""

from __future__ import annotations

import functools
import json
import socket
import warnings
from pathlib import Path
from typing import Any


def figures() -> list[bytes]:
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


def read_figure(file: Path) -> Any:
    from gambol import Figure, World

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = Figure.read(file)
        world = World(figure)
        return figure.mass, world.layout if hasattr(world, "layout") else None


def read_bvh_file(file: Path) -> Any:
    from gambol.export import read_bvh

    return read_bvh(file).world_positions().shape


def read_simsect(file: Path) -> Any:
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


def read_script(file: Path) -> Any:
    from gambol.corpus import Interpreter

    interpreter = Interpreter(file.parent, out=lambda line: None)
    interpreter.max_lines = 20_000
    interpreter.run_file(file)
    return len(interpreter.scene.objects) if hasattr(interpreter.scene, "objects") else 0


def journals() -> list[bytes]:
    lines: list[dict[str, Any]] = [{"target": "m:f", "parameters": ["x"]}]
    for k in range(3):
        lines.append({"point": {"x": k}, "values": {"y": k * 0.5}, "outcome": "ok", "message": "", "seconds": 0.1})
    return ["".join(json.dumps(line) + "\n" for line in lines).encode()]


def read_journal(file: Path) -> Any:
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


def read_shard(file: Path) -> Any:
    """The file of a worker, beside a journal that is good."""
    from gambol.study import read_table
    from gambol.study.journal import JOURNAL_FILE, SHARDS, Journal

    folder = file.with_suffix("")
    (folder / SHARDS).mkdir(parents=True, exist_ok=True)
    (folder / JOURNAL_FILE).write_bytes(journals()[0])
    (folder / SHARDS / file.name).write_bytes(file.read_bytes())
    journal = Journal(folder, {"target": "m:f", "parameters": ["x"]})
    try:
        journal.read_shards()
        return len(journal.done), len(read_table(folder))
    finally:
        journal.close()


def shards() -> list[bytes]:
    """Rows alone."""
    return [journals()[0].split(b"\n", 1)[1]]


# ---------------------------------------------------------------- scenes
SCENE = """<mujoco model="m"><compiler angle="degree"/><option gravity="0 0 -9.8" timestep="0.002"/>
<default><geom friction=".8 .01 .001" solref=".02 1"/></default>
<worldbody><geom name="floor" type="plane" size="5 5 .1"/><site name="mark" pos="0 0 2"/>
<body name="a" pos="0 0 1"><freejoint name="root"/><geom type="box" size=".1 .2 .3" mass="1"/>
<site name="top" pos="0 0 .3" size=".01"/>
<body name="b" pos="0 0 .3" euler="0 10 0"><joint name="knee" axis="0 1 0" range="-60 60" damping=".1" stiffness="2"/>
<geom name="shin" type="capsule" fromto="0 0 0 0 0 .3" size=".05" density="1000"/></body></body></worldbody>
<actuator><motor name="m" joint="knee" gear="3" ctrlrange="-1 1" ctrllimited="true"/>
<position name="p" joint="knee" kp="5"/></actuator>
<equality><weld name="w" body1="a" body2="b" active="false"/></equality>
<contact><exclude body1="a" body2="b"/></contact>
<tendon><fixed name="t"><joint joint="knee" coef=".5"/></fixed></tendon>
<sensor><jointpos joint="knee"/></sensor>
<keyframe><key name="up" qpos="0 0 1 1 0 0 0 .2" time="0"/></keyframe></mujoco>"""
MOTORS = """gambol: figure/1
name: cart
batteries:
  - {name: pack, voltage: 12.0, resistance: 0.1}
bodies:
  - name: base
    joint: {type: free}
    parts: [{box: {size: [0.3, 0.2, 0.1]}, density: 500.0, placement: {position: [0, 0, 0.1]}}]
  - name: wheel
    parent: base
    joint: {type: hinge, axis: [0, 1, 0], motor: {torque_constant: 0.05, resistance: 0.5, gear: 20.0, battery: pack}}
    placement: {position: [0.1, 0, 0], euler: [0, 10, 0]}
    parts: [{cylinder: {radius: 0.05, length: 0.02}, density: 800.0}]
"""


def read_scene_file(file: Path) -> Any:
    """Everything of a scene but its compiled world."""
    from gambol import read_scene

    scene = read_scene(file)
    scene.remarks()
    return len(scene.world.elements), sorted(scene.poses), len(scene.channels())


# ---------------------------------------------------------------- measured motion
TRC = (
    "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t3\t2\tmm\n"
    "Frame#\tTime\tA\t\t\tB knee\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
    "1\t0.0\t1000\t2000\t3000\t1\t2\t3\n2\t0.02\t1000\t\t3000\t1\t2\t3.5\n3\t0.04\t1000\t2001\t3000\t1\t2\t4\n"
)
MOT = """walk
version=1
nRows=3
nColumns=3
inDegrees=yes
endheader
time\thip/angle\tslide
0.00\t10.5\t0.1
0.01\t11.5\t0.2
0.02\t12.5\t0.3
"""
MARKER_TABLE = "time [s],A x [mm],A y [mm],A z [mm]\n0,1,2,3\n0.1,1.5,,3\n0.2,2,2.5,3\n"
COORDINATE_TABLE = "time [s],hip angle [deg],slide [m]\n0,1,2\n0.1,1.5,2.5\n0.2,2,3e-3\n"
PLACES = """LASI: {body: pelvis, at: [0.1, 0.12, 0.05], weight: 1}
RKNE: {body: thigh, at: [0.0, -0.05, -0.4]}
C7: neck
"""


def read_motion_file(file: Path) -> Any:
    """A motion, its rate, and a part of it."""
    from gambol.motion import read_motion

    found = read_motion(file)
    found.between(float(found.time[0]), float(found.time[-1]))
    return found.names, found.rate, found.duration


def read_places_file(file: Path) -> Any:
    """Markers on bodies."""
    from gambol.motion import read_places

    return sorted(read_places(file))


# ---------------------------------------------------------------- directions, control states, sections
DIRECTIONS = """orders:
  - wait: 1
  - walk to: [0.2, 0.1]
  - {turn: 90°}
  - go: {speed: 0.05, heading: 0, seconds: 2}
  - follow: [[0.3, 0.1], [0.3, 0.3]]
  - walk to: {place: [1, 2], speed: 0.1, within: 0.05}
  - stop
"""
CONTROL = "rest: {hip: 0.1, knee: -0.4, ankle: 1e-3}\nstrength: {hip: 20.0, knee: 15}\n"
SECTIONS = """model = bouncing-ball;
section_apex = speed falling;
section_half = height - 0.5 * sqrt(abs(t - 2 ** 0.5)) rising;
section_any = sin(pi * t) + cos(gravity * height) / 3;
finalTime = 0.1; recordPeriod = 0.01; dataBaseName = "ball"; maxSectionCount = 4;
"""


def read_directions_file(file: Path) -> Any:
    """Orders, in words."""
    from gambol.control.directing.script import read_directions

    return [str(order) for order in read_directions(file)]


def read_control_state(file: Path) -> Any:
    """Rest angles and strengths."""
    from gambol import ControlState

    found = ControlState.read(file)
    return found.mixed(found, 0.5)


def read_sections(file: Path) -> Any:
    """A configuration, and what its sections are worth where a ball begins; nothing is compiled."""
    from gambol.hybrid.simsect.configuration import read_configuration

    configuration = read_configuration(file)
    parameters = configuration.system.p
    values = []
    for section in configuration.sections.values():
        try:
            values.append(section.section.function(0, 0.25, [1.0] * 8, parameters))
        except (ArithmeticError, ValueError):  # as compiled code it is an infinity or a NaN
            continue
    return len(values)


# ---------------------------------------------------------------- what the viewer is sent, and locks
MESSAGES = tuple(
    json.dumps(message).encode()
    for message in (
        {"do": "look", "overlays": ["joints", "path"], "plots": ["energy"]},
        {"do": "drive"},
        {"do": "step", "by": 1},
        {"do": "seek", "time": 0.25},
        {"do": "speed", "name": "1/4"},
        {"do": "loop", "on": True},
        {"do": "set", "label": "gravity", "value": 3.5},
        {"do": "grab", "body": 1, "at": [0.1, 0.2, 0.3]},
        {"do": "pull", "to": [0.1, 0.2, 0.3]},
        {"do": "push", "body": 0, "at": [0, 0, 0], "way": [1, 0, 0], "newtons": 5.0, "seconds": 0.1},
        {"do": "pin", "body": 1, "at": [0, 0, 0]},
        {"do": "steer", "ahead": 1, "turn": 0, "first": True},
        {"do": "goto", "x": 1.5, "y": -2},
        {"do": "undo"},
        {"do": "resume"},
    )
)
LOCK = json.dumps({"user": "ann", "host": socket.gethostname(), "process": 4711, "since": "2026-01-01T00:00:00+00:00"})


@functools.cache
def _viewer() -> Any:
    """One that was not started, and its one browser, which drives."""
    from gambol import Joint, World, chain
    from gambol.view import LiveSource, Viewer
    from gambol.view.server import Client

    viewer, client = Viewer(LiveSource.of(World(chain(2, Joint("hinge", (0, 1, 0))))), port=0), Client(1, None)
    viewer.driver = client.number
    return viewer, client


def read_message(file: Path) -> Any:
    """As the server takes a message from a browser, and the player acts on it: done, or the browser is let go."""
    from gambol.view.guard import NOT_UNDERSTOOD, understood

    viewer, client = _viewer()
    try:
        viewer.received(client, understood(file.read_bytes()))
    except NOT_UNDERSTOOD:
        return "let go"
    player = viewer.player
    player._act()
    player._move_to(player.source.last + 0.02)
    viewer.desk.read()
    state = json.dumps(viewer.desk.state())
    player.restart()
    player._act()
    viewer.driver = client.number
    return "fault" if "Stopped" in state else "done"


def read_lock(file: Path) -> Any:
    """The lock of a recording that its owner left: taken over, or its owner is named."""
    from gambol.record.lock import WriterLock

    file.replace(file.with_name(".a.gambol.lock"))
    WriterLock(file.with_name("a.gambol")).release()
    return "taken"


# ---------------------------------------------------------------- objects
OBJECT = """# a wedge
6 5
0 0 0
1 0 0
1 1 0
0 1 0
0 0 1
1 0 1
4 4 3 2 1
4 1 2 6 5
3 2 3 6
3 4 1 5
4 3 4 5 6
"""
OBJ = "mtllib a.mtl\no wedge\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def read_object_file(file: Path) -> Any:
    """Points and polygons."""
    from gambol.corpus.object_files import read_object

    return len(read_object(file).faces)


def read_mesh_file(file: Path) -> Any:
    """A figure of one body that is a mesh, its mass included."""
    figure = file.with_name("figure.yaml")
    name = json.dumps(file.name)
    figure.write_text(f"gambol: figure/1\nname: f\nbodies:\n  - {{name: a, parts: [{{mesh: {{file: {name}}}}}]}}\n")
    return read_figure(figure)
