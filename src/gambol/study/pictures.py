"""Pictures of a study: every result over the parameters, the way of a search, the landscape around an optimum."""

from __future__ import annotations

import base64
import html
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import StudyError, nearest
from gambol.plot.style import CURVE_COLOURS, INK, PALE, TEXT, canvas, dress, save
from gambol.plot.surface import plot_surface, plot_sweep
from gambol.study.journal import OK, RUN_COLUMN, STATUS_COLUMNS
from gambol.study.quantities import UNITS, units_of, with_unit
from gambol.version import __version__

if TYPE_CHECKING:
    import pandas

    from gambol.study.search import Optimum

CONFIDENCE = 0.95
REPLICATES = "replicates"  # the column of `means` that says how many
MOST_COLOURS = len(CURVE_COLOURS)


def means(table: pandas.DataFrame, parameters: Sequence[str], *, over: str = "seed") -> pandas.DataFrame:
    """A row for every point without its seed: its `replicates`, of each number the mean and half its 95 % interval."""
    import pandas
    from scipy.stats import t

    kept = [name for name in parameters if name != over]
    good = table[table["outcome"] == OK]
    results = numeric_results(table, parameters)
    made = []
    for key, group in good.groupby(kept, sort=False, dropna=False) if kept else [((), good)]:
        row = dict(zip(kept, key if isinstance(key, tuple) else (key,)))
        for name in results:
            values = group[name].dropna().to_numpy(float)
            count = len(values)
            row[name] = float(values.mean()) if count else np.nan
            spread = values.std(ddof=1) / np.sqrt(count) if count > 1 else np.nan
            row[f"{name} ±"] = float(t.ppf(0.5 + 0.5 * CONFIDENCE, count - 1) * spread) if count > 1 else np.nan
        made.append({**row, RUN_COLUMN.format(REPLICATES) if REPLICATES in row else REPLICATES: len(group)})
    found = pandas.DataFrame(made)
    units = units_of(table)
    spreads = {f"{name} ±": units[name] for name in results if name in units}
    if known := {name: unit for name, unit in {**units, **spreads}.items() if name in found}:
        found.attrs[UNITS] = known
    return found


def draw_results(
    table: pandas.DataFrame, parameters: list[str], folder: Path, *, axes: Sequence[str] = ()
) -> list[Path]:
    """A picture for every numeric result.

    A surface over two gridded parameters, else points over each; a parameter of texts colours them; replicates (a
    parameter `seed` beside others) are shown as means with their intervals. Units are those of the table. `axes`: the
    parameters to show it over.
    """
    if unknown := [name for name in axes if name not in parameters]:
        raise StudyError(f"there is no parameter {unknown[0]!r}{nearest(unknown[0], parameters)}")
    good = table[table["outcome"] == OK]
    replicated = {"seed"} < set(parameters) and "seed" not in axes and len(good) and good["seed"].nunique() > 1
    shown = list(axes) or [name for name in parameters if not (replicated and name == "seed")]
    numeric = [name for name in shown if _is_numeric(good[name])]
    texts = [name for name in parameters if len(good) and not _is_numeric(good[name])]
    written = []
    for number, result in enumerate(numeric_results(table, parameters), 1):
        name = "".join(c if c.isalnum() else "-" for c in result)[:60].strip("-")
        if not numeric and not texts:
            continue
        if replicated or texts:
            data = means(table, parameters) if replicated else good
            picture = _grouped(data, numeric, texts, result)
        else:
            picture = _picture(good, numeric, result)
        written.append(save(picture, folder / f"{number:02d}-{name}.png"))
    return written


def numeric_results(table: pandas.DataFrame, parameters: Sequence[str]) -> list[str]:
    """Names of the results that are numbers."""
    good = table[table["outcome"] == OK]
    status = [RUN_COLUMN.format(name) if name in parameters else name for name in STATUS_COLUMNS]
    return [name for name in table.columns if name not in (*parameters, *status) and _is_numeric(good[name])]


def headings(table: pandas.DataFrame) -> dict[str, str]:
    """The columns of a study's table, each with its unit."""
    units = units_of(table)
    return {name: with_unit(name, units) for name in table.columns}


def _is_numeric(column: Any) -> bool:
    return column.dtype.kind in "iuf" and bool(column.notna().any())


