"""Channels of constraints: forces, deviations, their rates, residual, singular values, rank."""

import numpy as np

from gambol.record.channel import Channel
from gambol.world.constraints import Moment
from gambol.world.simulation import Simulation


class Moments:
    """What the constraints do at this moment, solved once for all channels of a sample."""

    def __init__(self) -> None:
        self.cells = b""
        self.moment: Moment | None = None

    def __call__(self, sim: Simulation) -> Moment:
        cells = sim.memory.cells[:, : sim.memory.saved].tobytes()
        if cells != self.cells or self.moment is None:
            self.cells, self.moment = cells, sim.constraints.now()
        return self.moment


def constraint_channels(sim: Simulation) -> list[Channel]:
    """For worlds with constraints; the axis `constraint_row` has the names of the constraints, numbered by row."""
    if not sim.world.constraints:
        return []
    moments, compiled = Moments(), sim.constraints.compiled
    labels = [
        f"{name}.{k}" if rows.stop - rows.start > 1 else name
        for name, rows in zip(compiled.names, compiled.rows)
        for k in range(rows.stop - rows.start)
    ]
    axis = ("constraint_row",)
    found = []
    for part, unit, about in (
        ("force", "N or N·m", "force of each row of the constraints"),
        ("deviation", "m or rad", "how far each row is from being met"),
        ("rate", "m/s or rad/s", "rate of the deviation"),
    ):

        def read(sim, part=part):
            return np.concatenate(list(getattr(moments(sim), part).values()))

        found.append(Channel(f"constraint_{part}", unit, read, axis, {axis[0]: labels}, about))
    values = {"singular_value": [str(k + 1) for k in range(len(labels))]}
    about = "singular values of the constraint matrix, falling"
    read_values = lambda sim: moments(sim).singular_values
    found.append(Channel("constraint_singular_values", "1/kg", read_values, ("singular_value",), values, about))
    about = "acceleration that the constraints lack"
    found.append(Channel("constraint_residual", "m/s²", lambda sim: moments(sim).residual, about=about))
    about = "independent rows of the constraints"
    found.append(Channel("constraint_rank", "", lambda sim: float(moments(sim).rank), about=about))
    return found
