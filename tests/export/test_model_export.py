"""Figures taken to MuJoCo and URDF are the same mechanisms there, under the same names."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from gambol import (
    Body,
    Box,
    Capsule,
    Cone,
    ExportWarning,
    Figure,
    Joint,
    Mass,
    Mechanics,
    Mesh,
    Part,
    Placement,
    World,
    random_figure,
    read_mjcf,
    read_scene,
    read_urdf,
)
from gambol.export import export_file, mjcf_text
from gambol.export.mjcf import MASSLESS, unweighable

mujoco = pytest.importorskip("mujoco")

FLAT = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])


def robot(first="hinge"):
    """A tree with a massless link, a fixed body, several children, and shapes that MuJoCo has not."""
    turned = Placement.euler(0.3, 0.5, -0.2, (0.1, 0.2, 0.3))
    rod = Part(Capsule(0.03, 0.4), Placement.at(0, 0, -0.2), mass=1.2)
    bodies = [
        Body("world", None, Joint(first, (0, 1, 0)), turned, (Part(Box((0.2, 0.3, 0.4)), mass=4.0),)),
        Body("link", "world", Joint("hinge", (1, 0, 0)), turned),
        Body("arm", "link", Joint("universal", (0, 0, 1), (1, 0, 0), armature=0.01), turned, (rod,)),
        Body("tip", "arm", Joint(), turned, (Part(Cone(0.05, 0.1), mass=0.3), Part(FLAT, inertial=False))),
        Body("rail", "world", Joint("slide", (0, 1, 0), range=(-0.1, 0.2), friction=0.5), turned, (rod,)),
        Body("knob", "rail", Joint("ball", range=(-0.5, 0.5)), turned, (rod,)),
    ]
    return Figure("robot", tuple(bodies))


def mass_matrices(figure, text):
    """Ours and MuJoCo's at zero positions, MuJoCo's in our speeds."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    theirs = np.zeros((model.nv, model.nv))
    if hasattr(data, "qM"):
        mujoco.mj_fullM(model, theirs, data.qM)
    else:
        mujoco.mj_fullM(model, data, theirs)
    ours = Mechanics(World(figure).layout).mass_matrix(np.array(figure.zero))
    turn = np.zeros((model.nv, len(ours)))
    for body in figure.bodies:
        own = [*range(figure.speed_slices[body.name].start, figure.speed_slices[body.name].stop)]
        first = int(model.body_dofadr[model.body(f"{body.name}_" if body.name == "world" else body.name).id])
        if body.joint.type == "free":  # MuJoCo has places first, along the axes of the world
            along = body.placement.matrix if body.parent is None else np.eye(3)
            turn[np.ix_(range(first, first + 3), own[3:])] = along
            turn[range(first + 3, first + 6), own[:3]] = 1.0
        elif body.joint.type == "screw":
            turn[first, own[0]], turn[first + 1, own[0]] = 1.0, body.joint.pitch
        else:
            turn[range(first, first + len(own)), own] = 1.0
    return ours, turn.T @ theirs @ turn


def everything():
    """Every figure that comes with the package, random trees of every joint, and one with a free joint inside."""
    from gambol.models import acrobat, arms, boxer, finger, hexapod30, person, roach

    for first in ("fixed", "hinge", "cylindrical", "planar", "ball"):
        yield f"robot {first}", robot(first)
    yield "free inside", robot().replace("arm", joint=Joint("free"))
    for seed in range(8):
        root = ("free", "fixed", "ball", "screw")[seed % 4]
        yield f"random {seed}", random_figure(seed, 14, root=root, shapes=bool(seed % 2), passive=True)
    for make in (acrobat, hexapod30, roach.roach, boxer.boxer, finger.finger, arms.six_link_arm, arms.roach_leg,
                 person.person90, person.person_hands, person.rigid_foot, person.basic_biped):  # fmt: skip
        yield make.__name__, make()


@pytest.mark.parametrize("figure", [pytest.param(figure, id=name) for name, figure in everything()])
def test_mujoco_has_the_same_mass_matrix_and_names(figure):
    ours, theirs = mass_matrices(figure, mjcf_text(figure))
    least = MASSLESS if unweighable(figure) else 0.0  # [kg·m²] MuJoCo has nothing that turns more easily
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12 * np.abs(ours).max() + least)
    model = mujoco.MjModel.from_xml_string(mjcf_text(figure))
    names = [model.body(k).name for k in range(1, model.nbody)]
    assert sorted(names) == sorted("world_" if name == "world" else name for name in figure.names)  # its own


