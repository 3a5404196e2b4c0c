"""Forces of a running world: at joints, at contacts, in attachments; and their sums over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.corpus.contact_elements import ground_name, set_sticky, set_stuck, stuck_points
from gambol.corpus.joint_elements import metered

if TYPE_CHECKING:
    from gambol.corpus.corpora import Link
    from gambol.corpus.engine import Engine


class Readings:
    """What can be read from the simulation behind a realm, and what is summed up frame by frame."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.contact_sums: dict[str, np.ndarray] = {}
        self._metered: dict[str, float] = {}
        self._before: dict[str, float] = {}  # joint forces at the start of a frame
        self._forces: tuple[float, np.ndarray] | None = None

    def forget(self) -> None:
        """The state was changed: forces must be computed anew."""
        self._forces = None

    def restart(self) -> None:
        """A new simulation begins its meters at zero."""
        self._metered.clear()
        self.forget()

    def begin_frame(self) -> None:
        self._before = {k.full_name: self.joint_force(k) for k in self.engine.realm.links() if k.joint.sums}

    def joint_forces(self) -> dict[str, float]:
        """The force at every joint with one coordinate, now [N·m or N]."""
        sim = self.engine.ready()
        if self._forces is None or self._forces[0] != sim.time:
            self._forces = (float(sim.time), sim.joint_force)
        values = self._forces[1]
        found = {}
        for entry in sim.layout.bodies:
            where = sim.layout.speed_slices[entry.name]
            if where.stop - where.start == 1:
                found[entry.name] = float(values[where][0])
        return found

    def joint_force(self, link: Link) -> float:
        link.joint.force = self.joint_forces().get(link.full_name, 0.0)
        return link.joint.force

    def acceleration(self, link: Link) -> float:
        sim = self.engine.ready()
        where = sim.layout.speed_slices[link.full_name]
        return float(sim.acceleration[where][0]) if where.stop - where.start == 1 else 0.0

    # ------------------------------------------------------------ contact and attachments
    def contacts(self, link: Link) -> dict[str, np.ndarray] | None:
        """What the ground contact of a body reports now; None when it has none."""
        sim, name = self.engine.ready(), ground_name(link)
        return sim.elements[name].report() if name in sim.elements else None

    def contact_force(self, link: Link) -> np.ndarray:
        """The whole force of the ground on a body [N, world axes]."""
        found = self.contacts(link)
        return np.zeros(3) if found is None else np.array([found[f"force_{x}"].sum() for x in "xyz"])

    def attachment_force(self, name: str) -> np.ndarray:
        """The force of an attachment on its first body [N, world axes]."""
        found = self.engine.ready().elements[name].report()
        return np.array([float(found[f"force_{x}"][0]) for x in "xyz"])

    def switch_glue(self, link: Link) -> None:
        """A body sticks from now on, or no more."""
        if self.engine.current is not None and not set_sticky(self.engine.current, link):
            self.engine.rebuild()

    def stuck(self, link: Link) -> list[np.ndarray]:
        """Of every point of a sticky body: whether it sticks, and where."""
        return stuck_points(self.engine.ready(), link)

    def stick(self, link: Link, points: dict[int, list[float]]) -> None:
        set_stuck(self.engine.ready(), link, points)

    def sum(self, dt: float) -> None:
        """Running integrals: of joint forces by the meters of the simulation, of the others over frames."""
        sim = self.engine.ready()
        for link in self.engine.realm.links():
            for kind in link.joint.sums:
                link.joint.since[kind] += dt
                if kind == "abs" or link.driven:  # the force of a drive is not metered
                    force = 0.5 * (self._before.get(link.full_name, 0.0) + self.joint_force(link))
                    link.joint.sums[kind] += dt * (abs(force) if kind == "abs" else force)
                else:
                    link.joint.sums[kind] += metered(sim, link) - self._metered.get(link.full_name, 0.0)
                    self._metered[link.full_name] = metered(sim, link)
        for name in self.contact_sums:
            link = self.engine.realm.universe.link(name)
            self.contact_sums[name] = self.contact_sums[name] + dt * self.contact_force(link)
        for attachment in self.engine.realm.attachments:
            if attachment.sum is not None:
                attachment.sum = attachment.sum + dt * self.attachment_force(attachment.name)
