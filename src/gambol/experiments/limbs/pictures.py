"""How the pictures of these experiments are drawn: rows of curves, and bars with their spread."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.experiments.registry import ExperimentContext
from gambol.plot import CURVE_COLOURS, canvas, dress


class PlotCurve(NamedTuple):
    """One curve of a panel."""

    x: np.ndarray
    y: np.ndarray
    label: str = ""
    style: str = "-"


class PlotPanel(NamedTuple):
    """Curves on common axes."""

    title: str
    x: str
    y: str
    curves: Sequence[PlotCurve]
    log: bool = False
    top: float | None = None  # shown from zero to this; said in the title


def draw_panels(context: ExperimentContext, name: str, panels: Sequence[PlotPanel], *, columns: int = 3) -> None:
    """Panels in rows, saved as a picture of the experiment."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    picture = canvas(4.0 * columns, 2.7 * rows)
    axes = np.atleast_1d(picture.subplots(rows, columns)).ravel()
    for place, panel in zip(axes, panels):
        _panel(place, panel)
    for place in axes[len(panels) :]:
        place.set_axis_off()
    context.save(name, picture)


def _panel(axes, panel: PlotPanel) -> None:
    for k, curve in enumerate(panel.curves):
        axes.plot(
            curve.x, curve.y, curve.style, color=CURVE_COLOURS[k % len(CURVE_COLOURS)], lw=1.2, ms=3, label=curve.label
        )
    dress(axes, x=panel.x, y=panel.y, title=panel.title)
    if panel.log:
        axes.set_yscale("log")
    if panel.top is not None:
        axes.set_ylim(0.0, panel.top)
    if any(curve.label for curve in panel.curves):
        axes.legend(fontsize=7, frameon=False)


def draw_bars(
    context: ExperimentContext, name: str, groups: dict[str, dict[str, np.ndarray]], y: str, *, log: bool = False
) -> None:
    """Mean and one standard deviation over tasks of every controller; one panel a group."""
    picture = canvas(max(5.0, 3.6 * len(groups)), 3.0)
    panels = np.atleast_1d(picture.subplots(1, len(groups), sharey=True))
    for axes, (title, found) in zip(panels, groups.items()):
        mean = [np.nanmean(values) for values in found.values()]
        spread = [np.nanstd(values) for values in found.values()]
        axes.bar(
            range(len(found)), mean, yerr=spread, color=CURVE_COLOURS[0], ecolor=CURVE_COLOURS[1], capsize=2, width=0.7
        )
        for k, values in enumerate(found.values()):
            if lost := int(np.isnan(values).sum()):
                where = axes.get_xaxis_transform()
                axes.text(k, 0.03, f"{lost} unstable", transform=where, rotation=90, fontsize=6, ha="center", color="w")
        dress(axes, y=y if axes is panels[0] else "", title=title)
        axes.set_xticks(range(len(found)), list(found), rotation=60, fontsize=7)
        if log:
            axes.set_yscale("log")
    context.save(name, picture)
