"""Tasks of hybrid systems: their states and outputs are seen, their parameters are set.

    task = compliant_velocity()
    env = BatchEnvironment(task, 64)

The parts that know nothing of figures (Commands, Commanded, LastAction, ActionRate, Alive, Custom, …) serve them too:
`q` of their Batch are the states of the charts, (worlds, states).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gambol.errors import Fault, TaskError, nearest
from gambol.hybrid.run import HybridRun
from gambol.hybrid.system import HybridSystem
from gambol.learn.batch import Batch
from gambol.learn.changes import Commands
from gambol.learn.observations import Clock, Commanded, LastAction
from gambol.learn.parts import Action, Observation, Reward, Termination
from gambol.learn.rewards import ActionRate
from gambol.learn.task import TaskParts
from gambol.stepping.options import Stepping
from gambol.stepping.workspace import CARRY, INPUTS, STATE, TIME

WEIGHTLESS = np.zeros(3)


@dataclass(frozen=True, kw_only=True)
class HybridTask(TaskParts):
    """What an environment of hybrid systems is made of.

    system        with its parameters
    stepping      an explicit method
    start_at      (chart, x) of the parameters and a time [s], where the system has a clock: worlds share it, and
                  episodes begin at any time of it
    observations, actions, rewards, terminations, changes, tick, episode, name   as of Task
    """

    system: HybridSystem
    stepping: Stepping | None = None
    start_at: Callable[[Any, float], tuple[int, np.ndarray]] | None = None

    def simulation(self, *, worlds: int = 1, **options: Any) -> HybridRun:
        """Its worlds at the start of the system; `options` are those of HybridRun."""
        if wrong := sorted(set(options) - {"threads", "lanes", "stepping"}):
            raise TaskError(
                [Fault(f"a hybrid system has no {wrong[0]!r}: it runs in float64 on processors", self.name)]
            )
        options = {"stepping": self.stepping, **options}
        return HybridRun(self.system, worlds=worlds, keep_changes=False, **options)

    def batch(self, sim: Any, seed: int | None) -> HybridBatch:
        """Its worlds as its parts see them."""
        return HybridBatch(sim, self, seed)


class HybridBatch(Batch):
    """What happens in the worlds of an environment of hybrid systems: `q` are states, `outputs` what they say."""

    sim: Any

    def __init__(self, sim: Any, task: Any, seed: int | None = None):
        self._place = {name: k for k, name in enumerate(sim.system.charts[0].states)}
        self._origin = float(np.max(np.atleast_1d(sim.time)))
        super().__init__(sim, task, seed)

    def _motion_cells(self) -> tuple[np.ndarray, np.ndarray]:
        states = self.sim.memory.section(STATE)
        return states, states[:0]

    def _free_root(self) -> None:
        return None

    def _gravity(self) -> np.ndarray:
        return WEIGHTLESS

    def put_back(self, start: Any, worlds: np.ndarray) -> None:
        """These worlds are as they were at the start, but for the clock, which all share."""
        sim, memory = self.sim, self.sim.memory
        sim.restore(start, worlds)
        if len(worlds) == self.worlds:
            self._origin = float(np.max(np.atleast_1d(sim.time)))
        now = self._origin
        memory.write([memory.clock(TIME), memory.clock(CARRY)], [now, 0.0], "time", worlds)
        if self.task.start_at is not None:
            _, x = self.task.start_at(sim.system.p, now)
            memory.write(memory.section(STATE), x, "x", worlds)

    def _time(self, share: float) -> float:
        return self._origin + share * self.tick

    def _end_tick(self) -> None:
        """The clock runs on, because the model's own does."""
        self._origin += self.tick
        self.sim.events.clear()

    def save(self) -> Any:
        """What the parts and the episodes keep, and the clock."""
        return super().save(), self._origin

    def restore(self, saved: Any) -> None:
        """Exactly as it was saved."""
        self._origin = saved[1]
        super().restore(saved[0])

    @property
    def outputs(self) -> dict[str, np.ndarray]:
        """What the system observes, by name, (worlds,) each."""
        if "outputs" not in self._seen:
            self._seen["outputs"] = {name: np.atleast_1d(value) for name, value in self.sim.observe().items()}
        return self._seen["outputs"]

    def quantity(self, name: str) -> np.ndarray:
        """A state or an output, (worlds,)."""
        if name in self._place:
            return self.q[:, self._place[name]]
        if name not in self.outputs:
            known = [*self._place, *self.outputs]
            raise TaskError([Fault(f"no state or output is called {name!r}{nearest(name, known)}", self.task.name)])
        return self.outputs[name]


