"""Small symmetric systems A x = b, A positive semidefinite, in the caller's room.

`factorise` is L D Lᵀ within the envelope of A (only rows that share a speed are coupled), which leaves out rows that
depend on earlier ones: of a consistent redundant system it finds a solution as it stands. `diagonalise` is the cyclic
Jacobi method, which finds small eigenvalues to high relative accuracy.
"""

import math

from gambol.jit import function, outlined

SWEEPS = 40
IMMOVABLE = 1e-14  # share of the largest diagonal entry below which a row is not moved by its own force


@outlined
def factorise(A, first, live, scale, cutoff, softness, L, pivot):
    """L and D of the live rows; pivot 0 where a row depends on those before it, or can be moved by nothing.

    `scale` is what each row's diagonal is measured by. With softness the factor is that of A + softness · scale. A
    cutoff of 0 leaves out nothing but what rounding has made nothing or less. Returns the rank.
    """
    m, rank, largest = pivot.shape[0], 0, 0.0
    for i in range(m):
        largest = max(largest, A[i * m + i] * live[i])
    for i in range(m):
        pivot[i] = 0.0
        if live[i] == 0.0:
            continue
        left = A[i * m + i]
        for j in range(first[i], i):
            if pivot[j] == 0.0:
                L[i * m + j] = 0.0
                continue
            x = A[i * m + j]
            for k in range(max(first[i], first[j]), j):
                x -= L[i * m + k] * L[j * m + k] * pivot[k]
            L[i * m + j] = x / pivot[j]
            left -= x * x / pivot[j]
        if left > cutoff * scale[i] and (cutoff == 0.0 or left > IMMOVABLE * largest):
            pivot[i] = left + softness * scale[i]
            rank += 1
    return rank


@outlined
def substitute(L, first, pivot, x):
    """Solves in place; zero for rows that were left out."""
    m = pivot.shape[0]
    for i in range(m):
        if pivot[i] == 0.0:
            x[i] = 0.0
            continue
        for k in range(first[i], i):
            x[i] -= L[i * m + k] * x[k] * (pivot[k] > 0.0)
    for i in range(m):
        if pivot[i] > 0.0:
            x[i] /= pivot[i]
    for i in range(m - 1, -1, -1):
        if pivot[i] > 0.0:
            for k in range(first[i], i):
                if pivot[k] > 0.0:
                    x[k] -= L[i * m + k] * x[i]


@function
def rotate(M, V, m, p, q):
    """One rotation that clears M[p, q]."""
    apq = M[p * m + q]
    theta = (M[q * m + q] - M[p * m + p]) / (2.0 * apq)
    t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
    if theta < 0.0:
        t = -t
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(m):
        x, y = M[k * m + p], M[k * m + q]
        M[k * m + p], M[k * m + q] = c * x - s * y, s * x + c * y
    for k in range(m):
        x, y = M[p * m + k], M[q * m + k]
        M[p * m + k], M[q * m + k] = c * x - s * y, s * x + c * y
        x, y = V[k * m + p], V[k * m + q]
        V[k * m + p], V[k * m + q] = c * x - s * y, s * x + c * y


@outlined
def diagonalise(A, live, M, V, values):
    """Eigenvalues (falling) and eigenvectors (columns of V) of the live part of A; M is room."""
    m = values.shape[0]
    for i in range(m):
        for j in range(m):
            M[i * m + j] = A[i * m + j] if live[i] > 0.0 and live[j] > 0.0 else 0.0
            V[i * m + j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        clean = True
        for p in range(m - 1):
            for q in range(p + 1, m):
                if abs(M[p * m + q]) > 1e-17 * math.sqrt(abs(M[p * m + p] * M[q * m + q])):
                    clean = False
                    rotate(M, V, m, p, q)
        if clean:
            break
    for i in range(m):
        values[i] = max(M[i * m + i], 0.0)
    sort_falling(values, V, m)


@outlined
def sort_falling(values, V, m):
    """Eigenvalues in falling order, the columns of V (m × m, flat) with them."""
    for i in range(1, m):
        j = i
        while j > 0 and values[j] > values[j - 1]:
            values[j], values[j - 1] = values[j - 1], values[j]
            for k in range(m):
                V[k * m + j], V[k * m + j - 1] = V[k * m + j - 1], V[k * m + j]
            j -= 1
