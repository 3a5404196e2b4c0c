"""Running a world, or many copies of it at once.

    sim = Simulation(World(figure))
    sim.reset({"knee": 0.3})
    path = sim.run(2.0, every=1 / 60, controller=…)
    sim.q, sim.v, sim.time, sim.bodies["foot"].position, sim.elements["knee spring"].get("rest"), sim.ledger()

Many worlds: `Simulation(world, worlds=1000)` holds them in packs that step together, each on its own clock; `sim.q`
then has one row a world. All arrays are in description order (see Layout); those that are copies are read-only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gambol.dynamics.layout import Layout
from gambol.errors import Fault, Notice, StepError, WorldError, nearest
from gambol.forces.contact.terrain import PLANE
from gambol.forces.programs import PROGRAM_APPLY, PROGRAM_SETTLE, PROGRAM_WATCHED, program_addresses
from gambol.forces.registry import compile_elements
from gambol.forces.watch import THROUGH, TOUCHDOWN
from gambol.jit.machine import lanes_for
from gambol.stepping import given
from gambol.stepping.methods import IMPLICIT
from gambol.stepping.options import Stepping
from gambol.stepping.run import Run
from gambol.stepping.state import Event, State
from gambol.stepping.timetable import Timetable
from gambol.stepping.workspace import FRESH, INPUTS, SIDE_SECTION, STEP, TIME
from gambol.world.batches import place, shift_clock, shorten_steps
from gambol.world.bodies import Bodies, joint_values
from gambol.world.boundary import compile_boundaries
from gambol.world.editing import rebuilt
from gambol.world.elements import Elements, profile_tables
from gambol.world.failure import step_failure
from gambol.world.flow import march_world, march_world_with_masses, views_of_row
from gambol.world.ledger import EnergyLedger
from gambol.world.mechanics import Mechanics
from gambol.world.memory import Memory
from gambol.world.model import kernel_model
from gambol.world.notices import Watchdog
from gambol.world.relaxation import relax
from gambol.world.reports import Reports
from gambol.world.switches import Switches
from gambol.world.trajectory import Trajectory
from gambol.world.unconstrained import Unconstrained
from gambol.world.world import World

if TYPE_CHECKING:
    from gambol.world.constraints import Constraints

DEVICES = ("cpu", "cuda")


class Simulation(Run[Trajectory]):
    """A world in motion (or `worlds` copies of it, in SIMD packs over `threads` threads).

    stepping    how to step (Stepping, or a method's name); by default the implicit pair for worlds with force
                elements, Fehlberg's pair otherwise
    dtype       float64, or float32: for many worlds (in packs always; one alone is no faster than in float64)
    ledger      keep the energy ledger; default: for a single world
    lanes       worlds in a pack; by default, for several worlds, as suits the processor: with AVX-512 8 (float64) or
                16 (float32), otherwise half of it; 0: no packs, in float64
    own_masses  give every world masses of its own (bodies[…].set_mass)
    device      "cpu", or "cuda": worlds on a GPU (gambol.world.device_simulation says which)

    elements, bodies   its force elements and bodies by name
    mechanics          mass matrix, Jacobians, energies … at any moment
    constraints        what holds the figures, where the world has constraints
    """

    memory: Memory

    def __new__(cls, *_: Any, device: str = "cpu", **__: Any) -> Simulation:
        if device not in DEVICES:
            raise WorldError([Fault(f"no device {device!r}{nearest(str(device), DEVICES)}", "simulation")])
        if cls is not Simulation or device == "cpu":
            return super().__new__(cls)
        from gambol.world.device_simulation import DeviceSimulation

        return super().__new__(DeviceSimulation)

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
        own_masses: bool = False,
        device: str = "cpu",
    ):
        if not isinstance(world, World):
            raise WorldError([Fault(f"a Simulation takes a World, not a {type(world).__name__}", "simulation")])
        self.dtype = given.number_type(dtype, "simulation")
        self.worlds = given.count(worlds, "worlds", "simulation")
        self.threads = given.count(threads, "threads", "simulation")
        least = 0 if self.dtype is np.float64 else 1  # float32 without packs would be one more thing to compile
        lanes = lanes if lanes is None else given.count(lanes, "lanes", "simulation", least=least)
        self.world, self.layout = world, self._new_layout(world)
        ledger = self.worlds == 1 and device == "cpu" if ledger is None else ledger
        tables, profiles = profile_tables(world)
        also = ("constraints",) if world.constraints else ()
        self.compiled = compile_elements(world.elements, self.layout, world.terrain, tables, ledger=ledger, also=also)
        boundaries = compile_boundaries(world.boundaries, self.layout)
        self.stepping = self._complete(stepping)
        exposed, arrays = self._exposed(), self.compiled.arrays
        self.model = kernel_model(self.layout, self.dtype, arrays, boundaries, exposed=exposed, own_masses=own_masses)
        self.mechanics = Mechanics(self.layout, elements=self.compiled)
        march = march_world_with_masses if own_masses else march_world
        self._holds = self._constraints(ledger, own_masses) if world.constraints else Unconstrained(self.model, march)
        self.memory = self._new_memory(
            lanes=self._lanes() if lanes is None else lanes,
            worlds=self.worlds,
            dtype=self.dtype,
            boundaries=len(world.boundaries) + len(self._holds.breakable),
            lines=len(self.compiled.lines) + len(self.compiled.meters),
            states=len(self.compiled.states),
            parameters=self.compiled.params.size,
            constants=self.model.const.size if own_masses else 0,
            stages=len(self.stepping.scheme.b),
            couplings=self.compiled.couplings,
            constraint_cells=self._holds.constraint_cells,
        )
        self.lanes, self.own_masses = self.memory.lanes, own_masses
        self._holds.compile_own_kinds()
        self._views: dict[int, tuple[Any, Any]] = {}
        self._link()
        self.elements, self.bodies, self.reports = Elements(self, profiles), Bodies(self), Reports(self)
        self._described_bodies = self.model.indices.copy()
        self._switches = Switches(self)
        self.watch((*world.boundaries, *self._holds.breakable))
        self.error_scale = self._error_scale()
        self.events: list[Event] = []
        self.energy_ledger = EnergyLedger(self) if ledger and self.worlds == 1 else None
        self._watchdog: Watchdog | None = None
        self.reset()
        self._watchdog = Watchdog(self)

    def _new_layout(self, world: World) -> Layout:
        return world.layout

    def _exposed(self) -> bool | np.ndarray:
        """Does anything but the passes of the dynamics add to the inertias of bodies, all or some?"""
        return bool(self.world.elements or self.world.constraints)

    def _constraints(self, ledger: bool, own_masses: bool) -> Unconstrained:
        from gambol.world.constraints import Constraints  # here, because few worlds need its code

        return Constraints(self, ledger=ledger, own_masses=own_masses)

    def _new_memory(self, *, lanes: int, **sizes: Any) -> Memory:
        return Memory(self.layout, lanes=lanes, **sizes)

    def _link(self) -> None:
        """Timed writes, and the addresses of the compiled code of the elements."""
        self.timetable = Timetable(self.memory)
        own, motion = self._row(0)
        couples = self.compiled.couplings.rows > 0 and not self.world.constraints
        programs = program_addresses(
            self.compiled.calls, own, motion, which=(PROGRAM_APPLY, PROGRAM_SETTLE), couples=couples
        )
        if self.world.terrain.shape != PLANE:  # what comes down to it might pass a ridge
            programs[programs[:, PROGRAM_WATCHED] & TOUCHDOWN != 0, PROGRAM_WATCHED] |= THROUGH
        self.model.programs[:] = programs
        if any(boundary.watch == "gap" for boundary in self.world.boundaries):
            from gambol.world.gap import set_addresses  # here, because few worlds need its code

            set_addresses(self.model, own, motion)

    def _lanes(self) -> int:
        """How many worlds share a row of memory: as many as the machine's vectors hold, or each has its own (0)."""
        return 0 if self.worlds == 1 and self.dtype is np.float64 else lanes_for(np.dtype(self.dtype).itemsize)

    def _row(self, k: int):
        """Model and motion of row k, as the compiled march sees them."""
        if k not in self._views:
            own = bool(len(self.memory.constants))
            self._views[k] = views_of_row(self.model, self.memory.array[k], self.memory.offsets, own_masses=own)
        return self._views[k]

    def _complete(self, stepping: Stepping | str | None) -> Stepping:
        asked = Stepping(method=stepping) if isinstance(stepping, str) else stepping or Stepping()
        if not isinstance(asked, Stepping):
            message = f"stepping must be a Stepping or the name of a method, not {stepping!r}"
            raise WorldError([Fault(message, "simulation")])
        done = asked.with_defaults(stiff=bool(len(self.compiled.table)), dtype=self.dtype)
        if done.scheme.kind == IMPLICIT and asked.length == 1.0 and asked.time == 1.0:
            length = 0.1 * self.world.size
            gravity = math.hypot(*self.world.gravity) or 9.81
            done = replace(done, length=length, time=0.1 * math.sqrt(length / gravity))
        return done

    def _error_scale(self) -> np.ndarray:
        """Weight of each tangent variable in the error norm; the ledger follows the motion, it does not steer it.

        States of elements count by their weights.
        """
        length, time = self.stepping.length, self.stepping.time
        metres = np.zeros(self.layout.nv, bool)
        for entry in self.layout.bodies:
            metres[list(entry.speeds)] = [unit == "m/s" for unit in entry.body.joint.kind.speeds.values()]
        position = np.where(metres, 1.0 / length, 1.0)
        integrals = np.zeros(len(self.memory.lines)), self.compiled.weights
        return np.concatenate([position, position * time, *integrals]).astype(self.dtype)

    def reset(self, q: Any = None, v: Any = None, *, time: float = 0.0, worlds: Sequence[int] | None = None) -> None:
        """Back to the start: given positions and speeds, nothing commanded, no controllers.

        q, v     arrays, or values of joints by name ({"knee": 0.3}); the others are at zero positions, at rest
        worlds   numbers of the worlds of a batch that begin anew; default all. The others go on as they are.
        """
        memory = self.memory
        time = given.number(time, "time", "reset", allowed="a finite number [s]")
        chosen = None if worlds is None else memory.chosen(worlds)
        count = self.worlds if chosen is None else len(chosen)
        q = joint_values(self, q, "positions", count)
        v = joint_values(self, v, "speeds", count)
        before = memory.cells.copy() if chosen is not None else None
        memory.clear()
        first = min(self.stepping.step, self.stepping.longest_start)
        memory.write([memory.clock(TIME), memory.clock(STEP)], [time, first], "clock")
        memory.write(memory.section(SIDE_SECTION), np.full(len(self.watched), FRESH), "sides")
        memory.write(memory.parameters, self.compiled.params, "parameters")
        memory.write(memory.states, self.compiled.states, "states")
        memory.write(memory.constants, self.model.const[: len(memory.constants)], "constants")
        memory.write(memory.positions, q, "positions", chosen)
        memory.write(memory.speeds, v, "speeds", chosen)
        self._holds.reset()
        memory.stop_spare_lanes()
        if before is not None and chosen is not None:
            memory.copy_worlds(before, memory.cells, chosen)
            memory.cells[...] = before
            self.timetable.clear(chosen)
            return
        self.model.indices[:] = self._described_bodies
        self.gravity = self.world.gravity
        self.timetable.clear()
        self.events.clear()
        self.schedule, self.controllers = (), ()
        if self.energy_ledger:
            self.energy_ledger.open()
        if self._watchdog:
            self._watchdog.begin_anew()

    def _names(self, what: str) -> Sequence[str]:
        return self.layout.coordinate_names if what == "positions" else self.layout.speed_names

    # ------------------------------------------------------------ what it is doing
    @property
    def q(self) -> np.ndarray:
        """Positions, description order: a read-only copy; assign the whole array (or bodies[…].q) to change them."""
        return _read_only(self.memory.read(self.memory.positions))

    @q.setter
    def q(self, values: Any) -> None:
        self._jump(self.memory.positions, values, "positions")

    @property
    def v(self) -> np.ndarray:
        """Speeds, description order: a read-only copy; assign the whole array (or bodies[…].v) to change them."""
        return _read_only(self.memory.read(self.memory.speeds))

    @v.setter
    def v(self, values: Any) -> None:
        self._jump(self.memory.speeds, values, "speeds")

    def _jump(self, indices: np.ndarray, values: Any, what: str) -> None:
        values = given.array(values, what, "simulation", self._names(what))
        before = (self.q, self.v) if self.energy_ledger else None
        old = np.atleast_2d(self.memory.read(indices))
        self.memory.write(indices, values, what)
        new = np.atleast_2d(self.memory.read(indices))
        changed = np.flatnonzero(np.any(old != new, axis=1))
        self.memory.rearm_boundaries(map(int, changed))
        shorten_steps(self, changed)
        if self.energy_ledger:
            self.energy_ledger.jump(before)

    def place(self, worlds: Sequence[int] | np.ndarray, q: Any = None, v: Any = None) -> None:
        """Other positions or speeds, one row a world, for some worlds of a batch."""
        place(self, worlds, q, v)

    def shift_clock(self, by: float) -> None:
        """Calls this moment another, so much later [s]: clocks, ramps and timed writes move along, nothing else."""
        shift_clock(self, by)

    @property
    def command(self) -> np.ndarray:
        """Held generalised forces [N·m or N]; at driven joints: held accelerations [rad/s² or m/s²]. Read-only copy."""
        return _read_only(self.memory.read(self.memory.commands))

    @command.setter
    def command(self, values: Any) -> None:
        values = given.array(values, "commands", "simulation", self.layout.speed_names)
        self.memory.write(self.memory.commands, values, "commands")

    @property
    def gravity(self) -> np.ndarray:
        """[m/s², world axes], the same in all worlds; part of the state. The ledger counts a change as numerical."""
        return _read_only(np.array(self.model.gravity, float))

    @gravity.setter
    def gravity(self, values: Sequence[float]) -> None:
        checked = given.vector(values, "gravity", "simulation", unit="m/s², world axes", example="(0, 0, -9.81)")
        self.model.gravity[:] = self.mechanics.model.gravity[:] = checked

    @contextmanager
    def _evaluation(self) -> Iterator[None]:
        """Evaluates the present state, and leaves it as it was: what elements count and switch goes back."""
        saved = self.memory.cells[:, : self.memory.saved].copy()
        self._call(np.zeros(0), None)
        yield
        self.memory.cells[:, : self.memory.saved] = saved

    def _evaluated(self, cells: np.ndarray) -> np.ndarray:
        """Cells of the workspace after an evaluation of the present state."""
        with self._evaluation():
            return _read_only(self.memory.read(cells))

    @property
    def acceleration(self) -> np.ndarray:
        """Joint accelerations at this moment, all forces acting."""
        return self._evaluated(self.memory.accelerations)

    @property
    def joint_force(self) -> np.ndarray:
        """Generalised forces at this moment: commands and elements; at driven joints what the drive must give."""
        return self._evaluated(self.memory.forces)

    def first_order_velocity(self) -> np.ndarray:
        """Speeds of first-order ("Aristotelian") dynamics: M v = f, where f are the forces that act at rest.

        What needs speed (dampers, gyroscopic terms) does not act; at driven joints the command is the speed.
        """
        memory, speeds = self.memory, self.memory.read(self.memory.speeds)
        memory.write(memory.speeds, np.zeros(self.layout.nv), "speeds")
        found = self._evaluated(memory.accelerations)
        memory.write(memory.speeds, speeds, "speeds")
        return found

    def relax(
        self,
        duration: float | None = None,
        *,
        eps: float = 1e-6,
        rest: float = 1e-4,
        max_evaluations: int = 200_000,
    ) -> None:
        """Moves a single world by first-order dynamics for `duration` [s] or, without one, until it rests.

        It sinks to a state of rest without overshoot, and is left without speeds. The clock stands still; the ledger
        counts it as a jump.

        eps    largest error of a step [rad; lengths over the size of the figures]
        rest   largest acceleration [rad/s², the same] of a world that rests; a RestError says how far it is from that
               when so many evaluations of the forces do not suffice
        """
        relax(self, duration, eps, rest, max_evaluations)

    @property
    def constraints(self) -> Constraints:
        """What holds the figures: forces, deviations, switches (see gambol.world.constraints)."""
        if not self.world.constraints:
            raise WorldError([Fault("this world has no constraints; give World(constraints=…)", "simulation")])
        return cast("Constraints", self._holds)

    def coordinates(self, body: str) -> slice:
        """Where the positions of a body's joint are in `q`."""
        return self.layout.position_slices[self.layout.body(body).name]

    def speed_coordinates(self, body: str) -> slice:
        """Where the speeds of a body's joint are in `v`."""
        return self.layout.speed_slices[self.layout.body(body).name]

    # ------------------------------------------------------------ what elements say
    def all_reports(self) -> np.ndarray:
        """Everything that elements report, (reports,) or (worlds, reports); by name: elements[…].report()."""
        with self._evaluation() if self.compiled.calls else nullcontext():  # forces at the joints, for meters
            return _read_only(self.reports.of(range(len(self.compiled.calls))))

    def measured(self, name: str) -> Any:
        """The integral that a meter called `name` has gathered since the start."""
        meters = self.compiled.meters
        if name not in meters:
            raise WorldError([Fault(f"no meter is called {name!r}{nearest(name, meters)}", "simulation")])
        value = self.memory.read([self.memory.lines[len(self.compiled.lines) + meters.index(name)]])
        return float(value[0]) if self.worlds == 1 else value[:, 0]

    # ------------------------------------------------------------ state
    def save(self) -> State:
        """A copy of everything that decides how the simulation goes on."""
        jumps = self.energy_ledger.saved() if self.energy_ledger else ()
        shared = (self.model.indices.copy(), self.gravity)
        return replace(super().save(), jumps=jumps, shared=shared)

    def restore(self, state: State, worlds: Sequence[int] | np.ndarray | None = None) -> None:
        """Exactly as it was saved; or some worlds of a batch alone."""
        super().restore(state, worlds)
        self.elements.forget_ahead()
        if worlds is None:
            bodies, gravity = state.shared
            self.model.indices[:] = bodies
            self.gravity = gravity  # type: ignore[assignment]
            if self.energy_ledger:
                self.energy_ledger.restore(state.jumps)

    def ledger(self) -> dict[str, float]:
        """The energy ledger of a single world since its start [J]; see gambol.world.ledger."""
        if not self.energy_ledger:
            raise WorldError([Fault("the ledger is kept for single worlds with ledger=True", "simulation")])
        return self.energy_ledger.balance()

    @property
    def notices(self) -> list[Notice]:
        """What is suspicious but no error, in the description and in motion since the last reset."""
        assert self._watchdog is not None
        return list(self._watchdog.notices)

    def give_notice(self, notice: Notice) -> None:
        """Adds a notice of something that a controller found suspicious, and warns of it once."""
        assert self._watchdog is not None
        self._watchdog.add("given", notice)

    # ------------------------------------------------------------ running
    def _go_through(self, times: np.ndarray, samples: Any, on_event: Any, stop: Sequence[str]) -> None:
        assert self._watchdog is not None
        self._watchdog.look_at_start(times)
        super()._go_through(times, samples, on_event, stop)
        if samples is not None:
            self._watchdog.look_at_end()

    def _check(self) -> None:
        self._holds.check()

    def _call(self, times: np.ndarray, record: np.ndarray | None) -> int:
        """The compiled march, over threads by blocks of rows."""
        if len(times) == 0:
            self._next_change()  # whoever gives times has asked already when the first of them comes
        self._holds.look(len(times) == 0)
        times = np.asarray(times, self.dtype)  # a clock can only reach times it can hold
        return self._march(self._holds.march, lambda: self._holds.model, self.error_scale, times, record)

    def _handle_stops(self, on_event, stop) -> bool:
        """A constraint that has gone beyond its reach is off before anybody hears of it."""
        return super()._handle_stops(self._holds.heard(on_event), stop)

    def _next_change(self) -> float:
        """Sets what acts at known times to what it is now in each world; when the first of them changes next [s]."""
        return self._switches.next_change()

    def _failure(self, world: int, cause: str, remedy: str) -> StepError:
        return step_failure(self, world, cause, remedy)

    def _motion_cells(self) -> int:
        """State, clock and commands; with constraints everything, for Constraints.diagnose."""
        return self.memory.saved if self.world.constraints else int(self.memory.offsets[INPUTS]) + self.layout.nv

    def _trajectory(self, record: np.ndarray, times: np.ndarray, events: list[Event]) -> Trajectory:
        return Trajectory(self, record, times, events)

    # ------------------------------------------------------------ change of the figure
    def weld(self, body: str) -> Simulation:
        """A new simulation of the same moment with the joint of `body` welded where it stands ("deletejoint")."""
        return rebuilt(self, lambda world: world.weld(body, self.q[self.coordinates(body)]))

    def remove(self, body: str) -> Simulation:
        """A new simulation of the same moment without `body` and all beyond it ("killjoint")."""
        return rebuilt(self, lambda world: world.remove(body))


def _read_only(array: np.ndarray) -> np.ndarray:
    """A copy that refuses writes: they would change nothing."""
    array.flags.writeable = False
    return array
