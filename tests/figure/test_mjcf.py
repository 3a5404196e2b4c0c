import warnings

import numpy as np
import pytest

from gambol import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Figure,
    FigureError,
    FigureImportWarning,
    Joint,
    Mesh,
    Sphere,
    World,
    read_mjcf,
)
from gambol.figure.mjcf import read_mjcf_figures

mujoco = pytest.importorskip("mujoco")

CREATURE = """
<mujoco model="creature">
  <compiler angle="degree"/>
  <default><geom friction="1 0.005 0.0001"/></default>
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.2 0 0  0 0.3 0  0 0 0.4"/>
    <material name="red" rgba="0.8 0.1 0.2 1"/>
  </asset>
  <worldbody>
    <body name="trunk" pos="0.1 0.2 1" euler="10 20 30">
      <freejoint/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.05 0 0" euler="5 0 0" rgba="0.1 0.2 0.3 1"/>
      <geom type="ellipsoid" size="0.1 0.05 0.07" pos="0 0 0.3" material="red"/>
      <body name="thigh" pos="0 0.1 -0.3" euler="0 15 0">
        <joint name="yaw" axis="0 0 1" pos="0.01 0.02 0.03" stiffness="3" springref="10" damping="0.5"/>
        <joint name="roll" axis="1 0 0" pos="-0.02 0.01 0.05" range="-40 60" limited="true" armature="0.02"/>
        <joint name="lift" type="slide" axis="0 1 1" pos="0.3 0 0" range="-0.1 0.2" limited="true"
               ref="0.05" springref="0.08" stiffness="2"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 -0.4" size="0.04"/>
        <geom type="cylinder" size="0.03 0.1" pos="0.1 0 0" contype="0" conaffinity="0" group="4"/>
        <body name="shin" pos="0.1 0 -0.4">
          <joint name="knee" axis="0 1 0" pos="0.02 0 0.01"/>
          <geom type="mesh" mesh="wedge" density="500"/>
          <body name="foot" pos="0 0 -0.3">
            <inertial pos="0.01 0.02 0.03" mass="0.7" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
            <joint name="ankle" type="ball" pos="0 0 0.02" damping="0.1"/>
            <geom type="sphere" size="0.05"/>
            <body name="toe" pos="0.1 0 0"><geom type="sphere" size="0.02"/></body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
WORLD = """
<mujoco>
  <option wind="1 0 0"/>
  <worldbody>
    <light name="sun" pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="a">
      <joint name="j" frictionloss="1" limited="true" range="0 1" margin="0.1"/><site name="tip"/>
      <geom name="g" size="0.1" friction="0.3"/><geom name="h" size="0.1" condim="4"/>
    </body>
    <body name="b"><joint name="k"/><geom size="0.1"/></body>
  </worldbody>
  <actuator><motor name="pull" joint="j"/></actuator>
  <tendon><fixed name="string"><joint joint="j" coef="1"/></fixed></tendon>
  <equality><joint name="gear" joint1="j" joint2="k"/></equality>
