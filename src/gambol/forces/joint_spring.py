"""Linear spring and damper at a joint's coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import Element, Row, scalar_coordinates
from gambol.forces.push import push_joint
from gambol.jit import outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load

KIND, NAME, INDICES, PARAMETERS = 0, "joint_spring", 2, 3


@dataclass(frozen=True, kw_only=True)
class JointSpring(Element):
    """force = -stiffness (q - rest) - damping v, at every coordinate of a joint.

    stiffness [N·m/rad or N/m], damping [N·m·s/rad or N·s/m], rest [rad or m].
    """

    joint: str
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    def rows(self, layout) -> list[Row]:
        numbers = [float(self.stiffness), float(self.damping), float(self.rest)]
        return [([q, s], list(numbers)) for q, s in scalar_coordinates(self, layout, self.joint)]


Description = JointSpring


@outlined
def apply(model, motion, t, h, index, param, count, line):
    for k in range(count):
        q, s = model.indices[index + 2 * k], model.indices[index + 2 * k + 1]
        p = param + 3 * k
        stiffness, damping = load(model.params, p), load(model.params, p + 1)
        v = load(motion.v, s)
        force = -stiffness * (load(motion.q, q) - load(model.params, p + 2)) - damping * v
        push_joint(motion, h, s, force, stiffness, damping)
        if line >= 0:
            add_to(motion.zrate, line, force * v)


@outlined
def energy(model, motion, t, index, param, count):
    total = constant(load(motion.work, 0), 0.0)
    half = constant(total, 0.5)
    for k in range(count):
        x = load(motion.q, model.indices[index + 2 * k]) - load(model.params, param + 3 * k + 2)
        total = total + load(model.params, param + 3 * k) * x * x * half
    return total
