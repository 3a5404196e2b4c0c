"""The environments that are timed are of one robot: MuJoCo's stands as ours does, gymnasium's sees as much."""

import numpy as np
import pytest

from gambol import GambolError
from gambol.learn import hexapod_velocity

pytest.importorskip("mujoco")
pytest.importorskip("gymnasium")

from gambol.bench import environments
from gambol.bench.cases import cases


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    task = hexapod_velocity()
    file = tmp_path_factory.mktemp("robot") / "hexapod.xml"
    file.write_text(environments.robot_mjcf(task))
    return file, task


def test_mujocos_robot_stands_as_ours_or_nothing_is_timed(robot):
    loop = environments.PlainLoop(*robot)
    environments.check_standing(robot[1], loop)
    loop.middle = loop.middle + 0.2
    with pytest.raises(GambolError, match="stands otherwise than ours"):
        environments.check_standing(robot[1], loop)


def test_the_contenders_take_as_many_steps(robot):
    loop = environments.PlainLoop(*robot)
    loop.reset()
    loop.run(3)
    assert np.isclose(loop.data[-1].time, 3 * robot[1].tick)
    theirs = environments.GymnasiumTicks(*robot)
    theirs.reset()
    theirs.run(3)
    own = theirs.env.envs[0].unwrapped
    assert np.isclose(own.data.time, 3 * robot[1].tick) and theirs.env.single_observation_space.shape == (81,)
    assert np.allclose(own.data.qpos, loop.data[0].qpos, atol=1e-6)


def test_cases_are_there():
    assert {"env-hexapod", "env-overhead", "study-processes", "study-ray"} <= set(cases())
