"""What a hybrid system is made of: charts with boundaries, and a class of plain functions over them.

    class BouncingBall(HybridSystem):
        class Parameters(NamedTuple):
            gravity: float = 9.81        # [m/s²]
            restitution: float = 0.5     # speed after over speed before

        charts = (Chart("flight", states=("height", "speed"), boundaries=(ChartBoundary("floor", to="flight"),)),)

        @staticmethod
        def flow(chart, t, x, p, dx):
            dx[0], dx[1] = x[1], -p.gravity

        @staticmethod
        def boundaries(chart, t, x, p, h):
            h[0] = x[0]

        @staticmethod
        def transition(chart, t, x, p, fired):
            x[1] = -p.restitution * x[1]
            return chart

The point x is inside the patch of a chart while every boundary function is above its target. The functions are
compiled; `chart` is the number of the chart (its place in `charts`), x and dx have the dimension of the chart, h and
`fired` one place for every boundary of the chart, p has the parameters by name.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gambol.errors import Fault, HybridError, nearest
from gambol.stepping.run import DIRECTIONS

HOUSE_AXES = "x forward, y left, z up"
MAX_BOUNDARIES = 50  # those that fired are logged as bits of a number


@dataclass(frozen=True)
class ChartBoundary:
    """One edge of a chart.

    target     the value that the boundary function crosses: a number or the name of a parameter
    direction  "falling": the patch is where the function lies above its target. A transition that ends outside, on
               the way out, fires at once. "rising", "either": crossings in that direction
    priority   of boundaries crossed in one instant the smallest number acts first, equal numbers together
    to         the chart behind it, for systems without a transition function
    """

    name: str
    _: KW_ONLY
    target: float | str = 0.0
    direction: str = "falling"
    priority: int = 0
    to: str | None = None


@dataclass(frozen=True)
class Chart:
    """One smooth regime: the names of its states (as many as it has dimensions) and its edges.

    A chart may have none: a machine that is off, a ball that was caught. Then only time passes, and its boundaries
    are functions of time.
    """

    name: str
    _: KW_ONLY
    states: Sequence[str] = ()
    boundaries: Sequence[ChartBoundary] = ()

    @property
    def dimension(self) -> int:
        """How many states it has."""
        return len(self.states)


class NoParameters(NamedTuple):
    """Of systems without parameters."""


class HybridSystem:
    """A family of vector fields on charts, glued together by transitions. Subclasses are models.

    Parameters      NamedTuple of floats with their usual values; an instance is made with others:
                    BouncingBall(restitution=0.8)
    charts          in the order of their numbers
    outputs         names of auxiliary quantities, for `observe`
    error_weight    weight of a state in the error norm of a step, by name; 1 where nothing is said
    packs           the functions are written for packs of worlds (gambol.math.scalar: load, store, where_positive)
    source_modules  modules that the functions depend on beyond what they name (operators of values)
    axes            what x, y and z mean in states, outputs and `display` alike, in words: all files of a run say it

    Functions (static):
        flow(chart, t, x, p, dx)              the vector field into dx
        boundaries(chart, t, x, p, h)         boundary functions of that chart into h
        transition(chart, t, x, p, fired)     changes x; returns the number of the next chart. `fired` is above zero
                                              for the boundaries that were crossed. Left out: x stays, `to` says where
        valid(chart, t, x, p)                 may x be in this chart? Asked at the start, after every transition and
                                              after every step of the flow (left out: always)
        observe(chart, t, x, p, out)          auxiliary quantities into out
        start(p)                              (chart, x) to begin with, plain Python
        display(chart, t, x, p)               {name: homogeneous transform (4, 4)} of the bodies to draw, plain Python;
                                              in the axes of the model
    """

    Parameters: ClassVar[type] = NoParameters
    charts: ClassVar[Sequence[Chart]] = ()
    outputs: ClassVar[Sequence[str]] = ()
    error_weight: ClassVar[dict[str, float]] = {}
    packs: ClassVar[bool] = False
    source_modules: ClassVar[tuple[str, ...]] = ()
    axes: ClassVar[str] = HOUSE_AXES

    flow: ClassVar[Callable]
    boundaries: ClassVar[Callable | None] = None
    transition: ClassVar[Callable | None] = None
    valid: ClassVar[Callable | None] = None
    observe: ClassVar[Callable | None] = None
    start: ClassVar[Callable | None] = None
    display: ClassVar[Callable | None] = None

    def __init__(self, **parameters: float):
        if faults := list(system_faults(type(self))):
            raise HybridError(faults)
        self.p = self.with_parameters(parameters)

    @property
    def name(self) -> str:
        """The name of the model's class."""
        return type(self).__name__

    def with_parameters(self, given: dict[str, float]) -> Any:
        """The usual parameters with others in their place."""
        known = self.Parameters._fields  # type: ignore[attr-defined]
        faults = [Fault(f"no parameter {n!r}{nearest(n, known)}", self.name) for n in given if n not in known]
        for name, value in given.items():
            if name in known and not (isinstance(value, int | float | np.number) and math.isfinite(value)):
                faults.append(Fault(f"parameter {name} must be a finite number, it is {value!r}", self.name))
        if faults:
            raise HybridError(faults)
        return self.Parameters(**{name: float(value) for name, value in given.items()})

    @property
    def dimension(self) -> int:
        """The largest of any chart, one at least: room for states."""
        return max(1, *(c.dimension for c in self.charts))

    def chart_number(self, chart: str | int) -> int:
        """The number of a chart by its name."""
        names = [c.name for c in self.charts]
        if isinstance(chart, str):
            if chart not in names:
                raise HybridError([Fault(f"no chart {chart!r}{nearest(chart, names)}", self.name)])
            return names.index(chart)
        if not 0 <= chart < len(names):
            raise HybridError([Fault(f"no chart number {chart}; there are {len(names)}", self.name)])
        return int(chart)

    def initial(self) -> tuple[int, np.ndarray]:
        """Where a run begins unless told otherwise."""
        if self.start is None:
            raise HybridError([Fault("no start: give x (and chart), or write start(p)", self.name)])
        chart, x = type(self).start(self.p)  # type: ignore[misc]
        return self.chart_number(chart), np.asarray(x, float)

    def error_weights(self) -> np.ndarray:
        """Of the states in the error norm, in the order of the largest chart; the smallest where charts disagree."""
        weight = np.full(self.dimension, math.inf)
        for chart in self.charts:
            for k, state in enumerate(chart.states):
                weight[k] = min(weight[k], self.error_weight.get(state, 1.0))
        return np.where(np.isfinite(weight), weight, 1.0)


