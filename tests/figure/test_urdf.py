import warnings
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from gambol import (
    Box,
    Capsule,
    Cylinder,
    Figure,
    FigureError,
    FigureImportWarning,
    Joint,
    Mesh,
    Sphere,
    random_positions,
    read_urdf,
)

pytest.importorskip("yourdfpy")


def inertial(mass, origin="0 0 0", rpy="0 0 0"):
    return (
        f'<inertial><origin xyz="{origin}" rpy="{rpy}"/><mass value="{mass}"/>'
        '<inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial>'
    )


ROBOT = f"""<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base">{inertial(3, "0.1 0.2 0.3", "0.1 0.2 0.3")}
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="blue"/></visual>
    <collision name="hit"><origin xyz="0 0 1"/><geometry><sphere radius="0.4"/></geometry></collision>
  </link>
  <link name="upper">{inertial(2, "0 0 0.3", "0.4 0 0")}
    <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
  </link>
  <link name="lower">{inertial(1, "0 0.1 0")}</link>
  <link name="slider">{inertial(0.5)}</link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.5" rpy="0.1 -0.2 0.3"/><axis xyz="0 1 1"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.7" friction="0.1"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0.1 0 0.6"/><axis xyz="1 0 0"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="base"/><child link="slider"/><origin xyz="0 1 0" rpy="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.4" effort="0" velocity="0"/><mimic joint="shoulder"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="lower"/><child link="tool"/><origin xyz="0 0 0.2" rpy="0 1 0"/>
  </joint>
  <transmission name="gears"/>
</robot>
"""


def quiet(source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FigureImportWarning)
        return read_urdf(source, **options)


def test_links_stand_and_weigh_as_in_pinocchio():
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(ROBOT, pin.JointModelFreeFlyer())
    data = model.createData()
    figure = quiet(ROBOT)
    rng = np.random.default_rng(2)
    slots = {name: model.joints[model.getJointId(name)] for name in ("shoulder", "elbow", "rail")}
    bodies = {"shoulder": "upper", "elbow": "lower", "rail": "slider"}
    for _ in range(5):
        q = pin.neutral(model)
        ours = random_positions(rng, figure)
        q[:7] = ours[[0, 1, 2, 4, 5, 6, 3]]  # Pinocchio puts w last
        for name, joint in slots.items():
            angle = rng.normal()
            # Pinocchio keeps the cosine and the sine of a continuous joint.
            q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(angle), np.sin(angle)) if joint.nq == 2 else angle
            ours[figure.position_slices[bodies[name]]] = angle
        pin.framesForwardKinematics(model, data, q)
        poses = figure.poses(ours)
        for body in figure.names:
            there = data.oMf[model.getFrameId(body)]
            np.testing.assert_allclose(poses[body].position, there.translation, atol=1e-12)
            np.testing.assert_allclose(poses[body].matrix, there.rotation, atol=1e-12)
        whole = figure.mass_properties(ours)
        np.testing.assert_allclose(whole.centre, pin.centerOfMass(model, data, q), atol=1e-10)
        assert whole.mass == pytest.approx(pin.computeTotalMass(model))
    indices = {"base": 1, **{bodies[name]: joint.id for name, joint in slots.items()}}
    for name, index in indices.items():
        theirs, mass = model.inertias[index], figure[name].mass_properties
        assert mass.mass == pytest.approx(theirs.mass)
        np.testing.assert_allclose(mass.centre, theirs.lever, atol=1e-12)
        np.testing.assert_allclose(mass.tensor, theirs.inertia, atol=1e-12)


def test_joints_and_parts():
    figure = quiet(ROBOT)
    assert figure.name == "arm" and figure.root.joint == Joint("free")
    upper = figure["upper"].joint
    assert upper.axis == pytest.approx((0, 0.5**0.5, 0.5**0.5)) and upper.range == (-1, 2) and upper.damping == 0.7
    assert upper.friction == 0.1
    assert figure["lower"].joint == Joint("hinge", (1, 0, 0))
    assert figure["slider"].joint == Joint("slide", range=(0, 0.4))
    assert figure["tool"].joint.type == "fixed" and figure["tool"].mass_properties.mass == 0
    hit, seen = figure["base"].parts
    assert hit.shape == Sphere(0.4) and hit.placement.position == (0, 0, 1)
    assert (hit.colliding, hit.visible, hit.inertial, hit.name) == (True, False, False, "hit")
    assert seen.shape == Box((0.1, 0.2, 0.3)) and (seen.colliding, seen.visible) == (False, True)
    assert seen.colour == (0, 0, 1, 1)
    assert figure["upper"].parts[0].shape == Cylinder(0.1, 0.5) and figure["upper"].parts[0].visible


def test_what_is_left_out_is_told_once():
    with pytest.warns(FigureImportWarning) as caught:
        read_urdf(ROBOT)
    assert len(caught) == 1
    assert caught[0].message.left_out == {
        "<transmission>": ("gears",),
        "effort limits": ("shoulder",),
        "velocity limits": ("shoulder",),
        "<mimic>": ("rail",),
    }


