"""The worlds of an environment as the parts of a task see them: one row a world, read once a tick."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import Fault, HybridError, StepError, TaskError, nearest
from gambol.figure.kinematics import Kinematics
from gambol.figure.placement import Placement
from gambol.learn.ticks import AXES, DOWN, ROWS, TURNING, VELOCITY, trunk_motion
from gambol.stepping.memory import as_slice
from gambol.stepping.workspace import TIME
from gambol.world.simulation import Simulation

if TYPE_CHECKING:
    from gambol.learn.parts import TaskPart
    from gambol.learn.task import TaskParts


class Batch:
    """What happens in the worlds of an environment.

    sim, worlds, tick      the simulation, how many worlds, time between two actions [s]
    random                 the generator from which all parts draw
    q, v                   positions and speeds, (worlds, …), description order, of this moment: until the next tick
    speeds_before          v of the tick before
    age                    ticks since each episode began, (worlds,)
    action, action_before  as they were asked for, (worlds, actions)
    command                what is asked of each world, (worlds, …): set by a Change, seen by observations and rewards
    """

    def __init__(self, sim: Simulation, task: TaskParts, seed: int | None = None):
        self.sim, self.worlds, self.tick = sim, sim.worlds, task.tick
        self.task: Any = task
        self.random = np.random.default_rng(seed)
        self.age = np.zeros(self.worlds, np.int64)
        self.command: np.ndarray = np.zeros((self.worlds, 0), sim.memory.dtype)
        self.parts: list[TaskPart] = []
        self.drivers: list[Any] = []  # those that act in every part of a tick
        self._seen: dict[str, Any] = {}
        self._make_room()
        self.look()
        self.speeds_before = self.v
        self.action: np.ndarray = np.zeros((self.worlds, 0), sim.memory.dtype)
        self.action_before = self.action

    def _make_room(self) -> None:
        memory = self.sim.memory
        self._motion = np.concatenate([memory.positions, memory.speeds])
        self._rooms = [memory.column_room(len(self._motion)) for _ in range(2)]  # of this tick, and of the one before
        self._felt_room = np.empty((ROWS, self.worlds), memory.dtype)
        self._trunk = self._free_root()

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
    def look(self) -> None:
        """Reads where the worlds are now."""
        memory = self.sim.memory
        self._columns = columns = memory.columns(self._motion, self._rooms[0])
        self.q, self.v = columns[: len(memory.positions)].T, columns[len(memory.positions) :].T
        self._seen.clear()

    def march(self, start: Any) -> np.ndarray:
        """One tick further; each begins at time 0, so that every tick is stepped alike. Worlds that failed.

        start   the State in which those are left whose step could not be taken
        """
        failed = np.zeros(self.worlds, bool)
        self.speeds_before = self.v
        self._rooms.reverse()
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
                    failed[broken] = True
                    self.put_back(start, broken)
                    self._wait(k / self.task.drives, broken)
        self._end_tick()
        self.age += 1
        self.look()
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
        memory.write([memory.clock(TIME)], [self._time(share)], "time", worlds)

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

    # ------------------------------------------------------------ the trunk, a free root
    def _free_root(self) -> tuple[int, int, np.ndarray] | None:
        """First position, first speed, and the base's rotation of the first figure's root, if it is free."""
        first = self.sim.layout.bodies[0]
        if first.body.joint.type != "free":
            return None
        layout = self.sim.layout
        turn = np.array(Placement((0.0, 0.0, 0.0), first.body.placement.rotation).matrix, float)
        self._trunk_speed = len(self.sim.memory.positions) + layout.speed_slices[first.name].start  # row of _columns
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

    def _felt(self) -> np.ndarray:
        """What trunk_motion finds, (rows, worlds)."""
        if "trunk" not in self._seen:
            position, _, turn = self._root()
            speed = self._trunk_speed
            trunk_motion(self._columns, position, speed, turn, self.sim.model.gravity, self._felt_room)
            self._seen["trunk"] = self._felt_room
        return self._seen["trunk"]

    @property
    def trunk_frame(self) -> np.ndarray:
        """(worlds, 3, 3), trunk to base axes."""
        return self._felt()[AXES:].reshape(3, 3, self.worlds).transpose(2, 0, 1)

    def in_trunk(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (worlds, 3) or (3,) in base axes, as the trunk sees them."""
        axes, (x, y, z) = self._felt()[AXES:].reshape(3, 3, self.worlds), vectors.T
        return (x * axes[0] + y * axes[1] + z * axes[2]).T

    @property
    def angular_velocity(self) -> np.ndarray:
        """(worlds, 3) [rad/s] of the trunk, its own axes."""
        return self._felt()[TURNING : TURNING + 3].T

    @property
    def linear_velocity(self) -> np.ndarray:
        """(worlds, 3) [m/s] of the trunk, its own axes."""
        return self._felt()[VELOCITY : VELOCITY + 3].T

    @property
    def down(self) -> np.ndarray:
        """(worlds, 3): the direction of gravity, axes of the trunk; upright it is (0, 0, -1)."""
        return self._felt()[DOWN : DOWN + 3].T

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
        own = (self.age, self.command, self.action, self.action_before, self.speeds_before)
        return copy.deepcopy((own, self.random.bit_generator.state, [part.save() for part in self.parts]))

    def restore(self, saved: Any) -> None:
        """Exactly as it was saved."""
        own, self.random.bit_generator.state, parts = copy.deepcopy(saved)
        self.age, self.command, self.action, self.action_before, self.speeds_before = own
        for part, state in zip(self.parts, parts):
            part.restore(state)
        self.look()
