"""The battery: how fast a current empties it.

Discharge curve of a sealed lead-acid battery of 12 V and 2.6 A·h (Yuasa NP2.6-12): time to empty at constant current,
from the points of its data sheet, straight lines between them in logarithms, the end lines carried on.
The share drained in a moment is (largest |voltage| of a motor / nominal voltage) / (time to empty at Σ|current|): the
estimate of the source, which lets no motor charge the battery.
"""

import math

import numpy as np

from gambol.jit import function
from gambol.math.scalar import constant, exp, log, maximum, where_positive

CURVE = ((0.13, 20 * 3600.0), (0.24, 10 * 3600.0), (0.44, 5 * 3600.0), (1.56, 3600.0), (7.8, 7 * 60.0))  # [A], [s]
KNOTS = tuple(math.log(current) for current, _ in CURVE)
TIMES = tuple(math.log(seconds) for _, seconds in CURVE)
FALLS = tuple((TIMES[k + 1] - TIMES[k]) / (KNOTS[k + 1] - KNOTS[k]) for k in range(len(CURVE) - 1))
LEAST = 1e-6  # [A] below this the curve is not followed


def time_to_empty(current):
    """[s] at a constant current [A]."""
    place = np.log(np.maximum(current, LEAST))
    k = np.clip(np.searchsorted(KNOTS, place) - 1, 0, len(FALLS) - 1)
    return np.exp(np.array(TIMES)[k] + np.array(FALLS)[k] * (place - np.array(KNOTS)[k]))


@function
def drain(current):
    """1 / time to empty [1/s] at a current [A]."""
    place = log(maximum(current, constant(current, LEAST)))
    value = (place - KNOTS[0]) * FALLS[0] + TIMES[0]
    for k in range(1, len(FALLS)):
        value = where_positive(place - KNOTS[k], (place - KNOTS[k]) * FALLS[k] + TIMES[k], value)
    return exp(-value)
