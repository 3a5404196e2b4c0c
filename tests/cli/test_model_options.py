"""--root, --root-body, --ground and --pose of check, run, view and export."""

import json

import pytest
from typer.testing import CliRunner

import gambol
from gambol.cli.app import app

TWO = """
<mujoco model="pair">
  <worldbody>
    <body name="post" pos="0 0 1">
      <joint name="swing" axis="0 1 0" range="-60 60" limited="true" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" mass="1"/>
    </body>
    <body name="ball" pos="0.6 0 0.5"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body>
  </worldbody>
  <actuator><position name="servo" joint="swing" kp="20"/></actuator>
  <keyframe><key name="out" qpos="0.5 0.6 0 0.5 1 0 0 0" ctrl="0.5"/></keyframe>
</mujoco>
"""
LIMB = """
<robot name="limb">
  <link name="base">
    <inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual></link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="0.05"/></geometry></visual></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/></joint>
</robot>
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "pair.xml").write_text(TWO)
    (tmp_path / "limb.urdf").write_text(LIMB)
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [str(w) for w in words])


def checked(folder, *words):
    found = run("check", *words, "--json", "c.json")
    assert found.exit_code == 0, found.output
    return json.loads((folder / "c.json").read_text())["summary"]


def test_root(folder):
    assert checked(folder, "limb.urdf")["joints"] == {"free": 1, "hinge": 1}
    assert checked(folder, "limb.urdf", "--root", "fixed")["degrees_of_freedom"] == 1
    assert checked(folder, "pair.xml", "--root", "free", "--root-body", "post")["joints"]["free"] == 1
    found = run("check", "limb.urdf", "--root", "loose")
    assert found.exit_code == 1 and "loose" in found.output and "free" in found.output


def test_root_body(folder):
    assert len(checked(folder, "pair.xml")["figures"]) == 2
    alone = checked(folder, "pair.xml", "--root-body", "ball")
    assert alone["root"] == "ball" and alone["mass_kg"] == pytest.approx(2.0) and len(alone["figures"]) == 1
    found = run("check", "pair.xml", "--root-body", "bal")
    assert found.exit_code == 1 and "'bal'" in found.output and "ball" in found.output


def test_ground(folder):
    assert checked(folder, "limb.urdf")["contacts"] == 0
    laid = checked(folder, "limb.urdf", "--ground", "under")
    assert laid["contacts"] > 0 and any("ground at -0.05 m" in note for note in laid["notes"])
    assert any("ground at -0.3 m" in note for note in checked(folder, "limb.urdf", "--ground", "-0.3")["notes"])
    assert checked(folder, "limb.urdf", "--ground", "none")["contacts"] == 0
    found = run("check", "limb.urdf", "--ground", "soft")
    assert found.exit_code == 1 and "the ground is none, under, or a height [m], not 'soft'" in found.output


def test_run_stands_on_the_ground_it_is_given(folder):
    found = run("run", "limb.urdf", "--ground", "under", "--time", "0.3", "--out", "o", "--frames", "2")
    assert found.exit_code == 0, found.output
    q = gambol.load(folder / "o" / "limb.gambol", gambol.Recording).read("q")
    assert abs(q[-1, 2]) < 0.01  # without ground it would have fallen by 0.44 m


def test_pose(folder):
    assert checked(folder, "pair.xml", "--pose", "out")["poses"] == ["start", "out"]
    found = run("check", "pair.xml", "--pose", "ou")
    assert found.exit_code == 1 and "no pose 'ou'; did you mean 'out'?" in found.output
    assert run("run", "pair.xml", "--root-body", "post", "--pose", "out", "--time", "0.02", "--out", "p").exit_code == 0
    first = gambol.load(folder / "p" / "pair.gambol", gambol.Recording).read("q")[0]
    assert first[0] == pytest.approx(0.5)


def test_view_and_export_take_them_too(folder):
    words = ("view", "limb.urdf", "--root", "fixed", "--ground", "under", "--out", "a.png", "--layout", "still")
    found = run(*words, "--time", "0.05", "--size", "160x120")
    assert found.exit_code == 0 and (folder / "a.png").stat().st_size > 500, found.output
    assert run("export", "limb.urdf", "fixed.xml", "--root", "fixed").exit_code == 0
    assert run("export", "limb.urdf", "free.xml").exit_code == 0
    assert "freejoint" not in (folder / "fixed.xml").read_text() and "free" in (folder / "free.xml").read_text()
    assert run("export", "pair.xml", "ball.yaml", "--root-body", "ball").exit_code == 0
    assert gambol.load(folder / "ball.yaml", gambol.Figure).names == ("ball",)


def test_what_is_left_out_is_a_count_a_kind_and_names_are_told_when_asked_for(folder):
    cameras = "".join(f'<camera name="eye number {k}"/>' for k in range(400))
    (folder / "many.xml").write_text(TWO.replace("<worldbody>", f"<worldbody>{cameras}"))
    short, long = run("check", "many.xml"), run("check", "many.xml", "--names")
    assert "left out: cameras" in short.output and "eye number 399" not in short.output and len(short.output) < 2000
    assert all(f"eye number {k}" in long.output.replace("\n", " ") for k in (0, 200, 399))
    noted = run("export", "many.xml", "many.yaml")
    assert "cameras (400: " in noted.output and len(noted.output) < 2000
