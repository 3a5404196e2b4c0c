"""Numbers of the compliant hexapod, and the order of its states.

Axes are those of the source: x to the right, y forward, z up. Legs: front, middle and back of the left side, then of
the right side. One tripod is the front and back legs of the left side with the middle leg of the right side.
"""

import math
from typing import NamedTuple

LEG_NAMES = ("left front", "left middle", "left back", "right front", "right middle", "right back")
LEG_COUNT = len(LEG_NAMES)
# charts: a bit for every leg in stance; beyond: the robot lies on the ground
FLIGHT_CHART, FALLEN_CHART = 0, 1 << LEG_COUNT
TOUCHDOWN_HEIGHT = 1e-5  # [m] above the terrain where a toe is put at touchdown

# States
BODY_POSITION, BODY_ATTITUDE, BODY_VELOCITY, BODY_SPIN = 0, 3, 7, 10  # quaternion (w, x, y, z); spin in the world frame
TOE_POSITION, TOE_VELOCITY = 13, 13 + 3 * LEG_COUNT
LINK_VOLTAGE = TOE_VELOCITY + 3 * LEG_COUNT  # voltage that the motors have
ENERGY_LEDGER = LINK_VOLTAGE + 1
ELECTRICAL_ENERGY, MOTOR_HEAT, MOTOR_WORK, DAMPING_LOSS, SLIDING_LOSS, FLIGHT_LEG_WORK, IMPACT_LOSS, BATTERY_USED = (
    range(ENERGY_LEDGER, ENERGY_LEDGER + 8)
)
STATE_SIZE = ENERGY_LEDGER + 8
STATE_NAMES = (
    *(f"body {a}" for a in "xyz"),
    *(f"attitude {a}" for a in "wxyz"),
    *(f"velocity {a}" for a in "xyz"),
    *(f"spin {a}" for a in "xyz"),
    *(f"toe {leg} {a}" for leg in LEG_NAMES for a in "xyz"),
    *(f"toe velocity {leg} {a}" for leg in LEG_NAMES for a in "xyz"),
    "link voltage",
    "electrical energy",
    "heat",
    "work",
    "damping loss",
    "sliding loss",
    "flight leg work",
    "impact loss",
    "battery used",
)


class CompliantHexapodParameters(NamedTuple):
    """Usual values: the configuration of the source's own simulator where it is known."""

    gravity: float = 9.81  # [m/s²]
    mass: float = 7.0  # [kg]
    inertia_x: float = 0.09917  # [kg·m²] about the axis to the right,
    inertia_y: float = 0.02917  # forward
    inertia_z: float = 0.11700  # and up
    height: float = 0.18  # [m] of the body over the ground at the start
    hip_side: float = 0.1  # [m] from the middle to front and back hips, sideways
    hip_length: float = 0.2  # [m] … and along
    middle_hip_side: float = 0.15  # [m]
    # toes
    toe_mass: float = 0.01  # [kg]
    friction: float = 0.5
    mobility: float = 1.0  # [m/s/N] speed of a sliding toe for a force beyond friction
    # legs; middle ones have values of their own
    stiffness: float = 1200.0  # [N/m] along the leg
    middle_stiffness: float = 1600.0
    damping: float = 12.0  # [N·s/m]
    middle_damping: float = 16.0
    rest_length: float = 0.17  # [m]
    touchdown_length: float = 0.175  # [m] a longer leg does not touch down (shorter: its toe passes through the ground)
    liftoff_length: float = 0.175  # [m] a longer leg lifts off
    lateral_stiffness: float = 300.0  # [N·m/rad] sideways
    middle_lateral_stiffness: float = 400.0
    lateral_damping: float = 0.12  # [N·m·s/rad]
    middle_lateral_damping: float = 0.16
    lateral_rest: float = 0.05  # [rad] outward
    # motors (one constant for torque and back-EMF: see MOTOR_AS_PRINTED)
    torque_constant: float = 0.0161  # [N·m/A] at the shaft
    back_emf: float = 0.0161  # [V·s/rad] at the shaft
    resistance: float = 1.34  # [Ω]
    gear: float = 33.0625
    torque_cap: float = 4.0  # [N·m] at the hip
    supply: float = 24.0  # [V] of a full battery
    # battery (battery.py)
    nominal_voltage: float = 24.0  # [V] that the discharge curve belongs to: two of 12 V in series
    sag: float = 0.0  # [Ω] inner resistance; 0: the voltage does not sag
    droop: float = 0.0  # share of the voltage lost when the battery is empty
    link_time: float = 0.005  # [s] in which the voltage at the motors follows
    # controller
    position_gain: float = 24.015  # [N·m/rad]
    speed_gain: float = 0.67242  # [N·m·s/rad]
    cycle: float = 1.0  # [s] of a leg's turn
    sweep: float = math.pi / 10  # [rad] of its slow part
    duty: float = 0.5  # share of the cycle that is slow
    offset: float = 0.0  # [rad] added to the reference: positive is forward
    phase: float = 0.0  # [cycles] of the clock at time 0
    left_share: float = 1.0  # of the sweep, by the legs of the left; negative: they turn forward, and push back
    right_share: float = 1.0
    # terrain (terrain.py)
    slope_x: float = 0.0
    slope_y: float = 0.0  # rise per length, forward
    ground: float = 0.0  # [m] height at the origin
    amplitude: float = 0.0  # [m] of a wavy ground
    waves_x: float = 0.0  # [1/m]
    waves_y: float = 1.0
    ditch_start: float = 1.0  # [m]
    ditch_width: float = 0.1
    ditch_depth: float = 0.05
    # when it counts as fallen
    tilt: float = math.pi / 3  # [rad]
    low: float = 0.02  # [m] of the body over the terrain


# The clock of RHex, the robot that was built after this model.
RHEX_CLOCK = {"cycle": 0.53, "duty": 0.6226, "sweep": 0.6981, "offset": -0.15}
# The constants of the configuration as they stand there: a torque constant of 0.0161 N·m/A and a speed constant of
# 55.3685 rad/s/V, which is a back-EMF of 0.01806 V·s/rad. They do not belong to one motor: with two constants power
# appears or vanishes in it. The usual parameters take the torque constant for both, so that energy = heat + work.
MOTOR_AS_PRINTED = {"back_emf": 1.0 / 55.3685}
