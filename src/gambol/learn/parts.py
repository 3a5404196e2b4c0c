"""What tasks are put together from: small parts, each of which works on an array over all worlds at once.

A part of your own derives from one of these and says what it reads, does or judges:

    class Stretch(Observation):
        'How far the trunk is above the ground [m].'

        def labels(self, batch):
            return {"height": "m"}

        def read(self, batch):
            return batch.trunk_position[:, 2:3]
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gambol.errors import Fault, TaskError
from gambol.learn.batch import Batch


class TaskPart:
    """A piece of a task. An environment works with copies, so that one task may be used by many."""

    keeps: ClassVar[tuple[str, ...]] = ()  # attributes that change from tick to tick

    def prepare(self, batch: Batch) -> None:
        """Once, when an environment is made: looks names up."""

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        """Episodes begin in these worlds, which are in their start state."""

    def save(self) -> dict[str, Any]:
        """What changes from tick to tick."""
        return {name: copy.deepcopy(getattr(self, name)) for name in self.keeps if hasattr(self, name)}

    def restore(self, state: dict[str, Any]) -> None:
        """Exactly as it was saved."""
        for name, value in state.items():
            setattr(self, name, copy.deepcopy(value))


class Delay:
    """Rows of numbers that come out so many ticks after they went in."""

    def __init__(self, ticks: int):
        self.ticks, self.at = ticks, 0
        self.columns: np.ndarray | None = None  # (ticks + 1, columns, worlds)

    def _room(self, values: np.ndarray) -> np.ndarray:
        if self.columns is None:
            self.columns = np.repeat(values.T[None], self.ticks + 1, axis=0)
        return self.columns

    def begin(self, values: np.ndarray, worlds: np.ndarray) -> None:
        """These worlds have always been so."""
        self._room(values)[:, :, worlds] = values[worlds].T

    def through(self, values: np.ndarray) -> np.ndarray:
        """What went in so many ticks ago."""
        room = self._room(values)
        self.at = (self.at + 1) % (self.ticks + 1)
        room[self.at] = values.T
        return self.latest()

    def latest(self) -> np.ndarray:
        """What came out last."""
        assert self.columns is not None
        return self.columns[(self.at + 1) % (self.ticks + 1)].T


@dataclass(kw_only=True)
class Observation(TaskPart, ABC):
    """Something that is seen.

    noise   half the width of evenly spread noise, in the units of what is seen (one number, or one a column)
    delay   ticks by which it comes late
    scale   what it is multiplied with in the end, so that policies see numbers of order 1
    """

    noise: float | Sequence[float] = 0.0
    delay: int = 0
    scale: float = 1.0
    keeps: ClassVar[tuple[str, ...]] = ("_late",)

    @abstractmethod
    def labels(self, batch: Batch) -> Mapping[str, str]:
        """Names of its columns, and their units."""

    def bounds(self, batch: Batch) -> tuple[float, float]:
        """Between which it is, before noise and scale."""
        return -np.inf, np.inf

    @abstractmethod
    def read(self, batch: Batch) -> np.ndarray:
        """(worlds, columns) as it is now."""

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        """Its past is what is seen now."""
        if self.delay:
            self._late = getattr(self, "_late", None) or Delay(self.delay)
            self._late.begin(self.read(batch), worlds)

    def observe(self, batch: Batch, *, again: bool = False) -> np.ndarray:
        """As the sensor gives it: late, with noise; not scaled. `again`: of the same tick, once worlds began anew."""
        values = self.read(batch)
        if self.delay:
            values = self._late.latest() if again else self._late.through(values)
        if np.any(self.noise):
            spread = batch.random.random(values.shape[::-1], np.float32).T
            values = values + np.asarray(self.noise, values.dtype) * (2.0 * spread - 1.0)
        return values


@dataclass(kw_only=True)
class Readout(Observation, ABC):
    """Rows of the table of what is known of all worlds (`Batch.sheet`), less `middle`; with neither noise nor delay all
    such observations are made in one pass."""

    middle: Any = field(default=0.0, init=False, repr=False)

    @abstractmethod
    def rows(self, batch: Batch) -> Sequence[int]:
        """Which rows; they may move when a command gets another width."""

    def read(self, batch: Batch) -> np.ndarray:
        """(worlds, columns) as it is now."""
        shown = batch.sheet.numbers[np.asarray(self.rows(batch)), : batch.worlds].T
        return shown - np.asarray(self.middle, shown.dtype)


@dataclass(kw_only=True)
class Action(TaskPart, ABC):
    """Something that is done with numbers from -1 to 1.

    delay   ticks by which it is done late

    One that acts faster than a policy has a method drive(batch), called where each of the task's `drives` parts of a
    tick begins.
    """

    delay: int = 0
    keeps: ClassVar[tuple[str, ...]] = ("_late",)
    first: int = field(default=0, init=False, repr=False)  # of all actions, where its own begin: of the environment

    @abstractmethod
    def labels(self, batch: Batch) -> Mapping[str, str]:
        """Names of its numbers, and the units of what they stand for."""

    @abstractmethod
    def apply(self, batch: Batch, action: np.ndarray) -> None:
        """(worlds, columns), clipped: sets what acts in the tick to come."""

    def begin(self, batch: Batch, worlds: np.ndarray) -> None:
        """Nothing was asked for before."""
        if self.delay:
            self._late = getattr(self, "_late", None) or Delay(self.delay)
            self._late.begin(np.zeros((batch.worlds, len(self.labels(batch))), batch.q.dtype), worlds)

    def act(self, batch: Batch, action: np.ndarray) -> None:
        """Late, where it is."""
        self.apply(batch, self._late.through(action) if self.delay else action)


@dataclass(kw_only=True)
class Reward(TaskPart, ABC):
    """A term of the reward, times its weight, for every second."""

    weight: float = 1.0

    @abstractmethod
    def value(self, batch: Batch) -> np.ndarray:
        """(worlds,)"""


@dataclass(kw_only=True)
class SquaredTerm(Reward, ABC):
    """A sum of squares of differences of rows of the table of what is known of all worlds (`Batch.sheet`); `near`: exp
    of minus it. All such terms are found in one pass."""

    near: ClassVar[bool] = False

    @abstractmethod
    def squares(self, batch: Batch) -> Sequence[tuple[int, int, float]]:
        """(row, other row, factor) of each; the row batch.rows["zero"] is zero."""

    def value(self, batch: Batch) -> np.ndarray:
        """(worlds,)"""
        sheet = batch.sheet.numbers[:, : batch.worlds]
        found = np.zeros(batch.worlds, sheet.dtype)
        for row, other, factor in self.squares(batch):
            found += factor * (sheet[row] - sheet[other]) ** 2
        return np.exp(-found) if self.near else found


@dataclass
class Custom(Reward):
    """A term from a function of the batch that gives (worlds,) numbers."""

    function: Callable[[Batch], np.ndarray]
    label: str = "custom"

    def value(self, batch: Batch) -> np.ndarray:
        """What the function says."""
        return self.function(batch)


@dataclass(kw_only=True)
class Termination(TaskPart, ABC):
    """Ends an episode."""

    @abstractmethod
    def over(self, batch: Batch) -> np.ndarray:
        """(worlds,) of bool."""


@dataclass(kw_only=True)
class Threshold(Termination, ABC):
    """A row of the table of what is known of all worlds (`Batch.sheet`) times `sign` (1 or -1) is above a bound."""

    @abstractmethod
    def limit(self, batch: Batch) -> tuple[int, int, float]:
        """Row, sign, bound."""

    def over(self, batch: Batch) -> np.ndarray:
        """(worlds,) of bool."""
        row, sign, bound = self.limit(batch)
        return sign * batch.sheet.numbers[row, : batch.worlds] > bound


@dataclass(kw_only=True)
class Change(TaskPart):
    """Changes the worlds, or what is asked of them: where episodes begin, and on the way."""

    def change(self, batch: Batch) -> None:
        """Before every tick."""


def positive(value: float, what: str) -> float:
    """A positive number, or an error that names it."""
    if not value > 0:
        raise TaskError([Fault(f"{what} must be positive, it is {value}", "task")])
    return value
