"""What joints whose coordinates are plain numbers have in common: they are displaced by adding."""

from gambol.jit import function
from gambol.math.scalar import load, store


@function
def integrate_line(q, k, base, d, j):
    """A plain coordinate: base plus displacement [rad or m]."""
    store(q, k, load(base, k) + load(d, j))


@function
def tangent_rate_line(out, j, d, v, s):
    """Rate of the displacement of a plain coordinate: its speed."""
    store(out, j, load(v, s))


@function
def difference_line(out, j, a, b, k):
    """Difference of a plain coordinate [rad or m]."""
    store(out, j, load(a, k) - load(b, k))
