"""Loops over whole arrays of numbers or packs."""

from gambol.jit import function
from gambol.math.scalar import absolute, constant, finite, load, maximum, store, where_positive


@function
def copy_array(to, source):
    """Copies a vector, all lanes."""
    for k in range(source.shape[0]):
        store(to, k, load(source, k))


@function
def choose_array(to, test, other):
    """to = to where test > 0, else other."""
    for k in range(other.shape[0]):
        store(to, k, where_positive(test, load(to, k), load(other, k)))


@function
def weighted_norm(x, scale):
    """Largest |x| scale; infinite where any x is not a finite number."""
    worst = constant(load(x, 0), 0.0)
    for k in range(x.shape[0]):
        size = absolute(load(x, k)) * scale[k]
        size = where_positive(finite(size), size, constant(size, 1e30))
        worst = maximum(size, worst)
    return worst


@function
def all_finite(x):
    """1 where every number of the array is finite, else -1."""
    good = constant(load(x, 0), 1.0)
    for k in range(x.shape[0]):
        good = where_positive(finite(load(x, k)), good, constant(good, -1.0))
    return good
