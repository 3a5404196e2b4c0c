"""What can be seen: joints, the trunk as an inertial sensor gives it, contacts, the ground ahead, the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import Fault, TaskError
from gambol.forces.contact.ground_contact import GroundContact
from gambol.learn.batch import Batch
from gambol.learn.parts import Observation, Readout


def _plain(name: str) -> str:
    return name.rpartition("/")[2]


@dataclass
class JointPositions(Readout):
    """Positions of joints of one coordinate, from those of the start [rad or m]."""

    joints: Sequence[str] | str = "all"

    def prepare(self, batch: Batch) -> None:
        self.names = batch.joints(self.joints)
        self._at = batch.positions_of(self.names)
        self.middle = np.asarray(batch.task.start, batch.q.dtype)[self._at]

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {_plain(name): unit for name, unit in zip(self.names, batch.units_of(self.names))}

    def rows(self, batch: Batch) -> Sequence[int]:
        return np.asarray(batch.rows["q"])[self._at].tolist()


@dataclass
class JointSpeeds(Readout):
    """Speeds of joints of one coordinate [rad/s or m/s]."""

    joints: Sequence[str] | str = "all"

    def prepare(self, batch: Batch) -> None:
        self.names = batch.joints(self.joints)
        self._at = batch.speeds_of(self.names)

    def labels(self, batch: Batch) -> Mapping[str, str]:
        units = [next(iter(batch.sim.layout.body(n).body.joint.kind.speeds.values())) for n in self.names]
        return {f"{_plain(name)} speed": unit for name, unit in zip(self.names, units)}

    def rows(self, batch: Batch) -> Sequence[int]:
        return np.asarray(batch.rows["v"])[self._at].tolist()


def _axes(what: str, unit: str) -> dict[str, str]:
    return {f"{what} {axis}": unit for axis in "xyz"}


@dataclass
class AngularVelocity(Readout):
    """Of the trunk, as a gyroscope gives it: [rad/s], its own axes."""

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return _axes("angular velocity", "rad/s")

    def rows(self, batch: Batch) -> Sequence[int]:
        return batch.felt_rows("angular velocity")


@dataclass
class LinearVelocity(Readout):
    """Of the trunk [m/s], its own axes. No sensor gives it: for simulated critics, or from an estimator."""

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return _axes("velocity", "m/s")

    def rows(self, batch: Batch) -> Sequence[int]:
        return batch.felt_rows("velocity")


@dataclass
class GravityDirection(Readout):
    """Where down is, a unit vector in axes of the trunk: (0, 0, -1) upright."""

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return _axes("down", "")

    def bounds(self, batch: Batch) -> tuple[float, float]:
        return -1.001, 1.001

    def rows(self, batch: Batch) -> Sequence[int]:
        return batch.felt_rows("down")


@dataclass
class Acceleration(Observation):
    """As an accelerometer at the trunk's origin gives it: mean over the tick, less gravity [m/s²], its own axes."""

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return _axes("acceleration", "m/s²")

    def read(self, batch: Batch) -> np.ndarray:
        _, at, turn = batch._root()
        change = (batch.v[:, at + 3 : at + 6] - batch.speeds_before[:, at + 3 : at + 6]) / batch.tick
        return batch.in_trunk(change - (batch.sim.gravity @ turn).astype(batch.q.dtype))


@dataclass
class Height(Readout):
    """Of the trunk's origin above where its root is placed [m]."""

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {"height": "m"}

    def rows(self, batch: Batch) -> Sequence[int]:
        return [batch.rows["q"][batch._root()[0] + 2]]


@dataclass
class Commanded(Readout):
    """What is asked of each world (a Change sets it); `names` and `units` say what it is."""

    names: Sequence[str] = ("forward", "left", "turn")
    units: Sequence[str] = ("m/s", "m/s", "rad/s")

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {f"command {name}": unit for name, unit in zip(self.names, self.units)}

    def rows(self, batch: Batch) -> Sequence[int]:
        asked = batch.rows["command"]
        return asked if len(asked) == len(self.names) else [batch.rows["zero"].start] * len(self.names)


@dataclass
class LastAction(Readout):
    """What was asked for in the tick before, from -1 to 1."""

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {f"last {name}": "" for name in batch.task.action_labels(batch)}

    def bounds(self, batch: Batch) -> tuple[float, float]:
        return -1.0, 1.0

    def rows(self, batch: Batch) -> Sequence[int]:
        return batch.rows["action"]


