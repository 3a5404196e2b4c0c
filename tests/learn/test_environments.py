"""Environments: gymnasium's own checks, episodes world by world, seeds, parts, policies as controllers."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from gambol import GroundContact, Periodic, Recorder, Stepping, TaskError, chain
from gambol.learn import (
    Action,
    Alive,
    AngularVelocity,
    BatchEnvironment,
    Commands,
    Custom,
    Environment,
    GravityDirection,
    HeightScan,
    Low,
    Observation,
    Policy,
    PolicyController,
    Pushes,
    Randomise,
    ServoTargets,
    StartNoise,
    figure_task,
    hexapod_gait,
    hexapod_velocity,
)

WORLDS = 20  # more than a pack, less than two


@pytest.fixture(scope="module")
def task():
    return hexapod_velocity(rough=True)


@pytest.fixture(scope="module")
def env(task):
    return BatchEnvironment(task, WORLDS)


ALIVE = dict(rewards=[Alive()], changes=[])


def changed(task, **parts):
    return replace(task, **parts)


def steps(env, count, seed=0):
    rng = np.random.default_rng(seed)
    return [env.step(rng.uniform(-0.3, 0.3, env.action_space.shape).astype(np.float32)) for _ in range(count)]


def test_worlds_are_made_by_name_and_drawn():
    made = gymnasium.make("gambol.learn:HexapodVelocity-v0", render_mode="rgb_array")
    made.reset(seed=0)
    picture = made.unwrapped.render()
    assert picture.shape == (360, 480, 3) and picture.std() > 10
    assert made.unwrapped.observation_labels["l_front_coxa speed"] == "rad/s"
    many = gymnasium.make_vec("gambol.learn:HexapodGait-v0", num_envs=3, autoreset_mode="SameStep")
    assert many.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    seen, _ = many.reset(seed=1)
    assert seen.shape == many.observation_space.shape and many.observation_space.contains(seen)


def test_a_seed_makes_episodes_the_same_again(env):
    first, _ = env.reset(seed=5)
    ahead = steps(env, 5)
    again, _ = env.reset(seed=5)
    assert np.array_equal(first, again)
    for one, other in zip(ahead, steps(env, 5)):
        assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])
    assert not np.array_equal(env.reset(seed=6)[0], first)


def test_saved_environments_go_on_bitwise(env):
    env.reset(seed=2)
    steps(env, 3)
    saved = env.save()
    ahead = steps(env, 4)
    env.restore(saved)
    for one, other in zip(ahead, steps(env, 4)):
        assert all(np.array_equal(a, b) for a, b in zip(one[:4], other[:4]))


def test_a_world_that_begins_anew_is_its_start_bit_for_bit_and_leaves_the_others_alone(task):
    plain = changed(task, **ALIVE, observations=[AngularVelocity(), GravityDirection()])
    env, other = (BatchEnvironment(plain, WORLDS, autoreset_mode="Disabled") for _ in range(2))
    env.reset()
    other.reset()
    start = env.sim.save().data.copy()
    steps(env, 7), steps(other, 7)
    mask = np.zeros(WORLDS, bool)
    mask[[3, 17]] = True
    env.reset(options={"reset_mask": mask})
    lanes, now = env.sim.lanes, env.sim.save().data
    for world in range(WORLDS):
        cell = (world // lanes, slice(None), world % lanes)
        want = start if mask[world] else other.sim.save().data
        assert now[cell].tobytes() == want[cell].tobytes()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episodes_that_are_over_begin_anew(task, mode):
    short = changed(task, episode=0.1, **ALIVE, observations=[GravityDirection()], terminations=[Low(height=-9.0)])
    env = BatchEnvironment(short, WORLDS, autoreset_mode=mode)
    first, _ = env.reset(seed=0)
    found = steps(env, 7)
    *_, truncated, info = found[4]
    assert truncated.all() and not found[3][3].any() and (info["finished"]["length"] == 5).all()
    assert info["_finished"].all() and np.allclose(info["finished"]["return"], sum(f[1] for f in found[:5]))
    if mode == "SameStep":
        assert np.allclose(found[4][0], first, atol=1e-6) and not np.allclose(info["final_obs"][2], first[2], atol=1e-6)
    else:
        assert np.allclose(found[5][0], first, atol=1e-6) and not found[5][1].any() and not found[5][3].any()
        assert not np.allclose(found[4][0], first, atol=1e-6)


def test_ticks_are_alike_however_long_it_runs(task):
    env = BatchEnvironment(changed(task, **ALIVE, episode=1e9), 2)
    env.reset()
    before = np.array(env.sim.counts["steps"])
    steps(env, 400)
    assert np.all(env.sim.counts["steps"] - before == 400 * 8) and np.all(env.sim.time == 0)


def test_a_world_that_breaks_is_over_and_begins_anew(task):
    plain = changed(task, **ALIVE, observations=[AngularVelocity()], terminations=[])
    env = BatchEnvironment(plain, WORLDS)
    env.reset()
    v = np.array(env.sim.v)[[4]]
    v[:, 3:] = 1e30
    env.sim.place([4], v=v)
    _, reward, terminated, _, _ = steps(env, 1)[0]
    assert terminated.tolist() == [k == 4 for k in range(WORLDS)] and reward[4] == 0
    seen, _, terminated, _, _ = steps(env, 1)[0]
    assert not terminated.any() and np.isfinite(seen).all() and np.abs(env.sim.v).max() < 50


def test_what_is_changed_differs_from_world_to_world(env):
    env.reset(seed=3)
    friction = env.sim.elements.of_type(GroundContact).get("friction")
    assert len(np.unique(friction[:, 0])) == WORLDS and np.all(friction == friction[:, :1])
    assert len(np.unique(env.episodes.batch.command[:, 0])) == WORLDS
    assert np.ptp(env.sim.q[:, 7:], axis=0).min() > 0.01


def test_delay_noise_and_pace(task):
    parts = [GravityDirection(), AngularVelocity(delay=2)]
    late = changed(
        task,
        rewards=[Alive()],
        changes=[StartNoise(velocity=1.0)],
        observations=parts,
        actions=[ServoTargets(reach=0.5, pace=1.0)],
    )
    env = BatchEnvironment(late, 2)
    seen = [env.reset(seed=0)[0]]
    true = [env.episodes.batch.angular_velocity.copy()]
    for _ in range(4):
        seen.append(env.step(np.ones((2, 24), np.float32))[0])
        true.append(env.episodes.batch.angular_velocity.copy())
    assert np.allclose(seen[4][:, 3:], true[2]) and np.allclose(seen[1][:, 3:], true[0])
    servos = env.sim.elements["l_front_coxa", "r_hind_tarsus"]
    assert np.allclose(servos.get("rest") - servos.described("rest"), 4 * 0.02)


def test_scans_see_the_ground_of_each_world(task):
    from gambol import Waves

    wavy = hexapod_velocity(terrain=Waves(amplitude=0.01, length_x=0.5))
    slopes = Randomise(["terrain"], "slope_x", -0.1, 0.1, add=True)
    scan = HeightScan(ahead=(0.0, 0.3), left=(0.0,))
    env = BatchEnvironment(changed(wavy, observations=[scan], rewards=[Alive()], changes=[slopes]), 2)
    seen, _ = env.reset(seed=0)
    q, slope = env.sim.q, env.sim.elements["terrain"].get("slope_x")
    x = q[:, 0] + 0.3
    want = 0.01 * np.sin(2 * np.pi * x / 0.5) + slope * x - (q[:, 2] + 0.15)
    assert np.allclose(seen[:, 1], want, atol=2e-3)


def test_a_policy_is_a_controller_and_a_file(task, tmp_path):
    one = hexapod_velocity()
    rng = np.random.default_rng(0)
    layers = [(0.1 * rng.standard_normal((81, 8)), np.zeros(8)), (rng.standard_normal((8, 24)), np.zeros(24))]
    policy = Policy(layers, np.zeros(81), np.ones(81), {"task": "hexapod_velocity"})
    policy = Policy.read(policy.write(tmp_path / "p.npz"))
    assert policy.about == {"task": "hexapod_velocity"}
    command = (0.3, 0.0, 0.1)
    env = Environment(changed(one, changes=[Commands(low=command, high=command)]))
    seen, _ = env.reset(seed=0)
    for _ in range(10):
        seen, *_ = env.step(policy(seen))
    sim = one.simulation()
    with Recorder(sim, every=0.02) as recorder:
        recorder.run(0.1, controller=PolicyController(one, policy, command=command))
        middle = sim.save()
        recorder.run(0.1)
    assert np.allclose(sim.q, env.sim.q, atol=1e-9)
    end = sim.q
    sim.restore(middle)
    sim.run(0.1)
    assert np.array_equal(sim.q, end)
    fine = one.simulation(stepping=Stepping(method="implicit-pair", eps=1e-4))
    fine.run(0.04, controller=PolicyController(one, policy, command=command))
    assert np.isfinite(fine.q).all()


@pytest.mark.parametrize(
    "act, words",
    [
        (lambda t: changed(t, tick=0.0), "tick must be a positive time"),
        (lambda t: changed(t, rewards=[]), "it has no reward"),
        (lambda t: changed(t, actions=[GravityDirection()]), "actions are parts of type Action"),
        (lambda t: changed(t, start=[0.0]), "its start must be 31 positions"),
        (lambda t: BatchEnvironment(t, 2, autoreset_mode="Sometimes"), "no autoreset mode 'Sometimes'"),
        (lambda t: BatchEnvironment(t, 2, render_mode="human"), "no render mode 'human'"),
        (lambda t: BatchEnvironment(changed(t, actions=[ServoTargets(["knee"])]), 2), "no joint of one coordinate"),
        (lambda t: BatchEnvironment(changed(t, changes=[Randomise(GroundContact, "frction")]), 2), "friction"),
        (lambda t: BatchEnvironment(changed(t, observations=[GravityDirection()] * 2), 2), "two columns are called"),
        (lambda t: figure_task(chain(2)), "root joint is free"),
        (lambda t: gymnasium.make("gambol.learn:Figure-v0"), "missing a required argument: 'file'; options: file"),
        (lambda t: gymnasium.make_vec("gambol.learn:HexapodVelocity-v0", tough=True), "unexpected keyword.*rough"),
    ],
)
def test_faulty_tasks_are_refused(task, act, words):
    with pytest.raises(TaskError, match=words):
        act(task)


def test_wrong_actions_are_refused(env, tmp_path):
    env.reset(seed=0)
    with pytest.raises(TaskError, match=r"shape \(20, 24\), not \(20, 3\)"):
        env.step(np.zeros((WORLDS, 3)))
    bad = np.zeros((WORLDS, 24))
    bad[7] = np.nan
    with pytest.raises(TaskError, match=r"not numbers in worlds \[7\]"):
        env.step(bad)
    (tmp_path / "x.npz").write_text("no")
    with pytest.raises(TaskError, match=r"x\.npz:1: it is no policy"):
        Policy.read(tmp_path / "x.npz")
    with pytest.raises(TaskError, match="at least one"):
        env.reset(options={"reset_mask": np.zeros(WORLDS, bool)})


def test_parts_of_ones_own(task):
    class Height(Observation):
        def labels(self, batch):
            return {"height": "m"}

        def read(self, batch):
            return batch.trunk_position[:, 2:3]

    class Nothing(Action):
        def labels(self, batch):
            return {"nothing": ""}

        def apply(self, batch, action):
            assert action.shape == (2, 1)

    own = changed(
        task,
        observations=[Height()],
        actions=[Nothing()],
        changes=[],
        rewards=[Custom(lambda b: b.q[:, 2], weight=50.0)],
    )
    env = BatchEnvironment(own, 2)
    env.reset()
    seen, reward, *_ = env.step(np.zeros((2, 1)))
    assert np.allclose(seen[:, 0], reward, atol=1e-5)


def test_clocks_are_shifted_with_ramps_and_timed_writes(task):
    sim, other = task.simulation(worlds=2), task.simulation(worlds=2)
    for one in (sim, other):
        one.elements["l_front_coxa"].ramp("rest", 0.3, 0.1)
        one.elements["r_front_coxa"].set("rest", 0.2, at=0.06)
        one.advance(0.04)
    sim.shift_clock(-0.04)
    assert np.allclose(sim.time, 0.0, atol=1e-7)
    sim.advance(0.04)
    other.advance(0.08)
    assert np.allclose(sim.elements["l_front_coxa"].get("rest"), other.elements["l_front_coxa"].get("rest"), atol=1e-6)
    assert np.allclose(sim.q, other.q, atol=1e-5) and np.ptp(sim.elements["r_front_coxa"].get("rest")) == 0
    sim.attach(Periodic(0.1, lambda run: None))
    with pytest.raises(Exception, match="Periodic keeps times of its own"):
        sim.shift_clock(1.0)


def test_pushes_come_at_times_of_each_worlds_own(task):
    env = BatchEnvironment(changed(task, rewards=[Alive()], changes=[Pushes(speed=1.0, every=0.1)]), 8)
    env.reset(seed=0)
    due = env.episodes.changes[0]._next.copy()
    assert len(set(due)) > 2
    for _ in range(5):
        before = env.sim.v[:, 3:5].copy()
        env.episodes.act(np.zeros((8, 24)))
        moved = np.abs(env.sim.v[:, 3:5] - before).max(axis=1) > 0
        assert np.array_equal(moved, env.episodes.batch.age == due)
        due = env.episodes.changes[0]._next.copy()
        env.episodes.batch.march(env.episodes.start)


def test_gait_numbers_walk(task):
    env = BatchEnvironment(hexapod_gait(), 2, autoreset_mode="Disabled")
    env.reset(seed=0)
    action = np.array([[0.0, 0.4, 0.2, 0.0, 0.0], [0.0, -0.4, 0.2, 0.0, 0.0]], np.float32)
    for _ in range(60):
        env.step(action)
    x = env.sim.q[:, 0]
    assert abs(x[0] - x[1]) > 0.1 and x[0] * x[1] < 0
