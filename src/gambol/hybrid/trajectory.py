"""What a run of a hybrid system leaves behind."""

from dataclasses import dataclass

import numpy as np

from gambol.errors import Fault, HybridError, nearest
from gambol.hybrid.chart_changes import ChartChanges
from gambol.hybrid.system import HybridSystem
from gambol.stepping.run import RunPath
from gambol.stepping.state import Event


@dataclass(frozen=True)
class HybridTrajectory(RunPath):
    """Samples at exact times.

    time   (samples,) [s]
    chart  (samples,) or (samples, worlds): the number of the chart
    x      (samples, dimension) or (samples, worlds, dimension); nan beyond the dimension of the chart
    inputs the same with the parameters (for the auxiliary quantities)
    changes, events   chart changes and section crossings of this run
    """

    system: HybridSystem
    time: np.ndarray
    chart: np.ndarray
    x: np.ndarray
    inputs: np.ndarray
    changes: ChartChanges
    events: list[Event]

    def __getitem__(self, state: str) -> np.ndarray:
        """A state or an auxiliary quantity by name; a state is nan where the chart has none of that name."""
        values = np.full(self.chart.shape, np.nan)
        known = False
        for number, chart in enumerate(self.system.charts):
            if state in chart.states:
                known = True
                here = self.chart == number
                values[here] = self.x[..., list(chart.states).index(state)][here]
        if known:
            return values
        if state in self.system.outputs:
            return self.observe()[..., list(self.system.outputs).index(state)]
        names = {s for c in self.system.charts for s in c.states} | set(self.system.outputs)
        raise HybridError([Fault(f"no state or output {state!r}{nearest(state, names)}", self.system.name)])

    def observe(self) -> np.ndarray:
        """The auxiliary quantities of every sample, in the order of `system.outputs`."""
        from gambol.hybrid.compiled import compile_system
        from gambol.hybrid.flow import evaluate

        if not self.system.outputs:
            raise HybridError([Fault("this system has no auxiliary outputs", self.system.name)])
        shape, count = self.chart.shape, len(self.system.outputs)
        t = np.broadcast_to(self.time.reshape(-1, *[1] * (len(shape) - 1)), shape).reshape(-1).astype(float)
        flat = [np.ascontiguousarray(a.reshape(-1, a.shape[-1])) for a in (np.nan_to_num(self.x), self.inputs)]
        out = np.zeros((len(t), count))
        code = compile_system(type(self.system))  # type: ignore[arg-type]
        evaluate(code.observe, t, flat[0], flat[1], out)
        return out.reshape(*shape, count)

    def transforms(self) -> dict[str, np.ndarray]:
        """Homogeneous transforms (samples, 4, 4) of the bodies to draw, of a single world."""
        display = type(self.system).display
        if display is None:
            raise HybridError([Fault("this system has no display", self.system.name)])
        p_of = self.system.Parameters._make  # type: ignore[attr-defined]
        count = len(self.system.Parameters._fields)  # type: ignore[attr-defined]
        shown = [
            display(int(c), t, x, p_of(i[:count])) for c, t, x, i in zip(self.chart, self.time, self.x, self.inputs)
        ]
        return {name: np.array([s[name] for s in shown]) for name in shown[0]} if shown else {}
