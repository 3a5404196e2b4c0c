"""Model files as worlds to run: motors, couplings, contacts, poses and frames arrive by name."""

import re
import warnings

import numpy as np
import pytest

from gambol import (
    Actuator,
    BodyContact,
    Cable,
    Closure,
    ExportWarning,
    GroundContact,
    Join,
    Tendon,
    TendonActuator,
    Via,
    WorldError,
    box_figure,
    read_scene,
)
from gambol.export import export_file

mujoco = pytest.importorskip("mujoco")

LEG = """
<mujoco model="leg">
  <option timestep="0.002" gravity="0 0 -9.8"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" pos="0 0 0.1" friction="0.7 0 0"/>
    <geom name="step" type="box" size="0.1 0.1 0.1" pos="3 0 0.2"/>
    <site name="goal" pos="1 2 3"/>
    <body name="trunk" pos="0 0 0.9" euler="0 0 30">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.1 0.1"/>
      <site name="chest" pos="0 0 0.1"/>
      <body name="thigh" pos="0 0 -0.1">
        <joint name="hip" axis="0 1 0" ref="10" damping="1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.04"/>
        <body name="shin" pos="0 0 -0.3">
          <joint name="knee" axis="0 1 0" range="-150 0" limited="true" damping="1"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
          <geom name="foot" type="box" size="0.15 0.1 0.02" pos="0.02 0 -0.3"/>
        </body>
      </body>
    </body>
    <body name="flap" pos="2 0 1"><joint name="swing" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.3"/></body>
    <body name="gear" pos="2 1 1"><joint name="turn" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.2"/></body>
    <body name="bob" pos="2 2 1"><freejoint/><geom size="0.05"/><site name="eye"/></body>
    <body name="stone" pos="4 4 1"><freejoint/><geom size="0.05" contype="2" conaffinity="2"/></body>
  </worldbody>
  <contact><exclude body1="trunk" body2="shin"/></contact>
  <tendon>
    <spatial name="string" limited="true" range="0 2.3"><site site="goal"/><site site="eye"/></spatial>
    <fixed name="band" stiffness="5" springlength="0.1"><joint joint="hip" coef="0.5"/><joint joint="knee" coef="1"/>
    </fixed>
  </tendon>
  <equality>
    <joint name="meshing" joint1="swing" joint2="turn" polycoef="0 2 0 0 0"/>
    <weld name="glue" body1="stone" body2="bob" active="false"/>
    <connect name="pin" body1="stone" anchor="0 0 0.2"/>
  </equality>
  <actuator>
    <position name="hip servo" joint="hip" kp="300" kv="10" ctrlrange="-1 1" forcerange="-80 80"/>
    <motor name="knee torque" joint="knee" gear="5" ctrlrange="-1 1"/>
    <velocity name="flap speed" joint="swing" kv="2" gear="2"/>
    <muscle name="calf" joint="knee"/>
  </actuator>
  <sensor><jointpos name="hip angle" joint="hip"/><framepos name="chest place" objtype="site" objname="chest"/>
    <touch name="sole" site="chest"/></sensor>
  <keyframe><key name="crouch" qpos="0 0 0.83 1 0 0 0  0.5 -0.6  0.1 0.05  2 2 1 1 0 0 0  4 4 1 1 0 0 0"
    ctrl="0.5 -0.2 3 0.4" act="0.2"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def scene():
    return read_scene(LEG)


def one(scene, kind, name=""):
    """The only element of a kind, or the one of that name."""
    (found,) = [e for e in scene.world.elements if isinstance(e, kind) and name in e.name]
    return found


def test_motors_arrive_by_name_with_gear_and_limits(scene):
    zero = np.deg2rad(10)  # the ref of the hip
    hip, knee, flap = (one(scene, Actuator, name) for name in ("hip servo", "knee torque", "flap speed"))
    assert (hip.joint, hip.stiffness, hip.damping, hip.least, hip.most) == ("trunk/thigh", 300, 10, -80, 80)
    assert hip.rest == pytest.approx(-zero)
    assert (knee.joint, knee.command, knee.most) == ("trunk/shin", 0.0, np.inf)
    assert flap.damping == pytest.approx(2 * 2**2) and flap.stiffness == 0.0
    assert scene.motors["hip servo"].value(3.0) == pytest.approx(1.0 - zero)  # held within the ctrlrange
    assert scene.motors["knee torque"].value(-0.2) == pytest.approx(-1.0)
    assert scene.motors["flap speed"].value(3.0) == pytest.approx(1.5)


def test_couplings_strings_and_joined_points(scene):
    assert one(scene, Tendon, "meshing").arms == {"flap/flap": 1.0, "gear/gear": -2.0}
    band = one(scene, Tendon, "band")
    assert band.arms == {"trunk/thigh": 0.5, "trunk/shin": 1.0} and not band.pulls_only
    assert band.rest == pytest.approx(0.1 - 0.5 * np.deg2rad(10))
    string = one(scene, Cable, "string")
    assert string.path == (Via("", (1.0, 2.0, 3.0)), Via("bob/bob")) and (string.least, string.most) == (0.0, 2.3)
    (pin,) = scene.world.constraints
    assert isinstance(pin, Join) and pin.point == (0, 0, 0.2) and pin.at == pytest.approx((4, 4, 1.2))
    text = LEG.replace(' active="false"', "")
    (weld,) = [c for c in read_scene(text).world.constraints if isinstance(c, Closure)]
    assert {weld.body, weld.to} == {"bob/bob", "stone/stone"}


@pytest.mark.parametrize("one, two", (("chest", "eye"), ("goal", "eye"), ("eye", "goal")))
def test_constraints_between_sites_hold_what_the_sites_are(one, two):
    """Ends of a `connect` and frames of a `weld` are those of the two sites, also where one stands in the world."""
    ends = f'site1="{one}" site2="{two}"'
    text = LEG.replace("</equality>", f'<connect name="c" {ends}/><weld name="w" {ends}/></equality>')
    text = re.sub(
        r"<(muscle|key) .*?/>", "", text, flags=re.DOTALL
    )  # MuJoCo would look for the muscle's range for minutes
    scene = read_scene(text)
    join, closure = (next(c for c in scene.world.constraints if c.name == name) for name in "cw")
    sites = {(frame.body, frame.placement) for name, frame in scene.frames.items() if name in (one, two)}
    assert {(closure.body, closure.place), (closure.to or "", closure.at)} == sites
    assert {(join.body, join.point), (join.to or "", join.at)} == {(body, at.position) for body, at in sites}


def test_what_touches_the_ground_and_what_touches_one_another(scene):
    assert scene.world.terrain.level == 0.1
    grounds = [e for e in scene.world.elements if isinstance(e, GroundContact)]
    assert {e.body for e in grounds} == {
        "trunk/trunk",
        "trunk/thigh",
        "trunk/shin",
        "flap/flap",
        "gear/gear",
        "bob/bob",
    }
    assert {e.surface.friction for e in grounds} == {1.0}  # the larger of a geom's and the floor's
    pairs = {frozenset((e.body, e.other)) for e in scene.world.elements if isinstance(e, BodyContact)}
    assert frozenset(("trunk/trunk", "trunk/shin")) not in pairs  # excluded
    assert frozenset(("trunk/thigh", "trunk/shin")) not in pairs  # joined
    assert frozenset(("trunk/trunk", "world/world")) in pairs  # the step
    assert not any("stone/stone" in pair for pair in pairs)  # its masks match nothing


def test_keyframes_frames_sensors_and_what_is_left_out(scene):
    assert list(scene.poses) == ["start", "crouch"] and scene.timestep == 0.002
    assert scene.world.gravity == pytest.approx((0, 0, -9.8))
    assert scene.frames["goal"].body == "" and scene.frames["chest"].placement.position == (0, 0, 0.1)
    assert not any("actuators" in kind for kind in scene.left_out)
    assert scene.left_out["equality constraints that are switched off"] == ("glue",)
    assert scene.left_out["sensors of other kinds"] == ("sole",)
    assert any("left out" in remark for remark in scene.remarks())
    with pytest.raises(WorldError, match="no pose 'crotch'; did you mean 'crouch'"):
        scene.pose("crotch")
    with pytest.raises(WorldError, match="no motor 'hip'"):
        scene.drive(None, "hip", 1.0)


def test_it_begins_and_goes_on_where_mujoco_does(scene):
    """Half a second of standing, falling, swinging and dangling, each body within 2 cm of where MuJoCo has it."""
    model = mujoco.MjModel.from_xml_string(LEG)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    sim = scene.simulation("crouch")
    sensors = {channel.name: channel for channel in scene.channels()}
    for duration in (0.0, 0.5):
        while data.time < duration - 1e-9:
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        sim.run(duration)
        places, first = {}, 0
        for figure in scene.figures:
            poses = figure.poses(sim.q[first : first + figure.positions])
            first += figure.positions
            places |= {b.name: poses[b.name].apply(b.mass_properties.centre) for b in figure.bodies}
        for k in range(1, model.nbody):
            limit = 1e-9 if duration == 0 else 0.02
            np.testing.assert_allclose(
                places[model.body(k).name], data.xipos[k], atol=limit, err_msg=model.body(k).name
            )
        assert sensors["hip_angle"].read(sim) == pytest.approx(data.sensor("hip angle").data[0], abs=0.02)
        np.testing.assert_allclose(sensors["chest_place"].read(sim), data.sensor("chest place").data, atol=0.02)


def test_a_figure_without_ground_gets_one(tmp_path):
    box_figure((0.2, 0.2, 0.2)).write(tmp_path / "box.yaml")
    scene = read_scene(tmp_path / "box.yaml", root="free", ground="under")
    assert scene.world.terrain.level == pytest.approx(-0.1) and one(scene, GroundContact)
    assert any("ground at -0.1 m" in note for note in scene.notes)
    assert not read_scene(LEG, ground="none").world.terrain.level
    with pytest.raises(WorldError, match="the ground is none, under, or a height"):
        read_scene(tmp_path / "box.yaml", ground="below")


URDF = """<robot name="grip">
  <link name="palm"/>
  {fingers}
