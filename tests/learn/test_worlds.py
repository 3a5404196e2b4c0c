"""Worlds of a batch beside gymnasium's own vector environment, its wrappers, failures of one world alone, a device."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics

from device_samples import IMPLICIT, STAND_IN, world
from gambol import Chart, DCMotor, Figure, HybridSystem, Muscle, Stepping, Waves, World, WorldError, random_figure
from gambol.learn import (
    Acceleration,
    Activations,
    Alive,
    AngularVelocity,
    BatchEnvironment,
    Commands,
    Contacts,
    Environment,
    GravityDirection,
    Height,
    HeightScan,
    HybridTask,
    JointPositions,
    JointTorques,
    LastAction,
    Low,
    Parameters,
    PolicyController,
    Pushes,
    Quantities,
    Randomise,
    RandomMass,
    Readout,
    ServoTargets,
    SquaredTerm,
    StartNoise,
    Task,
    Termination,
    Tilt,
    arm_reaching,
    compliant_velocity,
    hexapod_velocity,
    person_walking,
)


@dataclass
class AskedFor(Termination):
    """The first action is nearly 1."""

    def over(self, batch):
        return batch.action[:, 0] > 0.9


def box_task(**parts):
    described = world()
    start = np.array(described.layout.zero)
    start[2] += 0.06
    given = dict(
        name="box",
        world=described,
        start=start,
        observations=[AngularVelocity(), GravityDirection(scale=2.0), Height(), JointPositions(), LastAction()],
        actions=[Activations(["first", "second"], "rest", -0.5, 0.5), JointTorques(["chain_2"], most=0.5)],
        rewards=[Alive(), Tilt(weight=-1.0)],
        terminations=[AskedFor(), Low(height=-9.0)],
        episode=0.1,
        settle=0.0,
        stepping=IMPLICIT,
    )
    return Task(**(given | parts))


def course(steps=14, worlds=3):
    """Actions that end episodes of each world at other times."""
    actions = np.random.default_rng(0).uniform(-0.8, 0.8, (steps, worlds, 3)).astype(np.float32)
    actions[1, 0, 0] = actions[3, 2, 0] = actions[8, 1, 0] = 1.0
    return actions


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("lanes", [0, None])
def test_a_batch_does_what_gymnasiums_vector_environment_does(mode, lanes):
    """A batch in float64 beside SyncVectorEnv over one-world environments; without packs to the bit."""
    task = box_task()
    ours = BatchEnvironment(task, 3, autoreset_mode=mode, dtype=np.float64, lanes=lanes)
    theirs = SyncVectorEnv([lambda: Environment(task)] * 3, autoreset_mode=AutoresetMode(mode))
    same = np.array_equal if lanes == 0 else lambda a, b: np.allclose(a, b, rtol=0, atol=1e-6)
    assert same(ours.reset(seed=0)[0], theirs.reset(seed=0)[0])
    ends = 0
    for actions in course():
        (seen, reward, *over, info), (seen2, reward2, *over2, info2) = ours.step(actions), theirs.step(actions)
        assert same(seen, seen2) and np.allclose(reward, reward2, atol=1e-12)
        assert all(np.array_equal(a, b) for a, b in zip(over, over2))
        assert ("final_obs" in info) == ("final_obs" in info2)
        if "final_obs" in info:
            assert np.array_equal(info["_final_obs"], info2["_final_obs"])
            for world in np.flatnonzero(info["_final_obs"]):
                assert same(info["final_obs"][world], info2["final_obs"][world])
        ends += int(np.sum(over))
    assert ends >= 6


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_gymnasiums_wrappers_take_it(mode):
    env = BatchEnvironment(box_task(), 3, autoreset_mode=mode)
    wrapped = RecordEpisodeStatistics(env)
    if mode == "NextStep":  # gymnasium's own refuses the other
        wrapped = NormalizeObservation(wrapped)
    wrapped.reset(seed=0)
    told = [wrapped.step(actions)[4] for actions in course()]
    ended = [info for info in told if "episode" in info]
    assert ended
    for info in ended:
        assert np.array_equal(info["_episode"], info["_finished"])
        assert np.allclose(info["episode"]["r"], info["finished"]["return"])
        assert np.array_equal(info["episode"]["l"], info["finished"]["length"])


def test_what_was_told_of_a_step_stays_as_it_was():
    env = BatchEnvironment(box_task(), 3, autoreset_mode="Disabled")
    env.reset(seed=0)
    seen, reward, over, _, info = env.step(course()[1])
    kept = [x.copy() for x in (seen, reward, over, info["_finished"])]
    env.reset(options={"reset_mask": np.array([True, False, False])})
    env.step(course()[0])
    assert all(np.array_equal(a, b) for a, b in zip(kept, (seen, reward, over, info["_finished"])))


def test_what_is_done_in_one_pass_is_what_each_part_says():
    task = hexapod_velocity()
    env = BatchEnvironment(task, 20)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(3):
        seen, reward, *_ = env.step(rng.uniform(-1.2, 1.2, env.action_space.shape))
    episodes, batch = env.episodes, env.episodes.batch
    parts = [*episodes.observations, *episodes.rewards, *episodes.terminations]
    assert sum(isinstance(part, Readout | SquaredTerm) for part in parts) == len(task.observations) + len(task.rewards)
    assert np.array_equal(seen, np.concatenate([part.scale * part.read(batch) for part in episodes.observations], 1))
    terms = [part.weight * batch.tick * part.value(batch) for part in episodes.rewards]
    assert np.allclose(reward, sum(terms), atol=1e-8) and np.ptp(reward) > 1e-4
    assert np.abs(batch.action).max() == 1.0 and np.allclose(batch.down, batch.in_trunk(np.array([0.0, 0.0, -1.0])))
    tilted = replace(episodes.terminations[0], angle=float(np.median(np.arccos(-batch.down[:, 2]))))
    assert 0 < tilted.over(batch).sum() < 20
    servos = env.sim.elements["l_hind_coxa"]
    reached = (servos.get("rest") - servos.described("rest")) / 0.6
    column = list(env.action_labels).index("l_hind_coxa target")
    assert np.allclose(reached.reshape(20), batch.action[:, column], atol=1e-6)


def test_terms_that_are_called_alike_are_told_apart():
    env = Environment(arm_reaching())
    env.reset(seed=0)
    terms = env.step(np.zeros(6))[4]["terms"]
    assert list(terms) == ["Near", "Near 2", "ActionRate"] and terms["Near"] > terms["Near 2"]


def test_noise_of_each_column_and_what_an_accelerometer_says_at_the_start():
    seen = [AngularVelocity(noise=(0.0, 0.5, 1.0)), Acceleration(), GravityDirection(noise=(0.1, 0.0, 0.0))]
    env = BatchEnvironment(box_task(observations=seen, changes=[StartNoise(velocity=1.0)]), 64)
    first, _ = env.reset(seed=0)
    noise = first[:, :3] - env.episodes.batch.angular_velocity
    assert not noise[:, 0].any() and 0.4 < np.abs(noise[:, 1]).max() <= 0.5 < np.abs(noise[:, 2]).max() <= 1.0
    assert np.allclose(np.linalg.norm(first[:, 3:6], axis=1), 9.81, atol=1e-3)  # standing, whatever its speed
    assert env.single_observation_space.high[6] == pytest.approx(1.101) and env.observation_space.contains(first)


def test_scans_reach_as_far_as_one_goes():
    waves = Waves(amplitude=0.01, length_x=0.5, level=-0.01)
    scan = HeightScan(ahead=(0.3,), left=(0.0, 0.1))
    task = hexapod_velocity(terrain=waves)
    env = BatchEnvironment(replace(task, observations=[scan], rewards=[Alive()], changes=[]), 2)
    env.reset(seed=0)
    q = np.array(env.sim.q)
    q[1, 0] += 40.0
    env.sim.place([0, 1], q)
    env.episodes.batch.look()
    found = env.episodes.observe()
    want = [waves.height(float(x) + 0.3, 0.0) - (z + 0.15) for x, z in zip(q[:, 0], q[:, 2])]
    assert np.allclose(found, np.array(want)[:, None], atol=1e-3)


def test_a_root_that_is_placed_askew_is_pushed_level_and_scans_the_ground_ahead():
    """The same robot whose base is turned by 90° about the vertical walks where its nose points."""
    task = hexapod_velocity(terrain=Waves(amplitude=0.01, length_x=0.5, length_y=0.8))
    figure = task.world.layout.figures[0]
    root = figure.bodies[0]
    turned = replace(root, placement=replace(root.placement, rotation=(np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))))
    askew = Figure(figure.name, (turned, *figure.bodies[1:]))
    scan = HeightScan(ahead=(0.3,), left=(0.1,))
    made = replace(
        task,
        world=World(askew, forces=task.world.forces, terrain=task.world.terrain),
        observations=[scan, GravityDirection()],
        rewards=[Alive()],
        changes=[Pushes(speed=1.0, every=0.02)],
    )
    env = BatchEnvironment(made, 2)
    seen, _ = env.reset(seed=0)
    x, y, z = env.sim.q[0, :3]
    want = task.world.terrain.height(-float(y) - 0.1, float(x) + 0.3) - (z + 0.15)
    assert seen[0, 0] == pytest.approx(want, abs=1e-3) and np.allclose(seen[:, 1:], (0, 0, -1), atol=0.05)


def test_what_is_drawn_for_each_world_changes_how_it_moves():
    speeds = np.zeros(world().layout.nv)
    speeds[3] = 1.0
    slides = box_task(speeds=speeds, changes=[Randomise(["corners"], "friction", 0.1, 0.9)], episode=9.0)
    env = BatchEnvironment(slides, 8, dtype=np.float64)
    env.reset(seed=0)
    for _ in range(20):
        env.step(np.zeros((8, 3)))
    order = np.argsort(env.sim.elements["corners"].get("friction")[:, 0])
    assert np.all(np.diff(env.sim.q[order, 0]) < -1e-3)  # the rougher the shorter


def test_mass_stiffness_terrain_and_motors_are_of_each_worlds_own():
    """Drawn independently: each shows in what it alone decides."""
    described = world()
    motor = DCMotor(name="motor", joint="chain_2", torque_constant=0.01, resistance=1.0, command=1.0, supply=12.0)
    drawn = [
        RandomMass("box", 0.5, 1.5),
        Randomise(["terrain"], "level", 0.0, 5e-3, add=True),
        Randomise(["second"], "stiffness", 0.5, 1.5),
        Randomise(["motor"], "torque_constant", 0.5, 1.5),
    ]
    task = box_task(
        world=World(described.layout.figures, forces=[*described.forces, motor]),
        actions=[Activations(["first"], "rest", 0.0, 1.0)],
        changes=drawn,
        episode=9.0,
    )
    env = BatchEnvironment(task, 8, dtype=np.float64)
    env.reset(seed=0)
    env.step(np.full((8, 1), -1.0))
    elements, v = env.sim.elements, np.array(env.sim.v)
    stiffness, constant = elements["second"].get("stiffness").ravel(), elements["motor"].get("torque_constant").ravel()
    assert np.all(np.diff(v[np.argsort(stiffness), 7]) > 0) and np.ptp(constant) > 5e-3
    assert np.allclose(elements["motor"].report()["force"].ravel(), constant, rtol=0.02)  # N·m: 1 A
    for _ in range(100):
        env.step(np.full((8, 1), -1.0))
    level, height = elements["terrain"].get("level").ravel(), env.sim.q[:, 2] - 0.05
    sunk = 1e3 * (level - height)  # [mm]: 1 at the described mass
    assert np.ptp(level) > 3e-3 and np.ptp(sunk) > 0.4 and np.all((sunk > 0.45) & (sunk < 1.55)), sunk


def test_actions_are_named_by_the_units_of_what_they_move():
    """A slider is moved by metres and newtons, a muscle by a share; a motor is a servo of limited current."""
    described = world()
    sliding = random_figure(3, 3, ("slide",), root="free")
    bodies = [body.name for body in sliding.bodies[1:]]
    pulls = Muscle(name="pulls", path=[("", (0.3, 0, 0.0)), ("chain_1", (0, 0, -0.1))], strength=5.0, activation=0.0)
    limits = dict(position_gain=50.0, supply=12.0, current_limit=0.5)
    servo = DCMotor(name="chain_0", joint="chain_0", torque_constant=0.1, resistance=1.0, **limits)
    made = World([*described.layout.figures, sliding], forces=[*described.forces, pulls, servo])
    actions = [
        JointTorques([bodies[0], "chain_2"], most=0.0),
        Activations(["pulls"]),
        ServoTargets(["chain_0"], reach=1.0),
        Activations(["second"], "rest", -0.5, 0.5, unit="rad"),
    ]
    env = BatchEnvironment(box_task(world=made, start=np.array(made.layout.zero), actions=actions, terminations=[]), 2)
    assert list(env.action_labels.items()) == [
        (f"{bodies[0]} force", "N"),
        ("chain_2 torque", "N·m"),
        ("pulls activation", ""),
        ("chain_0 target", "rad"),
        ("second rest", "rad"),
    ]
    env.reset(seed=0)
    env.step(np.tile(np.float32([0, 0, -1, 0, 0]), (2, 1)))
    at_rest = np.array(env.sim.elements["pulls"].report()["tension"]).ravel()
    env.step(np.array([[0, 0, 1, 1, 0], [0, 0, -1, 1, 0]], np.float32))
    tension = np.array(env.sim.elements["pulls"].report()["tension"]).ravel()
    assert at_rest.tolist() == [0, 0] and tension[0] > 0 == tension[1]
    force = np.array(env.sim.elements["chain_0"].report()["force"]).ravel()
    assert np.allclose(force, 0.1 * 0.5)  # as much as its current allows


def test_contacts_with_the_ground_are_felt_by_the_force_they_carry():
    start = np.array(world().layout.zero)
    start[2] += 0.1
    env = BatchEnvironment(box_task(start=start, observations=[Contacts(least=0.5)], episode=9.0), 2)
    seen = [env.reset(seed=0)[0], *(env.step(np.zeros((2, 3)))[0] for _ in range(30))]
    assert list(env.observation_labels) == [f"contact {k} carries" for k in range(4)]
    assert not seen[0].any() and seen[-1].all() and seen[0].shape == (2, 4)


def test_what_is_under_way_in_a_world_ends_with_its_episode():
    """Ramps and timed writes: those of the world that begins anew are gone, the others' go on."""
    env, other = (BatchEnvironment(box_task(episode=9.0), 3, dtype=np.float64, autoreset_mode="Disabled") for _ in "ab")
    for one in (env, other):
        one.reset(seed=0)
        one.sim.elements["first"].ramp("stiffness", 40.0, 0.2)
        one.sim.elements["second"].set("stiffness", 30.0, at=0.07)
        one.step(np.zeros((3, 3)))
    env.reset(options={"reset_mask": np.array([False, True, False])})
    for one in (env, other):
        for _ in range(6):
            one.step(np.zeros((3, 3)))
    got, want = ([one.sim.elements[n].get("stiffness") for n in ("first", "second")] for one in (env, other))
    assert np.allclose(got[0].ravel(), [29.2, 4.0, 29.2]) and got[1].ravel().tolist() == [30, 2, 30]
    assert np.array_equal(got[0][[0, 2]], want[0][[0, 2]]) and np.array_equal(env.sim.q[[0, 2]], other.sim.q[[0, 2]])


