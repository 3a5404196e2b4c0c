"""Mass properties: mass, centre and the tensor of inertia about the centre."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gambol.figure.placement import Placement, Problem, Vector, floats, number, number_problem, vector_problem

Inertia = tuple[float, float, float, float, float, float]
INERTIA_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Mass:
    """Mass [kg], centre [m] and inertia [kg·m²] in one frame, usually the body's.

    `inertia` is the tensor about the centre, in the axes of the frame, as (xx, yy, zz, xy, xz, yz); the products
    are elements of the tensor, that is, −∫xy dm and so on. `unphysical` says that a tensor which no real body has is
    meant: files of robots have such, for parts that weigh next to nothing.
    """

    mass: float
    centre: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    unphysical: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", number(self.mass))
        object.__setattr__(self, "centre", floats(self.centre))
        object.__setattr__(self, "inertia", floats(self.inertia))

    @classmethod
    def point(cls, mass: float, centre: Sequence[float] = (0.0, 0.0, 0.0)) -> Mass:
        """A point mass [kg] at `centre` [m]."""
        return cls(mass, (centre[0], centre[1], centre[2]))

    @classmethod
    def from_tensor(cls, mass: float, centre: Sequence[float], tensor: Any, unphysical: bool = False) -> Mass:
        """From the symmetric 3×3 tensor about the centre [kg·m²]."""
        t = np.asarray(tensor, dtype=float)
        t = 0.5 * (t + t.T)
        inertia = (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
        return cls(mass, (centre[0], centre[1], centre[2]), inertia, unphysical)

    @cached_property
    def tensor(self) -> np.ndarray:
        """The 3×3 tensor about the centre [kg·m²], in the axes of the frame."""
        xx, yy, zz, xy, xz, yz = self.inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        tensor.setflags(write=False)
        return tensor

    def tensor_about(self, point: Sequence[float]) -> np.ndarray:
        """The 3×3 tensor about `point` [m] of the same frame: the parallel-axis theorem."""
        d = np.asarray(self.centre) - np.asarray(point, dtype=float)
        return self.tensor + self.mass * ((d @ d) * np.eye(3) - np.outer(d, d))

    def moved(self, placement: Placement) -> Mass:
        """The same mass expressed in frame A, when self is in frame B and `placement` is the pose of B in A."""
        if placement == Placement():
            return self
        r = placement.matrix
        return Mass.from_tensor(self.mass, placement.apply(self.centre), r @ self.tensor @ r.T, self.unphysical)

    def __add__(self, other: Mass) -> Mass:
        """The two masses taken as one rigid body (both in the same frame)."""
        if other.mass == 0.0 and not any(other.inertia):
            return self
        if self.mass == 0.0 and not any(self.inertia):
            return other
        total, odd = self.mass + other.mass, self.unphysical or other.unphysical
        if total == 0.0:
            return Mass.from_tensor(0.0, (0.0, 0.0, 0.0), self.tensor + other.tensor, odd)
        centre = (self.mass * np.asarray(self.centre) + other.mass * np.asarray(other.centre)) / total
        about: Vector = (float(centre[0]), float(centre[1]), float(centre[2]))
        return Mass.from_tensor(total, about, self.tensor_about(about) + other.tensor_about(about), odd)

    def mirrored(self) -> Mass:
        """The mirror image in the plane y = 0."""
        (x, y, z), (xx, yy, zz, xy, xz, yz) = self.centre, self.inertia
        return Mass(self.mass, (x, -y, z), (xx, yy, zz, -xy, xz, -yz), self.unphysical)

    def scaled(self, length: float, mass: float) -> Mass:
        """Lengths times `length`, masses times `mass`."""
        x, y, z = self.centre
        xx, yy, zz, xy, xz, yz = (mass * length * length * element for element in self.inertia)
        return Mass(mass * self.mass, (length * x, length * y, length * z), (xx, yy, zz, xy, xz, yz), self.unphysical)

    def faults(self) -> Iterator[Problem]:
        """Everything that no real body could have. Zero mass is left to the figure, which knows what hangs below."""
        problem = number_problem(self.mass)
        if problem or self.mass < 0:
            yield ("mass",), f"mass {problem or f'must not be negative, it is {self.mass:.6g} kg'}"
        if problem := vector_problem(self.centre):
            yield ("centre",), f"centre of mass {problem}"
        if problem := vector_problem(self.inertia, 6):
            yield ("inertia",), f"inertia (xx, yy, zz, xy, xz, yz) {problem}"
        elif not self.unphysical and (problem := self.oddity()):
            yield ("inertia",), problem

    def oddity(self) -> str:
        """Why no real body has this tensor; empty when one may."""
        low, middle, high = np.linalg.eigvalsh(self.tensor)
        scale = max(abs(low), abs(high))
        moments = f"principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg·m²"
        if low < -INERTIA_TOLERANCE * scale:
            return f"inertia is not positive definite: {moments}"
        if low + middle - high < -INERTIA_TOLERANCE * scale:
            return f"inertia breaks the triangle inequality, no body has {moments}"
        if self.mass == 0.0 and scale > 0:
            return f"inertia without mass: {moments} but the mass is zero"
        return ""

    def as_given(self) -> Mass:
        """The same, marked as meant where no real body has it."""
        finite = np.isfinite([self.mass, *self.centre, *self.inertia]).all()
        return replace(self, unphysical=True) if finite and self.mass >= 0 and self.oddity() else self


NO_MASS = Mass(0.0)
