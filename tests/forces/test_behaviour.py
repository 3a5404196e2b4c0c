"""What single elements do over time: things that break and stick, pulses, meters, gravity between bodies."""

import math

import numpy as np
import pytest

from gambol import (
    Attachment,
    Body,
    ExponentialSpring,
    Figure,
    ForceCondition,
    Joint,
    JointMeter,
    JointSpring,
    Mass,
    PairGravity,
    Part,
    PointForce,
    Simulation,
    Sphere,
    Stepping,
    StickyContact,
    Surface,
    World,
    WorldError,
    chain,
    inverse_rest,
)

NOWHERE = (0.0, 0.0, 0.0)


def ball(mass=2.0, name="ball", joint="free"):
    return Figure(name, (Body(name, joint=Joint(joint), parts=(Part(Sphere(0.1), mass=mass),)),))


def slider(mass=2.0):
    return Figure(
        "slider", (Body("slider", joint=Joint("slide", (1, 0, 0)), mass=Mass(mass, inertia=(1,) * 3 + (0,) * 3)),)
    )


# ---------------------------------------------------------------- scripted forces
def test_an_impulse_gives_its_momentum():
    """However long the steps around it are: none passes its beginning or end."""
    kick = PointForce.impulse((3.0, 0.0, -1.0), start=0.537, duration=1e-4, body="ball")
    fine = {"rkf45": Stepping(step=0.5, method="rkf45"), "rk4": Stepping(method="rk4", step=1e-5)}
    fine["implicit-pair"] = Stepping(method="implicit-pair", step=0.3, eps=1e-7)
    for method, stepping in fine.items():
        sim = Simulation(World(ball(), NOWHERE, (kick,)), stepping=stepping)
        sim.run(0.537)
        assert np.all(sim.v == 0.0)
        sim.run(1.0)
        wanted = np.array([1.5, 0.0, -0.5])
        assert sim.v[3:] == pytest.approx(wanted, rel=1e-7 if method == "rkf45" else 1e-5)
        assert sim.q[:3] == pytest.approx(wanted * (1.0 - 0.5e-4), rel=1e-3)


def test_a_constant_push_is_exact_with_fixed_steps():
    push = PointForce(body="ball", force=(4.0, 0.0, 0.0), start=0.0333, duration=0.1111)
    sim = Simulation(World(ball(), NOWHERE, (push,)), stepping=Stepping(method="rk4", step=0.05))
    sim.run(1.0)
    assert sim.v[3] == pytest.approx(2.0 * 0.1111, rel=1e-13)


def test_pulses_come_again():
    push = PointForce(body="ball", force=(0.0, 2.0, 0.0), start=0.1, duration=0.03, period=0.17, name="push")
    for options in ({}, {"worlds": 3}, {"dtype": np.float32}):
        sim = Simulation(
            World(ball(), NOWHERE, (push,)), stepping=Stepping(method="rkf45", step=0.5, eps=1e-9), **options
        )
        sim.run(1.0)  # from 0.1, 0.27, 0.44, 0.61, 0.78, 0.95 on
        wanted = 6 * 0.03
        assert np.atleast_2d(sim.v)[:, 4] == pytest.approx(wanted, rel=1e-5 if "dtype" in options else 1e-9)


def test_worlds_with_pulses_of_their_own():
    push = PointForce(body="ball", force=(0.0, 2.0, 0.0), start=0.1, duration=0.03, name="push")
    sim = Simulation(World(ball(), NOWHERE, (push,)), worlds=3, stepping=Stepping(method="rkf45", step=0.5, eps=1e-9))
    sim.elements["push"].set("start", [0.1, 0.3, 9.0])
    sim.elements["push"].set("size", [1.0, 3.0, 1.0])
    sim.run(1.0)
    assert sim.v[:, 4] == pytest.approx([0.03, 0.09, 0.0], abs=1e-12)


