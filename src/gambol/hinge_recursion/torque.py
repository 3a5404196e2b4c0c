"""Torque functions: what a hinge does by itself, with a zone of free play (section 5 and figure 2 of the source).

The angle of a ball hinge is the rotation vector r of the link relative to its rest orientation [rad]. Component by
component, the torque function is zero while |r − centre| stays within the half width `zone`, and outside rises with
`slope` towards the middle. It has an energy, V = Σ ½ slope excess², and the torque on the link is what that energy
gives on the rotation group: −Eᵀ ∂V/∂r, where E is the rate of r per unit angular velocity in link axes. For a
rotation about one axis that is simply −slope · excess. The rotation vector ends at half a turn, and so does the
definition: V jumps where |r| passes π.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import gambol.hinge_recursion.arrays as slot
from gambol.errors import Fault
from gambol.hinge_recursion.rotation_vector import rate_matrix, rotation_vector
from gambol.jit import function, outlined
from gambol.math.memory import add_vec3, load_mat3, load_quat, load_vec3, store_mat3, store_vec3
from gambol.math.rotation import conjugate, quat_product
from gambol.math.scalar import constant, load, maximum, store
from gambol.math.vector import Vec3, transposed_times

Triple = tuple[float, float, float]


def triple(value: float | Sequence[float]) -> Triple:
    """One number for all three axes, or three."""
    x, y, z = (value, value, value) if isinstance(value, int | float) else value
    return (float(x), float(y), float(z))


@dataclass(frozen=True)
class TorqueFunction:
    """A zone of free play and what lies outside it, by axes of the link's rest orientation.

    `slope` [N·m/rad] outside, `centre` [rad] of the natural range, `zone` [rad] half width of the free play; each
    one number for all axes, or three.
    """

    slope: float | Sequence[float]
    centre: float | Sequence[float] = 0.0
    zone: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        for name in ("slope", "centre", "zone"):
            object.__setattr__(self, name, triple(getattr(self, name)))

    def faults(self, where: str) -> list[Fault]:
        """Everything wrong with it."""
        found = []
        for name, least in (("slope", 0.0), ("zone", 0.0), ("centre", -np.pi)):
            values = getattr(self, name)
            if not all(np.isfinite(v) and v >= least for v in values):
                bound = "between -π and π" if name == "centre" else "finite and not negative"
                found.append(Fault(f"torque function: {name} must be {bound}, it is {values}", where))
        if not found and any(abs(c) > np.pi for c in triple(self.centre)):
            found.append(Fault(f"torque function: centre must be between -π and π, it is {self.centre}", where))
        return found

    def at(self, time: float) -> TorqueFunction:
        """The same at all times."""
        return self

    def energy(self, angle: Sequence[float]) -> float:
        """Stored energy [J] at the rotation vector `angle` [rad]."""
        excess = np.maximum(np.abs(np.asarray(angle) - self.centre) - self.zone, 0.0)
        return float(0.5 * np.dot(self.slope, excess**2))

    def keys(self) -> list[tuple[float, ...]]:
        """The rows of the schedule's table."""
        return [(0.0, *self.centre, *self.zone, *self.slope)]  # type: ignore[misc]


@dataclass(frozen=True)
class TorqueSchedule:
    """A torque function that moves in time: `keyframes` are (time [s], TorqueFunction), joined by straight lines.

    Before the first key and after the last it stands still; with a `period` [s] it repeats.
    """

    keyframes: tuple[tuple[float, TorqueFunction], ...]
    period: float = 0.0

    def faults(self, where: str) -> list[Fault]:
        """Everything wrong with it."""
        times = [time for time, _ in self.keyframes]
        found = [fault for _, function_ in self.keyframes for fault in function_.faults(where)]
        if not times or any(b <= a for a, b in pairwise(times)):
            found.append(Fault(f"torque schedule: key times must rise, they are {times}", where))
        if self.period < 0 or (self.period and times and times[-1] > self.period):
            found.append(Fault(f"torque schedule: period {self.period} s ends before the keys {times}", where))
        return found

    def at(self, time: float) -> TorqueFunction:
        """The torque function at a time."""
        table = np.array(self.keys())
        phase = time % self.period if self.period else time
        row = [float(np.interp(phase, table[:, 0], table[:, c])) for c in range(1, slot.KEY_SIZE)]
        return TorqueFunction(row[6:9], row[0:3], row[3:6])

    def keys(self) -> list[tuple[float, ...]]:
        """The rows of the schedule's table."""
        return [(time, *row[1:]) for time, function_ in self.keyframes for row in function_.keys()]


