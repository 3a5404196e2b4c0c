"""How adults walk and run: angles and moments of the joints of a leg over its cycle, and the bumps that bend them.

The curves are those that textbooks of gait draw (Winter, *The Biomechanics and Motor Control of Human Gait*, 1991,
natural cadence; Perry and Burnfield, *Gait Analysis*, 2010), read at fifteen phases to a degree, and joined by periodic
cubic splines. Phase 0 is the strike of the own heel; hip and knee flexion, ankle dorsiflexion are positive. Moments are
per kilogram of body mass; plantarflexors and knee extensors are positive. Those of running, at about 3 m/s, are drawn
after Novacheck, *The biomechanics of running*, Gait and Posture 7, 1998, to a few degrees.
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
RUN_PHASES = np.array([0, 0.05, 0.10, 0.15, 0.20, 0.26, 0.32, 0.38, 0.44, 0.52, 0.60, 0.68, 0.76, 0.84, 0.92])
RUN_HIP = np.array([38, 37, 33, 27, 20, 10, 1, -6, -7, 2, 18, 35, 46, 48, 43.0])  # [°]
RUN_KNEE = np.array([14, 24, 35, 40, 39, 32, 23, 18, 26, 52, 80, 90, 75, 40, 15.0])  # [°]
RUN_ANKLE = np.array([6, 8, 14, 20, 23, 20, 6, -16, -14, -4, 0, 2, 4, 5, 6.0])  # [°]
RUN_PLANTARFLEXORS = np.array([0, 0.2, 0.8, 1.5, 2.1, 2.3, 1.4, 0.2, 0, 0, 0, 0, 0, 0, 0.0])  # [N·m/kg]
RUN_EXTENSORS = np.array([0.1, 0.7, 1.6, 2.0, 1.7, 1.0, 0.35, 0, -0.05, 0, 0, -0.1, -0.3, -0.5, -0.3])
RUN_BUMPS = {
    "hip reach": (0.80, 0.07),
    "hip landing": (0.98, 0.05),
    "knee loading": (0.14, 0.06),
    "knee swing": (0.66, 0.07),
    "knee landing": (0.98, 0.035),
    "knee lift": (0.40, 0.05),
    "ankle push": (0.38, 0.04),
    "ankle swing": (0.80, 0.10),
    "ankle slap": (0.05, 0.04),
}
CURVE_SAMPLES = 400  # of a cycle, between which the controller interpolates
CURVES = ("hip", "knee", "ankle", "plantarflexors", "extensors", *BUMPS)
"""The rows of `curve_tables`, in their order."""


def adult_curve(values: np.ndarray, phases: np.ndarray) -> np.ndarray:
    """A curve of walking through its fifteen values, at other phases."""
    return _spline(PHASES, values)(phases)


def _spline(knots: np.ndarray, values: np.ndarray):
    from scipy.interpolate import CubicSpline

    return CubicSpline(np.append(knots, 1.0), np.append(values, values[0]), bc_type="periodic")


@cache
def curve_tables() -> tuple[np.ndarray, np.ndarray]:
    """Values and slopes by phase of all CURVES of walking and of running, (2, curves, SAMPLES + 1).

    [rad], [N·m/kg]; bumps are 1 at their top.
    """
    walk = (PHASES, HIP, KNEE, ANKLE, PLANTARFLEXORS, EXTENSORS, BUMPS)
    run = (RUN_PHASES, RUN_HIP, RUN_KNEE, RUN_ANKLE, RUN_PLANTARFLEXORS, RUN_EXTENSORS, RUN_BUMPS)
    phases = np.linspace(0.0, 1.0, CURVE_SAMPLES + 1)
    values, slopes = [], []
    for knots, hip, knee, ankle, plantarflexors, extensors, bumps in (walk, run):
        rows = [np.radians(hip), np.radians(knee), np.radians(ankle), plantarflexors, extensors]
        for centre, width in bumps.values():
            apart = knots - centre
            rows.append(np.exp(-0.5 * ((apart - np.round(apart)) / width) ** 2))
        splines = [_spline(knots, row) for row in rows]
        values.append([s(phases) for s in splines])
        slopes.append([s(phases, 1) for s in splines])
    return np.array(values), np.array(slopes)