@pytest.mark.parametrize("worlds", [1, 3])
def test_a_pulse_is_looked_up_again_where_it_was_moved_or_time_went_back(worlds):
    push = PointForce(body="ball", force=(0.0, 2.0, 0.0), start=5.0, duration=0.03, name="push")
    sim = Simulation(
        World(ball(), NOWHERE, (push,)), worlds=worlds, stepping=Stepping(method="rkf45", step=0.5, eps=1e-9)
    )
    begin = sim.save()
    sim.run(0.1)
    for start in (0.2, 0.4):
        sim.elements["push"].set("start", start)
        sim.run(0.2)
    assert np.atleast_2d(sim.v)[:, 4] == pytest.approx(2 * 0.03, rel=1e-9)
    sim.run(1.0)
    sim.restore(begin)
    sim.run(5.02)
    assert np.atleast_2d(sim.v)[:, 4] == pytest.approx(0.02, rel=1e-9)


def test_a_force_on_a_condition():
    """A fan that blows while the ball is below one metre."""
    fan = PointForce(
        body="ball", force=(0.0, 0.0, 40.0), when=ForceCondition(watch="height", body="ball", below=1.0), name="fan"
    )
    sim = Simulation(World(ball(), forces=(fan,)), stepping=Stepping(method="rkf45", eps=1e-9))
    sim.reset([0, 0, 0.9, 1, 0, 0, 0])
    assert sim.acceleration[5] == pytest.approx(20.0 - 9.81) and sim.elements["fan"].report()["force_z"][0] == 40.0
    sim.reset([0, 0, 1.1, 1, 0, 0, 0])
    assert sim.acceleration[5] == pytest.approx(-9.81) and sim.elements["fan"].report()["force_z"][0] == 0.0
    sim.run(1.0)
    assert sim.q[2] > 0.5


def test_conditions_on_joints():
    brake = PointForce(body="slider", force=(-5.0, 0, 0), when=ForceCondition(watch="speed", body="slider", above=0.0))
    stop = PointForce(
        body="slider", force=(-7.0, 0, 0), when=ForceCondition(watch="position", body="slider", above=2.0)
    )
    sim = Simulation(World(slider(), forces=(brake, stop)))
    for q, v, force in ((0.0, -1.0, 0.0), (0.0, 1.0, -5.0), (3.0, -1.0, -7.0), (3.0, 1.0, -12.0)):
        sim.reset([q], [v])
        assert sim.acceleration == pytest.approx([force / 2.0])
    with pytest.raises(WorldError, match="either `above` or `below`"):
        World(slider(), forces=(PointForce(body="slider", when=ForceCondition(watch="speed", body="slider")),))


def test_a_torque_turns():
    turn = PointForce(body="ball", torque=(0.0, 0.3, 0.0), duration=0.5)
    sim = Simulation(World(ball(), NOWHERE, (turn,)), stepping="rkf45")
    sim.run(1.0)
    inertia = 0.4 * 2.0 * 0.1**2
    assert sim.v[:3] == pytest.approx([0.0, 0.15 / inertia, 0.0], rel=1e-9) and np.abs(sim.v[3:]).max() < 1e-12


