"""Dry friction in a joint: a limit that opposes the motion, smooth through rest over the speed `creep`."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import JointElement, Row
from gambol.forces.push import push_joint
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load, sqrt, store

INDICES, PARAMETERS = 2, 3
NUMBERS = {"limit": 0, "creep": 1, "scale": 2}
RAMPS: dict[str, int] = {}
REPORTS = ("force",)


@dataclass(frozen=True, kw_only=True)
class JointFriction(JointElement):
    """force = -scale · limit v / √(v² + creep²). limit [N·m or N], creep [rad/s or m/s]."""

    limit: float = 0.0
    creep: float = 1e-3

    def rows(self, layout) -> list[Row]:
        """One kernel element a coordinate of the joint."""
        numbers = [float(self.limit), float(self.creep), self.scale(layout)]
        return [([q, s], list(numbers)) for q, s in self.coordinates(layout)]


@function
def law(model, motion, i, p):
    """Force and its damping: the secant, which keeps an implicit step from reversing the motion."""
    v, creep = load(motion.v, model.indices[i + 1]), load(model.params, p + 1)
    damping = load(model.params, p) * load(model.params, p + 2) / sqrt(v * v + creep * creep)
    return -damping * v, damping


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds friction at each coordinate; its slope is damping of the implicit step."""
    for k in range(count):
        force, damping = law(model, motion, index + 2 * k, param + PARAMETERS * k)
        s = model.indices[index + 2 * k + 1]
        none = constant(force, 0.0)
        push_joint(motion, h, s, force, none, damping, none)
        if line >= 0:
            add_to(motion.zrate, line, force * load(motion.v, s))


@outlined
def energy(model, motion, t, index, param, count):
    """None: friction stores nothing."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force of friction at each coordinate [N·m or N]."""
    for k in range(count):
        store(out, first + k, law(model, motion, index + 2 * k, param + PARAMETERS * k)[0])
