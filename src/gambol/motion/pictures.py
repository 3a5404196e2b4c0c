"""Pictures of how well a figure fits a measured motion, and of the forces that the motion takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.motion.data import refuse
from gambol.motion.efforts import Efforts
from gambol.motion.fitting import FittedMotion
from gambol.plot.style import CURVE_COLOURS, INK, PALE, TEXT, canvas, dress

FEW = 8  # curves in a panel


def plot_residuals(fit: FittedMotion, *, width: float = 10.0) -> Canvas:
    """Distances of the markers over time [mm], the worst by name, and a bar for each marker."""
    if not fit.markers:
        raise refuse("there are no markers: nothing has a distance")
    picture = canvas(width, 0.62 * width)
    above, below = picture.subplots(2, 1)
    rms = np.array([found["rms_m"] for found in fit.residuals().values()])
    order = np.argsort(-np.nan_to_num(rms))
    for k in order[::-1]:
        place = int(np.flatnonzero(order == k)[0])
        worst = place < min(3, FEW)
        colour = CURVE_COLOURS[place] if worst else PALE
        label = fit.markers[k] if worst else None
        above.plot(fit.time, 1e3 * fit.distances[:, k], color=colour, linewidth=1.4 if worst else 0.5, label=label)
    dress(above, x="time [s]", y="distance [mm]", title=f"markers: {1e3 * fit.rms:.3g} mm rms in all")
    above.legend(fontsize=TEXT - 2, frameon=False, ncols=3)
    above.set_ylim(bottom=0.0)
    below.bar(range(len(order)), 1e3 * rms[order], color=CURVE_COLOURS[0], width=0.7)
    dress(below, y="rms [mm]")
    below.set_xticks(range(len(order)), [fit.markers[k] for k in order], rotation=90, fontsize=TEXT - 2, color=INK)
    return picture


def plot_efforts(efforts: Efforts, *, width: float = 10.0) -> Canvas:
    """The largest joint forces over time, and the force that the world must give to a free root."""
    joints = efforts.joint_columns()
    loose = bool(np.isfinite(efforts.root).all())
    picture = canvas(width, (0.35 + 0.3 * loose) * width)
    panels = list(picture.subplots(1 + loose, 1, sharex=True, squeeze=False)[:, 0])
    _joints(panels[0], efforts, joints)
    if loose:
        weight = efforts.weight or 1.0
        for k, (name, colour) in enumerate(zip(("forward", "left", "up"), CURVE_COLOURS)):
            panels[1].plot(efforts.time, efforts.root[:, 3 + k] / weight, color=colour, linewidth=1.3, label=name)
        panels[1].axhline(1.0, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)))
        dress(panels[1], y="force / weight", title="what the world must give to the root")
        panels[1].legend(fontsize=TEXT - 2, frameon=False, ncols=3)
    panels[-1].set_xlabel("time [s]", fontsize=TEXT, color=INK)
    return picture


def _joints(axes: Any, efforts: Efforts, joints: list[int]) -> None:
    largest = sorted(joints, key=lambda k: -float(np.abs(efforts.forces[:, k]).max()))[:FEW]
    for k, colour in zip(largest, CURVE_COLOURS):
        axes.plot(efforts.time, efforts.forces[:, k], color=colour, linewidth=1.3, label=efforts.names[k])
    title = (
        "joint forces" if len(largest) == len(joints) else f"the {len(largest)} largest of {len(joints)} joint forces"
    )
    dress(axes, y="[N·m or N]", title=title)
    if largest:
        axes.legend(fontsize=TEXT - 2, frameon=False, ncols=4)
