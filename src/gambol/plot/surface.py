"""A quantity over one, two or more parameters: speed surfaces, sweeps."""

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.errors import GambolError
from gambol.plot.style import CURVE_COLOURS, INK, TEXT, canvas, dress

MOST_TICKS = 8  # so many values of a parameter are all written at the axis


def plot_surface(
    across: np.ndarray, up: np.ndarray, values: np.ndarray, *, x: str, y: str, value: str, title: str = ""
) -> Canvas:
    """`values` (len(up), len(across)) as colours with contour lines; nan stays white. x, y and value are labels."""
    values = np.asarray(values, float)
    if values.shape != (len(up), len(across)):
        raise GambolError(f"a surface needs values of shape {(len(up), len(across))}, not {values.shape}")
    if not np.isfinite(values).any():
        raise GambolError("a surface needs at least one finite value")
    picture = canvas(6.6, 5.0)
    axes = picture.subplots(1, 1)
    drawn = axes.pcolormesh(across, up, np.ma.masked_invalid(values), cmap="viridis", shading="nearest")
    varied = np.ptp(values[np.isfinite(values)]) > 0
    if min(values.shape) > 4 and varied and np.isfinite(values).all():
        lines = axes.contour(across, up, values, levels=7, colors="white", linewidths=0.8)
        axes.clabel(lines, fontsize=TEXT - 2)
    bar = picture.colorbar(drawn, ax=axes)
    bar.set_label(textwrap.fill(value, 55), fontsize=TEXT, color=INK)
    bar.ax.tick_params(labelsize=TEXT - 1, colors=INK)
    dress(axes, x=x, y=y, title=title)
    axes.grid(False)
    for ticks, places in ((axes.set_xticks, across), (axes.set_yticks, up)):
        if len(places) <= MOST_TICKS:
            ticks(places, [f"{place:g}" for place in places])
    return picture


def plot_sweep(columns: Mapping[str, np.ndarray], values: np.ndarray, *, value: str, title: str = "") -> Canvas:
    """`values` over each parameter in a panel of its own; joined where a parameter alone decides them."""
    if not columns or not len(values):
        raise GambolError("a sweep needs at least one parameter and one value")
    picture = canvas(max(5.0, 3.6 * len(columns)), 3.8)
    panels: Any = np.atleast_1d(picture.subplots(1, len(columns), sharey=True))
    for k, (name, column) in enumerate(columns.items()):
        order = np.argsort(column, kind="stable")
        alone = len(columns) == 1 and len(np.unique(column)) == len(column)
        style = dict(marker="o", markersize=3.5, linewidth=1.3 if alone else 0.0)
        panels[k].plot(
            np.asarray(column)[order], np.asarray(values)[order], color=CURVE_COLOURS[k % len(CURVE_COLOURS)], **style
        )
        dress(panels[k], x=name, y=textwrap.fill(value, 45) if k == 0 else "")
    if title:
        picture.suptitle(title, fontsize=TEXT + 2, color=INK)
    return picture
