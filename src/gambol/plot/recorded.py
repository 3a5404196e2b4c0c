"""Plots of recordings: joint angles, phase portraits, ground reaction, gait, energy ledger, return maps.

Every function takes a Recording and returns a matplotlib Figure; `save` writes it, `write_data` its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from gambol.errors import GambolError, UnknownNameError, WorldError, nearest
from gambol.plot.data import BACKGROUND
from gambol.plot.style import AIR_COLOUR, CURVE_COLOURS, GRID, INK, PALE, STANCE_COLOUR, TEXT, canvas, dress

if TYPE_CHECKING:
    from gambol.record.recording import Recording

CONTACTS = ("ground_contact", "sticky_contact")
MOST = 10  # curves in a panel, unless named
ALWAYS = ("kinetic", "gravity", "stored", "jumps", "numerical")


def plot_joints(recording: Recording, *, joints: Sequence[str] | None = None, world: int = 0) -> Canvas:
    """Joint coordinates over time, a panel for angles and one for distances; events as dashed lines."""
    chosen = joint_coordinates(recording, joints, world)
    kinds = [unit for unit in ("rad", "m") if any(c.unit == unit for c in chosen)]
    picture = canvas(9.0, 2.9 * len(kinds) + 0.4)
    panels = np.atleast_1d(picture.subplots(len(kinds), 1, sharex=True))
    for axes, unit in zip(panels, kinds):
        for k, c in enumerate(c for c in chosen if c.unit == unit):
            axes.plot(
                recording.time, c.shown, color=CURVE_COLOURS[k % len(CURVE_COLOURS)], linewidth=1.3, label=c.label
            )
        dress(axes, x="time [s]" if axes is panels[-1] else "", y="angle [°]" if unit == "rad" else "distance [m]")
        _events(axes, recording, world)
        _legend(axes)
    return _titled(picture, recording, "joints")


def plot_phase(recording: Recording, *, joints: Sequence[str] | None = None, world: int = 0) -> Canvas:
    """Phase portraits: speed over position of each joint, the start as a dot."""
    chosen = joint_coordinates(recording, joints, world)
    across = min(len(chosen), 4)
    down = -(-len(chosen) // across)
    picture = canvas(2.6 * across + 0.6, 2.5 * down + 0.4)
    panels: Any = np.atleast_1d(picture.subplots(down, across)).ravel()
    for k, (axes, c) in enumerate(zip(panels, chosen)):
        colour = CURVE_COLOURS[k % len(CURVE_COLOURS)]
        axes.plot(c.shown, c.rate, color=colour, linewidth=1.0, label=c.label)
        axes.plot(c.shown[:1], c.rate[:1], color=colour, marker="o", markersize=4, label="_start")
        length = "°" if c.unit == "rad" else c.unit
        dress(axes, x=f"position [{length}]", y=f"speed [{length}/s]", title=c.label)
    for axes in panels[len(chosen) :]:
        axes.axis("off")
    return _titled(picture, recording, "phase portraits")


def plot_ledger(recording: Recording, *, lines: Sequence[str] | None = None) -> Canvas:
    """The energy ledger over time: what is there above, the work of each line below."""
    data = _channel(recording, "ledger", "the energy ledger is kept for single worlds with ledger=True")
    names = [str(name) for name in data.line.values]
    for name in lines or ():
        if name not in names:
            raise UnknownNameError(f"the ledger has no line {name!r}{nearest(name, names)}")
    shown = [n for n in lines or names if n != "opening"]
    picture = canvas(9.0, 5.6)
    above, below = picture.subplots(2, 1, sharex=True)
    gravity = float(data.sel(line="gravity")[0])
    for k, name in enumerate(n for n in shown if n in ALWAYS[:3]):
        values = data.sel(line=name) - (gravity if name == "gravity" else 0.0)
        label = "gravity (from the start)" if name == "gravity" else name
        above.plot(recording.time, values, color=CURVE_COLOURS[k], linewidth=1.5, label=label)
    for k, name in enumerate(n for n in shown if n not in ALWAYS[:3]):
        values = data.sel(line=name).values
        if np.any(values) or lines:
            style = (0, (3, 2)) if name in ALWAYS else "-"
            below.plot(
                recording.time,
                values,
                color=CURVE_COLOURS[k % len(CURVE_COLOURS)],
                linewidth=1.3,
                linestyle=style,
                label=name,
            )
    dress(above, y="energy [J]")
    dress(below, x="time [s]", y="work since the start [J]")
    for axes in (above, below):
        _events(axes, recording, 0)
        _legend(axes)
    return _titled(picture, recording, "energy")


def plot_ground_reaction(recording: Recording, *, world: int = 0) -> Canvas:
    """Force of the ground on each foot: up, forward and to the left, world axes; their sum in grey."""
    feet = ground_forces(recording, world)
    picture = canvas(9.0, 6.6)
    panels = picture.subplots(3, 1, sharex=True)
    total = np.sum(list(feet.values()), axis=0)
    for axes, (axis, name) in zip(panels, ((2, "up"), (0, "forward"), (1, "left"))):
        axes.plot(recording.time, total[:, axis], color=PALE, linewidth=2.2, label="all together")
        for k, (foot, force) in enumerate(feet.items()):
            axes.plot(
                recording.time, force[:, axis], color=CURVE_COLOURS[k % len(CURVE_COLOURS)], linewidth=1.1, label=foot
            )
        dress(axes, y=f"force {name} [N]")
    dress(panels[-1], x="time [s]", y="force left [N]")
    picture.legend(*panels[0].get_legend_handles_labels(), fontsize=TEXT - 2, frameon=False, loc="outside right upper")
    return _titled(picture, recording, "ground reaction")


def plot_gait(recording: Recording, *, feet: Sequence[str] | None = None, least: float = 0.0, world: int = 0) -> Canvas:
    """Gait diagram: a bar for each foot, dark while the ground pushes it up by more than `least` [N].

    feet: which contacts; by default all that touch, but of bodies of one limb only the outermost.
    """
    touching = ground_forces(recording, world)
    for name in feet or ():
        if name not in touching:
            raise UnknownNameError(f"nothing that touches the ground is called {name!r}{nearest(name, list(touching))}")
    shown = list(feet or outermost(recording, touching))
    picture = canvas(9.0, 0.9 + 0.32 * len(shown))
    axes = picture.subplots(1, 1)
    time = recording.time
    for k, name in enumerate(shown):
        axes.barh(k, time[-1] - time[0], left=time[0], height=0.7, color=AIR_COLOUR, gid=BACKGROUND)
        for begin, end in stances(time, touching[name][:, 2] > least):
            axes.barh(k, end - begin, left=begin, height=0.7, color=STANCE_COLOUR)
    dress(axes, x="time [s]")
    axes.set_yticks(range(len(shown)), shown, fontsize=TEXT - 1, color=INK)
    axes.invert_yaxis()
    axes.set_xlim(time[0], time[-1])
    axes.grid(axis="y", visible=False)
    return _titled(picture, recording, "gait (dark: on the ground)")


def plot_return_map(
    recording: Recording, *, event: str, coordinate: str, speed: bool = False, world: int = 0
) -> Canvas:
    """A coordinate at each event over the one before; on the diagonal the motion repeats."""
    values, unit = values_at_events(recording, event, coordinate, speed=speed, world=world)
    if len(values) < 2:
        raise GambolError(f"a return map needs two events called {event!r} or more; there are {len(values)}")
    picture = canvas(5.0, 5.0)
    axes = picture.subplots(1, 1)
    span = np.array([values.min(), values.max()]) + 0.05 * max(np.ptp(values), 1e-9) * np.array([-1, 1])
    axes.plot(span, span, color=GRID, linewidth=1.2, label="_diagonal")
    steps = np.repeat(values, 2)
    axes.plot(steps[:-2], steps[1:-1], color=PALE, linewidth=0.7, label="course")
    axes.plot(values[:-1], values[1:], color=CURVE_COLOURS[0], marker="o", markersize=4, linewidth=0.0, label="returns")
    dress(axes, x=f"at event n [{unit}]", y=f"at event n + 1 [{unit}]", title=f"{coordinate} at {event!r}")
    axes.set_aspect("equal")
    _legend(axes)
    return picture


# ---------------------------------------------------------------- what is plotted
def ground_forces(recording: Recording, world: int = 0) -> dict[str, np.ndarray]:
    """Force of the ground on each foot (a named contact element that touches, all its points), (samples, 3) [N]."""
    feet: dict[str, np.ndarray] = {}
    for name in CONTACTS:
        if name in recording.channels:
            data = _of_world(recording.dataset[name], world)
            parts = [str(part) for part in data[f"{name}_part"].values]
            force = data.sel({f"{name}_report": ["force_x", "force_y", "force_z"]}).values
            for k, part in enumerate(parts):
                stem, _, number = part.rpartition(".")
                foot = stem if stem and number.isdigit() else part
                feet[foot] = feet.get(foot, np.zeros_like(force[:, k])) + force[:, k]
    if not feet:
        raise GambolError(f"{recording.where} has no contacts with the ground (named ones are recorded)")
    touching = {foot.removesuffix(" contact"): force for foot, force in feet.items() if np.any(force)}
    if not touching:
        raise GambolError(f"in {recording.where} nothing touches the ground")
    return touching


def outermost(recording: Recording, names: Iterable[str]) -> list[str]:
    """Those of `names` that are not called like a body which carries another of them."""
    chosen = list(names)
    carriers: set[str] = set()
    for figure in recording.figures:
        parents = {body.name: body.parent for body in figure.bodies}
        for name in chosen:
            parent = parents.get(name)
            while parent is not None:
                carriers.add(parent)
                parent = parents[parent]
    return [name for name in chosen if name not in carriers]


def stances(time: np.ndarray, down: np.ndarray) -> list[tuple[float, float]]:
    """Intervals [s] in which `down` holds, from sample to sample."""
    edges = np.diff([0, *down.astype(int), 0])
    begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return [(float(time[a]), float(time[min(int(b), len(time) - 1)])) for a, b in zip(begins, ends)]


def values_at_events(
    recording: Recording, event: str, coordinate: str, *, speed: bool = False, world: int = 0
) -> tuple[np.ndarray, str]:
    """A coordinate (or its speed) at every event of a name, by straight lines between samples; and its unit."""
    names = sorted({e.name for e in recording.events} | set(recording.description["boundaries"]))
    if event not in names:
        raise UnknownNameError(f"no event is called {event!r}{nearest(event, names)}")
    data = _of_world(recording.dataset["v" if speed else "q"], world)
    dim = data.dims[-1]
    known = [str(name) for name in data[dim].values]
    full = [name for name in known if name == coordinate or name.split("/", 1)[-1] == coordinate]
    if len(full) != 1:
        raise UnknownNameError(f"no coordinate is called {coordinate!r}{nearest(coordinate, known)}")
    times = [e.time for e in recording.events if e.name == event and e.world == world]
    unit = data.attrs.get("units") or str(recording.dataset[f"{data.name}_unit"].sel({dim: full[0]}).values)
    return np.interp(times, recording.time, data.sel({dim: full[0]})), unit


class Coordinate:
    """One joint coordinate over time; `shown` and `rate` are in degrees where it is an angle."""

    def __init__(self, name: str, unit: str, position: np.ndarray, speed: np.ndarray):
        self.label, self.unit = name.split("/", 1)[-1], unit
        degrees = 180.0 / np.pi if unit == "rad" else 1.0
        self.shown, self.rate = degrees * position, degrees * speed


def joint_coordinates(recording: Recording, joints: Sequence[str] | None, world: int) -> list[Coordinate]:
    """Coordinates that are plain numbers; of the bodies in `joints`, or the first ten."""
    motion = recording.motion(world)
    layout = motion.layout
    plain = [b for b in layout.bodies if b.body.joint.kind.plain]
    try:
        wanted = plain if joints is None else [layout.body(name) for name in joints]
    except WorldError as error:
        raise UnknownNameError(str(error)) from None
    found = []
    for entry in wanted:
        if entry not in plain:
            hint = nearest(entry.name, [b.name for b in plain])
            raise GambolError(f"the {entry.body.joint.type} joint of {entry.name!r} has no plain coordinate{hint}")
        first_q, first_v = layout.position_slices[entry.name].start, layout.speed_slices[entry.name].start
        for k, (coordinate, unit) in enumerate(entry.body.joint.kind.positions.items()):
            name = f"{entry.name} {coordinate}".strip()
            found.append(Coordinate(name, unit, motion.q[:, first_q + k], motion.v[:, first_v + k]))
    if not found:
        raise GambolError(f"{recording.where} has no joints with plain coordinates")
    return found if joints is not None else found[:MOST]


def _of_world(data: Any, world: int) -> Any:
    return data.isel(world=world) if "world" in data.dims else data


def _channel(recording: Recording, name: str, why: str) -> Any:
    if name not in recording.channels:
        raise GambolError(f"{recording.where} has no channel {name!r}: {why}")
    return recording.dataset[name]


def _events(axes: Any, recording: Recording, world: int) -> None:
    for event in recording.events:
        if event.world == world:
            axes.axvline(event.time, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)


def _legend(axes: Any) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=TEXT - 2, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _titled(picture: Canvas, recording: Recording, what: str) -> Canvas:
    picture.suptitle(f"{recording.report['title']}: {what}", fontsize=TEXT + 2, color=INK)
    return picture


PLOTS: dict[str, Callable[..., Canvas]] = {
    "joints": plot_joints,
    "phase": plot_phase,
    "energy": plot_ledger,
    "ground": plot_ground_reaction,
    "gait": plot_gait,
    "return": plot_return_map,
}
"""The plots by the name that the command knows."""
