"""The compliant hexapod of Saranli & Buehler: a body on six springy legs, driven by motors at the hips and a clock."""

from gambol.hybrid.models.compliant_hexapod.battery import time_to_empty
from gambol.hybrid.models.compliant_hexapod.model import CompliantHexapod, DitchHexapod, WavyHexapod
from gambol.hybrid.models.compliant_hexapod.parameters import LATER_CLOCK, LEGS, MOTOR_AS_PRINTED, HexapodParameters
from gambol.hybrid.models.compliant_hexapod.start import start

__all__ = [
    "LATER_CLOCK",
    "LEGS",
    "MOTOR_AS_PRINTED",
    "CompliantHexapod",
    "DitchHexapod",
    "HexapodParameters",
    "WavyHexapod",
    "start",
    "time_to_empty",
]
