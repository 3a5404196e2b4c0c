"""A line between two points, of two bodies or of a body and the world: spring, damper, and a length at which it breaks.

Tension for the stretch x = length - rest (v: how fast it lengthens):
    spring   k x, and where it is stretched strength (e^(rise x) - 1)
    factor   1 while it lengthens, `restitution` while it shortens, joined smoothly over the speed `turn`
    damper   b v
A broken attachment pulls no more; breaking is decided at the end of a step, never within it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gambol.forces.clipping import EXPONENT_MOST, grown_exponential
from gambol.forces.element import LineElement
from gambol.forces.factories import line_kernel
from gambol.math.scalar import constant, maximum, sqrt, where_positive


def law(length, rate, t, stiffness, damping, strength, rise, restitution, rest, turn):
    """Tension, its stiffness, its damping, energy, and by how much the exponential is cut off."""
    one, zero, half = constant(length, 1.0), constant(length, 0.0), constant(length, 0.5)
    x = length - rest
    out = maximum(x, zero)
    exponent = rise * out
    grown = grown_exponential(exponent)
    spring = stiffness * x + strength * (grown - one)
    slope = stiffness + where_positive(x, strength * rise * grown, zero)
    speed = sqrt(rate * rate + turn * turn)
    factor = (one + restitution) * half + (one - restitution) * half * rate / speed
    damper = damping + maximum(spring, zero) * (one - restitution) * half / speed
    energy = stiffness * x * x * half + strength * ((grown - one) / rise - out)
    beyond = where_positive(strength, exponent - constant(x, EXPONENT_MOST), -one)
    return spring * factor + damping * rate, slope * factor, damper, energy, beyond


@dataclass(frozen=True, kw_only=True)
class Attachment(LineElement):
    """Holds `point` [m, body frame] of `body` to `other_point` of `other` (or of the world, with other = "").

    stiffness [N/m], damping [N·s/m], strength [N], rise [1/m], rest [m], turn [m/s]; it breaks at the length
    `breaks` [m]. Parameter `broken` is 1 once it has broken (and may be set back to 0).
    """

    stiffness: float = 0.0
    damping: float = 0.0
    strength: float = 0.0
    rise: float = 1.0
    restitution: float = 1.0
    rest: float = 0.0
    turn: float = 5e-3
    breaks: float = math.inf

    unbounded = ("breaks",)
    kernel = line_kernel(law, clips=True, breaks=True)
