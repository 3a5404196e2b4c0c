"""What can be done: servo targets, torques, activations of muscles, the numbers of a gait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gambol.errors import Fault, TaskError
from gambol.learn.batch import Batch
from gambol.learn.parts import Action


def _plain(name: str) -> str:
    return name.rpartition("/")[2]


@dataclass
class ServoTargets(Action):
    """Rest angles of springs that are called like their joints: the described ones, plus `reach` times the action.

    reach   [rad or m] (one, or one a joint)
    pace    [rad/s or m/s] how fast a target may move; None: at once
    """

    joints: Sequence[str] | str = "all"
    reach: float | Sequence[float] = 0.5
    pace: float | None = None
    keeps = ("_late", "_target")

    def prepare(self, batch: Batch) -> None:
        joints = batch.joints(self.joints)
        names = [_plain(name) for name in joints]
        if missing := [name for name in names if name not in batch.sim.elements]:
            message = f"no servo (a spring named like its joint) moves {missing[0]!r}"
            raise TaskError([Fault(message, "task")])
        self.names, self._handle, self._units = names, batch.sim.elements[tuple(names)], batch.units_of(joints)
        self._middle = np.asarray(self._handle.described("rest"), batch.q.dtype)
        self._reach = np.broadcast_to(np.asarray(self.reach, batch.q.dtype), len(names)).copy()
        self._target = np.repeat(self._middle[None], batch.worlds, axis=0)
        self._write = self._handle.writer("rest")

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {f"{name} target": unit for name, unit in zip(self.names, self._units)}

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        super().begin(batch, worlds)
        self._target[worlds] = self._middle

    def act(self, batch: Batch, action: np.ndarray) -> None:
        """At once where it can be; else as `apply` says."""
        if self.delay or self.pace is not None or not batch.sim.memory.lanes:
            super().act(batch, action)
            return
        self._write.take(batch.sheet.packs, batch.rows["action"].start + self.first, self._reach, self._middle)

    def apply(self, batch: Batch, action: np.ndarray) -> None:
        target = self._middle + self._reach * action
        if self.pace is not None:
            most = self.pace * batch.tick
            target = np.clip(target, self._target - most, self._target + most)
        self._target = target
        self._write(target)


@dataclass
class JointTorques(Action):
    """Forces of joints: `most` [N·m or N] times the action (one, or one a joint)."""

    joints: Sequence[str] | str = "all"
    most: float | Sequence[float] = 1.0

    def prepare(self, batch: Batch) -> None:
        self.names = batch.joints(self.joints)
        self._at, self._units = batch.speeds_of(self.names), batch.units_of(self.names)
        self._most = np.broadcast_to(np.asarray(self.most, batch.q.dtype), len(self.names))
        self._command = np.zeros((batch.worlds, batch.v.shape[1]), batch.q.dtype)

    def labels(self, batch: Batch) -> Mapping[str, str]:
        forces = {"rad": ("torque", "N·m"), "m": ("force", "N")}
        told = [(_plain(name), *forces[unit]) for name, unit in zip(self.names, self._units)]
        return {f"{name} {what}": unit for name, what, unit in told}

    def apply(self, batch: Batch, action: np.ndarray) -> None:
        self._command[:, self._at] = self._most * action
        batch.sim.command = self._command if batch.worlds > 1 else self._command[0]


@dataclass
class Activations(Action):
    """A parameter of force elements, such as the activation of muscles, between two numbers; `unit` is theirs."""

    elements: Sequence[str] = ()
    parameter: str = "activation"
    low: float = 0.0
    high: float = 1.0
    unit: str = ""

    def prepare(self, batch: Batch) -> None:
        handle = batch.sim.elements[tuple(self.elements)]
        if len(handle) != len(self.elements):
            raise TaskError([Fault("each element must be a single row (one point, one coordinate)", "task")])
        self._write = handle.writer(self.parameter)

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {f"{name} {self.parameter}": self.unit for name in self.elements}

    def apply(self, batch: Batch, action: np.ndarray) -> None:
        self._write((self.low + 0.5 * (action + 1) * (self.high - self.low)).astype(batch.q.dtype))


GAIT = {"frequency": (0.3, 2.5), "stride": (-0.8, 0.8), "lift": (0.0, 0.8), "lag": (-np.pi, np.pi), "turn": (-0.4, 0.4)}


@dataclass
class GaitNumbers(Action):
    """The numbers of a gait of alternating groups of legs, whose joints swing as sines: five actions in all.

    swing, lift   names of the servos that swing each leg fore and aft, and of those that lift it, leg by leg
    group         0 or 1 of each leg: those of one group move against those of the other
    side          1 of each left leg, -1 of each right one
    ranges        of frequency [Hz], stride [rad], lift [rad], lag of the lift behind the swing [rad], turn [rad]
    """

    swing: Sequence[str] = ()
    lift: Sequence[str] = ()
    group: Sequence[int] = ()
    side: Sequence[float] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=lambda: dict(GAIT))
    keeps = ("_late", "_phase")

    def prepare(self, batch: Batch) -> None:
        if not len(self.swing) == len(self.lift) == len(self.group) == len(self.side) > 0:
            raise TaskError([Fault("give every leg a swing servo, a lift servo, a group and a side", "task")])
        self._handle = batch.sim.elements[(*self.swing, *self.lift)]
        self._middle = np.asarray(self._handle.described("rest"), batch.q.dtype)
        self._write = self._handle.writer("rest")
        self._low, self._high = np.array([self.ranges.get(name, GAIT[name]) for name in GAIT]).T
        self._phase = np.zeros(batch.worlds)

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return dict(zip(GAIT, ("Hz", "rad", "rad", "rad", "rad")))

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        super().begin(batch, worlds)
        self._phase[worlds] = 0.0

    def apply(self, batch: Batch, action: np.ndarray) -> None:
        numbers = self._low + 0.5 * (np.asarray(action, float) + 1.0) * (self._high - self._low)
        often, far, high, lag, turn = numbers.T[:, :, None]
        phase = self._phase[:, None] + np.pi * np.asarray(self.group)
        swing = (far * np.asarray(self.side) + turn) * np.sin(phase)
        lift = -high * np.maximum(np.sin(phase + lag), 0.0)
        self._write((self._middle + np.concatenate([swing, lift], axis=1)).astype(batch.q.dtype))
        self._phase = (self._phase + 2 * np.pi * often[:, 0] * batch.tick) % (2 * np.pi)
