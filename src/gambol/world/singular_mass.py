"""Joints that can move without moving any mass: found before a run divides by nothing.

Where every body has mass and a moment of inertia about every axis, the mass matrix cannot be singular; it is looked at
only where some have not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.errors import Fault, Notice, SingularMassError
from gambol.forces.element import JointElement

if TYPE_CHECKING:
    from gambol.dynamics.layout import Layout
    from gambol.world.mechanics import Mechanics
    from gambol.world.world import World

SINGULAR = 1e-12  # smallest eigenvalue of the mass matrix, scaled to a unit diagonal, that counts as one
POSITIONS = 3  # at which it must be singular, the zero position first, to be so everywhere
SHARE = 0.05  # of the largest speed of a motion without mass, for a joint to be named


def could_be_singular(layout: Layout) -> bool:
    """Has some body that a joint moves no mass, or no moment of inertia about some axis?"""
    for entry in layout.bodies:
        mass = entry.body.mass_properties
        moments = np.linalg.eigvalsh(mass.tensor)
        if entry.speeds and not (mass.mass > 0 and moments[0] > SINGULAR * moments[-1] > 0):
            return True
    return False


def motion_without_mass(layout: Layout, mechanics: Mechanics, q: np.ndarray) -> np.ndarray | None:
    """Speeds (description order) that need no kinetic energy at q, the largest 1; None where there are none.

    Driven joints do not count: they move as they are told.
    """
    free = np.ones(layout.nv, bool)
    for entry in layout.bodies:
        if entry.body.joint.driven:
            free[layout.speed_slices[entry.name]] = False
    matrix = mechanics.mass_matrix(q)[np.ix_(free, free)]
    if not matrix.size or not np.all(np.isfinite(matrix)):
        return None
    size = np.sqrt(np.maximum(np.diagonal(matrix), 0.0))
    if np.all(size > 0):
        values, vectors = np.linalg.eigh(matrix / np.outer(size, size))
        if values[0] > SINGULAR * len(matrix):
            return None
        motion = vectors[:, 0] / size
    else:
        motion = np.where(size > 0, 0.0, 1.0)
    found = np.zeros(layout.nv)
    found[free] = motion / np.max(np.abs(motion))
    return found


def check_masses(layout: Layout, mechanics: Mechanics) -> SingularMassError | None:
    """The error of joints that move no mass in whatever position; None where there are none."""
    if not could_be_singular(layout):
        return None
    rng = np.random.default_rng(0)
    common: set[str] | None = None
    for k in range(POSITIONS):
        q = mechanics.displaced(layout.zero, (0.0 if k == 0 else 0.7) * rng.normal(size=layout.nv))
        motion = motion_without_mass(layout, mechanics, q)
        if motion is None:
            return None
        names = set(joints_of(layout, motion))
        common = names if common is None else common & names
        if k == 0:
            first = motion
    return singular(layout, first, "in every position") if common else None


def held_by_springs(error: SingularMassError, world: World) -> bool:
    """Does a spring or a damper act on one of the joints, so that an implicit step is sound nonetheless?"""
    held = {world.layout.body(e.joint).name for e in world.elements if isinstance(e, JointElement)}
    return any(name == own or name.startswith(f"{own}/") for name in error.joints for own in held)


def as_notice(error: SingularMassError) -> Notice:
    """What it is where implicit steps are taken."""
    remedy = "ask for no accelerations there, and take implicit steps only; or give them some mass or armature"
    return Notice(error.faults[0].message, ", ".join(error.joints), {"joints": len(error.joints)}, remedy)


def joints_of(layout: Layout, motion: np.ndarray) -> list[str]:
    """The coordinates that take part in a motion."""
    return [name for name, speed in zip(layout.speed_names, motion) if abs(speed) > SHARE]


def singular(layout: Layout, motion: np.ndarray, when: str) -> SingularMassError:
    """The error that names a motion without mass."""
    names = joints_of(layout, motion)
    shown = ", ".join(f"{name} ({speed:+.2g})" for name, speed in zip(layout.speed_names, motion) if abs(speed) > SHARE)
    what = "moves" if len(names) == 1 else "move together, and move"
    message = (
        f"the mass matrix is singular {when}: {shown} {what} no mass, so that no force says how fast; give the bodies"
        " they carry mass and inertia, or their joints an armature, or weld one of them"
    )
    return SingularMassError([Fault(message, "world")], tuple(names))
