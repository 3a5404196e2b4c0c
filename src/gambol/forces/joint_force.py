"""A given force at a joint's coordinates (the sources' bias), which can be ramped."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import JointElement
from gambol.forces.factories import joint_kernel


def law(q, v, t, force, scale):
    """Force, stiffness, damping, energy."""
    return force * scale, 0.0, 0.0, 0.0


@dataclass(frozen=True, kw_only=True)
class JointForce(JointElement):
    """force = scale · force [N·m or N] at every coordinate of a joint."""

    force: float = 0.0

    kernel = joint_kernel(law, ramps=("force",))
