"""The shortest way out of two cores that overlap: a polytope inside {a - b} grows where it is nearest to the origin.

It need not hold the origin at first: faces that have it outside are the first to grow.
"""

from typing import NamedTuple

from gambol.forces.contact.convex.distance import triangle_weights
from gambol.forces.contact.convex.support import TINY, difference_support, read_vec3, write_vec3
from gambol.jit import function, outlined
from gambol.math.scalar import sqrt
from gambol.math.vector import Vec3, cross, dot

CORNERS_MOST, FACES_MOST, EDGES_MOST = 72, 160, 128
CORNER, FACE = (
    6,
    8,
)  # numbers of a corner (of the difference, of the first core) and of a face (normal, distance, corners)
CORNERS_AT = 0
FACES_AT = CORNERS_AT + CORNERS_MOST * CORNER
EDGES_AT = FACES_AT + FACES_MOST * FACE
POLYTOPE = EDGES_AT + 2 * EDGES_MOST
FOUND = 1e-10  # of the solids' size: a face that grows by less is the nearest
FLAT = 1e-12  # of the solids' size: thinner differences are flat


class Way(NamedTuple):
    """Outward normal of the difference where it is nearest, how far that is, and a point of the first core there."""

    normal: Vec3
    depth: float
    point: Vec3


@function
def any_across(v):
    """A unit vector across another."""
    ax, ay, az = abs(v.x), abs(v.y), abs(v.z)
    other = Vec3(1.0, 0.0, 0.0)
    if ay <= ax and ay <= az:
        other = Vec3(0.0, 1.0, 0.0)
    elif az <= ax and az <= ay:
        other = Vec3(0.0, 0.0, 1.0)
    found = cross(v, other)
    return found * (1.0 / sqrt(dot(found, found) + TINY))


@function
def unit(v):
    """A vector of length one; nothing stays nothing."""
    square = dot(v, v)
    return v * (1.0 / sqrt(square)) if square > 0.0 else v


@function
def put_corner(room, k, w, a):
    """Corner k of the polytope."""
    write_vec3(room, CORNERS_AT + k * CORNER, w)
    write_vec3(room, CORNERS_AT + k * CORNER + 3, a)


@function
def corner(room, k):
    """Corner k of the polytope."""
    return read_vec3(room, CORNERS_AT + k * CORNER)


@function
def put_face(room, face, i, j, k):
    """A face through three corners, anticlockwise from outside; without area it is as far as can be."""
    x, y, z = corner(room, i), corner(room, j), corner(room, k)
    normal = cross(y - x, z - x)
    size = sqrt(dot(normal, normal))
    p = FACES_AT + face * FACE
    if size > 0.0:
        normal = normal * (1.0 / size)
        room[p + 3] = dot(normal, x)
    else:
        room[p + 3] = 1e300
    write_vec3(room, p, normal)
    room[p + 4], room[p + 5], room[p + 6], room[p + 7] = float(i), float(j), float(k), 1.0


@function
def toggle_edge(room, edges, i, j):
    """Enters an edge of a face that goes; one that is there the other way round is inside, and goes too."""
    for e in range(edges):
        p = EDGES_AT + 2 * e
        if room[p] == j and room[p + 1] == i:
            last = EDGES_AT + 2 * (edges - 1)
            room[p], room[p + 1] = room[last], room[last + 1]
            return edges - 1
    if edges < EDGES_MOST:
        room[EDGES_AT + 2 * edges], room[EDGES_AT + 2 * edges + 1] = i, j
        return edges + 1
    return edges


