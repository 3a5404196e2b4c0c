"""A point of one body on a smooth curve carried by another.

parameters: point on a 3, number of pieces, then 14 a piece: where its parameter begins, how long it is, and the four
coefficients of a cubic for x, y and z in b's layout frame (constant first)

The foot c(s) of the point is where (x − c) · c' = 0. The rows are the two directions across the curve at the foot,
chosen anew each time (any two will do): along them D'' = x'' − c'' s'² with s' = x'·c' / (c'·c' − (x − c)·c'').
"""

import math

from gambol.dynamics.constraints.row import frame_at, point_state, spin_of, state_row
from gambol.jit import function, outlined
from gambol.math.memory import load_vec3
from gambol.math.spatial import Spatial
from gambol.math.vector import Vec3, cross, dot, transposed_times, zero3

KIND, NAME = 5, "curve"
PIECE = 14
SAMPLES, NEWTON = 4, 8  # of each piece; steps towards the foot


@function
def curve_at(params, k, u):
    """Place, first and second derivative of the piece whose cells begin at k, u beyond its beginning."""
    c0, c1 = load_vec3(params, k + 2), load_vec3(params, k + 5)
    c2, c3 = load_vec3(params, k + 8), load_vec3(params, k + 11)
    return (
        c0 + (c1 + (c2 + c3 * u) * u) * u,
        c1 + (c2 * 2.0 + c3 * (3.0 * u)) * u,
        c2 * 2.0 + c3 * (6.0 * u),
    )


@outlined
def nearest_piece(params, p, x):
    """(cells of the piece, parameter in it) of the sample nearest to x."""
    pieces = int(params[p + 3])
    best, at, found = math.inf, 0.0, p + 4
    for i in range(pieces):
        k = p + 4 + PIECE * i
        for j in range(SAMPLES + 1):
            u = params[k + 1] * j / SAMPLES
            c, _, _ = curve_at(params, k, u)
            off = x - c
            if dot(off, off) < best:
                best, at, found = dot(off, off), u, k
    return found, at


@function
def is_closed(params, first, last):
    """Does the curve end where it begins?"""
    off = curve_at(params, last, params[last + 1])[0] - load_vec3(params, first + 2)
    return dot(off, off) <= 1e-24 * dot(load_vec3(params, first + 5), load_vec3(params, first + 5))


@outlined
def foot(params, p, x):
    """(cells of the piece, parameter in it) where the curve is nearest to x: Newton's method from the best sample."""
    first, last = p + 4, p + 4 + PIECE * (int(params[p + 3]) - 1)
    closed = is_closed(params, first, last)
    k, u = nearest_piece(params, p, x)
    for _ in range(NEWTON):
        c, d1, d2 = curve_at(params, k, u)
        bend = dot(d1, d1) - dot(x - c, d2)
        step = dot(x - c, d1) / (bend if bend > 0.1 * dot(d1, d1) else dot(d1, d1))
        u += step
        if u < 0.0 and (k > first or closed):
            k = k - PIECE if k > first else last
            u += params[k + 1]
        elif u > params[k + 1] and (k < last or closed):
            u -= params[k + 1]
            k = k + PIECE if k < last else first
        if abs(step) < 1e-15 * params[k + 1]:
            break
    return k, u


@function
def across(d):
    """A unit vector at right angles to d, and the other."""
    least = Vec3(1.0, 0.0, 0.0)
    if abs(d.y) <= abs(d.x) and abs(d.y) <= abs(d.z):
        least = Vec3(0.0, 1.0, 0.0)
    elif abs(d.z) <= abs(d.x):
        least = Vec3(0.0, 0.0, 1.0)
    m = cross(d, least)
    m = m * (1.0 / math.sqrt(dot(m, m)))
    n = cross(d, m)
    return m, n * (1.0 / math.sqrt(dot(n, n)))


@outlined
def measure(model, constrained, t, block, a, b, row, rows, p):
    """Two rows: how far the point [m] lies beside the curve, along two directions across it."""
    A, B = point_state(constrained, a, load_vec3(model.params, p)), point_state(constrained, b, zero3(0.0))
    frame, omega = frame_at(constrained, b), spin_of(constrained, b)
    gap, closing = A.place - B.place, A.speed - B.speed
    turning = cross(omega, gap)
    x, rate = transposed_times(frame, gap), transposed_times(frame, closing - turning)
    k, u = foot(model.params, p, x)
    c, d1, d2 = curve_at(model.params, k, u)
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
