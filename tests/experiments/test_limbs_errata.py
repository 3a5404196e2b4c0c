"""Errata of Mitchell 1997 that a computation can confirm: the printed form fails, the corrected one holds."""

import numpy as np
import pytest

from gambol import Body, Figure, Joint, Mechanics, Nail, Placement, Simulation, World, chain
from gambol.control.arms import sanner_slotine
from gambol.control.arms.reference import reference
from gambol.figure.builders import random_mass
from gambol.figure.placement import multiply
from gambol.models.arms import slotine_li_arm

RNG = np.random.default_rng(11)


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def printed_hat(a):
    """(2.42) as printed: a1 and a3 have changed places."""
    return np.array([[0, -a[0], a[1]], [a[0], 0, -a[2]], [-a[1], a[2], 0]])


def test_R1_the_skew_matrix():
    a, b = RNG.normal(size=(2, 3))
    assert hat(a) @ b == pytest.approx(np.cross(a, b))
    assert not np.allclose(printed_hat(a) @ b, np.cross(a, b))


def quaternion_product(a, b, sign):
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[scalar], a[0] * b[1:] + b[0] * a[1:] + sign * np.cross(a[1:], b[1:])])


def test_R2_the_sign_of_the_quaternion_product():
    """dq/dt = ½ (0, ω) * q must be (2.44): ½ (−ω·v, sω + ω × v), with ω in the lab frame."""
    q = RNG.normal(size=4)
    q /= np.linalg.norm(q)
    omega = RNG.normal(size=3)
    rate = 0.5 * np.concatenate([[-omega @ q[1:]], q[0] * omega + np.cross(omega, q[1:])])
    turn = np.concatenate([[0.0], omega])
    assert 0.5 * quaternion_product(turn, q, +1) == pytest.approx(rate)
    assert not np.allclose(0.5 * quaternion_product(turn, q, -1), rate)
    assert multiply(turn, q) == pytest.approx(quaternion_product(turn, q, +1))
    # with the printed minus the product is that of ω in body axes
    assert quaternion_product(turn, q, -1) == pytest.approx(quaternion_product(q, turn, +1))


def nailed():
    body = Figure("body", (Body("body", joint=Joint("free"), mass=random_mass(np.random.default_rng(3))),))
    nail = Nail(name="nail", body="body", point=(0.3, 0.1, -0.2), place=(0.5, 0.4, 0.1), rate=4.0)
    sim = Simulation(World(body, constraints=[nail]))
    sim.v = np.array([0.4, -0.3, 0.8, 0.1, 0.2, -0.5])
    return sim


def test_R3_the_second_derivative_has_no_feedback_in_it():
    """D'' = A F + β, where β lacks the feedback that B has; (2.22) prints A F + B, which is zero by construction."""
    sim = nailed()
    moment = sim.constraints.now()
    m, q, v = sim.mechanics, sim.q, sim.v
    point = (0.3, 0.1, -0.2)
    J = m.jacobian(q, "body", point)[3:]
    second = J @ sim.acceleration + m.bias_acceleration(q, v, "body", point)[3:]
    D, D1 = moment.deviation["nail"], moment.rate["nail"]
    assert second == pytest.approx(-8.0 * D1 - 16.0 * D)
    A, B = sim.constraints._read("A").reshape(3, 3), sim.constraints._read("B")
    beta = B - 8.0 * D1 - 16.0 * D
    assert A @ moment.force["nail"] + beta == pytest.approx(second)
    assert A @ moment.force["nail"] + B == pytest.approx(np.zeros(3), abs=1e-12)


def test_2_19_and_2_20_of_a_single_body():
    """A = 1/m − r̂ I⁻¹ r̂ and β = F/m − r̂ I⁻¹ (T + L × ω) + ω × (ω × r), with r from the centre of mass."""
    sim = nailed()
    sim.constraints.now()
    body = sim.world.figures[0].bodies[0].mass_properties
    omega = sim.v[:3]
    r = np.array([0.3, 0.1, -0.2]) - np.asarray(body.centre)
    I = body.tensor
    A = np.eye(3) / body.mass - hat(r) @ np.linalg.inv(I) @ hat(r)
    assert sim.constraints._read("A").reshape(3, 3) == pytest.approx(A, rel=1e-10)
    beta = np.array([0, 0, -9.81]) - hat(r) @ np.linalg.inv(I) @ np.cross(I @ omega, omega)
    beta += np.cross(omega, np.cross(omega, r))
    moment = sim.constraints.now()
    B = beta + 8.0 * moment.rate["nail"] + 16.0 * moment.deviation["nail"]
    assert sim.constraints._read("B") == pytest.approx(B, rel=1e-9)


def phi(b):
    return np.block([[np.eye(3), hat(b)], [np.zeros((3, 3)), np.eye(3)]])


def body_matrix(mass, turn):
    """6 × 6 inertia at the body's origin, lab axes."""
    b = turn @ np.asarray(mass.centre)
    J = turn @ mass.tensor_about((0.0, 0.0, 0.0)) @ turn.T
    return np.block([[J, mass.mass * hat(b)], [-mass.mass * hat(b), mass.mass * np.eye(3)]])


