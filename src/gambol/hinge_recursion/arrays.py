"""The arrays of the hinge recursion, and where each quantity of the source lies in them.

A `HingeModel` is what stays the same; a `HingeState` is everything that a run changes, so that a copy of it is a
complete save point, also between two slow bands. Links are numbered parents first; link 0 is the root. Quantities
are in the axes of their link, with the link's proximal hinge as reference point, unless they say otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Constants of one link
LINK_ARM, LINK_MASS, LINK_MOMENT, LINK_TENSOR, LINK_REST, LINK_FRICTION, LINK_SIZE = 0, 3, 4, 7, 13, 17, 20
# Coefficients and results of one link ("band"): what the slow band leaves for the fast band, then the fast band's own
TO_PARENT, TO_WORLD = 0, 9  # R, R_I, by columns
BAND_T, BAND_K, BAND_M = 18, 24, 33  # (10), (11), (13)
TORQUE_SLOW, FORCE_SLOW, CENTRIPETAL = 39, 42, 45  # slow parts of g_Σ and f_Σ; a_c in parent axes
SUM_WLL, SUM_W, SUM_Q = 48, 54, 63  # sums over the children of W l̃, W, Q
EXTERNAL_FORCE, EXTERNAL_TORQUE = 69, 72  # f_E, g_E in world axes
ANGLE, ANGLE_RATE, ZONE = 75, 78, 87  # rotation vector from rest, its rate matrix, centre / half width / slope
HINGE_TORQUE = SLOW_SIZE = 96  # −g: what the hinge does to the link; what lies before is the slow band's
INNER_TORQUE, INNER_FORCE = 99, 102  # g_Σ and f_Σ with what the children hand on
BAND_D, FORCE_FREE = 105, 108  # d, f′
HINGE_ACCELERATION, SPIN_RATE, BAND_SIZE = 111, 114, 117  # a, ω̇
# One key of a torque function's schedule
KEY_CENTRE, KEY_SIZE = 1, 10  # its time, then centre, half width and slope, three numbers each
# Columns of the table of hinges with a torque function
HINGE_LINK, HINGE_FIRST, HINGE_KEYS, HINGE_COLUMNS = 0, 1, 2, 3
# Columns of the table of external forces, and their kinds and conditions
EXTERNAL_KIND, EXTERNAL_LINK, EXTERNAL_CONDITION, EXTERNAL_COLUMNS = 0, 1, 2, 3
SPIKE_KIND, CONSTANT_FORCE_KIND, SUPPORT_KIND = 0, 1, 2
NO_CONDITION, HEIGHT_CONDITION, SPEED_CONDITION = 0, 1, 2
# Parameters of one external force: FORCE_POINT in link axes; the rest by kind
FORCE_POINT, FORCE_VECTOR, FORCE_TORQUE = 0, 3, 6
FORCE_START, FORCE_DURATION, FORCE_PERIOD, FORCE_WAIT = 9, 10, 11, 14
CONDITION_LEVEL, CONDITION_SIGN, FORCE_SIZE = 12, 13, 15
SUPPORT_TARGET, SUPPORT_STIFFNESS, SUPPORT_DAMPING = 3, 6, 7
SUPPORT_TURN_STIFFNESS, SUPPORT_TURN_DAMPING, SUPPORT_TARGET_TURN = 8, 9, 10
# One push: force in world axes at a point of the link, until a time
PUSH_FORCE, PUSH_POINT, PUSH_UNTIL, PUSH_SIZE = 0, 3, 6, 7
# What `read_motion` gives of one link: position and velocity of the hinge in world axes
HINGE_POSITION, HINGE_VELOCITY, HINGE_MOTION_SIZE = 0, 3, 6
# … and of the whole
KINETIC_ENERGY, GRAVITATIONAL_ENERGY, ELASTIC_ENERGY, SUPPORT_ENERGY = 0, 1, 2, 3
LINEAR_MOMENTUM, ANGULAR_MOMENTUM, TOTALS_SIZE = 4, 7, 10


class HingeModel(NamedTuple):
    """What stays the same in a run."""

    parent: np.ndarray  # int[n]; -1 for the root
    links: np.ndarray  # number[n * LINK_SIZE]: l, m, m c, J, rest quaternion in the parent, friction
    gravity: np.ndarray  # number[3]: a_G in world axes [m/s²]
    hinges: np.ndarray  # int[h, HINGE_COLUMNS]: link, first key, keys
    keys: np.ndarray  # number[keys * KEY_SIZE]: time, centre, half width, slope of a torque function
    periods: np.ndarray  # float64[h]: period of the schedule [s]; 0: not periodic
    external: np.ndarray  # int[e, EXTERNAL_COLUMNS]: kind, link, condition
    params: np.ndarray  # float64[e * FORCE_SIZE]


class HingeState(NamedTuple):
    """Everything that a run changes; `copy` and `restore` are exact to the bit."""

    position: np.ndarray  # number[3]: the root's hinge in world axes [m]
    velocity: np.ndarray  # number[3]: its velocity in world axes [m/s]
    orientation: np.ndarray  # number[4n]: unit quaternions, link to world axes
    angular_velocity: np.ndarray  # number[3n]: ω in link axes [rad/s]
    small_rotation: np.ndarray  # number[3n]: δu, the small rotation since the last slow band [rad]
    root_change: np.ndarray  # number[6]: δv and δp of the root since the last slow band, root axes [m/s, m]
    band: np.ndarray  # number[n * BAND_SIZE]: coefficients of the last slow band and results of the last fast band
    command: np.ndarray  # number[3n]: torque that a controller exerts on the link at its hinge, link axes [N·m]
    last_fired: np.ndarray  # number[e]: when a conditional spike last began [s]
    lag_rotation: np.ndarray  # number[3n]: spread: small rotation from the coefficients' moment to this cycle [rad]
    late_rotation: np.ndarray  # number[3n]: spread: that of the cycle before, to be worked into the orientation [rad]
    foreseen_rotation: np.ndarray  # number[3n]: spread: that of this cycle as foreseen [rad]
    next_orientation: np.ndarray  # number[4n]: spread: orientation foreseen for the next cycle
    next_spin: np.ndarray  # number[3n]: spread: ω foreseen for it [rad/s]
    next_position: np.ndarray  # number[3]: spread: position foreseen for the root [m]
    next_velocity: np.ndarray  # number[3]: … and its velocity [m/s]
    last_spin: np.ndarray  # number[3n]: spread: ω when this cycle began [rad/s]
    last_velocity: np.ndarray  # number[3]: spread: velocity of the root then [m/s]
    next_band: np.ndarray  # number[n * BAND_SIZE]: spread: the coefficients in the making
    push_links: np.ndarray  # int[p]: links that are pushed
    pushes: np.ndarray  # number[p * PUSH_SIZE]: force in world axes, point in link axes, end
    clock: np.ndarray  # int[1]: fast steps taken

    def copy(self) -> HingeState:
        """An independent copy."""
        return HingeState(*(array.copy() for array in self))
