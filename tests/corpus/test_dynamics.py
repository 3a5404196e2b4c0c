"""Figures built by commands move as they should."""

import math

import numpy as np
import pytest

from gambol import ScriptError

SLIDER = """
addworld w
grav off
ground off
addcorpus c
get base from unit_cube
get b from unit_cube
addbody base base 0 0 1 rotary 1000
addbody b b 1 0 0 sliding 10
linkbodies base b
setroot base
corpusinit
rootmotion fixed
dt .02
eps 1e-10
"""
PENDULUM = """
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
addbody arm arm 0 1 0 rotary 100
addbody tip tip 0 1 0 rotary 100
linkbodies base arm
move tip 1 0 0
linkbodies arm tip
setroot base
corpusinit
rootmotion fixed
dt .02
eps 1e-9
"""
CUBE = """
addworld w
addcorpus c
postmult
get a from unit_cube
scale a .2 .2 .2
addbody a a 0 0 1 rotary 1000
setroot a
corpusinit
dt .01
groundk 20000
groundb 400
groundfric .5
groundfricb 2000
integration implicit
"""


def q(session, name):
    return session.interpreter.worlds.link(name).q


def test_springs_and_dampers_by_their_bits(session):
    session(SLIDER + "joint b k 90\njoint b b 3\njoint b k_q 1\n")
    assert session("joint b Q") == ["0"]
    session("joint b Q_type 3\njoint b q 3\njoint b dq 2\n")
    assert session.constants("joint b Q\njoint b ddq") == pytest.approx([-90 * 2 - 3 * 2, -18.6])
    session("joint b Q_type 2")
    assert session.constants("joint b Q") == pytest.approx([-180])
    session("joint b Q_type 4\njoint b Q 7\n")
    assert session.constants("joint b Q") == pytest.approx([7])
    session("joint b springtype mass\njoint b Q_type 1\n")
    assert session.constants("joint b Q") == pytest.approx([-3 * 2 * 10])


def test_limits_on_each_side(session):
    session(SLIDER + "joint b Q_type 40\njoint b jlim_q1 -1\njoint b jlim_q2 2\n")
    session("joint b jlim_k1 10\njoint b jlim_ea1 3\njoint b jlim_eB1 2\njoint b jlim_b1 .5\n")
    session("joint b jlim_k2 20\njoint b jlim_ea2 4\njoint b jlim_eB2 1\njoint b jlim_b2 .25\n")
    session("joint b dq 1\njoint b q -1.5\n")
    assert session.constants("joint b Q") == pytest.approx([10 * 0.5 + 3 * math.expm1(1.0) - 0.5])
    session("joint b q 2.5")
    assert session.constants("joint b Q") == pytest.approx([-20 * 0.5 - 4 * math.expm1(0.5) - 0.25])
    session("joint b q 0")
    assert session.constants("joint b Q") == [0.0]


def test_a_motor_program_moves_the_rest_position_evenly(session):
    """On an undamped spring, x follows the closed form of a spring whose end moves at constant speed."""
    session(SLIDER + "joint b Q_type 2\njoint b k 90\nmotor b ktarget 2 1\ngo 25\n")
    omega, speed, time = 3.0, 2.0, 0.5
    assert q(session, "b") == pytest.approx(speed * (time - math.sin(omega * time) / omega), abs=1e-7)
    assert session.constants("joint b k_q") == pytest.approx([1.0])
    session("go 50\n")
    assert session.constants("joint b k_q") == [2.0]


def test_motor_programs_survive_a_change_of_the_world(make_session):
    runs = []
    for interruption in ("", "grav on\ngrav off\n"):
        session = make_session()
        session(SLIDER + "joint b Q_type 17\njoint b b 5\njoint b ea 20\njoint b eB 2\nmotor b etarget 1.5 1\ngo 20\n")
        session(interruption + "go 20\n")
        runs.append(q(session, "b"))
    assert runs[1] == pytest.approx(runs[0], abs=1e-7)


def test_motor_state_in_files(make_session, tmp_path):
    first, second = make_session(), make_session()
    build = SLIDER + "joint b Q_type 17\njoint b b 5\njoint b ea 20\njoint b eB 2\n"
    first(build + "motor b etarget 1.5 1\ngo 20\ndumps s.txt\ndumpmotors m.txt\ngo 20\n")
    second(build + "loads s.txt\nloadmotors m.txt\ngo 20\n")
    assert q(second, "b") == pytest.approx(q(first, "b"), abs=1e-9)
    assert second("time") == first("time")


