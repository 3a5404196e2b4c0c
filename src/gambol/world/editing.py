"""A simulation of another world at the same moment: what the two have in common goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.world.world import World

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation


def rebuilt(sim: Simulation, change: Callable[[World], World]) -> Simulation:
    """A simulation of the changed world: coordinates, speeds, commands, states of elements and events as they are."""
    if sim.worlds != 1:
        raise WorldError([Fault(f"weld and remove act on single worlds, there are {sim.worlds}", "simulation")])
    new = type(sim)(change(sim.world), stepping=sim.stepping, dtype=sim.dtype, ledger=bool(sim.energy_ledger))
    q, v, command = new.layout.zero.copy(), np.zeros(new.layout.nv), np.zeros(new.layout.nv)
    for entry in new.layout.bodies:
        q[new.coordinates(entry.name)] = sim.q[sim.coordinates(entry.name)]
        v[new.speed_coordinates(entry.name)] = sim.v[sim.speed_coordinates(entry.name)]
        command[new.speed_coordinates(entry.name)] = sim.command[sim.speed_coordinates(entry.name)]
    new.reset(q, v, time=float(sim.time))
    new.command = command
    for name, element in new.elements.items():
        if element.state_names:
            element.states = sim.elements[name].states
    new.events[:] = sim.events
    return new
