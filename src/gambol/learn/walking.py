"""A person's walk as something to learn on: what its stride controller does, changed by the action."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.control.biped import stride_law as law
from gambol.control.biped.gait import TunedWalk
from gambol.control.biped.striding import ARM_JOINT, LEG_JOINTS, SIDES, Stride
from gambol.errors import Fault, TaskError
from gambol.learn.batch import Batch
from gambol.learn.parts import Action, Observation

BY_WORLD = ("state", "goals", "slope", "trim", "_last")  # what a Stride keeps of each world


@dataclass
class StrideResiduals(Action):
    """A `Stride` walks at the commanded speed (the first number of the command); actions move its rest angles.

    walk, soles   of the Stride; it acts in every part of a tick, which should last 5 ms
    joints        of each leg that actions move, and the shoulders if "humerus1" is among them
    reach         [rad] that an action of 1 adds
    """

    walk: TunedWalk | None = None
    soles: Mapping[str, Sequence[str]] | None = None
    joints: Sequence[str] = ("thigh1", "thigh2", "shank", "talus")
    reach: float = 0.1

    def prepare(self, batch: Batch) -> None:
        if self.walk is None or self.soles is None:
            raise TaskError([Fault("a walk and the contacts of its soles are needed", batch.task.name)])
        known = [f"{side}_{joint}" for side in SIDES for joint in LEG_JOINTS] + [
            f"{side}_{ARM_JOINT}" for side in SIDES
        ]
        self.names = [f"{side}_{joint}" for side in SIDES for joint in self.joints]
        if unknown := [name for name in self.names if name not in known]:
            raise TaskError([Fault(f"a stride moves no {unknown[0]!r}; it moves {', '.join(known)}", batch.task.name)])
        self._at = np.array([known.index(name) for name in self.names])
        self.stride = Stride(self.walk, self.soles)
        self.stride.start(batch.sim)
        self._begin = {name: getattr(self.stride, name).copy() for name in BY_WORLD}
        self._more = np.zeros((batch.worlds, law.SPRINGS))

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {f"{name} target": "rad" for name in self.names}

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        super().begin(batch, worlds)
        for name, start in self._begin.items():
            getattr(self.stride, name)[worlds] = start[worlds]
        self._more[worlds] = 0.0

    def apply(self, batch: Batch, action: np.ndarray) -> None:
        self._more[:, self._at] = self.reach * action

    def drive(self, batch: Batch) -> None:
        """The stride decides, its rest angles are moved."""
        stride = self.stride
        if batch.command.shape[1]:
            stride.speed = batch.command[:, 0].astype(float)
        stride.tick(batch.sim)
        stride.strikes.clear()
        rest = stride._rest + self._more
        stride._springs.set("rest", rest if batch.worlds > 1 else rest[0])

    def save(self) -> dict[str, Any]:
        """What changes from tick to tick, that of the stride too."""
        own = {name: getattr(self.stride, name).copy() for name in BY_WORLD}
        return {**super().save(), "stride": own, "more": self._more.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Exactly as it was saved."""
        state = copy.deepcopy(state)
        for name, value in state.pop("stride").items():
            setattr(self.stride, name, value)
        self._more = state.pop("more")
        super().restore(state)


@dataclass
class StridePhase(Observation):
    """Where in its cycle the walk is: sine and cosine of the left leg's phase."""

    def prepare(self, batch: Batch) -> None:
        found = [part for part in batch.parts if isinstance(part, StrideResiduals)]
        if not found:
            raise TaskError([Fault("there is no phase without StrideResiduals among the actions", batch.task.name)])
        self._stride = found[0].stride

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {"phase sine": "", "phase cosine": ""}

    def bounds(self, batch: Batch) -> tuple[float, float]:
        return -1.0, 1.0

    def read(self, batch: Batch) -> np.ndarray:
        state = self._stride.state
        phase = 2.0 * np.pi * (state[:, law.PHASE] + 0.5 * state[:, law.STANCE_SIDE])
        return np.stack([np.sin(phase), np.cos(phase)]).T.astype(batch.q.dtype)