# ---------------------------------------------------------------- kernels
@outlined
def set_zones(model, state, time, first, last_hinge):
    """Slow band: where the zones of free play stand at a time, between the keys of their schedules."""
    W, keys = state.band, model.keys
    like = load(W, 0)
    for h in range(first, last_hinge):
        b = model.hinges[h, slot.HINGE_LINK] * slot.BAND_SIZE + slot.ZONE
        key = model.hinges[h, slot.HINGE_FIRST] * slot.KEY_SIZE
        last = key + (model.hinges[h, slot.HINGE_KEYS] - 1) * slot.KEY_SIZE
        phase = time
        if model.periods[h] > 0.0:
            phase = time - model.periods[h] * np.floor(time / model.periods[h])
        while key < last and keys[key + slot.KEY_SIZE] <= phase:
            key += slot.KEY_SIZE
        part = 0.0
        if key < last and phase > keys[key]:
            part = (phase - keys[key]) / (keys[key + slot.KEY_SIZE] - keys[key])
        after = min(key + slot.KEY_SIZE, last)
        for c in range(9):
            x, y = keys[key + slot.KEY_CENTRE + c], keys[after + slot.KEY_CENTRE + c]
            store(W, b + c, constant(like, x + (y - x) * part))


@outlined
def set_angles(model, state, first, last):
    """Slow band: the rotation vectors of the hinges from rest, and how they change with the turning of the link."""
    W = state.band
    for h in range(first, last):
        i = model.hinges[h, slot.HINGE_LINK]
        rest = load_quat(model.links, i * slot.LINK_SIZE + slot.LINK_REST)
        base = quat_product(load_quat(state.orientation, 4 * model.parent[i]), rest)
        q = quat_product(conjugate(base), load_quat(state.orientation, 4 * i))
        store_vec3(W, i * slot.BAND_SIZE + slot.ANGLE, rotation_vector(q))
        store_mat3(W, i * slot.BAND_SIZE + slot.ANGLE_RATE, rate_matrix(q))


@function
def zone_excess(e, width):
    """How far e lies outside the zone of free play, with sign."""
    zero = constant(e, 0.0)
    return maximum(e - width, zero) - maximum(-e - width, zero)


@function
def zone_excesses(W, z, r):
    """How far the rotation vector r lies outside the zone at W[z:], by components."""
    e, width = r - load_vec3(W, z), load_vec3(W, z + 3)
    return Vec3(zone_excess(e.x, width.x), zone_excess(e.y, width.y), zone_excess(e.z, width.z))


@function
def turned_since(state, i):
    """The small rotation of a link since the moment for which its coefficients were found."""
    return load_vec3(state.lag_rotation, 3 * i) + load_vec3(state.small_rotation, 3 * i)


@outlined
def add_torque_functions(model, state):
    """Fast band: torques of the torque functions; small turns since the slow band move the angles to first order."""
    W = state.band
    for h in range(model.hinges.shape[0]):
        i = model.hinges[h, slot.HINGE_LINK]
        b = i * slot.BAND_SIZE
        E = load_mat3(W, b + slot.ANGLE_RATE)
        carried = transposed_times(load_mat3(W, b + slot.TO_PARENT), turned_since(state, model.parent[i]))
        r = load_vec3(W, b + slot.ANGLE) + E @ (turned_since(state, i) - carried)
        x, s = zone_excesses(W, b + slot.ZONE, r), load_vec3(W, b + slot.ZONE + 6)
        pull = transposed_times(E, Vec3(x.x * s.x, x.y * s.y, x.z * s.z))
        add_vec3(W, b + slot.HINGE_TORQUE, -pull)


@function
def stored_energy(W, b):
    """Energy of the torque function of the link whose band begins at b, at its angle of the slow band [J]."""
    x, s = zone_excesses(W, b + slot.ZONE, load_vec3(W, b + slot.ANGLE)), load_vec3(W, b + slot.ZONE + 6)
    return (x.x * x.x * s.x + x.y * x.y * s.y + x.z * x.z * s.z) * constant(s.x, 0.5)