def _picture(good: pandas.DataFrame, numeric: list[str], result: str) -> Any:
    says = headings(good)
    sizes = [good[name].nunique() for name in numeric]
    if len(numeric) == 2 and min(sizes) > 1 and len(good) > 0.5 * np.prod(sizes):
        cross = good.pivot_table(index=numeric[1], columns=numeric[0], values=result)
        x, y = cross.columns.to_numpy(), cross.index.to_numpy()
        labels = {"x": says[numeric[0]], "y": says[numeric[1]], "value": says[result]}
        return plot_surface(x, y, cross.to_numpy(), **labels)
    columns = {says[name]: good[name].to_numpy() for name in numeric}
    return plot_sweep(columns, good[result].to_numpy(), value=says[result])


def _grouped(data: pandas.DataFrame, numeric: list[str], texts: list[str], result: str) -> Any:
    """Over every number, coloured by the texts, with intervals where there are any."""
    across, says = numeric or texts[:1], headings(data)
    labels = data[texts].astype(str).agg(", ".join, axis=1) if texts else None
    kinds = list(dict.fromkeys(labels)) if labels is not None else [""]
    picture = canvas(max(5.0, 3.8 * len(across)), 3.8)
    panels: Any = np.atleast_1d(picture.subplots(1, len(across), sharey=True))
    for panel, name in zip(panels, across):
        for k, kind in enumerate(kinds):
            own = data if labels is None else data[labels == kind]
            own = own.sort_values(name)
            colour = CURVE_COLOURS[k % MOST_COLOURS]
            width = own[f"{result} ±"] if f"{result} ±" in own else None
            x = own[name].astype(str) if name in texts else own[name]
            shown = f" {kind}" if kind.startswith("_") else kind or None  # matplotlib's legends leave out those with _
            panel.errorbar(x, own[result], yerr=width, fmt="o", ms=4, color=colour, capsize=3, label=shown)
        dress(panel, x=says[name], y=says[result] if panel is panels[0] else "")
    if texts and len(kinds) > 1:
        panels[-1].legend(
            fontsize=TEXT - 1, frameon=False, title=", ".join(says[name] for name in texts), title_fontsize=TEXT - 1
        )
    return picture


# ---------------------------------------------------------------- of a search
def draw_search(found: Optimum, folder: Path) -> list[Path]:
    """The way of the search, the landscape around the optimum, and of several objectives the front."""
    written = [save(_convergence(found), folder / "convergence.png"), save(_landscape(found), folder / "landscape.png")]
    if len(found.objectives) > 1:
        written.append(save(_front(found), folder / "front.png"))
    return written


def _convergence(found: Optimum) -> Any:
    name = next(iter(found.objectives))
    best, sign = np.inf, 1.0 if found.objectives[name] == "min" else -1.0
    numbers, values, so_far = [], [], []
    for k, one in enumerate(found.evaluations, 1):
        if one.feasible:
            best = min(best, sign * one.values[name])
            numbers.append(k)
            values.append(one.values[name])
            so_far.append(sign * best)
    picture = canvas(6.4, 3.8)
    axes = picture.subplots(1, 1)
    axes.plot(numbers, values, ".", color=PALE, markersize=3, label="candidates")
    axes.step(numbers, so_far, where="post", color=CURVE_COLOURS[0], linewidth=1.6, label="best so far")
    for k in range(1, max((e.restart for e in found.evaluations), default=0) + 1):
        begin = next(n for n, e in enumerate(found.evaluations, 1) if e.restart == k)
        axes.axvline(begin, color=PALE, linewidth=0.7, linestyle=":")
    low, high = np.percentile(values, [2, 98])
    edge = 0.15 * max(high - low, 1e-12)
    axes.set_ylim(min(low, *so_far[-1:]) - edge, max(high, *so_far[-1:]) + edge)
    dress(axes, x="evaluations", y=_aim(found, name))
    axes.legend(fontsize=TEXT - 1, frameon=False)
    return picture


def _aim(found: Optimum, objective: str) -> str:
    """An objective as a label: with its unit, and whether it is made small or large."""
    return f"{with_unit(objective, units_of(found.table))} ({found.objectives[objective]})"


