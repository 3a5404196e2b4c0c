"""Ground that carries a measured motion: soft, and as high as gives, on average, the upward force that it takes.

Measured feet go through stiff ground by millimetres in one frame and hover over it in the next. Ground as soft as soles
and fitting errors are deep carries the motion without throwing it: what is left to hold the root with is small.
"""

from __future__ import annotations

import numpy as np

from gambol.figure.figure import Figure
from gambol.forces.contact.ground_contact import GroundContact
from gambol.forces.contact.round_contact import RoundContact
from gambol.forces.contact.terrain import Terrain
from gambol.motion.data import refuse
from gambol.motion.efforts import inverse_dynamics
from gambol.scene.ground import ground_contacts, lowest_point
from gambol.scene.reading import read_scene
from gambol.scene.scene import Scene
from gambol.world.simulation import Simulation

SINKAGE = 0.01  # of the figure's height: how deep it stands in this ground, on four points
FRAMES, ROUNDS = 48, 24  # frames that are looked at, halvings of where the ground may lie
FIRST, DEEPEST = 0.1, 10.0  # [m] into the ground: tried first, and at most


def bearing_ground(
    figure: Figure, time: np.ndarray, q: np.ndarray, *, cutoff: float | None = None, sinkage: float = SINKAGE
) -> Scene:
    """A figure with a free root over level ground that bears its motion.

    time, q    [s], (frames, positions)
    cutoff     [Hz] of a low-pass filter on the motion
    sinkage    how deep it stands in the ground on four points, as a share of its height
    """
    root = figure.root
    if root.joint.type != "free":
        raise refuse(f"ground bears a figure with a free root; that of {root.name} is {root.joint.type}", figure.name)
    bare = read_scene(figure)
    contacts = ground_contacts([figure], sinkage=sinkage)
    if not contacts:
        raise refuse("nothing of it touches the ground: no part is `colliding`", figure.name)
    efforts = inverse_dynamics(figure, time, q, cutoff=cutoff)
    rows = np.unique(np.linspace(0, len(time) - 1, FRAMES).round().astype(int))
    wanted = float(efforts.root[rows, 5].mean())
    sim = Simulation(bare.with_world(forces=[*bare.world.forces, *contacts]).world)
    touching = sim.elements.of_type(GroundContact, RoundContact)
    place, up = figure.position_slices[root.name], root.placement.matrix.T @ (0.0, 0.0, 1.0)

    def borne(level: float) -> float:
        """Mean upward force [N] of ground at a level."""
        total = 0.0
        for k in rows:
            moved = efforts.q[k].copy()
            moved[place.start : place.start + 3] -= level * up
            sim.reset(moved, efforts.v[k])
            total += float(np.sum(touching.report()["force_z"]))
        return total / len(rows)

    low = min(lowest_point([figure], efforts.q[k]) for k in rows)
    reach = FIRST * max(sinkage, SINKAGE)
    while borne(low + reach) < wanted:
        reach *= 2.0
        if reach > DEEPEST:
            raise refuse(f"no level ground bears {wanted:.4g} N under this motion", figure.name)
    high = low + reach
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if borne(middle) > wanted else (middle, high)
    return bare.with_world(forces=[*bare.world.forces, *contacts], terrain=Terrain(level=high))
