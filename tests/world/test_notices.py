"""What is suspicious but no error is said once, with its numbers; what is sound is not."""

import contextlib
import dataclasses
import warnings

import numpy as np
import pytest

import gambol
from gambol import (
    Actuator,
    Anchor,
    Around,
    BallSpring,
    Body,
    BodyContact,
    Boundary,
    Cable,
    Cylinder,
    ExponentialSpring,
    Figure,
    GroundContact,
    Joint,
    JointLimit,
    JointSpring,
    Mass,
    Muscle,
    NoticeWarning,
    Part,
    Placement,
    Pulley,
    Simulation,
    SingularMassError,
    Sphere,
    StepError,
    Stepping,
    Surface,
    Tendon,
    TendonActuator,
    Via,
    World,
    box_figure,
    chain,
)

HINGE = (0.0, 1.0, 0.0)
SURFACE = Surface(stiffness=1e4, damping=1.0, friction=0.5)
pytestmark = pytest.mark.filterwarnings("ignore::gambol.NoticeWarning")


def ball(*, contact=True, gravity=(0.0, 0.0, -9.81)):
    body = Body("ball", joint=Joint("free"), parts=(Part(Sphere(0.1)),))
    forces = [GroundContact(body="ball", points=[(0, 0, 0)], radius=0.1, surface=SURFACE)] if contact else []
    return World(Figure("toy", (body,)), gravity=gravity, forces=forces)


