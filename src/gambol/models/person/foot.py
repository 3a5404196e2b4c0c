"""Instruments of the person's feet: what each region of a sole carries, where, how the arch and the toes bend.

read_foot(sim, "l")                 one moment
gait_events(time, heel, forefoot)   heel strike, foot flat, heel off, toe off from loads over time
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gambol.control.posture.support import support
from gambol.models.person.world import region_of
from gambol.stepping.state import Event
from gambol.world.simulation import Simulation

RAYS = range(1, 6)
ON, OFF = 20.0, 10.0  # [N] above which a part of the sole counts as loaded, below which as free


@dataclass(frozen=True)
class FootReading:
    """A foot at one moment.

    loads     vertical force by region [N]: heel, midfoot, ball, big toe, toes
    force     whole force of the ground [N, world]; pressure: its centre (x, y) [m], NaN without load
    torque    at the ankle, the subtalar joint and the five first toe joints [N·m]
    arch      angle of the inner arch at its top, the navicular, between heel and first toe joint [rad]
    toes      angles of the five first toe joints [rad], extension negative
    """

    loads: Mapping[str, float]
    force: np.ndarray
    pressure: np.ndarray
    torque: Mapping[str, float]
    arch: float
    toes: tuple[float, ...]


def read_foot(sim: Simulation, side: str) -> FootReading:
    """Of a person with complex feet; side is "l" or "r"."""
    found = support(sim)
    own = np.array([body.startswith(f"{side}_") and region_of(body) is not None for body in found.bodies], bool)
    forces, points = found.forces[own], found.points[own]
    weight = forces[:, 2]
    pressure = (points[:, :2] * weight[:, None]).sum(axis=0) / weight.sum() if weight.sum() > 0 else np.full(2, np.nan)
    torques = sim.joint_force
    joints = [f"{side}_talus", f"{side}_hindfoot", *(f"{side}_phal{k}.2" for k in RAYS)]
    return FootReading(
        found.loads(lambda body: region_of(body) if body.startswith(f"{side}_") else None),
        forces.sum(axis=0),
        pressure,
        {name[2:]: float(torques[sim.speed_coordinates(name)][0]) for name in joints},
        arch_angle(sim, side),
        tuple(float(sim.q[sim.coordinates(f"{side}_phal{k}.2")][0]) for k in RAYS),
    )


def arch_angle(sim: Simulation, side: str) -> float:
    """At the navicular, between the lines to the heel's end and the first toe joint [rad]; less is a higher arch."""
    top = sim.mechanics.point(sim.q, f"{side}_nav")
    heel = sim.mechanics.point(sim.q, f"{side}_hindfoot", (-0.05, 0.0, -0.045)) - top
    ball = sim.mechanics.point(sim.q, f"{side}_phal1.1") - top
    cosine = float(heel @ ball / (np.linalg.norm(heel) * np.linalg.norm(ball)))
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def gait_events(time: np.ndarray, heel: np.ndarray, forefoot: np.ndarray) -> list[Event]:
    """Heel strike, foot flat, heel off, toe off of one foot, from the loads of heel and forefoot [N] over time [s]."""
    events = []
    heel_on, toe_on = heel[0] > ON, forefoot[0] > ON
    for t, back, front in zip(time, heel, forefoot):
        before = heel_on, toe_on
        heel_on = back > (OFF if heel_on else ON)
        toe_on = front > (OFF if toe_on else ON)
        if heel_on and not before[0]:
            events.append(Event(float(t), "heel strike"))
        if toe_on and not before[1] and heel_on:
            events.append(Event(float(t), "foot flat"))
        if before[0] and not heel_on and toe_on:
            events.append(Event(float(t), "heel off"))
        if any(before) and not (heel_on or toe_on):
            events.append(Event(float(t), "toe off"))
    return events
