"""The compliant hexapod of Saranli & Buehler: a body on six springy legs, driven by motors at the hips and a clock."""

from gambol.hybrid.models.compliant_hexapod.battery import time_to_empty
from gambol.hybrid.models.compliant_hexapod.model import (
    CompliantHexapod,
    CompliantHexapodOnWaves,
    CompliantHexapodOverDitch,
)
from gambol.hybrid.models.compliant_hexapod.parameters import (
    LEG_NAMES,
    MOTOR_AS_PRINTED,
    RHEX_CLOCK,
    CompliantHexapodParameters,
)
from gambol.hybrid.models.compliant_hexapod.start import start

__all__ = [
    "LEG_NAMES",
    "MOTOR_AS_PRINTED",
    "RHEX_CLOCK",
    "CompliantHexapod",
    "CompliantHexapodOnWaves",
    "CompliantHexapodOverDitch",
    "CompliantHexapodParameters",
    "start",
    "time_to_empty",
]
