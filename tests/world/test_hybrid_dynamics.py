"""Driven joints: their motion is given, their force is found. And first-order dynamics: forces make speeds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol import (
    Anchor,
    Body,
    Figure,
    GroundContact,
    Joint,
    JointSpring,
    Mechanics,
    Part,
    RestError,
    Simulation,
    Sphere,
    Stepping,
    Surface,
    World,
    WorldError,
    chain,
)
from trees import close, examples, seeds, tree

GRAVITY = (0.3, -1.7, -9.81)


def drive(figure, names):
    """The figure with the joints of these bodies driven."""
    return Figure(
        figure.name,
        tuple(replace(b, joint=replace(b.joint, driven=True)) if b.name in names else b for b in figure.bodies),
    )


def driven_speeds(figure):
    return np.concatenate([np.full(b.joint.speeds, b.joint.driven) for b in figure.order]).astype(bool)


def started(world, t, stepping=None):
    sim = Simulation(world, stepping=stepping)
    sim.reset(t.q, t.v)
    sim.command = t.tau
    return sim


# ---------------------------------------------------------------- driven joints
@examples(60)
@given(seeds, st.sampled_from((0.2, 0.5, 0.9, 1.0)))
def test_any_set_of_joints_may_be_driven(seed, share):
    """The equations of the whole system, split: accelerations given at D, forces at F."""
    t = tree(seed, passive=False)
    names = [b.name for b in t.figure.bodies if t.rng.uniform() < share]
    figure = drive(t.figure, names)
    m = Mechanics(figure, GRAVITY)
    sim = started(World(figure, GRAVITY), t)
    a, force = sim.acceleration, sim.joint_force
    M, bias = m.mass_matrix(t.q), m.bias(t.q, t.v)
    D = driven_speeds(figure)
    F = ~D
    expected = np.where(D, t.tau, 0.0)
    if F.any():
        expected[F] = np.linalg.solve(M[np.ix_(F, F)], (t.tau - bias)[F] - M[np.ix_(F, D)] @ t.tau[D])
    assert np.array_equal(a[D], t.tau[D])  # kept to the bit
    scale = max(np.abs(bias).max(), np.abs(M).max() * np.abs(a).max())
    condition = np.linalg.cond(M[np.ix_(F, F)]) if F.any() else 1.0
    close(a, expected, 1e-14 * max(condition, 1e4))
    close(force, M @ a + bias, scale=scale)
    close(force, m.inverse(t.q, t.v, a), scale=scale)
    close(force[F], t.tau[F], 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_force_at_a_driven_root_is_what_holds_the_figure(seed):
    """A driven free root: its force is the constraint force, equal to the reaction of the same motion by reactions."""
    t = tree(seed, 8, "free")
    figure = drive(t.figure, ["b0"])
    figure = figure.replace("b0", placement=replace(figure.root.placement, rotation=(1.0, 0.0, 0.0, 0.0)))
    sim = started(World(figure, GRAVITY), t)
    a, force = sim.acceleration, sim.joint_force
    wrench = sim.mechanics.reactions(t.q, t.v, a)["random/b0"]
    close(force[:6], wrench)
    # the same as a fixed root when held still
    t.tau[:6] = t.v[:6] = 0.0
    sim.reset(t.q, t.v)
    sim.command = t.tau
    pose = figure.poses(t.q)["b0"]
    fixed = figure.replace("b0", joint=replace(figure.root.joint, type="fixed", driven=False), placement=pose)
    still = Simulation(World(fixed, GRAVITY))
    still.reset(t.q[7:], t.v[6:])
    still.command = t.tau[6:]
    close(sim.acceleration[6:], still.acceleration)
    held = still.mechanics.reactions(t.q[7:], t.v[6:], still.acceleration)["random/b0"]
    close(sim.joint_force[:6], held)


@pytest.mark.parametrize("seed", range(3))
def test_drives_move_as_told_and_their_work_is_entered(seed):
    t = tree(seed, 7, "free", passive=True)
    figure = drive(Figure("bare", tuple(replace(b, joint=replace(b.joint, range=None)) for b in t.figure.bodies)),
                   ["b2", "b4"])  # fmt: skip
    sim = started(World(figure, GRAVITY), t, Stepping(method="rkf45", eps=1e-11))
    sim.run(0.2)
    D = driven_speeds(figure)
    close(sim.v[D], t.v[D] + 0.2 * t.tau[D], 1e-12)
    books = sim.ledger()
    assert abs(books["work of drives"]) > 1e-3
    assert abs(books["numerical"]) < 1e-8 * max(abs(x) for x in books.values())


def test_spring_at_a_driven_joint_is_not_counted_twice():
    figure = drive(chain(2), ["chain_1"])
    spring = JointSpring(joint="chain_1", stiffness=5.0, damping=0.3, rest=0.4)
    forces = []
    for elements in ((), (spring,)):
        sim = Simulation(World(figure, forces=elements), stepping=Stepping(method="rkf45", eps=1e-12))
        sim.reset((0.3, 0.1), (0.2, 0.7))
        sim.command = (0.0, 1.3)
        forces.append(sim.joint_force)
        sim.run(0.5)
        assert abs(sim.ledger()["numerical"]) < 1e-9
    close(forces[1] - forces[0], (0.0, 5.0 * (0.1 - 0.4) + 0.3 * 0.7), scale=1.0)  # the drive holds the spring as well


# ---------------------------------------------------------------- first order
@examples(25)
@given(seeds)
def test_first_order_speeds_solve_mass_times_speed_is_force(seed):
    """M v = f with every force at rest; dampers and the figure's own speed have no say."""
    t = tree(seed)
    anchor = Anchor(body=t.body, place=(0.1, 0.2, 0.3), stiffness=50.0, damping=20.0, point=(0.1, 0.0, 0.2))
    sim = started(World(t.figure, GRAVITY, forces=(anchor,)), t)
    m, before = sim.mechanics, sim.save()
    v = sim.first_order_velocity()
    assert sim.save().same(before)
    pull = 50.0 * (np.array(anchor.place) - m.point(t.q, anchor.body, anchor.point))
    f = t.tau - m.gravity_torque(t.q) + m.jacobian(t.q, anchor.body, anchor.point)[3:].T @ pull
    close(m.mass_matrix(t.q) @ v, f, scale=np.abs(t.tau).max())
    close(sim.joint_force, t.tau, scale=1.0)


