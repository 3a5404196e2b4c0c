"""An ideal motor at a joint: a force as commanded, a servo to a position or to a speed, within what it can give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gambol.errors import Fault
from gambol.forces.element import FOREVER, JointElement, Row
from gambol.forces.factories import joint_kernel
from gambol.math.scalar import constant, maximum, minimum, where_positive


def law(q, v, t, command, rest, speed, stiffness, damping, least, most):
    """Force, stiffness, damping, energy. What is held back by a limit answers neither to position nor to speed."""
    asked = command + stiffness * (rest - q) + damping * (speed - v)
    zero, one = constant(asked, 0.0), constant(asked, 1.0)
    free = where_positive(most - asked, where_positive(asked - least, one, zero), zero)
    return maximum(minimum(asked, most), least), stiffness * free, damping * free, zero


@dataclass(frozen=True, kw_only=True)
class Actuator(JointElement):
    """force = command + stiffness (rest - q) + damping (speed - v), within `least` … `most` [N·m or N].

    command [N·m or N], stiffness [N·m/rad or N/m], rest [rad or m], damping [N·m·s/rad or N·s/m], speed [rad/s or m/s];
    command, rest and speed can be ramped. It acts on one `coordinate` of the joint, counted from 0. Its energy comes
    from nowhere: a DCMotor knows of current and heat.
    """

    command: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    speed: float = 0.0
    least: float = -math.inf
    most: float = math.inf
    coordinate: int = 0

    unbounded = ("least", "most")
    kernel = joint_kernel(law, ramps=("command", "rest", "speed"))

    def faults(self) -> Iterator[Fault]:
        """Also: there must be a force that it may give."""
        yield from super().faults()
        if self.least > self.most:
            yield Fault(f"the least force {self.least:g} is above the most {self.most:g}", self.where)

    def rows(self, layout) -> list[Row]:
        """One kernel element."""
        found = self.coordinates(layout)
        if not 0 <= self.coordinate < len(found):
            raise self.fail(f"joint {self.joint!r} has {len(found)} coordinates; there is no number {self.coordinate}")
        return [(list(found[self.coordinate]), self.law_numbers(least=max(self.least, -FOREVER)))]