def test_state_files_are_exact(make_session):
    first, second = make_session(), make_session()
    first(PENDULUM + "joint arm q .3\njoint tip dq -2\ngo 30\ndumps s.txt\n")
    second(PENDULUM + "loads s.txt\ndumps t.txt\n")
    assert (first.folder / "s.txt").read_text() == (first.folder / "t.txt").read_text()


def test_a_kinematic_joint_keeps_its_acceleration(session):
    session(PENDULUM + "jointmotion arm kinematic\njoint arm ddq 2\njoint arm dq 1\ngo 50\n")
    assert q(session, "arm") == pytest.approx(1.0 + 1.0)
    session(
        "joint arm dq 0\njoint arm ddq 0\njoint arm q 0\njoint tip q 0\njoint tip dq 0\njointmotion tip kinematic\n"
    )
    arm, tip = 1.0, 0.5  # both held level: moments of their weights (masses 1 and 0.5 kg)
    held = session.constants("joint arm Q\njoint tip Q\n")
    assert held == pytest.approx([-9.81 * (arm * 0.5 + tip * 1.25), -9.81 * tip * 0.25])


def test_inverse_control_holds_a_posture(session):
    session(PENDULUM + "joint arm q -.4\njoint tip q .7\ncommandtree joint ** ea 5\ncommandtree joint ** eB 4\n")
    session("jointmotion arm kinematic\njointmotion tip kinematic\ngo 2\nQtoE_q\n")
    session(
        "jointmotion arm free\njointmotion tip free\ncommandtree joint ** Q_type 17\ncommandtree joint ** b 1\ngo 100\n"
    )
    assert [q(session, "arm"), q(session, "tip")] == pytest.approx([-0.4, 0.7], abs=1e-6)


def test_mean_joint_forces(session):
    session(PENDULUM + "jointmotion arm kinematic\njointQsum arm 0\njointQabssum arm 0\ngo 20\n")
    total, size = session.constants("jointQsum arm\njointQabssum arm\n")
    assert size == pytest.approx(abs(total), rel=0.05) and total != 0
    session("jointQsumtoQ arm\nQtoQbias\n")
    assert session.interpreter.worlds.link("arm").joint.bias == pytest.approx(total / 0.4)
    session("jointQsum arm off\n")
    with pytest.raises(Exception, match="nothing is summed"):
        session("jointQsum arm")


def test_first_order_dynamics_comes_to_rest_without_overshoot(session):
    session(PENDULUM + "order arist\njoint arm q .2\n")
    angles = []
    for _ in range(40):
        session("go 5")
        angles.append(q(session, "arm"))
    assert max(angles) <= math.pi / 2 + 1e-6 and np.all(np.diff(angles) > -1e-9)
    assert angles[-1] == pytest.approx(math.pi / 2, abs=0.02)
    assert session("time") == ["time: 4"]


@pytest.mark.parametrize("mode", ("kinematic", "constrained"))
def test_a_root_with_given_motion(session, mode):
    """It goes where its velocity takes it, gravity or not; the source tells no difference between the two names."""
    session(CUBE + f"ground off\nrootmotion {mode}\nsetv a 1 0 0 0 0 0\ngo 100\n")
    assert session.interpreter.worlds.corpus.pose[:3, 3] == pytest.approx([1, 0, 0], abs=1e-9)


def test_velocities(session):
    session(PENDULUM + "addv tip 0 0 0 0 3 0\n")
    assert session.interpreter.worlds.link("tip").dq == pytest.approx(3)
    assert session.constants("rmsv") == pytest.approx([3 / math.sqrt(2)])
    assert session("ifrmsv 1 @ slow\nifrmsv 5 @ calm") == ["calm"]
    session("scaletimev 2\n")
    assert session.interpreter.worlds.link("tip").dq == pytest.approx(1.5)
    session("maxv tip 1 .5\ngrav off\n")
    assert any("maxv cut speeds" in line for line in session("go 3"))
    assert abs(session.interpreter.worlds.link("tip").dq) <= 0.5


