"""How adults walk: angles and moments of the joints of a leg over its cycle, and the bumps that bend them.

The curves are those that textbooks of gait draw (Winter, *The Biomechanics and Motor Control of Human Gait*, 1991,
natural cadence; Perry and Burnfield, *Gait Analysis*, 2010), read at fifteen phases to a degree, and joined by periodic
cubic splines. Phase 0 is the strike of the own heel; hip and knee flexion, ankle dorsiflexion are positive. Moments are
per kilogram of body mass; plantarflexors and knee extensors are positive.
"""

from functools import cache

import numpy as np

PHASES = np.array([0, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50, 0.56, 0.62, 0.70, 0.78, 0.85, 0.90, 0.95])
HIP = np.array([30, 29, 26, 22, 18, 8, -2, -9, -9, -1, 13, 26, 31, 32, 31.0])  # [°]
KNEE = np.array([4, 11, 17, 18, 16, 9, 5, 9, 20, 40, 60, 53, 30, 13, 3.0])  # [°]
ANKLE = np.array([1, -3, -5, -2, 2, 6, 9, 9, -3, -17, -10, -2, 1, 2, 2.0])  # [°]
PLANTARFLEXORS = np.array([0, -0.05, -0.02, 0.15, 0.35, 0.75, 1.2, 1.5, 0.95, 0.15, 0, 0, 0, 0, 0.0])  # [N·m/kg]
EXTENSORS = np.array([-0.2, 0.1, 0.45, 0.55, 0.4, 0, -0.15, 0.05, 0.15, 0.05, 0, -0.05, -0.15, -0.3, -0.25])
GROUND_FORCE = np.array([0, 0.65, 1.03, 1.09, 0.98, 0.75, 0.97, 1.03, 0.5, 0.02, 0, 0, 0, 0, 0.0])  # vertical [weights]
BUMPS = {  # where a curve may be bent: (phase, width)
    "hip reach": (0.82, 0.07),
    "hip landing": (0.98, 0.05),
    "knee loading": (0.15, 0.06),
    "knee swing": (0.70, 0.07),
    "knee landing": (0.98, 0.035),
    "knee lift": (0.55, 0.05),
    "ankle push": (0.60, 0.04),
    "ankle swing": (0.85, 0.10),
    "ankle slap": (0.08, 0.04),
}
CURVE_SAMPLES = 400  # of a cycle, between which the controller interpolates
CURVES = ("hip", "knee", "ankle", "plantarflexors", "extensors", *BUMPS)
"""The rows of `curve_tables`, in their order."""


def adult_curve(values: np.ndarray, phases: np.ndarray) -> np.ndarray:
    """A curve through its fifteen values, at other phases."""
    return _spline(values)(phases)


def _spline(values: np.ndarray):
    from scipy.interpolate import CubicSpline

    return CubicSpline(np.append(PHASES, 1.0), np.append(values, values[0]), bc_type="periodic")


@cache
def curve_tables() -> tuple[np.ndarray, np.ndarray]:
    """Values and slopes of all CURVES, (curves, CURVE_SAMPLES + 1): [rad], [N·m/kg]; bumps are 1 at their top."""
    rows = [np.radians(HIP), np.radians(KNEE), np.radians(ANKLE), PLANTARFLEXORS, EXTENSORS]
    for centre, width in BUMPS.values():
        apart = PHASES - centre
        rows.append(np.exp(-0.5 * ((apart - np.round(apart)) / width) ** 2))
    phases = np.linspace(0.0, 1.0, CURVE_SAMPLES + 1)
    splines = [_spline(row) for row in rows]
    return np.array([s(phases) for s in splines]), np.array([s(phases, 1) for s in splines])
