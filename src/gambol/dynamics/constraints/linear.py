"""Small symmetric systems A x = b, A positive semidefinite, in the caller's room.

`factorise` is L D Lᵀ within the envelope of A (only rows that share a speed are coupled), which leaves out rows that
depend on earlier ones: of a consistent redundant system it finds a solution as it stands. It knows no branches but
those that all worlds of a pack take. `diagonalise` is the cyclic Jacobi method, which finds small eigenvalues to high
relative accuracy, in one world (lane) at a time.
"""

import math

from gambol.jit import function, outlined
from gambol.math.memory import add_to
from gambol.math.scalar import (
    any_positive,
    constant,
    load,
    load_lane,
    maximum,
    reciprocal,
    store,
    store_lane,
    where_positive,
)

SWEEPS = 40
# In roundings of the number type: share of the largest diagonal entry below which a row is not moved by its own force,
# and share of its diagonal below which an entry is no longer turned away
IMMOVABLE, CLEAN = 45.0, 0.045


@function
def factorise(A, first, live, scale, cutoff, rounding, softness, L, inverse):
    """L and one over D of the live rows: 0 where a row depends on those before it, or can be moved by nothing.

    `scale` is what each row's diagonal is measured by. With softness the factor is that of A + softness · scale.
    `rounding` is that of the number type; a cutoff and a rounding of 0 leave out only rows whose pivot has come out as
    nothing or less. Returns the rank. Above the diagonal of L lies D Lᵀ.
    """
    m, zero = inverse.shape[0], constant(load(inverse, 0), 0.0)
    rank, largest = zero, zero
    for i in range(m):
        largest = maximum(where_positive(load(live, i), load(A, i * m + i), zero), largest)
    least = largest * constant(zero, IMMOVABLE * rounding)
    for i in range(m):
        store(inverse, i, zero)
        if not any_positive(load(live, i)):
            continue
        left = load(A, i * m + i)
        for j in range(first[i], i):
            each, x = load(inverse, j), load(A, i * m + j)
            for k in range(max(first[i], first[j]), j):
                x = x - load(L, i * m + k) * load(L, k * m + j)
            x = where_positive(each, x, zero)
            store(L, i * m + j, x * each)
            store(L, j * m + i, x)
            left = left - x * x * each
        size = load(scale, i)
        enough = left - maximum(size * constant(zero, cutoff), least)
        enough = where_positive(load(live, i), enough, zero)
        pivot = where_positive(enough, left + softness * size, constant(zero, 1.0))
        store(inverse, i, where_positive(enough, reciprocal(pivot), zero))
        rank = rank + where_positive(enough, constant(zero, 1.0), zero)
    return rank


@function
def substitute(L, first, inverse, x):
    """Solves in place; zero for rows that were left out."""
    m = inverse.shape[0]
    zero = constant(load(x, 0), 0.0)
    for i in range(m):
        here, total = load(inverse, i), load(x, i)
        if any_positive(here):
            for k in range(first[i], i):
                total = total - load(L, i * m + k) * load(x, k)
        store(x, i, where_positive(here, total, zero))
    for i in range(m):
        store(x, i, load(x, i) * load(inverse, i))
    for i in range(m - 1, -1, -1):
        if any_positive(load(inverse, i)):
            total = load(x, i)
            for k in range(first[i], i):
                add_to(x, k, -load(L, i * m + k) * total)


@function
def rotate(M, V, m, p, q, lane):
    """One rotation that clears M[p, q]."""
    apq = load_lane(M, p * m + q, lane)
    theta = (load_lane(M, q * m + q, lane) - load_lane(M, p * m + p, lane)) / (2.0 * apq)
    t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
    if theta < 0.0:
        t = -t
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(m):
        turn_pair(M, k * m + p, k * m + q, c, s, lane)
    for k in range(m):
        turn_pair(M, p * m + k, q * m + k, c, s, lane)
        turn_pair(V, k * m + p, k * m + q, c, s, lane)


@function
def turn_pair(M, i, j, c, s, lane):
    """Two entries as coordinates of a plane that is turned."""
    x, y = load_lane(M, i, lane), load_lane(M, j, lane)
    store_lane(M, i, lane, c * x - s * y)
    store_lane(M, j, lane, s * x + c * y)


@function
def is_off(M, m, p, q, rounding, lane):
    """Is entry p, q of the matrix still to be turned away?"""
    size = math.sqrt(abs(load_lane(M, p * m + p, lane) * load_lane(M, q * m + q, lane)))
    return abs(load_lane(M, p * m + q, lane)) > CLEAN * rounding * size


@outlined
def diagonalise(A, live, rounding, M, V, values, lane):
    """Eigenvalues (falling) and eigenvectors (columns of V) of the live part of A, in one world; M is room."""
    m = values.shape[0]
    for i in range(m):
        for j in range(m):
            both = load_lane(live, i, lane) > 0.0 and load_lane(live, j, lane) > 0.0
            store_lane(M, i * m + j, lane, load_lane(A, i * m + j, lane) if both else 0.0)
            store_lane(V, i * m + j, lane, 1.0 if i == j else 0.0)
    for _ in range(SWEEPS):
        clean = True
        for p in range(m - 1):
            for q in range(p + 1, m):
                if is_off(M, m, p, q, rounding, lane):
                    clean = False
                    rotate(M, V, m, p, q, lane)
        if clean:
            break
    for i in range(m):
        store_lane(values, i, lane, max(load_lane(M, i * m + i, lane), 0.0))
    sort_falling(values, V, m, lane)


@outlined
def sort_falling(values, V, m, lane):
    """Eigenvalues in falling order, the columns of V (m × m, flat) with them."""
    for i in range(1, m):
        j = i
        while j > 0 and load_lane(values, j, lane) > load_lane(values, j - 1, lane):
            swap(values, j, j - 1, lane)
            for k in range(m):
                swap(V, k * m + j, k * m + j - 1, lane)
            j -= 1


@function
def swap(array, i, j, lane):
    """Two entries change places, in one world."""
    x, y = load_lane(array, i, lane), load_lane(array, j, lane)
    store_lane(array, i, lane, y)
    store_lane(array, j, lane, x)
