"""Our numbers against Pinocchio's and MuJoCo's, on random trees and on figures read from files."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from gambol import Figure, Joint, Mechanics, Simulation, World, random_figure, random_positions
from peers import MujocoPeer, PinocchioPeer
from trees import TYPES, close, examples, seeds, tree

GRAVITY = (0.4, -1.1, -9.81)
CLOSE = 1e-9
IN_MUJOCO = tuple(t for t in TYPES if t not in ("screw", "free"))


def agree(peer, figure, q, v, tau, gravity=GRAVITY):
    """Mass matrix, bias and forward dynamics are the same in both."""
    m = Mechanics(figure, gravity)
    M, bias = m.mass_matrix(q), m.bias(q, v)
    close(M, peer.mass_matrix(q), CLOSE)
    close(bias, peer.bias(q, v), CLOSE)
    sim = Simulation(World(figure, gravity), stepping="rkf45")
    sim.reset(q, v)
    sim.command = tau
    a, b = sim.acceleration, peer.acceleration(q, v, tau)
    close(a, b, CLOSE * max(1.0, 1e-5 * np.linalg.cond(M)))
    close(M @ a, M @ b, CLOSE, scale=max(np.abs(bias).max(), np.abs(tau).max()))


@examples(40)
@given(seeds)
def test_pinocchio_on_random_trees(seed):
    pytest.importorskip("pinocchio")
    t = tree(seed)
    agree(PinocchioPeer(t.figure, GRAVITY), t.figure, t.q, t.v, t.tau)


@examples(40)
@given(seeds)
def test_mujoco_on_random_trees(seed):
    pytest.importorskip("mujoco")
    t = tree(seed, joints=IN_MUJOCO)
    agree(MujocoPeer(t.figure, GRAVITY), t.figure, t.q, t.v, t.tau)


@pytest.mark.parametrize("type_", TYPES)
def test_pinocchio_on_a_chain_of_one_type(type_):
    pytest.importorskip("pinocchio")
    rng = np.random.default_rng(TYPES.index(type_))
    figure = random_figure(rng, 5, (type_,))
    q, v = random_positions(rng, figure), rng.normal(size=figure.speeds)
    agree(PinocchioPeer(figure, GRAVITY), figure, q, v, rng.normal(size=figure.speeds))


def test_universal_joint_with_perpendicular_axes_is_pinocchios():
    pin = pytest.importorskip("pinocchio")
    t = tree(2, 4, "hinge", ("universal",))
    figure = t.figure
    for body in figure.bodies[1:]:
        figure = figure.replace(body.name, joint=Joint("universal", (1.0, 0.0, 0.0), (0.0, 0.6, 0.8)))
    peer = PinocchioPeer(figure, GRAVITY)
    assert any(isinstance(j.extract(), pin.JointModelUniversal) for j in list(peer.model.joints)[1:])
    agree(peer, figure, t.q, t.v, t.tau)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("peer", (PinocchioPeer, MujocoPeer))
def test_armature(peer, seed):
    """Inertia of rotors at the joints."""
    pytest.importorskip("pinocchio" if peer is PinocchioPeer else "mujoco")
    types = [t for t in IN_MUJOCO if t != "fixed"]
    t = tree(seed, 9, "free", types, passive=True)
    assert any(b.joint.armature for b in t.figure.bodies)
    bare = tuple(replace(b, joint=replace(b.joint, stiffness=0.0, damping=0.0, range=None)) for b in t.figure.bodies)
    figure = Figure("bare", bare)
    agree(peer(figure, GRAVITY), figure, t.q, t.v, t.tau)


# ---------------------------------------------------------------- figures from files
URDF = """<robot name="crane">
  <link name="base"><inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="3.5"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial></link>
  <link name="column"><inertial><origin xyz="0 0.02 0.3"/><mass value="1.7"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="boom"><inertial><origin xyz="0.5 0 0"/><mass value="1.2"/>
    <inertia ixx="0.01" iyy="0.09" izz="0.09" ixy="0" ixz="0" iyz="0.001"/></inertial></link>
  <link name="trolley"><inertial><mass value="0.6"/>
    <inertia ixx="0.004" iyy="0.005" izz="0.006" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hook"><inertial><origin xyz="0 0 -0.4"/><mass value="0.9"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lamp"><inertial><origin xyz="0.01 0 0"/><mass value="0.1"/>
    <inertia ixx="0.0002" iyy="0.0002" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slew" type="continuous"><parent link="base"/><child link="column"/>
    <origin xyz="0 0 0.2" rpy="0 0 0.4"/><axis xyz="0 0 1"/></joint>
  <joint name="luff" type="continuous"><parent link="column"/><child link="boom"/>
    <origin xyz="0.1 0 0.6" rpy="0 0.3 0"/><axis xyz="0 0.6 0.8"/></joint>
  <joint name="travel" type="prismatic"><parent link="boom"/><child link="trolley"/>
    <origin xyz="0.2 0 -0.1" rpy="0.2 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-100" upper="100" effort="10" velocity="1"/></joint>
  <joint name="swing" type="continuous"><parent link="trolley"/><child link="hook"/>
    <origin xyz="0 0 -0.05"/><axis xyz="1 0 0"/></joint>
  <joint name="mount" type="fixed"><parent link="boom"/><child link="lamp"/>
    <origin xyz="0.9 0 0.1" rpy="0 0 1"/></joint>
