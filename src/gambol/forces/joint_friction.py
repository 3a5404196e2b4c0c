"""Dry friction in a joint: a limit that opposes the motion, smooth through rest over the speed `creep`."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import JointElement
from gambol.forces.factories import joint_kernel
from gambol.math.scalar import sqrt


def law(q, v, t, limit, creep, scale):
    """Force, stiffness, damping, energy. The damping is a secant: an implicit step does not reverse the motion."""
    damping = limit * scale / sqrt(v * v + creep * creep)
    return -damping * v, 0.0, damping, 0.0


@dataclass(frozen=True, kw_only=True)
class JointFriction(JointElement):
    """force = -scale · limit v / √(v² + creep²). limit [N·m or N], creep [rad/s or m/s]."""

    limit: float = 0.0
    creep: float = 1e-3

    kernel = joint_kernel(law)
