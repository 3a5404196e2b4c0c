"""Policies: from what is seen to what is done; as a file, and as a controller like every other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import Fault, TaskError, nearest, shortened
from gambol.learn.episodes import Episodes
from gambol.learn.task import Task
from gambol.record.arrays import read_arrays
from gambol.stepping.controller import Controller
from gambol.world.simulation import Simulation

FORMAT = 1
LEARNED = Path(__file__).with_name("learned")  # policies that come with it


@dataclass
class Policy:
    """A network of layers with tanh between them, of observations less their mean over their spread.

    layers        (weights, biases) of each, weights (inputs, outputs)
    mean, spread  of the observations
    about         what it was trained on, and how: for people, kept in the file
    """

    layers: Sequence[tuple[np.ndarray, np.ndarray]]
    mean: np.ndarray
    spread: np.ndarray
    about: dict[str, Any] = field(default_factory=dict)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Actions of observations, (…, observations) to (…, actions)."""
        x = np.clip((observations - self.mean) / self.spread, -10.0, 10.0)
        for k, (weights, biases) in enumerate(self.layers):
            x = x @ weights + biases
            if k + 1 < len(self.layers):
                x = np.tanh(x)
        return x

    def write(self, path: str | Path) -> Path:
        """As a NumPy archive (.npz)."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays = {f"weights{k}": w for k, (w, _) in enumerate(self.layers)}
        arrays |= {f"biases{k}": b for k, (_, b) in enumerate(self.layers)}
        head = json.dumps({"format": FORMAT, **self.about})
        with path.open("wb") as stream:
            np.savez(stream, mean=self.mean, spread=self.spread, about=np.array(head), **arrays)  # type: ignore[arg-type]
        return path

    @classmethod
    def learned(cls, task: str) -> Policy:
        """One that comes with Gambol, by the function of its task (`about` says how it was trained)."""
        names = sorted(path.stem for path in LEARNED.glob("*.npz"))
        if task not in names:
            message = f"no policy for {task!r} comes with Gambol{nearest(task, names)}"
            raise TaskError([Fault(message, "policy")])
        return cls.read(LEARNED / f"{task}.npz")

    @classmethod
    def read(cls, path: str | Path) -> Policy:
        """From a file that `write` made."""
        try:
            return cls._made(read_arrays(path))
        except OSError as error:
            reason = str(error.strerror or error)
        except KeyError as error:
            reason = f"it has no {error}"
        except (ValueError, RecursionError) as error:
            reason = str(error)
        raise TaskError([Fault(f"it is no policy of Gambol: {shortened(reason, 200)}", file=str(path), line=1)])

    @classmethod
    def _made(cls, found: dict[str, np.ndarray]) -> Policy:
        about = json.loads(str(found["about"]))
        if not isinstance(about, dict) or about.pop("format", None) != FORMAT:
            raise ValueError("it is a policy of another version")
        count = sum(name.startswith("weights") for name in found)
        if not count:
            raise ValueError("it has no layers")
        mean, spread = found["mean"], found["spread"]
        layers = [(found[f"weights{k}"], found[f"biases{k}"]) for k in range(count)]
        width = len(mean) if mean.ndim == 1 else 0
        _check("mean", mean, (width,))
        _check("spread", spread, (width,))
        if not np.all(spread > 0):
            raise ValueError("'spread' must be positive")
        for k, (weights, biases) in enumerate(layers):
            outputs = len(biases) if biases.ndim == 1 else 0
            _check(f"weights{k}", weights, (width, outputs))
            _check(f"biases{k}", biases, (outputs,))
            width = outputs
        return cls(layers, mean, spread, about)


def _check(name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raises ValueError unless an array holds finite numbers in this shape."""
    if values.shape != shape or not all(shape):
        raise ValueError(f"{name!r} has the shape {values.shape}, which does not fit the others")
    if values.dtype.kind != "f" or not np.all(np.isfinite(values)):
        raise ValueError(f"{name!r} must be finite numbers")


class PolicyController(Controller):
    """A policy at work in a run: every tick of its task it sees, and acts.

        sim = task.simulation(stepping=Stepping(method="implicit-pair", eps=1e-6))
        sim.run(5.0, every=1 / 60, controller=PolicyController(task, policy, command=(0.3, 0.0, 0.0)))

    command   what is asked for, held until `controller.command` is set; without one what the task's changes ask for
    """

    keeps = ("count", "origin", "_parts")

    def __init__(
        self,
        task: Task,
        policy: Callable[[np.ndarray], np.ndarray],
        *,
        command: Sequence[float] | None = None,
        seed: int | None = 0,
    ):
        self.task, self.policy, self.seed = (task if command is None else replace(task, changes=())), policy, seed
        self.command = None if command is None else tuple(map(float, command))

    def start(self, run: Simulation) -> None:
        self.count, self.origin = 0, run.latest_time
        self._episodes = Episodes(self.task, run, self.seed)
        batch = self._episodes.batch
        self._show_command()
        for part in batch.parts:
            part.begin(batch, np.arange(batch.worlds))
        self._parts = batch.save()

    def _show_command(self) -> None:
        if self.command is not None:
            batch = self._episodes.batch
            batch.command = np.tile(np.asarray(self.command, batch.q.dtype), (batch.worlds, 1))

    def next_time(self, run: Simulation) -> float:
        return self.origin + self.count * self.task.tick / self.task.drives

    def act(self, run: Simulation) -> None:
        """Sees, and sets what acts until the next tick; what acts faster is driven in every part of a tick."""
        batch = self._episodes.batch
        batch.restore(self._parts)
        if self.count % self.task.drives == 0:
            self._show_command()
            self._episodes.act(self.policy(self._episodes.observe()))
            batch.age += 1
            batch.speeds_before[...] = batch.v
        for part in batch.drivers:
            part.drive(batch)
        self._parts = batch.save()
        self.count += 1
