"""The arrays of the hinge recursion, and where each quantity of the source lies in them.

A `HingeModel` is what stays the same; a `HingeState` is everything that a run changes, so that a copy of it is a
complete save point, also between two slow bands. Links are numbered parents first; link 0 is the root. Quantities
are in the axes of their link, with the link's proximal hinge as reference point, unless they say otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Constants of one link
ARM, MASS, MOMENT, TENSOR, REST, FRICTION, LINK = 0, 3, 4, 7, 13, 17, 20
# Coefficients and results of one link ("band"): what the slow band leaves for the fast band, then the fast band's own
TO_PARENT, TO_WORLD = 0, 9  # R, R_I, by columns
T, K, M = 18, 24, 33  # (10), (11), (13)
TORQUE_SLOW, FORCE_SLOW, CARRIED = 39, 42, 45  # slow parts of g_Σ and f_Σ; a_c in parent axes
SUM_WLL, SUM_W, SUM_Q = 48, 54, 63  # sums over the children of W l̃, W, Q
OUTSIDE_FORCE, OUTSIDE_TORQUE = 69, 72  # f_E, g_E in world axes
ANGLE, ANGLE_RATE, ZONE = 75, 78, 87  # rotation vector from rest, its rate matrix, centre / half width / slope
HINGE_TORQUE = 96  # −g: what the hinge does to the link
INNER_TORQUE, INNER_FORCE = 99, 102  # g_Σ and f_Σ with what the children hand on
D, FORCE_FREE = 105, 108  # d, f′
ACCEL, SPIN_RATE, BAND = 111, 114, 117  # a, ω̇
# One key of a torque function's schedule
KEY_TIME, KEY_CENTRE, KEY_ZONE, KEY_SLOPE, KEY = 0, 1, 4, 7, 10
# Columns of the table of hinges with a torque function
HINGE_LINK, HINGE_FIRST, HINGE_KEYS, HINGE = 0, 1, 2, 3
# Columns of the table of outside forces, and their kinds and conditions
KIND, ON_LINK, TEST, OUTSIDE = 0, 1, 2, 3
SPIKE, LIFT, HOLD = 0, 1, 2
ALWAYS, HEIGHT, SPEED = 0, 1, 2
# Parameters of one outside force: POINT in link axes; the rest by kind
POINT, FORCE, TORQUE, START, DURATION, PERIOD, LEVEL, SIGN, WAIT, PARAMS = 0, 3, 6, 9, 10, 11, 12, 13, 14, 15
TARGET, STIFFNESS, DAMPING, TURN_STIFFNESS, TURN_DAMPING, TARGET_TURN = 3, 6, 7, 8, 9, 10
# One push from outside: force in world axes at a point of the link, until a time
PUSH_FORCE, PUSH_POINT, PUSH_UNTIL, PUSH = 0, 3, 6, 7
# What `read_motion` gives of one link: position and velocity of the hinge in world axes
PLACE, SPEED_OF, READ = 0, 3, 6
# … and of the whole
KINETIC, GRAVITATIONAL, ELASTIC, HELD, MOMENTUM, SPIN_MOMENTUM, TOTALS = 0, 1, 2, 3, 4, 7, 10


class HingeModel(NamedTuple):
    """What stays the same in a run."""

    parent: np.ndarray  # int[n]; -1 for the root
    links: np.ndarray  # number[n * LINK]: l, m, m c, J, rest quaternion in the parent, friction
    gravity: np.ndarray  # number[3]: a_G in world axes [m/s²]
    hinges: np.ndarray  # int[h, HINGE]: link, first key, keys
    keys: np.ndarray  # number[keys * KEY]: time, centre, half width, slope of a torque function
    periods: np.ndarray  # float64[h]: period of the schedule [s]; 0: not periodic
    outside: np.ndarray  # int[e, OUTSIDE]: kind, link, condition
    params: np.ndarray  # float64[e * PARAMS]


class HingeState(NamedTuple):
    """Everything that a run changes; `copy` and `restore` are exact to the bit."""

    position: np.ndarray  # number[3]: the root's hinge in world axes [m]
    velocity: np.ndarray  # number[3]: its velocity in world axes [m/s]
    turn: np.ndarray  # number[4n]: unit quaternions, link to world axes
    spin: np.ndarray  # number[3n]: ω in link axes [rad/s]
    turning: np.ndarray  # number[3n]: δu, the small rotation since the last slow band [rad]
    moving: np.ndarray  # number[6]: δv and δp of the root since the last slow band, root axes [m/s, m]
    band: np.ndarray  # number[n * BAND]: coefficients of the last slow band and results of the last fast band
    command: np.ndarray  # number[3n]: torque that a controller exerts on the link at its hinge, link axes [N·m]
    fired: np.ndarray  # number[e]: when a conditional spike last began [s]
    push_links: np.ndarray  # int[p]: links pushed from outside
    pushes: np.ndarray  # number[p * PUSH]: force in world axes, point in link axes, end
    clock: np.ndarray  # int[1]: fast steps taken

    def copy(self) -> HingeState:
        """An independent copy."""
        return HingeState(*(array.copy() for array in self))
