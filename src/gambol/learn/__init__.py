"""Learning: tasks from small parts, and gymnasium environments of them by the thousand (extra `learn`).

    from gambol.learn import BatchEnvironment, hexapod_velocity
    env = BatchEnvironment(hexapod_velocity(), 256)
    seen, _ = env.reset(seed=0)
    seen, reward, terminated, truncated, info = env.step(env.action_space.sample())

The tasks are registered with gymnasium too: gymnasium.make_vec("gambol.learn:HexapodVelocity-v0", num_envs=256).
"""

import importlib.util
from typing import TYPE_CHECKING

from gambol.lazy import lazy_names

if TYPE_CHECKING:
    from gambol.learn.actions import (
        Activations as Activations,
        GaitNumbers as GaitNumbers,
        JointTorques as JointTorques,
        ServoTargets as ServoTargets,
    )
    from gambol.learn.batch import Batch as Batch
    from gambol.learn.changes import (
        Commands as Commands,
        Pushes as Pushes,
        Randomise as Randomise,
        RandomMass as RandomMass,
        StartNoise as StartNoise,
    )
    from gambol.learn.environment import BatchEnvironment as BatchEnvironment, Environment as Environment
    from gambol.learn.hybrids import (
        HybridBatch as HybridBatch,
        HybridTask as HybridTask,
        InChart as InChart,
        Parameters as Parameters,
        Quantities as Quantities,
        Square as Square,
        TrackQuantity as TrackQuantity,
        compliant_velocity as compliant_velocity,
    )
    from gambol.learn.observations import (
        Acceleration as Acceleration,
        AngularVelocity as AngularVelocity,
        Clock as Clock,
        Commanded as Commanded,
        Contacts as Contacts,
        GravityDirection as GravityDirection,
        Height as Height,
        HeightScan as HeightScan,
        JointPositions as JointPositions,
        JointSpeeds as JointSpeeds,
        LastAction as LastAction,
        LinearVelocity as LinearVelocity,
        Points as Points,
    )
    from gambol.learn.parts import (
        Action as Action,
        Change as Change,
        Custom as Custom,
        Observation as Observation,
        Readout as Readout,
        Reward as Reward,
        SquaredTerm as SquaredTerm,
        TaskPart as TaskPart,
        Termination as Termination,
        Threshold as Threshold,
    )
    from gambol.learn.policy import Policy as Policy, PolicyController as PolicyController
    from gambol.learn.rewards import (
        ActionRate as ActionRate,
        Alive as Alive,
        Bounce as Bounce,
        Forward as Forward,
        JointMotion as JointMotion,
        Low as Low,
        Near as Near,
        Tilt as Tilt,
        Tilted as Tilted,
        TrackTurn as TrackTurn,
        TrackVelocity as TrackVelocity,
    )
    from gambol.learn.recording import EpisodeRecording as EpisodeRecording
    from gambol.learn.task import Task as Task, TaskParts as TaskParts
    from gambol.learn.tasks import (
        TASKS as TASKS,
        arm_reaching as arm_reaching,
        figure_task as figure_task,
        hexapod_gait as hexapod_gait,
        hexapod_velocity as hexapod_velocity,
        person_balance as person_balance,
        person_walking as person_walking,
        roach_rough_ground as roach_rough_ground,
    )
    from gambol.learn.walking import StridePhase as StridePhase, StrideResiduals as StrideResiduals
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

if importlib.util.find_spec("gymnasium"):
    from gambol.learn.registration import register_tasks

    register_tasks()