</robot>"""
FINGER = """<link name="{0}"><inertial><origin xyz="0.1 0 0"/><mass value="0.1"/>
  <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="{0} joint" type="revolute"><parent link="palm"/><child link="{0}"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="4" velocity="0"/>{1}</joint>"""


def test_urdf_joints_get_motors_and_mimic_one_another():
    fingers = FINGER.format("a", "") + FINGER.format("b", '<mimic joint="a joint" multiplier="-1" offset="0.1"/>')
    scene = read_scene(URDF.format(fingers=fingers), root="fixed")
    assert list(scene.motors) == ["a joint"] and scene.motors["a joint"].value(9.0) == 4.0
    mimic = one(scene, Tendon)
    assert mimic.arms == {"grip/b": 1.0, "grip/a": 1.0} and mimic.rest == 0.1
    assert scene.figures[0].root.joint.type == "fixed"
    assert scene.left_out == {
        "effort limits of joints that mimic, are driven or have several coordinates": ("b joint",)
    }


def test_balanced_links_stop_and_mimic_too():
    """Wheels about their own middles: no weight presses on their joints, but they have to be stopped."""
    wheel = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="0 1 0"/>{3}</joint>'
    limit = '<limit lower="-0.3" upper="0.3" effort="10" velocity="9"/>'
    mimic = '<limit lower="-3" upper="3" effort="9" velocity="1"/><mimic joint="j" multiplier="2" offset="0.1"/>'
    links = f'<link name="world"/><link name="a">{wheel}</link><link name="b">{wheel}</link>'
    robot = links + joint.format("j", "world", "a", limit) + joint.format("k", "a", "b", mimic)
    scene = read_scene(f'<robot name="r">{robot}</robot>')
    sim = scene.simulation()
    scene.drive(sim, "j", 5.0)
    path = sim.run(1.0, every=0.01)
    # 1.65 J arrive at a stop of 760 N·m/rad: 0.07 rad; with stops for the weight alone, more than a radian
    assert 0.3 < path.q[:, 0].max() < 0.4
    assert np.abs(path.q[5:, 1] - 2.0 * path.q[5:, 0] - 0.1).max() < 0.02


def test_several_roots_of_urdf_are_several_figures_and_a_world_link_stands_still():
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = "".join(f'<link name="{name}">{inertia}</link>' for name in ("world", "lamp", "rock"))
    joint = '<joint name="nod" type="continuous"><parent link="world"/><child link="lamp"/></joint>'
    scene = read_scene(f'<robot name="things">{text}<link name="empty"/>{joint}</robot>')
    assert {f.name: f.root.joint.type for f in scene.figures} == {"world": "fixed", "rock": "free"}
    assert scene.left_out == {"links with nothing in them": ("empty",)}
    assert [f.name for f in read_scene(f"<robot>{text}{joint}</robot>", root_body="rock").figures] == ["figure"]


def test_a_urdf_leaves_as_it_came(tmp_path):
    """Motors with their limits, joints that mimic, ranges, masses; what is not held is counted."""
    fingers = FINGER.format("a", "") + FINGER.format("b", '<mimic joint="a joint" multiplier="-1" offset="0.1"/>')
    scene = read_scene(URDF.format(fingers=fingers), root="fixed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export_file(scene, tmp_path / "grip.urdf")
    again = read_scene(tmp_path / "grip.urdf", root="fixed")
    assert {m.high for m in again.motors.values()} == {4.0} and list(again.motors) == [
        "a"
    ]  # joints are called as bodies
    one_way, back = one(scene, Tendon), one(again, Tendon)
    assert back.arms == one_way.arms and back.rest == one_way.rest
    for name in ("a", "b"):
        ours, theirs = (s.figures[0][name] for s in (scene, again))
        assert ours.joint.range == theirs.joint.range and ours.mass.mass == theirs.mass.mass
    with pytest.warns(ExportWarning, match=r"left out: 1 of kind Actuator; 1 of kind Tendon$"):
        export_file(scene, tmp_path / "grip.yaml")


def test_what_an_export_of_a_scene_does_not_hold_is_counted(scene, tmp_path):
    motors = r"2 of kind Actuator; 2 of kind Cable; .*1 start poses; 3 sites; the ground; gravity; 2 sensors"
    for suffix, more in (("yaml", motors.replace("2 of", "3 of", 1)), ("urdf", motors)):
        with pytest.warns(ExportWarning) as caught:
            export_file(scene, tmp_path / f"leg.{suffix}")
        assert any(re.search(more, str(w.message)) for w in caught), [str(w.message) for w in caught]
    with pytest.warns(ExportWarning, match=r"friction, stiffness and partners of \d+ contacts.*; 2 sensors"):
        export_file(scene, tmp_path / "leg.xml")
    assert dict(read_scene(tmp_path / "leg.xml").frames).keys() == scene.frames.keys()


SPINE = """<mujoco model="figure"><worldbody>
  <body name="a"><joint name="i" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/>
  <body name="b" pos="0.3 0 0"><joint name="j" axis="0 1 0" ref="20"/><geom size="0.1" pos="0.2 0 0"/></body></body>
  </worldbody><tendon><fixed name="t"><joint joint="i" coef="0.5"/><joint joint="j" coef="2"/></fixed></tendon>
  <actuator><position name="bend" tendon="t" kp="40" kv="3" gear="2" forcerange="-9 9"/></actuator>
  <equality><tendon name="stay" tendon1="t" polycoef="0.1 0 0 0 0"/></equality></mujoco>"""


def test_actuators_and_constraints_on_tendons_over_several_joints():
    scene = read_scene(SPINE)
    bend, stay = (one(scene, TendonActuator, name) for name in ("bend", "stay"))
    assert bend.arms == {"figure/a": 1.0, "figure/b": 4.0} and (bend.stiffness, bend.damping, bend.most) == (40, 3, 9)
    assert scene.motors["bend"].value(1.0) == pytest.approx(1.0 - 4.0 * np.deg2rad(20))
    assert stay.arms == {"figure/a": 0.5, "figure/b": 2.0} and stay.rest == 0.1
    assert set(scene.left_out) == {"ref of joints (positions are measured from it)"}
