"""Linear spring and damper at a joint's coordinates; stiffness and rest position can be ramped."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import JointElement, Row
from gambol.forces.push import push_joint
from gambol.forces.ramp import RAMP, held, ramped
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load, store

INDICES, PARAMETERS = 2, 2 * RAMP + 2
RAMPS = {"stiffness": 0, "rest": RAMP}
NUMBERS = {"damping": 2 * RAMP, "scale": 2 * RAMP + 1}
REPORTS = ("force",)


@dataclass(frozen=True, kw_only=True)
class JointSpring(JointElement):
    """force = -scale (stiffness (q - rest) + damping v), at every coordinate of a joint.

    stiffness [N·m/rad or N/m], damping [N·m·s/rad or N·s/m], rest [rad or m].
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    def rows(self, layout) -> list[Row]:
        """One kernel element a coordinate of the joint."""
        numbers = [*held(self.stiffness), *held(self.rest), float(self.damping), self.scale(layout)]
        return [([q, s], list(numbers)) for q, s in self.coordinates(layout)]


@function
def law(model, motion, t, i, p):
    """Force, stiffness, damping, and the speed of the rest position."""
    scale = load(model.params, p + 2 * RAMP + 1)
    stiffness, _ = ramped(model, motion, p, t)
    rest, drift = ramped(model, motion, p + RAMP, t)
    damping = load(model.params, p + 2 * RAMP) * scale
    stiffness = stiffness * scale
    x, v = load(motion.q, model.indices[i]) - rest, load(motion.v, model.indices[i + 1])
    return -stiffness * x - damping * v, stiffness, damping, drift


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds −stiffness · (q − rest) − damping · speed at each coordinate."""
    for k in range(count):
        force, stiffness, damping, drift = law(model, motion, t, index + 2 * k, param + PARAMETERS * k)
        s = model.indices[index + 2 * k + 1]
        push_joint(motion, h, s, force, stiffness, damping, drift)
        if line >= 0:
            add_to(motion.zrate, line, force * load(motion.v, s))


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy of the springs [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        p = param + PARAMETERS * k
        stiffness, _ = ramped(model, motion, p, t)
        rest, _ = ramped(model, motion, p + RAMP, t)
        x = load(motion.q, model.indices[index + 2 * k]) - rest
        total = total + stiffness * load(model.params, p + 2 * RAMP + 1) * x * x * constant(x, 0.5)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force of each spring at its coordinate [N·m or N]."""
    for k in range(count):
        store(out, first + k, law(model, motion, t, index + 2 * k, param + PARAMETERS * k)[0])
