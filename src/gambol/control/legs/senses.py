"""What a walker's reflexes feel: joint angles, joint forces, and how hard each foot presses on the ground."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.control.legs.leg import Leg
from gambol.world.simulation import Simulation


@dataclass(frozen=True)
class Sensed:
    """At one moment, (worlds,) arrays by name: angles [rad] and forces [N·m] of joints, loads of feet [N].

    `loads` are the vertical forces on foot and shin, `bumps` the size of the horizontal ones.
    """

    time: float
    angles: dict[str, np.ndarray]
    forces: dict[str, np.ndarray]
    loads: dict[str, np.ndarray]
    bumps: dict[str, np.ndarray]


class Senses:
    """Reads them from a simulation whose springs are called like their joints and contacts "<body> contact"."""

    def __init__(self, sim: Simulation, legs: Sequence[Leg]):
        self.sim, self.legs = sim, legs
        joints = tuple(dict.fromkeys(joint for leg in legs for joint in leg.joints))
        self._angles = {joint: sim.bodies[joint].positions.start for joint in joints}
        self._springs = dict(zip(joints, range(len(joints))))
        self._spring_handle = sim.elements[joints]
        bodies = [(leg.name, body) for leg in legs for body in (leg.foot, *leg.shins)]
        self._contact_handle = sim.elements[tuple(f"{body} contact" for _, body in bodies)]
        counts = [len(sim.elements[f"{body} contact"]) for _, body in bodies]
        ends = np.cumsum(counts)
        self._contacts = [(leg, slice(int(e - c), int(e))) for (leg, _), c, e in zip(bodies, counts, ends)]

    def __call__(self) -> Sensed:
        """At this moment."""
        sim = self.sim
        q = np.atleast_2d(sim.q)
        reports = sim.all_reports()
        springs, ground = self._spring_handle.report(reports), self._contact_handle.report(reports)
        forces = np.atleast_2d(springs["force"])
        x, y, z = (np.atleast_2d(ground[f"force_{axis}"]) for axis in "xyz")
        loads = {leg.name: np.zeros(sim.worlds) for leg in self.legs}
        bumps = {leg.name: np.zeros(sim.worlds) for leg in self.legs}
        for leg, rows in self._contacts:
            loads[leg] += z[:, rows].sum(axis=1)
            bumps[leg] += np.hypot(x[:, rows].sum(axis=1), y[:, rows].sum(axis=1))
        return Sensed(
            time=sim.latest_time,
            angles={joint: q[:, k] for joint, k in self._angles.items()},
            forces={joint: forces[:, k] for joint, k in self._springs.items()},
            loads=loads,
            bumps=bumps,
        )