def test_a_cube_rests_on_the_ground(session):
    session(CUBE + "move a 0 0 .1\nsetrootpos\ngo 200\ncontactfsum a 0\ngo 100\n")
    weight = 8 * 9.81
    height = session.interpreter.worlds.corpus.pose[2, 3]
    assert height == pytest.approx(0.1 - weight / 4 / 20000, abs=1e-5)
    force = [float(x) for x in session("dumpcontactforce a")[0].split()[1:]]
    assert force == pytest.approx([0, 0, weight], abs=1e-3 * weight)
    assert session.constants("contactfsum a")[2] == pytest.approx(weight, rel=1e-3)
    assert len(session("dumpcontactforces")) == 4
    session("bodygroundtest a off\ngo 10\n")
    assert session.interpreter.worlds.corpus.pose[2, 3] < height - 0.04


def test_sums_are_taken_within_the_steps(session):
    """A fall, a bounce and a swing in frames of 0.1 s: momentum says what the sums must be. (By frames: 7 % off.)"""
    session(CUBE + "integration rkf\neps 1e-8\ndt .1\nmove a 0 0 .3\nsetrootpos\ncontactfsum a 0\ngo 8\n")
    corpus, mass = session.interpreter.worlds.corpus, 8.0
    impulse = session.constants("contactfsum a")[2]
    assert impulse == pytest.approx(mass * (corpus.velocity[5] + 9.81 * 0.8), rel=1e-5)
    session("ground off\ngrav off\nsetv a 0 0 0 0 0 0\nattach a ground 0 0 0 .5 0 0 900 0 0 1\nattachfsum a 0\ngo 7\n")
    assert session.constants("attachfsum a") == pytest.approx(list(mass * corpus.velocity[3:]), rel=1e-4, abs=1e-4)


def test_sums_of_sizes_are_taken_within_the_steps(session):
    """A spring swings a slider many times a frame: ∫|Q| is that of a sine, and a sum may begin at any time."""
    session(SLIDER + "dt .5\njoint b Q_type 2\njoint b k 4000\njoint b q .1\ngo 1\njointQabssum b 0\njointQsum b 0\n")
    start = session.constants("joint b dq")[0]
    mass = session.constants("massonly b")[0]
    session("go 4\n")
    size, total = session.constants("jointQabssum b\njointQsum b")
    assert size == pytest.approx(4000 * 0.1 * 2 / math.pi * 2.0, rel=0.02)
    assert total == pytest.approx(mass * (session.constants("joint b dq")[0] - start), abs=1e-3)


def test_the_second_friction_holds_without_creeping(session):
    """A pull below the limit moves it by what the springs give; above the limit it slides, and the springs go along."""
    session(CUBE + "groundfric 0\ngroundfric2 .5\ngroundfric2k 5000\nmove a 0 0 .1\nsetrootpos\ngo 100\n")
    corpus = session.interpreter.worlds.corpus
    session("extbias a 10 0 0 0 0 0\nattach a ground 0 0 0 0 0 0 0 0 0 1\nattachb a 200\ngo 300\n")
    held = corpus.pose[0, 3]
    tilt = 10 * 0.1 / (4 * 20000 * 0.1**2)
    assert held == pytest.approx(10 / 4 / 5000 + 0.1 * tilt, rel=0.02)
    session("go 300\n")
    assert corpus.pose[0, 3] == pytest.approx(held, rel=1e-3)  # friction against the motion would creep
    session("extbias a 60 0 0 0 0 0\ngo 100\n")
    assert corpus.pose[0, 3] > 0.05
    session("extbias a 0 0 0 0 0 0\ngo 300\n")
    slid = corpus.pose[0, 3]
    session("go 100\n")
    assert corpus.pose[0, 3] == pytest.approx(slid, abs=1e-4)
    with pytest.raises(Exception, match="cannot be sticky"):
        session("groundstickeA 50\ngo 1\n")


def test_the_second_friction_takes_its_numbers(session):
    """Its law is in the contract of elements (anchored_contact)."""
    session(CUBE + "groundfric2 .5\ngroundfric2k 5000\ngroundfric2e .3\nmove a 0 0 .1\nsetrootpos\ngo 1\n")
    contact = session.interpreter.worlds.current.engine.simulation().elements["c/a ground"]
    numbers = [contact.get(name)[0] for name in ("hold", "hold_stiffness", "hold_restitution")]
    assert numbers == pytest.approx([0.5, 5000.0, 0.3])


def test_ground_as_a_grid_equals_flat_ground(make_session):
    heights = []
    for ground in ("", "get g from grid\nscale g 4 4 1\naddtrigrid hills g\ngroundtype trigrid\n"):
        session = make_session()
        session(CUBE + ground + "rotate a x 20\nmove a .03 0 .3\nsetrootpos\ngo 60\n")
        heights.append(session.interpreter.worlds.corpus.pose[:3, 3])
    assert heights[1] == pytest.approx(heights[0], abs=1e-6)


