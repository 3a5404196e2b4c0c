"""Integrates over time the whole force that acts at a joint's coordinate: its average, say, while a figure settles."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.forces.element import JointElement, Row
from gambol.jit import outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load, store

INDICES, PARAMETERS = 1, 0
NUMBERS: dict[str, int] = {}
RAMPS: dict[str, int] = {}
REPORTS = ("force",)


@dataclass(frozen=True, kw_only=True)
class JointMeter(JointElement):
    """∫ force dt [N·m·s or N·s] of everything that acts at coordinate number `coordinate` of a joint, commands too.

    `Simulation.measured(name)` gives the integral; the difference of two over the time between is the average force.
    """

    coordinate: int = 0

    measures = True

    def __post_init__(self) -> None:
        if not self.line:
            object.__setattr__(self, "line", self.name or f"impulse at {self.joint} {self.coordinate}")

    def rows(self, layout) -> list[Row]:
        """One kernel element: the speed of the coordinate that is measured."""
        found = self.coordinates(layout)
        if not 0 <= self.coordinate < len(found):
            raise self.fail(f"joint {self.joint!r} has {len(found)} coordinates; there is no number {self.coordinate}")
        return [([found[self.coordinate][1]], [])]


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds no force: the ledger line integrates the joint's, to an impulse [N·m·s or N·s]."""
    for k in range(count):
        add_to(motion.zrate, line, load(motion.tau, model.indices[index + k]))


@outlined
def energy(model, motion, t, index, param, count):
    """None: it only measures."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force of the other elements at each coordinate [N·m or N]."""
    for k in range(count):
        store(out, first + k, load(motion.tau, model.indices[index + k]))
