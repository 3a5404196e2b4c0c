"""Controllers of limbs: what the source states of them, and their learning rules against the formulas."""

import numpy as np
import pytest

from gambol import Mechanics, NoticeWarning, Simulation, World, WorldError
from gambol.control.arms import (
    PD,
    AdaptiveModel,
    ComputedTorque,
    Gates,
    Mixture,
    Reaches,
    Sinusoid,
    SplinePath,
    follow,
    normalised,
    sanner_slotine,
    two_link_regressor,
)
from gambol.control.arms.feedback import longest_period
from gambol.control.arms.reference import reference, s_energy
from gambol.control.arms.trajectories import Together, sweep
from gambol.control.arms.trial import L2
from gambol.models.arms import slotine_li_arm, two_link_parameters, uno_arm

LEVEL = (0.0, 0.0, 0.0)
TASK = sanner_slotine()


def arm(figure, worlds=1, gravity=LEVEL):
    return Simulation(World(figure, gravity=gravity), stepping="cash-karp", worlds=worlds)


TRAJECTORIES = [
    TASK,
    sweep([0.2, 0.7]),
    Reaches(np.array([[0.0, 0.5], [1.0, -0.3], [0.4, 0.9]])),
    SplinePath(np.array([[0.0, 0.5], [1.0, -0.3], [0.4, 0.9], [0.1, 0.0]])),
    Sinusoid(np.ones(3), np.ones((4, 3)), np.ones(3), (False, True, False)),
    Together([TASK, sweep([0.5])]),
]


@pytest.mark.parametrize("path", TRAJECTORIES, ids=lambda p: type(p).__name__)
def test_velocities_and_accelerations_are_derivatives(path):
    t, h = 0.731, 1e-5
    ahead, here, behind = (path.at(t + s) for s in (h, 0.0, -h))
    assert here.v == pytest.approx((ahead.q - behind.q) / (2 * h), abs=1e-8)
    assert here.a == pytest.approx((ahead.v - behind.v) / (2 * h), abs=1e-6)
    assert here.q.ndim == 2


def test_the_peak_speed_of_a_reach():
    reach = Reaches(np.array([[0.0, 0.0], [3.0, 4.0]]), segment=2.0, rate=10.0)
    speeds = [np.linalg.norm(reach.at(t).v) for t in np.linspace(0, 2, 401)]
    assert max(speeds) == pytest.approx(10.0 * 5.0 / 4.0)  # λ ‖Δ‖ / 4


def test_gates_sum_to_one():
    for experts in range(1, 9):
        gates = Gates.over([-1.0, -2.0], [2.0, 1.0], experts)
        q = np.random.default_rng(experts).uniform(-30, 30, (50, 2))
        assert gates(q).sum(axis=1) == pytest.approx(np.ones(50))
        assert np.all(gates(q) >= 0)
    assert Gates.over([-1.0], [1.0], 1)(np.array([[5.0]])) == pytest.approx(1.0)


def test_the_gradient_rule():
    """d(A_i)_jk/dt = −η g_i s_j a_r,k and the same for B with v_r (3.20)."""
    gates = Gates.over([-1.0, -1.0], [1.0, 1.0], 3)
    mixture = Mixture(gates, 9.0, 1.0, learning=0.02)
    rng = np.random.default_rng(4)
    q, v = rng.normal(size=(2, 1, 2))
    target = TASK.at(0.4)
    mixture.torque(q, v, target)
    mixture.learn(0.1)
    ref = reference(q, v, target, np.array(9.0))
    W = mixture.parameters().reshape(2, 3, 2, 2)  # joint, expert, (A, B), column
    for i, g in enumerate(gates(q)[0]):
        assert W[:, i, 0] == pytest.approx(-0.1 * 0.02 * g * np.outer(ref.s[0], ref.a_r[0]))
        assert W[:, i, 1] == pytest.approx(-0.1 * 0.02 * g * np.outer(ref.s[0], ref.v_r[0]))


