"""Running a world, or many copies of it at once.

    sim = Simulation(World(figure))
    path = sim.run(2.0, every=1 / 60)
    sim.q, sim.v, sim.time, sim.ledger()

Many worlds: `Simulation(world, worlds=1000)` holds them in packs that step together, each on its own clock; `sim.q`
then has one row a world. All arrays are in description order (see Layout).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from gambol.dynamics.layout import mass_constants
from gambol.dynamics.workspace import CONSTANTS, MASS
from gambol.errors import Fault, StepError, WorldError, nearest
from gambol.figure import Mass
from gambol.forces.programs import APPLY, SETTLE, program_addresses, programs_of
from gambol.forces.registry import compile_elements
from gambol.math.pack import numbers, zeros
from gambol.stepping.methods import IMPLICIT
from gambol.stepping.options import Stepping
from gambol.stepping.room import CLOCK_SECTION, FRESH, STEP, TIME
from gambol.stepping.run import Event, Run, State
from gambol.stepping.timetable import Timetable, Writes
from gambol.world.boundary import compile_boundaries
from gambol.world.constraints import Constraints
from gambol.world.failure import step_failure
from gambol.world.flow import locate_row, march_varied_world, march_world, views_of_row
from gambol.world.ledger import Books
from gambol.world.mechanics import Mechanics
from gambol.world.memory import Memory
from gambol.world.model import kernel_model
from gambol.world.parameters import Parameters, profile_tables
from gambol.world.trajectory import Trajectory
from gambol.world.world import World

LANES = {8: 8, 4: 16}  # worlds in a pack, by bytes of a number


class Simulation(Run):
    """A world in motion (or `worlds` copies of it, in SIMD packs over `threads` threads).

    stepping   how to step (Stepping, or a method's name); by default the implicit pair for worlds with force
               elements, Fehlberg's pair otherwise
    dtype      float64 or float32
    ledger     keep the books of energy; default: for a single world
    lanes      worlds in a pack; default 8 (float64) or 16 (float32) for several worlds
    varied     give every world its own body constants
    """

    memory: Memory

    def __init__(
        self,
        world: World,
        *,
        stepping: Stepping | str | None = None,
        worlds: int = 1,
        dtype: Any = np.float64,
        ledger: bool | None = None,
        lanes: int | None = None,
        threads: int = 1,
        varied: bool = False,
    ):
        if worlds < 1 or threads < 1:
            message = f"worlds and threads must be at least 1, not {worlds} and {threads}"
            raise WorldError([Fault(message, "simulation")])
        if world.constraints and (worlds > 1 or varied or np.dtype(dtype) != np.float64):
            message = "worlds with constraints run one at a time, in float64, with shared body constants"
            raise WorldError([Fault(message, "simulation")])
        self.world, self.layout = world, world.layout
        self.dtype = np.dtype(dtype).type
        self.worlds, self.threads = int(worlds), int(threads)
        ledger = self.worlds == 1 if ledger is None else ledger
        tables, profiles = profile_tables(world)
        also = ("constraints",) if world.constraints else ()
        kept = ledger or any(element.measures for element in world.elements)
        self.elements = compile_elements(world.elements, self.layout, world.terrain, tables, ledger=kept, also=also)
        boundaries = compile_boundaries(world.boundaries, self.layout)
        exposed = bool(world.elements or world.constraints)
        elements = self.elements.arrays
        self.model = kernel_model(self.layout, self.dtype, elements, boundaries, exposed=exposed, varied=varied)
        self.mechanics = Mechanics(self.layout, elements=self.elements)
        self.stepping = self._complete(stepping)
        self._constraints = Constraints(self, ledger=ledger) if world.constraints else None
        self.memory = Memory(
            self.layout,
            worlds=self.worlds,
            lanes=(0 if self.worlds == 1 else LANES[np.dtype(dtype).itemsize]) if lanes is None else lanes,
            dtype=self.dtype,
            boundaries=len(world.boundaries) + (len(self._constraints.breakable) if self._constraints else 0),
            lines=len(self.elements.lines) + len(self.elements.meters) if kept else 0,
            parameters=self.elements.params.size,
            constants=self.model.const.size if varied else 0,
            stages=len(self.stepping.chosen.b),
            bound=self._constraints.bound if self._constraints else None,
        )
        self.timetable = Timetable(self.memory)
        self._march = march_varied_world if varied else march_world
        own, motion = self._row(0)
        self.model.programs[:] = program_addresses(self.elements.modules, own, motion, which=(APPLY, SETTLE))
        self.parameters = Parameters(self, profiles)
        self._switches = self.elements.switches
        self.watch(world.boundaries)
        if self._constraints:
            self._march = self._constraints.march
            self.watch((*world.boundaries, *self._constraints.breakable))
        self.error_scale = self._error_scale()
        self.events: list[Event] = []
        self.books = Books(self) if ledger and self.worlds == 1 else None
        self.reset()

    def _row(self, k: int):
        """Model and motion of row k, as the compiled march sees them."""
        return views_of_row(self.model, self.memory.array[k], self.memory.plan, varied=bool(len(self.memory.constants)))

    def _complete(self, stepping: Stepping | str | None) -> Stepping:
        given = Stepping(method=stepping) if isinstance(stepping, str) else stepping or Stepping()
        done = given.completed(stiff=bool(len(self.elements.table)))
        if done.chosen.kind == IMPLICIT and given.length == 1.0 and given.time == 1.0:
            length = 0.1 * self.world.size
            gravity = math.hypot(*self.world.gravity) or 9.81
            done = replace(done, length=length, time=0.1 * math.sqrt(length / gravity))
        return done

    def _error_scale(self) -> np.ndarray:
        """Weight of each tangent variable in the error norm; the books follow the motion, they do not steer it."""
        length, time = self.stepping.length, self.stepping.time
        metres = np.zeros(self.layout.nv, bool)
        for entry in self.layout.bodies:
            metres[list(entry.speeds)] = [unit == "m/s" for unit in entry.body.joint.kind.speeds.values()]
        position = np.where(metres, 1.0 / length, 1.0)
        books = np.zeros(len(self.memory.lines))
        return np.concatenate([position, position * time, books]).astype(self.dtype)

    def reset(self, q=None, v=None, *, time: float = 0.0) -> None:
        """Back to the start: given positions and speeds (default: zero positions, at rest), nothing commanded."""
        memory = self.memory
        memory.cells[...] = 0
        memory.cells[:, memory.clock(TIME)] = time
        memory.cells[:, memory.clock(STEP)] = self.stepping.step
        memory.cells[:, memory.sides] = FRESH
        memory.write(memory.parameters, self.elements.params, "parameters")
        if self._constraints:
            self._constraints.reset()
        if len(memory.constants):
            memory.write(memory.constants, self.model.const, "constants")
        memory.write(memory.positions, self.layout.zero if q is None else q, "positions")
        memory.write(memory.speeds, np.zeros(self.layout.nv) if v is None else v, "speeds")
        memory.retire_spares()
        self.timetable.clear()
        self.events.clear()
        self.schedule = ()
        if self.books:
            self.books.open()

    # ------------------------------------------------------------ what it is doing
    @property
    def q(self) -> np.ndarray:
        """Positions, description order."""
        return self.memory.read(self.memory.positions)

    @q.setter
    def q(self, values) -> None:
        self._jump(self.memory.positions, values, "positions")

    @property
    def v(self) -> np.ndarray:
        """Speeds, description order."""
        return self.memory.read(self.memory.speeds)

    @v.setter
    def v(self, values) -> None:
        self._jump(self.memory.speeds, values, "speeds")

    def _jump(self, indices, values, what: str) -> None:
        before = (self.q, self.v) if self.books else None
        old = np.atleast_2d(self.memory.read(indices))
        self.memory.write(indices, values, what)
        new = np.atleast_2d(self.memory.read(indices))
        self.memory.look_anew(map(int, np.flatnonzero(np.any(old != new, axis=1))))
        if self.books:
            self.books.jump(before)

    @property
    def command(self) -> np.ndarray:
        """Held generalised forces [N·m or N]; at driven joints: held accelerations [rad/s² or m/s²]."""
        return self.memory.read(self.memory.commands)

    @command.setter
    def command(self, values) -> None:
        self.memory.write(self.memory.commands, values, "commands")

    @property
    def acceleration(self) -> np.ndarray:
        """Joint accelerations at this moment, all forces acting."""
        self._call(np.zeros(0), None)
        return self.memory.read(self.memory.accelerations)

    @property
    def joint_force(self) -> np.ndarray:
        """Generalised forces at this moment: commands and elements; at driven joints what the drive must give."""
        self._call(np.zeros(0), None)
        return self.memory.read(self.memory.forces)

    def first_order_velocity(self) -> np.ndarray:
        """Speeds of first-order ("Aristotelian") dynamics: M v = f, where f are the forces that act at rest.

        What needs speed (dampers, gyroscopic terms) does not act; at driven joints the command is the speed. The
        state does not change.
        """
        speeds = self.v
        self.memory.write(self.memory.speeds, np.zeros(self.layout.nv), "speeds")
        self._call(np.zeros(0), None)
        self.memory.write(self.memory.speeds, speeds, "speeds")
        return self.memory.read(self.memory.accelerations)

    def relax(self, duration: float, step: float = 0.01) -> None:
        """Moves a single world by first-order dynamics (midpoint rule), and leaves it at rest.

        It goes to a state of rest without overshoot. The clock stands still; the books count it as a jump.
        """
        for _ in range(math.ceil(duration / step)):
            start = self.q
            self.q = self.mechanics.displaced(start, 0.5 * step * self.first_order_velocity())
            self.q = self.mechanics.displaced(start, step * self.first_order_velocity())
        self.v = np.zeros(self.layout.nv)

    @property
    def constraints(self) -> Constraints:
        """What holds the figures: forces, deviations, switches (see gambol.world.constraints)."""
        if self._constraints is None:
            raise WorldError([Fault("this world has no constraints; give World(constraints=…)", "simulation")])
        return self._constraints

    def coordinates(self, body: str) -> slice:
        """Where the positions of a body's joint are in `q`."""
        return self.layout.position_slices[self.layout.body(body).name]

    def speed_coordinates(self, body: str) -> slice:
        """Where the speeds of a body's joint are in `v`."""
        return self.layout.speed_slices[self.layout.body(body).name]

    # ------------------------------------------------------------ forces and their parameters
    def parameter(self, element: str, parameter: str):
        """A parameter of the element called `element` (or of the "terrain") as it is now, ramps included."""
        return self.parameters.read(element, parameter)

    def set_parameter(self, element: str, parameter: str, values, *, at=None) -> None:
        """Sets a parameter of the element called `element` (or of the "terrain"), for all worlds or one by one.

        Now, or when a world reaches the time `at` [s] (one, or one a world): it does so itself, inside the march.
        """
        self.parameters.write(element, parameter, values, at)

    def ramp(self, element: str, parameter: str, to, duration, *, profile: str = "linear", start=None, at=None) -> None:
        """Drives a parameter to a value over `duration` [s]; profiles: linear, smooth, or one of the world's tables.

        From where it is now, from now or from `start` [s] on; or `at` a time (one, or one a world), from where it will
        be then.
        """
        self.parameters.ramp(element, parameter, to, duration, profile, start, at)

    def report(self, element: str) -> dict[str, np.ndarray]:
        """What an element says of itself now (its force, depth, length …): (rows,) or (worlds, rows) of each."""
        place = self.parameters.place(element)
        names = getattr(place.module, "REPORTS", ())
        block = self.reports()[..., np.add.outer(np.array(place.reports, int), np.arange(len(names)))]
        return {name: block[..., k] for k, name in enumerate(names)}

    def reports(self) -> np.ndarray:
        """Everything that elements report, (reports,) or (worlds, reports)."""
        memory = self.memory
        out = zeros((memory.rows, max(self.elements.reports, 1)), self.dtype, memory.lanes)
        if self.elements.modules:
            self._call(np.zeros(0), None)  # forces at the joints, for meters
            program = programs_of(self.elements.modules).report
            clock = int(memory.plan[CLOCK_SECTION])
            for k in range(memory.rows):
                own, motion = self._row(k)
                locate_row(own, motion)
                program(own, motion, memory.array[k, clock : clock + 1], out[k])
        return memory.read(np.arange(self.elements.reports), numbers(out))

    def measured(self, name: str):
        """The integral that a meter called `name` has gathered since the start."""
        meters = self.elements.meters
        if name not in meters:
            raise WorldError([Fault(f"no meter is called {name!r}{nearest(name, meters)}", "simulation")])
        first = len(self.memory.lines) - len(meters)
        value = self.memory.read([self.memory.lines[first + meters.index(name)]])
        return float(value[0]) if self.worlds == 1 else value[:, 0]

    def set_mass(self, body: str, mass: Mass | Sequence[Mass]) -> None:
        """Gives a body other mass properties (in its own frame), in every world alike or one by one.

        For simulations made with varied=True. Lasts until reset; `mechanics` and the figures keep the masses described.
        """
        if not len(self.memory.constants):
            raise WorldError([Fault("worlds share their body constants; make it with varied=True", "simulation")])
        if self.books:
            raise WorldError([Fault("the ledger counts the masses described; make it with ledger=False", "simulation")])
        entry = self.layout.body(body)
        given = [mass] if isinstance(mass, Mass) else list(mass)
        problems = [Fault(message, entry.name) for m in given for _, message in m.faults()]
        if entry.body.mass_properties.mass == 0 or any(m.mass == 0 for m in given):
            problems.append(Fault("a body without mass cannot be given one, nor lose it", entry.name))
        if problems:
            raise WorldError(problems)
        rows = np.array([mass_constants(m, entry.turn) for m in given])
        first = entry.link * CONSTANTS + MASS
        cells = self.memory.constants[first : first + rows.shape[1]]
        self.memory.write(cells, rows[0] if len(given) == 1 else rows, "mass constants")

    # ------------------------------------------------------------ state
    def save(self) -> State:
        """A copy of everything that decides how the simulation goes on."""
        return replace(super().save(), books=self.books.saved() if self.books else ())

    def restore(self, state: State) -> None:
        """Exactly as it was saved."""
        super().restore(state)
        if self.books:
            self.books.restore(state.books)

    def ledger(self) -> dict[str, float]:
        """The books of energy of a single world since its start [J]; see gambol.world.ledger."""
        if not self.books:
            raise WorldError([Fault("the ledger is kept for single worlds with ledger=True", "simulation")])
        return self.books.balance()

    # ------------------------------------------------------------ running
    def _call(self, times: np.ndarray, record: np.ndarray | None) -> int:
        """The compiled march, over threads by blocks of rows."""
        if len(times) == 0:
            self._next_change()  # whoever gives times has asked already when the first of them comes
        if self._constraints:
            self._constraints.look(len(times) == 0)
        method, tableau, control = self.stepping.kernel(self.dtype)
        array = self.memory.array
        times = np.asarray(times, self.dtype)  # a clock can only reach times it can hold
        record = array[:0].reshape(0, 0, array.shape[1]) if record is None else record
        writes, lanes = self.timetable.writes, max(self.memory.lanes, 1)

        def march(rows: slice, record: np.ndarray, writes: Writes) -> int:
            return self._march(
                self._constraints.model if self._constraints else self.model,
                array[rows],
                self.memory.plan,
                method,
                tableau,
                control,
                self.error_scale,
                self._directions,
                self._priorities,
                times,
                record,
                writes,
            )

        if self.threads == 1 or self.memory.rows == 1:
            return march(slice(0, self.memory.rows), record, writes)
        cuts = np.linspace(0, self.memory.rows, min(self.threads, self.memory.rows) + 1).astype(int)
        blocks = [slice(a, b) for a, b in zip(cuts, cuts[1:])]
        records = [np.ascontiguousarray(record[:, block]) if len(record) else record for block in blocks]
        own = [writes._replace(first=writes.first[b.start * lanes : b.stop * lanes + 1]) for b in blocks]
        with ThreadPoolExecutor(len(blocks)) as pool:
            reached = min(pool.map(march, blocks, records, own))
        if len(record):
            for block, part in zip(blocks, records):
                record[:, block] = part
        return reached

    def _sample_times(self, duration, until, every) -> np.ndarray:
        times = super()._sample_times(duration, until, every)
        if self._constraints:
            self._constraints.check()
        return times

    def _given_times(self, times) -> np.ndarray:
        given = super()._given_times(times)
        if self._constraints:
            self._constraints.check()
        return given

    def _handle_stops(self, on_event, stop) -> bool:
        """A constraint that has gone beyond its reach is off before anybody hears of it."""
        broken = self._constraints.heard(on_event) if self._constraints else on_event
        return super()._handle_stops(broken, stop)

    def _next_change(self) -> float:
        """Sets what acts at known times to what it is now in each world; when the first of them changes next [s]."""
        memory, first, soonest = self.memory, int(self.memory.parameters[0]), math.inf
        for module, cells in self._switches:
            numbers = memory.read(first + cells.ravel()).reshape(-1, *cells.shape).astype(float)
            time = np.atleast_1d(self.time).astype(float)[:, None]
            value, change = module.switched(numbers, time, float(np.finfo(self.dtype).eps))
            memory.write(first + cells[:, module.SWITCH], value if self.worlds > 1 else value[0], "switches")
            soonest = min(soonest, float(change.min()))
        return soonest

    def _failure(self, world: int, cause: str, remedy: str) -> StepError:
        return step_failure(self, world, cause, remedy)

    def _trajectory(self, record: np.ndarray, times: np.ndarray, events: list[Event]) -> Trajectory:
        return Trajectory(self, record, times, events)

    # ------------------------------------------------------------ change of the figure
    def weld(self, body: str) -> Simulation:
        """A new simulation of the same moment with the joint of `body` welded where it stands ("deletejoint")."""
        return self._edited(self.world.weld(body, self.q[self.coordinates(body)]))

    def remove(self, body: str) -> Simulation:
        """A new simulation of the same moment without `body` and all beyond it ("killjoint")."""
        return self._edited(self.world.remove(body))

    def _edited(self, world: World) -> Simulation:
        if self.worlds != 1:
            raise WorldError([Fault("weld and remove act on single worlds", "simulation")])
        new = Simulation(world, stepping=self.stepping, dtype=self.dtype, ledger=bool(self.books))
        q, v, command = new.layout.zero, np.zeros(new.layout.nv), np.zeros(new.layout.nv)
        for entry in new.layout.bodies:
            q[new.coordinates(entry.name)] = self.q[self.coordinates(entry.name)]
            v[new.speed_coordinates(entry.name)] = self.v[self.speed_coordinates(entry.name)]
            command[new.speed_coordinates(entry.name)] = self.command[self.speed_coordinates(entry.name)]
        new.reset(q, v, time=float(self.time))
        new.command = command
        new.events[:] = self.events
        return new
