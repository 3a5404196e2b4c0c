"""Return maps: from one crossing of a section, one passage of a boundary or one period of a clock to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.errors import Fault, HybridError, ReturnMapError
from gambol.hybrid.run import HybridRun
from gambol.hybrid.section import Section
from gambol.hybrid.system import HybridSystem
from gambol.stepping.options import Stepping


@dataclass(frozen=True)
class ReturnedPoints:
    """Where points came back: x (points, dimension), charts (points,), the time they took (points,) [s]."""

    x: np.ndarray
    chart: np.ndarray
    duration: np.ndarray


class ReturnMap:
    """The map of states on a section to states at the next crossing, for many points at once.

    section    a Section; the state is that at the crossing
    boundary   or the name of a boundary; the state is that after its transition
    period     or a time [s], for systems driven by a clock
    time       [s] at which points start (the phase of the clock)
    max_time   [s] after which a point that has not returned is given up
    min_time   [s] a crossing sooner than this is the start itself
    """

    def __init__(
        self,
        system: HybridSystem,
        *,
        section: Section | None = None,
        boundary: str | None = None,
        period: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        stepping: Stepping | str | None = None,
        time: float = 0.0,
        max_time: float = 60.0,
        min_time: float = 1e-6,
        threads: int = 1,
    ):
        if (section is not None) + (boundary is not None) + (period is not None) != 1:
            raise HybridError([Fault("give one of section, boundary, period", "return map")])
        self.system, self.section, self.boundary, self.period = system, section, boundary, period
        self.parameters, self.stepping, self.time = parameters, stepping, time
        self.max_time, self.min_time, self.threads = max_time, min_time, threads

    @property
    def noise(self) -> float:
        """How far two nearby points may land apart by the stepper alone: its eps, or, with fixed steps, the precision
        of events."""
        given = Stepping(method=self.stepping) if isinstance(self.stepping, str) else self.stepping or Stepping()
        stepping = given.with_defaults(stiff=False)
        assert stepping.eps is not None
        return stepping.eps if stepping.scheme.adaptive else stepping.precision

    def __call__(self, x: Any, chart: int | Sequence[int] = 0, *, returns: int = 1) -> ReturnedPoints:
        """Where points (points, dimension) come back, after so many returns."""
        points = np.atleast_2d(np.asarray(x, float))
        charts = np.broadcast_to(np.asarray(chart, int), (len(points),))
        run = HybridRun(
            self.system,
            points,
            chart=[int(c) for c in charts],
            parameters=self.parameters,
            time=self.time,
            worlds=len(points),
            sections=[self.section] if self.section else (),
            stop_at=[self.boundary] if self.boundary else (),
            stepping=self.stepping,
            threads=self.threads,
            keep_changes=False,
        )
        if self.period is not None:
            run.run(returns * self.period)
            states = run.x if len(points) > 1 else self._padded(run)[None, :]
            return ReturnedPoints(states, np.atleast_1d(run.chart), np.full(len(points), returns * self.period))
        return self._until_landed(run, returns)

    def _padded(self, run: HybridRun) -> np.ndarray:
        x = run.x
        return np.pad(x, (0, self.system.dimension - len(x)))

    def _until_landed(self, run: HybridRun, returns: int) -> ReturnedPoints:
        count = run.worlds
        seen = np.zeros(count, int)
        states, charts = np.zeros((count, self.system.dimension)), np.zeros(count, int)
        durations = np.full(count, np.nan)

        def look(run: HybridRun, event) -> None:
            if event.time - self.time < self.min_time:
                return
            seen[event.world] += 1
            if seen[event.world] == returns:
                durations[event.world] = event.time - self.time
                states[event.world] = run.state_of(event.world)
                charts[event.world] = run.chart if count == 1 else run.chart[event.world]
                run.pause(event.world)

        run.run(self.max_time, on_event=look)
        lost = np.flatnonzero(np.isnan(durations))
        if len(lost):
            point = self.system.charts[int(np.atleast_1d(run.chart)[lost[0]])].name
            raise ReturnMapError(
                f"{self.system.name}: {len(lost)} of {count} points did not return in {self.max_time:g} s"
                f" (the first ends in chart {point!r})"
            )
        return ReturnedPoints(states, charts, durations)
