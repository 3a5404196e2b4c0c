"""Environments of `gambol.learn` beside gymnasium's own over MuJoCo: the hexapod of 30 DOF, 50 actions a second.

Every contender takes eight steps of 2.5 ms a tick. The robot in MuJoCo is ours exported to MJCF, with position servos
of the same stiffness and damping, its feet as spheres and MuJoCo's default contact. Before anything is timed both must
stand alike.
"""

import importlib.util
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gambol import GambolError
from gambol.bench.peers import HOW_TO_INSTALL, missing
from gambol.bench.result import Floor, Result
from gambol.bench.timing import seconds_per_step
from gambol.export import mjcf_text
from gambol.learn import BatchEnvironment, Task, hexapod_velocity
from gambol.learn.task import SUBSTEPS
from gambol.learn.tasks import SERVO_DAMPING, SERVO_STIFFNESS
from gambol.models.hexapod import SEGMENTS

CASE, OVERHEAD_CASE = "env-hexapod", "env-overhead"
WORLDS, PEER_WORLDS = 256, 16
TURN, USUAL = 60, 20.0  # ticks of a turn, and the percentile of their times that counts
RATE_FLOOR, MOST_OVERHEAD = 8.0, 15.0  # [%]
REACH = 0.6  # [rad] that an action of 1 moves a servo
ACTIVE = 0.3  # actions are drawn from -0.3 … 0.3
FRICTION = 0.8
STANDING_TIME, STANDING_HEIGHT, STANDING_ANGLE = 1.0, 5e-3, 0.03  # [s], [m], [rad]


