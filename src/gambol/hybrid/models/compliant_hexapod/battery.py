"""The battery: how fast a current empties it (forces.electric has the law).

Discharge curve of a sealed lead-acid battery of 12 V and 2.6 A·h (Yuasa NP2.6-12): time to empty at constant current,
from the points of its data sheet, straight lines between them in logarithms, the end lines carried on.
The share drained in a moment is (largest |voltage| of a motor / nominal voltage) / (time to empty at Σ|current|): the
estimate of the source, which lets no motor charge the battery.
"""

import numpy as np

from gambol.forces.electric import MIN_CURRENT, discharge_table

DISCHARGE_CURVE = (
    (0.13, 20 * 3600.0),
    (0.24, 10 * 3600.0),
    (0.44, 5 * 3600.0),
    (1.56, 3600.0),
    (7.8, 7 * 60.0),
)  # [A], [s]
DISCHARGE_TABLE = np.array(discharge_table(DISCHARGE_CURVE))


def time_to_empty(current):
    """[s] at a constant current [A]."""
    at, time, slope = DISCHARGE_TABLE[1:].reshape(-1, 3).T
    place = np.log(np.maximum(current, MIN_CURRENT))
    k = np.maximum(np.searchsorted(at, place) - 1, 0)
    return np.exp(time[k] + slope[k] * (place - at[k]))
