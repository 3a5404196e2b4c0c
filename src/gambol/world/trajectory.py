"""What a run leaves behind: the state of every world at the times asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.math.pack import numbers
from gambol.stepping.run import RunPath
from gambol.stepping.state import Event
from gambol.stepping.workspace import TIME

if TYPE_CHECKING:
    from gambol.forces.contact.terrain import Terrain
    from gambol.world.simulation import Simulation
    from gambol.world.world import World


class Trajectory(RunPath):
    """States at sample times, description order.

    time    (samples,) [s]
    q, v    (samples, coordinates) for a single world, (samples, worlds, coordinates) for several
    work    integrals of the ledger's lines [J] and of meters, states: of what elements integrate, likewise
    events  what happened on the way; watched: what was watched
    terrain the ground of the world; world: the World that was run
    record  the cells of every sample, for those who look closer (Constraints.diagnose)
    """

    def __init__(self, sim: Simulation, record: np.ndarray, times: np.ndarray, events: list[Event]):
        cells = numbers(record)
        self.record = record
        self.layout, self.mechanics = sim.layout, sim.mechanics
        self.world: World = sim.world
        self.terrain: Terrain | None = sim.world.terrain
        self.time = times
        self.q = sim.memory.read(sim.memory.positions, cells)
        self.v = sim.memory.read(sim.memory.speeds, cells)
        self.work = sim.memory.read(sim.memory.lines, cells)
        self.states = sim.memory.read(sim.memory.states, cells)
        self.clock = sim.memory.read([sim.memory.clock(TIME)], cells)[..., 0]
        self.events = list(events)

    def position(self, body: str) -> np.ndarray:
        """Positions of a body's joint over time; one column, flat, where it has a single coordinate."""
        block = self.q[..., self.layout.position_slices[self.layout.body(body).name]]
        return block[..., 0] if block.shape[-1] == 1 else block

    def speed(self, body: str) -> np.ndarray:
        """Speeds of a body's joint over time; flat where it has a single coordinate."""
        block = self.v[..., self.layout.speed_slices[self.layout.body(body).name]]
        return block[..., 0] if block.shape[-1] == 1 else block

    def points(self, body: str, at=(0.0, 0.0, 0.0)) -> np.ndarray:
        """Path of a body's point [m, body frame] in the world, of a single world: (samples, 3)."""
        return np.array([self.mechanics.point(q, body, at) for q in self.q])
