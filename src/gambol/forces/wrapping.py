"""The shortest way from one point to another around a sphere or a cylinder: plain numbers, one world at a time.

Both are a circle in a plane: that of the points and the centre for a sphere, the one across its axis for a cylinder.
The way is a tangent, an arc and a tangent; along a cylinder's axis it climbs evenly. With a side point it is the
shortest that turns about the centre as the way by that point does, so it may go round even where the straight line is
clear; a side point inside the circle keeps the way inside, where it touches in one point. The rules are MuJoCo 4's.
"""

import math
from typing import NamedTuple

from gambol.jit import function
from gambol.math.vector import Vec3, cross, dot

TINY = 1e-15
ROUNDS = 30  # of Newton's method
CLOSE = 1e-12  # [rad]
NO_SIDE, OUTSIDE, INSIDE = 0, 1, 2  # where the side point is


class Arc(NamedTuple):
    """The arc between two tangents in the plane: its ends and its length [m]; a negative length: none."""

    ax: float
    ay: float
    bx: float
    by: float
    length: float


class Way(NamedTuple):
    """Where the way touches first and last [m, frame of the solid], and the length [m] between; negative: nowhere."""

    first: Vec3
    last: Vec3
    length: float


@function
def no_arc():
    return Arc(0.0, 0.0, 0.0, 0.0, -1.0)


@function
def turned(ax, ay, bx, by):
    """Angle from a to b about the origin [rad], the shorter way."""
    return math.atan2(ax * by - ay * bx, ax * bx + ay * by)


@function
def outer_arc(ax, ay, bx, by, radius, side, sx, sy):
    """Around the outside, from a to b; by way of (sx, sy) where `side` says that there is such a point."""
    a, b = math.hypot(ax, ay), math.hypot(bx, by)
    if a < radius or b < radius or radius < TINY:
        return no_arc()
    angle = turned(ax, ay, bx, by) if side == NO_SIDE else turned(ax, ay, sx, sy) + turned(sx, sy, bx, by)
    sense = 1.0 if angle > 0.0 else -1.0
    after, before = math.acos(radius / a), math.acos(radius / b)
    arc = abs(angle) - after - before
    if arc <= 0.0:
        return no_arc()
    begin, end = math.atan2(ay, ax) + sense * after, math.atan2(by, bx) - sense * before
    x, y, u, v = math.cos(begin), math.sin(begin), math.cos(end), math.sin(end)
    return Arc(radius * x, radius * y, radius * u, radius * v, radius * arc)


@function
def bend(z, a, b, corner):
    """What is zero where the way inside a circle is shortest, and its slope."""
    value = math.asin(a * z) + math.asin(b * z) - 2.0 * math.asin(z) + corner
    az, bz = math.sqrt(max(1.0 - a * a * z * z, TINY)), math.sqrt(max(1.0 - b * b * z * z, TINY))
    return value, a / az + b / bz - 2.0 / math.sqrt(max(1.0 - z * z, TINY))


@function
def inner_arc(ax, ay, bx, by, radius):
    """Through the inside: the way touches the circle in one point."""
    a, b, dx, dy = math.hypot(ax, ay), math.hypot(bx, by), bx - ax, by - ay
    apart = dx * dx + dy * dy
    if a <= radius or b <= radius or radius < TINY:
        return no_arc()
    if apart > TINY:
        near = -(dx * ax + dy * ay) / apart
        if 0.0 < near < 1.0 and math.hypot(ax + near * dx, ay + near * dy) <= radius:
            return no_arc()
    corner = (a * a + b * b - apart) / (2.0 * a * b)
    if corner < -1.0 + TINY:
        return no_arc()
    mx, my = ax + bx, ay + by
    size = max(math.hypot(mx, my), TINY)
    middle = Arc(radius * mx / size, radius * my / size, radius * mx / size, radius * my / size, 0.0)
    if corner > 1.0 - TINY:
        return middle
    corner = math.acos(corner)
    short, long, z = radius / a, radius / b, 1.0 - 1e-7
    value, slope = bend(z, short, long, corner)
    if value > 0.0:
        return middle
    rounds = 0
    while abs(value) > CLOSE and rounds < ROUNDS:
        before = z
        z = max(z - value / slope, 0.0) if slope < -TINY else z
        if z >= before:
            rounds = ROUNDS
        else:
            value, slope = bend(z, short, long, corner)
            rounds += 1
    if abs(value) > 1e-6:
        return middle
    if ax * by - ay * bx > 0.0:
        x, y, angle = ax / a, ay / a, math.asin(z) - math.asin(short * z)
    else:
        x, y, angle = bx / b, by / b, math.asin(z) - math.asin(long * z)
    s, c = math.sin(angle), math.cos(angle)
    x, y = radius * (c * x - s * y), radius * (s * x + c * y)
    return Arc(x, y, x, y, 0.0)


@function
def scaled(v, factor):
    return Vec3(v.x * factor, v.y * factor, v.z * factor)


@function
def plane_of(a, b, round_axis):
    """Two axes of the plane in which the circle lies: across the z axis, or through both points and the centre."""
    if round_axis:
        return Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)
    one = scaled(a, 1.0 / math.sqrt(dot(a, a)))
    normal = cross(a, b)
    size = math.sqrt(dot(normal, normal))
    if size < TINY:
        most = max(abs(one.x), abs(one.y), abs(one.z))
        other = Vec3(0.0, 1.0, 1.0) if abs(one.x) == most else Vec3(1.0, 1.0, 0.0)
        if abs(one.y) == most and abs(one.x) != most:
            other = Vec3(1.0, 0.0, 1.0)
        normal = cross(one, other)
        size = math.sqrt(dot(normal, normal))
    return one, cross(scaled(normal, 1.0 / size), one)


@function
def way_around(a, b, radius, round_axis, side, s):
    """The way from a to b [m, frame of the solid] around a sphere, or a cylinder along z, by way of the point s."""
    nowhere = Vec3(0.0, 0.0, 0.0)
    if dot(a, a) < TINY or dot(b, b) < TINY:
        return Way(nowhere, nowhere, -1.0)
    one, two = plane_of(a, b, round_axis)
    ax, ay, bx, by = dot(a, one), dot(a, two), dot(b, one), dot(b, two)
    if side == INSIDE:
        arc = inner_arc(ax, ay, bx, by, radius)
    else:
        arc = outer_arc(ax, ay, bx, by, radius, side, dot(s, one), dot(s, two))
    if arc.length < 0.0:
        return Way(nowhere, nowhere, -1.0)
    first = scaled(one, arc.ax) + scaled(two, arc.ay)
    last = scaled(one, arc.bx) + scaled(two, arc.by)
    length = arc.length
    if round_axis:
        before, after = math.hypot(ax - arc.ax, ay - arc.ay), math.hypot(bx - arc.bx, by - arc.by)
        climb = (b.z - a.z) / max(before + length + after, TINY)
        first = Vec3(first.x, first.y, a.z + climb * before)
        last = Vec3(last.x, last.y, a.z + climb * (before + length))
        length = math.hypot(length, last.z - first.z)
    return Way(first, last, length)
