"""Particles joined by springs: ropes and cloth, as objects that can be bound to figures (world.objects)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.errors import Fault, WorldError

GRAVITY = (0.0, 0.0, -9.81)


class Particles:
    """Points with masses [kg], springs and dampers between pairs of them, and air drag. A point is its number.

    places     (n, 3) [m]; velocities (n, 3) [m/s], by default at rest
    pairs      (springs, 2): which two each joins; their rest lengths are those of the start
    stiffness  [N/m], damping [N·s/m] of a spring, along it; drag [N·s/m] of each particle
    slack      springs pull but do not push
    """

    def __init__(
        self,
        places: Sequence[Sequence[float]] | np.ndarray,
        masses: float | Sequence[float] | np.ndarray,
        pairs: Sequence[tuple[int, int]] | np.ndarray = (),
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        drag: float = 0.0,
        slack: bool = False,
        gravity: Sequence[float] = GRAVITY,
        velocities: Sequence[Sequence[float]] | np.ndarray | None = None,
    ):
        self.places = np.array(places, float)
        count = len(self.places)
        self.masses = np.broadcast_to(np.asarray(masses, float), (count,)).copy()
        self.pairs = np.asarray(pairs, int).reshape(-1, 2)
        faults = []
        if self.places.shape != (count, 3) or not np.all(np.isfinite(self.places)):
            faults.append(f"places must be finite, of shape (n, 3), not {self.places.shape}")
        if not (np.all(np.isfinite(self.masses)) and np.all(self.masses > 0)):
            faults.append("masses must be finite and positive")
        if len(self.pairs) and (self.pairs.min() < 0 or self.pairs.max() >= count):
            faults.append(f"pairs must be numbers of particles, 0 to {count - 1}")
        if min(stiffness, damping, drag) < 0:
            faults.append("stiffness, damping and drag must not be negative")
        if faults:
            raise WorldError([Fault(text, "particles") for text in faults])
        self.stiffness, self.damping, self.drag, self.slack = stiffness, damping, drag, slack
        self.gravity = np.asarray(gravity, float)
        self.velocities = np.zeros((count, 3)) if velocities is None else np.array(velocities, float)
        a, b = self.pairs.T
        self.rest = np.linalg.norm(self.places[a] - self.places[b], axis=1)
        self._applied = np.zeros((count, 3))
        self._force = self._forces()

    def _stretch(self) -> tuple[np.ndarray, np.ndarray]:
        """Unit directions and stretches of the springs."""
        a, b = self.pairs.T
        apart = self.places[b] - self.places[a]
        length = np.linalg.norm(apart, axis=1)
        along = apart / np.maximum(length, 1e-12)[:, None]
        stretch = length - self.rest
        return along, np.maximum(stretch, 0.0) if self.slack else stretch

    def _forces(self) -> np.ndarray:
        """On every particle but those of ties [N]."""
        force = self.masses[:, None] * self.gravity - self.drag * self.velocities
        if len(self.pairs):
            a, b = self.pairs.T
            along, stretch = self._stretch()
            closing = np.sum((self.velocities[b] - self.velocities[a]) * along, axis=1)
            damper = self.damping * closing * (stretch > 0.0 if self.slack else 1.0)
            pull = (self.stiffness * stretch + damper)[:, None] * along
            np.add.at(force, a, pull)
            np.add.at(force, b, -pull)
        return force

    # ------------------------------------------------------------ what is asked of an object that can be constrained
    @property
    def state(self) -> np.ndarray:
        """Places, then velocities."""
        return np.concatenate([self.places.ravel(), self.velocities.ravel()])

    def put(self, time: float, state: np.ndarray) -> None:
        """Takes up places and velocities; the forces applied before are gone."""
        half = len(state) // 2
        self.places, self.velocities = state[:half].reshape(-1, 3).copy(), state[half:].reshape(-1, 3).copy()
        self._applied[:] = 0.0
        self._force = self._forces()

    def point_motion(self, point: int) -> tuple[np.ndarray, np.ndarray]:
        """Place [m] and velocity [m/s] of a particle."""
        return self.places[point], self.velocities[point]

    def apply_force(self, point: int, force: np.ndarray) -> None:
        """A force [N] at a particle."""
        self._applied[point] += force

    def force_to_acceleration(self, point: int, other: int) -> np.ndarray:
        """1/m for a particle itself; a force on one does not accelerate another at once."""
        return np.eye(3) / self.masses[point] if point == other else np.zeros((3, 3))

    def acceleration_from_force(self, point: int) -> np.ndarray:
        """By springs, gravity and drag [m/s²]."""
        return self._force[point] / self.masses[point]

    def acceleration_from_velocity(self, point: int) -> np.ndarray:
        """None: particles are in plain coordinates."""
        return np.zeros(3)

    def rate(self) -> np.ndarray:
        """Velocities and accelerations, with the forces applied."""
        return np.concatenate([self.velocities.ravel(), ((self._force + self._applied) / self.masses[:, None]).ravel()])

    def energy(self) -> float:
        """Kinetic, of gravity, and in the springs [J]."""
        moving = 0.5 * float(np.sum(self.masses[:, None] * self.velocities**2))
        lifted = -float(np.sum(self.masses[:, None] * self.places * self.gravity))
        stored = 0.5 * self.stiffness * float(np.sum(self._stretch()[1] ** 2)) if len(self.pairs) else 0.0
        return moving + lifted + stored


def rope(
    count: int,
    *,
    length: float,
    mass: float,
    start: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
    direction: Sequence[float] | np.ndarray = (0.0, 0.0, -1.0),
    stiffness: float = 2000.0,
    damping: float = 0.5,
    drag: float = 0.0,
) -> Particles:
    """A rope of `count` particles, `length` [m] and `mass` [kg] in all, laid out straight from `start` [m]."""
    if count < 2:
        raise WorldError([Fault(f"a rope has two particles at least, not {count}", "rope")])
    way = np.asarray(direction, float)
    places = np.asarray(start, float) + np.linspace(0.0, length, count)[:, None] * way / np.linalg.norm(way)
    pairs = [(k, k + 1) for k in range(count - 1)]
    return Particles(places, mass / count, pairs, stiffness=stiffness, damping=damping, drag=drag, slack=True)


def cloth(
    rows: int,
    columns: int,
    *,
    size: tuple[float, float],
    mass: float,
    start: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
    stiffness: float = 500.0,
    damping: float = 0.3,
    drag: float = 0.0,
) -> Particles:
    """A cloth of rows × columns particles in the plane x, z, hanging down from `start`; particle row·columns + column.

    size  [m] across and down; springs along both threads and across both diagonals
    """
    if min(rows, columns) < 2:
        raise WorldError([Fault(f"a cloth has two rows and columns at least, not {rows} × {columns}", "cloth")])
    x, z = np.meshgrid(np.linspace(0.0, size[0], columns), -np.linspace(0.0, size[1], rows))
    places = np.asarray(start, float) + np.column_stack([x.ravel(), np.zeros(rows * columns), z.ravel()])
    number = np.arange(rows * columns).reshape(rows, columns)
    sides = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    sides += [(number[:-1, :-1], number[1:, 1:]), (number[:-1, 1:], number[1:, :-1])]
    pairs = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in sides])
    return Particles(places, mass / (rows * columns), pairs, stiffness=stiffness, damping=damping, drag=drag)
