"""Where two solids touch: one normal, and up to eight points of what faces each other, each with its own depth.

Of each core the face, edge or corner that faces the other is taken: faces and edges that lean by up to LEAN count, and
depth is measured at every point, so what leans away carries nothing. Seen along the normal, one is cut by the other's
outline; the corners of what is left carry. A corner counts less next to another that carries too, so that two that run
together count as one, and all together count no more than four points: nothing jumps when faces turn over one another.
"""

from typing import NamedTuple

import numpy as np

from gambol.forces.contact.convex.distance import SIMPLEX, nearest
from gambol.forces.contact.convex.penetration import POLYTOPE, any_across, way_out
from gambol.forces.contact.convex.solids import (
    BLOCK_CORE,
    CONE_CORE,
    CONTACTS,
    CORE_CORNERS,
    CORE_FACES,
    CORE_FIRST,
    CORE_KIND,
    CORE_RADIUS,
    CORE_SIZES,
    CYLINDER_CORE,
    FACE_MOST,
    HULL_CORE,
    ROUND_CORE,
)
from gambol.forces.contact.convex.support import TINY, Pose, core_support, pose_of, read_vec3, write_vec3
from gambol.jit import entry, function, outlined
from gambol.math.scalar import sqrt
from gambol.math.vector import Mat3, Vec3, cross, dot, transposed_times

LEAN = 0.2  # [rad] about: by how much what faces the other may lean
FLAT = 0.02  # slope up to which edges count as lying along one another
AROUND = 8  # points on the rim of a flat end
WHOLE = 4.0  # points that all together count for at most
CUT = 3 * (2 * FACE_MOST + 8)  # room for one outline
# What a look at two solids leaves in its room: how many points, then depth, how much it counts, place of each
FOUND, POINT = 1, 5
RESULT = FOUND + CONTACTS * POINT
OUTLINE_AT = RESULT
SECOND_AT, THIRD_AT, SEARCH_AT = OUTLINE_AT + CUT, OUTLINE_AT + 2 * CUT, OUTLINE_AT + 3 * CUT
MANIFOLD_ROOM = SEARCH_AT + max(SIMPLEX, POLYTOPE)


class Gap(NamedTuple):
    """The normal (out of the second solid), the distance along it (negative: depth), a point half-way between."""

    normal: Vec3
    distance: float
    place: Vec3


@function
def search(table, one, two, size, room):
    """Normal, distance of the cores, and a point of the first core that is nearest."""
    apart = nearest(table, one, two, size, room)
    if apart.overlap:
        out = way_out(table, one, two, size, room)
        return -out.normal, -out.depth, out.point
    far = sqrt(dot(apart.gap, apart.gap))
    return apart.gap * (1.0 / far), far, apart.point


@outlined
def gap_between(table, one, two, size, room):
    """How far apart two solids are: exact for what is rounded as it is."""
    normal, far, point = search(table, one, two, size, room[SEARCH_AT:])
    r, s = np.float64(table[one.first + CORE_RADIUS]), np.float64(table[two.first + CORE_RADIUS])
    distance = far - r - s
    return Gap(normal, distance, point - normal * (r + 0.5 * distance)), point


# ---------------------------------------------------------------- what faces the other
@function
def put(room, at, count, pose, x, y, z):
    """Enters a point of a solid's core (its own axes) in an outline."""
    write_vec3(room, at + 3 * count, pose.centre + pose.axes @ Vec3(x, y, z))
    return count + 1