</mujoco>
"""


def compiled(text):
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def quiet(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FigureImportWarning)
        return read_mjcf(text, **options)


def test_bodies_stand_and_weigh_as_in_mujoco():
    model, data = compiled(CREATURE)
    figure = quiet(CREATURE)
    rng = np.random.default_rng(5)
    for _ in range(5):
        # Positions are drawn for MuJoCo and carried over, so this also checks what the coordinates mean.
        data.qpos[:] = model.qpos0 + rng.normal(0, 0.5, model.nq)
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_kinematics(model, data)
        q = np.asarray(figure.zero)
        first = figure.root.placement.inverse()
        rotation = figure.root.placement.matrix
        q[0:3] = first.apply(data.qpos[0:3])
        conjugate = np.empty(4)
        mujoco.mju_negQuat(conjugate, np.asarray(figure.root.placement.rotation))
        mujoco.mju_mulQuat(q[3:7], conjugate, data.qpos[3:7])
        q[7:] = (data.qpos - np.concatenate([np.zeros(7), model.qpos0[7:11], np.zeros(4)]))[7:]
        assert np.linalg.det(rotation) == pytest.approx(1.0)
        poses = figure.poses(q)
        for i in range(1, model.nbody):
            name = model.body(i).name
            anchor = np.zeros(3)
            if model.body_jntnum[i]:
                anchor = model.jnt_pos[model.body_jntadr[i] + model.body_jntnum[i] - 1]
            turned = data.xmat[i].reshape(3, 3)
            np.testing.assert_allclose(poses[name].matrix, turned, atol=1e-10)
            np.testing.assert_allclose(poses[name].position, data.xpos[i] + turned @ anchor, atol=1e-10)
            mass = figure[name].mass_properties.moved(poses[name])
            axes = data.ximat[i].reshape(3, 3)
            np.testing.assert_allclose(mass.centre, data.xipos[i], atol=1e-10)
            np.testing.assert_allclose(mass.tensor, axes @ np.diag(model.body_inertia[i]) @ axes.T, atol=1e-10)
            assert mass.mass == model.body_mass[i]


def test_geoms_stand_as_in_mujoco():
    model, data = compiled(CREATURE)
    mujoco.mj_kinematics(model, data)
    figure = quiet(CREATURE)
    poses = figure.poses()
    parts = [(body, part) for body in figure.bodies for part in body.parts]
    assert [type(part.shape) for _, part in parts] == [Box, Ellipsoid, Capsule, Cylinder, Mesh, Sphere, Sphere]
    for g, (body, part) in enumerate(parts):
        place = poses[body.name].compose(part.placement)
        np.testing.assert_allclose(place.position, data.geom_xpos[g], atol=1e-10)
        np.testing.assert_allclose(place.matrix, data.geom_xmat[g].reshape(3, 3), atol=1e-10)
    box, egg, capsule, cylinder, mesh, *_ = (part for _, part in parts)
    assert box.shape.size == (0.2, 0.4, 0.6) and box.colour == (0.1, 0.2, 0.3, 1.0)
    assert egg.colour == (0.8, 0.1, 0.2, 1.0)
    assert capsule.shape.radius == 0.04 and capsule.shape.length == pytest.approx(np.hypot(0.1, 0.4))
    assert not cylinder.colliding and not cylinder.visible and cylinder.shape.length == 0.2
    assert mesh.shape.volume == pytest.approx(0.2 * 0.3 * 0.4 / 6, rel=1e-6)


def test_joints_keep_their_properties_and_order():
    figure = quiet(CREATURE)
    assert figure.names == ("trunk", "thigh__yaw", "thigh__roll", "thigh", "shin", "foot", "toe")
    yaw, roll, lift = (figure[name].joint for name in ("thigh__yaw", "thigh__roll", "thigh"))
    assert yaw == Joint("hinge", (0, 0, 1), stiffness=3.0, rest=np.deg2rad(10), damping=0.5)
    assert roll == Joint("hinge", (1, 0, 0), armature=0.02, range=tuple(np.deg2rad((-40, 60))), stop=roll.stop)
    assert lift.type == "slide" and lift.axis == pytest.approx((0, 0.5**0.5, 0.5**0.5))
    # Measured from ref:
    assert lift.range == pytest.approx((-0.15, 0.15)) and lift.rest == pytest.approx(0.03) and lift.stiffness == 2.0
    assert figure["foot"].joint.type == "ball" and figure["toe"].joint.type == "fixed"
    assert figure.name == "creature"


def test_mass_matrix_agrees_with_mujoco():
    """Kinetic energy of random motions, by differences of poses: joints, frames and inertias all at once."""
    text = CREATURE.replace("<freejoint/>", "").replace(' type="ball"', "").replace('armature="0.02"', "")
    model, data = compiled(text)
    figure = quiet(text)
    rng = np.random.default_rng(0)
    q, v, h = rng.normal(0, 0.4, model.nq), rng.normal(0, 1, model.nv), 1e-6
    data.qpos[:] = model.qpos0 + q
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    if hasattr(data, "qM"):
        mujoco.mj_fullM(model, full, data.qM)
    else:
        mujoco.mj_fullM(model, data, full)
    before, after = figure.poses(q - h * v), figure.poses(q + h * v)
    energy = 0.0
    for body in figure.bodies:
        mass = body.mass_properties
        a, b = before[body.name], after[body.name]
        velocity = (np.asarray(b.apply(mass.centre)) - a.apply(mass.centre)) / (2 * h)
        middle = figure.poses(q)[body.name].matrix
        skew = (b.matrix - a.matrix) / (2 * h) @ middle.T
        omega = middle.T @ np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
        energy += 0.5 * mass.mass * velocity @ velocity + 0.5 * omega @ mass.tensor @ omega
    assert energy == pytest.approx(0.5 * v @ full @ v, rel=1e-7)


def test_what_is_left_out_is_told_once():
    with pytest.warns(FigureImportWarning) as caught:
        figure = read_mjcf(WORLD, root_body="a")
    assert figure.names == ("a",)
    assert len(caught) == 1
    assert caught[0].message.left_out == {
        "margins of joint limits": ("j",),
        "actuators": ("pull",),
        "tendons": ("string",),
        "equality constraints": ("gear",),
        "sites": ("tip",),
        "lights": ("sun",),
        "other bodies": ("b",),
        "geoms of the world": ("floor",),
        "friction coefficients of geoms": ("g",),
        "contact settings of geoms": ("h",),
        "friction against turning and rolling (condim)": ("h",),
        "gravity and medium of the world": (),
    }
    assert "actuators (pull); tendons (string)" in str(caught[0].message)


def test_a_plain_model_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_mjcf('<mujoco><worldbody><body name="a"><joint/><geom size="1"/></body></worldbody></mujoco>')


def test_several_roots_and_unknown_ones():
    with pytest.raises(FigureError, match="2 bodies of the world move: a, b; choose one with root_body="):
        read_mjcf(WORLD)
    with pytest.raises(FigureError, match="no body 'c' stands in the world"):
        read_mjcf(WORLD, root_body="c")
    with pytest.raises(FigureError, match="there is no body and no shape in the world"):
        read_mjcf("<mujoco><worldbody/></mujoco>")


def test_files_and_errors(tmp_path):
    path = tmp_path / "creature.xml"
    path.write_text(CREATURE)
    with pytest.warns(FigureImportWarning, match="ref of joints"):
        assert Figure.read(path) == quiet(CREATURE)
    path.write_text('<mujoco>\n<worldbody>\n<body nme="a"/>\n</worldbody></mujoco>')
    with pytest.raises(FigureError) as caught:
        Figure.read(path)
    assert caught.value.faults[0].file == str(path) and caught.value.faults[0].line == 3


def test_a_figure_from_mjcf_can_be_written(tmp_path):
    figure = quiet(CREATURE)
    figure.write(tmp_path / "c.yaml")
    assert Figure.read(tmp_path / "c.yaml") == figure


def test_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(FigureError, match=r"needs the package 'mujoco': pip install 'gambol\[import\]'"):
        read_mjcf(CREATURE)


def test_every_tree_is_a_figure_and_what_stands_still_is_one():
    text = WORLD.replace("</worldbody>", '<body name="post"><geom type="box" size="1 1 1"/></body></worldbody>')
    found = read_mjcf_figures(text)
    assert [(f.name, f.names) for f in found.figures] == [("a", ("a",)), ("b", ("b",)), ("world", ("world", "post"))]
    assert found.bodies[3][0] == "world/post" and found.joints == {0: "a/a", 1: "b/b"}
    assert found.figures[0]["a"].joint.friction == 1.0
    (only,) = read_mjcf_figures(text, root_body="b", root="free").figures
    assert only.root.joint.type == "free"


def test_a_limited_ball_joint_and_a_free_one_with_properties_are_read():
    body = '<body name="{0}"><joint type="{0}" {1}/><geom size="0.1"/></body>'
    bodies = body.format("ball", 'limited="true" range="0 30"') + body.format("free", 'damping="2"')
    found = read_mjcf_figures(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    assert found.figures[0].root.joint.range == pytest.approx((-np.pi / 6, np.pi / 6))
    assert "springs, damping, friction and armature of free joints" in found.left_out.kinds
    assert len(World(found.figures).elements) == 1  # the ball's stop; none is refused
