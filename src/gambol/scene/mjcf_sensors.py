"""Sensors of an MJCF file as functions of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from gambol.figure.placement import Placement
from gambol.scene.scene import Frame
from gambol.world.simulation import Simulation

Reader = Callable[[Simulation], Any]


class Sensor(IntEnum):
    """mjtSensor, those that have a counterpart."""

    OWN_VELOCITY = 2
    GYRO = 3
    JOINT_POSITION = 9
    JOINT_SPEED = 10
    BALL_ROTATION = 18
    BALL_VELOCITY = 19
    PLACE = 26
    ROTATION = 27
    X_AXIS = 28
    Y_AXIS = 29
    Z_AXIS = 30
    VELOCITY = 31
    ANGULAR_VELOCITY = 32
    CLOCK = 45


def read_position(index: int, zero: float) -> Reader:
    """A coordinate, from where MuJoCo counts."""
    return lambda sim: sim.q[..., index] + zero


def read_speed(where: slice) -> Reader:
    """The speed of a coordinate."""
    return lambda sim: sim.v[..., where.start]


def read_cells(which: str, where: slice) -> Reader:
    """Positions or speeds of a joint."""
    return lambda sim: getattr(sim, which)[..., where]


def read_clock(sim: Simulation) -> Any:
    """The time [s]."""
    return sim.time


def _rotation(sim: Simulation, frame: Frame) -> np.ndarray:
    """(3, 3), from the axes of a frame to those of the world."""
    return sim.bodies[frame.body].rotation @ frame.placement.matrix if frame.body else frame.placement.matrix


def _spin(sim: Simulation, frame: Frame) -> np.ndarray:
    """[rad/s, world]"""
    return sim.mechanics.velocities(sim.q, sim.v)[frame.body][:3] if frame.body else np.zeros(3)


def _velocity(sim: Simulation, frame: Frame) -> np.ndarray:
    """[m/s, world]"""
    return sim.bodies[frame.body].velocity(frame.placement.position) if frame.body else np.zeros(3)


def _place(frame: Frame) -> Reader:
    if not frame.body:
        return lambda sim: np.array(frame.placement.position)
    return lambda sim: sim.bodies[frame.body].point(frame.placement.position)


def _axis(k: int) -> Callable[[Frame], Reader]:
    return lambda frame: lambda sim: _rotation(sim, frame)[:, k]


# unit, and what makes a reader of a frame
OF_FRAMES: dict[Sensor, tuple[str, Callable[[Frame], Reader]]] = {
    Sensor.PLACE: ("m, world", _place),
    Sensor.ROTATION: (
        "quaternion",
        lambda frame: lambda sim: np.array(Placement.from_matrix(_rotation(sim, frame)).rotation),
    ),
    Sensor.X_AXIS: ("1, world", _axis(0)),
    Sensor.Y_AXIS: ("1, world", _axis(1)),
    Sensor.Z_AXIS: ("1, world", _axis(2)),
    Sensor.VELOCITY: ("m/s, world", lambda frame: lambda sim: _velocity(sim, frame)),
    Sensor.ANGULAR_VELOCITY: ("rad/s, world", lambda frame: lambda sim: _spin(sim, frame)),
    Sensor.OWN_VELOCITY: ("m/s, site", lambda frame: lambda sim: _rotation(sim, frame).T @ _velocity(sim, frame)),
    Sensor.GYRO: ("rad/s, site", lambda frame: lambda sim: _rotation(sim, frame).T @ _spin(sim, frame)),
}