def measure(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """Environment steps a second, one core, one thread."""
    task = hexapod_velocity()
    ours = GambolTicks(task)
    contenders: list[Any] = [ours]
    notes: tuple[str, ...] = (f"Gambol: {WORLDS} worlds in float32; others: {PEER_WORLDS} worlds in float64",)
    if "MuJoCo" in missing():
        notes += (f"MuJoCo not installed: {HOW_TO_INSTALL}",)
    else:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "hexapod.xml"
            file.write_text(robot_mjcf(task))
            loop = PlainLoop(file, task)
            check_standing(task, loop)
            contenders += [loop, GymnasiumTicks(file, task)]
            if importlib.util.find_spec("mujoco.rollout"):
                contenders.append(Rollout(file, task))
    best = seconds_per_step(contenders, rounds=rounds, progress=progress)
    rates = {c.name: c.worlds / best[c.name] for c in contenders}
    metric = "environment steps a second of a hexapod of 30 DOF on six feet, eight steps of 2.5 ms each, one core"
    return [Result.of_rates(CASE, metric, "1/s", rates.pop(ours.name), rates, Floor("ratio", RATE_FLOOR), notes)]


def measure_overhead(rounds: int, progress: Callable[[], None]) -> list[Result]:
    """What seeing, doing and judging take beside the march of the same worlds in the same ticks."""
    task = hexapod_velocity()
    whole, bare = GambolTicks(task), BareTicks(task)
    took: dict[str, list[float]] = {whole.name: [], bare.name: []}
    for _ in range(rounds):
        for one in (whole, bare):
            one.reset()
            one.run(5)
            took[one.name] += _tick_times(one)
        progress()
    usual = {name: float(np.percentile(times, USUAL)) for name, times in took.items()}
    share = 100.0 * (usual[whole.name] / usual[bare.name] - 1.0)
    metric = f"time of an environment step over that of the bare march, {WORLDS} hexapods in float32, one core"
    return [Result(OVERHEAD_CASE, metric, "%", share, {}, None, Floor("ours", MOST_OVERHEAD))]


def _tick_times(contender: Any) -> list[float]:
    """[s] on the processor of each tick of a turn."""
    times = [time.thread_time()]
    for _ in range(TURN):
        contender.run(1)
        times.append(time.thread_time())
    return list(np.diff(times))


# ---------------------------------------------------------------- ours
class GambolTicks:
    """The environment, with actions that do not change."""

    name, worlds = "Gambol", WORLDS

    def __init__(self, task: Task):
        self.env = BatchEnvironment(task, WORLDS, threads=1)
        drawn = np.random.default_rng(0).uniform(-ACTIVE, ACTIVE, self.env.action_space.shape)
        self.actions = drawn.astype(np.float32)

    def reset(self) -> None:
        """Episodes begin."""
        self.env.reset(seed=0)

    def run(self, steps: int) -> None:
        """Ticks."""
        for _ in range(steps):
            self.env.step(self.actions)


class BareTicks:
    """The same worlds marched in the same ticks, towards the same targets; nothing is seen."""

    name, worlds = "march", WORLDS

    def __init__(self, task: Task):
        made = GambolTicks(task)
        self.sim, self.tick = made.env.sim, task.tick
        made.reset()
        made.run(1)
        self.start = self.sim.save()

    def reset(self) -> None:
        """Back to the first tick."""
        self.sim.restore(self.start)

    def run(self, steps: int) -> None:
        """Ticks."""
        back = -float(self.sim.dtype(self.tick))
        for _ in range(steps):
            self.sim.advance(self.tick)
            self.sim.shift_clock(back)


# ---------------------------------------------------------------- theirs
def robot_mjcf(task: Task) -> str:
    """The robot of the task for MuJoCo: its tree, servos, feet, and a floor."""
    figure, q = task.world.layout.figures[0], np.asarray(task.start)
    tree = ET.fromstring(mjcf_text(figure, step=task.tick / SUBSTEPS, bare=True))
    option = tree.find("option")
    place = tree.find("worldbody")
    assert option is not None and place is not None
    option.clear()
    option.attrib.update(timestep=repr(task.tick / SUBSTEPS), gravity="0 0 -9.81", integrator="implicitfast")
    friction = f"{FRICTION} 0.005 0.0001"
    ET.SubElement(place, "geom", type="plane", size="50 50 1", friction=friction)
    motors = ET.SubElement(tree, "actuator")
    length, radius = SEGMENTS["tarsus"][:2]
    for body in tree.iter("body"):
        name, joint = body.attrib["name"], body.find("joint")
        if joint is not None and joint.attrib["type"] == "hinge":
            joint.attrib["damping"] = repr(SERVO_DAMPING)
            rest = float(q[figure.position_slices[name].start])
            span = f"{rest - REACH!r} {rest + REACH!r}"
            ET.SubElement(motors, "position", joint=joint.attrib["name"], kp=repr(SERVO_STIFFNESS), ctrlrange=span)
        if name.endswith("tarsus"):
            tip = f"{length - 0.5 * radius!r} 0 0"
            ET.SubElement(body, "geom", type="sphere", size=repr(radius), pos=tip, friction=friction, mass="0")
    return ET.tostring(tree, encoding="unicode")


class MuJoCoRobot:
    """The model, where it starts, and constant actions, in MuJoCo's order of joints."""

    def __init__(self, file: Path, task: Task):
        import mujoco

        self.mujoco, self.model = mujoco, mujoco.MjModel.from_xml_path(str(file))
        figure, q = task.world.layout.figures[0], np.asarray(task.start)
        self.start = np.array(self.model.qpos0)
        self.start[2] += q[2]
        self.joints = [self.model.joint(j).name for j in range(1, self.model.njnt)]
        bodies = [self.model.body(int(self.model.jnt_bodyid[j])).name for j in range(1, self.model.njnt)]
        self.start[7:] = [q[figure.position_slices[name].start] for name in bodies]
        self.middle = self.start[7:].copy()
        self.names = bodies
        self.actions = np.random.default_rng(0).uniform(-ACTIVE, ACTIVE, (PEER_WORLDS, self.model.nu))


class PlainLoop(MuJoCoRobot):
    """mj_step over several MjData, one after the other: servo targets in, nothing seen."""

    name, worlds = "MuJoCo loop", PEER_WORLDS

    def __init__(self, file: Path, task: Task):
        super().__init__(file, task)
        self.data = [self.mujoco.MjData(self.model) for _ in range(PEER_WORLDS)]
        self.targets = self.middle + REACH * self.actions

    def reset(self) -> None:
        """In the start posture."""
        for data in self.data:
            self.mujoco.mj_resetData(self.model, data)
            data.qpos[:] = self.start

    def run(self, steps: int) -> None:
        """Ticks."""
        step, model = self.mujoco.mj_step, self.model
        for _ in range(steps):
            for data, target in zip(self.data, self.targets):
                data.ctrl[:] = target
                step(model, data, nstep=SUBSTEPS)


class Rollout(MuJoCoRobot):
    """mujoco.rollout, in one thread: all ticks of a world in compiled code, without anyone looking in between."""

    name, worlds = "mujoco.rollout", PEER_WORLDS

    def __init__(self, file: Path, task: Task):
        super().__init__(file, task)
        from mujoco import rollout

        self._rollout, self.data = rollout.rollout, self.mujoco.MjData(self.model)
        self.targets = self.middle + REACH * self.actions

    def reset(self) -> None:
        """In the start posture."""
        spec = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.start
        state = np.empty(self.mujoco.mj_stateSize(self.model, spec))
        self.mujoco.mj_getState(self.model, self.data, state, spec)
        self.state = np.tile(state, (PEER_WORLDS, 1))

    def run(self, steps: int) -> None:
        """Ticks."""
        control = np.repeat(self.targets[:, None], steps * SUBSTEPS, axis=1)
        self._rollout(self.model, self.data, self.state, control)


class GymnasiumTicks(MuJoCoRobot):
    """gymnasium's SyncVectorEnv over environments that derive from its MujocoEnv."""

    name, worlds = "gymnasium", PEER_WORLDS

    def __init__(self, file: Path, task: Task):
        from gymnasium.vector import SyncVectorEnv

        super().__init__(file, task)
        kind = _gymnasium_hexapod()
        self.env = SyncVectorEnv([lambda: kind(str(file), self.start, self.middle)] * PEER_WORLDS)
        self.actions = self.actions.astype(np.float32)

    def reset(self) -> None:
        """Episodes begin."""
        self.env.reset(seed=0)

    def run(self, steps: int) -> None:
        """Ticks."""
        for _ in range(steps):
            self.env.step(self.actions)


def _gymnasium_hexapod() -> Any:
    """A class as gymnasium's own Ant is one: what is seen, wanted and the end as of `hexapod_velocity`."""
    from gymnasium.envs.mujoco import MujocoEnv
    from gymnasium.spaces import Box

    class Hexapod(MujocoEnv):
        metadata = {"render_modes": ["human", "rgb_array", "depth_array", "rgbd_tuple"], "render_fps": 50}

        def __init__(self, file: str, start: np.ndarray, middle: np.ndarray):
            self.begin, self.middle = start, middle
            self.asked, self.last = np.array([0.3, 0.0, 0.0]), np.zeros(len(middle), np.float32)
            space = Box(-np.inf, np.inf, (9 + 3 * len(middle),), np.float64)
            super().__init__(file, SUBSTEPS, space)
            self.action_space = Box(-1.0, 1.0, (len(middle),), np.float32)

        def _felt(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            frame, v = self.data.xmat[1].reshape(3, 3), self.data.qvel
            return v[:3] @ frame, v[3:6], -frame[2]

        def _seen(self) -> np.ndarray:
            _, turning, down = self._felt()
            joints, speeds = self.data.qpos[7:] - self.middle, 0.1 * self.data.qvel[6:]
            return np.concatenate([0.25 * turning, down, self.asked, joints, speeds, self.last])

        def step(self, action: np.ndarray) -> Any:
            action = np.clip(action, -1.0, 1.0)
            self.do_simulation(self.middle + REACH * action, self.frame_skip)
            velocity, turning, down = self._felt()
            terms = {
                "velocity": float(np.exp(-np.sum((velocity[:2] - self.asked[:2]) ** 2) / 0.04)),
                "turn": 0.5 * float(np.exp(-((turning[2] - self.asked[2]) ** 2) / 0.25)),
                "bounce": -0.5 * float(velocity[2] ** 2 + 0.05 * np.sum(turning[:2] ** 2)),
                "tilt": -float(np.sum(down[:2] ** 2)),
                "rate": -0.01 * float(np.sum((action - self.last) ** 2)),
                "motion": -2e-4 * float(np.sum(self.data.qvel[6:] ** 2)),
            }
            self.last = action
            over = bool(down[2] > -np.cos(0.8) or self.data.qpos[2] < 0.05)
            return self._seen(), 0.02 * sum(terms.values()), over, False, terms

        def reset_model(self) -> np.ndarray:
            self.set_state(self.begin, np.zeros(self.model.nv))
            self.last = np.zeros(len(self.middle), np.float32)
            return self._seen()

    return Hexapod


def check_standing(task: Task, loop: PlainLoop) -> None:
    """Both stand a second with the same targets: alike, or nothing is timed."""
    sim = task.simulation()
    loop.reset()
    data = loop.data[0]
    data.ctrl[:] = loop.middle
    loop.mujoco.mj_step(loop.model, data, nstep=round(STANDING_TIME * SUBSTEPS / task.tick))
    ours = np.array([sim.q[sim.coordinates(name)][0] for name in loop.names])
    lower = abs(float(data.qpos[2]) - (float(sim.q[2]) + float(loop.model.qpos0[2])))
    bent = float(np.abs(data.qpos[7:] - ours).max())
    if not (lower < STANDING_HEIGHT and bent < STANDING_ANGLE):
        raise GambolError(
            f"MuJoCo's hexapod stands otherwise than ours: {1e3 * lower:.1f} mm lower or higher, joints {bent:.3f} rad"
            f" apart (allowed: {1e3 * STANDING_HEIGHT:g} mm, {STANDING_ANGLE:g} rad); nothing was timed"
        )
