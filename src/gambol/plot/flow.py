"""Where every joule went: the energy ledger of a recording as streams from what gave to what took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline

from gambol.errors import GambolError
from gambol.plot.style import CURVE_COLOURS, INK, PALE, TEXT, canvas

if TYPE_CHECKING:
    from gambol.record.recording import Recording

STORES = {"kinetic": "motion", "gravity": "height"}
LEAST = 1e-3  # of the whole: smaller streams are drawn together
GAP, LINE = 0.03, 0.035  # between streams, and of a line of words beside one, of the whole
WORK = "work of "


def energy_flows(recording: Recording) -> tuple[dict[str, float], dict[str, float]]:
    """What gave and what took energy [J] from the first sample to the last, by name; both sums are equal.

    Lines of the ledger by their work; `motion` and `height` by the change of kinetic energy and of gravity's;
    `numerical` is the stepper's.
    """
    if "ledger" not in recording.channels:
        raise GambolError(f"{recording.where} has no channel 'ledger': it is kept for single worlds with ledger=True")
    data = recording.dataset.ledger
    gave: dict[str, float] = {}
    for name in map(str, data.line.values):
        line = data.sel(line=name).values
        change = float(line[-1] - line[0])
        if name in STORES:
            gave[STORES[name]] = -change
        elif name not in ("opening", "stored"):
            gave[name.removeprefix(WORK)] = change
    return {n: x for n, x in gave.items() if x > 0}, {n: -x for n, x in gave.items() if x < 0}


def plot_flow(recording: Recording) -> Canvas:
    """Streams of energy: on the left what gave it, on the right what took it, as wide as their joules."""
    gave, took = energy_flows(recording)
    whole = max(sum(gave.values()), sum(took.values()))
    if not whole > 0:
        raise GambolError(f"in {recording.where} no energy was turned over")
    picture = canvas(8.0, 4.2)
    axes = picture.subplots(1, 1)
    axes.axis("off")
    left, right = _gathered(gave, whole), _gathered(took, whole)
    axes.add_patch(Rectangle((0.46, 0.0), 0.08, 1.0, color=PALE, alpha=0.45, linewidth=0))
    axes.text(0.5, 1.03, f"{whole:.3g} J", ha="center", va="bottom", fontsize=TEXT, color=INK)
    _side(axes, left, whole, edge=0.14, middle=0.46, anchor="right", first=0)
    _side(axes, right, whole, edge=0.86, middle=0.54, anchor="left", first=len(left))
    axes.text(0.14, 1.14, "gave", ha="right", fontsize=TEXT + 1, color=INK)
    axes.text(0.86, 1.14, "took", ha="left", fontsize=TEXT + 1, color=INK)
    axes.set_xlim(-0.22, 1.22)
    axes.set_ylim(-0.5 * (GAP + LINE) * max(len(left), len(right)) - 0.03, 1.22)
    seconds = float(recording.time[-1] - recording.time[0])
    picture.suptitle(f"{recording.report['title']}: energy in {seconds:.3g} s", fontsize=TEXT + 2, color=INK)
    return picture


def _gathered(flows: dict[str, float], whole: float) -> list[tuple[str, float]]:
    """The streams by size; what is too thin to be seen together."""
    ordered = sorted(flows.items(), key=lambda flow: -flow[1])
    thick = [flow for flow in ordered if flow[1] >= LEAST * whole]
    thin = sum(value for _, value in ordered[len(thick) :])
    return [*thick, ("others", thin)] if thin > 0 else thick


def _side(
    axes: Any, flows: list[tuple[str, float]], whole: float, *, edge: float, middle: float, anchor: str, first: int
) -> None:
    spare = sum(max(LINE, value / whole) - value / whole + GAP for _, value in flows[1:])
    outer, inner = 1.0 + 0.5 * spare, 1.0
    for k, (name, value) in enumerate(flows):
        high = value / whole
        colour = CURVE_COLOURS[(first + k) % len(CURVE_COLOURS)]
        corners = [(edge, outer), (edge, outer - high), (middle, inner - high), (middle, inner)]
        axes.add_patch(_stream(corners, colour))
        percent = f"{100 * high:.0f} %" if high >= 0.01 else f"{100 * high:.1f} %"
        way = -0.015 if anchor == "right" else 0.015
        words = f"{name}  {value:.3g} J, {percent}"
        axes.text(edge + way, outer - 0.5 * high, words, ha=anchor, va="center", fontsize=TEXT - 1, color=INK)
        outer -= max(high, LINE) + GAP
        inner -= high


def _stream(corners: list[tuple[float, float]], colour: str) -> PathPatch:
    (x0, top), (_, low), (x1, low1), (_, top1) = corners
    half = 0.5 * (x0 + x1)
    above, under = (
        [(x0, top), (half, top), (half, top1), (x1, top1)],
        [(x1, low1), (half, low1), (half, low), (x0, low)],
    )
    points = [*above, *under, (x0, top)]
    codes = [Outline.MOVETO, *[Outline.CURVE4] * 3, Outline.LINETO, *[Outline.CURVE4] * 3, Outline.CLOSEPOLY]
    return PathPatch(Outline(np.array(points), codes), facecolor=colour, alpha=0.75, linewidth=0)
