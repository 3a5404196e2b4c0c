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

DISCHARGE_CURVE = (
    (0.13, 20 * 3600.0),
    (0.24, 10 * 3600.0),
    (0.44, 5 * 3600.0),
    (1.56, 3600.0),
    (7.8, 7 * 60.0),
)  # [A], [s]
LOG_CURRENTS = tuple(math.log(current) for current, _ in DISCHARGE_CURVE)
LOG_TIMES = tuple(math.log(seconds) for _, seconds in DISCHARGE_CURVE)
LOG_SLOPES = tuple(
    (LOG_TIMES[k + 1] - LOG_TIMES[k]) / (LOG_CURRENTS[k + 1] - LOG_CURRENTS[k]) for k in range(len(DISCHARGE_CURVE) - 1)
)
MIN_CURRENT = 1e-6  # [A] below this the curve is not followed


def time_to_empty(current):
    """[s] at a constant current [A]."""
    place = np.log(np.maximum(current, MIN_CURRENT))
    k = np.clip(np.searchsorted(LOG_CURRENTS, place) - 1, 0, len(LOG_SLOPES) - 1)
    return np.exp(np.array(LOG_TIMES)[k] + np.array(LOG_SLOPES)[k] * (place - np.array(LOG_CURRENTS)[k]))


@function
def drain_rate(current):
    """1 / time to empty [1/s] at a current [A]."""
    place = log(maximum(current, constant(current, MIN_CURRENT)))
    value = (place - LOG_CURRENTS[0]) * LOG_SLOPES[0] + LOG_TIMES[0]
    for k in range(1, len(LOG_SLOPES)):
        value = where_positive(place - LOG_CURRENTS[k], (place - LOG_CURRENTS[k]) * LOG_SLOPES[k] + LOG_TIMES[k], value)
    return exp(-value)
