"""The actuator of the sources: an exponential spring and a damper at a joint, strength and rest position ramped."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gambol.forces.clipping import EXPONENT_MOST, grown_exponential
from gambol.forces.element import JointElement
from gambol.forces.factories import joint_kernel
from gambol.math.scalar import absolute, constant, minimum, where_positive


def law(q, v, t, strength, rest, rise, damping, most, scale):
    """Force, stiffness, damping, energy (of the spring while below its largest force), and where it is cut off."""
    x, one = q - rest, constant(q, 1.0)
    size, damping = absolute(x), damping * scale
    exponent = rise * size
    grown = grown_exponential(exponent)
    pull = strength * (grown - one)
    beyond = where_positive(exponent - constant(x, EXPONENT_MOST), one, pull - most)
    pull = minimum(pull, most)
    stiffness = where_positive(beyond, constant(x, 0.0), strength * rise * grown) * scale
    energy = strength * ((grown - one) / rise - size) * scale
    return where_positive(x, -pull, pull) * scale - damping * v, stiffness, damping, energy, beyond


@dataclass(frozen=True, kw_only=True)
class ExponentialSpring(JointElement):
    """force = -scale (sign(x) strength (e^(rise |x|) - 1) + damping v), x = q - rest; the spring no more than `most`.

    strength [N·m or N], rise [1/rad or 1/m], damping [N·m·s/rad or N·s/m], rest [rad or m], most [N·m or N].
    `clipped` counts how often the spring was evaluated beyond `most` or beyond what a number can hold.
    """

    strength: float
    rise: float
    damping: float = 0.0
    rest: float = 0.0
    most: float = math.inf

    unbounded = ("most",)

    kernel = joint_kernel(law, ramps=("strength", "rest"), clips=True)


def inverse_rest(q: float, force: float, *, strength: float, rise: float, scale: float = 1.0) -> float:
    """The rest position at which the spring gives `force` at q: inverse control (Eq. 82 of the 1994 work)."""
    return q + math.copysign(math.log(abs(force) / (strength * scale) + 1.0) / rise, force)