def test_raised_ground_and_its_mass_scale(session):
    session(CUBE + "groundz .5\ngroundmassscale on\ngroundk 2500\ngroundb 50\nmove a 0 0 .62\nsetrootpos\ngo 200\n")
    assert session.interpreter.worlds.corpus.pose[2, 3] == pytest.approx(0.6 - 9.81 / 4 / 2500, abs=1e-4)


def test_a_push_and_an_attachment(session):
    session(CUBE + "ground off\ngrav off\nextbias a 16 0 0 0 0 0\ngo 100\n")
    assert session.interpreter.worlds.corpus.velocity[3] == pytest.approx(2.0)
    session("extbias a 0 0 0 0 0 0\nsetv a 0 0 0 0 0 0\nsetrootmatrix\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n")
    session("attach a ground 0 0 0 .5 0 0 80 0 0 1\nattachb a 4\nattachfsum a 0\n")
    assert session.constants("attachf a") == pytest.approx([40, 0, 0])
    session("go 1000\n")
    assert session.interpreter.worlds.corpus.pose[0, 3] == pytest.approx(0.5, abs=0.06)


def test_an_attachment_breaks_and_stays_broken(session):
    session(CUBE + "ground off\nattach a ground 0 0 0 0 0 0 10 0 0 1 .3\ngo 100\n")
    assert session.interpreter.worlds.corpus.pose[2, 3] < -2.0
    session("grav off\n")  # builds the world anew
    assert session.constants("attachf a") == [0, 0, 0]


def test_bodies_attract_each_other(session):
    session(CUBE + "ground off\ngrav off\naddcorpus d\nget b from unit_cube\nscale b .2 .2 .2\n")
    session("addbody b b 0 0 1 rotary 1000\nsetroot b\ncorpusinit\nmove b 2 0 0\nsetrootpos\n")
    session("SetG .5\nGattract a b\nGravity on\ngo 10\n")
    speed = session.interpreter.worlds.current.corpora["c"].velocity[3]
    assert speed == pytest.approx(0.5 * 8 / 4 * 0.1, rel=1e-2)
    assert session.interpreter.worlds.current.corpora["d"].velocity[3] == pytest.approx(-speed, rel=1e-6)


TWO = (
    CUBE
    + """
ground off
grav off
addcorpus d
get b from unit_cubeb
scale b .2 .2 .2
addbody b b 0 0 1 rotary 1000
setroot b
corpusinit
move b .5 0 0
setrootpos
collide a b
collision on
"""
)


def test_bodies_push_each_other_apart(session):
    session(TWO + "integration rkf\neps 1e-8\ncollisionea 5\ncollisioneB 200\ncollisionlog log.txt\n")
    session("setcorpus c\nsetv a 1 0 0 0 0 0\ngo 60\n")
    corpora = session.interpreter.worlds.current.corpora
    momentum = sum(corpus.mass * corpus.velocity[3] for corpus in corpora.values())
    assert momentum == pytest.approx(8.0, rel=1e-6)
    assert corpora["d"].velocity[3] == pytest.approx(1.0, abs=0.03) and abs(corpora["c"].velocity[3]) < 0.03
    assert "c/a against d/b" in (session.folder / "log.txt").read_text()


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_single_bodies_collide_by_impulses(session, restitution):
    session(TWO + f"collisionanalysis on\ncollisione {restitution}\nsetcorpus c\nsetv a 1 0 0 0 0 0\ngo 60\n")
    a, b = session.interpreter.worlds.current.corpora.values()
    assert a.mass * a.velocity[3] + b.mass * b.velocity[3] == pytest.approx(8.0, rel=1e-9)
    assert b.velocity[3] - a.velocity[3] == pytest.approx(restitution, abs=1e-6)


