"""A point of one body on a smooth curve carried by another.

parameters: point on a 3, number of pieces, then 14 a piece: where its parameter begins, how long it is, and the four
coefficients of a cubic for x, y and z in b's layout frame (constant first)

The foot c(s) of the point is where (x − c) · c' = 0. The rows are the two directions across the curve at the foot,
chosen anew each time (any two will do): along them D'' = x'' − c'' s'² with s' = x'·c' / (c'·c' − (x − c)·c'').
"""

import math

from gambol.dynamics.constraints.row import frame_at, point_state, spin_of, state_row
from gambol.dynamics.constraints.tables import ROUNDING
from gambol.jit import function, outlined
from gambol.math.memory import load_vec3, store_vec3
from gambol.math.room import stack_room
from gambol.math.scalar import (
    absolute,
    constant,
    lanes_of,
    load,
    load_lane,
    minimum,
    reciprocal,
    sqrt,
    store_lane,
    where_positive,
)
from gambol.math.spatial import Spatial
from gambol.math.vector import Vec3, cross, dot, transposed_times, zero3

KIND, NAME = 5, "curve"
PIECE = 14
SAMPLES, NEWTON = 4, 8  # of each piece; steps towards the foot
CLOSED = 1000.0  # roundings by which the ends of a closed curve may be apart
_room = stack_room(12)


@function
def lane_vec3(array, k, lane):
    """Three numbers of one world from place k on."""
    return Vec3(load_lane(array, k, lane), load_lane(array, k + 1, lane), load_lane(array, k + 2, lane))


@function
def keep_vec3(array, k, lane, v):
    """Writes three numbers of one world from place k on."""
    store_lane(array, k, lane, v.x)
    store_lane(array, k + 1, lane, v.y)
    store_lane(array, k + 2, lane, v.z)


@function
def curve_at(params, k, u, lane):
    """Place, first and second derivative of the piece whose cells begin at k, u beyond its beginning, in one world."""
    c0, c1 = lane_vec3(params, k + 2, lane), lane_vec3(params, k + 5, lane)
    c2, c3 = lane_vec3(params, k + 8, lane), lane_vec3(params, k + 11, lane)
    return (
        c0 + (c1 + (c2 + c3 * u) * u) * u,
        c1 + (c2 * 2.0 + c3 * (3.0 * u)) * u,
        c2 * 2.0 + c3 * (6.0 * u),
    )


@outlined
def nearest_piece(params, p, x, lane):
    """(cells of the piece, parameter in it) of the sample nearest to x."""
    pieces = int(load_lane(params, p + 3, lane))
    best, at, found = math.inf, 0.0, p + 4
    for i in range(pieces):
        k = p + 4 + PIECE * i
        for j in range(SAMPLES + 1):
            u = float(load_lane(params, k + 1, lane)) * j / SAMPLES
            c, _, _ = curve_at(params, k, u, lane)
            off = x - c
            if dot(off, off) < best:
                best, at, found = dot(off, off), u, k
    return found, at


@function
def is_closed(params, first, last, rounding, lane):
    """Does the curve end where it begins?"""
    off = curve_at(params, last, load_lane(params, last + 1, lane), lane)[0] - lane_vec3(params, first + 2, lane)
    slope = lane_vec3(params, first + 5, lane)
    return dot(off, off) <= (CLOSED * rounding) ** 2 * dot(slope, slope)


@outlined
def foot(params, p, x, rounding, lane):
    """(cells of the piece, parameter in it) where the curve is nearest to x: Newton's method from the best sample."""
    first, last = p + 4, p + 4 + PIECE * (int(load_lane(params, p + 3, lane)) - 1)
    closed = is_closed(params, first, last, rounding, lane)
    k, u = nearest_piece(params, p, x, lane)
    for _ in range(NEWTON):
        c, d1, d2 = curve_at(params, k, u, lane)
        bend = dot(d1, d1) - dot(x - c, d2)
        step = dot(x - c, d1) / (bend if bend > 0.1 * dot(d1, d1) else dot(d1, d1))
        u += step
        if u < 0.0 and (k > first or closed):
            k = k - PIECE if k > first else last
            u += load_lane(params, k + 1, lane)
        elif u > load_lane(params, k + 1, lane) and (k < last or closed):
            u -= load_lane(params, k + 1, lane)
            k = k + PIECE if k < last else first
        if abs(step) < 4.5 * rounding * load_lane(params, k + 1, lane):
            break
    return k, u


@outlined
def look_at_feet(params, p, rounding, room):
    """From places in room[0:3], in each world: the curve's place and its derivatives at the foot, in room[3:12]."""
    for lane in range(lanes_of(room)):
        k, u = foot(params, p, lane_vec3(room, 0, lane), rounding, lane)
        c, d1, d2 = curve_at(params, k, u, lane)
        keep_vec3(room, 3, lane, c)
        keep_vec3(room, 6, lane, d1)
        keep_vec3(room, 9, lane, d2)


@function
def across(d):
    """A unit vector at right angles to d, and the other."""
    x, y, z = absolute(d.x), absolute(d.y), absolute(d.z)
    zero, one = constant(x, 0.0), constant(x, 1.0)
    along_z = where_positive(z - minimum(x, y), zero, one)
    along_y = where_positive(y - x, zero, one - along_z)
    m = cross(d, Vec3(one - along_y - along_z, along_y, along_z))
    m = m * reciprocal(sqrt(dot(m, m)))
    n = cross(d, m)
    return m, n * reciprocal(sqrt(dot(n, n)))


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """Two rows: how far the point [m] lies beside the curve, along two directions across it."""
    room, params = _room(model.params), model.params
    A, B = point_state(constrained, a, load_vec3(params, p)), point_state(constrained, b, zero3(load(params, p)))
    frame, omega = frame_at(constrained, b), spin_of(constrained, b)
    gap, closing = A.place - B.place, A.speed - B.speed
    turning = cross(omega, gap)
    x, rate = transposed_times(frame, gap), transposed_times(frame, closing - turning)
    store_vec3(room, 0, x)
    look_at_feet(params, p, model.constraints.options[ROUNDING], room)
    c, d1, d2 = load_vec3(room, 3), load_vec3(room, 6), load_vec3(room, 9)
    along = dot(rate, d1) / (dot(d1, d1) - dot(x - c, d2))
    relative = A.inward - cross(omega, closing) * 2.0 + cross(omega, turning)
    m, n = across(d1)
    for j in range(rows):
        local = m if j == 0 else n
        direction = frame @ local
        state_row(
            model,
            constrained,
            row + j,
            a,
            Spatial(cross(A.arm, direction), direction),
            b,
            Spatial(-cross(gap, direction), -direction),
            dot(local, x - c),
            0.0,
            dot(direction, relative) - dot(local, d2) * along * along,
        )