# ---------------------------------------------------------------- things that break, and stick
def test_an_attachment_breaks_at_its_length_and_stays_broken():
    line = Attachment(body="slider", stiffness=50.0, rest=0.5, breaks=0.8, name="line")
    sim = Simulation(World(slider(), NOWHERE, (line,)), stepping=Stepping(method="rkf45", step=1e-3, max_step=1e-3))
    sim.reset([0.5], [1.0])
    sim.run(0.05)
    assert sim.elements["line"].get("broken") == 0.0
    sim.run(0.6)
    assert sim.elements["line"].get("broken") == 0.0 and sim.q[0] < 0.8  # 0.5 + √(m/k) = 0.7 at most
    sim.reset([0.5], [2.0])
    before = sim.save()
    path = sim.run(1.0, every=1e-3)
    assert sim.elements["line"].get("broken") == 1.0
    free = path.q[:, 0] > 0.802
    assert np.ptp(path.v[free, 0]) < 1e-9  # nothing holds it any more
    kept = math.sqrt(4.0 - 50.0 / 2.0 * 0.3**2)
    assert path.v[-1, 0] == pytest.approx(kept, rel=5e-3)
    broken = sim.save()
    sim.restore(before)
    assert sim.elements["line"].get("broken") == 0.0
    sim.restore(broken)
    sim.q = [0.6]
    line = sim.elements["line"]
    assert line.get("broken") == 1.0 and sim.acceleration[0] == 0.0 and line.report()["tension"] == 0.0
    sim.elements["line"].set("broken", 0.0)
    assert sim.acceleration[0] == pytest.approx(-50.0 * 0.1 / 2.0)


def sticky_foot(breaks, sticky=True):
    """A foot that slides up and down in a cart that slides along: 2 kg together, pulled at 12 N from 0.3 s on."""
    cart = Body("cart", joint=Joint("slide", (1, 0, 0)), mass=Mass(1.0, inertia=(1,) * 3 + (0,) * 3))
    leg = Body("foot", "cart", Joint("slide", (0, 0, 1)), mass=Mass(1.0, inertia=(1,) * 3 + (0,) * 3))
    surface = Surface(stiffness=2e4, damping=300.0, friction=0.3, creep=1e-3)
    glue = dict(glue=2.0, glue_rise=200.0, glue_damping=40.0, breaks=breaks, sticky=sticky)
    foot = StickyContact(body="foot", points=((0, 0, 0),), surface=surface, name="foot", **glue)
    pull = PointForce(body="cart", force=(12.0, 0.0, 0.0), start=0.3)
    sim = Simulation(World(Figure("walker", (cart, leg)), forces=(foot, pull)), stepping=Stepping(eps=1e-4))
    sim.reset([0.0, -9.81 / 2e4])
    return sim


def test_a_sticky_foot_holds():
    """12 N against friction of 3: the glue must hold the rest, and in the end, when nothing slips, all of it."""
    sim = sticky_foot(breaks=1.0)
    assert sim.elements["foot"].get("stuck") == 0.0
    sim.run(0.2)
    assert sim.elements["foot"].get("stuck") == 1.0
    sim.run(2.0)
    told = sim.elements["foot"].report()
    stretch = math.log(12.0 / 2.0 + 1.0) / 200.0
    assert told["stuck"] == 1.0 and told["x"][0] == pytest.approx(stretch, rel=2e-2)
    assert told["force_x"][0] == pytest.approx(-12.0, rel=2e-2) and sim.elements["foot"].get("broken") == 0.0
    assert sim.elements["foot"].get("anchor_x") == pytest.approx(0.0, abs=1e-9)


def test_a_sticky_foot_breaks_and_sticks_again():
    sim = sticky_foot(breaks=5e-3)  # it would have to stretch by 10 mm
    sim.run(1.0)
    times = sim.elements["foot"].get("broken")
    assert times >= 2
    assert sim.elements["foot"].get("anchor_x") > 5e-3  # it holds on farther along
    saved = sim.save()
    sim.run(0.5)
    after = sim.elements["foot"].get("broken"), *sim.q
    assert after[0] > times
    sim.restore(saved)
    sim.run(0.5)
    assert (sim.elements["foot"].get("broken"), *sim.q) == after


def test_a_switched_off_foot_slides_and_can_be_switched_on():
    sim = sticky_foot(breaks=1.0, sticky=False)
    sim.run(0.5)
    assert sim.elements["foot"].get("stuck") == 0.0
    assert sim.v[0] > 0.3
    sim.elements["foot"].set("sticky", 1.0)
    sim.run(1.0)
    assert sim.elements["foot"].get("stuck") == 1.0 and abs(sim.v[0]) < 0.05
    sim.elements["foot"].set("sticky", 0.0)
    sim.run(0.1)
    assert sim.elements["foot"].get("stuck") == 0.0


