"""A muscle that runs over a pulley: straight, round a cylinder fixed to a body, and straight again.

Seen along the pulley's axis the line is two tangents and an arc; along the axis it climbs evenly, as the shortest line
on a cylinder does. Where the straight line clears the pulley it is straight. The arc may be up to half a turn.
Tension as that of a Muscle with a linear spring: activation · stiffness · (length - rest) + damping · rate, pulling
only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.dynamics.workspace import FRAME, OMEGA, SLOTS
from gambol.errors import Fault
from gambol.forces.element import Element, Row, layout_point
from gambol.forces.push import begin_tension, bias_of, point_of, push_end
from gambol.forces.ramp import RAMP, held, ramped
from gambol.jit import function, outlined
from gambol.math.memory import add_to, load_mat3, load_vec3
from gambol.math.scalar import any_positive, arctan, constant, load, maximum, sqrt, store, where_positive
from gambol.math.vector import Vec3, cross, dot

RADIUS, STIFFNESS, DAMPING, POINTS = 2 * RAMP, 2 * RAMP + 1, 2 * RAMP + 2, 2 * RAMP + 3
ENDS = 4
INDICES, PARAMETERS = 3, POINTS + 12
RAMPS = {"activation": 0, "rest": RAMP}
NUMBERS = {"radius": RADIUS, "stiffness": STIFFNESS, "damping": DAMPING}
REPORTS = ("length", "tension", "arc")


@dataclass(frozen=True, kw_only=True)
class Pulley(Element):
    """A muscle from `point` of `body` over a pulley to `other_point` of `other`.

    The pulley is a cylinder of `radius` [m] fixed to the body `pulley`, about `axis` through `centre` [m, its frame];
    the line goes round it in the sense of the axis (right-hand rule) on its way from the first point to the second.
    stiffness [N/m], damping [N·s/m], rest [m], activation (a factor).
    """

    body: str
    point: tuple[float, float, float]
    other: str
    other_point: tuple[float, float, float]
    pulley: str
    centre: tuple[float, float, float]
    axis: tuple[float, float, float]
    radius: float
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    activation: float = 1.0

    ends = (("body", "point"), ("other", "other_point"), ("pulley", "centre"))

    def carried(self, welded, parent, there):
        """Also turns the axis of a pulley on a welded body."""
        turned = replace(self, axis=there.turn(self.axis)) if welded(self.pulley) else self
        return super(Pulley, turned).carried(welded, parent, there)

    def faults(self) -> Iterator[Fault]:
        """Also: radius and axis must not be zero."""
        yield from super().faults()
        if not self.radius > 0:
            yield Fault(f"radius must be positive, it is {self.radius}", self.where)
        if not np.linalg.norm(self.axis) > 0:
            yield Fault("the axis must not be zero", self.where)

    def turn(self, mechanics, q) -> float:
        """[rad] that it runs round the pulley at positions q, from -π to π; below zero it is straight."""
        place = lambda body, at: mechanics.point(q, body, at) if body else np.asarray(at, float)
        frame = mechanics.frames(q)[mechanics.layout.body(self.pulley).name] if self.pulley else np.eye(3)
        axis = frame @ (np.asarray(self.axis, float) / np.linalg.norm(self.axis))
        hub, touches = place(self.pulley, self.centre), []
        for (body, at), sense in (((self.body, self.point), -1.0), ((self.other, self.other_point), 1.0)):
            flat = place(body, at) - hub
            flat = flat - axis * (axis @ flat)
            reach = np.sqrt(max(flat @ flat - self.radius**2, 1e-18))
            side = np.cross(axis, flat) * (reach * sense)
            touches.append((flat * self.radius - side) * (self.radius / (flat @ flat)))
        return float(np.arctan2(axis @ np.cross(*touches), np.dot(*touches)))

    def rows(self, layout) -> list[Row]:
        """One kernel element: both ends, the pulley's centre and axis."""
        axis = np.asarray(self.axis, float) / np.linalg.norm(self.axis)
        link, point = layout_point(layout, self.body, self.point)
        other, other_point = layout_point(layout, self.other, self.other_point)
        pulley, centre = layout_point(layout, self.pulley, self.centre)
        _, turned = layout_point(layout, self.pulley, tuple(axis))
        numbers = [*held(self.activation), *held(self.rest), self.radius, self.stiffness, self.damping]
        params = [*(float(x) for x in numbers), *point, *other_point, *centre, *turned]
        return [([link, other, pulley], params)]


class Course(NamedTuple):
    """The line at a moment: length, arc, where it leaves for and arrives from the pulley, and unit pulls."""

    length: float
    rate: float
    arc: float
    first: Vec3  # pull on the first point
    second: Vec3  # … and on the second
    leaves: Vec3  # arms of the tangent points from the pulley body's origin
    arrives: Vec3


@function
def tangent(flat, radius, axis, sense):
    """From a point `flat` of the plane (seen from the pulley's centre): its tangent's length and where it touches.

    `sense` 1: the line goes to the pulley, -1: it comes from it.
    """
    square = dot(flat, flat)
    reach = sqrt(maximum(square - radius * radius, constant(square, 1e-18)))
    side = cross(axis, flat) * (radius * reach / square * sense)
    return reach, flat * (radius * radius / square) - side


