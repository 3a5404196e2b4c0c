"""Plots over the gait cycle: joint angles and ground force, mean and spread of all cycles of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.errors import GambolError, UnknownNameError, nearest
from gambol.plot.recorded import _legend, _titled, ground_forces, joint_coordinates, outermost, stances
from gambol.plot.style import CURVE_COLOURS, GRID, canvas, dress

if TYPE_CHECKING:
    from gambol.record.recording import Recording

SHARES = np.linspace(0.0, 1.0, 101)
SHORTEST = 0.25  # of the median: what is shorter is no cycle but a bounce


def plot_cycle(recording: Recording, *, joints: Sequence[str] | None = None, event: str = "", world: int = 0) -> Canvas:
    """Joint angles and the force of the ground over the cycle: mean, and a band of ± one standard deviation.

    joints   which; default: the first ten with plain coordinates
    event    at which cycles begin; default: the touch-downs of the first foot
    """
    begins, what = cycle_times(recording, event=event, world=world)
    feet = _forces(recording, world)
    plain = any(body.joint.kind.plain for figure in recording.figures for body in figure.bodies)
    chosen = joint_coordinates(recording, joints, world) if plain or joints or not feet else []
    kinds = [unit for unit in ("rad", "m") if any(c.unit == unit for c in chosen)]
    picture = canvas(9.0, 2.9 * (len(kinds) + bool(feet)) + 0.4)
    panels = np.atleast_1d(picture.subplots(len(kinds) + bool(feet), 1, sharex=True))
    time = recording.time
    for axes, unit in zip(panels, kinds):
        for k, c in enumerate(c for c in chosen if c.unit == unit):
            _band(axes, folded(time, c.shown, begins), CURVE_COLOURS[k % len(CURVE_COLOURS)], c.label)
        dress(axes, y="angle [°]" if unit == "rad" else "distance [m]")
    if feet:
        for k, (name, force) in enumerate(feet.items()):
            _band(panels[-1], folded(time, force[:, 2], begins), CURVE_COLOURS[k % len(CURVE_COLOURS)], name)
        dress(panels[-1], y="force of the ground, up [N]")
    for axes in panels:
        axes.set_xlim(0.0, 100.0)
        _legend(axes)
    panels[-1].set_xlabel(f"cycle [%], from {what}; {len(begins) - 1} cycles, mean ± standard deviation")
    return _titled(picture, recording, "gait cycle")


def cycle_times(recording: Recording, *, event: str = "", world: int = 0) -> tuple[np.ndarray, str]:
    """When cycles begin [s], and at what: events of a name, or touch-downs of the first foot."""
    if event:
        names = sorted({e.name for e in recording.events})
        if event not in names:
            raise UnknownNameError(f"no event is called {event!r}{nearest(event, names)}")
        begins, what = np.array([e.time for e in recording.events if e.name == event and e.world == world]), event
    else:
        touching = ground_forces(recording, world)
        foot = outermost(recording, touching)[0]
        downs = stances(recording.time, touching[foot][:, 2] > 0.0)
        begins = np.array([begin for begin, _ in downs if begin > recording.time[0]])
        what = f"touch-down of {foot}"
    if len(begins) > 2:
        usual = float(np.median(np.diff(begins)))
        kept = [float(begins[0])]
        for begin in begins[1:]:
            if begin - kept[-1] >= SHORTEST * usual:
                kept.append(float(begin))
        begins = np.array(kept)
    if len(begins) < 2:
        raise GambolError(f"{recording.where} has no whole cycle from {what} to the next")
    return begins, what


def folded(time: np.ndarray, values: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """Values over the cycle: (cycles, 101), from one beginning to the next, by straight lines between samples."""
    return np.array([np.interp(a + SHARES * (b - a), time, values) for a, b in zip(begins, begins[1:])])


def _forces(recording: Recording, world: int) -> dict[str, np.ndarray]:
    try:
        touching = ground_forces(recording, world)
    except GambolError:
        return {}
    return {name: touching[name] for name in outermost(recording, touching)}


def _band(axes: Any, cycles: np.ndarray, colour: str, label: str) -> None:
    mean, spread = cycles.mean(axis=0), cycles.std(axis=0)
    axes.fill_between(100 * SHARES, mean - spread, mean + spread, color=colour, alpha=0.2, linewidth=0)
    axes.plot(100 * SHARES, mean, color=colour, linewidth=1.4, label=label)
    axes.axhline(0.0, color=GRID, linewidth=0.8, label="_zero")
