"""The one look of stills, films, pages and the live view: light, sky, ground, finishes, colours.

Colours are as seen (sRGB, 0 … 1); light is counted in linear units, so that a face under the whole sky and the sun
straight above it is a little brighter than its colour.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from gambol.plot.palette import LIGHT

SUN, SKY, BOUNCE, FILL = (1.02, 0.96, 0.86), (0.46, 0.50, 0.56), (0.30, 0.28, 0.25), 0.16
PROP = (0.45, 0.47, 0.50)
SCALE_FROM = 420  # [pixels] width from which a picture has room for words about its scale


class Tones(NamedTuple):
    """The colours around figures: sky above and at the horizon, ground with fine and bold lines; words and paper."""

    zenith: tuple[float, ...]
    horizon: tuple[float, ...]
    earth: tuple[float, ...]
    line: tuple[float, ...]
    bold: tuple[float, ...]
    ink: tuple[int, ...]
    paper: tuple[int, ...]


DAY = Tones(
    (0.40, 0.59, 0.80),
    (0.87, 0.91, 0.94),
    (0.735, 0.725, 0.695),
    (0.62, 0.61, 0.585),
    (0.50, 0.495, 0.475),
    (43, 48, 56),
    (255, 255, 255),
)
DARK = Tones(
    (0.07, 0.09, 0.13),
    (0.215, 0.245, 0.29),
    (0.27, 0.285, 0.31),
    (0.355, 0.375, 0.40),
    (0.45, 0.47, 0.50),
    (226, 231, 237),
    (24, 28, 34),
)


class Finish(NamedTuple):
    """How a surface takes light: strength of its gloss, how narrow it is, and how much its edges catch the sky."""

    gloss: float
    narrow: float
    edge: float


FINISHES = {
    "": Finish(0.10, 24.0, 0.10),
    "skin": Finish(0.07, 14.0, 0.14),
    "cloth": Finish(0.00, 8.0, 0.18),
    "chitin": Finish(0.42, 70.0, 0.22),
    "metal": Finish(0.55, 90.0, 0.16),
    "rubber": Finish(0.05, 10.0, 0.06),
}


def linear(colour: Any) -> np.ndarray:
    """Light of colours as seen."""
    return np.asarray(colour, float) ** 2.2


def cell_of(reach: float) -> float:
    """Width of the fine squares of the ground [m] where `reach` [m] of it are seen; bold ones are ten times as wide."""
    return float(10.0 ** math.floor(math.log10(0.27 * reach)))


def length_words(metres: float) -> str:
    """1 cm, 10 cm, 1 m."""
    for unit, size in (("km", 1e3), ("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("µm", 1e-6)):
        if metres >= 0.999 * size:
            return f"{metres / size:g} {unit}"
    return f"{metres:g} m"


def page_look() -> dict[str, Any]:
    """The same numbers for the player in a browser."""
    return {
        "light": LIGHT.tolist(),
        "sun": SUN,
        "sky": SKY,
        "bounce": BOUNCE,
        "fill": FILL,
        **_grounds(DAY),
        "dark": _grounds(DARK),
    }


def _grounds(tones: Tones) -> dict[str, tuple[float, ...]]:
    return {name: colour for name, colour in tones._asdict().items() if name not in ("ink", "paper")}
