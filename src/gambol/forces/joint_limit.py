"""Stops at the ends of a joint's range: a spring and a damper that act outside it only (a zone of free play)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gambol.errors import Fault
from gambol.forces.element import Element, Row, scalar_coordinates
from gambol.forces.push import push_joint
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import absolute, constant, load, maximum, minimum, where_positive

KIND, NAME, INDICES, PARAMETERS = 1, "joint_limit", 2, 4


@dataclass(frozen=True, kw_only=True)
class JointLimit(Element):
    """force = -stiffness · (excess beyond the range) - damping · v while outside it; nothing inside.

    lower, upper [rad or m], stiffness [N·m/rad or N/m], damping [N·m·s/rad or N·s/m].
    """

    joint: str
    lower: float
    upper: float
    stiffness: float
    damping: float = 0.0

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.lower > self.upper:
            yield Fault(f"lower limit {self.lower:g} is above the upper {self.upper:g}", self.where)

    def rows(self, layout) -> list[Row]:
        numbers = [float(x) for x in (self.lower, self.upper, self.stiffness, self.damping)]
        return [([q, s], list(numbers)) for q, s in scalar_coordinates(self, layout, self.joint)]


Description = JointLimit


@function
def excess(model, motion, q, p):
    """How far the coordinate is beyond its range, with sign; zero inside."""
    x = load(motion.q, q)
    zero = constant(x, 0.0)
    return maximum(x - load(model.params, p + 1), zero) + minimum(x - load(model.params, p), zero)


@outlined
def apply(model, motion, t, h, index, param, count, line):
    for k in range(count):
        q, s = model.indices[index + 2 * k], model.indices[index + 2 * k + 1]
        p = param + 4 * k
        x = excess(model, motion, q, p)
        outside = where_positive(absolute(x), constant(x, 1.0), constant(x, 0.0))
        stiffness, damping = load(model.params, p + 2) * outside, load(model.params, p + 3) * outside
        v = load(motion.v, s)
        force = -stiffness * x - damping * v
        push_joint(motion, h, s, force, stiffness, damping)
        if line >= 0:
            add_to(motion.zrate, line, force * v)


@outlined
def energy(model, motion, t, index, param, count):
    total = constant(load(motion.work, 0), 0.0)
    half = constant(total, 0.5)
    for k in range(count):
        x = excess(model, motion, model.indices[index + 2 * k], param + 4 * k)
        total = total + load(model.params, param + 4 * k + 2) * x * x * half
    return total
