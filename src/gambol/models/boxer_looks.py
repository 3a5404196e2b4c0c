"""How the boxer looks: in a vest, with gloves. None of it weighs or touches anything."""

from dataclasses import replace

from gambol.figure import Part, Placement
from gambol.models.looks import SKIN, fist, garment, head, limb, shoe

SHIRT, CLOTH, GLOVE = (0.55, 0.20, 0.20), (0.25, 0.27, 0.35), (0.72, 0.18, 0.14)

# Sections of the clothes: height above the hips, middle forward, middle left, half depth, half width [m]
VEST = ((0.030, 0.0, 0.0, 0.070, 0.100), (0.045, 0.0, 0.0, 0.100, 0.140), (0.180, 0.0, 0.0, 0.106, 0.148),
        (0.320, 0.008, 0.0, 0.124, 0.180), (0.420, 0.0, 0.0, 0.112, 0.205), (0.470, -0.006, 0.0, 0.084, 0.190),
        (0.505, -0.008, 0.0, 0.060, 0.120), (0.525, -0.008, 0.0, 0.042, 0.060))  # fmt: skip
SHORTS = ((0.085, 0.0, 0.0, 0.080, 0.120), (0.075, 0.0, 0.0, 0.108, 0.150), (0.0, 0.0, 0.0, 0.116, 0.172),
          (-0.070, 0.0, 0.0, 0.114, 0.178), (-0.120, 0.0, 0.0, 0.070, 0.130))  # fmt: skip
THROAT = ((0.480, -0.008, 0.0, 0.056, 0.058), (0.540, 0.0, 0.0, 0.054, 0.055), (0.590, 0.010, 0.0, 0.046, 0.046))


def looks(name: str) -> list[Part]:
    """What is seen of a body: a boxer in a vest, with gloves."""
    match name.removeprefix("l_").removeprefix("r_"):
        case "torso":
            neck = garment(THROAT, SKIN, square=2.0, finish="skin")
            return [garment(SHORTS, CLOTH), garment(VEST, SHIRT), neck]
        case "head":
            return head(0.02)
        case "upper_arm":
            return [limb((0.056, 0.056, 0.050, 0.043, 0.040), 0.30, SKIN)]
        case "forearm":
            glove = Placement.at(0.0, 0.0, -0.23)
            parts = fist(GLOVE, size=1.5, finish="rubber")
            placed = [replace(part, placement=glove.compose(part.placement)) for part in parts]
            return [limb((0.041, 0.044, 0.040, 0.034, 0.030), 0.25, SKIN), *placed]
        case "thigh":
            return [limb((0.088, 0.092, 0.086, 0.074, 0.058), 0.43, CLOTH, finish="cloth")]
        case "shank":
            return [limb((0.056, 0.062, 0.056, 0.044, 0.040), 0.43, SKIN)]
    return shoe(SHIRT, -0.08)
