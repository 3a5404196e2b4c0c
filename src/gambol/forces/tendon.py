"""A tendon over several joints with fixed moment arms: two-joint springs and pulleys of constant radius."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gambol.forces.element import Element, Row
from gambol.forces.moment_arms import length_of, pull_joints, run_over
from gambol.forces.ramp import RAMP, held, ramped
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load, maximum, store, where_positive

TENDON_JOINTS = 4  # joints
ENDS = TENDON_JOINTS
INDICES, PARAMETERS = 2 * TENDON_JOINTS + 2, 2 * RAMP + 1 + TENDON_JOINTS
RAMPS = {"stiffness": 0, "rest": RAMP}
NUMBERS = {"damping": 2 * RAMP}
ARMS, PLACES = 2 * RAMP + 1, 2
REPORTS = ("length", "tension")


@dataclass(frozen=True, kw_only=True)
class Tendon(Element):
    """tension = stiffness (length - rest) + damping · rate, where length = Σ arm q over the joints named.

    arms        moment arm [m] of each joint (of its first coordinate), at most four
    pulls_only  a tendon goes slack; a two-joint spring (False) also pushes
    stiffness [N/m], damping [N·s/m], rest [m]; each joint feels -arm · tension.
    """

    arms: Mapping[str, float] = field(default_factory=dict)
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    pulls_only: bool = True

    def joints(self) -> tuple[str, ...]:
        """The joints it runs over."""
        return tuple(self.arms)

    def rows(self, layout) -> list[Row]:
        """One kernel element; joints that it does not run over stay empty."""
        places, arms = run_over(self, layout, self.arms, TENDON_JOINTS, "a tendon")
        numbers = [*held(self.stiffness), *held(self.rest), float(self.damping)]
        return [([len(self.arms), int(self.pulls_only), *places], [*numbers, *arms])]


@function
def law(model, motion, t, i, p):
    """Length, tension, stiffness and damping."""
    stiffness, _ = ramped(model, motion, p, t)
    rest, drift = ramped(model, motion, p + RAMP, t)
    damping = load(model.params, p + 2 * RAMP)
    length, rate = length_of(model, motion, model.indices[i], i + PLACES, p + ARMS)
    tension = stiffness * (length - rest) + damping * rate
    if model.indices[i + 1]:
        zero = constant(tension, 0.0)
        taut = where_positive(length - rest, where_positive(tension, constant(tension, 1.0), zero), zero)
        return length, tension * taut, stiffness * taut, damping * taut, rate, drift
    return length, tension, stiffness, damping, rate, drift


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Each joint feels the tension by its moment arm [N·m or N]."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        _, tension, stiffness, damping, rate, drift = law(model, motion, t, i, p)
        joints, slip = model.indices[i], rate - drift
        pull_joints(model, motion, h, joints, i + PLACES, p + ARMS, tension, stiffness, damping, slip)
        if line >= 0:
            add_to(motion.zrate, line, -tension * rate)


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy of the tendons [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        length = law(model, motion, t, i, p)[0]
        x = length - ramped(model, motion, p + RAMP, t)[0]
        if model.indices[i + 1]:
            x = maximum(x, constant(x, 0.0))
        total = total + ramped(model, motion, p, t)[0] * x * x * constant(x, 0.5)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Length [m] and tension [N] of each tendon."""
    for k in range(count):
        found = law(model, motion, t, index + INDICES * k, param + PARAMETERS * k)
        store(out, first + 2 * k, found[0])
        store(out, first + 2 * k + 1, found[1])
