"""Gymnasium environments: a batch of worlds as a VectorEnv, one world as an Env."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from gambol.errors import Fault, TaskError, nearest
from gambol.learn.episodes import Episodes
from gambol.learn.recording import EpisodeRecording
from gambol.learn.task import Task, TaskParts

SIZE = (480, 360)  # [pixels]


def _spaces(episodes: Episodes) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    ends = []
    for part in episodes.observations:
        noise = np.broadcast_to(np.asarray(part.noise, float), len(part.labels(episodes.batch)))
        low, high = part.bounds(episodes.batch)
        ends.append(part.scale * np.stack([low - noise, high + noise]))
    both = np.concatenate(ends, axis=1).astype(np.float32)
    seen = gymnasium.spaces.Box(both.min(axis=0), both.max(axis=0), dtype=np.float32)
    return seen, gymnasium.spaces.Box(-1.0, 1.0, (len(episodes.action_labels),), np.float32)


def _metadata(task: TaskParts) -> dict[str, Any]:
    return {"render_modes": list(task.render_modes), "render_fps": round(1 / task.tick)}


def _checked_mode(mode: str | None, task: TaskParts) -> str | None:
    if mode is not None and mode not in task.render_modes:
        raise TaskError([Fault(f"no render mode {mode!r}{nearest(mode, task.render_modes)}", task.name)])
    return mode


class Painter:
    """Pictures of worlds of a simulation from a camera that follows."""

    def __init__(self, sim: Any, size: tuple[int, int] = SIZE):
        from gambol.draw import Camera
        from gambol.draw.motion import placer
        from gambol.draw.render import Scene
        from gambol.draw.terrain import OWN_GROUND, seen_ground

        self.sim, self.size = sim, size
        figures = sim.layout.figures
        self._place, self._camera = placer(figures), Camera()
        self._scene = Scene(figures, ground=seen_ground(OWN_GROUND, sim.world.terrain))
        reach = 4.0 * sim.world.size
        self._scene.lay_terrain(np.full(2, -reach), np.full(2, reach))
        self._distance = 0.0

    def picture(self, world: int) -> np.ndarray:
        """(height, width, 3) bytes."""
        from gambol.draw.camera import View

        poses = self._place(np.atleast_2d(self.sim.q)[world].astype(float))
        cloud = self._scene.moving(self._scene.corners(poses)[0])
        middle = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0))
        if not self._distance:
            self._distance = 1.3 * self._camera.fitted(cloud, middle, self.size[0] / self.size[1])
        return self._scene.draw(poses, View(self._camera, middle, self._distance), *self.size)


class _Recorded:
    """What environments of one world and of many have in common."""

    task: TaskParts
    sim: Any

    def record(self, path: str | Path, *, world: int = 0, **options: Any) -> EpisodeRecording:
        """From now on a world is recorded, a sample a tick, until what this gives is closed (`with` does so).

        `options` are those of Recorder: channels, reports, title, overwrite.
        """
        if not isinstance(self.task, Task):
            raise TaskError([Fault("only figures are recorded", self.task.name)])
        if not 0 <= world < self.sim.worlds:
            raise TaskError([Fault(f"there is no world {world}: they are 0 to {self.sim.worlds - 1}", self.task.name)])
        made = EpisodeRecording(self.sim, self.task.tick, path, world=world, **options)
        self._recordings: list[EpisodeRecording] = [*getattr(self, "_recordings", []), made]
        return made

    def _take(self) -> None:
        if hasattr(self, "_recordings"):
            for made in self._recordings:
                if made.is_open:
                    made.take()

    def _end_recordings(self) -> None:
        for made in getattr(self, "_recordings", []):
            made.close()


class BatchEnvironment(_Recorded, VectorEnv):
    """Worlds of a task that step together.

    task             what it is made of
    num_envs         how many worlds
    autoreset_mode   what happens where an episode is over: "NextStep" (the step after begins anew, as gymnasium's own
                     do), "SameStep" (the same step does; info has final_obs), "Disabled" (see `reset`)
    render_worlds    which worlds `render` shows
    options          of Simulation: dtype, threads, device="cuda", …

    Observations and actions have names and units: `observation_labels`, `action_labels`.
    """

    def __init__(
        self,
        task: TaskParts,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        render_worlds: Sequence[int] = (0,),
        seed: int | None = None,
        **options: Any,
    ):
        modes = {mode.value: mode for mode in AutoresetMode} | {mode.name: mode for mode in AutoresetMode}
        if isinstance(autoreset_mode, str) and autoreset_mode not in modes:
            raise TaskError(
                [Fault(f"no autoreset mode {autoreset_mode!r}{nearest(autoreset_mode, modes)}", "environment")]
            )
        self.mode = modes[autoreset_mode] if isinstance(autoreset_mode, str) else autoreset_mode
        options.setdefault("lanes", None)
        self.task, self.num_envs = task, num_envs
        self.sim = task.simulation(worlds=num_envs, **{k: v for k, v in options.items() if v is not None})
        self.episodes = Episodes(task, self.sim, seed)
        self.observation_labels, self.action_labels = self.episodes.observation_labels, self.episodes.action_labels
        self.single_observation_space, self.single_action_space = _spaces(self.episodes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.metadata = _metadata(task) | {"autoreset_mode": self.mode}
        self.render_mode, self.render_worlds = _checked_mode(render_mode, task), tuple(render_worlds)
        self._over, self._ended = np.zeros(num_envs, bool), False  # episodes that the last step ended
        self._painter: Painter | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins episodes in all worlds, or in those of options["reset_mask"]; a seed makes them the same again."""
        super().reset(seed=seed)
        if seed is not None:
            self.episodes.batch.random = seeding.np_random(seed)[0]
        mask = (options or {}).get("reset_mask")
        chosen = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)
        if chosen.shape != (self.num_envs,) or not chosen.any():
            message = f"reset_mask must be {self.num_envs} truth values, at least one of them true"
            raise TaskError([Fault(message, "environment")])
        self.episodes.begin(np.flatnonzero(chosen))
        self._over[chosen] = False
        self._ended = bool(self._over.any())
        return self.episodes.observe(again=mask is not None), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """A tick of every world. `info["finished"]` has return, length and terms of episodes that are over."""
        episodes, info = self.episodes, dict[str, Any]()
        if self._ended and self.mode is AutoresetMode.DISABLED:
            over = np.flatnonzero(self._over)[:5].tolist()
            message = f"the episodes of worlds {over} are over: reset them with options={{'reset_mask': …}}"
            raise TaskError([Fault(message, "environment")])
        reward, terminated, truncated, ended = episodes.step(actions)
        if self._ended and self.mode is AutoresetMode.NEXT_STEP:
            anew = np.flatnonzero(self._over)
            episodes.begin(anew)
            reward[anew], terminated[anew], truncated[anew] = 0.0, False, False
        self._ended = ended
        if ended:
            self._over = over = terminated | truncated
            self._ended = ended = bool(over.any())  # not those that have just begun
        if ended:
            info["finished"], info["_finished"] = episodes.summary(np.flatnonzero(over)), over.copy()
        seen = episodes.observe()
        if ended and self.mode is AutoresetMode.SAME_STEP:
            final = np.full(self.num_envs, None, object)
            for world in np.flatnonzero(over):
                final[world] = seen[world].copy()
            info |= {"final_obs": final, "_final_obs": over.copy()}
            episodes.begin(np.flatnonzero(over))
            seen[over] = episodes.observe(again=True)[over]
        self._take()
        return seen, reward, terminated, truncated, info

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Pictures (height, width, 3) of `render_worlds`."""
        if self.render_mode is None:
            return None
        self._painter = self._painter or Painter(self.sim)
        return tuple(self._painter.picture(world) for world in self.render_worlds)

    def close_extras(self, **options: Any) -> None:
        """Ends recordings."""
        self._end_recordings()

    def save(self) -> Any:
        """Everything that decides how it goes on, to be restored bitwise."""
        return self.episodes.save(), self._over.copy(), self._ended

    def restore(self, saved: Any) -> None:
        """Exactly as it was saved."""
        self.episodes.restore(saved[0])
        self._over, self._ended = saved[1].copy(), saved[2]


class Environment(_Recorded, gymnasium.Env):
    """One world of a task, in float64 unless `options` of Simulation say otherwise."""

    def __init__(self, task: TaskParts, *, render_mode: str | None = None, seed: int | None = None, **options: Any):
        self.task, self.sim = task, task.simulation(**options)
        self.episodes = Episodes(task, self.sim, seed)
        self.observation_labels, self.action_labels = self.episodes.observation_labels, self.episodes.action_labels
        self.observation_space, self.action_space = _spaces(self.episodes)
        self.metadata, self.render_mode = _metadata(task), _checked_mode(render_mode, task)
        self._painter: Painter | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode; the same one for the same seed."""
        super().reset(seed=seed)
        if seed is not None:
            self.episodes.batch.random = seeding.np_random(seed)[0]
        self.episodes.begin(np.array([0]))
        return self.episodes.observe()[0], {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """A tick; info has the terms of the reward since the episode began."""
        reward, over, late, _ = self.episodes.step(np.asarray(action)[None])
        self._take()
        terms = {name: float(term[0]) for name, term in zip(self.episodes.term_names, self.episodes.terms)}
        return self.episodes.observe()[0], float(reward[0]), bool(over[0]), bool(late[0]), {"terms": terms}

    def render(self) -> np.ndarray | None:
        """A picture (height, width, 3) of bytes."""
        if self.render_mode is None:
            return None
        self._painter = self._painter or Painter(self.sim)
        return self._painter.picture(0)

    def close(self) -> None:
        """Ends recordings."""
        self._end_recordings()