# ---------------------------------------------------------------- one world fails
class Grows(HybridSystem):
    """x' = rate - stiff x, while x is below 2."""

    class Parameters(NamedTuple):
        rate: float = 0.0
        stiff: float = 0.0

    charts = (Chart("c", states=("x",)),)

    @staticmethod
    def start(p):
        return 0, (1.0,)

    @staticmethod
    def flow(chart, t, x, p, dx):
        dx[0] = p.rate - p.stiff * x[0]

    @staticmethod
    def valid(chart, t, x, p):
        return x[0] < 2.0


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("what", ["an invalid chart", "too many steps"])
def test_a_hybrid_world_that_cannot_go_on_ends_its_own_episode_alone(mode, what):
    task = HybridTask(
        system=Grows(),
        observations=[Quantities({"x": ""})],
        actions=[Parameters({"rate": (0.0, 100.0, "1/s"), "stiff": (0.0, 1e9, "1/s")})],
        rewards=[Alive()],
        tick=0.1,
        stepping=Stepping(method="rkf45", eps=1e-6, max_attempts=200),
    )
    env = BatchEnvironment(task, 10, autoreset_mode=mode)
    env.reset(seed=0)
    actions = -np.ones((10, 2))
    actions[:, 0] = -0.98  # grows by 0.1 a tick
    env.step(actions)
    bad = actions.copy()
    bad[4] = (1.0, -1.0) if what == "an invalid chart" else (-1.0, 1.0)
    seen, reward, over, late, info = env.step(bad)
    assert over.tolist() == [k == 4 for k in range(10)] and not late.any()
    assert reward[4] == 0.0 and np.allclose(np.delete(seen, 4, axis=0), 1.2, atol=1e-5)
    assert info["finished"]["length"][4] == 2 and info["finished"]["return"][4] == pytest.approx(0.1)
    seen, reward, over, *_ = env.step(actions)
    assert not over.any() and np.allclose(np.delete(seen, 4, axis=0), 1.3, atol=1e-5)
    assert seen[4, 0] == pytest.approx(1.1 if mode == "SameStep" else 1.0, abs=1e-5)


