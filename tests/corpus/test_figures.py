import numpy as np
import pytest

CHAIN = """
addworld w
ground off
addcorpus c
postmult
get base from unit_cube
get arm from unit_cube
get tip from unit_cube
scale arm 1 .1 .1
move arm .5 0 0
scale tip .5 .1 .1
move tip .25 0 0
addbody base base 0 0 1 rotary 1000
addbody arm arm 0 0 1 rotary 1000
addbody tip tip 0 1 0 rotary 500
rotate arm z 90
move arm 0 .5 0
linkbodies base arm
move tip 1 0 0
linkbodies arm tip
setroot base
corpusinit
"""


@pytest.fixture
def chain(session):
    session(CHAIN)
    return session


def test_a_figure_as_the_commands_built_it(chain):
    figure = chain.interpreter.worlds.corpus.figure()
    assert figure.names == ("base", "arm", "tip") and figure.speeds == 8
    assert figure.mass == pytest.approx(1000 + 10 + 2.5)
    poses = figure.poses()
    assert poses["arm"].position == pytest.approx((0, 0.5, 0)) and poses["tip"].position == pytest.approx((0, 1.5, 0))
    assert figure["arm"].mass_properties.centre == pytest.approx((0.5, 0, 0))
    assert chain("listbodies") == ["base -", "arm base", "tip arm"]


def test_questions_about_masses(chain):
    assert chain.constants("totalmass\ntotaljoints\ndensity tip\nmassonly arm\npartmass tip") == [
        1012.5,
        2,
        500,
        10,
        2.5,
    ]
    assert [float(x) for x in chain("mass arm")[0].split(":")[1].split()] == pytest.approx([10, 12.5, 10 / 1012.5])


def test_objects_follow_the_joints(chain):
    chain("joint arm q 1.5707963267948966\nxform\nwhereis tip\n")
    where = [float(x) for x in chain("whereis tip")[0].split(":")[1].split()]
    assert where == pytest.approx([-1.25, 0.5, 0], abs=1e-9)
    chain("get marker from sphere\ncorpuscog marker")
    assert chain.interpreter.scene.objects["marker"].centroid == pytest.approx(chain.interpreter.worlds.corpus.centre)


def test_points_through_the_tree(chain):
    rows = dict(line.split(": ") for line in chain("treepoints tip .5 0 0"))
    found = {name: [float(x) for x in text.split()] for name, text in rows.items()}
    assert found["tip"] == pytest.approx([0.5, 0, 0]) and found["arm"] == pytest.approx([1.5, 0, 0])
    assert found["base"] == pytest.approx([0, 2, 0]) and found["world"] == pytest.approx([0, 2, 0])


def test_the_transform_between_frames(chain):
    rows = [[float(x) for x in line.split()] for line in chain("dumpbodyX arm")]
    x = np.array(rows)
    turn = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])  # into the arm's axes
    assert x[:3, :3] == pytest.approx(turn, abs=1e-12) and x[3:, 3:] == pytest.approx(turn, abs=1e-12)
    omega = np.array([0.3, -0.2, 0.7])
    assert x[3:, :3] @ omega == pytest.approx(turn @ np.cross(omega, [0, 0.5, 0]), abs=1e-12)


def test_axes_in_other_frames(chain):
    chain("setjointp tip 0 0 1 rotary\n")
    assert chain.interpreter.worlds.link("tip").axis == pytest.approx([0, 0, 1])
    chain("setjointp arm 1 0 0 sliding\n")
    arm = chain.interpreter.worlds.link("arm")
    assert arm.axis == pytest.approx([0, -1, 0], abs=1e-12) and arm.kind == "sliding"
    chain("jointalign tip base 1 0 0\n")
    assert chain.interpreter.worlds.link("tip").axis == pytest.approx([0, -1, 0], abs=1e-12)


def test_moving_the_root(chain):
    chain("move base 1 2 3\nsetrootpos\n")
    assert chain.interpreter.worlds.corpus.pose[:3, 3] == pytest.approx([1, 2, 3])
    chain("setrootmatrix\n0 1 0 0\n-1 0 0 0\n0 0 1 0\n4 5 6 1\n")
    assert chain.interpreter.worlds.corpus.pose[:3, 3] == pytest.approx([4, 5, 6])
    assert chain.interpreter.worlds.link("arm").pose[:3, 3] == pytest.approx([3.5, 5, 6])


def test_parts_add_mass_and_can_be_display_only(chain):
    chain("get extra from unit_cube\nmove extra 0 0 2\naddpart extra extra base 10\n")
    corpus = chain.interpreter.worlds.corpus
    assert corpus.mass == pytest.approx(1022.5)
    assert corpus.find("base").mass.centre == pytest.approx((0, 0, 20 / 1010))
    chain("get shown from unit_cube\naddpart shown shown tip 0 0 0\n")
    assert corpus.mass == pytest.approx(1022.5)
    part = corpus.figure()["tip"].parts[1]
    assert not part.inertial and not part.colliding


def test_welding_keeps_mass_and_place(chain):
    chain("joint arm q .4\njoint tip q -.3\n")
    corpus = chain.interpreter.worlds.corpus
    centre, tip = corpus.centre, corpus.find("tip").pose
    chain("deletejoint arm\n")
    assert corpus.mass == pytest.approx(1012.5) and corpus.centre == pytest.approx(centre)
    assert corpus.find("tip").pose == pytest.approx(tip)
    assert chain("totaljoints") == ["1"]
    chain("killjoint tip")
    assert corpus.mass == pytest.approx(1010) and chain("listbodies") == ["base -"]


def test_trees_of_commands(chain):
    assert chain("commandtree @ **") == ["base", "arm", "tip"]
    assert chain("commandtreein @ **") == ["tip", "arm", "base"]
    assert chain("commandtreeout @ **") == ["base", "arm", "tip"]
    assert chain("commandtreeparts partmass **") == ["1000", "10", "2.5"]


def test_body_names_across_figures(chain):
    chain("addcorpus d\nget other from unit_cube\naddbody tip other 0 0 1 rotary 1\nsetroot tip\ncorpusinit\n")
    assert chain("massonly tip\nmassonly c/tip\nmassonly arm") == ["1", "2.5", "10"]
    assert chain("setcorpus c\nmassonly tip") == ["2.5"]
    with pytest.raises(Exception, match="there is no body 'tap'; did you mean 'tip'"):
        chain("massonly tap")