def test_R4_R5_the_floating_pair_is_coupled():
    """The 7 × 7 inertia of a hinge on a floating body: the printed one is block diagonal."""
    rng = np.random.default_rng(8)
    masses = [random_mass(rng) for _ in range(2)]
    arm = np.array([0.4, -0.1, 0.3])
    figure = Figure(
        "pair",
        (
            Body("two", joint=Joint("free"), mass=masses[0]),
            Body("one", "two", Joint("hinge", (0.0, 0.6, 0.8)), Placement(tuple(arm)), mass=masses[1]),
        ),
    )
    mechanics = Mechanics(figure)
    q = np.array([0, 0, 0, 1.0, 0, 0, 0, 0.7])
    turn = mechanics.frames(q)["pair/one"]
    H = np.concatenate([turn @ [0.0, 0.6, 0.8], np.zeros(3)])  # H is the column [h; 0] (R4)
    M1, M2 = body_matrix(masses[1], turn), body_matrix(masses[0], np.eye(3))
    F = phi(arm)
    whole = np.block([[np.atleast_2d(H @ M1 @ H), (H @ M1 @ F.T)[None]], [(F @ M1 @ H)[:, None], M2 + F @ M1 @ F.T]])
    ours = mechanics.mass_matrix(q)
    order = [6, 0, 1, 2, 3, 4, 5]  # the hinge first
    assert ours[np.ix_(order, order)] == pytest.approx(whole, abs=1e-12)
    assert np.abs(whole[0, 1:]).max() > 0.01


def test_R6_forces_reach_the_joints_through_the_chain():
    """τ = H Φ 𝓕: without Φ the joints nearer to the base get the wrong torque."""
    mechanics = Mechanics(chain(3))
    q, force = np.array([0.3, 0.5, -0.4]), np.array([1.0, 0.0, 2.0])
    J = mechanics.jacobian(q, "chain_2", (0, 0, -1.0))
    right = J[3:].T @ force
    origins = mechanics.origins(q)
    tip = mechanics.point(q, "chain_2", (0, 0, -1.0))
    alone = [0.0, 0.0, np.cross(tip - origins["chain/chain_2"], force)[1]]
    assert right[2] == pytest.approx(alone[2])
    assert abs(right[0] - alone[0]) > 0.1


def test_R7_the_reference_torque():
    """τ_r = M a_r + C v_r − τ_ext: with it V_s' = −sᵀ K_d s + sᵀ (τ_c − τ_r) vanishes for a perfect compensator."""
    gravity = (0.0, -9.81, 0.0)
    mechanics = Mechanics(slotine_li_arm(), gravity)
    free = Mechanics(slotine_li_arm(), (0, 0, 0))
    q, v, target = np.array([0.4, 0.9]), np.array([0.7, -0.2]), sanner_slotine().at(0.6)
    ref = reference(q[None], v[None], target, np.array(9.0))
    from gambol.control.arms import ChainRegressor

    chain_ = ChainRegressor(free)
    model = chain_(q[None], v[None], ref.v_r, ref.a_r)[0] @ chain_.truth
    external = -mechanics.gravity_torque(q)
    M = mechanics.mass_matrix(q)
    for sign, perfect in ((-1.0, True), (+1.0, False)):
        torque = -ref.s[0] + model + sign * external
        acc = np.linalg.solve(M, torque - mechanics.bias(q, v))
        C_s = chain_(q[None], v[None], ref.s, np.zeros((1, 2)))[0] @ chain_.truth
        lack = M @ (acc - ref.a_r[0]) + C_s + ref.s[0]  # M s' + C s + K_d s
        assert np.allclose(lack, 0.0, atol=1e-9) == perfect


def test_R9_only_one_side_of_P_fits():
    s, features = RNG.normal(size=2), RNG.normal(size=8)
    P = np.eye(8)
    assert (np.outer(s, features) @ P).shape == (2, 8)
    with pytest.raises(ValueError):
        P @ np.outer(s, features)


def test_R14_gravity_counts_once():
    """A hanging chain at rest: β of its tip is J M⁻¹ τ with gravity in τ alone."""
    sim = Simulation(
        World(chain(2), constraints=[Nail(name="n", body="chain_1", point=(0, 0, -1.0), place=(0.4, 0, -1.6))])
    )
    sim.q = np.array([0.3, -0.2])
    m = sim.mechanics
    sim.constraints.now()
    J = m.jacobian(sim.q, "chain_1", (0, 0, -1.0))[3:]
    beta = sim.constraints._read("B") + sim.constraints._read("wanted")
    once = J @ np.linalg.solve(m.mass_matrix(sim.q), -m.gravity_torque(sim.q))
    assert beta == pytest.approx(once, abs=1e-10)
    assert not np.allclose(beta, 2 * once)


def test_R15_the_sigmoid_needs_its_rate():
    rate, t, h = 7.0, 0.3, 1e-6

    def sigma(t, k):
        return 1.0 / (1.0 + np.exp(-k * t))

    for k, holds in ((rate, True), (1.0, False)):
        slope = (sigma(t + h, k) - sigma(t - h, k)) / (2 * h)
        assert np.isclose(slope, rate * sigma(t, k) * (1 - sigma(t, k)), rtol=1e-6) == holds


def test_R16_the_task_has_two_frequencies():
    task = sanner_slotine()
    periods = 2 * np.pi / np.asarray(task.omega)
    assert periods[0] != periods[1]
    for joint, period in enumerate(periods):
        assert task.at(period).q[0, joint] == pytest.approx(task.at(0.0).q[0, joint])
