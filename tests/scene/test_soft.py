"""Soft constraints: stops and contacts as deep and as stiff as MuJoCo's."""

import mujoco
import numpy as np
import pytest

from gambol import BodyContact, GroundContact, JointLimit, read_scene

HEAP = """<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 1" margin="0.01"/>
    <body name="ball" pos="0 0 0.111"><freejoint/><geom size="0.1" margin="0.002" solimp="{impedance}"/></body>
    <body name="foot" pos="1 0 0.5"><joint type="slide" axis="0 0 1"/><geom size="0.1" mass="20"/>
      <body name="sole" pos="0 0 -0.3"><joint type="slide" axis="0 0 1" range="-0.05 0.05" limited="true"/>
        <geom type="box" size="0.1 0.1 0.1" mass="0.5" solimp="{impedance}"/></body></body>
  </worldbody></mujoco>"""


def settled(text, duration):
    """Heights of the bodies here and in MuJoCo, after a while."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    while data.time < duration:
        mujoco.mj_step(model, data)
    scene = read_scene(text)
    sim = scene.simulation()
    sim.run(duration)
    names = [model.body(k).name for k in range(1, model.nbody)]
    return scene, {n: (sim.bodies[n].point((0, 0, 0))[2], data.body(n).xpos[2]) for n in names}


@pytest.mark.parametrize("impedance", ("0.9 0.95 0.001", "0.2 0.98 0.004"))
def test_what_lies_on_the_ground_lies_as_deep(impedance):
    """A ball by itself, in its margins of 12 mm, and a light sole under a heavy foot."""
    scene, heights = settled(HEAP.format(impedance=impedance), 2.0)
    for name, (here, there) in heights.items():
        assert here == pytest.approx(there, abs=1e-3), name
    (ball,) = [e for e in scene.world.forces if isinstance(e, GroundContact) and e.body == "ball/ball"]
    assert ball.radius == pytest.approx(0.112)
    (pair,) = [e for e in scene.world.forces if isinstance(e, BodyContact) and "ball" in e.name and "sole" in e.name]
    assert pair.margin == pytest.approx(0.002)


BALL = """<mujoco><option cone="{cone}" impratio="{ratio}"/>
  <default><geom friction="{friction}" condim="{condim}"/></default>
  <worldbody><geom type="plane" size="5 5 1"/><body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1"/></body>
  </worldbody></mujoco>"""


@pytest.mark.parametrize(
    "cone, ratio, friction, condim",
    [("pyramidal", 1, 0.4, 3), ("pyramidal", 3, 0.7, 4), ("pyramidal", 1, 2.0, 6), ("elliptic", 1, 0.4, 3)],
)
def test_a_pyramid_of_friction_carries_as_mujocos(cone, ratio, friction, condim):
    """Its edges, not its normal, are soft: how deep a ball lies depends on friction."""
    _, heights = settled(BALL.format(cone=cone, ratio=ratio, friction=friction, condim=condim), 1.0)
    here, there = heights["ball"]
    assert 0.1 - here == pytest.approx(0.1 - there, rel=0.05)


def test_a_stop_far_beyond_its_range_pushes_as_mujocos():
    """The impedance grows from 0 to 0.99 over 0.01 rad: the stop is a hundred times as stiff behind that."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body name="rod">
      <joint name="j" axis="0 1 0" range="30 60" limited="true" solimplimit="0 0.99 0.01" damping="{damping}"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/></body></worldbody>
      <actuator><motor name="push" joint="j"/></actuator>
      <keyframe><key name="held" qpos="0.5" ctrl="-40"/></keyframe></mujoco>"""
    text = text.format(damping=1)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    while data.time < 2.0:
        mujoco.mj_step(model, data)
    scene = read_scene(text)
    firm = [e for e in scene.world.forces if isinstance(e, JointLimit) and "firm" in e.name]
    assert len(firm) == 1 and firm[0].lower == pytest.approx(np.deg2rad(30) - 0.005)
    sim = scene.simulation("held")
    sim.run(2.0)
    violation = np.deg2rad(30) - data.qpos[0]
    assert violation > 1e-3 and np.deg2rad(30) - sim.q[0] == pytest.approx(violation, abs=5e-3)


def test_links_of_capsules_do_not_press_on_the_joint_between_them():
    text = """<mujoco><worldbody><body name="post"><geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.05"/>
      <body name="rod" pos="0 0 0.5"><joint type="ball"/><geom type="capsule" fromto="0 0 0 {end}" size="0.04"/>
      </body></body></worldbody></mujoco>"""
    kinds = lambda end: [type(e) for e in read_scene(text.format(end=end)).world.forces]
    assert BodyContact not in kinds("0.4 0 0.1")
    assert BodyContact in [type(e) for e in read_scene(text.replace("0 0 0 {end}", "0.02 0 0 0.4 0 0")).world.forces]