@dataclass
class Quantities(Observation):
    """States and outputs of a hybrid system, by name, with their units."""

    units: Mapping[str, str] = field(default_factory=dict)

    def prepare(self, batch: Any) -> None:
        for name in self.units:
            batch.quantity(name)

    def labels(self, batch: Any) -> Mapping[str, str]:
        return self.units

    def read(self, batch: Any) -> np.ndarray:
        return np.stack([batch.quantity(name) for name in self.units]).T


@dataclass
class Parameters(Action):
    """Parameters of a hybrid system between two numbers, with their units: {"sweep": (0.2, 0.9, "rad")}."""

    ranges: Mapping[str, tuple[float, float, str]] = field(default_factory=dict)

    def prepare(self, batch: Any) -> None:
        names, memory = batch.sim.system.p._fields, batch.sim.memory
        if unknown := [name for name in self.ranges if name not in names]:
            message = f"{batch.sim.system.name} has no parameter {unknown[0]!r}{nearest(unknown[0], names)}"
            raise TaskError([Fault(message, batch.task.name)])
        low, high, _ = zip(*self.ranges.values())
        self._low, self._span = np.array(low), np.subtract(high, low)
        self._cells = memory.section(INPUTS)[[names.index(name) for name in self.ranges]]

    def labels(self, batch: Any) -> Mapping[str, str]:
        return {name: unit for name, (_, _, unit) in self.ranges.items()}

    def apply(self, batch: Any, action: np.ndarray) -> None:
        values = self._low + 0.5 * (action + 1.0) * self._span
        memory = batch.sim.memory
        memory.write(self._cells, values if batch.worlds > 1 else values[0], "parameters")
        memory.rearm_all()


@dataclass
class TrackQuantity(Reward):
    """exp(-(d / width)²), d between a state or output and the first number of the command."""

    quantity: str = ""
    width: float = 0.2

    def value(self, batch: Any) -> np.ndarray:
        d = batch.quantity(self.quantity) - batch.asked(1)[:, 0]
        return np.exp(d * d * (-1.0 / self.width**2))


@dataclass
class Square(Reward):
    """The square of a state or output. Weight it negatively."""

    quantity: str = ""

    def value(self, batch: Any) -> np.ndarray:
        return batch.quantity(self.quantity) ** 2


@dataclass
class InChart(Termination):
    """The system is in a chart of this name."""

    chart: str = ""

    def prepare(self, batch: Any) -> None:
        names = [chart.name for chart in batch.sim.system.charts]
        if self.chart not in names:
            raise TaskError([Fault(f"there is no chart {self.chart!r}{nearest(self.chart, names)}", batch.task.name)])
        self._number = names.index(self.chart)

    def over(self, batch: Any) -> np.ndarray:
        return np.atleast_1d(batch.sim.chart) == self._number


def compliant_velocity(*, forward: tuple[float, float] = (0.1, 0.6), cycle: float = 0.53) -> HybridTask:
    """The compliant hexapod of six springy legs runs as fast as it is told, by the sweep and the offset of its clock.

    forward   range of the commanded velocity [m/s]
    cycle     [s] of a leg's turn
    """
    from gambol.hybrid.models.compliant_hexapod import RHEX_CLOCK, CompliantHexapod, start

    clock = {**RHEX_CLOCK, "cycle": cycle}
    seen = {"roll": "rad", "pitch": "rad", **{f"spin {axis}": "rad/s" for axis in "xyz"}}
    speeds = {f"speed {axis}": "m/s" for axis in "xyz"}
    return HybridTask(
        name="compliant hexapod velocity",
        system=CompliantHexapod(**clock),
        start_at=lambda p, time: start(p, time=time),
        observations=[
            Quantities(seen),
            Quantities(speeds),
            Quantities(dict(_of_legs("phi", "rad"))),
            Quantities(dict(_of_legs("stance", ""))),
            Clock(frequency=1.0 / cycle),
            Commanded(names=("forward",), units=("m/s",)),
            LastAction(),
        ],
        actions=[Parameters({"sweep": (0.2, 1.0, "rad"), "offset": (-0.4, 0.2, "rad")})],
        rewards=[
            TrackQuantity(quantity="speed y", width=0.3),
            Square(quantity="pitch", weight=-1.0),
            Square(quantity="roll", weight=-1.0),
            ActionRate(weight=-0.02),
        ],
        terminations=[InChart("fallen")],
        changes=[Commands(low=(forward[0],), high=(forward[1],), every=4.0)],
        tick=0.02,
        episode=10.0,
        stepping=Stepping(method="rk3", eps=1e-4, max_step=2e-3, step=1e-4, precision=1e-9),
    )


def _of_legs(what: str, unit: str) -> Iterator[tuple[str, str]]:
    from gambol.hybrid.models.compliant_hexapod import LEG_NAMES

    names: Sequence[str] = LEG_NAMES
    return ((f"{what} {leg}", unit) for leg in names)
