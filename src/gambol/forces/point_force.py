"""A force of given size at a point of a body, for a while, once or periodically."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gambol.dynamics.workspace import FRAME, SLOTS
from gambol.errors import Fault
from gambol.forces.element import Element, Row, layout_point
from gambol.forces.push import isotropic, point_of, push_point
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_mat3, load_vec3
from gambol.math.scalar import constant, floor, load, where_positive
from gambol.math.vector import dot

KIND, NAME, INDICES, PARAMETERS = 3, "point_force", 2, 9
FOREVER = 1e30


@dataclass(frozen=True, kw_only=True)
class PointForce(Element):
    """`force` [N] at `point` [m, body frame] of `body`, from `start` for `duration`, again every `period` [s].

    The force is in world axes, or in the body's with axes="body". period = 0: once.
    """

    body: str
    force: tuple[float, float, float]
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    start: float = 0.0
    duration: float = math.inf
    period: float = 0.0
    axes: str = "world"

    def carried(self, body, there):
        turned = replace(self, force=there.turn(self.force)) if self.axes == "body" else self
        return super(PointForce, turned).carried(body, there)

    def faults(self) -> Iterator[Fault]:
        for fault in super().faults():
            if not fault.message.startswith("duration must be finite"):
                yield fault
        if self.axes not in ("world", "body"):
            yield Fault(f"axes must be 'world' or 'body', not {self.axes!r}", self.where)
        if 0 < self.period < self.duration < math.inf:
            yield Fault(f"duration {self.duration:g} s is longer than the period {self.period:g} s", self.where)

    def rows(self, layout) -> list[Row]:
        link, point = layout_point(layout, self.body, self.point)
        force = [float(x) for x in self.force]
        if self.axes == "body":
            force = layout_point(layout, self.body, self.force)[1]
        duration = min(float(self.duration), FOREVER)
        return [([link, int(self.axes == "body")], [*point, *force, float(self.start), duration, float(self.period)])]


Description = PointForce


@function
def gate(model, t, p):
    """1 while the force is on, else 0."""
    start, duration, period = load(model.params, p + 6), load(model.params, p + 7), load(model.params, p + 8)
    one, zero = constant(t, 1.0), constant(t, 0.0)
    since = t - start
    cycle = where_positive(period, period, one)
    since = where_positive(period, since - floor(since / cycle) * cycle, since)
    begun = where_positive(start - t, zero, one)
    return where_positive(duration - since, begun, zero)


@outlined
def apply(model, motion, t, h, index, param, count, line):
    for k in range(count):
        i, p = model.indices[index + 2 * k], param + 9 * k
        force = load_vec3(model.params, p + 3) * gate(model, t, p)
        if model.indices[index + 2 * k + 1]:
            force = load_mat3(motion.work, i * SLOTS + FRAME) @ force
        r, _, speed = point_of(motion, i, load_vec3(model.params, p))
        none = isotropic(constant(speed.x, 0.0))
        push_point(model, motion, h, i, r, speed, force, none, none)
        if line >= 0:
            add_to(motion.zrate, line, dot(force, speed))


@outlined
def energy(model, motion, t, index, param, count):
    return constant(load(motion.work, 0), 0.0)
