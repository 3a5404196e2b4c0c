"""Motions that the viewer's tests look at: no simulation, nothing to compile."""

import numpy as np

from gambol import Body, Box, Figure, Joint, Part, Placement, Sphere
from gambol.draw import Motion

RED, BLUE = (0.9, 0.1, 0.1), (0.1, 0.2, 0.9)


def brick(*, height: float = 0.5, colour=RED, name: str = "brick") -> Figure:
    """A cube of 0.4 m that floats at `height`."""
    part = Part(Box((0.4, 0.4, 0.4)), mass=1.0, colour=colour)
    return Figure(name, (Body("cube", joint=Joint("free"), placement=Placement.at(0.0, 0.0, height), parts=(part,)),))


def dumb_bell() -> Figure:
    """A red ball at the left (y = +0.5 m) and a blue one at the right."""
    parts = tuple(
        Part(Sphere(0.2), Placement.at(0.0, y, 0.0), mass=1.0, colour=c) for y, c in ((0.5, RED), (-0.5, BLUE))
    )
    return Figure("bell", (Body("bar", joint=Joint("free"), placement=Placement.at(0, 0, 0.5), parts=parts),))


def slide(figure: Figure, *, way: float = 4.0, seconds: float = 2.0, rate: float = 30.0) -> Motion:
    """The figure carried along x."""
    time = np.linspace(0.0, seconds, round(seconds * rate) + 1)
    q = np.tile(np.asarray(figure.zero), (len(time), 1))
    q[:, 0] += way * time / seconds
    return Motion((figure,), time, q, figure.name)


def coloured(pixels, colour) -> np.ndarray:
    """Which pixels have this hue: the colour's strongest channel far above its weakest."""
    pixels = np.asarray(pixels)[..., :3].astype(int)
    strong, weak = int(np.argmax(colour)), int(np.argmin(colour))
    return pixels[..., strong] - pixels[..., weak] > 80
