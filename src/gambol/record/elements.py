"""Channels of force elements: what named elements report of themselves (contacts, springs, muscles), and meters."""

import numpy as np

from gambol.record.channel import Channel
from gambol.world.simulation import Simulation

UNITS = {"current": "A", "voltage": "V", "power": "W", "energy": "J", "heat": "J", "charge": "C", "used": ""}
UNITS |= {"depth": "m", "x": "m", "y": "m", "z": "m", "length": "m", "arc": "rad", "tension": "N", "stuck": ""}


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
    reports, names = Reports(), dict[str, list[str]]()
    for element in sim.world.elements:
        if element.name:
            names.setdefault(element.type_name(), []).append(element.name)
    found = []
    for kind, own in names.items():
        handle, sizes = sim.elements[tuple(own)], [len(sim.elements[name]) for name in own]
        if not handle.report_names:
            continue
        parts = [f"{name}.{k}" if size > 1 else name for name, size in zip(own, sizes) for k in range(size)]
        labels = {f"{kind}_part": parts, f"{kind}_report": handle.report_names}
        read = lambda sim, handle=handle: np.stack(list(handle.report(reports(sim)).values()), axis=-1)
        units = [report_unit(name) for name in handle.report_names]
        about = f"what each {kind.replace('_', ' ')} reports"
        found.append(Channel(kind, "", read, tuple(labels), labels, about, None, units))
    return found


def meter_channels(sim: Simulation) -> list[Channel]:
    """The integrals that meters have gathered."""
    meters = sim.compiled.meters
    if not meters:
        return []
    gathered = lambda piece: piece.state["work"][..., piece.state["work"].shape[-1] - len(meters) :]
    return [Channel("meter", "", None, ("meter_name",), {"meter_name": meters}, "integrals since the start", gathered)]
