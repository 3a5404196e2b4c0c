"""Linear spring and damper at a joint's coordinates; stiffness and rest position can be ramped."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import JointElement
from gambol.forces.factories import joint_kernel
from gambol.math.scalar import constant


def law(q, v, t, stiffness, rest, damping, scale):
    """Force, stiffness, damping, energy."""
    x, stiffness, damping = q - rest, stiffness * scale, damping * scale
    return -stiffness * x - damping * v, stiffness, damping, stiffness * x * x * constant(x, 0.5)


@dataclass(frozen=True, kw_only=True)
class JointSpring(JointElement):
    """force = -scale (stiffness (q - rest) + damping v), at every coordinate of a joint.

    stiffness [N·m/rad or N/m], damping [N·m·s/rad or N·s/m], rest [rad or m].
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    kernel = joint_kernel(law, ramps=("stiffness", "rest"))