def test_links_that_carry_a_joint_alone_weigh_nothing():
    """Several joints of one body, as MJCF has them, come back as they were: light things too, and by name."""
    text = """<mujoco><worldbody><body name="arm" pos="0 0 1"><joint name="a" axis="0 1 0" pos="0.1 0 0"/>
      <joint name="b" axis="1 0 0" pos="0 0.2 0" armature="1e-12"/><joint name="c" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0.01" mass="1e-7" diaginertia="1e-11 1e-11 1e-11"/>
      <body name="tip" pos="0 0 0.1"><joint name="d" axis="0 1 0"/><joint name="e" axis="1 0 0"/>
      <inertial pos="0 0 0.01" mass="1e-7" diaginertia="1e-11 1e-11 1e-11"/></body></body></worldbody></mujoco>"""
    figure = read_mjcf(text)
    model = mujoco.MjModel.from_xml_string(mjcf_text(figure))
    assert model.nbody == 3 and model.nv == 5
    data, theirs = mujoco.MjData(model), np.zeros((5, 5))
    for q in (np.zeros(5), np.array([0.3, -0.4, 0.01, 0.5, -0.2])):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, theirs)
        ours = Mechanics(World(figure).layout).mass_matrix(q)
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12 * np.abs(ours).max())
    again = read_mjcf(mjcf_text(figure))
    assert again.names == figure.names == ("arm__a", "arm__b", "arm", "tip__d", "tip")
    for name in figure.names:
        assert np.allclose(again[name].placement.position, figure[name].placement.position, atol=1e-15)


def test_a_screw_is_a_hinge_and_a_slide_held_together():
    figure = robot().replace("link", joint=Joint("screw", (1, 0, 0), pitch=0.1))
    model = mujoco.MjModel.from_xml_string(mjcf_text(figure))
    data = mujoco.MjData(model)
    for _ in range(300):
        mujoco.mj_step(model, data)
    turn, slide = data.joint("link.1").qpos[0], data.joint("link.2").qpos[0]
    assert abs(turn) > 0.1 and slide == pytest.approx(0.1 * turn, abs=1e-3)


def test_an_inertia_that_mujoco_refuses(tmp_path):
    """Of what is fixed it is weighed with the rest; of what moves the nearest is taken, and told."""
    odd = Mass(0.1, (0, 0, 0.1), (1e-4, 1e-4, 1e-3, 0, 0, 0), unphysical=True)
    fixed = robot().replace("tip", mass=odd)
    ours, theirs = mass_matrices(fixed, mjcf_text(fixed))
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12 * np.abs(ours).max())
    with pytest.warns(ExportWarning, match="the inertia of rail, which MuJoCo refuses"):
        export_file(robot().replace("rail", mass=odd), tmp_path / "robot.xml")
    mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))


def test_urdf_is_read_back_as_the_same_mechanism(tmp_path):
    pytest.importorskip("yourdfpy")
    figure = robot("fixed").replace("knob", joint=Joint("hinge", (0, 1, 0), stiffness=3.0, damping=0.2))
    figure = replace(figure, bodies=tuple(b for b in figure.bodies)).renamed({"world": "base"})
    with pytest.warns(ExportWarning, match="springs of knob; armatures of arm"):
        written = export_file(figure, tmp_path / "robot.urdf")
    assert {path.name for path in written} == {"robot.urdf", "tip_1.stl", "tip_2.stl"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = read_urdf(tmp_path / "robot.urdf")
    assert again.root.name == "world" and set(figure.names) <= set(again.names)
    positions = {"link": 0.3, "rail": 0.1, "knob": -0.4, "arm": 0.5, "arm.1": -0.2}
    q, r = np.array(figure.zero), np.array(again.zero)
    for name, value in positions.items():
        r[again.position_slices[name]] = value
        if name in figure:
            q[figure.position_slices[name]] = value if name != "arm" else (-0.2, 0.5)
    there, here = again.poses(r), figure.poses(q)
    for name in figure.names:
        np.testing.assert_allclose(there[name].position, here[name].position, atol=1e-9)
        np.testing.assert_allclose(there[name].matrix, here[name].matrix, atol=1e-9)
    assert again.mass == pytest.approx(figure.mass) and again["rail"].joint.friction == 0.5


SCENE = """<mujoco model="lever"><worldbody><geom type="plane" size="1 1 1" pos="0 0 -1"/>
  <body name="base" pos="0 0 0.5" euler="0 0 20"><freejoint/><geom size="0.2"/>
    <body name="bar"><joint name="pin" axis="0 1 0" ref="10"/><geom type="box" size="0.3 0.1 0.1" pos="0.3 0 0"/></body>
  </body></worldbody>
  <actuator><position name="lift" joint="pin" kp="50" kv="2" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="up" qpos="1 2 3 1 0 0 0 0.5" ctrl="0.4"/></keyframe></mujoco>"""


def test_a_scene_keeps_its_motors_ground_and_poses(tmp_path):
    scene = read_scene(SCENE)
    export_file(scene, tmp_path / "lever.xml")
    again = read_scene(tmp_path / "lever.xml")
    assert again.world.terrain.level == -1.0 and list(again.motors) == ["lift"] and list(again.poses) == ["start", "up"]
    one, two = (next(e for e in s.world.forces if e.name == "lift") for s in (scene, again))
    assert (two.stiffness, two.damping) == (one.stiffness, one.damping)
    np.testing.assert_allclose(again.pose("up").q, scene.pose("up").q, atol=1e-12)
    inputs = [s.motors["lift"].value(s.pose("up").inputs["lift"]) for s in (scene, again)]
    assert inputs[0] == pytest.approx(inputs[1])
    export_file(scene, tmp_path / "lever.yaml")
    assert Figure.read(tmp_path / "lever.yaml") == scene.figures[0]