@function
def block_outline(room, at, pose, size, d):
    """Corner, edge or face of a block: anticlockwise as seen from outside, or from wherever."""
    along_x, along_y, along_z = abs(d.x) < LEAN, abs(d.y) < LEAN, abs(d.z) < LEAN
    x = size.x if d.x >= 0.0 or along_x else -size.x  # in the same order whichever way it leans
    y = size.y if d.y >= 0.0 or along_y else -size.y
    z = size.z if d.z >= 0.0 or along_z else -size.z
    along_x, along_y, along_z = along_x and x != 0.0, along_y and y != 0.0, along_z and z != 0.0
    count = 0
    if along_x and along_y:
        count = put(room, at, count, pose, x, y, z)
        count = put(room, at, count, pose, -x, y, z)
        count = put(room, at, count, pose, -x, -y, z)
        count = put(room, at, count, pose, x, -y, z)
    elif along_x and along_z:
        count = put(room, at, count, pose, x, y, z)
        count = put(room, at, count, pose, -x, y, z)
        count = put(room, at, count, pose, -x, y, -z)
        count = put(room, at, count, pose, x, y, -z)
    elif along_y and along_z:
        count = put(room, at, count, pose, x, y, z)
        count = put(room, at, count, pose, x, -y, z)
        count = put(room, at, count, pose, x, -y, -z)
        count = put(room, at, count, pose, x, y, -z)
    else:
        count = put(room, at, count, pose, x, y, z)
        if along_x:
            count = put(room, at, count, pose, -x, y, z)
        elif along_y:
            count = put(room, at, count, pose, x, -y, z)
        elif along_z:
            count = put(room, at, count, pose, x, y, -z)
    return count


@function
def turned_outline(room, at, pose, kind, size, d):
    """Flat end, side or rim of a cylinder or a cone."""
    across = sqrt(d.x * d.x + d.y * d.y)
    cos, sin = (d.x / across, d.y / across) if across > 1e-12 else (1.0, 0.0)
    r, count = size.x, 0
    low, high = (size.y, size.z) if kind == CONE_CORE else (-size.y, size.y)
    flat = across < LEAN and (kind == CYLINDER_CORE or d.z < 0.0)
    if kind == CONE_CORE:
        slant = sqrt(r * r + (high - low) * (high - low)) + TINY
        lies = abs(across * r - d.z * (high - low)) < LEAN * slant and across > 0.0  # along its side
    else:
        lies = abs(d.z) < LEAN
    if flat:
        end = high if d.z >= 0.0 else low
        for k in range(AROUND):
            c, s = ROUNDABOUT[k, 0], ROUNDABOUT[k, 1]
            count = put(room, at, count, pose, r * (cos * c - sin * s), r * (sin * c + cos * s), end)
    elif lies:
        count = put(room, at, count, pose, r * cos, r * sin, low)
        top = 0.0 if kind == CONE_CORE else r
        count = put(room, at, count, pose, top * cos, top * sin, high)
    return count


ROUNDABOUT = np.array([(np.cos(2 * np.pi * k / AROUND), np.sin(2 * np.pi * k / AROUND)) for k in range(AROUND)])


@function
def hull_outline(table, room, at, pose, d):
    """Face, edge or corner of a hull."""
    s = pose.first
    corners = s + CORE_FIRST
    f = corners + 3 * int(table[s + CORE_CORNERS])
    best, face = -2.0, f
    for _ in range(int(table[s + CORE_FACES])):
        facing = dot(read_vec3(table, f), d)
        if facing > best:
            best, face = facing, f
        f += 4 + int(table[f + 3])
    count = 0
    if best > 1.0 - 0.5 * LEAN * LEAN:
        for k in range(int(table[face + 3])):
            p = corners + 3 * int(table[face + 4 + k])
            count = put(room, at, count, pose, np.float64(table[p]), np.float64(table[p + 1]), np.float64(table[p + 2]))
        return count
    tip, far = corners, -1e300
    for k in range(int(table[s + CORE_CORNERS])):
        x = dot(read_vec3(table, corners + 3 * k), d)
        if x > far:
            tip, far = corners + 3 * k, x
    here = read_vec3(table, tip)
    count = put(room, at, count, pose, here.x, here.y, here.z)
    slope, other = LEAN, -1  # the edge from there that leans least
    f = corners + 3 * int(table[s + CORE_CORNERS])
    for _ in range(int(table[s + CORE_FACES])):
        n = int(table[f + 3])
        for k in range(n):
            p, q = corners + 3 * int(table[f + 4 + k]), corners + 3 * int(table[f + 4 + (k + 1) % n])
            if p == tip or q == tip:
                end = q if p == tip else p
                line = read_vec3(table, end) - here
                lean = -dot(line, d) / sqrt(dot(line, line) + TINY)
                if lean < slope:
                    slope, other = lean, end
        f += 4 + n
    if other >= 0:
        there = read_vec3(table, other)
        count = put(room, at, count, pose, there.x, there.y, there.z)
    return count