def _landscape(found: Optimum) -> Any:
    """Every pair of neighbouring parameters, candidates coloured by what they gave; a ring around the best."""
    name, names, units = next(iter(found.objectives)), list(found.ranges), units_of(found.table)
    good = [e for e in found.evaluations if e.feasible]
    values = np.array([e.values[name] for e in good])
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]][:6] or [(names[0], "")]
    picture = canvas(3.9 * min(len(pairs), 3), 3.4 * -(-len(pairs) // 3))
    panels: Any = np.atleast_1d(picture.subplots(-(-len(pairs) // 3), min(len(pairs), 3))).ravel()
    order = np.argsort(-values if found.objectives[name] == "min" else values)  # the best on top
    span = dict(zip(("vmin", "vmax"), np.percentile(values, [5, 95])))
    for panel, (a, b) in zip(panels, pairs):
        x = np.array([e.point[a] for e in good])
        y = np.array([e.point[b] for e in good]) if b else values
        drawn = panel.scatter(x[order], y[order], c=values[order], s=11, cmap="viridis", **span)
        at = (found.point[a], found.point[b] if b else found.values[name])
        panel.scatter(*at, s=90, facecolors="none", edgecolors=CURVE_COLOURS[1], linewidths=1.8)
        dress(panel, x=with_unit(a, units), y=with_unit(b or name, units))
    for panel in panels[len(pairs) :]:
        panel.set_visible(False)
    bar = picture.colorbar(drawn, ax=list(panels[: len(pairs)]))
    bar.set_label(with_unit(name, units), fontsize=TEXT, color=INK)
    return picture


def _front(found: Optimum) -> Any:
    a, b, *_ = found.objectives
    good = [e for e in found.evaluations if e.feasible]
    picture = canvas(5.4, 4.2)
    axes = picture.subplots(1, 1)
    axes.plot([e.values[a] for e in good], [e.values[b] for e in good], ".", color=PALE, markersize=3)
    axes.plot(
        [e.values[a] for e in found.front], [e.values[b] for e in found.front], "o-", color=CURVE_COLOURS[0], ms=4
    )
    outside = np.zeros(len(good), bool)
    for name, limit in ((a, axes.set_xlim), (b, axes.set_ylim)):
        values = np.array([e.values[name] for e in good])
        low, high = _around(np.array([e.values[name] for e in found.front]), values)
        limit(low, high)
        outside |= (values < low) | (values > high)
    if outside.any():
        axes.set_title(f"{outside.sum()} of {len(good)} candidates lie outside", fontsize=TEXT - 1, color=INK)
    dress(axes, x=_aim(found, a), y=_aim(found, b))
    return picture


def _around(front: np.ndarray, everywhere: np.ndarray) -> tuple[float, float]:
    """Limits of an axis: the front and as much again on both sides, but no more than there is."""
    room = max(float(np.ptp(front)), 0.05 * float(np.ptp(everywhere)), 1e-12)
    low = max(float(front.min()) - room, float(everywhere.min()))
    high = min(float(front.max()) + room, float(everywhere.max()))
    edge = 0.04 * max(high - low, 1e-12)
    return low - edge, high + edge


# ---------------------------------------------------------------- a page
def write_report(
    path: Path, title: str, facts: Mapping[str, Any], table: pandas.DataFrame, pictures: Sequence[Path]
) -> Path:
    """One file of HTML with what was asked, the versions, the pictures and the first rows of the table."""
    import scipy

    versions = (
        f"gambol {__version__}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    )
    rows = "".join(f"<tr><th>{html.escape(str(k))}</th><td>{html.escape(str(v))}</td></tr>" for k, v in facts.items())
    shown = "".join(f'<figure><img src="{embedded(p)}" alt="{html.escape(p.stem)}"></figure>' for p in pictures)
    body = (
        table.head(200)
        .rename(columns=headings(table))
        .to_html(index=False, border=0, escape=True, float_format=lambda x: f"{x:.6g}")
    )
    path.write_text(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:{INK}}}
table{{border-collapse:collapse;font-size:13px}}
td,th{{padding:.2rem .7rem;text-align:left;border-bottom:1px solid #ddd}}
img{{max-width:100%}}figure{{margin:1rem 0}}</style><h1>{html.escape(title)}</h1><table>{rows}
<tr><th>versions</th><td>{html.escape(versions)}</td></tr></table>{shown}
<h2>{len(table)} rows{", the first 200" if len(table) > 200 else ""}</h2>{body}</html>
""",
        encoding="utf-8",
    )
    return path


def embedded(picture: Path) -> str:
    """A picture as the address of its own bytes."""
    kind = {".svg": "image/svg+xml", ".pdf": "application/pdf"}.get(picture.suffix.lower(), "image/png")
    return f"data:{kind};base64,{base64.b64encode(picture.read_bytes()).decode('ascii')}"
