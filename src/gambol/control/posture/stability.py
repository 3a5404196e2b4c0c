"""Does a posture stand? The eigenvalues of the figure linearised about it."""

from dataclasses import dataclass

import numpy as np

from gambol.world.simulation import Simulation

NEUTRAL = 0.02  # [1/s] below this a mode neither grows nor dies in the time of an experiment: sliding and turning


@dataclass(frozen=True)
class PostureCheck:
    """Eigenvalues [1/s] of a figure near a posture, largest real part first, and their shapes (speeds, one a column).

    Friction that creeps lets the whole figure slide and turn about the vertical: three modes near zero.
    """

    values: np.ndarray
    shapes: np.ndarray

    @property
    def growth(self) -> float:
        """Real part of the fastest-growing mode [1/s]."""
        return float(self.values[0].real)

    @property
    def stands(self) -> bool:
        """Does no mode grow?"""
        return self.growth < NEUTRAL

    @property
    def time(self) -> float:
        """In which the worst disturbance grows e-fold [s]; infinite where none does."""
        return 1.0 / self.growth if self.growth > 0.0 else np.inf


def check_posture(sim: Simulation, *, angle: float = 1e-6, speed: float = 1e-6) -> PostureCheck:
    """Linearises a single world about where it is, at rest, by central differences of its accelerations.

    angle [rad or m] and speed [rad/s or m/s] are the differences. The state is left as it was.
    """
    kept = sim.save()
    q, n = sim.q, sim.layout.nv
    still = np.zeros(n)
    matrix = np.zeros((2 * n, 2 * n))
    matrix[:n, n:] = np.eye(n)
    for k in range(n):
        step = np.zeros(n)
        step[k] = 1.0
        sim.v = still
        ahead = _acceleration(sim, sim.mechanics.displaced(q, angle * step), still)
        behind = _acceleration(sim, sim.mechanics.displaced(q, -angle * step), still)
        matrix[n:, k] = (ahead - behind) / (2.0 * angle)
        ahead, behind = _acceleration(sim, q, speed * step), _acceleration(sim, q, -speed * step)
        matrix[n:, n + k] = (ahead - behind) / (2.0 * speed)
    sim.restore(kept)
    values, vectors = np.linalg.eig(matrix)
    order = np.argsort(-values.real)
    return PostureCheck(values[order], vectors[:n, order])


def _acceleration(sim: Simulation, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    sim.q, sim.v = q, v
    return sim.acceleration