def test_impacts_are_found_within_a_frame(session):
    """In frames of a second, in which one would fly through the other: where they are tells when they met."""
    session(TWO + "collisionanalysis on\ncollisione 1\ncollisionlog log.txt\ndt 1\nsetcorpus c\nsetv a 50 0 0 0 0 0\n")
    a, b = session.interpreter.worlds.current.corpora.values()
    begin, other = a.pose[0, 3], b.pose[0, 3]
    gap = other - begin - 0.2
    session("go 1\n")
    left = 1.0 - gap / 50.0
    speeds = [50.0 * x / (a.mass + b.mass) for x in (a.mass - b.mass, 2 * a.mass)]
    assert a.pose[0, 3] == pytest.approx(begin + gap + speeds[0] * left, abs=1e-6)
    assert b.pose[0, 3] == pytest.approx(other + speeds[1] * left, abs=1e-6)
    when = float((session.folder / "log.txt").read_text().split()[0])
    assert when == pytest.approx(gap / 50.0, abs=1e-8)


def test_what_bounces_by_impulses_comes_to_rest(session):
    """On a body that is held, ever lower: neither endless events nor a fall through it."""
    session(TWO + "grav on\ncollisionanalysis on\ncollisione .5\n")
    a, b = session.interpreter.worlds.current.corpora.values()
    place = " ".join(f"{x:.9g}" for x in (*b.pose[:2, 3], b.pose[2, 3] + 0.7))
    session("setcorpus d\nrootmotion fixed\nsetcorpus c\n")
    session(f"setrootmatrix\n1 0 0 0\n0 1 0 0\n0 0 1 0\n{place} 1\ngo 200\n")
    assert a.pose[2, 3] - b.pose[2, 3] == pytest.approx(0.2, abs=0.01)


def test_muscles(session):
    session(SLIDER + "addmuscle m b\nmuscle m Q_type 2\nmuscle m k 30\nmuscle m k_q 1\n")
    assert session.constants("joint b Q") == pytest.approx([30])
    session("muscle m Q_type 128\nmuscle m body2 base\nmuscle m attach_x2 2\njoint b q 0\n")
    assert session.constants("joint b ddq") == pytest.approx([6])
    assert session("muscle m body2\nmuscle m k") == ["c/base", "30"]


def test_a_muscle_over_two_joints(session):
    session(
        PENDULUM + "grav off\naddmuscle m arm\nmuscle m body2 tip\nmuscle m Q_type 64\nmuscle m k2a 9\nmuscle m k2b 4\n"
    )
    session("joint arm q .1\n")
    assert session.constants("joint arm Q\njoint tip Q") == pytest.approx([-9 * 0.1, -6 * 0.1])


def test_sticky_feet_hold_on_a_moving_pull(session, tmp_path):
    session(CUBE + "groundfric 0\nmove a 0 0 .1\nsetrootpos\ngo 100\ngroundstickeA 50\ngroundstickeB 100\n")
    session("bodygroundstick a on\ngo 20\nextbias a 20 0 0 0 0 0\ngo 100\n")
    held = session.interpreter.worlds.corpus.pose[0, 3]
    assert 0.0 < held < 0.01
    session("dumpcontacts s.txt\n")
    rows = [line.split() for line in (tmp_path / "s.txt").read_text().splitlines()]
    assert len(rows) == 8 and sum(float(row[2]) for row in rows) == 4
    session("groundk 20001\ngo 50\n")  # built anew, it still holds on to the same places
    assert session.interpreter.worlds.corpus.pose[0, 3] == pytest.approx(held, abs=1e-4)
    session("loadcontacts s.txt\nbodygroundstick a off\ngo 50\n")
    assert session.interpreter.worlds.corpus.pose[0, 3] > held + 0.1


def test_worlds_have_their_own_clocks(session):
    session(CUBE + "ground off\ngo 10\naddworld v\naddcorpus e\nget z from unit_cube\naddbody z z 0 0 1 rotary 1\n")
    session("setroot z\ncorpusinit\ndt .5\ngo 1\n")
    assert session("time\nsetworld w\ntime\npushtime\ninctime\ntime\npoptime\ntime") == [
        "time: 0.5", "time: 0.1", "time: 0.11", "time: 0.1",
    ]  # fmt: skip


def test_what_is_said_about_frames(session):
    session(PENDULUM)
    assert session("go") == []
    assert session("verbose extra\ngo")[0].startswith("time 0.04: ")
    assert "energy" in session("verbose super\ngo")[0]
    assert len(session("verbose detailed\ngo 1")) == 3


def test_integrate_off_keeps_a_figure_still(session):
    session(PENDULUM + "joint arm q .3\nintegrate c off\ngo 5\n")
    assert q(session, "arm") == 0.3
    session("integrate c on\ngo 5\n")
    assert q(session, "arm") > 0.3