# ---------------------------------------------------------------- meters, inverse control, gravity
def test_a_meter_averages_the_joint_force():
    """While an arm settles: the mean of all that acts at the joint is what holds its weight."""
    arm = chain(1, length=1.0, mass=2.0)
    hold = JointSpring(joint="chain_0", stiffness=40.0, damping=6.0, rest=math.pi / 2)
    meter = JointMeter(joint="chain_0", name="shoulder")
    sim = Simulation(World(arm, forces=(hold, meter)), stepping=Stepping(method="rkf45", eps=1e-10))
    sim.reset([math.pi / 2])
    sim.run(8.0)
    before = sim.measured("shoulder")
    sim.run(2.0)
    mean = (sim.measured("shoulder") - before) / 2.0
    held = sim.mechanics.gravity_torque(sim.q)[0]
    assert mean == pytest.approx(held, rel=1e-6) and abs(held) > 9.0
    assert sim.elements["shoulder"].report()["force"] == pytest.approx(held, rel=1e-6)
    assert "work of shoulder" not in sim.ledger() and abs(sim.ledger()["numerical"]) < 1e-7
    with pytest.raises(WorldError, match="shoulder"):
        sim.measured("sholder")


def test_inverse_control():
    """The rest position at which an exponential spring holds the arm where it is to stand."""
    arm, angle = chain(1, length=1.0, mass=2.0), 0.9
    world = World(arm)
    torque = Simulation(world).mechanics.gravity_torque([angle])[0]
    rest = inverse_rest(angle, torque, strength=5.0, rise=3.0)
    spring = ExponentialSpring(joint="chain_0", strength=5.0, rise=3.0, damping=4.0, rest=rest)
    sim = Simulation(World(arm, forces=(spring,)))
    sim.reset([angle])
    assert sim.acceleration == pytest.approx([0.0], abs=1e-12)
    sim.reset([angle - 0.3])
    sim.run(10.0)
    assert sim.q == pytest.approx([angle], abs=1e-4)
    assert inverse_rest(angle, -torque, strength=5.0, rise=3.0) == pytest.approx(2 * angle - rest)


def test_an_orbit_closes():
    """Two bodies about their common centre, once round an ellipse."""
    heavy, light = 3.0, 1.0
    pair = PairGravity(between=("sun", "moon"), G=2.0, core=0.0)
    world = World((ball(heavy, "sun"), ball(light, "moon")), NOWHERE, (pair,))
    sim = Simulation(world, stepping=Stepping(method="rkf45", eps=1e-12))
    far, a = 1.0, 0.7  # farthest distance and half the long axis
    speed = math.sqrt(2.0 * (heavy + light) * (2.0 / far - 1.0 / a))
    q = np.array([-far * 0.25, 0, 0, 1, 0, 0, 0, far * 0.75, 0, 0, 1, 0, 0, 0])
    v = np.array([0, 0, 0, 0, -speed * 0.25, 0, 0, 0, 0, 0, speed * 0.75, 0])
    sim.reset(q, v)
    period = 2 * math.pi * math.sqrt(a**3 / (2.0 * (heavy + light)))
    half = sim.run(0.5 * period)
    assert sim.q[7] - sim.q[0] == pytest.approx(-(2 * a - far), rel=1e-8)
    sim.run(0.5 * period)
    assert sim.q == pytest.approx(q, abs=1e-7) and sim.v == pytest.approx(v, abs=1e-6)
    books = sim.ledger()
    assert abs(books["numerical"]) < 1e-9 and abs(books["work of pair_gravity"]) < 1e-7
    assert half.time[-1] == pytest.approx(0.5 * period)