def rod(**joint):
    mass = Mass(1.0, (0.0, 0.0, -0.5), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    return Figure("rod", (Body("rod", joint=Joint("hinge", HINGE, **joint), mass=mass),))


def said(sim, text):
    found = [notice for notice in sim.notices if text in str(notice)]
    assert len(found) == 1, [str(notice) for notice in sim.notices]
    assert found[0].remedy and found[0].numbers and found[0].where
    return found[0]


# ---------------------------------------------------------------- of the description
def test_a_range_in_degrees():
    world = World(rod(range=(0.0, 90.0)))
    notice = said(Simulation(world), "looks like degrees")
    assert "0 … 1.571" in notice.remedy and notice.where == "rod/rod" and world.notices == (notice,)
    given = World(rod(), forces=[JointLimit(joint="rod", lower=-45.0, upper=45.0, stiffness=10.0)])
    assert "looks like degrees" in str(given.notices[0])
    assert not World(rod(range=(-3.0, 3.0))).notices


@pytest.mark.parametrize(("part", "text"), [
    (Part(Sphere(0.1), density=1e6), "kg/m³, more than any matter"),
    (Part(Sphere(0.1), density=1e-3), "kg/m³, less than any matter"),
    (Part(Sphere(100.0)), "its mass is 4.19e+09 kg, above any body's"),
])  # fmt: skip
def test_absurd_masses(part, text):
    world = World(Figure("toy", (Body("ball", joint=Joint("free"), parts=(part,)),)))
    assert any(text in str(notice) for notice in world.notices)


def test_sound_models_have_none():
    for figure in (gambol.models.hexapod_figure() if hasattr(gambol.models, "hexapod_figure") else rod(), rod()):
        assert not World(figure).notices


# ---------------------------------------------------------------- of the start
def test_started_inside_the_ground():
    sim = Simulation(ball())
    sim.reset({"ball": (0, 0, -100.0, 1, 0, 0, 0)})
    with pytest.warns(NoticeWarning, match=r"toy/ball|ball: starts 100 m inside the ground: springs hold .* J"):
        sim.run(1e-3)
    notice = said(sim, "inside the ground")
    assert notice.numbers["depth"] == pytest.approx(100.1) and notice.numbers["speed"] > 1e3
    sim.reset({"ball": (0, 0, 0.0999, 1, 0, 0, 0)})
    sim.run(1e-3)
    assert not sim.notices


def test_a_cylinder_and_one_of_many_worlds_inside_the_ground():
    figure = Figure("can", (Body("can", joint=Joint("free"), parts=(Part(Cylinder(0.1, 0.2)),)),))
    for options, where in (({}, "springs hold"), ({"worlds": 3}, "in world 1")):
        sim = Simulation(World(figure, forces=GroundContact.of_figure(figure, SURFACE)), **options)
        start = np.tile([0, 0, 1.0, 1, 0, 0, 0], (sim.worlds, 1))
        start[sim.worlds // 2, 2] = -5.0
        sim.reset(start if sim.worlds > 1 else start[0])
        sim.run(1e-4)
        assert said(sim, where).numbers["depth"] == pytest.approx(5.1)


def test_bodies_that_start_inside_one_another():
    """By more than a quarter of the thinner one; of several pairs the deepest. Those that rest are not spoken of."""
    figures = [box_figure((0.2,) * 3, mass=1.0, name=n) for n in "abc"]
    world = World(figures, (0, 0, 0), BodyContact.of_figures(figures, SURFACE))
    for options, words in (({}, "springs hold"), ({"worlds": 3}, "in world 2")):
        sim = Simulation(world, **options)
        apart = np.tile(sim.layout.zero, (sim.worlds, 1))
        apart[:, [7, 14]] = 0.199, 0.4
        for x, told in ((0.199, False), (0.06, True)):
            apart[-1, 7] = x
            sim.reset(apart if sim.worlds > 1 else apart[0])
            sim.run(1e-4)
            if told:
                notice = said(sim, "inside")
                assert words in notice.what and notice.numbers["depth"] == pytest.approx(0.14, abs=1e-3)
                assert notice.numbers["pairs"] == 1
            else:
                assert not sim.notices


def test_a_notice_is_given_once_as_a_warning():
    sim = Simulation(ball())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            sim.reset({"ball": (0, 0, -1.0, 1, 0, 0, 0)})
            sim.run(1e-3)
            sim.run(1e-3)
    assert len(caught) == 1 and isinstance(caught[0].message, NoticeWarning) and len(sim.notices) == 1


def test_started_beyond_a_stop():
    sim = Simulation(World(rod(range=(-0.5, 0.5))))
    sim.reset([2.0])
    sim.run(1e-3)
    assert said(sim, "beyond its stop (-0.5 … 0.5)").numbers["beyond"] == pytest.approx(1.5)


def test_what_an_exponential_stop_holds():
    limit = JointLimit(joint="rod", lower=-0.5, upper=0.5, stiffness=10.0, strength=2.0, rise=3.0, name="stop")
    sim = Simulation(World(rod(), forces=[limit]))
    sim.reset([1.0])
    held = sim.mechanics.energies(sim.q, sim.v)["stored"]
    sim.run(1e-3)
    assert said(sim, "beyond its stop").numbers["energy"] == pytest.approx(held) and held > 1.25


def test_a_ball_joint_started_beyond_its_stop():
    joint = Joint("ball", range=(0.0, 0.5))
    arm = Figure("arm", (Body("arm", joint=joint, mass=Mass(1.0, (0, 0, -0.5), (0.1,) * 3 + (0.0,) * 3)),))
    sim = Simulation(World(arm))
    sim.reset([np.cos(0.6), np.sin(0.6), 0.0, 0.0])
    sim.run(1e-3)
    assert said(sim, "beyond its stop (0 … 0.5)").numbers["beyond"] == pytest.approx(0.7)


# ---------------------------------------------------------------- of springs
HARD = {
    "muscle": Muscle(path=[("a", (0, 0, 0)), ("b", (0, 0, 0))], stiffness=1e12),
    "muscle to the world": Muscle(path=[("a", (0, 0, 0)), ("", (0, 0, 1.0))], stiffness=1e12),
    "pulley": Pulley(
        body="a",
        point=(0, 0, 0.2),
        other="a",
        other_point=(0, 0, -0.2),
        pulley="b",
        centre=(0, 0, 0),
        axis=HINGE,
        radius=0.05,
        stiffness=1e12,
    ),
    "contact": BodyContact(body="a", other="b", surface=Surface(stiffness=1e14)),
}


@pytest.mark.parametrize("name", HARD)
def test_what_is_too_stiff_between_bodies_is_told_too(name):
    figures = [box_figure((0.2,) * 3, mass=1.0, name=n) for n in "ab"]
    soft = dataclasses.replace(HARD[name], **{"surface": SURFACE} if name == "contact" else {"stiffness": 1e3})
    for element, told in ((HARD[name], True), (soft, False)):
        sim = Simulation(World(figures, forces=[element]), stepping=Stepping(max_attempts=3))
        sim.reset({"a": (0, 0, 0, 1, 0, 0, 0), "b": (0, 0.3, 0.4, 1, 0, 0, 0)})
        with contextlib.suppress(StepError):
            sim.run(1.0)
        if told:
            assert said(sim, "it swings in").numbers["period"] < 1e-5
        else:
            assert not sim.notices


HARD_ON_A_SLIDE = {
    "joint": JointSpring(joint="block", stiffness=1e12, name="hard"),
    "point": Anchor(body="block", place=(0.0, 0.0, 0.0), stiffness=1e12, name="hard"),
    "exponential": ExponentialSpring(joint="block", strength=1e10, rise=100.0, name="hard"),
    "servo": Actuator(joint="block", stiffness=1e12, name="hard"),
    "tendon": Tendon(arms={"block": 2.0}, stiffness=2.5e11, name="hard"),
    "tendon's servo": TendonActuator(arms={"block": 2.0}, stiffness=2.5e11, name="hard"),
    "cable": Cable(path=(Via("block"), Via("", (0.0, 0.0, 1.0))), stiffness=1e12, taut=1.0, name="hard"),
    "stop of a cable": Cable(arms={"block": 2.0}, stop_stiffness=2.5e11, most=1.0, name="hard"),
}


@pytest.mark.parametrize("spring", HARD_ON_A_SLIDE)
def test_a_spring_far_too_stiff(spring):
    body = Body("block", joint=Joint("slide", (0.0, 0.0, 1.0)), mass=Mass(1.0, (0, 0, 0), (0.1,) * 3 + (0.0,) * 3))
    sim = Simulation(World(Figure("slider", (body,)), gravity=(0, 0, 0), forces=[HARD_ON_A_SLIDE[spring]]))
    sim.run(1.0)  # at rest: quick
    notice = said(sim, "hard: it swings in 6.3e-06 s")
    assert notice.numbers["period"] == pytest.approx(2 * np.pi * 1e-6, rel=1e-6)
    assert notice.numbers["swings"] == pytest.approx(1 / notice.numbers["period"])


def test_a_ball_spring_far_too_stiff():
    arm = Body("arm", joint=Joint("ball"), mass=Mass(1.0, (0, 0, 0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0)))
    sim = Simulation(World(Figure("arm", (arm,)), forces=[BallSpring(joint="arm", stiffness=1e11, name="hard")]))
    sim.run(1.0)
    assert said(sim, "hard: it swings in 6.3e-06 s").numbers["period"] == pytest.approx(2 * np.pi * 1e-6, rel=1e-6)


def weights(x, rope):
    """1 and 2 kg on two sides of a pulley of 0.1 m, a metre below it, their string at x from its middle."""
    slide = Joint("slide", (0.0, 0.0, 1.0))
    figures = [Figure(n, (Body(n, joint=slide, mass=Mass.point(m)),)) for n, m in (("a", 1.0), ("b", 2.0))]
    hub = Figure("hub", (Body("hub", placement=Placement((0.0, 0.0, 1.0)), parts=(Part(Sphere(0.01)),)),))
    common = dict(stiffness=1e6, damping=100.0, name="rope")
    if rope == "pulley":
        ends = dict(body="a", point=(-x, 0, 0), other="b", other_point=(x, 0, 0), centre=(0, 0, 0))
        own = Pulley(**ends, pulley="hub", axis=HINGE, radius=0.1, rest=2.0 + 0.1 * np.pi, **common)
    else:
        around = Around(
            "hub", Placement.about((1, 0, 0), 0.5 * np.pi), 0.1, cylinder=True, side=Via("hub", (0, 0, 0.3))
        )
        own = Cable(path=(Via("a", (-x, 0, 0)), around, Via("b", (x, 0, 0))), taut=2.0 + 0.1 * np.pi, **common)
    return Simulation(World([*figures, hub], forces=[own]))


@pytest.mark.parametrize(
    "rope, x", [("pulley", 0.2), ("pulley", 0.1), ("pulley", 0.09), ("cable", 0.1), ("cable", 0.09)]
)
def test_atwoods_machine_is_right_or_told(rope, x):
    """a = g/3. Half a turn round a Pulley, and more, is taken for straight; a Cable goes round."""
    sim = weights(x, rope)
    sim.elements["rope"].set("rest" if rope == "pulley" else "taut", sim.elements["rope"].report()["length"])
    told = rope == "pulley" and x <= 0.1
    with contextlib.suppress(StepError):
        sim.run(0.3)
    assert bool(sim.notices) == told
    if told:
        assert abs(said(sim, "about half a turn").numbers["turn"]) > 3.0
    else:
        assert sim.v == pytest.approx([0.981, -0.981], rel=0.01)  # at 0.2 m the string leans by 0.1 rad


def test_a_fixed_step_that_does_not_follow():
    body = Body("block", joint=Joint("slide", (0.0, 0.0, 1.0)), mass=Mass(1.0, (0, 0, 0), (0.1,) * 3 + (0.0,) * 3))
    soft = JointSpring(joint="block", stiffness=1e4, name="spring")
    world = World(Figure("slider", (body,)), gravity=(0, 0, 0), forces=[soft])
    for step, count in ((0.05, 1), (0.005, 0)):
        sim = Simulation(world, stepping=Stepping(method="rk4", step=step))
        sim.run(0.1)
        assert len(sim.notices) == count
    sim = Simulation(world, stepping=Stepping(method="implicit-euler", step=0.05))
    sim.run(0.1)
    assert not sim.notices


# ---------------------------------------------------------------- of the end
def test_what_falls_through_the_ground():
    for options in ({"stepping": Stepping(max_step=1e-2)}, {}, {"worlds": 3}):  # in few steps, and in a batch
        sim = Simulation(ball(contact=False), **options)
        sim.reset({"ball": (0, 0, 1.0, 1, 0, 0, 0)})
        sim.run(2.0)
        notice = said(sim, "below the ground")
        assert notice.numbers["depth"] == pytest.approx(0.5 * 9.81 * 4 - 1) and "GroundContact" in notice.remedy


def test_a_ball_on_the_ground_is_nothing_to_speak_of():
    sim = Simulation(ball())
    sim.reset({"ball": (0, 0, 0.3, 1, 0, 0, 0)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(1.0, every=0.01)
    assert not sim.notices


# ---------------------------------------------------------------- energy
def test_a_stepper_that_makes_energy():
    sim = Simulation(World(rod()), stepping=Stepping(method="euler", step=0.01))
    sim.reset([1.0])
    sim.run(10.0)
    notice = said(sim, "the stepper made")
    verdict = sim.energy_ledger.verdict()
    assert verdict.word == "wrong" and notice.numbers["share"] == pytest.approx(verdict.share, rel=0.5)
    assert "a shorter step than 0.01 s" in notice.remedy and "most of the motion is that of rod/rod" in notice.what
    spring = JointSpring(joint="rod", stiffness=20.0, name="spring")
    sprung = Simulation(World(rod(), forces=[spring]), stepping=Stepping(method="euler", step=0.01))
    sprung.reset([1.0])
    sprung.run(10.0)
    assert "the largest line of the ledger is work of joint_spring" in said(sprung, "the stepper made").what


def test_a_short_run_that_loses_energy_is_told_too():
    """Twenty implicit steps of 20 ms, 0.4 s, of a swing of 0.28 s that nothing damps."""
    spring = JointSpring(joint="rod", stiffness=200.0)
    sim = Simulation(World(rod(), (0, 0, 0), [spring]), stepping=Stepping(method="implicit-euler", step=0.02))
    sim.reset([0.5])
    sim.run(0.4)
    assert said(sim, "the stepper made").numbers["share"] > 0.1


def test_a_gravity_that_somebody_changes_is_not_the_steppers():
    sim = Simulation(World(rod()), stepping="rkf45")
    sim.reset([1.0])
    sim.run(1.0)
    sim.gravity = (0.0, 0.0, -30.0)
    sim.run(3.0)
    assert not sim.notices


def test_words_of_the_ledger():
    def word(**stepping):
        sim = Simulation(World(rod()), stepping=Stepping(**stepping))
        sim.reset([1.0])
        sim.run(10.0)
        return sim.energy_ledger.verdict()

    assert word(method="rkf45").word == "good" and word(method="rkf45").share < 1e-6
    assert word(method="euler", step=3e-4).word == "look"


# ---------------------------------------------------------------- mass that is not there
def coaxial(**joint):
    solid = Mass(1.0, (0.2, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    return Figure(
        "arm",
        (
            Body("upper", joint=Joint("hinge", HINGE), mass=solid),
            Body("idle", "upper", Joint("hinge", HINGE, **joint)),
            Body("lower", "idle", Joint("hinge", HINGE), mass=solid),
        ),
    )


def test_a_massless_link_between_coaxial_hinges():
    with pytest.raises(SingularMassError, match="singular in every position") as caught:
        Simulation(World(coaxial()))
    assert caught.value.joints == ("arm/idle", "arm/lower")
    Simulation(World(coaxial(armature=1e-3)))


def test_a_spring_holds_a_massless_link_in_implicit_steps():
    """Nothing there has an acceleration, but a linearly implicit step is sound: a notice."""
    figure = coaxial(stiffness=5.0, damping=0.1)
    sim = Simulation(World(figure))
    assert "singular" in str(said(sim, "the mass matrix is singular in every position"))
    sim.run(0.1)
    assert np.all(np.isfinite(sim.q))
    with pytest.raises(SingularMassError):
        Simulation(World(figure), stepping="rkf45")


def test_a_point_mass_on_its_own_axis():
    with pytest.raises(SingularMassError, match=r"arm/bob \(\+1\) moves no mass"):
        Simulation(World(Figure("arm", (Body("bob", joint=Joint("hinge", HINGE), mass=Mass.point(1.0)),))))


def test_a_start_where_axes_align():
    """Two hinges whose axes are parallel at zero only: the world is sound, this start is not."""
    first, last = Mass(1.0, (0.2, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0)), Mass.point(1.0, (0.0, 0.0, -1.0))
    bodies = (
        Body("upper", joint=Joint("hinge", HINGE), mass=first),
        Body("yaw", "upper", Joint("hinge", (0.0, 0.0, 1.0))),
        Body("bob", "yaw", Joint("hinge", HINGE), mass=last),
    )
    sim = Simulation(World(Figure("arm", bodies), boundaries=[Boundary(name="t", watch="time", value=1.0)]))
    with pytest.raises(SingularMassError, match=r"where the run begins: arm/yaw \(\+1\) moves no mass"):
        sim.run(0.1)  # the bob hangs on the axis of the yaw
    sim.reset({"bob": 0.5})
    sim.run(0.1)


def test_figures_with_mass_are_not_looked_at(monkeypatch):
    monkeypatch.setattr("gambol.world.singular_mass.motion_without_mass", None)
    Simulation(World(box_figure((0.1, 0.1, 0.1), mass=1.0)))


@pytest.mark.parametrize(
    "dtype, eps, told", [(np.float32, 1e-5, True), (np.float32, 1e-3, False), (np.float64, 1e-11, False)]
)
def test_a_tolerance_below_rounding_is_told(dtype, eps, told):
    sim = Simulation(World(chain(2)), dtype=dtype, worlds=2, stepping=Stepping(method="rkf45", eps=eps))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.run(0.01)
    assert told == any("below what float32 resolves" in str(w.message) for w in caught)


def test_the_default_tolerance_of_float32_is_one_it_can_hold():
    assert Simulation(World(chain(2)), dtype=np.float32).stepping.eps > 1e-4
    assert Simulation(World(chain(2))).stepping.eps == 1e-9


def test_elements_that_go_by_the_mass_described_are_named():
    """Gravity between bodies, and springs scaled by a mass, where a world is given other masses."""
    figures = [rod(), dataclasses.replace(rod(), name="other")]
    springs = [JointSpring(joint="rod/rod", stiffness=5.0, scaled_by="distal mass", name="scaled")]
    world = World(figures, forces=[*springs, JointSpring(joint="other/rod", stiffness=5.0)])
    sim = Simulation(world, worlds=2, own_masses=True)
    heavy = Mass(2.0, (0.0, 0.0, -0.5), (0.2, 0.2, 0.2, 0.0, 0.0, 0.0))
    for _ in range(2):
        sim.bodies["other/rod"].set_mass(heavy)
        sim.bodies["rod/rod"].set_mass(heavy, worlds=[1])
    assert said(sim, "scaled goes by the mass described").where == "rod/rod" and len(sim.notices) == 1


def test_a_start_is_looked_at_again_unless_nothing_was_found_in_the_same():
    figure = box_figure((0.2, 0.2, 0.2), mass=1.0)
    sim = Simulation(World(figure, forces=GroundContact.of_figure(figure, Surface(stiffness=1e4))))
    above, inside = sim.q.copy(), sim.q.copy()
    above[2], inside[2] = 0.2, -0.3
    looked = []
    search = sim._watchdog._search_start
    sim._watchdog._search_start = lambda times: (looked.append(1), search(times))
    for start, times, found in ((above, 1, 0), (above, 1, 0), (inside, 2, 1), (inside, 3, 1), (above, 4, 0)):
        sim.reset(start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sim.run(0.01)
        assert len(looked) == times and len([n for n in sim.notices if "inside the ground" in n.what]) == found
    sim.reset(above)
    sim.gravity = (0.0, 0.0, -1.0)
    sim.run(0.01)
    assert len(looked) == 5
