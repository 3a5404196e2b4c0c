"""A task: a world, where it starts, what is seen, done, wanted and changed, and when an episode ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gambol.errors import Fault, TaskError
from gambol.learn.changes import RandomMass
from gambol.learn.parts import Action, Change, Observation, Reward, Termination
from gambol.stepping.options import Stepping
from gambol.world.simulation import Simulation
from gambol.world.world import World

if TYPE_CHECKING:
    from gambol.learn.batch import Batch

TICK, SUBSTEPS = 0.02, 8


@dataclass(frozen=True, kw_only=True)
class TaskParts:
    """What tasks of all kinds have.

    observations, actions, rewards, terminations, changes    parts (gambol.learn)
    tick          time between two actions [s]
    episode       longest time of an episode [s]
    drives        into so many equal parts each tick is cut, for actions that act faster (`Action.drive`)
    name          for people
    """

    render_modes: ClassVar[tuple[str, ...]] = ()

    observations: Sequence[Observation]
    actions: Sequence[Action]
    rewards: Sequence[Reward]
    terminations: Sequence[Termination] = ()
    changes: Sequence[Change] = ()
    tick: float = TICK
    episode: float = 20.0
    drives: int = 1
    name: str = "task"
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if faults := list(self._faults()):
            raise TaskError(faults)

    def _faults(self) -> Iterator[Fault]:
        for what, value in (("tick", self.tick), ("episode", self.episode)):
            if not (np.isfinite(value) and value > 0):
                yield Fault(f"its {what} must be a positive time [s], it is {value}", self.name)
        if self.drives < 1:
            yield Fault(f"a tick has at least one part, not {self.drives}", self.name)
        kinds: tuple[tuple[str, type, Sequence[Any]], ...] = (
            ("observations", Observation, self.observations),
            ("actions", Action, self.actions),
            ("rewards", Reward, self.rewards),
            ("terminations", Termination, self.terminations),
            ("changes", Change, self.changes),
        )
        for what, kind, parts in kinds:
            for part in parts:
                if not isinstance(part, kind):
                    yield Fault(f"{what} are parts of type {kind.__name__}, not {part!r}", self.name)
        for what, given in (("observation", self.observations), ("action", self.actions), ("reward", self.rewards)):
            if not given:
                yield Fault(f"it has no {what}", self.name)

    @property
    def ticks(self) -> int:
        """Of a whole episode."""
        return max(round(self.episode / self.tick), 1)

    def action_labels(self, batch: Batch) -> list[str]:
        """Names of all its actions."""
        bound = [part for part in batch.parts if isinstance(part, Action)]
        return [name for part in bound for name in part.labels(batch)]

    def simulation(self, **options: Any) -> Any:
        """Its worlds where episodes begin."""
        raise TaskError([Fault("it has no worlds: it is a Task, or a HybridTask, that has", self.name)])

    def batch(self, sim: Any, seed: int | None) -> Batch:
        """Its worlds as its parts see them."""
        from gambol.learn.batch import Batch

        return Batch(sim, self, seed)


@dataclass(frozen=True, kw_only=True)
class Task(TaskParts):
    """What an environment of figures is made of.

    world         figures, forces, ground
    start, speeds   positions in which episodes begin, and speeds (0 without), after `settle` seconds from there
    observations, actions, rewards, terminations, changes    parts (gambol.learn)
    tick          time between two actions [s]
    drives        into so many equal parts each tick is cut, for actions that act faster (`Action.drive`)
    episode       longest time of an episode [s]
    stepping      by default linearly implicit Euler, eight steps a tick
    name          for people
    """

    render_modes: ClassVar[tuple[str, ...]] = ("rgb_array",)

    world: World
    start: Sequence[float] | np.ndarray
    speeds: Sequence[float] | np.ndarray | None = None
    settle: float = 0.5
    stepping: Stepping | None = None

    def _faults(self) -> Iterator[Fault]:
        yield from super()._faults()
        layout = self.world.layout
        if np.shape(self.start) != (layout.nq,):
            yield Fault(f"its start must be {layout.nq} positions, not {np.shape(self.start)}", self.name)
        if self.speeds is not None and np.shape(self.speeds) != (layout.nv,):
            yield Fault(f"its speeds must be {layout.nv} numbers, not {np.shape(self.speeds)}", self.name)

    def simulation(
        self, *, worlds: int = 1, dtype: Any = None, stepping: Stepping | None = None, **options: Any
    ) -> Any:
        """Its worlds, come to rest in the start position, at time 0.

        `options` are those of Simulation; one world is in float64, several in float32 unless `dtype` says.
        """
        dtype = dtype or (np.float64 if worlds == 1 else np.float32)
        fixed = Stepping(method="implicit-euler", step=self.tick / SUBSTEPS)
        options.setdefault("own_masses", any(isinstance(part, RandomMass) for part in self.changes))
        options.setdefault("ledger", False)
        stepping = stepping or self.stepping or fixed
        sim = Simulation(self.world, worlds=worlds, dtype=dtype, stepping=stepping, **options)
        motion = [np.asarray(self.start, float)]
        if self.speeds is not None:
            motion.append(np.asarray(self.speeds, float))
        sim.reset(*(np.tile(given, (worlds, 1)) if worlds > 1 else given for given in motion))
        if self.settle:
            sim.advance(self.settle)
            sim.shift_clock(-float(sim.dtype(self.settle)))
        return sim
