"""Gait diagrams: when each leg stands and when it steps. Dark is the stance, everywhere, as in the source."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.control.legs.gait import Footfalls
from gambol.plot.style import AIR_COLOUR, INK, PALE, STANCE_COLOUR, TEXT, canvas, dress


def gait_diagram(
    footfalls: Footfalls | Mapping[str, Footfalls],
    *,
    start: float = 0.0,
    end: float | None = None,
    order: tuple[str, ...] | None = None,
    title: str = "",
) -> Canvas:
    """A bar for each leg, dark while it stands, light while it steps; several runs one above the other."""
    runs = {"": footfalls} if isinstance(footfalls, Footfalls) else dict(footfalls)
    picture = canvas(8.0, 0.5 + 1.5 * len(runs))
    panels = np.atleast_1d(picture.subplots(len(runs), 1, sharex=False))
    for axes, (name, run) in zip(panels, runs.items()):
        last = run.duration if end is None else end
        rows = list(order or run.legs)
        for k, leg in enumerate(rows):
            axes.barh(k, last - start, left=start, height=0.7, color=STANCE_COLOUR)
            for begins, ends in run.steps[run.legs.index(leg)]:
                stops = ends if np.isfinite(ends) else last
                if stops > start and begins < last:
                    left = max(begins, start)
                    axes.barh(k, min(stops, last) - left, left=left, height=0.7, color=AIR_COLOUR)
        dress(axes, x="time [s], dark: on the ground" if axes is panels[-1] else "", title=name or title)
        axes.set_yticks(range(len(rows)), [leg.upper() for leg in rows], fontsize=TEXT - 1, color=INK)
        axes.invert_yaxis()
        axes.set_xlim(start, last)
        axes.grid(axis="y", visible=False)
        axes.axvline(start, color=PALE, linewidth=0.5)
    if title and "" not in runs:
        picture.suptitle(title, fontsize=TEXT + 1, color=INK, x=0.01, ha="left")
    return picture