@outlined
def outline(table, pose, direction, room, at):
    """Points of what faces a direction, in the room from `at` on; how many: 1 a corner, 2 an edge, more a face."""
    s = pose.first
    kind, size = int(table[s + CORE_KIND]), read_vec3(table, s + CORE_SIZES)
    d = transposed_times(pose.axes, direction)
    count = 0
    if kind == BLOCK_CORE:
        count = block_outline(room, at, pose, size, d)
    elif kind == HULL_CORE:
        count = hull_outline(table, room, at, pose, d)
    elif kind != ROUND_CORE:
        count = turned_outline(room, at, pose, kind, size, d)
    if count == 0:
        write_vec3(room, at, core_support(table, pose, direction))
        count = 1
    return count


# ---------------------------------------------------------------- cut by one another
@function
def flatten(room, at, count, u, v, n):
    """An outline as seen along the normal: across, across, height."""
    for k in range(count):
        x = read_vec3(room, at + 3 * k)
        write_vec3(room, at + 3 * k, Vec3(dot(x, u), dot(x, v), dot(x, n)))


@function
def copy_point(room, source, target):
    """A point from one place of the room to another."""
    room[target], room[target + 1], room[target + 2] = room[source], room[source + 1], room[source + 2]


@outlined
def cut(room, at, count, knife, sides, spare, slack):
    """An outline (2 points or more) cut by a convex one of three sides or more; how many points are left, and where.

    Heights are carried along. The knife may turn either way round.
    """
    area = 0.0
    for k in range(sides):
        p, q = knife + 3 * k, knife + 3 * ((k + 1) % sides)
        area += room[p] * room[q + 1] - room[q] * room[p + 1]
    sense = 1.0 if area >= 0.0 else -1.0
    source, target = at, spare
    for k in range(sides):
        p, q = knife + 3 * k, knife + 3 * ((k + 1) % sides)
        ex, ey = (room[q] - room[p]) * sense, (room[q + 1] - room[p + 1]) * sense
        long = sqrt(ex * ex + ey * ey)
        if long <= slack:
            continue
        kept = 0
        last = source + 3 * (count - 1)
        was = (ex * (room[last + 1] - room[p + 1]) - ey * (room[last] - room[p])) / long + slack
        for j in range(count):
            here = source + 3 * j
            now = (ex * (room[here + 1] - room[p + 1]) - ey * (room[here] - room[p])) / long + slack
            if (now >= 0.0) != (was >= 0.0) and kept < CUT // 3 - 1:
                share = was / (was - now)
                for c in range(3):
                    room[target + 3 * kept + c] = room[last + c] + share * (room[here + c] - room[last + c])
                kept += 1
            if now >= 0.0 and kept < CUT // 3 - 1:
                copy_point(room, here, target + 3 * kept)
                kept += 1
            last, was = here, now
        source, target, count = target, source, kept
        if count == 0:
            break
    return count, source


@function
def between(room, at, i, j):
    """Distance of two points of an outline, seen along the normal."""
    x, y = room[at + 3 * i] - room[at + 3 * j], room[at + 3 * i + 1] - room[at + 3 * j + 1]
    return sqrt(x * x + y * y)


@outlined
def thin_out(room, at, count, least):
    """Leaves out points that lie on others, and those that take least with them until CONTACTS are left."""
    k = 0
    while k < count and count > 1:
        if between(room, at, k, (k + 1) % count) <= least:
            for j in range(k, count - 1):
                copy_point(room, at + 3 * (j + 1), at + 3 * j)
            count -= 1
        else:
            k += 1
    while count > CONTACTS:
        smallest, which = 1e300, 0
        for k in range(count):
            i, j = at + 3 * ((k + count - 1) % count), at + 3 * ((k + 1) % count)
            p = at + 3 * k
            area = abs(
                (room[p] - room[i]) * (room[j + 1] - room[i + 1]) - (room[j] - room[i]) * (room[p + 1] - room[i + 1])
            )
            if area < smallest:
                smallest, which = area, k
        for j in range(which, count - 1):
            copy_point(room, at + 3 * (j + 1), at + 3 * j)
        count -= 1
    return count


