"""The worlds of an environment as the parts of a task see them: one row a world, read once a tick."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, HybridError, StepError, TaskError, nearest
from gambol.figure.kinematics import Kinematics
from gambol.figure.placement import Placement
from gambol.learn.sheet import Sheet
from gambol.learn.ticks import look
from gambol.stepping.memory import as_slice
from gambol.stepping.workspace import CARRY, TIME
from gambol.world.simulation import Simulation

if TYPE_CHECKING:
    from gambol.learn.parts import TaskPart
    from gambol.learn.task import TaskParts

NO_TURN = np.eye(3)


class Batch:
    """What happens in the worlds of an environment.

    sim, worlds, tick      the simulation, how many worlds, time between two actions [s]
    random                 the generator from which all parts draw
    q, v                   positions and speeds, (worlds, …), description order, of this moment: until the next tick
    speeds_before          v of the tick before
    age                    ticks since each episode began, (worlds,)
    action, action_before  as they were asked for, (worlds, actions)
    command                what is asked of each world, (worlds, …): set by a Change, seen by observations and rewards
    sheet, rows            the table that all of these are rows of (gambol.learn.sheet)
    """

    def __init__(self, sim: Simulation, task: TaskParts, seed: int | None = None):
        self.sim, self.worlds, self.tick = sim, sim.worlds, task.tick
        self.task: Any = task
        self.random = np.random.default_rng(seed)
        self.age, self._none_failed = np.zeros(self.worlds, np.int64), np.zeros(self.worlds, bool)
        self.parts: list[TaskPart] = []
        self.drivers: list[Any] = []  # those that act in every part of a tick
        self._seen: dict[str, Any] = {}
        self.shown: np.ndarray | None = None  # (observations, worlds) of this moment, once, where the tick made them
        positions, speeds = self._motion_cells()
        self._motion = np.concatenate([positions, speeds])
        self._trunk = self._free_root()
        counts = {"q": len(positions), "v": len(speeds), "v before": len(speeds)}
        self.sheet = Sheet(sim.memory, **counts)
        self._open()
        self.look()
        self.speeds_before[...] = self.v

    def _motion_cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Cells of positions and of speeds."""
        return self.sim.memory.positions, self.sim.memory.speeds

    def resize(self, **counts: int) -> None:
        """So many rows of the sheet for actions (`action`, and those before) or the `command`."""
        if "action" in counts:
            counts["action before"] = counts["action"]
        self.sheet.resize(**counts)
        self._open()

    def _open(self) -> None:
        sheet = self.sheet
        self.rows = sheet.rows
        self.q, self.v, self.speeds_before = sheet.of("q"), sheet.of("v"), sheet.of("v before")
        self.action, self.action_before, self._command = map(sheet.of, ("action", "action before", "command"))
        rows, trunk, at, first, turn = sheet.rows, -1, 0, 0, NO_TURN
        if self._trunk is not None:
            at, first, turn = self._trunk
            trunk = rows["angular velocity"].start
        v = rows["v"]
        self._places = v.start, rows["v before"].start, len(v), trunk, rows["q"].start + at, v.start + first, turn

    @property
    def command(self) -> np.ndarray:
        """What is asked of each world, (worlds, …)."""
        return self._command

    @command.setter
    def command(self, values: np.ndarray) -> None:
        if np.shape(values) != self._command.shape:
            self.resize(command=np.shape(values)[1])
        self._command[...] = values

    def bind(self, parts: Iterable[TaskPart]) -> list[Any]:
        """Copies of the parts that know this batch."""
        bound = []
        for part in parts:
            own = copy.copy(part)
            own.prepare(self)
            bound.append(own)
        self.parts += bound
        return bound

    # ------------------------------------------------------------ the moment
    def look(self, *, moved: bool = False) -> tuple[Any, ...]:
        """Reads where the worlds are now; `moved`: a tick has passed since the last look, and all are older by one."""
        sight = self.sight(moved=moved)
        look(sight)
        return sight

    def sight(self, *, moved: bool) -> tuple[Any, ...]:
        """What the compiled look goes by (ticks). Who asks for it has to look: what was known is forgotten."""
        memory, sheet = self.sim.memory, self.sheet
        array, cells = memory.array, self._motion
        if not memory.lanes:
            if moved:
                self.speeds_before[...] = self.v
            sheet.numbers[: len(cells), : self.worlds] = memory.columns(cells)
            array, cells = sheet.packs, cells[:0]
        aged = self.age if moved else self.age[:0]
        kept = moved and bool(memory.lanes)
        self._seen.clear()
        self.shown = None
        return array, cells, sheet.packs, sheet.numbers, aged, kept, *self._places, self._gravity()

    def _gravity(self) -> np.ndarray:
        return self.sim.model.gravity

    def march(self, start: Any) -> np.ndarray:
        """One tick further; each begins at time 0, so that every tick is stepped alike. Worlds that failed.

        Nobody has looked yet, then.

        start   the State in which those are left whose step could not be taken
        """
        failed = self._none_failed
        for k in range(1, self.task.drives + 1):
            for part in self.drivers:
                part.drive(self)
            while True:
                try:
                    self._advance(k / self.task.drives)
                    break
                except (StepError, HybridError) as error:
                    broken = self.sim.failed_worlds
                    if not len(broken) and isinstance(error, StepError):
                        broken = np.array([error.world])  # it took too many steps
                    if not len(broken):
                        raise
                    if failed is self._none_failed:
                        failed = failed.copy()
                    failed[broken] = True
                    self.put_back(start, broken)
                    self._wait(k / self.task.drives, broken)
        self._end_tick()
        return failed

    def put_back(self, start: Any, worlds: np.ndarray) -> None:
        """These worlds are as they were at the start, a copy of its cells."""
        self.sim.restore(start, worlds)

    def _time(self, share: float) -> float:
        """[s] of the worlds' clocks at a share of the tick."""
        return share * self.tick

    def _advance(self, share: float) -> None:
        """To a share of the tick."""
        self.sim.advance(self._time(share))

    def _wait(self, share: float, worlds: np.ndarray) -> None:
        """These worlds stay where they are until a share of the tick has passed."""
        memory = self.sim.memory
        memory.write([memory.clock(TIME), memory.clock(CARRY)], [self._time(share), 0.0], "time", worlds)

    def _end_tick(self) -> None:
        self.sim.shift_clock(-float(self.sim.memory.dtype(self.tick)))
        self.sim.events.clear()

    def asked(self, width: int) -> np.ndarray:
        """The first numbers of the command, (worlds, width)."""
        if self.command.shape[1] < width:
            message = f"{width} numbers of a command are needed, there are {self.command.shape[1]}: Commands sets them"
            raise TaskError([Fault(message, self.task.name)])
        return self.command[:, :width]

    # ------------------------------------------------------------ names
    def joints(self, names: Sequence[str] | str) -> list[str]:
        """Joints of one coordinate: those named, or all of them ("all"), or those whose names end so ("*coxa")."""
        single = [entry.name for entry in self.sim.layout.bodies if self._width(entry.name) == 1]
        plain = [name.rpartition("/")[2] for name in single]
        if names == "all":
            return single
        if isinstance(names, str):
            names = [p for p in plain if p.endswith(names.removeprefix("*"))] if names.startswith("*") else [names]
        found = []
        for name in names:
            if name not in single and name not in plain:
                raise TaskError([Fault(f"no joint of one coordinate is called {name!r}{nearest(name, plain)}", "task")])
            found.append(self.sim.layout.body(name).name)
        if not found:
            raise TaskError([Fault("no joint is meant", "task")])
        return found

    def _width(self, name: str) -> int:
        where = self.sim.layout.position_slices[name]
        return where.stop - where.start

    def positions_of(self, joints: Sequence[str]) -> slice | np.ndarray:
        """Places in q; a slice where they follow one another."""
        return as_slice(np.array([self.sim.layout.position_slices[name].start for name in joints]))

    def speeds_of(self, joints: Sequence[str]) -> slice | np.ndarray:
        """Places in v; a slice where they follow one another."""
        return as_slice(np.array([self.sim.layout.speed_slices[name].start for name in joints]))

    def units_of(self, joints: Sequence[str]) -> list[str]:
        """Of positions of joints of one coordinate: rad or m."""
        return [next(iter(self.sim.layout.body(name).body.joint.kind.positions.values())) for name in joints]

    # ------------------------------------------------------------ the trunk, a free root
    def _free_root(self) -> tuple[int, int, np.ndarray] | None:
        """First position, first speed, and the base's rotation of the first figure's root, if it is free."""
        first = self.sim.layout.bodies[0]
        if first.body.joint.type != "free":
            return None
        layout = self.sim.layout
        turn = np.array(Placement((0.0, 0.0, 0.0), first.body.placement.rotation).matrix, float)
        return layout.position_slices[first.name].start, layout.speed_slices[first.name].start, turn

    def _root(self) -> tuple[int, int, np.ndarray]:
        if self._trunk is None:
            root = self.sim.layout.bodies[0].name
            raise TaskError([Fault("motion of the trunk needs a figure whose root joint is free", root)])
        return self._trunk

    @property
    def trunk_position(self) -> np.ndarray:
        """(worlds, 3) [m] from where its root is placed, axes of that."""
        at, _, _ = self._root()
        return self.q[:, at : at + 3]

    def _felt(self, name: str) -> np.ndarray:
        """(worlds, …) of what the trunk feels."""
        self._root()
        return self.sheet.of(name)

    @property
    def trunk_frame(self) -> np.ndarray:
        """(worlds, 3, 3), trunk to base axes."""
        return self._felt("axes").reshape(self.worlds, 3, 3)

    def in_trunk(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (worlds, 3) or (3,) in base axes, as the trunk sees them."""
        axes, (x, y, z) = self._felt("axes").T, vectors.T
        return (x * axes[:3] + y * axes[3:6] + z * axes[6:]).T

    @property
    def angular_velocity(self) -> np.ndarray:
        """(worlds, 3) [rad/s] of the trunk, its own axes."""
        return self._felt("angular velocity")

    @property
    def linear_velocity(self) -> np.ndarray:
        """(worlds, 3) [m/s] of the trunk, its own axes."""
        return self._felt("velocity")

    @property
    def down(self) -> np.ndarray:
        """(worlds, 3): the direction of gravity, axes of the trunk; upright it is (0, 0, -1)."""
        return self._felt("down")

    def felt_rows(self, name: str) -> range:
        """Rows of the sheet that tell what the trunk feels."""
        self._root()
        return self.rows[name]

    def asked_rows(self, width: int) -> range:
        """Rows of the sheet with the first numbers of the command."""
        self.asked(width)
        return self.rows["command"][:width]

    # ------------------------------------------------------------ points of bodies
    def points(self, places: Sequence[tuple[str, Sequence[float]]]) -> np.ndarray:
        """(worlds, points, 3) [m, world]: where points [m, body frame] of bodies are."""
        if "poses" not in self._seen:
            self._seen["poses"] = Kinematics.of(self.sim.layout.figures).frames(self.q)
        origins, frames = self._seen["poses"]
        order = {entry.name: k for k, entry in enumerate(self.sim.layout.bodies)}
        rows = [order[self.sim.layout.body(body).name] for body, _ in places]
        at = np.array([point for _, point in places], float)
        return (origins[:, rows] + np.einsum("wpij,pj->wpi", frames[:, rows], at)).astype(self.q.dtype)

    # ------------------------------------------------------------ state
    def save(self) -> Any:
        """What the parts and the episodes keep, beside the state of the simulation."""
        own = self.age, self._command.shape[1], self.sheet.numbers
        return copy.deepcopy((own, self.random.bit_generator.state, [part.save() for part in self.parts]))

    def restore(self, saved: Any) -> None:
        """Exactly as it was saved."""
        (age, width, numbers), self.random.bit_generator.state, parts = copy.deepcopy(saved)
        if width != self._command.shape[1]:
            self.resize(command=width)
        self.age, self.sheet.numbers[...] = age, numbers
        for part, state in zip(self.parts, parts):
            part.restore(state)
        self.look()
