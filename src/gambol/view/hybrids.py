"""A hybrid system on show: computed as it is seen, with the chart it is in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gambol.errors import GambolError, ViewError
from gambol.figure import Body, Figure, Joint, Mass, Part, Placement, Sphere
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.view.history import Moment
from gambol.view.live import MOST_EVENTS, LiveRun
from gambol.view.parameters import Parameter
from gambol.view.pilot import Pilot

if TYPE_CHECKING:
    from gambol.hybrid.run import HybridRun
    from gambol.hybrid.system import HybridSystem
    from gambol.hybrid.trajectory import HybridTrajectory

SPAN = 3.0  # [s] of charts that are shown
MARK = 0.06  # radius of what is drawn for a body that has no figure, of its height at the start
COLOURS = ((0.0, 0.45, 0.70), (0.90, 0.62, 0.0), (0.0, 0.62, 0.45), (0.80, 0.47, 0.65))
Positions = Callable[["HybridTrajectory"], np.ndarray]


class ChartHistory:
    """Which chart a run was in and since when: [s] and numbers, in order."""

    def __init__(self, system: HybridSystem, time: float, chart: int):
        self.system, self.times, self.numbers = system, [time], [chart]
        self.legs = ("LF", "LM", "LB", "RF", "RM", "RB") if isinstance(system, CompliantHexapod) else ()

    def add(self, path: HybridTrajectory) -> None:
        """Enters the changes of a piece of the run."""
        for _, time, _, after, _ in path.changes.table:
            self.times.append(float(time))
            self.numbers.append(int(after))

    def cut(self, time: float) -> None:
        """Forgets what came after a time [s]."""
        end = max(1, bisect_right(self.times, time + 1e-12))
        del self.times[end:], self.numbers[end:]

    def late(self, time: float) -> dict[str, Any]:
        """The chart at a time [s], how often it changed before, and the stretches of the last seconds, for the page."""
        now = max(0, bisect_right(self.times, time + 1e-12) - 1)
        first = max(0, bisect_left(self.times, time - SPAN) - 1)
        ends = [*self.times[first + 1 : now + 1], time]
        stretches = [
            (begin, end, self._name(number), [number >> i & 1 for i in range(len(self.legs))])
            for begin, end, number in zip(self.times[first : now + 1], ends, self.numbers[first : now + 1])
        ]
        return {
            "chart": self._name(self.numbers[now]),
            "changed": now,
            "span": SPAN,
            "rows": self.legs,
            "stretches": stretches,
        }

    def _name(self, number: int) -> str:
        return str(self.system.charts[number].name)


class HybridSource(LiveRun):
    """A run of one hybrid system, computed as it is shown.

    turned      names of the parameters that have a slider, from 0 to twice what they are (`ranges` gives others)
    units       of those that have one
    parameters  others that people may change
    pilot       what arrow keys and clicks on the ground direct
    """

    def __init__(
        self,
        run: HybridRun,
        *,
        turned: Sequence[str] = (),
        ranges: dict[str, tuple[float, float]] | None = None,
        units: dict[str, str] | None = None,
        parameters: Sequence[Parameter] = (),
        pilot: Pilot | None = None,
        **options: Any,
    ):
        if run.worlds != 1 or type(run.system).display is None:
            raise ViewError(f"{run.system.name}: one system that has a display can be watched")
        self.run, self.pilot, run.keep_changes = run, pilot, True
        self.charts = ChartHistory(run.system, float(run.time), int(run.chart))
        figures, self._positions = figures_of(run)
        options.setdefault("title", run.system.name)
        sliders = [self._slider(name, (ranges or {}).get(name), (units or {}).get(name, "")) for name in turned]
        super().__init__(figures, parameters=[*parameters, *sliders], **options)

    def _slider(self, name: str, bounds: tuple[float, float] | None, unit: str) -> Parameter:
        run, usual = self.run, float(self.run.get_parameter(name))
        lower, upper = bounds or ((min(0.0, 2 * usual), max(0.0, 2 * usual)) if usual else (0.0, 1.0))
        get, put = lambda: float(run.get_parameter(name)), lambda x: run.set_parameter(name, x)
        return Parameter(name.replace("_", " "), get, put, lower, upper, unit=unit)

    @property
    def slope(self) -> float:  # type: ignore[override]
        """Rise over run of the ground, forward."""
        names = self.run.system.p._fields
        return float(self.run.get_parameter("slope_y")) if "slope_y" in names else 0.0

    @property
    def events(self) -> list[tuple[float, str]]:
        """Crossings of its sections."""
        return [(float(event.time), event.name) for event in self.run.events[-MOST_EVENTS:]]

    def now(self) -> float:
        """Its time [s]."""
        return float(self.run.time)

    def present(self) -> Moment:
        """The moment it has reached."""
        path = self.run.run(times=[float(self.run.time)])
        return Moment(self.now(), self._positions(path)[-1], np.zeros(0), chart=int(self.run.chart))

    def computed(self, times: np.ndarray) -> list[Moment]:
        """Moments at these times; what a fault leaves is kept, and its words."""
        path: Any
        try:
            path = self.run.run(times=times)
        except GambolError as error:
            path, self.fault = getattr(error, "trajectory", None), str(error)
        if path is None or not len(path):
            return []
        self.charts.add(path)
        self.run.changes.clear()  # they are with the charts
        return [
            Moment(float(t), q, np.zeros(0), chart=int(chart))
            for t, q, chart in zip(path.time, self._positions(path), path.chart)
        ]

    def saved(self) -> Any:
        """The state of the run."""
        return self.run.save()

    def load(self, state: Any) -> None:
        """Back to a state of the run."""
        self.run.restore(state)
        self.charts.cut(self.now())

    def halt(self) -> None:
        """Also in the middle of a long march."""
        self.run.pieces.halted = True


def figures_of(run: HybridRun) -> tuple[list[Figure], Positions]:
    """What is drawn of a system, and where that is along a path: its figure, or a ball for each body it displays."""
    system = run.system
    if isinstance(system, CompliantHexapod):
        from gambol.hybrid.models.compliant_hexapod.figure import compliant_hexapod_figure, figure_positions

        return [compliant_hexapod_figure(system.p)], figure_positions
    shown = run.run(times=[float(run.time)]).transforms()
    reach = max([0.1, *(float(abs(frames[0, 2, 3])) for frames in shown.values())])
    figures = []
    for k, name in enumerate(shown):
        ball = Part(Sphere(MARK * reach), Placement(), colour=COLOURS[k % len(COLOURS)])
        body = Body("body", joint=Joint("free"), parts=(ball,), mass=Mass(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)))
        figures.append(Figure(name.replace(" ", "_"), (body,)))
    return figures, balls


def balls(path: HybridTrajectory) -> np.ndarray:
    """(samples, 7 a body): places and turns of all bodies of a display."""
    from gambol.hybrid.models.compliant_hexapod.figure import quaternions_of

    frames = path.transforms().values()
    columns = [np.concatenate([f[:, :3, 3], quaternions_of(f[:, :3, :3])], axis=1) for f in frames]
    return np.concatenate(columns, axis=1)