LEGS = """
addworld w
ground off
grav off
addcorpus c
get base from unit_cube
get b from unit_cube
addbody base base 0 0 1 rotary 1000
addbody b b 1 0 0 sliding 10
linkbodies base b
setroot base
corpusinit
rootmotion fixed
dt .005
addroach r
metabolism .05
"""


def gait(session, speed, frames):
    programs = "".join(f"procom {n}\n@ {n}\n.\nretcom {n}\n@ -{n}\n.\n" for n in range(6))
    return session(LEGS + programs + f"speed {speed}\ngaitinit\ngo {frames}\n")


def test_the_tripod_gait_at_top_speed(session):
    steps = [line for line in gait(session, 1, 70) if not line.startswith("-")]
    tripods = [set(steps[k : k + 3]) for k in range(0, 15, 3)]
    assert tripods[0] in ({"0", "3", "4"}, {"1", "2", "5"})
    assert all(one | two == set("012345") for one, two in zip(tripods, tripods[1:]))


def test_the_wave_gait_when_slow(session):
    steps = [line for line in gait(session, 3, 130) if not line.startswith("-")]
    order = "".join(steps)
    assert any(turn in order for turn in ("420531", "205314", "053142", "531420")), order


def test_reflexes(session):
    gait(session, 1000, 1)
    session("stepreflex on\nlegstepreflex 2 b .5 +\njoint b q 1\n")
    assert session("go 1\nlegstatus 2")[0] == "2"
    session("loadreflex on\nlegloadreflex 3 b 1\nlegstepreflex 3 b .5 +\njoint b Q_type 4\njoint b Q 5\n")
    assert "3" not in session("go 2")
    session("joint b Q 0\n")
    assert "3" in session("go 2")


@pytest.mark.parametrize("words", ["speed .4", "speed 0", "speed .5"])
def test_a_speed_that_leaves_no_stance_is_refused_at_once(session, words):
    gait(session, 1, 1)
    with pytest.raises(ScriptError, match=r"speed (of|must be positive)"):
        session(words)
    assert session.interpreter.worlds.gait.speed == 1.0
    session("speed .6\ngo 1")


def test_a_leg_may_change_what_is_simulated(session):
    """Its commands run in mid-run; what they change holds from that frame on."""
    session(LEGS + "procom 0\njoint b q .25\n@ moved\n.\nspeed 1000\ngaitinit\nstepreflex on\nlegstepreflex 0 b .5 +\n")
    session("joint b q 1\n")
    assert "moved" in session("go 1")
    assert q(session, "b") == pytest.approx(0.25)


def test_an_interrupted_go_takes_its_bar_away(session, monkeypatch):
    told = []
    gait(session, 1, 1)
    world = session.interpreter.worlds.current
    monkeypatch.setattr(session.interpreter, "progress", lambda done, total: told.append((done, total)))

    def interrupted(dt):
        raise KeyboardInterrupt

    monkeypatch.setattr(world.engine, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session("go 50")
    assert told == [(0, 50), (50, 50)]


def test_a_smooth_change_of_speed_loses_and_doubles_no_step(session):
    programs = "".join(f"procom {n}\n@ {n}\ntime\n.\n" for n in range(6))
    said = session(LEGS + programs + "speed 3\ngaitinit\ndeltaspeed -.05\ntimer .05 incrspeed\ngo 600\n")
    times = {str(n): [] for n in range(6)}
    for leg, time in zip(said[::2], said[1::2]):
        times[leg].append(float(time.split(":")[1]))
    assert session.interpreter.worlds.gait.speed == 1.0
    for steps in times.values():
        gaps = np.diff(steps)
        assert len(gaps) > 12 and gaps.max() < 0.36 and gaps.min() > 0.085


def test_laws_beyond_their_range_are_reported(session):
    session(CUBE + "groundk 0\ngroundb 0\ngroundea 1\ngroundeB 500\ngroundemaxz .002\nmove a 0 0 .11\nsetrootpos\n")
    assert any("beyond what they are good for" in line for line in session("go 30"))


def test_the_attachment_obeys_its_restitution(session):
    session(CUBE + "ground off\ngrav off\nattach a ground 0 0 0 .5 0 0 80 0 0 .25\n")
    session("setv a -1 0 0 0 0 0\n")
    assert session.constants("attachf a")[0] == pytest.approx(40, rel=1e-3)
    session("setv a 1 0 0 0 0 0\n")
    assert session.constants("attachf a")[0] == pytest.approx(10, rel=1e-3)
