"""Where the light comes from, and colours for bodies that have none; for all pictures, whatever draws them."""

import numpy as np

LIGHT = np.array([0.35, -0.55, 1.0]) / np.linalg.norm([0.35, -0.55, 1.0])  # direction towards the light, world axes
# Okabe and Ito's colours, which people with any colour vision tell apart; for bodies without a colour of their own
PALETTE = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00")


def rgb(colour: str) -> tuple[float, float, float]:
    """Red, green and blue (0 … 1) of a colour as in #56b4e9."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue
