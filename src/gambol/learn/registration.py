"""The tasks under the names by which gymnasium makes them."""

import inspect
from typing import Any

import gymnasium

from gambol.errors import Fault, TaskError

IDS = {
    "HexapodVelocity-v0": "hexapod_velocity",
    "CompliantVelocity-v0": "compliant_velocity",
    "HexapodGait-v0": "hexapod_gait",
    "RoachRoughGround-v0": "roach_rough_ground",
    "PersonBalance-v0": "person_balance",
    "PersonWalking-v0": "person_walking",
    "ArmReaching-v0": "arm_reaching",
    "Figure-v0": "figure_task",
}
_SIMULATION = (
    "dtype",
    "threads",
    "device",
    "lanes",
    "stepping",
    "autoreset_mode",
    "render_mode",
    "render_worlds",
    "seed",
)


def register_tasks() -> None:
    """Once; names that are taken already stay."""
    here = __name__
    for name in IDS:
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{here}:make_one",
                vector_entry_point=f"{here}:make_batch",
                kwargs={"task": name},
                order_enforce=True,
            )


def _task(name: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    import gambol.learn.tasks as tasks

    own = {key: value for key, value in options.items() if key not in _SIMULATION}
    make = getattr(tasks, IDS[name])
    takes = inspect.signature(make)
    try:
        takes.bind(**own)
    except TypeError as error:
        allowed = ", ".join([*takes.parameters, *_SIMULATION])
        raise TaskError([Fault(f"{error}; options: {allowed}", name)]) from None
    return make(**own), {key: value for key, value in options.items() if key in _SIMULATION}


def make_one(task: str, **options: Any) -> gymnasium.Env:
    """One world of a task; `options` of the task's function, of Simulation, and render_mode."""
    from gambol.learn.environment import Environment

    made, rest = _task(task, options)
    return Environment(made, **rest)


def make_batch(task: str, num_envs: int = 1, **options: Any) -> gymnasium.vector.VectorEnv:
    """Many worlds of a task."""
    from gambol.learn.environment import BatchEnvironment

    made, rest = _task(task, options)
    return BatchEnvironment(made, num_envs, **rest)
