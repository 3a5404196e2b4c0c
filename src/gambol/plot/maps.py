"""How motions differ: sections through state space, bifurcations over a parameter, basins of starts, runs compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.errors import GambolError
from gambol.plot.recorded import joint_coordinates, values_at_events
from gambol.plot.style import CURVE_COLOURS, INK, PALE, TEXT, canvas, dress

if TYPE_CHECKING:
    from gambol.record.recording import Recording

FEWEST = 2  # events of a section
MARKERS = ("s", "o", "^", "D", "v", "P")
MOST_COMPARED = 6  # coordinates, unless named


def plot_section(recording: Recording, *, event: str, coordinate: str, world: int = 0) -> Canvas:
    """A Poincaré section: speed of a coordinate over its position at every event of a name, from pale to dark."""
    position, unit = values_at_events(recording, event, coordinate, world=world)
    speed, _ = values_at_events(recording, event, coordinate, speed=True, world=world)
    if len(position) < FEWEST:
        raise GambolError(f"a section needs two events called {event!r} or more; there are {len(position)}")
    times = [e.time for e in recording.events if e.name == event and e.world == world]
    degrees = 180.0 / np.pi if unit == "rad" else 1.0
    shown = "°" if unit == "rad" else unit
    picture = canvas(5.6, 4.6)
    axes = picture.subplots(1, 1)
    axes.plot(degrees * position, degrees * speed, color=PALE, linewidth=0.5, zorder=1, label="course")
    dots = axes.scatter(degrees * position, degrees * speed, c=times, cmap="viridis_r", s=18, zorder=2, label="section")
    bar = picture.colorbar(dots, ax=axes)
    bar.set_label("time [s]", fontsize=TEXT, color=INK)
    bar.ax.tick_params(labelsize=TEXT - 1, colors=INK)
    dress(axes, x=f"position [{shown}]", y=f"speed [{shown}/s]", title=f"{coordinate} at {event!r}")
    return picture


def plot_bifurcation(
    parameter: np.ndarray, values: np.ndarray | Mapping[str, np.ndarray], *, x: str, y: str, title: str = ""
) -> Canvas:
    """What a motion comes back to, over a parameter.

    parameter  (n,)
    values     late values at each, (times, n), nan where there is none; or several by name, from other starts
    x, y       labels with units
    """
    picture = canvas(7.0, 4.4)
    axes = picture.subplots(1, 1)
    show_bifurcation(axes, parameter, values if isinstance(values, Mapping) else {"": values})
    dress(axes, x=x, y=y, title=title)
    return picture


def show_bifurcation(axes: Any, parameter: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
    """The dots of a bifurcation diagram, into axes."""
    for k, (name, own) in enumerate(values.items()):
        late = np.atleast_2d(np.asarray(own, float))
        if late.shape[1] != len(parameter):
            raise GambolError(
                f"late values at {len(parameter)} parameters are (times, {len(parameter)}), not {late.shape}"
            )
        across = np.broadcast_to(np.asarray(parameter, float), late.shape)
        seen = np.isfinite(late)
        colour = CURVE_COLOURS[k % len(CURVE_COLOURS)]
        axes.plot(across[seen], late[seen], ".", markersize=max(2.5 - k, 1.0), color=colour, label=name or "_values")
    if any(values):
        axes.legend(fontsize=TEXT - 1, markerscale=4, frameon=False)


def plot_basins(
    starts: np.ndarray, reached: Sequence[str], *, x: str, y: str, title: str = "", marks: np.ndarray | None = None
) -> Canvas:
    """Which start leads where: a plane of starts (n, 2), each marked by the name of what it `reached`.

    marks  starts to be ringed (m, 2)
    """
    picture = canvas(5.4, 5.4)
    axes = picture.subplots(1, 1)
    show_basins(axes, starts, reached, marks=marks)
    dress(axes, x=x, y=y, title=title)
    return picture


def show_basins(axes: Any, starts: np.ndarray, reached: Sequence[str], *, marks: np.ndarray | None = None) -> None:
    """The starts, coloured by what they reached, into axes; names and counts below."""
    starts = np.asarray(starts, float)
    if starts.shape != (len(reached), 2):
        raise GambolError(f"{len(reached)} starts in a plane are ({len(reached)}, 2), not {starts.shape}")
    for k, name in enumerate(sorted(set(reached))):
        here = np.array([own == name for own in reached])
        style = {"marker": MARKERS[k % len(MARKERS)], "color": CURVE_COLOURS[k % len(CURVE_COLOURS)]}
        axes.plot(*starts[here].T, linestyle="", markersize=5, label=f"{name} ({here.sum()})", **style)
    if marks is not None:
        axes.plot(
            *np.asarray(marks, float).T, "o", markerfacecolor="none", markeredgecolor=INK, markersize=9, label="_marks"
        )
    axes.set_aspect("equal")
    axes.legend(fontsize=TEXT - 2, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)


def plot_compared(
    recordings: Mapping[str, Recording], *, joints: Sequence[str] | None = None, world: int = 0
) -> Canvas:
    """Runs compared: a panel for each joint coordinate, a curve for each run, by the names given."""
    if len(recordings) < 2:
        raise GambolError("two recordings or more can be compared")
    chosen = {name: joint_coordinates(recording, joints, world) for name, recording in recordings.items()}
    shared = set.intersection(*({c.label for c in found} for found in chosen.values()))
    labels = [c.label for c in next(iter(chosen.values())) if c.label in shared]
    if not labels:
        raise GambolError(f"{', '.join(recordings)} have no joint coordinate in common")
    labels = labels if joints else labels[:MOST_COMPARED]
    picture = canvas(9.0, 1.5 * len(labels) + 0.6)
    panels: Any = np.atleast_1d(picture.subplots(len(labels), 1, sharex=True))
    for axes, label in zip(panels, labels):
        for k, (name, found) in enumerate(chosen.items()):
            own = next(c for c in found if c.label == label)
            colour = CURVE_COLOURS[k % len(CURVE_COLOURS)]
            axes.plot(recordings[name].time, own.shown, color=colour, linewidth=1.3, label=name)
        unit = "°" if own.unit == "rad" else own.unit
        dress(axes, x="time [s]" if axes is panels[-1] else "", y=f"[{unit}]", title=label)
    handles = panels[0].get_legend_handles_labels()
    picture.legend(*handles, fontsize=TEXT - 1, frameon=False, loc="outside upper center", ncols=len(recordings))
    return picture
