"""A motion that is known already, as the live view shows it."""

from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from gambol.draw.motion import Motion
from gambol.draw.terrain import OWN_GROUND, Ground, seen_ground
from gambol.figure import Part
from gambol.view.history import NO_FORCES, Moment
from gambol.view.parameters import Parameter
from gambol.view.stored_forces import StoredForces

if TYPE_CHECKING:
    from gambol.view.mouse_spring import MouseSpring


class RecordedSource:
    """A motion that is known already; `forces` and `events` are those that were stored with it.

    ground   its own by default, in its true shape; or a height [m], a Terrain, None for none
    """

    live = False
    forgotten = 0
    show_forces = show_torques = show_muscles = False
    pilot = None
    legs = prompt = charts = lines = field = None
    edition, slope, every = 0, 0.0, 0.0
    reversible = False
    lock = RLock()

    def __init__(
        self,
        motion: Motion,
        *,
        props: Sequence[Part] = (),
        ground: Ground = OWN_GROUND,
        forces: StoredForces | None = None,
        events: Sequence[tuple[float, str]] = (),
        speed: float = 1.0,
    ):
        self.forces, self.events, self.speed = forces, list(events), speed
        self.motion, self.figures, self.place = motion, motion.figures, motion.place
        self.props, self.ground, self.title = tuple(props), seen_ground(ground, motion.terrain), motion.title
        self.parameters: list[Parameter] = []
        self.fault = ""
        self.mouse: MouseSpring | None = None

    @property
    def first(self) -> float:
        """Time at which the recording begins [s]."""
        return float(self.motion.time[0])

    @property
    def last(self) -> float:
        """Time at which the recording ends [s]."""
        return float(self.motion.time[-1])

    def at(self, time: float) -> Moment:
        """The moment at a time [s], between samples by interpolation."""
        forces = self.forces.at(time) if self.forces and self.show_forces else NO_FORCES
        return Moment(float(time), self.motion.positions(time), np.zeros(0), forces)

    def between(self, first: float, last: float) -> list[Moment]:
        """Moments from one time [s] to another, as they were sampled."""
        times = self.motion.time
        rows = np.flatnonzero((times >= first - 1e-9) & (times <= last + 1e-9))
        return [Moment(float(times[k]), self.motion.q[k], np.zeros(0)) for k in rows]

    def advance(self, until: float, deadline: float, every: float = 0.0) -> None:
        """There is no more than there is."""

    def prepare(self) -> None:
        """It is there already."""

    def restart(self) -> None:
        """It begins where it began."""

    def resume_at(self, time: float) -> None:
        """It cannot go on otherwise than it went."""