def test_first_order_drives_move_at_their_command():
    t = tree(3, 6, "free")
    figure = drive(t.figure, ["b1", "b3"])
    sim = started(World(figure, GRAVITY), t)
    D = driven_speeds(figure)
    assert np.array_equal(sim.first_order_velocity()[D], t.tau[D])
    many = Simulation(World(figure, GRAVITY), worlds=2)
    many.reset(t.q, t.v)
    many.command = t.tau
    close(many.first_order_velocity()[1], sim.first_order_velocity())
    close(many.v[0], t.v, 0.0)


def test_pendulum_of_three_links_comes_to_hang_straight_without_swinging():
    """Fig. 24 of the source: the second-order pendulum swings on, the first-order one only sinks."""
    sim = Simulation(World(chain(3)))
    sim.reset((1.2, 0.5, -0.7))
    heights, energies, reach = [], [], []
    while len(heights) < 60:
        energies.append(sim.mechanics.potential_energy(sim.q))
        heights.append(sim.mechanics.point(sim.q, "chain_2", (0.0, 0.0, -1.0))[2])
        reach.append(sim.q[0])
        sim.relax(0.1)
    assert np.all(np.diff(energies) <= 1e-12) and energies[0] - energies[-1] > 1.0
    assert np.all(np.array(reach) > -0.05)  # the first link hardly passes the vertical, where it would swing to −1.2
    assert heights[-1] == pytest.approx(-3.0, abs=1e-3) and np.abs(sim.q).max() < 0.02
    assert not sim.v.any() and sim.time == 0.0
    swinging = Simulation(World(chain(3)))
    swinging.reset((1.2, 0.5, -0.7))
    path = swinging.run(3.0, every=0.05)
    assert path.q[:, 0].min() < -0.8


def hanging(*start):
    sim = Simulation(World(chain(3)))
    sim.reset(start or (1.2, 0.5, -0.7))
    return sim


def test_first_order_motion_is_as_accurate_as_asked():
    """In one go, in pieces, and against a tighter tolerance: the same state."""
    once, pieces, fine = hanging(), hanging(), hanging()
    once.relax(2.0)
    for _ in range(8):
        pieces.relax(0.25)
    fine.relax(2.0, eps=1e-9)
    assert np.abs(once.q - fine.q).max() < 1e-4 and np.abs(pieces.q - fine.q).max() < 1e-4


def test_rest_is_rest():
    sim = hanging(2.9, -2.0, 1.5)
    sim.relax()
    assert np.abs(sim.acceleration).max() <= 1e-4 and not sim.v.any() and sim.time == 0.0
    assert np.abs(np.cos(sim.q.cumsum()) - 1.0).max() < 1e-6  # it hangs straight down


def test_what_is_stiff_does_not_hover_about_its_rest():
    """A ball on ground of 1e4 and 1e6 N/m (its own time there is 0.4 ms and less) rests at m g / k."""
    ball = Body("ball", joint=Joint("free"), parts=(Part(Sphere(0.1), mass=4.0),))
    for stiffness in (1e4, 1e6):
        contact = GroundContact(body="ball", points=[(0, 0, 0)], radius=0.1, surface=Surface(stiffness=stiffness))
        sim = Simulation(World(Figure("ball", (ball,)), forces=[contact]))
        sim.reset([0.0, 0.0, 0.12, 1.0, 0.0, 0.0, 0.0])
        sim.relax(max_evaluations=5000)
        assert sim.q[2] == pytest.approx(0.1 - 4.0 * 9.81 / stiffness, abs=1e-6)


def test_how_far_from_rest_is_said():
    sim = hanging()
    said = r"did not come to rest \(0\.0001\).*largest acceleration there is .* of chain/"
    with pytest.raises(RestError, match=said) as caught:
        sim.relax(max_evaluations=50)
    assert caught.value.acceleration == pytest.approx(np.abs(sim.acceleration).max(), rel=0.5) and not sim.v.any()
    with pytest.raises(WorldError, match="duration must be a number of seconds, not nan"):
        sim.relax(np.nan)
