"""A scene: a world made from a model file, with its motors, start poses and frames by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gambol.errors import Fault, WorldError, counted, nearest
from gambol.figure.figure import Figure
from gambol.figure.placement import Placement
from gambol.record.channel import Channel
from gambol.world.simulation import Simulation
from gambol.world.world import World

START_POSE = "start"


@dataclass(frozen=True)
class Motor:
    """What drives one actuator of the file: `parameter` of the force element of its name is factor · input + offset.

    low, high   what the input is held within; unit: of the input, as the file has it
    """

    name: str
    parameter: str
    factor: float = 1.0
    offset: float = 0.0
    low: float = -np.inf
    high: float = np.inf

    def value(self, given: float) -> float:
        """Of the parameter, for an input."""
        return self.factor * min(max(given, self.low), self.high) + self.offset


@dataclass(frozen=True)
class StartPose:
    """Positions and speeds of all figures, description order; inputs and activations of motors by name."""

    q: np.ndarray
    v: np.ndarray
    inputs: Mapping[str, float] = field(default_factory=dict)
    activations: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """A site: where it stands in the frame of a body ("figure/body", or "" for the world)."""

    body: str
    placement: Placement


@dataclass(frozen=True)
class Scene:
    """A world with what a file says of it.

    motors     by the names of the file's actuators; their force elements are called the same
    poses      start poses by name: "start" is the pose the file is written in, others are its keyframes
    frames     sites by name
    sensors    what the file measures, as functions of a simulation, by name; each with its unit
    timestep   [s] that the file asks for, if it does
    left_out   names by kind of what has no counterpart here
    notes      what was chosen where the file left it open, and what was taken otherwise than it says
    """

    world: World
    motors: Mapping[str, Motor] = field(default_factory=dict)
    poses: Mapping[str, StartPose] = field(default_factory=dict)
    frames: Mapping[str, Frame] = field(default_factory=dict)
    sensors: Mapping[str, tuple[str, Callable[[Simulation], Any]]] = field(default_factory=dict)
    timestep: float | None = None
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Its figures, those that move first."""
        return tuple(self.world.layout.figures)

    def remarks(self) -> list[str]:
        """What to tell: counts of what was left out, then notes."""
        left = counted(dict(self.left_out))
        return [*([f"left out: {'; '.join(left)}"] if left else []), *self.notes]

    def pose(self, name: str = START_POSE) -> StartPose:
        """A start pose by its name; an error names the ones there are."""
        if name not in self.poses:
            raise WorldError([Fault(f"no pose {name!r}{nearest(name, self.poses)}", "scene")])
        return self.poses[name]

    def simulation(self, pose: str = START_POSE, **options: Any) -> Simulation:
        """A simulation that begins at a pose, with the inputs of its motors; `options` go to Simulation."""
        start = self.pose(pose)
        sim = Simulation(self.world, **options)
        sim.reset(start.q, start.v)
        for name, given in start.inputs.items():
            self.drive(sim, name, given)
        for name, active in start.activations.items():
            handle = sim.elements[name]
            handle.states = np.full_like(handle.states, active)
        return sim

    def drive(self, sim: Simulation, motor: str, given: float) -> None:
        """Gives a motor its input, in the units of the file, held within the limits of the file."""
        if motor not in self.motors:
            raise WorldError([Fault(f"no motor {motor!r}{nearest(motor, self.motors)}", "scene")])
        own = self.motors[motor]
        sim.elements[own.name].set(own.parameter, own.value(given))

    def channels(self) -> list[Channel]:
        """The sensors as channels of a Recorder."""
        return [
            Channel(_word(name), unit, read, **_shape(unit, name), about=f"sensor {name}")
            for name, (unit, read) in self.sensors.items()
        ]

    def with_world(self, **changes: Any) -> Scene:
        """The same scene with changes to its world."""
        return replace(self, world=replace(self.world, **changes))


def _word(name: str) -> str:
    word = "".join(c if c.isalnum() else "_" for c in name)
    return word if word and word not in ("time", "world", "event", "run") else f"sensor_{word}"


def _shape(unit: str, name: str) -> dict[str, Any]:
    """Vectors (whose unit says in which axes) have three components, rotations four, other measures one."""
    axis = f"axis_of_{_word(name)}"
    labels = ("w", "x", "y", "z") if unit == "quaternion" else ("x", "y", "z") if ", " in unit else ()
    return {"dims": (axis,), "labels": {axis: labels}} if labels else {}


def unique(names: Iterable[str]) -> list[str]:
    """Names with a number behind those that were there before."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return found
