"""Where the joints should be: position, velocity and acceleration over time, for many worlds at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from gambol.errors import Fault, WorldError


class Target(NamedTuple):
    """Desired positions, velocities and accelerations, (worlds, joints)."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


class Trajectory(Protocol):
    """Something to follow."""

    def at(self, time: float) -> Target:
        """Where the joints should be at a time [s]."""


def _rows(values, what: str) -> np.ndarray:
    rows = np.atleast_2d(np.asarray(values, float))
    if not np.all(np.isfinite(rows)):
        raise WorldError([Fault(f"{what} must be finite", "trajectory")])
    return rows


@dataclass(frozen=True)
class Sinusoid:
    """θ = α + β (1 − cos ωt) for joints with `raised` true, α + β cos ωt for the others (eqs. 3.38, 3.39).

    alpha, beta [rad] and omega [rad/s] are (joints,) or (worlds, joints).
    """

    alpha: np.ndarray
    beta: np.ndarray
    omega: np.ndarray
    raised: Sequence[bool] = (True, False)

    def __post_init__(self) -> None:
        given = (_rows(x, "sinusoid") for x in (self.alpha, self.beta, self.omega))
        alpha, beta, omega = np.broadcast_arrays(*given)
        raised = np.asarray(self.raised)
        swing = np.where(raised, -beta, beta)
        object.__setattr__(self, "_middle", alpha + np.where(raised, beta, 0.0))
        object.__setattr__(self, "_parts", (omega, swing, -swing * omega, -swing * omega**2))

    def at(self, time: float) -> Target:
        """Positions, speeds and accelerations at a time [s]."""
        omega, swing, speed, bend = self._parts  # type: ignore[attr-defined]
        cos, sin = np.cos(omega * time), np.sin(omega * time)
        return Target(self._middle + swing * cos, speed * sin, bend * cos)  # type: ignore[attr-defined]


def sanner_slotine(speed: float = 1.0) -> Sinusoid:
    """The two-joint task of Sanner and Slotine that the source uses (§3.6.2)."""
    return Sinusoid(np.zeros(2), np.array([1.33, 0.75]), speed * np.pi * np.array([0.75, 2.0]))


def sweep(k) -> Sinusoid:
    """The bandwidth sweep of fig. 3.3: both joints at ω = 2πk; one world for each k."""
    k = np.atleast_1d(np.asarray(k, float))[:, None]
    return Sinusoid(np.zeros(2), np.array([1.33, 0.75]), 2.0 * np.pi * k * np.ones(2))


@dataclass(frozen=True)
class Reaches:
    """From point to point, straight in joint space, with bell-shaped speed: σ = 1/(1 + e^(−rate (t − middle))).

    `points` (n, joints) or (n, worlds, joints) are visited in turn, `segment` [s] for each, and begun again after the
    last; `rate` λ [1/s]. The printed solution (3.40) lacks the rate: with it σ' = λ σ (1 − σ), at most λ‖Δ‖/4 rad/s.
    """

    points: np.ndarray
    segment: float = 1.0
    rate: float = 12.0

    def at(self, time: float) -> Target:
        """Positions, speeds and accelerations at a time [s]."""
        points = np.asarray(self.points, float)
        if points.ndim == 2:
            points = points[:, None, :]
        number = int(np.floor(time / self.segment))
        start, end = points[number % len(points)], points[(number + 1) % len(points)]
        share = 1.0 / (1.0 + np.exp(-self.rate * (time - (number + 0.5) * self.segment)))
        way, slope = end - start, self.rate * share * (1.0 - share)
        bend = self.rate * slope * (1.0 - 2.0 * share)
        return Target(start + share * way, slope * way, bend * way)


@dataclass(frozen=True)
class SplinePath:
    """A smooth path through `points` (n, joints) or (n, worlds, joints) at even times, `period` [s] for the round."""

    points: np.ndarray
    period: float = 4.0

    def __post_init__(self) -> None:
        from scipy.interpolate import CubicSpline

        points = np.asarray(self.points, float)
        if points.ndim == 2:
            points = points[:, None, :]
        times = np.linspace(0.0, self.period, len(points) + 1)
        spline = CubicSpline(times, np.concatenate([points, points[:1]]), bc_type="periodic")
        object.__setattr__(self, "_curves", (spline, spline.derivative(), spline.derivative(2)))

    def at(self, time: float) -> Target:
        """Positions, speeds and accelerations at a time [s]."""
        u = time % self.period
        return Target(*(curve(u) for curve in self._curves))  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Together:
    """Several trajectories, one after the other along the axis of worlds."""

    parts: Sequence[Trajectory]

    def at(self, time: float) -> Target:
        """The parts side by side at a time [s]."""
        targets = [part.at(time) for part in self.parts]
        return Target(*(np.concatenate(rows) for rows in zip(*targets)))
