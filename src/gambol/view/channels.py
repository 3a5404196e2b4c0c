"""What the live plot can show: numbers of a moment, by name and unit."""

from collections.abc import Callable

import numpy as np

from gambol.draw.motion import bodies_of, placer
from gambol.view.anatomy import Anatomy
from gambol.view.history import Moment
from gambol.view.live import LiveRun
from gambol.view.recorded import RecordedSource
from gambol.view.source import LiveSource

Channel = Callable[[Moment], float]


def channels_of(source: LiveRun | RecordedSource, anatomy: Anatomy) -> dict[str, Channel]:
    """Height of the centre of mass, energies of a live run, and every plain joint coordinate."""
    place = placer(source.figures)

    def centre(index: int, axis: int) -> Channel:
        return lambda moment: float(anatomy.centres(place(moment.q))[index, axis])

    found: dict[str, Channel] = {}
    for k, figure in enumerate(source.figures):
        found[f"{figure.name}: height of the centre of mass [m]"] = centre(k, 2)
        found[f"{figure.name}: way of the centre of mass [m]"] = centre(k, 0)
    if isinstance(source, LiveSource):
        from gambol.world.mechanics import Mechanics

        mechanics = Mechanics(source.sim.layout)
        found["kinetic energy [J]"] = lambda moment: mechanics.kinetic_energy(moment.q, moment.v)
    start = 0
    for figure, body in bodies_of(source.figures):
        prefix = f"{figure.name}/" if len(source.figures) > 1 else ""
        for k, (label, unit) in enumerate(zip(body.joint.kind.labels(), body.joint.kind.positions.values())):
            if unit:  # no components of quaternions
                found[f"{prefix}{body.name}: {label}"] = _coordinate(start + k)
        start += body.joint.positions
    return found


def _coordinate(index: int) -> Channel:
    return lambda moment: float(moment.q[index])


def curve(channel: Channel, moments: list[Moment], most: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Times and values for a plot, at most so many points."""
    chosen = moments[:: max(1, len(moments) // most)]
    return np.array([m.time for m in chosen]), np.array([channel(m) for m in chosen])