# ---------------------------------------------------------------- on a device
def test_environments_on_a_device_do_as_on_the_processor(monkeypatch):
    from gambol.world.device_simulation import DeviceSimulation

    monkeypatch.setattr(DeviceSimulation, "make_device", staticmethod(lambda: STAND_IN))
    task = box_task(changes=[StartNoise(positions=0.05, speeds=0.1)])
    envs = [BatchEnvironment(task, 3, dtype=np.float64, device=name) for name in ("cuda", "cpu")]
    found = [[env.reset(seed=0)[0]] for env in envs]
    for actions in course():
        for env, own in zip(envs, found):
            own.extend(env.step(actions)[:4])
    assert isinstance(envs[0].sim, DeviceSimulation)
    assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(*found)) and len(found[0]) > 50
    with pytest.raises(WorldError, match="own_masses"):
        BatchEnvironment(replace(task, changes=[RandomMass("box")]), 3, device="cuda")
    with pytest.raises(WorldError, match="reports of elements: not on a device"):
        BatchEnvironment(replace(task, observations=[Contacts(["corners"])]), 3, device="cuda").reset()


# ---------------------------------------------------------------- policies
def test_a_policy_drives_what_acts_faster_than_it():
    task = replace(person_walking(forward=(1.2, 1.2)), changes=[])
    policy = lambda seen: 0.3 * np.tanh(seen[..., :8])
    sim = task.simulation()
    sim.run(0.3, controller=PolicyController(task, policy, command=(1.2, 0.0)))
    env = Environment(replace(task, changes=[Commands(low=(1.2, 0.0), high=(1.2, 0.0))]))
    seen, _ = env.reset(seed=0)
    for _ in range(15):
        seen, *_ = env.step(policy(seen))
    assert np.allclose(sim.q, env.sim.q, atol=1e-7) and sim.q[0] == pytest.approx(0.36, rel=0.2)


def test_a_policy_of_a_hybrid_system_is_a_controller_too():
    task, policy = compliant_velocity(), lambda seen: 0.3 * np.tanh(seen[..., :2])
    run = task.simulation()
    run.run(0.1, controller=PolicyController(task, policy, command=(0.3,)))
    env = Environment(replace(task, changes=[Commands(low=(0.3,), high=(0.3,))]))
    seen, _ = env.reset(seed=0)
    for _ in range(5):
        seen, *_ = env.step(policy(seen))
    assert np.array_equal(run.x, env.sim.x) and np.ptp(seen) > 0
