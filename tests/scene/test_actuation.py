"""Muscles, tendons around things, lagging motors, water: forces as MuJoCo has them, in poses of all kinds."""

import mujoco
import numpy as np
import pytest

from gambol import Cable, Drag, ExportWarning, PointForce, read_scene
from gambol.export import export_file
from gambol.figure.mjcf import read_mjcf_figures
from gambol.scene.mjcf import SceneReader, places

ARM = """
<mujoco model="arm">
  <option density="900" viscosity="0.3" wind="0.2 -0.1 0.4" timestep="0.0005"><flag contact="disable"/></option>
  <worldbody>
    <site name="wall" pos="-0.2 0.1 0.3"/>
    <geom name="post" type="cylinder" size="0.06 1" pos="0.05 0.05 0.4" euler="70 20 0"/>
    <site name="beside post" pos="0.05 0.2 0.4"/>
    <body name="upper" gravcomp="0.5">
      <joint name="yaw" axis="0 0 1" ref="15"/><joint name="lift" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.04" density="600"/>
      <geom name="elbow ball" type="sphere" size="0.07" pos="0.5 0 0" mass="0.05"/>
      <geom name="sleeve" type="cylinder" size="0.05 0.02" pos="0.3 0.02 0.08" euler="90 0 0" mass="0.05"/>
      <site name="in sleeve" pos="0.3 0.02 0.08"/>
      <site name="shoulder" pos="0.1 0 0.06"/><site name="over" pos="0.5 0 0.2"/>
      <site name="under" pos="0.45 0.03 -0.12"/>
      <body name="lower" pos="0.5 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.2"/><joint name="twist" axis="1 0 0"/>
        <geom type="box" size="0.2 0.03 0.02" pos="0.2 0 0" density="700"/>
        <site name="wrist" pos="0.35 0.01 0.04"/><site name="palm" pos="0.2 0 -0.05"/>
      </body>
    </body>
    <body name="weight" pos="0 -1 0"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3" density="950"/>
      <site name="hook" pos="0 0 0.3"/></body>
  </worldbody>
  <tendon>
    <spatial name="flexor"><site site="shoulder"/><geom geom="elbow ball" sidesite="over"/>
      <site site="wrist"/></spatial>
    <spatial name="extensor"><site site="shoulder"/><geom geom="elbow ball" sidesite="under"/>
      <site site="palm"/></spatial>
    <spatial name="sling" stiffness="30" springlength="0.2 0.5" damping="0.7"><site site="wall"/>
      <geom geom="post" sidesite="beside post"/><site site="wrist"/></spatial>
    <spatial name="hoist" stiffness="12" damping="0.3"><site site="hook"/><site site="wall"/><pulley divisor="2"/>
      <site site="wall"/><geom geom="elbow ball"/><site site="palm"/><pulley divisor="4"/>
      <site site="hook"/><site site="over"/></spatial>
    <spatial name="threaded"><site site="shoulder"/><geom geom="sleeve" sidesite="in sleeve"/>
      <site site="wrist"/></spatial>
    <fixed name="both"><joint joint="lift" coef="0.4"/><joint joint="elbow" coef="-0.3"/></fixed>
  </tendon>
  <actuator>
    <muscle name="biceps" tendon="flexor" force="60" lengthrange="0.3 0.8"/>
    <muscle name="triceps" tendon="extensor" scale="300" lengthrange="0.2 0.9" timeconst="0.02 0.05" tausmooth="0.3"/>
    <muscle name="short" joint="elbow" force="9" lengthrange="-1 1" gear="-0.7" forcerange="-4 0"/>
    <general name="hoist" tendon="threaded" gainprm="-8" biastype="affine" biasprm="1 -3 -0.5" dyntype="filter"
      dynprm="0.05" actlimited="true" actrange="0 0.9"/>
    <general name="slow" joint="yaw" gaintype="affine" gainprm="2 0.3 -0.1" dyntype="integrator" gear="1.5"/>
    <position name="pose" tendon="both" kp="5" timeconst="0.1"/>
  </actuator>
  <keyframe><key name="bent" qpos="0.2 0.1 0.6 0.2 0 -1 0 1 0 0 0" act="0.3 0.6 0.2 0.5 0.1 0.05"
    ctrl="0.9 0.1 0.7 0.8 -0.3 0.2"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def arm():
    found = read_mjcf_figures(ARM)
    scene = read_scene(ARM)
    return found.model, SceneReader(found), scene, scene.simulation("bent")


def put(arm, data, sim):
    """The simulation at MuJoCo's positions, speeds, inputs and activations."""
    _, reader, scene, _ = arm
    pose = reader.pose(scene.world, data.qpos, data.qvel, data.ctrl, data.act)
    sim.reset(pose.q, pose.v)
    for name, given in pose.inputs.items():
        scene.drive(sim, name, given)
        sim.elements[name].states = [pose.activations[name]]


