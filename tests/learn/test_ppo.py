"""Training by PPO (extra `train`; else skipped): what is rewarded is done more often, and the policy keeps it."""

import numpy as np
import pytest
from test_worlds import box_task

from gambol import TaskError
from gambol.learn import BatchEnvironment, Custom, GravityDirection, Policy
from gambol.learn.ppo import Settings, train

pytest.importorskip("jax", reason="pip install 'gambol[train]'")
pytest.importorskip("optax", reason="pip install 'gambol[train]'")


def test_what_is_rewarded_is_learned(tmp_path):
    """The reward is the first action, less what the second is off -0.5; the third is of no use."""
    wanted = Custom(lambda batch: batch.action[:, 0] - (batch.action[:, 1] + 0.5) ** 2)
    task = box_task(observations=[GravityDirection()], rewards=[wanted], terminations=[], episode=0.2)
    env = BatchEnvironment(task, 32, autoreset_mode="SameStep")
    policy, curve = train(env, steps=32 * 24 * 25, seed=1, settings=Settings(hidden=(16,), rate=1e-2))
    first, last = curve[0].reward / task.tick, curve[-1].reward / task.tick
    assert first < 0.2 and last > 0.5 and curve[-1].steps == 32 * 24 * 25 and curve[-1].length == 10
    seen, _ = env.reset(seed=5)
    action = Policy.read(policy.write(tmp_path / "p.npz"))(seen)
    assert np.all(action[:, 0] > 0.6) and np.all(np.abs(action[:, 1] + 0.5) < 0.25)
    with pytest.raises(TaskError, match="SameStep"):
        train(BatchEnvironment(task, 2), steps=1)
