"""A given force at a joint's coordinates (the sources' bias), which can be ramped."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import JointElement, Row
from gambol.forces.push import push_joint
from gambol.forces.ramp import RAMP, held, ramped
from gambol.jit import outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load, store

INDICES, PARAMETERS = 2, RAMP + 1
RAMPS = {"force": 0}
NUMBERS = {"scale": RAMP}
REPORTS = ("force",)


@dataclass(frozen=True, kw_only=True)
class JointForce(JointElement):
    """force = scale · force [N·m or N] at every coordinate of a joint."""

    force: float = 0.0

    def rows(self, layout) -> list[Row]:
        """One kernel element a coordinate of the joint."""
        numbers = [*held(self.force), self.scale(layout)]
        return [([q, s], list(numbers)) for q, s in self.coordinates(layout)]


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds the force, as its ramp has it now, at each coordinate."""
    for k in range(count):
        p, s = param + PARAMETERS * k, model.indices[index + 2 * k + 1]
        force = ramped(model, motion, p, t)[0] * load(model.params, p + RAMP)
        none = constant(force, 0.0)
        push_joint(motion, h, s, force, none, none, none)
        if line >= 0:
            add_to(motion.zrate, line, force * load(motion.v, s))


@outlined
def energy(model, motion, t, index, param, count):
    """None: what a commanded force gives is work, not energy stored."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force at each coordinate [N·m or N]."""
    for k in range(count):
        p = param + PARAMETERS * k
        store(out, first + k, ramped(model, motion, p, t)[0] * load(model.params, p + RAMP))