def test_meshes_beside_the_file(tmp_path):
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "meshes" / "box.stl")
    for name in ("meshes/box.stl", "package://arm/meshes/box.stl"):
        geometry = f'<mesh filename="{name}" scale="0.1 0.1 -0.1"/>'
        path = tmp_path / "arm.urdf"
        path.write_text(ROBOT.replace('<cylinder radius="0.1" length="0.5"/>', geometry))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FigureImportWarning)
            figure = Figure.read(path, root="fixed")
        shape = figure["upper"].parts[0].shape
        assert isinstance(shape, Mesh)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the mirroring scale must not turn it inside out
            assert shape.volume == pytest.approx(0.006)
    path.write_text(ROBOT.replace('<cylinder radius="0.1" length="0.5"/>', '<mesh filename="no.stl"/>'))
    with pytest.warns(FigureImportWarning, match=r"meshes that could not be read \(no.stl of upper: no such file\)"):
        assert read_urdf(path)["upper"].parts == ()


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('type="prismatic"', 'type="prismatics"', r"rail: unknown joint type 'prismatics'; did you mean 'prismatic'\?"),
        ('<parent link="lower"/>', '<parent link="lowre"/>', "its parent 'lowre' is not a body; did you mean 'lower'"),
        ('<axis xyz="1 0 0"/>', '<axis xyz="0 0 0"/>', "elbow: its axis is zero"),
        ('<child link="tool"/>', '<child link="slider"/>', "slider: two joints move it: 'rail' and 'flange'"),
        ('<mass value="3"/>', '<mass value="-3"/>', "base: mass must not be negative"),
    ],
)
def test_faulty_robots(old, new, words):
    with pytest.raises(FigureError, match=words):
        quiet(ROBOT.replace(old, new))


def test_broken_xml_has_a_line(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text('<robot name="a">\n<link name="b">\n</robot>')
    with pytest.raises(FigureError) as caught:
        read_urdf(path)
    assert caught.value.faults[0].line == 3 and caught.value.faults[0].file == str(path)
    with pytest.raises(FigureError, match=r"unknown root joint 'floating' \(allowed: fixed, free\)"):
        read_urdf(ROBOT, root="floating")


def test_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "yourdfpy", None)
    with pytest.raises(FigureError, match=r"needs the package 'yourdfpy': pip install 'gambol\[import\]'"):
        read_urdf(ROBOT)


def test_an_inertia_that_no_body_has_is_kept_and_told(tmp_path):
    """Robot files have dummy tensors; written as YAML and read again the figure is the same."""
    text = ROBOT.replace('ixx="0.03"', 'ixx="3"', 1)
    with pytest.warns(FigureImportWarning, match="no real body has, kept .*base: inertia breaks the"):
        figure = read_urdf(text)
    assert figure["base"].mass_properties.unphysical and not figure["upper"].mass_properties.unphysical
    figure.write(tmp_path / "robot.yaml")
    assert Figure.read(tmp_path / "robot.yaml") == figure
    with pytest.raises(FigureError, match="triangle inequality"):
        Figure("by hand", (replace(figure["base"], mass=replace(figure["base"].mass, unphysical=False)),))


ODD = f"""<robot>
  <link name="world"/>
  <link name="arm">{inertial(1)}
    <visual><geometry><box size="0 0 0"/></geometry></visual>
    <visual><geometry><capsule radius="0.1" length="0.4"/></geometry>
      <material name="red"><color rgba="1 0 0 1"/></material></visual></link>
  <link name="finger"><visual><geometry><sphere radius="0.1"/></geometry><material name="red"/></visual></link>
  <link name="other">{inertial(2)}</link>
  <joint name="turn" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="1" upper="-1" effort="0" velocity="0"/></joint>
  <joint name="grip" type="continuous"><parent link="arm"/><child link="finger"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_what_other_readers_take_is_read():
    with pytest.raises(FigureError, match="2 links have no parent: world, other; choose one with root_body="):
        read_urdf(ODD)
    with pytest.warns(FigureImportWarning) as caught:
        figure = read_urdf(ODD, root_body="world")
    assert figure.root.joint.type == "fixed" and figure.names == ("world", "arm", "finger")
    (capsule,) = figure["arm"].parts
    assert capsule.shape == Capsule(0.1, 0.4)
    assert figure["finger"].parts[0].colour == (1, 0, 0, 1)  # of a material that another link defines
    assert figure["finger"].joint.driven and not figure["arm"].joint.driven
    assert figure["arm"].joint.range is None
    assert set(caught[0].message.left_out) == {
        "shapes of no size",
        "limits whose lower end is above the upper",
        "motion by forces of joints that carry no mass: they are driven",
    }
    with pytest.raises(FigureError, match="unknown root joint 'loose'"):
        read_urdf(ODD, root="loose")
