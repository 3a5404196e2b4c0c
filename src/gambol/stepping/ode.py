"""Plain differential equations: the same compiled march, event location and errors as worlds of figures have.

    def falling(t, y, p, dy):                   # rates into dy
        dy[0], dy[1] = y[1], -p[0]

    def floor(t, y, p, g):                      # boundary functions into g
        g[0] = y[0]

    ball = Ode(falling, 2, boundaries=floor, events=[Crossing("floor", direction="falling")], parameters=[9.81])
    run = OdeRun(ball, [1.0, 0.0])
    path = run.run(2.0, every=0.01, on_event=lambda run, event: run.jump([run.y[0], -0.5 * run.y[1]]))

The functions are plain Python of one system (arrays of float64, plain indexing). They are compiled by themselves (the
march is compiled once for all equations) and kept in the disk cache under a digest of their code and of everything
that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np
from numba import float64, njit

from gambol.errors import Fault, StepError, WorldError, nearest
from gambol.jit import JIT_ON, address_of, call, code_digest, entry, function, outlined
from gambol.math.pack import numbers
from gambol.stepping.march import make_march
from gambol.stepping.memory import Rows
from gambol.stepping.methods import EXPLICIT, METHODS
from gambol.stepping.options import Stepping
from gambol.stepping.run import DIRECTIONS, Run, RunPath
from gambol.stepping.state import Event
from gambol.stepping.timetable import Timetable
from gambol.stepping.vectors import copy_array
from gambol.stepping.workspace import (
    CLOCK_SECTION,
    ERROR,
    FRESH,
    INPUTS,
    SCRATCH,
    START_SECTION,
    STATE,
    STEP,
    TIME,
    Flow,
    sections,
)

RATES, BOUNDARIES = 0, 1  # places in the model of an ode: addresses of its two functions
EQUATION = (float64, float64[::1], float64[::1], float64[::1])
METHODS_OF_ODES = [m.name for m in METHODS.values() if m.kind == EXPLICIT or m.name == "euler"]


@dataclass(frozen=True)
class Crossing:
    """What counts as an event of one boundary function.

    direction "falling", "rising" or "either"
    priority  of events in one instant the smallest number acts first
    """

    name: str
    _: KW_ONLY
    direction: str = "either"
    priority: int = 0


class Ode:
    """dy/dt = derivative(t, y; p), with boundary functions whose zeros are events.

    derivative  function (t, y, p, dy) that fills dy
    dimension   numbers in y
    boundaries  function (t, y, p, g) that fills g, one number for each of `events`
    events      a Crossing, or just a name (either direction), for each boundary function
    parameters  starting values of p; a run has its own, which may be changed
    names       of the variables, for messages; default y[0], y[1], …
    scale       weight of each variable in the error norm: the error of a step is the largest |error| × scale
    """

    def __init__(
        self,
        derivative: Callable,
        dimension: int,
        *,
        boundaries: Callable | None = None,
        events: Sequence[Crossing | str] = (),
        parameters: Sequence[float] = (),
        names: Sequence[str] | None = None,
        scale: Sequence[float] | None = None,
    ):
        self.dimension = int(dimension)
        self.events = tuple(Crossing(e) if isinstance(e, str) else e for e in events)
        self.parameters = np.array(parameters, float)
        self.names = tuple(names) if names is not None else tuple(f"y[{k}]" for k in range(self.dimension))
        self.scale = np.ones(self.dimension) if scale is None else np.array(scale, float)
        if faults := self._faults(boundaries):
            raise WorldError(faults)
        functions = (derivative, boundaries or _no_boundaries)
        self.addresses = np.array([address_of_equation(f) for f in functions], np.int64)

    def _faults(self, boundaries) -> list[Fault]:
        found = []
        if self.dimension < 1:
            found.append(Fault(f"the dimension must be at least 1, it is {self.dimension}", "ode"))
        if (boundaries is None) != (not self.events):
            found.append(Fault("boundaries (a function) and events (their names) come together", "ode"))
        names = [e.name for e in self.events]
        twice = sorted({n for n in names if names.count(n) > 1})
        found += [Fault(f"two events are called {n!r}", "ode") for n in twice]
        for e in self.events:
            if e.direction not in DIRECTIONS:
                found.append(Fault(f"no direction {e.direction!r}{nearest(e.direction, DIRECTIONS)}", e.name))
        for what in ("names", "scale"):
            if len(getattr(self, what)) != self.dimension:
                found.append(Fault(f"{what} must be {self.dimension}, not {len(getattr(self, what))}", "ode"))
        return found


@dataclass(frozen=True)
class OdePath(RunPath):
    """What a run leaves behind: time (samples,) [s], y (samples, dimension), and the events on the way."""

    time: np.ndarray
    y: np.ndarray
    events: list[Event]


class OdeRun(Run[OdePath]):
    """An Ode in motion from y at a time; `run`, `save`, `restore`, `events`, `counts` as a Simulation has them.

    stepping    how to step (Stepping, or a method's name): an explicit method; by default Fehlberg's pair
    """

    def __init__(self, ode: Ode, y: Sequence[float], *, time: float = 0.0, stepping: Stepping | str | None = None):
        given = Stepping(method=stepping) if isinstance(stepping, str) else stepping or Stepping()
        self.ode, self.stepping = ode, given.with_defaults(stiff=False)
        if self.stepping.scheme.name not in METHODS_OF_ODES:
            message = f"{given.method!r} is for figures; an Ode takes {', '.join(METHODS_OF_ODES)}"
            raise WorldError([Fault(message, "stepping")])
        n, stages = ode.dimension, len(self.stepping.scheme.b)
        offsets = sections(n, n, len(ode.events), len(ode.parameters), n, stages)
        self.memory = Rows(offsets, dtype=np.float64)
        self.timetable = Timetable(self.memory)
        self.events: list[Event] = []
        self.watch(ode.events)
        self.reset(y, time=time)

    def reset(self, y: Sequence[float], *, time: float = 0.0) -> None:
        """Back to the start, with the parameters of the Ode."""
        memory = self.memory
        memory.cells[...] = 0
        memory.cells[:, memory.clock(TIME)] = time
        memory.cells[:, memory.clock(STEP)] = self.stepping.step
        memory.cells[:, memory.sides] = FRESH
        memory.write(memory.section(STATE), y, "y")
        self.p = self.ode.parameters
        self.timetable.clear()
        self.events.clear()
        self.schedule, self.controllers = (), ()

    # ------------------------------------------------------------ what it is doing
    @property
    def y(self) -> np.ndarray:
        """The state."""
        return self.memory.read(self.memory.section(STATE))

    @y.setter
    def y(self, values) -> None:
        self.memory.write(self.memory.section(STATE), values, "y")
        self.memory.rearm_boundaries([0])

    def jump(self, values) -> None:
        """y = values, for handlers written as lambda."""
        self.y = values

    @property
    def p(self) -> np.ndarray:
        """The parameters of this run."""
        return self.memory.read(self.memory.section(INPUTS))

    @p.setter
    def p(self, values) -> None:
        self.memory.write(self.memory.section(INPUTS), values, "parameters")
        self.memory.rearm_boundaries([0])

    @property
    def rate(self) -> np.ndarray:
        """dy/dt at this moment."""
        self._call(np.zeros(0), None)
        return self.memory.read(self.memory.section(SCRATCH))

    # ------------------------------------------------------------ running
    def _call(self, times: np.ndarray, record: np.ndarray | None) -> int:
        return self._march(march_ode, lambda: self.ode.addresses, self.ode.scale, times, record)

    def _trajectory(self, record: np.ndarray, times: np.ndarray, events: list[Event]) -> OdePath:
        return OdePath(times, self.memory.read(self.memory.section(STATE), numbers(record)), list(events))

    def _failure(self, world: int, cause: str, remedy: str) -> StepError:
        error = np.abs(self.memory.read(self.memory.section(ERROR))) * self.ode.scale
        error = np.where(np.isfinite(error), error, np.inf)
        return StepError(
            cause,
            time=float(self.time),
            variable=self.ode.names[int(np.argmax(error))],
            time_scale=self.fastest_time_scale(),
            events=self._last_events(world),
            remedy=remedy,
        )

    def _remedy(self) -> str:
        if self.stepping.scheme.adaptive:
            return "loosen eps, or soften what is stiff"
        return "shorten `step`, or use an adaptive method"

    def fastest_time_scale(self) -> float:
        """1/|λ| of the fastest mode [s] of the system as it stands; nan where nothing is finite."""
        here, y = self.memory.array.copy(), self.y
        try:
            rest, columns = self.rate, []
            for k in range(len(y)):
                step = 1e-7 * max(1.0, abs(y[k]))
                self.memory.write(self.memory.section(STATE), y + step * np.eye(len(y))[k], "y")
                columns.append((self.rate - rest) / step)
        finally:
            self.memory.array[...] = here
        jacobian = np.array(columns).T
        if not np.all(np.isfinite(jacobian)):
            return float("nan")
        fastest = float(np.abs(np.linalg.eigvals(jacobian)).max())
        return 1.0 / fastest if fastest > 0 else float("inf")


# ---------------------------------------------------------------- the flow
class OdeMotion(NamedTuple):
    """One system in motion."""

    state: np.ndarray
    p: np.ndarray
    rate: np.ndarray


def _no_boundaries(t, y, p, g):
    pass


@function
def _open(model, row, offsets):
    return model, OdeMotion(
        row[offsets[STATE] : offsets[CLOCK_SECTION]],
        row[offsets[INPUTS] : offsets[SCRATCH]],
        row[offsets[SCRATCH] : offsets[START_SECTION]],
    )


@function
def _shift(model, motion, base, d):
    for k in range(d.shape[0]):
        motion.state[k] = base[k] + d[k]


@function
def _tangent(model, motion, d, out):
    copy_array(out, motion.rate)


@function
def _difference(model, motion, a, b, out):
    for k in range(out.shape[0]):
        out[k] = a[k] - b[k]


@function
def _take_step(model, motion, base, d, h, old):
    for k in range(d.shape[0]):
        d[k] = motion.rate[k] * h
        motion.state[k] = base[k] + d[k]


@function
def _prepare(model, motion):
    """Nothing to do."""


@outlined
def _solve(model, motion, t, h):
    call(model[RATES], (t, motion.state, motion.p, motion.rate))


@outlined
def _slopes(model, motion, t, h, jump, d, out):
    call(model[RATES], (t, motion.state, motion.p, out))


@outlined
def _boundaries(model, motion, t, g):
    call(model[BOUNDARIES], (t, motion.state, motion.p, g))


def _settles(model):
    return False


@function
def _settle(model, motion, t, moved):
    """Nothing to do."""


march_ode = make_march(
    Flow(
        recipe="ode",
        module=__name__,
        open=_open,
        prepare=_prepare,
        solve=_solve,
        shift=_shift,
        tangent=_tangent,
        difference=_difference,
        slopes=_slopes,
        rates_are_slopes=True,
        take_step=_take_step,
        boundaries=_boundaries,
        settles=_settles,
        settle=_settle,
    )
)


def address_of_equation(given: Callable) -> int:
    """Where the compiled code of a function (t, y, p, out) lies; it is compiled as written (no reassociation)."""
    inner = given if hasattr(given, "py_func") or not JIT_ON else njit(error_model="numpy", _nrt=True)(given)  # type: ignore[call-overload]

    def equation(t, y, p, out):
        inner(t, y, p, out)

    return address_of(entry(equation, recipe=code_digest(given), fast=False), EQUATION)
