"""Impacts as instants: impulses that change velocities at once, for free bodies and for whole figures.

The impulse at a contact is found from the mobility of the touching points, J M⁻¹ Jᵀ; for a single rigid body that is
the textbook's exchange of momentum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.errors import Fault, WorldError
from gambol.world.simulation import Simulation


def kick(sim: Simulation, body: str, impulse: Sequence[float], point: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Gives `impulse` [N·s, world] at a body's `point` [m, body frame]; returns the change of the speeds."""
    _single(sim)
    J = sim.mechanics.jacobian(sim.q, body, point)[3:]
    change = np.linalg.solve(sim.mechanics.mass_matrix(sim.q), J.T @ np.asarray(impulse, float))
    sim.v = sim.v + change
    return change


def collide(
    sim: Simulation,
    body: str,
    point: Sequence[float],
    normal: Sequence[float],
    *,
    other: str = "",
    restitution: float = 0.0,
    friction: float = 0.0,
) -> np.ndarray:
    """The impulse of a collision at `point` [m, body frame] against `other` (or the ground), applied to the state.

    `normal` [unit vector, world] points from the other to the body. The normal speed is turned back `restitution`
    times; friction stops the sliding, or takes what `friction` times the normal impulse can. Returns the impulse on
    the body [N·s, world]; zero where the points do not approach.
    """
    _single(sim)
    if not 0.0 <= restitution or friction < 0.0:
        raise WorldError([Fault("restitution and friction must not be negative", "collision")])
    n = np.asarray(normal, float)
    n = n / np.linalg.norm(n)
    mechanics, q = sim.mechanics, sim.q
    J = mechanics.jacobian(q, body, point)[3:]
    if other:
        at = mechanics.point(q, body, point)
        frame, origin = mechanics.frames(q)[sim.layout.body(other).name], mechanics.point(q, other)
        J = J - mechanics.jacobian(q, other, frame.T @ (at - origin))[3:]
    speed = J @ sim.v
    if speed @ n >= 0.0:
        return np.zeros(3)
    inverse = np.linalg.solve(mechanics.mass_matrix(q), J.T)
    impulse = _impulse(J @ inverse, speed, n, restitution, friction)
    sim.v = sim.v + inverse @ impulse
    return impulse


def _impulse(mobility: np.ndarray, speed: np.ndarray, n: np.ndarray, restitution: float, friction: float) -> np.ndarray:
    """Sticking if friction can hold it, otherwise sliding along the direction of motion."""
    wanted = -speed - restitution * (speed @ n) * n
    sticking = np.linalg.solve(mobility, wanted)
    along = sticking - (sticking @ n) * n
    if np.linalg.norm(along) <= friction * (sticking @ n):
        return sticking
    slip = speed - (speed @ n) * n
    size = float(np.linalg.norm(slip))
    direction = n - friction * slip / size if size > 0 else n
    return direction * (-(1.0 + restitution) * (speed @ n) / (n @ mobility @ direction))


def _single(sim: Simulation) -> None:
    if sim.worlds != 1:
        raise WorldError([Fault("impacts act on single worlds", "collision")])
