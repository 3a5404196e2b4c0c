"""What the experiments of the person share: timing, welded versions, pictures."""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from gambol import Behaviour, ControlState, Figure, Simulation, Stepping, StopWhen, Trajectory
from gambol.control.posture.control_state import springs_of
from gambol.draw import Camera, picture
from gambol.experiments.registry import ExperimentContext
from gambol.models import person90
from gambol.models.person import standing_angles, welded

FRAME_TIME = 1 / 30  # [s]
SIDE_VIEW = Camera(azimuth=-75.0, elevation=8.0)
EXPLICIT_STEPPING = Stepping(method="rkf45", eps=1e-4, step=FRAME_TIME, max_step=FRAME_TIME)
"""The source's integrator and tolerance."""


def thread_seconds(action: Callable[[], Any], *, rounds: int = 3) -> float:
    """Seconds of this thread that an action takes, the best of some rounds."""
    best = np.inf
    for _ in range(rounds):
        begin = time.thread_time()
        action()
        best = min(best, time.thread_time() - begin)
    return float(best)


@cache
def with_joints(names: tuple[str, ...]) -> Figure:
    """The person with these joints; all others welded where they stand."""
    figure = person90()
    others = [body.name for body in figure.bodies if body.parent and body.name not in names]
    return welded(figure, others, standing_angles())


def steps_per_frame(sim: Simulation, frames: int) -> float:
    """Attempts (taken and rejected) from one frame to the next, over some frames."""
    before = sum(sim.counts[key] for key in ("steps", "rejected"))
    begin = float(sim.time)
    for k in range(1, frames + 1):
        sim.advance(begin + k * FRAME_TIME)
    return (sum(sim.counts[key] for key in ("steps", "rejected")) - before) / frames


def perform(
    sim: Simulation,
    behaviour: Behaviour,
    seconds: float,
    *,
    every: float = FRAME_TIME,
    watch: Mapping[str, Callable[[Simulation], Any]] | None = None,
    stops: Mapping[str, Callable[[Simulation], bool]] | None = None,
    period: float = 0.01,
) -> Trajectory:
    """Runs a behaviour until it is done, one of the stops holds (asked every `period` [s]), or the time is up."""
    conditions: dict[str, Any] = {**(stops or {}), "done": behaviour}
    ends = StopWhen(period=period, **conditions)
    return sim.run(seconds, every=every, include_start=True, watch=watch, controller=[behaviour, ends])


def film_strip(
    context: ExperimentContext,
    name: str,
    motion: Any,
    times: int | Iterable[float],
    *,
    camera: Camera = SIDE_VIEW,
    **more,
):
    """A strip of moments as a picture of an experiment."""
    chosen = times if isinstance(times, int) else list(times)
    with context.picture(name) as path:
        picture.save_image(picture.strip(motion, times=chosen, camera=camera, **more), path)


def unloaded_state(sim: Simulation) -> ControlState:
    """Rest angles equal to the angles that the joints have now: springs that carry nothing."""
    return ControlState({name: float(sim.q[sim.coordinates(name)][0]) for name in springs_of(sim.world)})
