"""Exponentials that are cut off before they leave what numbers can hold, and the count of how often that was."""

from gambol.jit import function
from gambol.math.scalar import any_positive, constant, exp, load, minimum, store, where_positive

EXPONENT_MOST = 35.0  # beyond this an exponential is cut off, and that is counted


@function
def grown_exponential(x):
    """e^x up to the exponent at which it is cut off."""
    return exp(minimum(x, constant(x, EXPONENT_MOST)))


@function
def count_clipped(params, place, beyond):
    """Adds one to a counter where `beyond` is positive."""
    if any_positive(beyond):
        count = load(params, place)
        store(params, place, where_positive(beyond, count + constant(count, 1.0), count))
