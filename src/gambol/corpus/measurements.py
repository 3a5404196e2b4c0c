"""Forces of a running world: at joints, at contacts, in attachments; and their sums over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.corpus.contact_elements import ground_name, set_sticking_points, set_sticky, sticking_points
from gambol.corpus.joint_elements import meter_name
from gambol.corpus.physics import force_meter_name

if TYPE_CHECKING:
    from gambol.corpus.corpora import CorpusLink
    from gambol.corpus.engine import Engine


class Measurements:
    """What can be read from the simulation behind a world, and what is summed up frame by frame."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.contact_sums: dict[str, np.ndarray] = {}
        self._metered: dict[str, float] = {}
        self._before: dict[str, float] = {}  # joint forces at the start of a frame
        self._forces: tuple[float, np.ndarray] | None = None

    def invalidate(self) -> None:
        """The state was changed: forces must be computed anew."""
        self._forces = None

    def restart(self) -> None:
        """A new simulation begins its meters at zero."""
        self._metered.clear()
        self.invalidate()

    def begin_frame(self) -> None:
        """Notes the joint forces at the start of a frame, for the integrals of their sizes."""
        self._before = {k.full_name: self.joint_force(k) for k in self.engine.world.links() if k.joint.sums}

    def joint_forces(self) -> dict[str, float]:
        """The force at every joint with one coordinate, now [N·m or N]."""
        sim = self.engine.simulation()
        if self._forces is None or self._forces[0] != sim.time:
            self._forces = (float(sim.time), sim.joint_force)
        values = self._forces[1]
        found = {}
        for entry in sim.layout.bodies:
            where = sim.layout.speed_slices[entry.name]
            if where.stop - where.start == 1:
                found[entry.name] = float(values[where][0])
        return found

    def joint_force(self, link: CorpusLink) -> float:
        """The force at a link's joint, now [N·m or N]."""
        link.joint.force = self.joint_forces().get(link.full_name, 0.0)
        return link.joint.force

    def acceleration(self, link: CorpusLink) -> float:
        """The acceleration of a link's joint, now [rad/s² or m/s²]."""
        sim = self.engine.simulation()
        where = sim.layout.speed_slices[link.full_name]
        return float(sim.acceleration[where][0]) if where.stop - where.start == 1 else 0.0

    # ------------------------------------------------------------ contact and attachments
    def contacts(self, link: CorpusLink) -> dict[str, np.ndarray] | None:
        """What the ground contact of a body reports now; None when it has none."""
        sim, name = self.engine.simulation(), ground_name(link)
        return sim.elements[name].report() if name in sim.elements else None

    def contact_force(self, link: CorpusLink) -> np.ndarray:
        """The whole force of the ground on a body [N, world axes]."""
        found = self.contacts(link)
        return np.zeros(3) if found is None else np.array([found[f"force_{x}"].sum() for x in "xyz"])

    def attachment_force(self, name: str) -> np.ndarray:
        """The force of an attachment on its first body [N, world axes]."""
        found = self.engine.simulation().elements[name].report()
        return np.array([float(found[f"force_{x}"][0]) for x in "xyz"])

    def update_sticky(self, link: CorpusLink) -> None:
        """A body sticks from now on, or no more."""
        if self.engine.current is not None and not set_sticky(self.engine.current, link):
            self.engine.invalidate()

    def sticking_points(self, link: CorpusLink) -> list[np.ndarray]:
        """Of every point of a sticky body: whether it sticks, and where."""
        return sticking_points(self.engine.simulation(), link)

    def set_sticking_points(self, link: CorpusLink, points: dict[int, list[float]]) -> None:
        """Sets which points of a sticky body stick, and where [m, world axes]."""
        set_sticking_points(self.engine.simulation(), link, points)

    def integrate(self, dt: float) -> None:
        """Running integrals, by the meters of the simulation; of the forces of drives, which have none, over frames."""
        for link in self.engine.world.links():
            for kind in link.joint.sums:
                link.joint.since[kind] += dt
                if link.driven:
                    force = 0.5 * (self._before.get(link.full_name, 0.0) + self.joint_force(link))
                    link.joint.sums[kind] += dt * (abs(force) if kind == "abs" else force)
                else:
                    link.joint.sums[kind] += self._gained(meter_name(link, kind))
        for name in self.contact_sums:
            element = ground_name(self.engine.world.worlds.link(name))
            self.contact_sums[name] = self.contact_sums[name] + self._impulse(element)
        for attachment in self.engine.world.attachments:
            if attachment.impulse is not None:
                attachment.impulse = attachment.impulse + self._impulse(attachment.name)

    def _impulse(self, element: str) -> np.ndarray:
        """Integral of an element's force since the last frame [N·s, world axes]."""
        return np.array([self._gained(force_meter_name(element, axis)) for axis in "xyz"])

    def _gained(self, meter: str) -> float:
        """By how much a meter has grown since the last frame; nothing where what it would measure does not act."""
        sim = self.engine.simulation()
        now = float(sim.measured(meter)) if meter in sim.elements else 0.0
        gained, self._metered[meter] = now - self._metered.get(meter, 0.0), now
        return gained