def test_everything_arrives(arm):
    _, _, scene, _ = arm
    kinds = [type(e).__name__ for e in scene.world.forces]
    assert (kinds.count("Cable"), kinds.count("Drag"), kinds.count("PointForce")) == (8, 3, 1)
    assert set(scene.left_out) == {"ref of joints (positions are measured from it)"}
    assert list(scene.motors) == ["biceps", "triceps", "short", "hoist", "slow", "pose"]
    assert {"hoist", "hoist 2"} <= {e.name for e in scene.world.forces}  # the tendon of that name comes after its motor
    assert {type(e) for e in scene.world.forces} <= {Cable, Drag, PointForce}


def test_an_export_tells_what_it_does_not_hold(arm, tmp_path):
    with pytest.warns(ExportWarning, match="left out: .*8 of kind Cable; 3 of kind Drag; 1 of kind PointForce"):
        export_file(arm[2], tmp_path / "arm.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    assert {"upper", "lower", "weight"} <= {model.body(k).name for k in range(model.nbody)}


def test_forces_lengths_and_accelerations_are_mujocos(arm):
    """Thirty poses, so that every cable both touches what it goes around and passes clear of it."""
    model, reader, scene, sim = arm
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    _, speeds = places(scene.world.layout)
    touched = set()
    for _ in range(30):
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, rng.normal(0.0, 0.8, model.nv), 1.0)
        data.qvel[:], data.ctrl[:] = rng.normal(size=model.nv), rng.uniform(-0.5, 1.2, model.nu)
        data.act[:] = rng.uniform(0.0, 0.9, model.na)
        mujoco.mj_forward(model, data)
        put(arm, data, sim)
        for k in range(model.nu):
            told = sim.elements[model.actuator(k).name].report()
            gear = model.actuator_gear[k, 0]
            assert gear * told["length"][0] == pytest.approx(data.actuator_length[k], abs=1e-9)
            assert -told["tension"][0] == pytest.approx(gear * data.actuator_force[k], rel=1e-6, abs=1e-6)
        for t in range(model.ntendon):
            first = data.ten_wrapadr[t]
            around = np.any(data.wrap_obj.ravel()[first : first + data.ten_wrapnum[t]] >= 0)
            touched.add((model.tendon(t).name, bool(around)))
        rates = np.zeros(len(sim.v))
        for j, name in reader.found.joints.items():
            first = model.jnt_dofadr[j]
            if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                turn = data.body("weight").xmat.reshape(3, 3)
                rates[speeds[name]] = [*(turn @ data.qacc[first + 3 : first + 6]), *data.qacc[first : first + 3]]
            else:
                rates[speeds[name]] = data.qacc[first]
        np.testing.assert_allclose(sim.acceleration, rates, atol=1e-6 * np.abs(rates).max())
    for name in ("flexor", "extensor", "sling", "hoist", "threaded"):
        assert {(name, True), (name, False)} <= touched


def test_a_fifth_of_a_second_later(arm):
    """Activations follow their inputs, and the whole goes where MuJoCo's goes."""
    model, reader, scene, sim = arm
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    put(arm, data, sim)
    while data.time < 0.2 - 1e-9:
        mujoco.mj_step(model, data)
    sim.run(0.2)
    active = [sim.elements[model.actuator(k).name].states[0] for k in range(model.nu)]
    np.testing.assert_allclose(active, data.act, atol=2e-3)
    pose = reader.pose(scene.world, data.qpos, data.qvel, data.ctrl, data.act)
    np.testing.assert_allclose(sim.q, pose.q, atol=0.01)


def test_a_joint_follows_a_polynomial_of_another():
    text = """<mujoco><option gravity="0 0 0"/><worldbody>
      <body name="a"><joint name="i" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body>
      <body name="b" pos="0 1 0"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>
      <actuator><position name="turn" joint="j" kp="40" kv="8"/></actuator>
      <equality><joint joint1="i" joint2="j" polycoef="0.1 0.5 -0.8 0.3 0.2"/></equality></mujoco>"""
    scene = read_scene(text)
    assert not scene.left_out
    sim = scene.simulation()
    scene.drive(sim, "turn", 0.7)
    sim.run(3.0)
    i, j = sim.q
    assert j == pytest.approx(0.7, abs=1e-3)
    assert i == pytest.approx(0.1 + 0.5 * j - 0.8 * j**2 + 0.3 * j**3 + 0.2 * j**4, abs=1e-4)
