"""Impacts as instants: impulses that change velocities at once, for free bodies and for whole figures.

The impulse at a contact is found from the mobility of the touching points, J M⁻¹ Jᵀ; for a single rigid body that is
the textbook's exchange of momentum. Driven joints keep their speeds.
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
    change = _given_speed(sim, J.T) @ np.asarray(impulse, float)
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
    inverse = _given_speed(sim, J.T)
    impulse = _impulse(J @ inverse, speed, n, restitution, friction)
    sim.v = sim.v + inverse @ impulse
    return impulse


def _impulse(mobility: np.ndarray, speed: np.ndarray, n: np.ndarray, restitution: float, friction: float) -> np.ndarray:
    """Sticking if friction can hold it, otherwise sliding along the direction of motion.

    A point that cannot move in every direction (that of a planar figure) has a mobility of less than full rank.
    """
    wanted = -speed - restitution * (speed @ n) * n
    sticking = np.linalg.pinv(mobility, rcond=1e-10, hermitian=True) @ wanted
    along = sticking - (sticking @ n) * n
    reached = np.allclose(mobility @ sticking, wanted, rtol=0.0, atol=1e-9 * float(np.linalg.norm(speed)))
    if reached and np.linalg.norm(along) <= friction * (sticking @ n):
        return sticking
    slip = speed - (speed @ n) * n
    size = float(np.linalg.norm(slip))
    direction = n - friction * slip / size if size > 0 else n
    yields = n @ mobility @ direction
    if yields <= 0.0:  # friction would drive it deeper the more it pushes: it jams
        return sticking
    return direction * (-(1.0 + restitution) * (speed @ n) / yields)


def _given_speed(sim: Simulation, momentum: np.ndarray) -> np.ndarray:
    """Speeds that generalised momenta give (a column each); driven joints keep theirs."""
    free = np.ones(sim.layout.nv, bool)
    for entry in sim.layout.bodies:
        if entry.body.joint.driven:
            free[sim.speed_coordinates(entry.name)] = False
    speeds = np.zeros_like(momentum)
    speeds[free] = np.linalg.solve(sim.mechanics.mass_matrix(sim.q)[np.ix_(free, free)], momentum[free])
    return speeds


def _single(sim: Simulation) -> None:
    if sim.worlds != 1:
        raise WorldError([Fault("impacts act on single worlds", "collision")])
