"""Worlds on a GPU: `Simulation(world, worlds=65536, device="cuda")`.

Fixed steps (`semi-implicit-euler`, `implicit-euler`) or the adaptive `implicit-pair`, a thread a world, each on its own
clock. Names, coordinates, commands, parameters of each world, timed writes, `reset`, `run`, `advance`, `save`,
`restore` and controllers are those of every simulation; `device_arrays` gives the numbers where they lie, without a
copy. What a device does not do is refused by name. Of what is suspicious in motion (`notices`) nothing is looked for:
ask `on_processor(world)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gambol.dynamics.layout import Layout
from gambol.dynamics.workspace import Model
from gambol.errors import Fault, StepError, WorldError
from gambol.forces.programs import TYPE_COUNT, TYPE_INDEX, TYPE_PARAM
from gambol.forces.registry import Compiled
from gambol.jit.device import cuda_device
from gambol.stepping.methods import IMPLICIT
from gambol.stepping.options import Stepping
from gambol.stepping.run import Run
from gambol.stepping.single import NO_BOUND
from gambol.stepping.state import State
from gambol.stepping.timetable import Writes
from gambol.stepping.workspace import CLOCK_SECTION, RUNNING, STATUS, TIME
from gambol.world.device_march import ThreadLimits, plan_thread, thread_kernel
from gambol.world.device_memory import DeviceMemory, DeviceTimetable
from gambol.world.failure import fastest_time_scale, not_finite
from gambol.world.simulation import Simulation
from gambol.world.world import World

METHODS = ("implicit-pair", "implicit-euler", "semi-implicit-euler")
PARTS = ("positions", "speeds", "lines", "states", "commands", "parameters")  # of a world's memory
RECORD_BYTES = 2**32  # samples kept on the device before they are copied


@dataclass(frozen=True)
class DeviceArrays:
    """The numbers of all worlds where they lie; valid until the next `reset`, `restore` or write to some worlds alone.

    cells       (cells, worlds) on the device, with `__cuda_array_interface__`: CuPy, PyTorch and JAX take it as it is,
                and what they write into it holds from the next run on
    positions, speeds, commands, parameters   which of its rows these are, description order; a slice where they follow
                one another
    time        the row of the clocks [s]
    """

    cells: Any
    positions: Any
    speeds: Any
    commands: Any
    parameters: Any
    time: int


class _Unreported:
    """The reports of a simulation on a device: refused, as it keeps the motion alone."""

    def of(self, places: Any) -> np.ndarray:
        """Refused."""
        raise _unasked("reports of elements")


class DeviceSimulation(Simulation):
    """See Simulation, and the top of this module."""

    memory: DeviceMemory
    make_device: ClassVar[Any] = staticmethod(cuda_device)

    def __init__(self, world: World, *, stepping: Stepping | str | None = None, device: str = "cuda", **options: Any):
        if faults := list(_refused(world, stepping, options)):
            raise WorldError(faults)
        self.device = self.make_device()
        super().__init__(world, stepping=stepping, device=device, **options)
        self.reports: Any = _Unreported()

    # ------------------------------------------------------------ how it is made
    def _new_layout(self, world: World) -> Layout:
        """Chain by chain: a thread has little cache, and a body's parent is still in it."""
        return Layout(world.layout.figures, world.gravity, side_by_side=1)

    def _exposed(self) -> bool | np.ndarray:
        """Which bodies elements push with impedance: the others' inertias need not be cleared."""
        exposed = np.zeros(len(self.layout.parent), bool)
        if self.stepping.scheme.kind != IMPLICIT:
            return exposed
        for kernel, first, last in self.compiled.calls:
            if kernel.pushes is None:
                return True
            width = kernel.indices + bool(kernel.states)
            for run in self.compiled.table[first:last]:
                each = run[TYPE_INDEX] + width * np.arange(run[TYPE_COUNT])
                for place in kernel.pushes:
                    exposed[self.compiled.indices[each + place]] = True
        return exposed

    def _new_memory(self, *, lanes: int, **sizes: Any) -> DeviceMemory:
        return DeviceMemory(self.layout, self.device, **sizes)

    def _link(self) -> None:
        if self.compiled.couplings.rows:
            message = "elements between two moving bodies (body contact, muscles, lines) are not stepped on a device"
            raise WorldError([Fault(message, "simulation")])
        self.timetable = DeviceTimetable(self.memory)
        self._plan: Any = None  # what the kernel is made for; the scale of the error is not known yet
        self._written = _written_by_elements(self.compiled)
        self._sent: tuple[Writes, Writes, np.ndarray] | None = None
        self._shared: tuple[Any, ...] = ()  # what of the model is on the device, and as it was when it was copied

    def _model_on_device(self) -> tuple[Model, Any]:
        """The model there with the parameters of the first world, and which of them all worlds have alike."""
        if len(cells := self._send_writes()[2]):
            self.memory.set_apart(cells)
        alike, self.model.params[:] = self.memory.common(self.memory.parameters)
        alike &= ~self._written
        if not np.array_equal(self.model.indices, self._described_bodies):
            raise _unasked("elements bound to another body than described")
        now = tuple(x.tobytes() for x in (alike, self.model.params, self.model.gravity, self.model.indices))
        if not self._shared or self._shared[0] != now:
            there = [self.device.copy(x if x.size else _one_like(x)) for x in (*self.model, alike.astype(np.uint8))]
            self._shared = now, Model(*there[:-1]), there[-1]
        return self._shared[1], self._shared[2]

    def _send_writes(self) -> tuple[Writes, Writes, np.ndarray]:
        """The writes of the timetable, their copy on the device, and the cells they go to; made when they change."""
        writes = self.timetable.writes
        if self._sent is None or self._sent[0] is not writes:
            there = Writes(*(self.device.copy(x if x.size else _one_like(x)) for x in writes))
            self._sent = writes, there, np.flatnonzero(np.bincount(writes.cell))
        return self._sent

    # ------------------------------------------------------------ running
    def _call(self, times: np.ndarray, record: np.ndarray | None) -> int:
        """The march, all worlds in one launch, or a launch for each part of the samples that the device can keep."""
        if len(times) == 0:
            raise _unasked("accelerations, joint forces and reports")
        width = 0 if record is None else record.shape[2]
        each = max(RECORD_BYTES // max(width * self.worlds * np.dtype(self.dtype).itemsize, 1), 1)
        done = 0
        for first in range(0, len(times), each):
            part: np.ndarray = np.asarray(times[first : first + each], self.dtype)
            found = self._launch(part, None if record is None else record[first : first + each])
            done += found
            if found < len(part):
                break
        return done

    def _launch(self, times: np.ndarray, record: np.ndarray | None) -> int:
        device, memory, worlds = self.device, self.memory, self.worlds
        self._plan = self._plan or plan_thread(
            self.model, self.compiled.calls, memory.offsets, self.stepping, self.error_scale
        )
        kernel = device.compiled(thread_kernel(self._plan, device, self.dtype, device.registers(worlds)), worlds)
        shape = (0, 0, worlds) if record is None else (len(times), record.shape[2], worlds)
        kept = device.empty((1, 1, 1), self.dtype) if record is None else device.empty(shape, self.dtype)
        reached = device.empty((worlds,), np.int32)
        rules = self.stepping.rules(self.dtype, self.error_scale, self._directions, self._priorities).control
        limits = ThreadLimits(*(self.dtype(min(getattr(rules, name), NO_BOUND)) for name in ThreadLimits._fields))
        device.launch(
            kernel,
            worlds,
            *self._model_on_device(),
            memory.on_device(),
            device.copy(times),
            kept,
            reached,
            self._send_writes()[1],
            np.int64(worlds),
            np.int64(0 if record is None else record.shape[2]),
            limits,
            np.int64(self._most_steps(times)),
        )
        counts = np.empty(worlds, np.int32)
        device.get(reached, counts)
        if record is not None:
            device.get(kept, record.swapaxes(1, 2))
        return int(counts.min())

    def _most_steps(self, times: np.ndarray) -> int:
        """More than any world needs: a clock that no longer moves must not keep the device for ever."""
        if self.stepping.scheme.adaptive:
            return self.stepping.max_attempts
        first = float(np.min(np.atleast_1d(self.time)))
        step = max(self.stepping.step, self.stepping.min_step)
        stops = len(times) + len(self.timetable.writes.time)
        return min(2 * math.ceil((float(times[-1]) - first) / step) + 2 * stops, self.stepping.max_attempts)

    def _go_through(self, times: np.ndarray, samples: Any, on_event: Any, stop: Sequence[str]) -> None:
        Run._go_through(self, times, samples, on_event, stop)

    def _motion_cells(self) -> int:
        """State and clock."""
        return self.memory.clock(TIME) + 1

    def _failure(self, world: int, cause: str, remedy: str) -> StepError:
        """Looked into on the processor, as the world was at its last sample."""
        single = self.on_processor(world)
        if odd := not_finite(single, 0):
            cause, remedy = f"{cause}: {odd}", "give finite numbers; where they come from is named"
        scale, since = fastest_time_scale(single), "after its last sample, "
        return StepError(since + cause, time=float(single.time), world=world, time_scale=scale, remedy=remedy)

    # ------------------------------------------------------------ state
    def save(self) -> State:
        """As of every simulation; a device has its bodies in another order, so that the processor cannot take it."""
        state = super().save()
        return replace(state, data=np.ascontiguousarray(state.data.T))

    def restore(self, state: State, worlds: Sequence[int] | np.ndarray | None = None) -> None:
        """Exactly as it was saved; or some worlds alone."""
        super().restore(replace(state, data=state.data.T), worlds)

    # ------------------------------------------------------------ its numbers elsewhere
    def device_arrays(self, *, parameters: bool = False) -> DeviceArrays:
        """The numbers of all worlds on the device, without a copy.

        parameters   they too will be written there: from now on each world reads all of its own, which is slower
        """
        memory = self.memory
        if parameters:
            memory.set_apart(memory.parameters)
        rows = (memory.positions, memory.speeds, memory.commands, memory.parameters)
        positions, speeds, commands, own = map(_slice, rows)
        return DeviceArrays(memory.on_device(), positions, speeds, commands, own, memory.clock(TIME))

    def on_processor(self, world: int = 0) -> Simulation:
        """One of the worlds as it is now, as a simulation on the processor: for reports, energies, a closer look."""
        chosen = int(self.memory.chosen([world])[0])
        single = Simulation(self.world, stepping=self.stepping, dtype=self.dtype, ledger=False)
        own, other = self.memory, single.memory
        single.gravity = self.gravity  # type: ignore[assignment]
        parts = [(getattr(own, name), getattr(other, name)) for name in PARTS]
        for here, there in [*parts, (own.section(CLOCK_SECTION), other.section(CLOCK_SECTION))]:
            other.write(there, np.atleast_2d(own.read(here))[chosen], "state")
        other.write([other.clock(STATUS)], [RUNNING], "clock")
        return single

    # ------------------------------------------------------------ what is refused
    @contextmanager
    def _evaluation(self) -> Iterator[None]:
        raise _unasked("accelerations and joint forces")
        yield

    def all_reports(self) -> np.ndarray:
        """Refused: a device keeps the motion alone."""
        raise _unasked("reports of elements")

    def relax(self, *_: Any, **__: Any) -> None:
        """Refused."""
        raise _unasked("relaxation")

    def weld(self, body: str) -> Simulation:
        """Refused."""
        raise _unasked("weld and remove")

    remove = weld


def _unasked(what: str) -> WorldError:
    return WorldError([Fault(f"{what}: not on a device; ask on_processor(world), one of its worlds", "simulation")])


def _refused(world: World, stepping: Any, options: dict[str, Any]) -> Iterator[Fault]:
    """What of this simulation a device cannot do."""
    where = "simulation"
    method = stepping.method if isinstance(stepping, Stepping) else stepping
    if not method and not (isinstance(world, World) and not world.elements):
        method = "implicit-pair"  # what stiff worlds are stepped by
    if method not in METHODS:
        asked = f"method {method!r}" if method else "the default method of a world without forces, rkf45,"
        allowed = " or ".join(f"Stepping(method={name!r}, step=…)" for name in METHODS)
        yield Fault(f"{asked} does not run on a device: give {allowed}", where)
    if isinstance(world, World):
        if world.boundaries:
            names = ", ".join(repr(b.name) for b in world.boundaries)
            yield Fault(f"boundaries ({names}) are not watched on a device", where)
        if world.constraints:
            yield Fault("constraints are not solved on a device", where)
    for name, least in (("own_masses", False), ("ledger", False), ("lanes", None), ("threads", 1)):
        if options.get(name) not in (least, None, 0):
            yield Fault(f"{name}={options[name]!r} is of no use on a device: leave it out", where)


def _written_by_elements(compiled: Compiled) -> np.ndarray:
    """Which parameters the compiled code of the elements may change: counters, and what is settled after a step."""
    written = np.zeros(compiled.params.size, bool)
    for kernel, first, last in compiled.calls:
        for run in compiled.table[first:last]:
            each = run[TYPE_PARAM] + kernel.parameters * np.arange(run[TYPE_COUNT])
            places = np.arange(kernel.parameters)
            if kernel.own and kernel.settle is None:
                places = np.array([at for name, at in kernel.numbers.items() if name == "clipped"], np.int64)
            written[(each[:, None] + places).ravel()] = True
    return written


def _slice(rows: np.ndarray) -> Any:
    if len(rows) and np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows))):
        return slice(int(rows[0]), int(rows[0]) + len(rows))
    return rows


def _one_like(x: np.ndarray) -> np.ndarray:
    """Arrays on a device are not empty."""
    return np.zeros((1,) * x.ndim, x.dtype)
