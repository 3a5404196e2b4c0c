"""The roach of 1990, 33 bodies and 38 degrees of freedom: figure, springs and ground, leg programs, walking."""

from gambol.models.roach.figure import (
    MIDDLE_LEFT,
    corners,
    rest_angles,
    roach,
    roach_with_middle_legs_backwards,
    standing_positions,
    table,
)
from gambol.models.roach.leg_programs import PRINTED, STEP_TIME, TUNED, adjusted_legs, backward, legs, upward
from gambol.models.roach.walking import settled_roach, walking_roach
from gambol.models.roach.world import (
    GRAVITY,
    STEPPING_LENGTH,
    STEPPING_TIME,
    STICKY,
    STICKY_FRICTION,
    contacts,
    ground,
    joint_springs,
    roach_world,
    stepping,
)

__all__ = [
    "GRAVITY",
    "MIDDLE_LEFT",
    "PRINTED",
    "STEPPING_LENGTH",
    "STEPPING_TIME",
    "STEP_TIME",
    "STICKY",
    "STICKY_FRICTION",
    "TUNED",
    "adjusted_legs",
    "backward",
    "contacts",
    "corners",
    "ground",
    "joint_springs",
    "legs",
    "rest_angles",
    "roach",
    "roach_with_middle_legs_backwards",
    "roach_world",
    "settled_roach",
    "standing_positions",
    "stepping",
    "table",
    "upward",
]
