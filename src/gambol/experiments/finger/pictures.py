"""The tapping finger drawn: side views at many times, and what its tip does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.hinge_recursion import HingeRecording
from gambol.models import finger
from gambol.plot import CURVE_COLOURS, canvas, dress
from gambol.plot.style import INK, TEXT

STRIP_TIMES = (0.4 * np.arange(21), 2.0 + 0.1 * np.arange(7))  # the whole run; one tap close up [s]
FLESH_COLOUR, BONE_COLOUR, FORCE_COLOUR = "#e0b090", "#7a4a2a", "#c00000"


def spike_is_on(t: float) -> bool:
    """Is the spike on?"""
    since = t - finger.SPIKE_START
    return 0.0 <= since and t < finger.DURATION and since % finger.SPIKE_PERIOD < finger.SPIKE_TIME - 1e-9


def film_strip(recording: HingeRecording) -> Canvas:
    """Side views: every 0.4 s of the run, then the first tap every 0.1 s."""
    picture = canvas(14, 8.2)
    axes = picture.subplots(4, 7, sharex=True, sharey=True)
    for panel, t in zip(axes.flat, np.concatenate(STRIP_TIMES)):
        _finger(panel, recording, t)
    for panel in axes[:, 0]:
        panel.set_ylabel("height [mm]", fontsize=TEXT - 1, color=INK)
    for panel in axes[-1]:
        panel.set_xlabel("forward [mm]", fontsize=TEXT - 1, color=INK)
        panel.set_facecolor("#f4f4ff")
    title = "Tapping finger, side view: every 0.4 s; last row (tinted): the first tap, every 0.1 s.  ■ anchor, ↓ spike"
    picture.suptitle(title, fontsize=TEXT + 2, color=INK)
    return picture


def _finger(axes: Any, recording: HingeRecording, t: float) -> None:
    frame = int(np.argmin(np.abs(recording.time - t)))
    places = 1e3 * recording.position[frame]
    x, z = places[:, 0], places[:, 2]
    axes.plot(x[1:], z[1:], color=FLESH_COLOUR, linewidth=9, solid_capstyle="round", solid_joinstyle="round", zorder=1)
    axes.plot(x[1:], z[1:], color=BONE_COLOUR, linewidth=1, marker="o", markersize=3, zorder=2)
    axes.plot(x[0], z[0], color=INK, marker="s", markersize=9, zorder=3)
    if spike_is_on(float(recording.time[frame])):
        arrow = dict(arrowstyle="-|>", color=FORCE_COLOUR, lw=2)
        axes.annotate("", (x[-1], z[-1] - 4), (x[-1], z[-1] + 34), arrowprops=arrow)
    axes.text(0.96, 0.93, f"{recording.time[frame]:.1f} s", transform=axes.transAxes, ha="right", va="top", fontsize=9)
    axes.set(xlim=(-15, 105), ylim=(15, 125), aspect="equal")
    axes.tick_params(labelsize=7)


def time_series(recording: HingeRecording) -> Canvas:
    """Height of the tip and energies, spikes shaded."""
    picture = canvas(10, 6.5)
    height, energy = picture.subplots(2, 1, sharex=True)
    height.plot(recording.time, 1e3 * recording.point("tip")[:, 2], color=BONE_COLOUR, label="tip")
    height.plot(recording.time, 1e3 * recording.position[:, 0, 2], color=INK, linewidth=1, label="anchor")
    rest = recording.energy["total"][recording.time < finger.SPIKE_START][-1]
    energy.plot(recording.time, 1e3 * recording.energy["kinetic"], color=FORCE_COLOUR, label="kinetic")
    energy.plot(
        recording.time, 1e3 * (recording.energy["total"] - rest), color=CURVE_COLOURS[0], label="total, above rest"
    )
    dress(height, y="height [mm]", title="Tapping finger, δt = 0.01 s, ν = 1 (shaded: spike on the tip)")
    dress(energy, y="energy [mJ]", x="time [s]")
    for axes, corner in ((height, "lower right"), (energy, "upper right")):
        for t in np.arange(finger.SPIKE_START, finger.DURATION, finger.SPIKE_PERIOD):
            axes.axvspan(t, t + finger.SPIKE_TIME, color=FORCE_COLOUR, alpha=0.15, linewidth=0)
        axes.legend(loc=corner, fontsize=TEXT - 1, frameon=False)
    return picture


def plot_push(away: HingeRecording, back: HingeRecording) -> Canvas:
    """Path of the tip while it is pushed, and after."""
    picture = canvas(7.5, 3.8)
    axes = picture.subplots(1, 1)
    time = np.concatenate([away.time, back.time]) - away.time[0]
    tip = 1e3 * np.concatenate([away.point("tip"), back.point("tip")])
    for k, name in enumerate(("forward", "sideways", "up")):
        axes.plot(time, tip[:, k] - tip[0, k], color=CURVE_COLOURS[k], linewidth=1.5, label=name)
    axes.axvspan(0.0, away.time[-1] - away.time[0], color=FORCE_COLOUR, alpha=0.10, linewidth=0)
    dress(axes, x="time [s]", y="tip from its place [mm]", title="A finger pushed aside (shaded), then released")
    axes.legend(fontsize=TEXT - 1, frameon=False)
    return picture


def plot_curves(x, lines: dict[str, Any], *, across: str, up: str, title: str, logarithmic: bool = False) -> Canvas:
    """Lines over x, with dots where they were measured."""
    picture = canvas(7.5, 4.2)
    axes = picture.subplots(1, 1)
    for k, (label, values) in enumerate(lines.items()):
        axes.plot(
            x, values, color=CURVE_COLOURS[k % len(CURVE_COLOURS)], marker="o", markersize=4, linewidth=1.4, label=label
        )
    dress(axes, x=across, y=up, title=title)
    axes.set_xscale("log", base=2)
    axes.set_xticks(x, [f"{value:g}" for value in x])
    if logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0.0, 1.1 * max(max(values) for values in lines.values()))
    if len(lines) > 1:
        axes.legend(fontsize=TEXT - 1, frameon=False)
    return picture


def plot_differences(differences: Sequence[float], title: str) -> Canvas:
    """A dot for each random state: how far two solutions are apart."""
    picture = canvas(7.5, 3.4)
    axes = picture.subplots(1, 1)
    axes.semilogy(range(1, 1 + len(differences)), differences, "o", color=CURVE_COLOURS[0], markersize=5)
    dress(axes, x="random state", y="largest relative difference", title=title)
    axes.set_ylim(1e-16, 1e-8)
    return picture
