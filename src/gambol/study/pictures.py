"""Pictures of a study: every result over the parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.plot.style import save
from gambol.plot.surface import plot_surface, plot_sweep
from gambol.study.journal import OK, STATUS_COLUMNS

if TYPE_CHECKING:
    import pandas


def draw_results(table: pandas.DataFrame, parameters: list[str], folder: Path) -> list[Path]:
    """A picture for every numeric result: a surface over two gridded parameters, else points over each parameter."""
    good = table[table["outcome"] == OK]
    numeric = [name for name in parameters if _is_numeric(good[name])]
    results = [name for name in table.columns if name not in (*parameters, *STATUS_COLUMNS) and _is_numeric(good[name])]
    written = []
    for number, result in enumerate(results, 1):
        name = "".join(c if c.isalnum() else "-" for c in result)[:60].strip("-")
        if numeric:
            written.append(save(_picture(good, numeric, result), folder / f"{number:02d}-{name}.png"))
    return written


def _is_numeric(column: Any) -> bool:
    return column.dtype.kind in "iuf" and bool(column.notna().any())


def _picture(good: pandas.DataFrame, numeric: list[str], result: str) -> Any:
    sizes = [good[name].nunique() for name in numeric]
    if len(numeric) == 2 and min(sizes) > 1 and len(good) > 0.5 * np.prod(sizes):
        cross = good.pivot_table(index=numeric[1], columns=numeric[0], values=result)
        x, y = cross.columns.to_numpy(), cross.index.to_numpy()
        return plot_surface(x, y, cross.to_numpy(), x=numeric[0], y=numeric[1], value=result)
    return plot_sweep({name: good[name].to_numpy() for name in numeric}, good[result].to_numpy(), value=result)
