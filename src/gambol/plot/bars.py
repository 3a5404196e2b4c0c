"""Bars: one number for each of several things."""

from collections.abc import Mapping

from matplotlib.figure import Figure as Canvas

from gambol.plot.style import CURVE_COLOURS, INK, TEXT, canvas, dress


def bar_chart(
    values: Mapping[str, float], *, across: str, title: str = "", logarithmic: bool = False, start: float | None = None
) -> Canvas:
    """A bar for each name, from the top down, with its number; `start` is where they begin on a logarithmic scale."""
    picture = canvas(7.5, 0.9 + 0.42 * len(values))
    axes = picture.subplots(1, 1)
    names = list(values)
    left = start if logarithmic and start is not None else 0.0
    for k, name in enumerate(names):
        axes.barh(k, values[name] - left, left=left, height=0.62, color=CURVE_COLOURS[k % len(CURVE_COLOURS)])
        axes.annotate(f" {values[name]:.3g}", (values[name], k), va="center", fontsize=TEXT - 1, color=INK)
    dress(axes, x=across, title=title)
    if logarithmic:
        axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names, fontsize=TEXT - 1, color=INK)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.grid(axis="y", visible=False)
    return picture
