"""Hybrid systems in motion: one, or many at once.

    run = HybridRun(BouncingBall(restitution=0.8), [1.0, 0.0])
    path = run.run(2.0, every=0.01)
    run.x, run.chart, run.changes

Chart changes happen inside the compiled march; Python is entered at samples, sections and when a log is full.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from gambol.errors import Fault, HybridError, StepError, WorldError, nearest
from gambol.hybrid.chart_changes import ChartChanges
from gambol.hybrid.compiled import PACK_LANES, compile_system
from gambol.hybrid.failure import invalid_chart, step_failure, zeno_failure
from gambol.hybrid.flow import LOG_ENTRY_SIZE, HybridModel, evaluate, march_hybrid
from gambol.hybrid.initial_state import chart_column, check_start, pad_state, parameter_table
from gambol.hybrid.inputs import CHANGE_COUNT, CHANGE_LIMIT, CHART, CHART_INPUTS, TRANSITION_FAULT
from gambol.hybrid.section import Section, check_sections, compile_sections
from gambol.hybrid.system import HybridSystem
from gambol.hybrid.trajectory import HybridTrajectory
from gambol.math.pack import numbers
from gambol.stepping.memory import Rows
from gambol.stepping.ode import METHODS_OF_ODES
from gambol.stepping.options import Stepping
from gambol.stepping.run import NOT_FINITE, TOO_SHORT, Run
from gambol.stepping.state import Event, State
from gambol.stepping.timetable import Timetable
from gambol.stepping.workspace import (
    BROKEN,
    FRESH,
    INPUTS,
    PAUSED,
    RUNNING,
    SCRATCH,
    STATE,
    STATUS,
    STEP,
    STUCK,
    TIME,
    ZENO,
)
from gambol.stepping.workspace import sections as plan_sections

LOG_CAPACITY = {0: 512, PACK_LANES: 32}  # chart changes a row holds before Python fetches them
UNLIMITED_CHANGES = 1e15
RECENT_CHANGES = 64  # chart changes of a world that are remembered for messages


class HybridRun(Run[HybridTrajectory]):
    """A hybrid system in motion, or `worlds` of them.

    x, chart     to begin with; by default what the system's `start` says. Several worlds: (worlds, dimension)
    parameters   other values than the system's, by name: a number for all worlds, or one for each
    sections     where to stop and look
    stop_at      boundaries (names) at which to stop and look, after the transition
    stepping     how to step (Stepping, or a method's name): an explicit method; by default Fehlberg's pair
    lanes        worlds in a pack; by default 8 for several worlds of a system that can, else single worlds
    threads      over which several worlds are spread
    max_changes  chart changes after which a run ends (of each world)
    keep_changes keep the list of all chart changes
    """

    def __init__(
        self,
        system: HybridSystem,
        x: Any = None,
        *,
        chart: str | int | Sequence[int] | None = None,
        parameters: Mapping[str, Any] | None = None,
        time: float = 0.0,
        worlds: int = 1,
        sections: Sequence[Section] = (),
        stop_at: Sequence[str] = (),
        stepping: Stepping | str | None = None,
        lanes: int | None = None,
        threads: int = 1,
        max_changes: float = UNLIMITED_CHANGES,
        keep_changes: bool = True,
    ):
        given = Stepping(method=stepping) if isinstance(stepping, str) else stepping or Stepping()
        self.system, self.stepping = system, given.with_defaults(stiff=False)
        if self.stepping.scheme.name not in METHODS_OF_ODES:
            message = f"{given.method!r} is for figures; a hybrid system takes {', '.join(METHODS_OF_ODES)}"
            raise WorldError([Fault(message, "stepping")])
        check_sections(sections, system.name)
        self.worlds, self.threads = int(worlds), max(1, int(threads))
        self.lanes = (PACK_LANES if worlds > 1 and system.packs else 0) if lanes is None else lanes
        self.sections, self.stop_at = tuple(sections), tuple(stop_at)
        self.max_changes, self.keep_changes = max_changes, keep_changes
        self.recent_changes: dict[int, np.ndarray] = {}  # the last chart changes of each world
        self.compiled = compile_system(type(system), self.lanes)  # type: ignore[arg-type]
        self._section_code = compile_sections(type(system), sections, self.lanes)
        self._stops = self._stop_table(stop_at)
        self._make_memory()
        self.changes = ChartChanges(system, self.compiled.slots)
        self._first_change = 0  # of the run in hand
        self.events: list[Event] = []
        self.error_scale = system.error_weights()
        self.reset(x, chart=chart, parameters=parameters, time=time)

    def _stop_table(self, names: Sequence[str]) -> np.ndarray:
        slots = self.compiled.slots
        known = {b.name for c in self.system.charts for b in c.boundaries}
        if unknown := [n for n in names if n not in known]:
            faults = [Fault(f"stop_at: no boundary {n!r}{nearest(n, known)}", self.system.name) for n in unknown]
            raise HybridError(faults)
        table = np.zeros(slots.identity.shape, np.int64)
        for c, chart in enumerate(self.system.charts):
            for j, boundary in enumerate(chart.boundaries):
                table[c, slots.slot[c, j]] = boundary.name in names
        return table

    def _make_memory(self) -> None:
        slots = self.compiled.slots
        shown = [SimpleNamespace(name=f"slot {k}", direction="falling", priority=0) for k in range(slots.count)]
        self.watch([*shown, *self.sections])
        self._directions[: slots.count] = slots.directions
        self._priorities[: slots.count] = slots.priorities
        n, self._count = self.system.dimension, len(self.system.p)
        log = 1 + LOG_ENTRY_SIZE * LOG_CAPACITY.get(self.lanes, 32)
        offsets = plan_sections(
            n, n, len(self.watched), self._count + CHART_INPUTS, n + log, len(self.stepping.scheme.b)
        )
        self.memory = Rows(offsets, worlds=self.worlds, lanes=self.lanes, dtype=np.float64)
        self.timetable = Timetable(self.memory)
        self._log = np.arange(int(offsets[SCRATCH]) + n, int(offsets[SCRATCH]) + n + log)
        self.chart_inputs = self.memory.section(INPUTS)[self._count :]

    def _model(self) -> HybridModel:
        """What the kernels know, with room for one thread."""
        code = self.compiled
        flow = (code.packed_flow, code.packed_boundaries) if self.lanes else (code.flow, code.boundaries)
        addresses = np.array([*flow, self._section_code, code.transition, code.valid], np.int64)
        n, m = self.system.dimension, self._count + CHART_INPUTS
        slots = code.slots
        room = (np.zeros(n), np.zeros(m), np.zeros(max(slots.count, 1)))
        return HybridModel(addresses, slots.identity, slots.directions, self._stops, *room)

    # ------------------------------------------------------------ beginning
    def reset(
        self,
        x: Any = None,
        *,
        chart: str | int | Sequence[int] | None = None,
        parameters: Mapping[str, Any] | None = None,
        time: float = 0.0,
    ) -> None:
        """Back to a start, with the parameters of the system and those given."""
        system, memory = self.system, self.memory
        values = parameter_table(self.system, self.worlds, parameters or {})
        memory.cells[...] = 0
        memory.cells[:, memory.clock(TIME)] = time
        memory.cells[:, memory.clock(STEP)] = self.stepping.step
        memory.cells[:, memory.sides] = FRESH
        if x is None:
            first, x = system.initial()
            chart = first if chart is None else chart
        numbers_of_charts = chart_column(system, self.worlds, 0 if chart is None else chart)
        memory.write(memory.section(INPUTS)[: self._count], values, "parameters")
        memory.write([self.chart_inputs[CHART]], numbers_of_charts[:, None], "chart")
        memory.write([self.chart_inputs[CHANGE_LIMIT]], [self.max_changes], "most changes")
        memory.write(memory.section(STATE), pad_state(system, x, numbers_of_charts), "x")
        memory.stop_spare_lanes()
        self.timetable.clear()
        self.events.clear()
        self.schedule, self.controllers = (), ()
        self.changes.clear()
        self.recent_changes.clear()
        check_start(self, numbers_of_charts)

    # ------------------------------------------------------------ what it is doing
    @property
    def x(self) -> np.ndarray:
        """The state; of one world as long as its chart has dimensions, of several as long as the largest."""
        x = self.memory.read(self.memory.section(STATE))
        return x[: self.system.charts[int(self.chart)].dimension] if self.worlds == 1 else x

    @x.setter
    def x(self, values: Any) -> None:
        charts = np.atleast_1d(self.chart)
        self.memory.write(self.memory.section(STATE), pad_state(self.system, values, charts), "x")
        self.memory.rearm_boundaries(range(self.worlds))

    def state_of(self, world: int) -> np.ndarray:
        """The state of one world, as long as the largest chart."""
        return self.memory.of(world)[self.memory.section(STATE)].copy()

    @property
    def chart(self) -> Any:
        """The number of the chart; for several worlds, each one's."""
        value = self.memory.read([self.chart_inputs[CHART]])
        return int(value[0]) if self.worlds == 1 else value[:, 0].astype(int)

    @property
    def chart_name(self) -> str:
        """The name of the chart (of a single world)."""
        return self.system.charts[int(self.chart)].name

    @property
    def change_count(self) -> Any:
        """Chart changes so far; for several worlds, each one's."""
        value = self.memory.read([self.chart_inputs[CHANGE_COUNT]])
        return int(value[0]) if self.worlds == 1 else value[:, 0].astype(int)

    @property
    def parameters(self) -> np.ndarray:
        """The parameters; of several worlds, a row each."""
        return self.memory.read(self.memory.section(INPUTS)[: self._count])

    def get_parameter(self, name: str) -> Any:
        """A parameter as it is now; for several worlds, each one's."""
        return self.parameters[..., self.system.p._fields.index(name)]

    def set_parameter(self, name: str, value: Any) -> None:
        """Changes a parameter between runs, for all worlds or for each."""
        parameter_table(self.system, self.worlds, {name: value})
        place = self.memory.section(INPUTS)[self.system.p._fields.index(name)]
        column = np.broadcast_to(np.asarray(value, float), (self.worlds,)).reshape(self.worlds, 1)
        self.memory.write([place], column, name)
        self.memory.rearm_boundaries(range(self.worlds))

    def _evaluated(self, address: int, count: int) -> np.ndarray:
        x, inputs = (np.atleast_2d(self.memory.read(self.memory.section(s))) for s in (STATE, INPUTS))
        t = np.atleast_1d(np.asarray(self.time, float))
        out = np.zeros((self.worlds, count))
        if count:
            evaluate(address, t, np.ascontiguousarray(x), np.ascontiguousarray(inputs), out)
        return out

    def boundary_values(self) -> np.ndarray:
        """(worlds, slots): the boundary functions less their targets, now; 1 for a slot that the chart has not."""
        return self._evaluated(self.compiled.boundaries, self.compiled.slots.count)

    def observe(self) -> dict[str, Any]:
        """The auxiliary quantities now, by name."""
        values = self._evaluated(self.compiled.observe, len(self.system.outputs))
        return {n: values[0, k] if self.worlds == 1 else values[:, k] for k, n in enumerate(self.system.outputs)}

    @property
    def rate(self) -> np.ndarray:
        """dx/dt now."""
        found = self._evaluated(self.compiled.flow, self.system.dimension)
        return found[0][: len(self.x)] if self.worlds == 1 else found

    @property
    def failed_worlds(self) -> np.ndarray:
        """Those whose last step could not be taken, or led to where no chart is valid; restoring them mends them."""
        fault = self.memory.cell(self.chart_inputs[TRANSITION_FAULT])
        return np.union1d(super().failed_worlds, np.flatnonzero(fault > 0.0))

    def restore(self, state: State, worlds: Sequence[int] | np.ndarray | None = None) -> None:
        """Back to a saved state, all worlds or some; chart changes that were logged meanwhile are forgotten."""
        super().restore(state, worlds)
        self.memory.cells[:, self._log[0]] = 0

    # ------------------------------------------------------------ running
    def _call(self, times: np.ndarray, record: np.ndarray | None) -> int:
        return self._march(march_hybrid, self._model, self.error_scale, times, record, apart=True)

    def _go_through(self, times: np.ndarray, samples: Any, on_event: Any, stop: Sequence[str]) -> None:
        self._first_change = len(self.changes)
        try:
            super()._go_through(times, samples, on_event, stop)
        finally:
            self._fetch_changes()

    def _stop_names(self) -> list[str]:
        return [*(section.name for section in self.sections), *self.stop_at]

    def _handle_stops(self, on_event, stop) -> bool:
        self._fetch_changes()
        status = np.atleast_1d(self.clock(STATUS))
        stopped = np.flatnonzero((status != RUNNING) & (status != PAUSED))
        if not len(stopped):
            return not np.any(status == PAUSED) and super()._handle_stops(on_event, stop)
        going = True
        for world in map(int, stopped):
            if status[world] in (STUCK, BROKEN):
                raise self._failure(world, NOT_FINITE if status[world] == BROKEN else TOO_SHORT, self._remedy())
            if status[world] == ZENO:
                raise zeno_failure(self, world)
            going &= self._resume(world, on_event, stop)
        return going

    def _resume(self, world: int, on_event, stop) -> bool:
        """Looks at a stopped world; True when the run goes on."""
        cells = self.memory.of(world)
        if cells[self.chart_inputs[TRANSITION_FAULT]] > 0.0:
            raise invalid_chart(self, world, cells[self.chart_inputs[TRANSITION_FAULT]])
        if cells[self.chart_inputs[CHANGE_COUNT]] >= cells[self.chart_inputs[CHANGE_LIMIT]]:
            return False
        cells[self.memory.clock(STATUS)] = RUNNING
        time, own = float(cells[self.memory.clock(TIME)]), self.compiled.slots.count
        fired = np.flatnonzero(cells[self.memory.fired])
        names = [self.watched[i].name for i in fired if i >= own]
        if not names and self.stop_at:
            names = [n for n in self._last_boundaries(world) if n in self.stop_at]
        happened = [Event(time, name, world) for name in names]
        cells[self.memory.fired] = 0.0
        self.events += happened
        going = True
        for event in happened:
            if event.name in stop or (on_event is not None and on_event(self, event) is False):
                going = False
        return going

    def pause(self, world: int) -> None:
        """This world stays where it is, while the others run on."""
        self.memory.of(world)[self.memory.clock(STATUS)] = PAUSED

    def _last_boundaries(self, world: int) -> tuple[str, ...]:
        recent = self.recent_changes.get(world)
        return self.changes.describe(recent[-1]).boundaries if recent is not None else ()

    def _fetch_changes(self) -> None:
        """Empties the logs of all rows."""
        counts = self.memory.read([self._log[0]]).reshape(self.worlds)
        for world in map(int, np.flatnonzero(counts)):
            logged = self.memory.of(world)[self._log[1 : 1 + LOG_ENTRY_SIZE * int(counts[world])]].reshape(
                -1, LOG_ENTRY_SIZE
            )
            rows = np.column_stack([np.full(len(logged), float(world)), logged])
            self.recent_changes[world] = np.concatenate([self.recent_changes.get(world, rows[:0]), rows])[
                -RECENT_CHANGES:
            ]
            if self.keep_changes:
                self.changes.add(rows)
        self.memory.cells[:, self._log[0]] = 0

    def _trajectory(self, record: np.ndarray, times: np.ndarray, events: list[Event]) -> HybridTrajectory:
        cells = numbers(record)
        inputs = self.memory.read(self.memory.section(INPUTS), cells)
        chart = inputs[..., self._count + CHART].astype(int)
        x = self.memory.read(self.memory.section(STATE), cells)
        sizes = np.array([c.dimension for c in self.system.charts])
        x[np.arange(x.shape[-1]) >= sizes[chart][..., None]] = np.nan
        self._fetch_changes()
        changes = self.changes[self._first_change :]
        return HybridTrajectory(self.system, times, chart, x, inputs, changes, list(events))

    # ------------------------------------------------------------ why a run could not go on
    def _failure(self, world: int, cause: str, remedy: str) -> StepError:
        return step_failure(self, world, cause, remedy)

    def _remedy(self) -> str:
        if self.stepping.scheme.adaptive:
            return "loosen eps, or soften what is stiff"
        return "shorten `step`, or use an adaptive method"

    def _last_events(self, world: int) -> tuple[str, ...]:
        return tuple(str(self.changes.describe(row)) for row in self.recent_changes.get(world, ())[-3:])
