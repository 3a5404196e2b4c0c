"""Stops at the ends of a joint's range: linear and exponential springs and a damper that act outside it only.

Inside the range there is no force: a zone of free play.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gambol.errors import Fault
from gambol.forces.clipping import EXPONENT_MOST, grown_exponential
from gambol.forces.element import JointElement
from gambol.forces.factories import joint_kernel
from gambol.math.scalar import absolute, constant, maximum, minimum, where_positive


def law(q, v, t, lower, upper, stiffness, damping, strength, rise, pulls, scale):
    """Force, stiffness, damping, energy, and by how much the exponential is cut off."""
    zero, one = constant(q, 0.0), constant(q, 1.0)
    x = maximum(q - upper, zero) + minimum(q - lower, zero)
    size = absolute(x)
    scale = where_positive(size, scale, zero)
    exponent, damping = rise * size, damping * scale
    grown = grown_exponential(exponent)
    pull = strength * (grown - one)
    force = (-stiffness * x - where_positive(x, pull, -pull)) * scale - damping * v
    # a stop that does not pull lets go of what moves out faster than its spring pushes
    held = where_positive(-force * where_positive(x, one, -one), one, pulls)
    force, damping = force * held, damping * held
    beyond = where_positive(strength, exponent - constant(x, EXPONENT_MOST), -one)
    energy = (stiffness * x * x * constant(x, 0.5) + strength * ((grown - one) / rise - size)) * scale
    return force, (stiffness + strength * rise * grown) * scale * held, damping, energy, beyond


@dataclass(frozen=True, kw_only=True)
class JointLimit(JointElement):
    """force = -scale (stiffness x + strength sign(x) (e^(rise |x|) - 1) + damping v) outside the range; nothing inside.

    x is the excess beyond the range. lower, upper [rad or m], stiffness [N·m/rad or N/m], strength [N·m or N],
    rise [1/rad or 1/m], damping [N·m·s/rad or N·s/m]. With pulls=False the force only pushes back into the range: the
    damper does not hold what is on its way there.
    """

    lower: float
    upper: float
    stiffness: float = 0.0
    damping: float = 0.0
    strength: float = 0.0
    rise: float = 1.0
    pulls: bool = True

    kernel = joint_kernel(law, clips=True)

    def faults(self) -> Iterator[Fault]:
        """Also: the lower limit must not be above the upper."""
        yield from super().faults()
        if self.lower > self.upper:
            yield Fault(f"lower limit {self.lower:g} is above the upper {self.upper:g}", self.where)
