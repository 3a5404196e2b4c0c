"""The farthest point of a solid's core in a direction, and of the difference of two cores."""

from typing import NamedTuple

import numpy as np

from gambol.forces.contact.convex.solids import (
    BLOCK_CORE,
    CONE_CORE,
    CORE_AXES,
    CORE_CENTRE,
    CORE_CORNERS,
    CORE_FIRST,
    CORE_KIND,
    CORE_LESS,
    CORE_SIZES,
    CYLINDER_CORE,
    ROUND_CORE,
)
from gambol.jit import function, outlined
from gambol.math.scalar import sqrt
from gambol.math.vector import Mat3, Vec3, dot, transposed_times

TINY = 1e-300


class Pose(NamedTuple):
    """Where a solid is: its axes in the world, its centre from a common origin; and where its numbers begin."""

    axes: Mat3
    centre: Vec3
    first: int


@function
def read_vec3(table, k):
    """Three numbers of a table."""
    return Vec3(np.float64(table[k]), np.float64(table[k + 1]), np.float64(table[k + 2]))


@function
def write_vec3(room, k, v):
    """Three numbers into a table."""
    room[k], room[k + 1], room[k + 2] = v.x, v.y, v.z


@function
def pose_of(table, first, frame, place):
    """The pose of a solid whose body has this frame and place."""
    axes = Mat3(
        read_vec3(table, first + CORE_AXES),
        read_vec3(table, first + CORE_AXES + 3),
        read_vec3(table, first + CORE_AXES + 6),
    )
    turned = Mat3(frame @ axes.x, frame @ axes.y, frame @ axes.z)
    return Pose(turned, place + frame @ read_vec3(table, first + CORE_CENTRE), first)


@function
def with_sign(x, size):
    """size with the sign of x."""
    return size if x >= 0.0 else -size


@outlined
def core_support(table, pose, direction):
    """The point of a core that is farthest in a direction (world axes, of any length)."""
    s = pose.first
    kind, size = int(table[s + CORE_KIND]), read_vec3(table, s + CORE_SIZES)
    d = transposed_times(pose.axes, direction)
    found = Vec3(0.0, 0.0, 0.0)
    if kind == BLOCK_CORE:
        found = Vec3(with_sign(d.x, size.x), with_sign(d.y, size.y), with_sign(d.z, size.z))
    elif kind == ROUND_CORE:
        bent = Vec3(size.x * d.x, size.y * d.y, size.z * d.z)
        scale = 1.0 / sqrt(dot(bent, bent) + TINY)
        less = np.float64(table[s + CORE_LESS]) / sqrt(dot(d, d) + TINY)
        found = Vec3(
            (size.x * bent.x) * scale - less * d.x,
            (size.y * bent.y) * scale - less * d.y,
            (size.z * bent.z) * scale - less * d.z,
        )
    elif kind == CYLINDER_CORE or kind == CONE_CORE:
        across = sqrt(d.x * d.x + d.y * d.y)
        scale = size.x / across if across > 1e-14 * (abs(d.z) + TINY) else 0.0
        if kind == CYLINDER_CORE:
            found = Vec3(d.x * scale, d.y * scale, with_sign(d.z, size.y))
        elif size.x * across + size.y * d.z > size.z * d.z:
            found = Vec3(d.x * scale, d.y * scale, size.y)
        else:
            found = Vec3(0.0, 0.0, size.z)
    else:
        best = -1e300
        at = s + CORE_FIRST
        for k in range(int(table[s + CORE_CORNERS])):
            p = s + CORE_FIRST + 3 * k
            far = np.float64(table[p]) * d.x + np.float64(table[p + 1]) * d.y + np.float64(table[p + 2]) * d.z
            if far > best:
                best, at = far, p
        found = read_vec3(table, at)
    return pose.centre + pose.axes @ found


@function
def difference_support(table, one, two, direction):
    """Farthest point of {a - b} in a direction, and its a."""
    a = core_support(table, one, direction)
    return a - core_support(table, two, -direction), a