@outlined
def way_out(table, one, two, size, room):
    """The way out of the cores of two solids of about this size. room: POLYTOPE numbers."""
    thin = FLAT * size
    away = two.centre - one.centre
    start = unit(away) if dot(away, away) > 0.0 else Vec3(0.0, 0.0, 1.0)
    p0, a0 = difference_support(table, one, two, start)
    p1, a1 = difference_support(table, one, two, -start)
    line = p1 - p0
    if dot(line, line) <= thin * thin:
        side = any_across(start)
        p1, a1 = difference_support(table, one, two, side)
        line = p1 - p0
        if dot(line, line) <= thin * thin:
            p1, a1 = difference_support(table, one, two, cross(start, side))
            line = p1 - p0
    if dot(line, line) <= thin * thin:  # a point
        return Way(start, 0.0, a0)
    across = any_across(line)
    across2 = unit(cross(line, across))
    best, p2, a2, normal = -1.0, p0, a0, across
    for k in range(4):
        d = across if k < 2 else across2
        d = d if k % 2 == 0 else -d
        w, a = difference_support(table, one, two, d)
        n = cross(line, w - p0)
        far = dot(n, n)
        if far > best:
            best, p2, a2, normal = far, w, a, n
    if best <= thin * thin * dot(line, line):  # a line: nearest across the line of centres
        sideways = start - line * (dot(start, line) / dot(line, line))
        if dot(sideways, sideways) <= 1e-12:
            sideways = across
        return Way(unit(sideways), 0.0, a0)
    normal = unit(normal)
    p3, a3 = difference_support(table, one, two, normal)
    q3, b3 = difference_support(table, one, two, -normal)
    if abs(dot(q3 - p0, normal)) > abs(dot(p3 - p0, normal)):
        p3, a3 = q3, b3
    height = dot(p3 - p0, normal)
    if abs(height) <= thin:  # a plane
        return Way(normal if dot(normal, start) >= 0.0 else -normal, 0.0, a0)
    put_corner(room, 0, p0, a0)
    put_corner(room, 1, p1, a1)
    put_corner(room, 2, p2, a2)
    put_corner(room, 3, p3, a3)
    if height > 0.0:  # the fourth is on the side the first three turn to: seen from outside they turn the other way
        put_face(room, 0, 0, 2, 1)
        put_face(room, 1, 0, 1, 3)
        put_face(room, 2, 1, 2, 3)
        put_face(room, 3, 2, 0, 3)
    else:
        put_face(room, 0, 0, 1, 2)
        put_face(room, 1, 0, 3, 1)
        put_face(room, 2, 1, 3, 2)
        put_face(room, 3, 2, 3, 0)
    corners, faces = 4, 4
    nearest = 0
    for _ in range(CORNERS_MOST - 4):
        least, nearest = 1e300, 0
        for f in range(faces):
            p = FACES_AT + f * FACE
            if room[p + 7] > 0.0 and room[p + 3] < least:
                least, nearest = room[p + 3], f
        normal = read_vec3(room, FACES_AT + nearest * FACE)
        w, a = difference_support(table, one, two, normal)
        if dot(normal, w) - least <= FOUND * size:
            break
        edges = 0
        for f in range(faces):
            p = FACES_AT + f * FACE
            if room[p + 7] > 0.0 and dot(read_vec3(room, p), w) > room[p + 3] + thin:
                room[p + 7] = 0.0
                i, j, k = room[p + 4], room[p + 5], room[p + 6]
                edges = toggle_edge(room, edges, i, j)
                edges = toggle_edge(room, edges, j, k)
                edges = toggle_edge(room, edges, k, i)
        put_corner(room, corners, w, a)
        free = 0
        full = False
        for e in range(edges):
            while free < faces and room[FACES_AT + free * FACE + 7] > 0.0:
                free += 1
            if free >= FACES_MOST:
                full = True
                break
            i, j = int(room[EDGES_AT + 2 * e]), int(room[EDGES_AT + 2 * e + 1])
            put_face(room, free, i, j, corners)
            if free == faces:
                faces += 1
        corners += 1
        if full:
            break
    least, nearest = 1e300, 0
    for f in range(faces):
        p = FACES_AT + f * FACE
        if room[p + 7] > 0.0 and room[p + 3] < least:
            least, nearest = room[p + 3], f
    p = FACES_AT + nearest * FACE
    i, j, k = int(room[p + 4]), int(room[p + 5]), int(room[p + 6])
    weights = triangle_weights(corner(room, i), corner(room, j), corner(room, k))
    point = read_vec3(room, CORNERS_AT + i * CORNER + 3) * weights.x
    point = point + read_vec3(room, CORNERS_AT + j * CORNER + 3) * weights.y
    point = point + read_vec3(room, CORNERS_AT + k * CORNER + 3) * weights.z
    return Way(read_vec3(room, p), max(room[p + 3], 0.0), point)
