"""Inverse kinematics with balance: postures that put points of bodies where they are wanted.

    found = pose(mechanics, q, [Place("l_hand3", (0, 0, -0.19), (0.4, 0.2, 1.2))], joints=[...], centre=(0.03, 0.0))

Damped Gauss-Newton on the joints that may move (and a free root), which otherwise stay near where they were.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import PoseError
from gambol.world.mechanics import Mechanics

SHY = 1e-2  # [m/rad] how unwilling joints are to move, against errors of places
ENOUGH = 1e-7  # [m] change of a step that ends the search


@dataclass(frozen=True)
class Place:
    """Where a point [m, body frame] of a body is wanted [m, world]; None leaves a coordinate free."""

    body: str
    point: tuple[float, float, float]
    to: tuple[float | None, float | None, float | None]
    weight: float = 1.0


@dataclass(frozen=True)
class Posed:
    """Positions found, and the largest distance that is left from what was asked [m]."""

    q: np.ndarray
    error: float


def pose(
    mechanics: Mechanics,
    q: np.ndarray,
    places: Sequence[Place],
    *,
    joints: Iterable[str],
    root: bool = True,
    centre: tuple[float | None, float | None] | None = None,
    limits: dict[str, tuple[float, float]] | None = None,
    shy: float = SHY,
    rounds: int = 200,
    within: float = 2e-3,
) -> Posed:
    """Moves `joints` (and the free root) from q until the places are reached and the centre of mass is over `centre`.

    limits   ranges of joints [rad]
    within   [m] the largest error that counts as reached; else PoseError
    """
    free = _free(mechanics, joints, root)
    now = np.array(q, float)
    moved = np.zeros(mechanics.speeds)
    damping = 1e-4
    errors, rows = _residual(mechanics, now, places, centre)
    for _ in range(rounds):
        J = rows[:, free]
        pull = -(shy**2) * moved[free] * _reluctance(mechanics, free)
        A = J.T @ J + np.diag(shy**2 * _reluctance(mechanics, free) + damping)
        step = np.zeros(mechanics.speeds)
        step[free] = np.linalg.solve(A, J.T @ errors + pull)
        step *= min(1.0, 0.2 / max(float(np.abs(step).max()), 1e-12))
        moved = moved + step
        now = _clipped(mechanics, mechanics.displaced(now, step), limits or {})
        errors, rows = _residual(mechanics, now, places, centre)
        if float(np.abs(step).max()) < ENOUGH:
            break
        damping = max(damping * 0.7, 1e-9)
    error = float(np.abs(errors).max()) if len(errors) else 0.0
    if error > within:
        raise PoseError(
            f"no posture reaches what was asked: {1e3 * error:.1f} mm are left (allowed: {1e3 * within:g} mm)"
        )
    return Posed(now, error)


def _free(mechanics: Mechanics, joints: Iterable[str], root: bool) -> np.ndarray:
    layout = mechanics.layout
    chosen: list[int] = []
    for entry in layout.bodies:
        if entry.body.parent is None and root:
            chosen += range(*layout.speed_slices[entry.name].indices(layout.nv))
    for name in joints:
        chosen += range(*layout.speed_slices[layout.body(name).name].indices(layout.nv))
    return np.array(sorted(set(chosen)), int)


def _reluctance(mechanics: Mechanics, free: np.ndarray) -> np.ndarray:
    """1 for joints, next to nothing for the coordinates of a free root."""
    layout = mechanics.layout
    loose = np.zeros(layout.nv, bool)
    for entry in layout.bodies:
        if entry.body.joint.type == "free":
            loose[layout.speed_slices[entry.name]] = True
    return np.where(loose[free], 1e-4, 1.0)


def _residual(mechanics, q, places, centre) -> tuple[np.ndarray, np.ndarray]:
    """What is missing [m], and how it changes with the speeds."""
    errors, rows = [], []
    for place in places:
        here = mechanics.point(q, place.body, place.point)
        J = mechanics.jacobian(q, place.body, place.point)[3:]
        for k, wanted in enumerate(place.to):
            if wanted is not None:
                errors.append(place.weight * (wanted - here[k]))
                rows.append(place.weight * J[k])
    if centre is not None:
        here, J = mechanics.centre_of_mass(q), mechanics.centre_of_mass_jacobian(q)
        for k, wanted in enumerate(centre):
            if wanted is not None:
                errors.append(wanted - here[k])
                rows.append(J[k])
    return np.array(errors), np.array(rows).reshape(len(errors), mechanics.speeds)


def _clipped(mechanics: Mechanics, q: np.ndarray, limits: dict[str, tuple[float, float]]) -> np.ndarray:
    for name, (lower, upper) in limits.items():
        at = mechanics.layout.position_slices[mechanics.layout.body(name).name]
        q[at] = np.clip(q[at], lower, upper)
    return q
