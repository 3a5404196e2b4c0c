"""The sources' own scripts, repaired by the list in repairs.yaml, run to their ends and build the printed figures."""

import csv
import re
from collections import Counter

import numpy as np
import pytest
from scanned import SCRIPTS, needs_scripts, repaired, repairs

DATA = SCRIPTS.parents[0] / "spec" / "data"
pytestmark = needs_scripts


def rows(name):
    return list(csv.DictReader((DATA / name).read_text(encoding="utf-8").splitlines()))


def three(row, name):
    return [float(row[name.replace("*", axis)]) for axis in "xyz"]


def test_the_repairs_are_counted():
    counted = Counter((r.script, r.kind) for r in repairs())
    assert sum(counted.values()) == 164
    assert counted["1994_script_18", "join"] == 108
    assert all(r.why for r in repairs())
    untouched = {"1994_script_01", "1994_script_03", "1994_script_04", "1994_script_07", "1994_script_09"}
    untouched |= {"1994_script_13", "1994_script_14", "1994_script_15"}
    assert not untouched & {r.script for r in repairs()}


@pytest.mark.parametrize("number", ["01", "02", "07", "08", "09", "13", "14", "15"])
def test_scripts_that_stand_alone_run_to_the_end(number, make_session):
    session = make_session(allow_system=True)
    session(re.sub(r"/\w+/frame", "frame", repaired(f"1994_script_{number}")))  # below the folder of the test
    assert not session.interpreter.faults


@pytest.mark.parametrize("number", ["13", "14", "15"])
def test_the_spring_and_pendulum_scripts_can_be_simulated(number, session):
    session(repaired(f"1994_script_{number}"))
    session("verbose basic\ngo 30\n")
    link = session.interpreter.worlds.link("b2")
    expected = {"13": 3.5552, "14": 2.0599, "15": None}[number]
    assert np.isfinite(link.q) and (expected is None or link.q == pytest.approx(expected, abs=2e-3))


def test_the_four_chains_of_script_17(session):
    session(repaired("1994_script_17"))
    world = session.interpreter.worlds.current
    assert world.time == pytest.approx(5.0, abs=1e-5)
    speeds = [sorted(abs(link.dq) for link in corpus.links.values()) for corpus in world.corpora.values()]
    for other in speeds[1:]:
        assert other == pytest.approx(speeds[0], rel=1e-7)
    assert speeds[0][-1] > 18.0


def test_the_roach_of_1990(session):
    session(repaired("1990_roach"))
    figure = session.interpreter.worlds.corpus.figure()
    assert len(figure.bodies) == 33 and figure.speeds == 38
    assert round(1000 * figure.mass, 1) == 2.1  # stated: 2.1 g
    trunk = np.concatenate([session.interpreter.scene.objects[name].points for name in ("head", "thorax", "abdomen")])
    assert 100 * np.ptp(trunk[:, 0]) == pytest.approx(2.9, abs=0.1)  # stated: about 2.9 cm
    links = session.interpreter.worlds.corpus.links
    for row in rows("roach_links.csv"):
        link = links[row["child"]]
        turn = np.array([[float(row[f"R{i}{j}"]) for j in (1, 2, 3)] for i in (1, 2, 3)])
        assert link.parent.name == row["parent"]
        assert link.placement[:3, :3] == pytest.approx(turn, abs=1e-6)
        assert link.placement[:3, 3] == pytest.approx(three(row, "t_*_m"), abs=1e-9)
        assert link.axis == pytest.approx(three(row, "unit_axis_child_*"), abs=1e-6)
    for row in rows("roach_joints.csv"):
        joint = links[row["body_joint"]].joint
        assert joint.bits == int(row["Q_type"]) and joint.scale == row["springtype"]
        assert joint.constants["b"] == float(row["b_damping"])
    assert len(session.interpreter.worlds.gait.legs[5].step) > 4


def test_the_roach_stands_and_walks(session):
    session(repaired("1990_roach"))
    session("groundmassscale on\nintegration implicit\nmove abdomen 0 0 .0175\nsetrootpos\nsilent\ngo 720\n")
    corpus = session.interpreter.worlds.corpus
    assert corpus.centre[2] == pytest.approx(0.0115, abs=2e-4)
    assert sum(
        session.interpreter.worlds.current.engine.measurements.contact_force(k)[2] for k in corpus.links.values()
    ) == pytest.approx(9.81 * corpus.mass, rel=0.02)
    session("speed 1\ngaitinit\ngo 720\n")
    start = corpus.centre
    session("go 960\n")
    assert 0.045 < (corpus.centre - start)[0] / 0.4 < 0.075  # [m/s]; stated: 5.5 cm/s


