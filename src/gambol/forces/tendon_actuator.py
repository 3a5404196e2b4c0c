"""An ideal motor that pulls on a tendon over several joints, as an Actuator does at one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gambol.errors import Fault
from gambol.forces.element import FOREVER, Element, Row, bounded
from gambol.forces.factories import Parameters
from gambol.forces.moment_arms import length_of, pull_joints, run_over
from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import constant, load, maximum, minimum, store, where_positive

MOST_TRANSMISSIONS = 12  # joints
ENDS = MOST_TRANSMISSIONS
GIVEN = Parameters(
    ("command", "rest", "speed", "stiffness", "damping", "least", "most"), ramps=("command", "rest", "speed")
)
read, NUMBERS, RAMPS, ARMS = GIVEN.read, GIVEN.numbers, GIVEN.ramps, GIVEN.size
INDICES, PARAMETERS = 2 * MOST_TRANSMISSIONS + 1, GIVEN.size + MOST_TRANSMISSIONS
REPORTS = ("length", "force")


@dataclass(frozen=True, kw_only=True)
class TendonActuator(Element):
    """force = command + stiffness (rest - length) + damping (speed - rate), within `least` … `most` [N].

    arms   moment arm [m] of each joint (of its first coordinate), at most twelve; length = Σ arm q [m]
    command [N], stiffness [N/m], rest [m], damping [N·s/m], speed [m/s]; command, rest and speed can be ramped. Each
    joint feels arm · force.
    """

    arms: Mapping[str, float] = field(default_factory=dict)
    command: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    speed: float = 0.0
    least: float = -math.inf
    most: float = math.inf

    unbounded = ("least", "most")

    def joints(self) -> tuple[str, ...]:
        """The joints it runs over."""
        return tuple(self.arms)

    def faults(self) -> Iterator[Fault]:
        """Also: there must be a force that it may give."""
        yield from super().faults()
        if self.least > self.most:
            yield Fault(f"the least force {self.least:g} is above the most {self.most:g}", self.where)

    def rows(self, layout) -> list[Row]:
        """One kernel element; joints that it does not run over stay empty."""
        places, arms = run_over(self, layout, self.arms, MOST_TRANSMISSIONS, "a tendon actuator")
        numbers = self.law_numbers(least=max(self.least, -FOREVER), most=bounded(self.most))
        return [([len(self.arms), *places], [*numbers[:ARMS], *arms])]


@function
def look(model, motion, t, i, p):
    """Length, force, stiffness, damping, rate of the length, and of the rest."""
    drift, values = read(model, motion, t, p)
    command, rest, speed, stiffness, damping, least, most = values
    length, rate = length_of(model, motion, model.indices[i], i + 1, p + ARMS)
    asked = command + stiffness * (rest - length) + damping * (speed - rate)
    zero, one = constant(asked, 0.0), constant(asked, 1.0)
    free = where_positive(most - asked, where_positive(asked - least, one, zero), zero)
    return length, maximum(minimum(asked, most), least), stiffness * free, damping * free, rate, drift


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Each joint feels the force by its moment arm [N·m or N]."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        _, force, stiffness, damping, rate, drift = look(model, motion, t, i, p)
        joints, slip = model.indices[i], rate - drift
        pull_joints(model, motion, h, joints, i + 1, p + ARMS, -force, stiffness, damping, slip)
        if line >= 0:
            add_to(motion.zrate, line, force * rate)


@outlined
def energy(model, motion, t, index, param, count):
    """Its energy comes from nowhere [J]."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Length [m] and force [N] of each."""
    for k in range(count):
        found = look(model, motion, t, index + INDICES * k, param + PARAMETERS * k)
        store(out, first + 2 * k, found[0])
        store(out, first + 2 * k + 1, found[1])