</robot>"""

MJCF = """<mujoco model="walker">
  <compiler angle="radian" inertiafromgeom="false"/>
  <option gravity="0.4 -1.1 -9.81"><flag contact="disable" constraint="disable"/></option>
  <worldbody>
    <body name="trunk" pos="0 0 1"><freejoint name="root"/>
      <inertial pos="0.01 0 0.1" mass="5" diaginertia="0.2 0.15 0.1"/>
      <body name="thigh" pos="0 0.1 -0.2" euler="0.1 0 0.2">
        <joint name="hip" type="ball"/>
        <inertial pos="0 0 -0.2" mass="1.5" diaginertia="0.02 0.02 0.004"/>
        <body name="shank" pos="0 0 -0.4" quat="0.96 0 0.28 0">
          <joint name="knee" type="hinge" axis="0 1 0" armature="0.01"/>
          <inertial pos="0 0.01 -0.2" mass="1" fullinertia="0.015 0.015 0.003 0.0005 -0.001 0.0002"/>
        </body>
      </body>
      <body name="tail" pos="-0.2 0 0">
        <joint name="reach" type="slide" axis="1 0 0"/>
        <inertial pos="-0.1 0 0" mass="0.4" diaginertia="0.001 0.004 0.004"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_urdf_moves_as_pinocchio_reads_it(tmp_path):
    pin = pytest.importorskip("pinocchio")
    file = tmp_path / "crane.urdf"
    file.write_text(URDF)
    figure = Figure.read(file, root="fixed")
    bodies = tuple(replace(b, joint=replace(b.joint, range=None)) for b in figure.bodies)  # no stops
    figure = Figure(figure.name, bodies)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=figure.positions), rng.normal(size=figure.speeds), rng.normal(size=figure.speeds)
    agree(PinocchioPeer(figure, GRAVITY), figure, q, v, tau)
    native = pin.buildModelFromUrdf(str(file))
    native.gravity.linear = np.array(GRAVITY)
    order = {"column": "slew", "boom": "luff", "trolley": "travel", "hook": "swing"}
    x, u, f = pin.neutral(native), np.zeros(native.nv), np.zeros(native.nv)
    for link, name in order.items():
        joint = native.joints[native.getJointId(name)]
        angle = q[figure.position_slices[link]][0]
        x[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(angle), np.sin(angle)) if joint.nq == 2 else angle
        u[joint.idx_v], f[joint.idx_v] = v[figure.speed_slices[link]][0], tau[figure.speed_slices[link]][0]
    theirs = pin.aba(native, native.createData(), x, u, f)
    sim = Simulation(World(figure, GRAVITY))
    sim.reset(q, v)
    sim.command = tau
    for link, name in order.items():
        index = native.joints[native.getJointId(name)].idx_v
        assert sim.acceleration[figure.speed_slices[link]][0] == pytest.approx(theirs[index], rel=CLOSE, abs=CLOSE)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_mjcf_moves_as_mujoco_reads_it(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "walker.xml"
    file.write_text(MJCF)
    figure = Figure.read(file)
    rng = np.random.default_rng(1)
    q, v, tau = random_positions(rng, figure), rng.normal(size=figure.speeds), rng.normal(size=figure.speeds)
    peer = MujocoPeer(figure, GRAVITY)
    agree(peer, figure, q, v, tau)
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    # their file lists the same joints in the same order, so the peer's coordinates fit
    assert (model.nq, model.nv) == (peer.model.nq, peer.model.nv)
    data.qpos, data.qvel = peer.positions(q), peer.speeds(q, v)
    data.qfrc_applied = peer.forces(q, tau)
    mujoco.mj_forward(model, data)
    sim = Simulation(World(figure, GRAVITY))
    sim.reset(q, v)
    sim.command = tau
    close(peer.speed_map(q) @ sim.acceleration, data.qacc, CLOSE)
