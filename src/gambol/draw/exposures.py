"""Moments of a motion in one scene, as on a plate that was exposed several times."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gambol.draw.motion import Motion
from gambol.draw.picture import Studio, moments_of
from gambol.draw.render import projected
from gambol.draw.solids import colour_of
from gambol.figure import Figure

PALE, FADED = (0.80, 0.82, 0.84), 0.62  # what early moments lean towards, and how far the first does
APART = 0.05  # of the width: words that would be nearer to each other are left out


def chronophotograph(what: Any, *, times: int | Sequence[float] = 9, **options: Any) -> Image.Image:
    """Moments in one scene, the earlier the paler, with their times; `times` is how many, or which ones [s].

    Options are those of `Studio`.
    """
    motion = Motion.of(what, world=options.pop("world", 0))
    moments = moments_of(motion, times)
    last = max(1, len(moments) - 1)
    each = [
        replace(
            motion,
            figures=_faded(motion.figures, FADED * (1.0 - k / last)),
            time=[0.0],
            q=[motion.positions(t)],
            v=None,
        )
        for k, t in enumerate(moments)
    ]
    whole = Motion.side_by_side(each, spacing=0.0)
    studio = Studio(whole, **options)
    made = Image.fromarray(studio.frame(0.0))
    origins, count = whole.poses(0.0).origins, len(moments)
    middles = origins.reshape(count, -1, 3).mean(axis=1)
    columns = projected(middles, studio.view(0.0), made.width, made.height)[0][:, 0]
    _write(made, columns, [f"{t:.2f} s" for t in moments], studio.tones.ink)
    return made


def _faded(figures: Sequence[Figure], share: float) -> tuple[Figure, ...]:
    """The figures in paler colours."""
    found, first = [], 0
    for figure in figures:
        number = {body.name: first + k for k, body in enumerate(figure.order)}
        bodies = []
        for body in figure.bodies:
            shade = lambda part, own=number[body.name]: (
                (1.0 - share) * np.array(colour_of(part, own)) + share * np.array(PALE)
            )
            bodies.append(replace(body, parts=tuple(replace(p, colour=tuple(shade(p))) for p in body.parts)))
        found.append(replace(figure, bodies=tuple(bodies)))
        first += len(figure.bodies)
    return tuple(found)


def _write(picture: Image.Image, columns: np.ndarray, words: Sequence[str], ink: tuple[int, ...]) -> None:
    """The times below the moments; of those that would touch the last is kept."""
    pen, taken = ImageDraw.Draw(picture), list[float]()
    font = ImageFont.load_default(size=max(11, round(0.015 * picture.width)))
    for x, text in list(zip(columns, words))[::-1]:
        if all(abs(x - other) > APART * picture.width for other in taken):
            taken.append(x)
            pen.text((float(x), 0.97 * picture.height), text, ink, font, anchor="ms")