@dataclass
class Clock(Observation):
    """Sine and cosine of a phase that goes round `frequency` times a second [Hz]."""

    frequency: float = 1.0

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {"clock sine": "", "clock cosine": ""}

    def bounds(self, batch: Batch) -> tuple[float, float]:
        return -1.0, 1.0

    def read(self, batch: Batch) -> np.ndarray:
        phase = 2 * np.pi * self.frequency * batch.tick * batch.age
        return np.stack([np.sin(phase), np.cos(phase)], axis=1).astype(batch.q.dtype)


@dataclass
class Contacts(Observation):
    """1 where a force element that reports a contact carries more than `least` [N], else 0.

    elements   names; by default all contacts with the ground

    It evaluates the forces once more: about as much as a fourth of a tick of eight steps.
    """

    elements: Sequence[str] = ()
    least: float = 0.1

    def prepare(self, batch: Batch) -> None:
        elements = batch.sim.elements
        handle = elements[tuple(self.elements)] if self.elements else elements.of_type(GroundContact)
        forces = (("normal",), ("force",), ("force_x", "force_y", "force_z"))
        known = [names for names in forces if set(names) <= set(handle.report_names)]
        if not known:
            found = ", ".join(handle.report_names) or "nothing"
            what = f"contacts report a force; these report {found}" if len(handle) else "nothing touches the ground"
            raise TaskError([Fault(what, "task")])
        self._reports, self._handle = known[0], handle

    def labels(self, batch: Batch) -> Mapping[str, str]:
        count = len(self._handle)
        own = [name for name in self._handle.names if name]
        names = own if count == len(own) else [f"contact {k}" for k in range(count)]
        return {f"{name} carries": "" for name in names}

    def bounds(self, batch: Batch) -> tuple[float, float]:
        return 0.0, 1.0

    def read(self, batch: Batch) -> np.ndarray:
        told = self._handle.report()
        square = np.sum([np.reshape(told[name], (batch.worlds, -1)) ** 2 for name in self._reports], axis=0)
        return np.asarray(square > self.least**2, batch.q.dtype)


@dataclass
class HeightScan(Observation):
    """How high the ground of each world is at points around the trunk, from the trunk's origin [m].

    ahead, left   coordinates of a net of points [m], in the heading of the trunk
    """

    ahead: Sequence[float] = (-0.2, 0.0, 0.2, 0.4)
    left: Sequence[float] = (-0.2, 0.0, 0.2)

    def prepare(self, batch: Batch) -> None:
        self._shape = replace(batch.sim.world.terrain, level=0.0, slope_x=0.0, slope_y=0.0)
        self._plane = batch.sim.elements["terrain"]
        self._base = np.asarray(batch.sim.layout.bodies[0].body.placement.position, float)
        self._net = np.array([(a, b) for a in self.ahead for b in self.left])

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {f"ground at {a:g}, {b:g}": "m" for a, b in self._net}

    def read(self, batch: Batch) -> np.ndarray:
        _, _, turn = batch._root()
        place = batch.trunk_position.astype(float) @ turn.T + self._base
        nose = batch.trunk_frame[:, :, 0].astype(float) @ turn.T
        ahead = nose[:, :2] / np.maximum(np.linalg.norm(nose[:, :2], axis=1, keepdims=True), 1e-6)
        x = place[:, :1] + ahead[:, :1] * self._net[:, 0] - ahead[:, 1:] * self._net[:, 1]
        y = place[:, 1:2] + ahead[:, 1:] * self._net[:, 0] + ahead[:, :1] * self._net[:, 1]
        level, slope_x, slope_y = (
            np.reshape(self._plane.get(name), (-1, 1)) for name in ("level", "slope_x", "slope_y")
        )
        height = self._shape.heights_at(np.stack([x.ravel(), y.ravel()], axis=1)).reshape(x.shape)
        return (height + level + slope_x * x + slope_y * y - place[:, 2:3]).astype(batch.q.dtype)


@dataclass
class Points(Observation):
    """Where points [m, body frame] of bodies are [m, world], from the command if it is a place (`to_command`)."""

    places: Sequence[tuple[str, Sequence[float]]] = ()
    to_command: bool = False

    def labels(self, batch: Batch) -> Mapping[str, str]:
        return {f"{_plain(body)} {axis}": "m" for body, _ in self.places for axis in "xyz"}

    def read(self, batch: Batch) -> np.ndarray:
        found = batch.points(self.places)
        if self.to_command and batch.command.shape[1] == 3:
            found = batch.command[:, None] - found
        return found.reshape(batch.worlds, -1)
