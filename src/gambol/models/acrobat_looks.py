"""How the acrobat looks: a gymnast in a vest. None of it weighs or touches anything."""

from gambol.figure import Part
from gambol.models.looks import SKIN, fist, garment, head, limb, shoe

SUIT, LEGS, SLIPPER = (0.80, 0.22, 0.25), (0.23, 0.29, 0.42), (0.90, 0.89, 0.87)

# Sections of the clothes: height, middle forward, middle left, half depth, half width [m, body frame]
HIPS = ((0.125, 0.0, 0.0, 0.070, 0.100), (0.110, 0.0, 0.0, 0.092, 0.128), (0.040, 0.0, 0.0, 0.104, 0.150),
        (-0.040, 0.0, 0.0, 0.110, 0.166), (-0.090, 0.0, 0.0, 0.1, 0.160), (-0.125, 0.0, 0.0, 0.060, 0.110))  # fmt: skip
VEST = ((-0.050, 0.0, 0.0, 0.070, 0.100), (-0.030, 0.0, 0.0, 0.090, 0.126), (0.060, 0.0, 0.0, 0.098, 0.134),
        (0.180, 0.004, 0.0, 0.116, 0.160), (0.270, 0.0, 0.0, 0.112, 0.182), (0.330, -0.006, 0.0, 0.086, 0.178),
        (0.368, -0.008, 0.0, 0.060, 0.110), (0.385, -0.008, 0.0, 0.040, 0.056))  # fmt: skip
THROAT = ((0.350, -0.008, 0.0, 0.050, 0.052), (0.420, 0.0, 0.0, 0.048, 0.049), (0.480, 0.008, 0.0, 0.044, 0.044))


def looks(name: str) -> list[Part]:
    """What is seen of a body: a gymnast in a vest, holding on with both hands."""
    match name.removeprefix("l_").removeprefix("r_"):
        case "pelvis":
            return [garment(HIPS, LEGS)]
        case "chest":
            return [garment(VEST, SUIT), garment(THROAT, SKIN, square=2.0, finish="skin")]
        case "head":
            return head(0.02)
        case "arm":
            return [limb((0.052, 0.050, 0.045, 0.039, 0.036), 0.29, SUIT, finish="cloth")]
        case "forearm":
            return [limb((0.033, 0.040, 0.036, 0.030, 0.026), 0.26, SKIN)]
        case "hand":
            return fist(low=-0.07)
        case "foot":
            return shoe(SLIPPER, -0.07, finish="cloth")
        case "thigh":
            return [limb((0.082, 0.084, 0.076, 0.065, 0.056), 0.42, LEGS, finish="cloth")]
    return [limb((0.055, 0.061, 0.055, 0.043, 0.038), 0.41, LEGS, finish="cloth")]
