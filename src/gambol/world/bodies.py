"""The bodies of a running simulation by name: where they are, how they move, the coordinates of their joints.

foot = sim.bodies["l_foot"]
foot.position, foot.rotation, foot.point((0.1, 0, 0)), foot.velocity()
foot.q = 0.3                                   # the position of its joint
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.dynamics.layout import BodyEntry, mass_constants
from gambol.dynamics.workspace import BODY_CONSTANTS, BODY_MASS
from gambol.errors import Fault, Notice, WorldError
from gambol.figure import Body, Mass
from gambol.stepping import given

if TYPE_CHECKING:
    from gambol.world.simulation import Simulation

ORIGIN = (0.0, 0.0, 0.0)


def joint_values(sim: Simulation, values: Any, what: str, count: int) -> np.ndarray:
    """Positions or speeds to begin `count` worlds with, (coordinates,) or (worlds, coordinates).

    values   an array, or those of joints by name; the others are at zero positions, at rest
    """
    layout, positions = sim.layout, what == "positions"
    rest, slices = (layout.zero, layout.position_slices) if positions else (np.zeros(layout.nv), layout.speed_slices)
    if values is None:
        return rest
    if isinstance(values, Mapping):
        table = np.tile(rest, (count, 1))
        for name, value in values.items():
            where = slices[layout.body(name).name]
            try:
                own = np.asarray(value, float)
                table[:, where] = own[:, None] if own.shape == (count,) and count > 1 else own
            except (TypeError, ValueError):
                size = where.stop - where.start
                raise WorldError([Fault(f"its joint has {size} {what}, not {value!r}", name)]) from None
        values = table if sim.worlds > 1 else table[0]
    return given.array(values, what, "reset", layout.coordinate_names if positions else layout.speed_names)


class Bodies(Mapping[str, "BodyHandle"]):
    """The bodies of a simulation, "figure/body" or the plain name where it is unique."""

    def __init__(self, sim: Simulation):
        self._sim = sim
        self._reweighed: set[str] = set()

    def notice_mass(self, body: str) -> None:
        """Says once, of a body that is given another mass, which elements go by the one described."""
        if body in self._reweighed:
            return
        self._reweighed.add(body)
        sim = self._sim
        if known := [element.where for element in sim.world.elements if body in element.weighs(sim.layout)]:
            more = f" and {len(known) - 1} more go" if len(known) > 1 else " goes"
            what = f"its mass is changed, but {known[0]}{more} by the mass described"
            remedy = "set the parameters of such elements, world by world"
            sim.give_notice(Notice(what, body, {"elements": len(known)}, remedy))

    def __getitem__(self, name: str) -> BodyHandle:
        return BodyHandle(self._sim, self._sim.layout.body(name))

    def __iter__(self) -> Iterator[str]:
        return iter(entry.name for entry in self._sim.layout.bodies)

    def __len__(self) -> int:
        return len(self._sim.layout.bodies)


class BodyHandle:
    """One body of a simulation, and its joint. Poses and velocities are for single worlds."""

    def __init__(self, sim: Simulation, entry: BodyEntry):
        self._sim, self._entry = sim, entry
        self.name = entry.name
        self.positions = sim.layout.position_slices[entry.name]  # of its joint, in sim.q
        self.speeds = sim.layout.speed_slices[entry.name]  # in sim.v

    @property
    def description(self) -> Body:
        """As the figure describes it."""
        return self._entry.body

    # ------------------------------------------------------------ its joint
    @property
    def q(self) -> Any:
        """Positions of its joint [rad or m]: a number where it has one coordinate, (worlds, …) for several worlds."""
        return self._plain(self._sim.q[..., self.positions])

    @q.setter
    def q(self, values: Any) -> None:
        self._sim.q = self._put(self._sim.q, self.positions, values)

    @property
    def v(self) -> Any:
        """Speeds of its joint [rad/s or m/s]."""
        return self._plain(self._sim.v[..., self.speeds])

    @v.setter
    def v(self, values: Any) -> None:
        self._sim.v = self._put(self._sim.v, self.speeds, values)

    @property
    def command(self) -> Any:
        """Held force of its joint [N·m or N]; where it is driven, its acceleration [rad/s² or m/s²]."""
        return self._plain(self._sim.command[..., self.speeds])

    @command.setter
    def command(self, values: Any) -> None:
        self._sim.command = self._put(self._sim.command, self.speeds, values)

    def _plain(self, block: np.ndarray) -> Any:
        block = block[..., 0] if block.shape[-1] == 1 else block
        return float(block) if np.ndim(block) == 0 else block

    def _put(self, array: np.ndarray, where: slice, values: Any) -> np.ndarray:
        changed, size = array.copy(), where.stop - where.start
        try:
            given = np.asarray(values, float)
        except (TypeError, ValueError):
            raise WorldError([Fault(f"its coordinates must be numbers, not {values!r}", self.name)]) from None
        if size == 1 and given.shape in {(), (self._sim.worlds,)}:
            given = given[..., None]
        if given.shape not in {(size,), (self._sim.worlds, size)}:
            raise WorldError([Fault(f"its joint has {size} coordinates, not {np.shape(values)}", self.name)])
        changed[..., where] = given
        return changed

    # ------------------------------------------------------------ where it is
    @property
    def position(self) -> np.ndarray:
        """Origin of its frame [m, world]."""
        return self.point()

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3), from body to world axes."""
        return self._sim.mechanics.frames(self._sim.q)[self.name]

    def point(self, at: Sequence[float] = ORIGIN) -> np.ndarray:
        """Where a point `at` [m, body frame] is [m, world]."""
        return self._sim.mechanics.point(self._sim.q, self.name, at)

    def velocity(self, at: Sequence[float] = ORIGIN) -> np.ndarray:
        """Velocity of a point `at` [m, body frame], world axes [m/s]."""
        twist = self._sim.mechanics.velocities(self._sim.q, self._sim.v)[self.name]
        return twist[3:] + np.cross(twist[:3], self.rotation @ np.asarray(at, float))

    # ------------------------------------------------------------ its mass
    def set_mass(self, mass: Mass | Sequence[Mass], worlds: Sequence[int] | np.ndarray | None = None) -> None:
        """Other mass properties (in its own frame), in every world alike or one by one, until reset.

        worlds   numbers of the worlds that are meant; default all

        For simulations made with own_masses=True; `mechanics` and the figures keep the masses described.
        """
        sim, entry = self._sim, self._entry
        if not len(sim.memory.constants):
            raise WorldError([Fault("worlds share their masses; make it with own_masses=True", "simulation")])
        if sim.energy_ledger:
            raise WorldError([Fault("the ledger counts the masses described; make it with ledger=False", "simulation")])
        given = [mass] if isinstance(mass, Mass) else list(mass) if isinstance(mass, Sequence) else []
        if not given or not all(isinstance(m, Mass) for m in given):
            raise WorldError([Fault(f"its mass must be a Mass, or one a world, not {mass!r}", entry.name)])
        problems = [Fault(message, entry.name) for m in given for _, message in m.faults()]
        if entry.body.mass_properties.mass == 0 or any(m.mass == 0 for m in given):
            problems.append(Fault("a body without mass cannot be given one, nor lose it", entry.name))
        if problems:
            raise WorldError(problems)
        rows = np.array([mass_constants(m, entry.turn) for m in given])
        first = entry.link * BODY_CONSTANTS + BODY_MASS
        cells = sim.memory.constants[first : first + rows.shape[1]]
        chosen = None if worlds is None else sim.memory.chosen(worlds)
        sim.memory.write(cells, rows[0] if len(given) == 1 else rows, "mass constants", chosen)
        sim.bodies.notice_mass(entry.name)