def system_faults(system: type[HybridSystem]) -> Iterator[Fault]:
    """Everything that is wrong with a model."""
    where = system.__name__
    if not hasattr(system, "flow"):
        yield Fault("no vector field: write flow(chart, t, x, p, dx)", where)
    if not system.charts:
        yield Fault("no charts", where)
    names = [c.name for c in system.charts]
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield Fault(f"two charts are called {name!r}", where)
    yield from _parameter_faults(system)
    known_states = {s for c in system.charts for s in c.states}
    for state in system.error_weight:
        if state not in known_states:
            yield Fault(f"error_weight: no state {state!r}{nearest(state, known_states)}", where)
    if any(c.boundaries for c in system.charts) and system.boundaries is None:
        yield Fault("charts have boundaries: write boundaries(chart, t, x, p, h)", where)
    if bool(system.outputs) != (system.observe is not None):
        yield Fault("outputs (names) and observe (a function) come together", where)
    for chart in system.charts:
        yield from _chart_faults(system, chart, names)
    if system.packs:
        yield from _pack_faults(system)


def _parameter_faults(system: type[HybridSystem]) -> Iterator[Fault]:
    fields = getattr(system.Parameters, "_fields", None)
    if fields is None:
        yield Fault("Parameters must be a NamedTuple of floats", system.__name__)
        return
    defaults = system.Parameters._field_defaults  # type: ignore[attr-defined]
    for name in fields:
        if name not in defaults:
            yield Fault(f"parameter {name} has no usual value", system.__name__)


def _chart_faults(system: type[HybridSystem], chart: Chart, charts: Sequence[str]) -> Iterator[Fault]:
    where = f"{system.__name__}, chart {chart.name!r}"
    states = list(chart.states)
    for state in sorted({s for s in states if states.count(s) > 1}):
        yield Fault(f"two states are called {state!r}", where)
    edges = [b.name for b in chart.boundaries]
    for name in sorted({n for n in edges if edges.count(n) > 1}):
        yield Fault(f"two boundaries are called {name!r}", where)
    if len(edges) > MAX_BOUNDARIES:
        yield Fault(f"{len(edges)} boundaries; at most {MAX_BOUNDARIES}", where)
    known = getattr(system.Parameters, "_fields", ())
    for boundary in chart.boundaries:
        here = f"{where}, boundary {boundary.name!r}"
        if boundary.direction not in DIRECTIONS:
            yield Fault(f"no direction {boundary.direction!r}{nearest(boundary.direction, DIRECTIONS)}", here)
        if isinstance(boundary.target, str) and boundary.target not in known:
            yield Fault(f"target: no parameter {boundary.target!r}{nearest(boundary.target, known)}", here)
        if boundary.to is not None and boundary.to not in charts:
            yield Fault(f"leads to no chart {boundary.to!r}{nearest(boundary.to, charts)}", here)
        if boundary.to is None and system.transition is None:
            yield Fault("leads nowhere: say `to`, or write transition(chart, t, x, p, fired)", here)
        target = next((c for c in system.charts if c.name == boundary.to), None)
        if system.transition is None and target is not None and target.dimension != chart.dimension:
            message = f"{chart.name!r} has dimension {chart.dimension}, {target.name!r} has {target.dimension}"
            yield Fault(f"{message}: write transition(chart, t, x, p, fired)", here)


def _pack_faults(system: type[HybridSystem]) -> Iterator[Fault]:
    """Worlds in a pack share a layout, whatever charts they are in."""
    first = system.charts[0]
    for chart in system.charts[1:]:
        if chart.dimension != first.dimension:
            yield Fault(f"packs: dimension {chart.dimension}, {first.name!r} has {first.dimension}", chart.name)
        kinds = [[(b.direction, b.priority, b.target) for b in c.boundaries] for c in (first, chart)]
        if any(a != b for a, b in zip(*kinds)):
            yield Fault("packs: boundaries of all charts must agree in direction, priority and target", chart.name)
