"""Curves of a run over time: joint angles and the energy ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.errors import GambolError, nearest
from gambol.plot.style import CURVE_COLOURS, INK, PALE, TEXT, canvas, dress

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation
    from gambol.world.trajectory import Trajectory

MOST_CURVES = 10


def plot_trajectory(
    path: Trajectory,
    *,
    simulation: Simulation | None = None,
    joints: Sequence[str] | None = None,
    title: str = "",
    width: float = 10.0,
) -> Canvas:
    """Joint angles above, energy below, events as vertical lines.

    simulation   the one that made the run; its ledger names the work of each force
    joints       which bodies' joints; by default the first ten with plain coordinates. A ball joint is shown by the
                 angle of its rotation
    """
    if not hasattr(path, "mechanics") or not hasattr(path, "q"):
        raise GambolError(f"curves are drawn of a Trajectory, not of a {type(path).__name__}")
    if not len(path) or path.q.ndim != 2:
        raise GambolError("curves are drawn of a run of one world with at least one sample")
    shown = _joints(path, joints)
    picture = canvas(width, 0.62 * width if shown else 0.35 * width)
    panels = list(picture.subplots(2 if shown else 1, 1, sharex=True, squeeze=False)[:, 0])
    if shown:
        _angles(panels[0], path, shown)
    _energy(panels[-1], path, simulation)
    panels[-1].set_xlabel("time [s]", fontsize=TEXT, color=INK)
    for axes in panels:
        for event in path.events:
            axes.axvline(event.time, color=PALE, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    for event in path.events:
        panels[0].annotate(
            event.name,
            (event.time, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-3, -3),
            textcoords="offset points",
            ha="right",
            va="top",
            rotation=90,
            fontsize=TEXT - 2,
            color=PALE,
        )
    if title:
        picture.suptitle(title, fontsize=TEXT + 2, color=INK)
    return picture


def _joints(path: Trajectory, wanted: Sequence[str] | None) -> list[Any]:
    bodies = [b for b in path.layout.bodies if b.body.joint.kind.plain or b.body.joint.kind.springs == "rotation"]
    if wanted is None:
        return bodies[:MOST_CURVES]
    found = [path.layout.body(name) for name in wanted]
    for entry in found:
        if entry not in bodies:
            hint = nearest(entry.name, [b.name for b in bodies])
            raise GambolError(f"the {entry.body.joint.type} joint of {entry.name!r} has no angle to draw{hint}")
    return found


def _angles(axes: Any, path: Trajectory, bodies: list[Any]) -> None:
    units = set()
    for index, entry in enumerate(bodies):
        block = path.q[:, path.layout.position_slices[entry.name]]
        names = entry.body.joint.kind.positions
        if not entry.body.joint.kind.plain:
            block = 2.0 * np.arctan2(np.linalg.norm(block[:, 1:], axis=1), np.abs(block[:, 0]))[:, None]
            names = {"": "rad"}
        for column, (name, unit) in zip(block.T, names.items()):
            values, label = column if unit == "m" else np.degrees(column), f"{entry.body.name} {name}".strip()
            axes.plot(path.time, values, color=CURVE_COLOURS[index % len(CURVE_COLOURS)], linewidth=1.3, label=label)
            units.add("distance [m]" if unit == "m" else "angle [°]")
    dress(axes, y=", ".join(sorted(units)), title="Joints")
    _legend(axes)


def _energy(axes: Any, path: Trajectory, simulation: Simulation | None) -> None:
    energies = [path.mechanics.energies(q, v) for q, v in zip(path.q, path.v)]
    kinetic = np.array([e["kinetic"] for e in energies])
    gravity = np.array([e["gravity"] for e in energies])
    axes.plot(path.time, kinetic, color=CURVE_COLOURS[1], linewidth=1.6, label="kinetic")
    axes.plot(path.time, gravity - gravity[0], color=CURVE_COLOURS[2], linewidth=1.6, label="gravity (from the start)")
    total = kinetic + gravity - gravity[0]
    axes.plot(path.time, total, color=INK, linewidth=1.6, label="kinetic + gravity")
    ledger = simulation.ledger() if simulation is not None and simulation.energy_ledger else {}
    names = [name for name in ledger if name.startswith("work of ")]
    for k, (name, work) in enumerate(zip(names, path.work.T)):
        if np.abs(work).max() > 0:
            colour = CURVE_COLOURS[(k + 3) % len(CURVE_COLOURS)]
            axes.plot(path.time, work, color=colour, linewidth=1.1, linestyle="--", label=name)
    dress(axes, y="energy [J]", title="Energy ledger")
    _legend(axes)


def _legend(axes: Any) -> None:
    axes.legend(
        fontsize=TEXT - 2,
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.005, 0.5),
        labelcolor=INK,
        handlelength=1.6,
    )
