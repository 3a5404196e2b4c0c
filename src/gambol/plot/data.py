"""The numbers of a picture, as a table."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

BACKGROUND = "background"  # mark of bars that are not data
HEAD = ("panel", "x label", "y label", "curve", "x", "y")


def rows_of(picture: Canvas) -> Iterator[tuple[str | float, ...]]:
    """(panel, x label, y label, curve, x, y) of every point of every curve and of both ends of every bar."""
    for number, axes in enumerate(picture.axes, 1):
        labels = (number, axes.get_xlabel(), axes.get_ylabel() or axes.get_title(loc="left"))
        for line in axes.get_lines():
            name = str(line.get_label())
            if not name.startswith("_"):
                for x, y in zip(np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)):
                    yield (*labels, name, float(x), float(y))
        ticks = [text.get_text() for text in axes.get_yticklabels()]
        for bar in axes.patches:
            if isinstance(bar, Rectangle) and ticks and bar.get_gid() != BACKGROUND:
                row = round(bar.get_y() + 0.5 * bar.get_height())
                name = ticks[row] if 0 <= row < len(ticks) else str(row)
                yield (*labels, name, float(bar.get_x()), float(bar.get_x() + bar.get_width()))


def write_data(picture: Canvas, path: str | Path) -> Path:
    """Writes them as CSV, every digit."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(HEAD)
        table.writerows(rows_of(picture))
    return path
