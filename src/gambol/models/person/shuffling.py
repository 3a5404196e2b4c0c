"""The person that shuffles: short quick steps by two states a step, on rigid or complex feet, from standing too.

A person that walks as people do is in `walking`.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gambol.control.biped.shuffling import Shuffle, ShuffleGait
from gambol.forces.contact.ground_contact import GroundContact
from gambol.models.person.figure import positions
from gambol.models.person.postures import placed
from gambol.models.person.step import StepStart
from gambol.models.person.tables import standing_angles
from gambol.models.person.walking import walking_person
from gambol.models.person.world import STEPPING, person_world, region_of
from gambol.stepping.options import Stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

SINK = 0.0345  # [m] from the root's standing height at the start of a step
STANDING_SINK = 0.006  # [m] by which soles sink into the ground under the weight
LEVEL_SHUFFLE = ShuffleGait(
    up=0.189,
    lift=(0.18, 1.154, -0.416),
    fall=(0.216, 0.034, -0.19),
    stance=(0.02, -0.093),
    push=0.054,
    lean=0.056,
    width=0.042,
    place_x=0.404,
    speed_x=0.2,
    place_y=0.074,
    speed_y=0.518,
)
"""A walk of 1.2 m/s on rigid feet, found by search (an evolution strategy, 70 trials of ten seconds)."""
COMPLEX_SHUFFLE = ShuffleGait(
    up=0.252,
    lift=(0.335, 0.777, -0.682),
    fall=(0.068, 0.029, -0.092),
    stance=(0.02, -0.057),
    push=0.282,
    lean=0.092,
    width=0.006,
    place_x=-0.091,
    speed_x=0.132,
    place_y=0.177,
    speed_y=0.467,
)
"""A walk of 1.1 m/s on complex feet (and on rigid ones), found in the same way."""


def shuffling_simulation(
    *,
    rigid: bool = True,
    standing: bool = False,
    stepping: Stepping = STEPPING,
    start: StepStart | None = None,
    world: World | None = None,
) -> Simulation:
    """The walking person at toe-off of its right leg, moving as the passive step does; or standing still.

    world   of the walking person, with more in it than its joints' springs and the ground
    """
    figure, start = walking_person("rigid" if rigid else "complex", upper=False), start or StepStart()
    sim = Simulation(world or person_world(figure), stepping=replace(stepping, max_step=5e-3), ledger=False)
    if standing:
        q = placed(figure, standing_angles())
        q[2] -= STANDING_SINK
        sim.reset(q)
        return sim
    q = positions(figure, standing_angles() | dict(start.angles))
    q[3:7] = np.cos(0.5 * start.pitch), 0.0, np.sin(0.5 * start.pitch), 0.0
    q[2] -= SINK
    v = np.zeros(sim.layout.nv)
    for name, rate in start.rates.items():
        if name in figure:
            v[sim.speed_coordinates(name)] = rate
    v[:3] = start.turning
    v[3:6] -= (sim.mechanics.jacobian(q, "l_talus") @ v)[3:]
    sim.reset(q, v)
    return sim


def foot_load(sim: Simulation) -> Callable[[Simulation, str], float]:
    """A function (sim, side) -> vertical force of the ground on a foot [N]."""
    soles = {}
    for side in "lr":
        contacts = [e for e in sim.world.elements if isinstance(e, GroundContact) and e.body.startswith(side)]
        soles[side] = sim.elements[tuple(e.name for e in contacts if region_of(e.body))]
    return lambda sim, side: float(np.sum(soles[side].report()["force_z"]))


def shuffle(sim: Simulation, gait: ShuffleGait = LEVEL_SHUFFLE) -> Shuffle:
    """The behaviour that lets it walk, the left leg first in stance."""
    return Shuffle(gait, foot_load(sim), stance="l")
