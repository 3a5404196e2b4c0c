"""Stops at the ends of a joint's range: linear and exponential springs and a damper that act outside it only.

Inside the range there is no force: a zone of free play.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gambol.errors import Fault
from gambol.forces.element import JointElement, Row
from gambol.forces.exponential_spring import EXPONENT_MOST, count_clipped, grown_exponential
from gambol.forces.push import push_joint
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import absolute, constant, load, maximum, minimum, store, where_positive

INDICES, PARAMETERS = 2, 8
LOWER, UPPER, STIFFNESS, DAMPING, STRENGTH, RISE, SCALE, CLIPPED = range(8)
NUMBERS = {
    "lower": LOWER,
    "upper": UPPER,
    "stiffness": STIFFNESS,
    "damping": DAMPING,
    "strength": STRENGTH,
    "rise": RISE,
    "scale": SCALE,
    "clipped": CLIPPED,
}
RAMPS: dict[str, int] = {}
REPORTS = ("force",)


@dataclass(frozen=True, kw_only=True)
class JointLimit(JointElement):
    """force = -scale (stiffness x + strength sign(x) (e^(rise |x|) - 1) + damping v) outside the range; nothing inside.

    x is the excess beyond the range. lower, upper [rad or m], stiffness [N·m/rad or N/m], strength [N·m or N],
    rise [1/rad or 1/m], damping [N·m·s/rad or N·s/m].
    """

    lower: float
    upper: float
    stiffness: float = 0.0
    damping: float = 0.0
    strength: float = 0.0
    rise: float = 1.0

    def faults(self) -> Iterator[Fault]:
        """Also: the lower limit must not be above the upper."""
        yield from super().faults()
        if self.lower > self.upper:
            yield Fault(f"lower limit {self.lower:g} is above the upper {self.upper:g}", self.where)

    def rows(self, layout) -> list[Row]:
        """One kernel element a coordinate of the joint."""
        values = (self.lower, self.upper, self.stiffness, self.damping, self.strength, self.rise)
        numbers = [*(float(x) for x in values), self.scale(layout), 0.0]
        return [([q, s], list(numbers)) for q, s in self.coordinates(layout)]


@function
def excess(model, motion, q, p):
    """How far the coordinate is beyond its range, with sign; zero inside."""
    x = load(motion.q, q)
    zero = constant(x, 0.0)
    return maximum(x - load(model.params, p + UPPER), zero) + minimum(x - load(model.params, p + LOWER), zero)


@function
def law(model, motion, i, p):
    """Force, stiffness, damping, and by how much the exponential is cut off."""
    params = model.params
    x, v = excess(model, motion, model.indices[i], p), load(motion.v, model.indices[i + 1])
    scale = where_positive(absolute(x), load(params, p + SCALE), constant(x, 0.0))
    linear, rise, strength = load(params, p + STIFFNESS), load(params, p + RISE), load(params, p + STRENGTH)
    exponent = rise * absolute(x)
    grown = grown_exponential(exponent)
    pull = strength * (grown - constant(x, 1.0))
    damping = load(params, p + DAMPING) * scale
    force = (-linear * x - where_positive(x, pull, -pull)) * scale - damping * v
    beyond = where_positive(strength, exponent - constant(x, EXPONENT_MOST), constant(x, -1.0))
    return force, (linear + strength * rise * grown) * scale, damping, beyond


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds the force of the stop that each coordinate has passed."""
    for k in range(count):
        p, s = param + PARAMETERS * k, model.indices[index + 2 * k + 1]
        force, stiffness, damping, beyond = law(model, motion, index + 2 * k, p)
        count_clipped(model.params, p + CLIPPED, beyond)
        push_joint(motion, h, s, force, stiffness, damping, constant(force, 0.0))
        if line >= 0:
            add_to(motion.zrate, line, force * load(motion.v, s))


@outlined
def energy(model, motion, t, index, param, count):
    """Energy stored in the stops [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        x = absolute(excess(model, motion, model.indices[index + 2 * k], p))
        rise = load(model.params, p + RISE)
        stored = load(model.params, p + STIFFNESS) * x * x * constant(x, 0.5)
        stored = stored + load(model.params, p + STRENGTH) * (
            (grown_exponential(rise * x) - constant(x, 1.0)) / rise - x
        )
        total = total + stored * load(model.params, p + SCALE)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force of each stop [N·m or N]; zero inside the range."""
    for k in range(count):
        store(out, first + k, law(model, motion, index + 2 * k, param + PARAMETERS * k)[0])
