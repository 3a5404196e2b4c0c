"""Channels of force elements: what named elements report of themselves (contacts, springs, muscles), and meters."""

from __future__ import annotations

import numpy as np

from gambol.record.channel import Channel
from gambol.world.simulation import Simulation

UNITS = {"depth": "m", "x": "m", "y": "m", "z": "m", "length": "m", "arc": "rad", "tension": "N", "stuck": ""}


def report_unit(name: str) -> str:
    """The unit of a report by its name; a joint's force is N·m where it turns."""
    if name.startswith("torque"):
        return "N·m"
    if name.startswith("force"):
        return "N" if name[-2:] in ("_x", "_y", "_z") else "N or N·m"
    return UNITS.get(name, "")


class Reports:
    """What all elements say at this moment, asked once for all channels of a sample."""

    def __init__(self) -> None:
        self.moment = b""
        self.values = np.zeros(0)

    def __call__(self, sim: Simulation) -> np.ndarray:
        moment = sim.memory.cells[:, : sim.memory.saved].tobytes()
        if moment != self.moment:
            self.moment, self.values = moment, sim.all_reports()
        return self.values


def report_channels(sim: Simulation) -> list[Channel]:
    """One channel for every type of element that has named elements with something to report.

    `ground_contact` has the axes ground_contact_part (names of the elements, with a number where one has several
    rows) and ground_contact_report (depth, x, y, z, force_x, …).
    """
    reports, found = Reports(), []
    for module in sim.compiled.modules:
        names = getattr(module, "REPORTS", ())
        kind = module.__name__.rsplit(".", 1)[-1]
        rows, labels = [], []
        for name, place in sim.elements.places.items():
            if place.module is module and names:
                rows += place.reports
                several = len(place.reports) > 1
                labels += [f"{name}.{k}" if several else name for k in range(len(place.reports))]
        if rows:
            axes = (f"{kind}_part", f"{kind}_report")
            where = np.add.outer(np.array(rows), np.arange(len(names)))
            units = [report_unit(name) for name in names]
            read = lambda sim, where=where: reports(sim)[..., where]
            about = f"what each {kind.replace('_', ' ')} reports"
            found.append(Channel(kind, "", read, axes, dict(zip(axes, (labels, names))), about, None, units))
    return found


def meter_channels(sim: Simulation) -> list[Channel]:
    """The integrals that meters have gathered."""
    meters = sim.compiled.meters
    if not meters:
        return []
    gathered = lambda piece: piece.state["work"][..., piece.state["work"].shape[-1] - len(meters) :]
    return [Channel("meter", "", None, ("meter_name",), {"meter_name": meters}, "integrals since the start", gathered)]


def changes_by_itself(sim: Simulation) -> bool:
    """Are there elements whose parameters change on the way, such as springs that break?"""
    return any(hasattr(module, "settle") for module in sim.compiled.modules)