@pytest.fixture
def person(session):
    session(repaired("1994_script_18"))
    return session


def test_the_skeleton_of_script_18(person):
    corpus = person.interpreter.worlds.corpus
    table = rows("human_kinematics.csv")
    assert len(corpus.links) == 85 and len(table) == 84
    for row in table:
        link = corpus.links[row["body"]]
        assert link.parent.name == row["parent"] and link.kind == row["joint_type"]
        assert link.placement[:3, 3] == pytest.approx(three(row, "offset_*_m"), abs=3e-4), row["body"]
        assert link.axis == pytest.approx(three(row, "axis_*"), abs=1e-5), row["body"]
    for row in rows("human_joint_limits.csv"):
        numbers = corpus.links[row["body"]].joint.constants
        if row["q_limit1_rad"]:
            limits = (float(row["q_limit1_rad"]), float(row["q_limit2_rad"]))
            assert (numbers["jlim_q1"], numbers["jlim_q2"]) == limits, row["body"]
            assert numbers["jlim_ea1"] == float(row["alpha1"]) and numbers["jlim_b2"] == float(row["limit_damper2"])
    assert corpus.massless_ends() == ["head3", "l_hand3", "r_hand3"]  # the skin, whose script is lost, gives them mass


def test_scripts_for_the_skeleton(person):
    person(repaired("1994_script_03") + "anat\n")
    corpus = person.interpreter.worlds.corpus
    assert corpus.find("l_humerus3").q == 1.0 and corpus.find("r_talus").q == -0.07
    person(repaired("1994_script_04") + "move-in\n")
    assert len(person.interpreter.worlds.current.engine.motors.running) == 9 + 4
    person(repaired("1994_script_06") + "arms-out\nflex\n")
    world = person.interpreter.worlds.current
    assert len(world.colliding_pairs) == 4 and world.constants["collisioneB"] == 100
    assert world.corpora["wall"].pose[0, 3] == pytest.approx(0.73) and not world.corpora["wall"].integrated


def test_the_skeleton_with_a_skin_moves(person):
    """A skin of our own: the masses of the table as blocks on the three bodies that the script leaves without mass."""
    person(repaired("1994_script_04"))
    for name, mass in (("head3", 5.0), ("l_hand3", 0.41), ("r_hand3", 0.41)):
        person(f"get skin_{name} from unit_cube\npostmult\nscale skin_{name} .1 .1 .1\nmove skin_{name} {name}\n")
        person(f"addpart skin_{name} skin_{name} {name} {mass / 1e-3} 1 0\n")
    figure = person.interpreter.worlds.corpus.figure()
    assert len(figure.bodies) == 85 and figure.speeds == 90
    person("integration implicit\nverbose basic\ngo 15\n")
    corpus = person.interpreter.worlds.corpus
    assert corpus.find("l_humerus2").q > 0.2 and corpus.find("r_humerus2").q < -0.2


def add_skin(session, name, mass):
    """Gives a body mass by a part of the shape of its bone."""
    scene, link = session.interpreter.scene, session.interpreter.worlds.link(name)
    bone = link.pieces[1 if name == "abdomen" else 0]
    skin = scene.add(f"skin_{name}", bone.obj.geometry)
    skin.matrix = bone.obj.world_matrix.copy()
    session(f"addpart skin_{name} skin_{name} {name} {mass / bone.part().shape.volume!r}\n")


def test_the_skeleton_with_the_masses_of_table_10_lands_on_its_feet(person):
    for row in rows("human_mass.csv"):
        if float(row["mass_kg"]) > 0.001:  # the others are the small links between axes, which have theirs
            add_skin(person, row["body"], float(row["mass_kg"]))
    corpus, world = person.interpreter.worlds.corpus, person.interpreter.worlds.current
    assert corpus.mass == pytest.approx(68.0, abs=0.1) and not corpus.massless_ends()
    person(
        repaired("1994_script_03") + "anat\ncommandtree jointmatchexp **\nintegration implicit\ndt .0333333\ngo 45\n"
    )
    carried = sum(world.engine.measurements.contact_force(link)[2] for link in corpus.links.values())
    assert carried / 9.81 == pytest.approx(68.0, rel=0.03)
    assert corpus.centre[2] == pytest.approx(1.026, abs=0.01) and abs(corpus.centre[1]) < 1e-6
