"""The hinge recursion against independent mechanics, and its schedule, torque functions, supports and pushes."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gambol
from gambol import Body, Figure, FigureError, Joint, Mass, Placement, StepError, chain, random_figure, random_positions
from gambol.hinge_recursion import (
    ConstantForce,
    FalseInertia,
    HingeLayout,
    HingeSimulation,
    Spike,
    SpikeCondition,
    SpringSupport,
    TorqueFunction,
    TorqueSchedule,
)
from gambol.hinge_recursion.arrays import BAND_SIZE, HINGE_TORQUE, SLOW_SIZE
from gambol.hinge_recursion.stepping import solve_bands
from gambol.models import finger

GRAVITY = np.array([0.0, 0.0, -9.81])


def random_simulation(seed, bodies=8, **options):
    """A random tree in motion, with hinge torques and a push; and the push."""
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, bodies, ("ball",))
    positions, speeds = random_positions(rng, figure), rng.normal(size=figure.speeds)
    simulation = HingeSimulation(figure, positions=positions, speeds=speeds, **options)
    for name in figure.names[1:]:
        simulation.command(name, rng.normal(size=3))
    push = (str(rng.choice(figure.names)), rng.normal(size=3) * 5.0, rng.normal(size=3) * 0.3)
    simulation.push(*push)
    return simulation, positions, speeds, push


def rotations(simulation):
    return Rotation.from_quat(simulation.state.orientation.reshape(-1, 4), scalar_first=True).as_matrix()


def newton_euler(simulation, push):
    """Residual torques at the hinges, forces on the parents, and hinge accelerations passed on from the parents.

    Plain mechanics of the links' centres of mass in world axes, given the accelerations that the simulation found.
    """
    figure, R = simulation.layout.figure, rotations(simulation)
    a, rate = simulation.accelerations()
    spin, place = simulation.state.angular_velocity.reshape(-1, 3), simulation.hinge_positions()
    w, alpha = np.einsum("nij,nj->ni", R, spin), np.einsum("nij,nj->ni", R, rate)
    n, index = len(figure.order), simulation.layout.index
    demand, moment, carried = np.zeros((n, 3)), np.zeros((n, 3)), a.copy()
    for i in range(n - 1, -1, -1):
        body = figure.order[i]
        m, I = body.mass_properties.mass, R[i] @ body.mass_properties.tensor @ R[i].T
        c = R[i] @ np.asarray(body.mass_properties.centre)
        need = m * (a[i] + np.cross(alpha[i], c) + np.cross(w[i], np.cross(w[i], c)) - GRAVITY)
        turn = I @ alpha[i] + np.cross(w[i], I @ w[i]) + np.cross(c, need)
        if body.name == push[0]:
            need = need - push[1]
            turn = turn - np.cross(R[i] @ push[2], push[1])
        demand[i] += need
        moment[i] += turn
        if body.parent is not None:
            p = index[body.parent]
            arm = place[i] - place[p]
            demand[p] += demand[i]
            moment[p] += moment[i] + np.cross(arm, demand[i])
            carried[i] = a[p] + np.cross(alpha[p], arm) + np.cross(w[p], np.cross(w[p], arm))
    command = np.einsum("nij,nj->ni", R, simulation.state.command.reshape(-1, 3))
    return moment - command, -demand, carried - a


@pytest.mark.parametrize("seed", range(6))
def test_accelerations_and_hinge_forces_obey_newton_and_euler(seed):
    simulation, _, _, push = random_simulation(seed, bodies=[1, 2, 5, 8, 12, 30][seed])
    torque, force, slip = newton_euler(simulation, push)
    scale = max(1.0, np.abs(force).max())
    assert np.abs(torque).max() < 1e-10 * scale
    assert np.abs(slip).max() < 1e-10 * scale
    assert np.abs(force[0]).max() < 1e-10 * scale  # nothing holds the root
    assert np.abs(simulation.hinge_forces() - force).max() < 1e-10 * scale
    assert seed == 0 or np.abs(force).max() > 1.0


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_agree_with_pinocchio(seed):
    pin = pytest.importorskip("pinocchio")
    simulation, q, v, push = random_simulation(10 + seed, bodies=9)
    figure, R = simulation.layout.figure, rotations(simulation)
    model, ids = pin.Model(), {None: 0}
    model.gravity.linear = GRAVITY
    for body in figure.order:
        joint = pin.JointModelFreeFlyer() if body.parent is None else pin.JointModelSpherical()
        placement = pin.SE3(body.placement.matrix.copy(), np.array(body.placement.position))
        ids[body.name] = j = model.addJoint(ids[body.parent], joint, placement, body.name)
        mass = body.mass_properties
        model.appendBodyToJoint(
            j, pin.Inertia(mass.mass, np.array(mass.centre), mass.tensor.copy()), pin.SE3.Identity()
        )
    data = model.createData()
    qp, vp, tau = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    command = simulation.state.command.reshape(-1, 3)
    for i, body in enumerate(figure.order):
        joint = model.joints[ids[body.name]]
        x, u = q[figure.position_slices[body.name]], v[figure.speed_slices[body.name]]
        if body.parent is None:  # its speeds: linear, then angular, in body axes
            turn = Rotation.from_quat(x[3:], scalar_first=True).as_matrix()
            qp[joint.idx_q : joint.idx_q + 7] = *x[:3], *x[4:], x[3]
            vp[joint.idx_v : joint.idx_v + 6] = *(turn.T @ u[3:]), *(turn.T @ u[:3])
        else:
            qp[joint.idx_q : joint.idx_q + 4] = *x[1:], x[0]
            vp[joint.idx_v : joint.idx_v + 3] = u
            tau[joint.idx_v : joint.idx_v + 3] = command[i]
    forces = [pin.Force.Zero() for _ in range(model.njoints)]
    local = R[simulation.layout.index[push[0]]].T @ push[1]
    forces[ids[push[0]]] = pin.Force(local, np.cross(push[2], local))
    acc = pin.aba(model, data, qp, vp, tau, forces)
    pin.forwardKinematics(model, data, qp, vp, acc)
    a, rate = simulation.accelerations()
    for i, body in enumerate(figure.order):
        j = ids[body.name]
        there = pin.getClassicalAcceleration(model, data, j, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED).linear
        turning = pin.getAcceleration(model, data, j, pin.ReferenceFrame.LOCAL).angular
        assert np.allclose(a[i], there, rtol=1e-10, atol=1e-10)
        assert np.allclose(rate[i], turning, rtol=1e-10, atol=1e-10)


def drift(step, ratio=1):
    rng = np.random.default_rng(5)
    figure = random_figure(rng, 6, ("ball",))
    start = dict(positions=random_positions(rng, figure), speeds=rng.normal(size=figure.speeds))
    simulation = HingeSimulation(figure, step=step, ratio=ratio, gravity=(0.0, 0.0, 0.0), **start)
    readings = []
    for _ in range(2):
        p, l = simulation.momentum()
        readings.append(np.array([simulation.energy()["total"], *p, *l]))
        simulation.advance(0.5)
    change = readings[1] - readings[0]
    return np.array([abs(change[0]), np.linalg.norm(change[1:4]), np.linalg.norm(change[4:])]), readings[0]


def test_energy_and_momentum_are_kept_to_first_order():
    drifts = np.array([drift(step)[0] for step in (4e-4, 2e-4, 1e-4)])
    orders = np.log2(drifts[:-1] / drifts[1:])
    assert np.all(np.abs(orders - 1.0) < 0.1), orders
    assert np.all(drifts[-1] < 0.01 * np.abs(drift(1e-4)[1]).max())


def test_error_grows_with_the_ratio_of_the_bands():
    def tip(step, ratio):
        simulation = HingeSimulation(
            chain(6, "ball", root="free", length=0.2, radius=0.05),
            step=step,
            ratio=ratio,
            speeds=np.sin(np.arange(21.0)),
            friction=0.002,
        )
        simulation.advance(0.48)
        return simulation.hinge_positions()

    converged = tip(1e-5, 1)
    errors = [np.abs(tip(1e-3, ratio) - converged).max() for ratio in (1, 2, 4, 8)]
    assert all(a < b for a, b in pairwise(errors)), errors
    assert np.abs(tip(1.25e-4, 8) - converged).max() < 0.2 * errors[3]


def hinge_torque(function, angle, time=0.0):
    """The torque of a torque function on a link turned by a rotation vector, link axes; and the stored energy."""
    place = Placement.about((1.0, 2.0, 0.5), 0.7, (0.1, 0.2, -1.0))
    figure = chain(2, "ball", root="free").replace("chain_1", placement=place)
    q = np.array(figure.zero)
    q[7:] = Rotation.from_rotvec(angle).as_quat(scalar_first=True)
    simulation = HingeSimulation(figure, positions=q, torque_functions={"chain_1": function}, step=0.001)
    simulation.state.clock[0] = round(time / 0.001)
    state = simulation.state.copy()
    solve_bands(simulation.layout.model, state, time, 0.001, np.zeros(6))
    return state.band[BAND_SIZE + HINGE_TORQUE : BAND_SIZE + HINGE_TORQUE + 3], simulation.energy()["elastic"]


def test_torque_function_is_zero_inside_and_follows_its_energy_outside():
    function = TorqueFunction((1.0, 2.0, 3.0), (0.2, -0.1, 0.0), (0.3, 0.4, 0.2))
    inside = np.array([0.4, 0.2, -0.15])
    torque, energy = hinge_torque(function, inside)
    assert not torque.any() and energy == 0.0
    torque, energy = hinge_torque(function, np.array([0.2, 0.9, 0.0]))
    assert torque[1] < 0.0 and energy > 0.0  # towards the middle
    single, _ = hinge_torque(TorqueFunction(2.0, 0.0, 0.3), np.array([0.0, 0.8, 0.0]))
    assert np.allclose(single, (0.0, -1.0, 0.0), atol=1e-12)  # −slope · excess
    rng = np.random.default_rng(1)
    for angle in (*rng.normal(size=(6, 3)), np.array([2.8, 0.5, -0.9]), np.array([1e-6, 0.9, 0.0])):
        torque, energy = hinge_torque(function, angle)
        assert energy == pytest.approx(function.energy(angle), rel=1e-12)
        turn, d = Rotation.from_rotvec(angle), 1e-6
        slope = [
            (function.energy((turn * Rotation.from_rotvec(d * e)).as_rotvec())
             - function.energy((turn * Rotation.from_rotvec(-d * e)).as_rotvec())) / (2.0 * d)
            for e in np.eye(3)
        ]  # fmt: skip
        assert np.allclose(torque, -np.array(slope), atol=1e-8)


def test_moving_torque_function_follows_its_keys():
    keys = ((0.5, TorqueFunction(1.0, 0.0, 0.1)), (1.0, TorqueFunction(3.0, (0.0, 0.5, 0.0), 0.3)))
    for period in (0.0, 1.5):
        moving = TorqueSchedule(keys, period)
        for time in (0.0, 0.5, 0.75, 0.9, 1.0, 1.4, 2.2, 2.4):
            angle = np.array([0.7, -0.6, 0.2])
            _, energy = hinge_torque(moving, angle, time)
            assert energy == pytest.approx(moving.at(time).energy(angle), rel=1e-12)
    assert moving.at(0.75).slope == (2.0, 2.0, 2.0)


def test_torque_functions_without_friction_keep_energy():
    figure = chain(4, "ball", root="free", length=0.3, radius=0.05)
    functions = {name: TorqueFunction(3.0, 0.1, 0.1) for name in figure.names[1:]}
    start = np.array(figure.zero)
    for k, angle in enumerate(np.array([[0.8, 0.3, -0.4], [-0.5, 0.9, 0.2], [0.1, -0.7, 0.6]])):
        start[7 + 4 * k : 11 + 4 * k] = Rotation.from_rotvec(angle).as_quat(scalar_first=True)

    def change(step):
        options = dict(torque_functions=functions, positions=start, gravity=(0.0, 0.0, 0.0))
        energy = HingeSimulation(figure, step=step, ratio=4, **options).run(0.8, every=0.02).energy
        assert energy["elastic"][0] == energy["total"][0] > 1.0
        assert energy["kinetic"].max() > 0.5 * energy["total"][0]  # exchanged
        return np.abs(energy["total"] / energy["total"][0] - 1.0).max()

    coarse, fine = change(1e-4), change(5e-5)
    assert coarse < 0.02 and 0.4 * coarse < fine < 0.6 * coarse, (coarse, fine)


def ball(name="ball", centre=(0.0, 0.0, 0.0)):
    return Figure(name, (Body(name, joint=Joint("free"), mass=Mass(2.0, centre, (0.1, 0.2, 0.25, 0.0, 0.0, 0.0))),))


@pytest.mark.parametrize("spread", (False, True))
@pytest.mark.parametrize("period", (0.5, 0.12))
@pytest.mark.parametrize("ratio", (1, 2, 4, 8))
def test_impulse_of_spikes_is_exact_for_every_ratio(ratio, period, spread):
    spike = Spike("ball", (1.0, 0.0, 3.0), 0.11, start=0.2, period=period)
    simulation = HingeSimulation(ball(), gravity=(0.0, 0.0, 0.0), external=(spike,), ratio=ratio, spread=spread)
    simulation.advance(1.6)
    acted = sum(min(0.11, 1.6 - begin) for begin in np.arange(0.2, 1.6, period))
    assert np.allclose(simulation.momentum()[0], acted * np.array(spike.force), atol=1e-12)


def test_conditional_spike_begins_when_its_condition_holds_and_waits():
    up = Spike("ball", (0.0, 0.0, 200.0), 0.05, when=SpikeCondition("height", below=-0.5), wait=0.1)
    simulation = HingeSimulation(ball(), external=(up,), step=0.001)
    recording = simulation.run(3.0)
    first = recording.time[np.argmax(np.diff(recording.position[:, 0, 2], 2) > 0)]
    assert first == pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=0.003)
    assert recording.position[:, 0, 2].min() > -1.5  # it bounces
    often = Spike("ball", (1.0, 0.0, 0.0), 0.05, when=SpikeCondition("speed", above=-1.0), wait=0.2)  # at 0, 0.25, …
    spiked = HingeSimulation(ball(), external=(often,), gravity=(0.0, 0.0, 0.0))
    spiked.advance(0.9)
    assert spiked.momentum()[0][0] == pytest.approx(4 * 0.05)
    stop = Spike("ball", (0.0, 0.0, 100.0), 0.05, start=10.0, when=SpikeCondition("height", below=-0.5))
    falling = HingeSimulation(ball(), external=(stop,), step=0.001)
    assert falling.run(1.0).position[-1, 0, 2] == pytest.approx(-0.5 * 9.81, rel=0.01)


def test_supports_carry_a_figure():
    figure = chain(3, "ball", root="free", length=0.2, radius=0.03)
    lifted = HingeSimulation(figure, external=(ConstantForce("chain_0", (0.0, 0.0, 9.81 * figure.mass)),))
    start = lifted.energy()["total"]
    lifted.advance(2.0)
    assert np.abs(lifted.hinge_positions()[0]).max() < 1e-9  # hangs straight from the lifted point
    assert lifted.energy()["total"] == pytest.approx(start, abs=1e-9)
    hold = SpringSupport("chain_0", (0.1, 0.0, 0.2), 300.0, 60.0, turn_stiffness=5.0, turn_damping=0.5)
    held = HingeSimulation(figure, external=(hold,), friction=0.05, step=0.002)
    held.advance(20.0)
    assert np.allclose(held.hinge_positions()[0], (0.1, 0.0, 0.2 - 9.81 * figure.mass / 300.0), atol=1e-3)


def test_false_inertia_is_reported_and_only_thin_links_get_it():
    layout = HingeLayout(chain(2, "ball", root="free"), false_inertia=FalseInertia(factor=2.0))
    assert [report.link for report in layout.enlarged_inertias] == ["chain_0", "chain_1"]
    report = layout.enlarged_inertias[0]
    assert report.after == pytest.approx(2.0 * report.before) and np.allclose(np.abs(report.axis), (0, 0, 1))
    assert "chain_0" in str(report)
    body = chain(1).bodies[0].mass_properties
    assert report.before == pytest.approx(np.linalg.eigvalsh(body.tensor)[0])
    assert HingeLayout(ball(), false_inertia=FalseInertia(floor=0.3)).enlarged_inertias == ()


def test_bad_figures_name_every_offender():
    rod = chain(1).bodies[0].parts
    bodies = (
        Body("base", joint=Joint("hinge"), parts=rod),
        Body("a", "base", Joint("ball"), parts=rod),
        Body("b", "a", Joint("slide", driven=True), parts=rod),
        Body("c", "a", Joint("ball", armature=0.1), mass=Mass.point(1.0)),
    )
    with pytest.raises(FigureError) as caught:
        HingeLayout(
            Figure("bad", bodies),
            torque_functions={"aa": TorqueFunction(-1.0)},
            external=(ConstantForce("d", GRAVITY),),
        )
    text = str(caught.value)
    for words in (
        "base: joint type 'hinge'", "(allowed: free)", "b: joint type 'slide'", "(allowed: ball)", "b: a driven joint",
        "c: joint armature", "c: moments of inertia", "aa: torque function given", "did you mean 'a'?",
        "slope must be", "d: ConstantForce given",
    ):  # fmt: skip
        assert words in text, words
    assert len(caught.value.faults) == 8 and "a: joint" not in text.replace("base: joint", "")


def test_joint_properties_of_the_figure_are_used_or_noted():
    joint = Joint("ball", stiffness=2.0, damping=0.1, rest=0.2)
    layout = HingeLayout(chain(2, joint, root="free").replace("chain_0", joint=Joint("free")))
    assert layout.torque_functions == {"chain_1": TorqueFunction(2.0, 0.2)} and not layout.notes
    ranged = chain(2, Joint("ball", range=(-1.0, 1.0)), root="free").replace("chain_0", joint=Joint("free"))
    assert "chain_1" in HingeLayout(ranged).notes[0]


def test_replay_is_bitwise_and_recording_changes_nothing():
    simulation = finger.tapping_finger(ratio=4)
    simulation.push("tip", (0.0, 0.05, 0.0), duration=0.3)
    simulation.advance(0.57)  # between two slow bands
    saved = simulation.state.copy()
    simulation.run(0.83, every=0.01, forces=True)
    first = simulation.state
    simulation.restore(saved)
    simulation.advance(0.83)
    for a, b in zip(first, simulation.state):
        assert a.tobytes() == b.tobytes()
    assert saved.clock[0] == 57


def test_positions_round_trip():
    simulation, q, _, _ = random_simulation(3)
    there = simulation.positions()
    for name, where in simulation.layout.figure.position_slices.items():
        sign = np.sign(there[where][-4:] @ q[where][-4:])
        assert np.allclose(there[where][-4:] * sign, q[where][-4:], atol=1e-12), name
    assert np.allclose(there[:3], q[:3])


def test_pack_of_worlds_follows_the_single_world():
    single, pack = finger.tapping_finger(), finger.tapping_finger(lanes=2)
    for simulation in (single, pack):
        simulation.advance(0.3)
    places = pack.hinge_positions()
    assert np.abs(places[..., 1] - single.hinge_positions()).max() < 1e-12
    assert np.abs(pack.energy()["total"] - single.energy()["total"]).max() < 1e-12


def test_finger_settles_taps_and_rolls_with_a_push():
    recording = finger.tapping_finger().run(8.0, forces=True)
    height, kinetic = recording.point("tip")[:, 2], recording.energy["kinetic"]
    assert kinetic[150:200].max() < 1e-3 * kinetic[:200].max()  # at rest after 1.5 s
    rest = height[199]
    for k in (200, 400, 600):
        assert height[k : k + 30].min() < rest - 0.02  # tapped
        assert abs(height[min(k + 199, 800)] - rest) < 1e-3  # and back
    assert np.abs(height[200:400] - height[400:600]).max() < 1e-3  # every tap alike
    assert np.abs(recording.position[:, 0] - (0.0, 0.0, finger.HEIGHT)).max() < 2e-3
    weight = 9.81 * (3 * finger.MASS + finger.TIP_MASS * finger.MASS)
    assert np.allclose(recording.force[199, 1], (0.0, 0.0, -weight), atol=1e-3 * weight + 1e-3)
    pushed = finger.tapping_finger(tapping=False)
    pushed.advance(2.0)
    pushed.push("distal", (0.0, 0.1, 0.0), (0.03, 0.0, 0.0))
    pushed.advance(0.3)
    assert pushed.hinge_positions()[4, 1] > 0.003
    pushed.release("distal")
    pushed.advance(4.0)
    assert np.abs(pushed.hinge_positions()[4, 1]) < 1e-3


def test_divergence_names_a_link_and_the_step():
    with pytest.raises(StepError, match=r"motion of '\w+'.*step 0.05 s"):
        finger.tapping_finger(step=0.05).run(5.0, every=0.5)


def test_wrong_use_is_refused():
    simulation = finger.tapping_finger()
    with pytest.raises(ValueError, match="whole number of steps"):
        simulation.run(0.015)
    with pytest.raises(FigureError, match="did you mean 'distal'"):
        simulation.push("distl", (1.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="ratio"):
        finger.tapping_finger(ratio=0)


SOURCE_RUN = """
import json, sys
from gambol.hinge_recursion import Spike, SpikeCondition
from gambol.models import finger
up = Spike("tip", (0.0, 0.1, 0.2), 0.03, when=SpikeCondition("speed", above=0.2))
simulation = finger.tapping_finger(ratio=2, external=(finger.HOLD, up))
simulation.push("middle", (0.1, 0.2, 0.3), (0.01, 0.0, 0.0), duration=0.05)
simulation.advance(0.15)
energy = simulation.energy()
json.dump([*simulation.hinge_positions().ravel(), *simulation.hinge_forces().ravel(), *energy.values()], sys.stdout)
"""


def test_source_without_the_compiler_gives_the_same_motion():
    source = str(Path(gambol.__path__[0]).parent)
    results = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": source}
        done = subprocess.run(
            [sys.executable, "-c", SOURCE_RUN], env=environment, capture_output=True, text=True, check=True
        )
        results.append(np.array(json.loads(done.stdout)))
    assert np.allclose(*results, rtol=1e-9, atol=1e-11)


def spread_chain(step, ratio, **options):
    return HingeSimulation(
        chain(6, "ball", root="free", length=0.2, radius=0.05),
        step=step,
        ratio=ratio,
        speeds=np.sin(np.arange(21.0)),
        friction=0.002,
        spread=True,
        **options,
    )


@pytest.mark.parametrize("ratio", [1, 3, 7])
def test_a_spread_slow_band_finds_the_same_coefficients(ratio):
    """Those that come into use at the end of a cycle are those of a slow band done in one go where it was foreseen."""
    torques = {"chain_2": TorqueFunction(0.5, (0.1, 0.0, 0.0), 0.05), "chain_4": TorqueFunction(0.2)}
    forces = [Spike("chain_3", (1.0, 0.0, 2.0), duration=0.02, start=0.001), SpringSupport("chain_0", (0, 0, 0), 5.0)]
    simulation = spread_chain(1e-3, ratio, torque_functions=torques, external=forces)
    simulation.take_steps(6 * ratio - 1)
    ahead = simulation.state.copy()
    simulation.take_steps(1)
    foreseen = ahead._replace(
        position=ahead.next_position,
        velocity=ahead.next_velocity,
        orientation=simulation.state.next_orientation,
        angular_velocity=ahead.next_spin,
    ).copy()
    if ratio == 1:  # foreseen in the same step
        foreseen = foreseen._replace(
            position=simulation.state.next_position,
            velocity=simulation.state.next_velocity,
            angular_velocity=simulation.state.next_spin,
        ).copy()
    solve_bands(simulation.layout.model, foreseen, 6 * ratio * 1e-3, ratio * 1e-3, np.zeros(18))
    used = simulation.state.band.reshape(6, BAND_SIZE)[:, :SLOW_SIZE]
    assert np.allclose(used, foreseen.band.reshape(6, BAND_SIZE)[:, :SLOW_SIZE], rtol=1e-12, atol=1e-12)


def test_spreading_the_slow_band_converges_to_the_same_motion():
    converged = HingeSimulation(
        chain(6, "ball", root="free", length=0.2, radius=0.05),
        step=1e-5,
        speeds=np.sin(np.arange(21.0)),
        friction=0.002,
    )
    converged.advance(0.48)
    errors = []
    for step in (1e-3, 5e-4, 2.5e-4):
        simulation = spread_chain(step, 4)
        simulation.advance(0.48)
        errors.append(np.abs(simulation.hinge_positions() - converged.hinge_positions()).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 0.8), errors


def test_a_spread_run_is_replayed_to_the_bit_from_the_middle_of_a_cycle():
    simulation = finger.tapping_finger(step=0.005, ratio=4, spread=True)
    simulation.advance(0.57)
    saved = simulation.state.copy()
    simulation.run(0.63, every=0.01, forces=True)
    first = simulation.state
    simulation.restore(saved)
    simulation.advance(0.63)
    for a, b in zip(first, simulation.state):
        assert a.tobytes() == b.tobytes()
