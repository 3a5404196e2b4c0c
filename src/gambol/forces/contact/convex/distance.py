"""The nearest points of two cores: Gilbert, Johnson and Keerthi's algorithm on their difference {a - b}."""

from typing import NamedTuple

from gambol.forces.contact.convex.support import TINY, difference_support, read_vec3, write_vec3
from gambol.jit import function, outlined
from gambol.math.vector import Vec3, cross, dot

ROW = 7  # of the simplex: a corner of the difference, its point of the first core, its weight
SIMPLEX = 4 * ROW
LOOKS = 64
NEAR = 1e-13  # of the square of the distance: when the bound from below is as near, it is found
OVERLAP = 1e-9  # of the solids' size: cores nearer than this overlap


class Nearest(NamedTuple):
    """Do the cores overlap; the vector from the second's nearest point to the first's, and the first's point."""

    overlap: bool
    gap: Vec3
    point: Vec3


@function
def segment_weight(a, b):
    """Share of b in the point of the segment a … b that is nearest to the origin."""
    line = b - a
    share = -dot(a, line) / (dot(line, line) + TINY)
    return min(max(share, 0.0), 1.0)


@function
def triangle_weights(a, b, c):
    """Shares of three corners in the point of their triangle that is nearest to the origin."""
    ab, ac = b - a, c - a
    d1, d2 = -dot(ab, a), -dot(ac, a)
    d3, d4 = -dot(ab, b), -dot(ac, b)
    d5, d6 = -dot(ab, c), -dot(ac, c)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    found = Vec3(0.0, 0.0, 0.0)
    if d1 <= 0.0 and d2 <= 0.0:
        found = Vec3(1.0, 0.0, 0.0)
    elif d3 >= 0.0 and d4 <= d3:
        found = Vec3(0.0, 1.0, 0.0)
    elif d6 >= 0.0 and d5 <= d6:
        found = Vec3(0.0, 0.0, 1.0)
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = segment_weight(a, b)
        found = Vec3(1.0 - t, t, 0.0)
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = segment_weight(a, c)
        found = Vec3(1.0 - t, 0.0, t)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = segment_weight(b, c)
        found = Vec3(0.0, 1.0 - t, t)
    else:
        total = va + vb + vc
        if total > 0.0:
            found = Vec3(va / total, vb / total, vc / total)
        else:  # no area: the best of its sides
            t, u = segment_weight(a, b), segment_weight(a, c)
            p, q = a + ab * t, a + ac * u
            if dot(p, p) <= dot(q, q):
                found = Vec3(1.0 - t, t, 0.0)
            else:
                found = Vec3(1.0 - u, 0.0, u)
    return found


@function
def reduce_simplex(room, count):
    """Leaves out the corners without weight; how many are left, and the weighted sums of both columns."""
    kept, gap, point = 0, Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    for k in range(count):
        weight = room[k * ROW + 6]
        if weight > 0.0:
            for j in range(ROW):
                room[kept * ROW + j] = room[k * ROW + j]
            gap = gap + read_vec3(room, kept * ROW) * weight
            point = point + read_vec3(room, kept * ROW + 3) * weight
            kept += 1
    return kept, gap, point


@outlined
def nearest_of_simplex(room, count):
    """Weights of a simplex's corners in its point nearest to the origin; False where the origin is inside."""
    a = read_vec3(room, 0)
    if count == 1:
        room[6] = 1.0
        return True
    b = read_vec3(room, ROW)
    if count == 2:
        t = segment_weight(a, b)
        room[6], room[ROW + 6] = 1.0 - t, t
        return True
    c = read_vec3(room, 2 * ROW)
    if count == 3:
        w = triangle_weights(a, b, c)
        room[6], room[ROW + 6], room[2 * ROW + 6] = w.x, w.y, w.z
        return True
    best, face = 1e300, -1
    weights = Vec3(0.0, 0.0, 0.0)
    for k in range(4):  # the face without corner k
        i, j, l = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        x, y, z = read_vec3(room, i * ROW), read_vec3(room, j * ROW), read_vec3(room, l * ROW)
        normal = cross(y - x, z - x)
        if dot(x, normal) * dot(x - read_vec3(room, k * ROW), normal) <= 0.0:
            w = triangle_weights(x, y, z)
            p = x * w.x + y * w.y + z * w.z
            if dot(p, p) < best:
                best, face, weights = dot(p, p), k, w
    if face < 0:
        return False
    i, j, l = (face + 1) % 4, (face + 2) % 4, (face + 3) % 4
    room[face * ROW + 6] = 0.0
    room[i * ROW + 6], room[j * ROW + 6], room[l * ROW + 6] = weights.x, weights.y, weights.z
    return True


@outlined
def nearest(table, one, two, size, room):
    """The nearest points of the cores of two solids of about this size. room: SIMPLEX numbers."""
    away = one.centre - two.centre
    if dot(away, away) == 0.0:
        away = Vec3(1.0, 0.0, 0.0)
    gap, point = difference_support(table, one, two, -away)
    write_vec3(room, 0, gap)
    write_vec3(room, 3, point)
    room[6] = 1.0
    count, least = 1, OVERLAP * size
    for _ in range(LOOKS):
        square = dot(gap, gap)
        if square <= least * least:
            return Nearest(True, gap, point)
        w, a = difference_support(table, one, two, -gap)
        if square - dot(gap, w) <= NEAR * square:
            break
        again = False
        for k in range(count):
            other = read_vec3(room, k * ROW) - w
            again = again or dot(other, other) == 0.0
        if again:
            break
        write_vec3(room, count * ROW, w)
        write_vec3(room, count * ROW + 3, a)
        if not nearest_of_simplex(room, count + 1):
            return Nearest(True, gap, point)
        kept, closer, at = reduce_simplex(room, count + 1)
        if dot(closer, closer) >= square:  # rounding: no nearer than before
            break
        count, gap, point = kept, closer, at
    return Nearest(False, gap, point)
