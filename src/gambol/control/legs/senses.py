"""What a walker's reflexes feel: joint angles, joint forces, and how hard each foot presses on the ground."""

from __future__ import annotations

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
        self.joints = {joint: sim.coordinates(joint).start for leg in legs for joint in leg.joints}
        places = sim.parameters.places
        self.springs = {joint: places[joint].reports[0] for joint in self.joints}
        self.contacts = {leg.name: [self._contact(body) for body in (leg.foot, *leg.shins)] for leg in legs}

    def _contact(self, body: str) -> np.ndarray:
        """Reports of a body's contact: columns of x, y and z forces, a row a point."""
        place = self.sim.parameters.places[f"{body} contact"]
        first = place.module.REPORTS.index("force_x")
        return np.add.outer(np.array(place.reports), first + np.arange(3))

    def __call__(self, walker=None) -> Sensed:
        sim = self.sim
        q, reports = np.atleast_2d(sim.q), np.atleast_2d(sim.all_reports())
        forces = {leg: [reports[:, cells].sum(axis=1) for cells in bodies] for leg, bodies in self.contacts.items()}
        return Sensed(
            time=float(np.max(sim.time)),
            angles={joint: q[:, k] for joint, k in self.joints.items()},
            forces={joint: reports[:, k] for joint, k in self.springs.items()},
            loads={leg: sum(b[:, 2] for b in f) for leg, f in forces.items()},
            bumps={leg: sum(np.hypot(b[:, 0], b[:, 1]) for b in f) for leg, f in forces.items()},
        )