def test_the_recursive_rule_shrinks_its_rates_where_excited():
    mixture = Mixture(Gates.over([-1.0, -1.0], [1.0, 1.0], 2), 9.0, 1.0, learning=0.5, rule="recursive")
    q, v = np.array([[0.2, 0.1]]), np.zeros((1, 2))
    mixture.torque(q, v, TASK.at(0.3))
    _, features = mixture._last
    before = mixture.covariance.copy()
    mixture.learn(1e-6)
    small = before - 1e-6 * before @ np.outer(features[0], features[0]) @ before
    assert np.linalg.eigvalsh(mixture.covariance[0]).min() > 0
    assert mixture.covariance[0] @ features[0] == pytest.approx(small[0] @ features[0], rel=1e-6)
    assert np.trace(mixture.covariance[0]) < np.trace(before[0])


def test_pd_settles_where_statics_say():
    """θ − τ_ext / K_p = θ_d: the sign that erratum R8 restores."""
    figure, gravity = uno_arm(), (0.0, -2.0, 0.0)
    sim = arm(figure, gravity=gravity)
    still = Sinusoid(np.array([0.3, 0.5]), np.zeros(2), np.ones(2), (False, False))
    follow(sim, PD(9.0, 1.0), still, adapt=0.0, measure=15.0)
    external = -Mechanics(figure, gravity=gravity).gravity_torque(sim.q)
    assert sim.q - external / 9.0 == pytest.approx([0.3, 0.5], abs=1e-5)
    assert not np.allclose(sim.q + external / 9.0, [0.3, 0.5], atol=1e-2)


def test_computed_torque_follows():
    sim = arm(slotine_li_arm())
    control = ComputedTorque(Mechanics(slotine_li_arm(), LEVEL), 100.0, 20.0)
    trial = follow(sim, control, TASK, adapt=0.0, measure=3.0, period=0.002)
    assert trial.L2[0] < 2e-3


def test_the_adaptive_model_with_the_truth_follows():
    figure = slotine_li_arm()
    sim = arm(figure)
    right = AdaptiveModel(two_link_regressor, 9.0, 1.0, learning=0.0, start=two_link_parameters(figure))
    wrong = AdaptiveModel(two_link_regressor, 9.0, 1.0, learning=0.0)
    good, bad = (follow(sim, c, TASK, adapt=0.0, measure=4.0, period=0.002).L2[0] for c in (right, wrong))
    assert good < 0.01 * bad


def test_s_energy_falls_with_the_right_model():
    """V = ½ sᵀ M s with V' = −sᵀ K_d s: the ½ that erratum R10 restores."""
    figure = slotine_li_arm()
    mechanics = Mechanics(figure, LEVEL)
    q, v = np.array([0.4, 0.7]), np.array([0.3, -0.5])
    target = TASK.at(0.9)
    ref = reference(q[None], v[None], target, np.array(9.0))
    model = AdaptiveModel(two_link_regressor, 9.0, 1.0, learning=0.0, start=two_link_parameters(figure))
    torque = model.torque(q[None], v[None], target)[0]
    acc = np.linalg.solve(mechanics.mass_matrix(q), torque - mechanics.bias(q, v))

    def energy(h):
        moved = q + h * v + 0.5 * h * h * acc
        s = reference(moved[None], (v + h * acc)[None], TASK.at(0.9 + h), np.array(9.0)).s[0]
        return s_energy(mechanics.mass_matrix(moved), s)

    rate = (energy(1e-5) - energy(-1e-5)) / 2e-5
    assert rate == pytest.approx(-float(ref.s[0] @ ref.s[0]), rel=1e-5)


@pytest.fixture(scope="module")
def trials():
    """PD, the adaptive model and two mixtures on two tasks of the heavy arm."""
    tasks = Together([TASK, sweep([0.5])])
    sim = arm(slotine_li_arm(), worlds=2)
    gates = [Gates.over([-0.5, -1.0], [3.0, 1.0], n) for n in (1, 4)]
    controllers = [PD(9.0, 1.0), AdaptiveModel(two_link_regressor, 9.0, 1.0, learning=0.01)]
    controllers += [Mixture(g, 9.0, 1.0, learning=0.01) for g in gates]
    return [follow(sim, c, tasks, adapt=20.0, measure=5.0, keep_parameters=c.name == "M4") for c in controllers]


def test_adaptive_controllers_beat_pd_and_the_model_beats_the_mixtures(trials):
    pd, model, m1, m4 = trials
    for trial in (model, m1, m4):
        assert np.all(normalised(trial, pd) < 0.5)
    assert np.all(model.L2 < np.minimum(m1.L2, m4.L2))