@function
def plane_through(room, at, count):
    """Height of an outline's face: at its first point, and its slopes."""
    p, q, r = at, at + 3 * (count // 3), at + 3 * (2 * count // 3)
    ux, uy, uz = room[q] - room[p], room[q + 1] - room[p + 1], room[q + 2] - room[p + 2]
    vx, vy, vz = room[r] - room[p], room[r + 1] - room[p + 1], room[r + 2] - room[p + 2]
    area = ux * vy - uy * vx
    sx, sy = (uz * vy - vz * uy) / area, (vz * ux - uz * vx) / area
    return room[p + 2] - sx * room[p] - sy * room[p + 1], sx, sy


@outlined
def edges_along(room, one, two, radius):
    """Part of the first edge that lies along the second: its ends take the first's place; 2 points, or none.

    Returns their number and how much of their distance counts; depths are left to be found at the ends.
    """
    ax, ay, az = room[one], room[one + 1], room[one + 2]
    ux, uy, uz = room[one + 3] - ax, room[one + 4] - ay, room[one + 5] - az
    bx, by = room[two], room[two + 1]
    wx, wy = room[two + 3] - bx, room[two + 4] - by
    long, other = sqrt(ux * ux + uy * uy), sqrt(wx * wx + wy * wy)
    if long <= 0.0 or other <= 0.0:
        return 0, 0.0
    wx, wy = wx / other, wy / other
    low, high = 0.0, 1.0
    for k in range(2):  # beside the second's line, then along it
        start = wx * (ay - by) - wy * (ax - bx) if k == 0 else wx * (ax - bx) + wy * (ay - by)
        slope = wx * uy - wy * ux if k == 0 else wx * ux + wy * uy
        least = -FLAT * radius if k == 0 else 0.0
        most = FLAT * radius if k == 0 else other
        if abs(slope) > 1e-12 * long:
            s, t = (least - start) / slope, (most - start) / slope
            low, high = max(low, min(s, t)), min(high, max(s, t))
        elif start < least or start > most:
            return 0, 0.0
    if high < low:
        return 0, 0.0
    for k in range(2):
        s = low if k == 0 else high
        room[one + 3 * k], room[one + 3 * k + 1], room[one + 3 * k + 2] = ax + s * ux, ay + s * uy, az + s * uz
    return 2, max((high - low) * long - 4.0 * FLAT * radius, 0.0)


@outlined
def touch(table, one, two, size, room):
    """Points at which two solids touch, none where they are apart; the room holds them (see above). The gap.

    room: ROOM numbers.
    """
    gap, tip = gap_between(table, one, two, size, room)
    n = gap.normal
    room[0] = 0.0
    if gap.distance >= 0.0:
        return gap
    r, s = np.float64(table[one.first + CORE_RADIUS]), np.float64(table[two.first + CORE_RADIUS])
    radius = r + s
    soft = max(radius, 1e-3 * size)
    wide = 2.0 * soft
    first = outline(table, one, -n, room, OUTLINE_AT)
    second = outline(table, two, n, room, SECOND_AT)
    u = any_across(n)
    v = cross(n, u)
    count, at, apart = 0, OUTLINE_AT, -1.0
    base, sx, sy, sense = 0.0, 0.0, 0.0, 1.0
    if first > 1 and second > 1:
        flatten(room, OUTLINE_AT, first, u, v, n)
        flatten(room, SECOND_AT, second, u, v, n)
        if first == 2 and second == 2:
            count, apart = edges_along(room, OUTLINE_AT, SECOND_AT, soft)
        elif second > 2:
            base, sx, sy = plane_through(room, SECOND_AT, second)
            count, at = cut(room, OUTLINE_AT, first, SECOND_AT, second, THIRD_AT, 1e-7 * size)
        else:
            sense = -1.0
            base, sx, sy = plane_through(room, OUTLINE_AT, first)
            count, at = cut(room, SECOND_AT, second, OUTLINE_AT, first, THIRD_AT, 1e-7 * size)
        if apart < 0.0 and count > 0:
            count = thin_out(room, at, count, 1e-9 * size)
    deepest = 0.0
    for k in range(count):
        p = at + 3 * k
        x, y, height = room[p], room[p + 1], room[p + 2]
        if apart >= 0.0:  # edges: the second's height below this point, less as the point lies beside it
            q = SECOND_AT
            wx, wy, wz = room[q + 3] - room[q], room[q + 4] - room[q + 1], room[q + 5] - room[q + 2]
            square = wx * wx + wy * wy
            share = ((x - room[q]) * wx + (y - room[q + 1]) * wy) / square
            beside = ((x - room[q]) * wy - (y - room[q + 1]) * wx) / sqrt(square)
            far = height - room[q + 2] - share * wz + 0.5 * beside * beside / soft
        else:
            far = (height - base - sx * x - sy * y) * sense
        depth = radius - far
        above = height if sense > 0.0 else height + far  # of the first core
        deepest = max(deepest, depth)
        out = FOUND + k * POINT
        room[out] = depth
        write_vec3(room, out + 2, u * x + v * y + n * (above - r + 0.5 * depth))
    if count == 0 or deepest <= 0.5 * -gap.distance:  # corners, or nothing that faces holds the deepest point
        room[0], room[FOUND], room[FOUND + 1] = 1.0, -gap.distance, 1.0
        write_vec3(room, FOUND + 2, tip - n * (r + 0.5 * gap.distance))
        return gap
    carrying = 0.0
    for k in range(count):
        out = FOUND + k * POINT
        near, depth = 0.0, max(room[out], 0.0)
        for j in range(count):  # those that carry nearby share with it
            if j != k and depth > 0.0 and room[FOUND + j * POINT] > 0.0:
                far = apart if apart >= 0.0 else between(room, at, k, j)
                near += max(1.0 - far / wide, 0.0) * min(room[FOUND + j * POINT] / depth, 1.0)
        room[out + 1] = 1.0 / (1.0 + near)
        carrying += room[out + 1] * depth / deepest
    for k in range(count):
        room[FOUND + k * POINT + 1] *= min(1.0, WHOLE / carrying)
    room[0] = float(count)
    return gap


# ---------------------------------------------------------------- for Python
@function
def read_pose(table, first, pose, at):
    """The pose of a solid from twelve numbers: the frame of its body by columns, and its place."""
    frame = Mat3(read_vec3(pose, at), read_vec3(pose, at + 3), read_vec3(pose, at + 6))
    return pose_of(table, first, frame, read_vec3(pose, at + 9))


@entry
def look(table, other, pose, size, room, out):
    """Two solids (the second's numbers begin at `other`) at two poses: normal, distance, place; points in the room."""
    one, two = read_pose(table, 0, pose, 0), read_pose(table, other, pose, 12)
    gap, _ = gap_between(table, one, two, size, room)
    touch(table, one, two, size, room)
    write_vec3(out, 0, gap.normal)
    out[3] = gap.distance
    write_vec3(out, 4, gap.place)


class Touch(NamedTuple):
    """Two solids: normal out of the second, distance (negative: depth), place; the points that carry.

    Of each point: depth [m], how much it counts, place [m].
    """

    normal: np.ndarray
    distance: float
    place: np.ndarray
    depths: np.ndarray
    counts: np.ndarray
    points: np.ndarray


def meeting_of(one, two, pose=None, other_pose=None) -> Touch:
    """Two `Solid`s, whose bodies stand at these placements."""
    numbers, others = one.numbers(), two.numbers()
    table = np.array([*numbers, *others])
    poses = []
    for placement in (pose, other_pose):
        frame = np.eye(3) if placement is None else np.asarray(placement.matrix)
        poses += [*frame.T.ravel(), *((0.0, 0.0, 0.0) if placement is None else placement.position)]
    room, out = np.zeros(MANIFOLD_ROOM), np.zeros(7)
    look(table, len(numbers), np.array(poses), one.bound + two.bound, room, out)
    points = room[FOUND : FOUND + int(room[0]) * POINT].reshape(-1, POINT).copy()
    return Touch(out[:3], float(out[3]), out[4:7], points[:, 0], points[:, 1], points[:, 2:])


__all__ = ["Gap", "Pose", "Touch", "gap_between", "meeting_of", "touch"]
