"""A scripted force or torque on a body: how much, where, when, and on what condition."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gambol.dynamics.workspace import FORCE, FRAME, LOCATED, OMEGA, PLACE, SLOTS
from gambol.errors import Fault, nearest
from gambol.forces.element import FOREVER, Element, Row, bounded, layout_point
from gambol.forces.push import isotropic, point_of, push_point
from gambol.jit import function, outlined
from gambol.math.memory import add_spatial, add_to, load_mat3, load_vec3, store_vec3
from gambol.math.scalar import constant, floor, load, maximum, minimum, sincos, where_positive
from gambol.math.spatial import Spatial
from gambol.math.vector import dot, zero3

INDICES, PARAMETERS = 5, 16
FORCE_AT, TORQUE_AT, START, DURATION, PERIOD, VALUE, SENSE, SIZE, ON = 3, 6, 9, 10, 11, 12, 13, 14, 15
SWITCH = ON  # set by `switched` whenever a run goes on; no step passes a time at which it changes
NUMBERS = {
    "force_x": 3,
    "force_y": 4,
    "force_z": 5,
    "torque_x": 6,
    "torque_y": 7,
    "torque_z": 8,
    "start": START,
    "duration": DURATION,
    "period": PERIOD,
    "size": SIZE,
}
RAMPS: dict[str, int] = {}
REPORTS = ("force_x", "force_y", "force_z")
SHAPES = ("constant", "spike")
WATCHES = ("always", "position", "speed", "height")
ALWAYS, POSITION, SPEED, HEIGHT = range(4)


@dataclass(frozen=True, kw_only=True)
class ForceCondition:
    """Holds while a quantity is above or below a value.

    watch   "position" or "speed" of coordinate `coordinate` of the joint of `body`, or "height" of its origin
    """

    watch: str
    body: str
    above: float | None = None
    below: float | None = None
    coordinate: int = 0


@dataclass(frozen=True, kw_only=True)
class PointForce(Element):
    """`force` [N] at `point` [m, body frame] and `torque` [N·m], from `start` for `duration`, again every `period` [s].

    axes     "world", or "body" for a force and torque that turn with the body
    shape    "constant", or "spike": a half sine over the duration with the same impulse
    when     a ForceCondition without which it does not act
    period = 0: once.
    """

    body: str
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    torque: tuple[float, float, float] = (0.0, 0.0, 0.0)
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    start: float = 0.0
    duration: float = math.inf
    period: float = 0.0
    axes: str = "world"
    shape: str = "constant"
    when: ForceCondition | None = None

    unbounded = ("duration",)

    @classmethod
    def impulse(cls, impulse, *, start: float, duration: float, **options) -> PointForce:
        """A spike that gives `impulse` [N·s] over `duration` [s]."""
        x, y, z = (float(part) / duration for part in impulse)
        return cls(force=(x, y, z), start=start, duration=duration, shape="spike", **options)

    def carried(self, welded, parent, there):
        """Also turns a force that is given in axes of a welded body."""
        turned = self
        if self.axes == "body" and welded(self.body):
            turned = replace(self, force=there.turn(self.force), torque=there.turn(self.torque))
        return super(PointForce, turned).carried(welded, parent, there)

    def faults(self) -> Iterator[Fault]:
        """Also: axes, shape, times and condition must fit together."""
        yield from super().faults()
        if self.axes not in ("world", "body"):
            yield Fault(f"axes must be 'world' or 'body', not {self.axes!r}", self.where)
        if self.shape not in SHAPES:
            yield Fault(f"no shape {self.shape!r}{nearest(self.shape, SHAPES)}", self.where)
        if self.shape == "spike" and math.isinf(self.duration):
            yield Fault("a spike needs a duration", self.where)
        if 0 < self.period < self.duration < math.inf:
            yield Fault(f"duration {self.duration:g} s is longer than the period {self.period:g} s", self.where)
        if self.when is not None and (self.when.above is None) == (self.when.below is None):
            yield Fault("a condition has either `above` or `below`", self.where)
        if self.when is not None and self.when.watch not in WATCHES[1:]:
            yield Fault(f"cannot watch {self.when.watch!r}{nearest(self.when.watch, WATCHES[1:])}", self.where)

    def rows(self, layout) -> list[Row]:
        """One kernel element; a force that turns with its body is given in its axes."""
        link, point = layout_point(layout, self.body, self.point)
        force, torque = [float(x) for x in self.force], [float(x) for x in self.torque]
        if self.axes == "body":
            force, torque = (layout_point(layout, self.body, v)[1] for v in (self.force, self.torque))
        watch, index, value, sense = self._condition(layout)
        times = [float(self.start), bounded(self.duration), float(self.period)]
        indices = [link, int(self.axes == "body"), SHAPES.index(self.shape), watch, index]
        return [(indices, [*point, *force, *torque, *times, value, sense, 1.0, 0.0])]

    def _condition(self, layout) -> tuple[int, int, float, float]:
        when = self.when
        if when is None:
            return ALWAYS, 0, 0.0, 0.0
        watch, entry = WATCHES.index(when.watch), layout.body(when.body)
        value, sense = (when.above, 1.0) if when.above is not None else (when.below, -1.0)
        if watch == HEIGHT:
            return watch, entry.link, float(value or 0.0), sense
        places = entry.positions if watch == POSITION else entry.speeds
        if not 0 <= when.coordinate < len(places):
            raise self.fail(f"{when.body!r} has {len(places)} coordinates; there is no number {when.coordinate}")
        return watch, places[when.coordinate], float(value or 0.0), sense


def switched(numbers: np.ndarray, time: np.ndarray, rounding: float) -> tuple[np.ndarray, np.ndarray]:
    """Is each force on at its time, and when does that change next [s]? The last axis of `numbers` holds parameters.

    `rounding` is the relative precision of the clock: a time that close to a change counts as past it.
    """
    start, duration, period = (numbers[..., k] for k in (START, DURATION, PERIOD))
    slack = 4.0 * rounding * np.maximum(np.abs(time), np.abs(start))
    cycle = np.where(period > 0, period, FOREVER)
    begin = start + np.maximum(np.floor((time - start + slack) / cycle), 0.0) * cycle
    changes = np.stack([begin, begin + duration, begin + cycle])
    ahead = np.where(changes > time + slack, changes, np.inf)
    on = (begin <= time + slack) & (ahead[1] < np.inf)
    return on.astype(float), np.min(np.where(ahead < 0.5 * FOREVER, ahead, np.inf), axis=0)


@function
def gate(model, motion, t, i, p):
    """How much of the force acts: 1 while it is on (a spike rises and falls), else 0."""
    params = model.params
    on, zero = load(params, p + ON), constant(t, 0.0)
    if model.indices[i + 2]:
        duration, period = load(params, p + DURATION), load(params, p + PERIOD)
        since = t - load(params, p + START)
        cycle = where_positive(period, period, constant(t, 1.0))
        since = where_positive(period, since - floor(since / cycle) * cycle, since)
        share = maximum(minimum(since / duration, constant(t, 1.0)), zero)
        on = on * sincos(share * constant(t, math.pi))[0] * constant(t, 0.5 * math.pi)
    watch, index = model.indices[i + 3], model.indices[i + 4]
    if watch != ALWAYS:
        x = constant(t, 0.0)
        if watch == POSITION:
            x = x + load(motion.q, index)
        elif watch == SPEED:
            x = x + load(motion.v, index)
        else:
            x = x + load(motion.located, index * LOCATED + PLACE + 2)
        on = where_positive((x - load(params, p + VALUE)) * load(params, p + SENSE), on, zero)
    return on * load(params, p + SIZE)


@function
def force_and_torque(model, motion, t, i, p):
    """Force [N] and torque [N·m] now, world axes; zero while its gate is closed."""
    on = gate(model, motion, t, i, p)
    force, torque = load_vec3(model.params, p + FORCE_AT) * on, load_vec3(model.params, p + TORQUE_AT) * on
    if model.indices[i + 1]:
        frame = load_mat3(motion.work, model.indices[i] * SLOTS + FRAME)
        force, torque = frame @ force, frame @ torque
    return force, torque


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Adds force and torque of those that act now, world axes."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        body = model.indices[i]
        force, torque = force_and_torque(model, motion, t, i, p)
        r, _, speed = point_of(motion, body, load_vec3(model.params, p))
        none = isotropic(constant(speed.x, 0.0))
        push_point(model, motion, h, body, r, speed, force, none, none)
        add_spatial(motion.work, body * SLOTS + FORCE, Spatial(-torque, zero3(speed.x)))
        if line >= 0:
            omega = load_vec3(motion.work, body * SLOTS + OMEGA)
            add_to(motion.zrate, line, dot(force, speed) + dot(torque, omega))


@outlined
def energy(model, motion, t, index, param, count):
    """None: a given force stores nothing."""
    return constant(load(motion.work, 0), 0.0)


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Force [N, world]."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        store_vec3(out, first + 3 * k, force_and_torque(model, motion, t, i, p)[0])