def test_parameters_keep_moving(trials):
    late = trials[3].parameters[-300:, 0]
    assert np.ptp(late, axis=0).max() > 1e-3 * np.abs(late).max()


def test_an_unstable_world_is_told_and_the_others_go_on():
    sim = arm(uno_arm(), worlds=2)

    class Mixed(PD):
        """The second world's gains are too high for the period."""

        def torque(self, q, v, target):
            tau = super().torque(q, v, target)
            tau[1] *= 200.0
            return tau

    trial = follow(sim, Mixed(9.0, 1.0), TASK, adapt=1.0, measure=2.0)
    assert trial.unstable.tolist() == [False, True]
    assert np.isfinite(trial.L2[0]) and np.isnan(trial.L2[1])


def test_one_world_of_many_is_the_world_alone():
    many = follow(arm(uno_arm(), worlds=3), PD(9.0, 1.0), sweep([0.2, 0.5, 0.9]), adapt=0.5, measure=1.0)
    alone = follow(arm(uno_arm()), PD(9.0, 1.0), sweep([0.5]), adapt=0.5, measure=1.0)
    assert many.L2[1] == pytest.approx(alone.L2[0], rel=1e-9)


def test_the_error_measure():
    times = np.linspace(0.0, 2.0, 2001)
    error = np.stack([np.full_like(times, 0.3), np.full_like(times, 0.4)], 1)[:, None, :]
    assert L2(error, times) == pytest.approx([0.5])


def test_faults():
    with pytest.raises(WorldError, match="no learning rule 'newton'"):
        Mixture(Gates.over([0.0], [1.0], 2), 1.0, 1.0, learning=0.1, rule="newton")
    with pytest.raises(WorldError, match="the trajectory has 2 joints, the limb 3"):
        from gambol import chain

        follow(arm(chain(3)), PD(1.0, 1.0), TASK)
    with pytest.raises(WorldError, match="damping must be positive"):
        PD(1.0, 0.0)
    with pytest.raises(WorldError, match="spread of gates must be positive"):
        Gates([[0.0]], 0.0)


def light_link():
    """1e-3 kg·m²: a light link for K_d = 1 N·m·s/rad."""
    from gambol import Body, Figure, Joint, Mass

    mass = Mass(0.1, (0.0, 0.0, 0.0), (1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0))
    return Figure("link", (Body("link", joint=Joint("hinge", (0.0, 0.0, 1.0)), mass=mass),))


SLOW = Sinusoid(np.array([0.3]), np.array([0.2]), np.array([3.0]), (False,))


def test_a_period_too_long_for_the_gains_is_said():
    """M = 1e-3, K_d = 1: a velocity loop held for T is stable up to T = 2 M / K_d = 2 ms."""
    assert longest_period(np.array([[1e-3]]), 0.0, 1.0) == pytest.approx(2e-3, rel=1e-6)
    sim = arm(light_link())
    with pytest.warns(NoticeWarning, match=r"torques are held for 0\.01 s"):
        trial = follow(sim, PD(9.0, 1.0), SLOW, adapt=0.0, measure=2.0, period=0.01)
    notice = sim.notices[0]
    assert notice.numbers["longest"] == pytest.approx(2e-3, rel=0.05) and "period=" in notice.remedy
    assert trial.unstable[0] or trial.L2[0] > 0.1
    good = follow(sim, PD(9.0, 1.0), SLOW, adapt=0.0, measure=2.0, period=1e-3)
    assert not sim.notices and good.L2[0] < 0.05


def test_a_law_that_can_is_continuous():
    """Stable gains stay stable on a light link, and agree with a fine sampling where that is stable."""
    sim = arm(light_link())
    trial = follow(sim, PD(9.0, 1.0), SLOW, adapt=1.0, measure=2.0)
    fine = follow(arm(light_link()), PD(9.0, 1.0), SLOW, adapt=1.0, measure=2.0, period=1e-4)
    assert not trial.unstable[0] and trial.L2[0] == pytest.approx(fine.L2[0], rel=0.05)
    assert sim.latest_time == pytest.approx(2.995) and not sim.notices