@function
def course(model, motion, i, p):
    """The way of the tendon round the pulley (Course), and where the pulley is."""
    params = model.params
    body, other, pulley = model.indices[i], model.indices[i + 1], model.indices[i + 2]
    _, a, va = point_of(motion, body, load_vec3(params, p + POINTS))
    _, b, vb = point_of(motion, other, load_vec3(params, p + POINTS + 3))
    r, centre, speed = point_of(motion, pulley, load_vec3(params, p + POINTS + 6))
    axis = load_mat3(motion.work, pulley * SLOTS + FRAME) @ load_vec3(params, p + POINTS + 9)
    radius = load(params, p + RADIUS)
    one, zero, tiny = constant(radius, 1.0), constant(radius, 0.0), constant(radius, 1e-18)
    climb = dot(axis, b - a)
    fa = a - centre - axis * dot(axis, a - centre)
    fb = b - centre - axis * dot(axis, b - centre)
    la, ta = tangent(fa, radius, axis, -one)
    lb, tb = tangent(fb, radius, axis, one)
    turn = constant(radius, 2.0) * arctan(dot(axis, cross(ta, tb)) / (dot(ta, tb) + radius * radius + tiny))
    wraps = where_positive(turn, one, zero)
    straight = fb - fa
    flat = where_positive(turn, la + lb + radius * turn, sqrt(dot(straight, straight) + tiny))
    length = sqrt(flat * flat + climb * climb)
    lean = flat / length
    bare = straight * (one - wraps)
    first = ((ta - fa) * wraps + bare) * (one / where_positive(turn, la, flat)) * lean + axis * (climb / length)
    second = ((tb - fb) * wraps - bare) * (one / where_positive(turn, lb, flat)) * lean - axis * (climb / length)
    # the pulley's own motion lengthens the line where it presses on it
    omega = load_vec3(motion.work, pulley * SLOTS + OMEGA)
    origin = centre - r
    leaves, arrives = a + first * (la / lean) - origin, b + second * (lb / lean) - origin
    press = -(first + second) * wraps
    turning = cross(leaves, -first) + cross(arrives, -second)
    moved = dot(press, speed - cross(omega, r)) + dot(turning, omega) * wraps
    rate = -(dot(first, va) + dot(second, vb) + moved)
    return Course(length, rate, radius * turn * wraps, first, second, leaves, arrives), wraps


@function
def tension(model, motion, t, p, line):
    """Tension, stiffness and damping."""
    active, _ = ramped(model, motion, p, t)
    rest, drift = ramped(model, motion, p + RAMP, t)
    one, zero = constant(rest, 1.0), constant(rest, 0.0)
    x = line.length - rest
    k, b = active * load(model.params, p + STIFFNESS), load(model.params, p + DAMPING)
    pull = k * x + b * line.rate
    taut = where_positive(x, where_positive(pull, one, zero), zero)
    return pull * taut, k * taut, b * taut, drift


@function
def end_of(model, motion, i, p, way, wraps, end):
    """Body, arm and pull for a unit of tension at each place where the line acts: its ends, and the pulley at both."""
    u = way.first if end % 2 == 0 else way.second
    if end < 2:
        body = model.indices[i + end]
        return body, load_mat3(motion.work, body * SLOTS + FRAME) @ load_vec3(model.params, p + POINTS + 3 * end), u
    return model.indices[i + 2], way.leaves if end == 2 else way.arrives, -u * wraps


@outlined
def apply(model, motion, t, h, index, param, count, line):
    """Pulls its ends, and presses on the pulley [N]."""
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        way, wraps = course(model, motion, i, p)
        pull, stiffness, damping, drift = tension(model, motion, t, p, way)
        soon, root = begin_tension(motion, h, pull, stiffness, damping, way.rate - drift)
        if any_positive(root):
            for end in range(ENDS):
                body, r, u = end_of(model, motion, i, p, way, wraps, end)
                soon = soon - root * root * dot(u, bias_of(model, motion, body, r))
        for end in range(ENDS):
            body, r, u = end_of(model, motion, i, p, way, wraps, end)
            push_end(model, motion, body, r, u, soon, root)
        if line >= 0:
            add_to(motion.zrate, line, -pull * way.rate)


@outlined
def energy(model, motion, t, index, param, count):
    """Elastic energy of tendons that are stretched [J]."""
    total = constant(load(motion.work, 0), 0.0)
    for k in range(count):
        i, p = index + INDICES * k, param + PARAMETERS * k
        way, _ = course(model, motion, i, p)
        x = maximum(way.length - ramped(model, motion, p + RAMP, t)[0], constant(way.length, 0.0))
        active, _ = ramped(model, motion, p, t)
        total = total + active * load(model.params, p + STIFFNESS) * x * x * constant(x, 0.5)
    return total


@outlined
def report(model, motion, t, index, param, count, out, first):
    """Length [m], tension [N] and arc on the pulley [rad]."""
    for k in range(count):
        p = param + PARAMETERS * k
        way, _ = course(model, motion, index + INDICES * k, p)
        store(out, first + 3 * k, way.length)
        store(out, first + 3 * k + 1, tension(model, motion, t, p, way)[0])
        store(out, first + 3 * k + 2, way.arc)
