"""Episodes of a task in every world of a batch: what environments and a policy at work have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.errors import Fault, TaskError
from gambol.learn.parts import Action, Observation
from gambol.learn.task import TaskParts
from gambol.learn.ticks import judge, take_actions


class Episodes:
    """The parts of a task at work in the worlds of a simulation, which is in its start state.

    observation_labels, action_labels   names and units of the columns
    """

    def __init__(self, task: TaskParts, sim: Any, seed: int | None = None):
        self.task, self.sim = task, sim
        self.batch: Any = task.batch(sim, seed)
        batch = self.batch
        self.actions: list[Action] = batch.bind(task.actions)
        batch.drivers = [part for part in self.actions if hasattr(part, "drive")]
        self._widths = [len(part.labels(batch)) for part in self.actions]
        count = sum(self._widths)
        batch.action = batch.action_before = np.zeros((count, batch.worlds), sim.memory.dtype).T
        self.changes = batch.bind(task.changes)
        self.observations: list[Observation] = batch.bind(task.observations)
        self.rewards, self.terminations = batch.bind(task.rewards), batch.bind(task.terminations)
        self.observation_labels = self._labels(self.observations)
        self.action_labels = self._labels(self.actions)
        self.start = sim.save()
        self.returns = np.zeros(batch.worlds)
        self.terms = np.zeros((len(self.rewards), batch.worlds))
        self._values = np.empty((len(self.rewards), batch.worlds), sim.memory.dtype)
        self._weights = np.array([part.weight * batch.tick for part in self.rewards], sim.memory.dtype)
        self.term_names = self._term_names()

    def _labels(self, parts: Any) -> dict[str, str]:
        found: dict[str, str] = {}
        for part in parts:
            for name, unit in part.labels(self.batch).items():
                if name in found:
                    message = f"two columns are called {name!r}: is {type(part).__name__} given twice?"
                    raise TaskError([Fault(message, self.task.name)])
                found[name] = unit
        return found

    def _term_names(self) -> list[str]:
        """Of the terms of the reward; those that are called alike are numbered."""
        names: list[str] = []
        for part in self.rewards:
            name = getattr(part, "label", type(part).__name__)
            before = sum(known == name or known.rpartition(" ")[0] == name for known in names)
            names.append(f"{name} {before + 1}" if before else name)
        return names

    # ------------------------------------------------------------ episodes
    def begin(self, worlds: np.ndarray) -> None:
        """Episodes begin in these worlds: a copy of the start state, then what differs from episode to episode."""
        batch = self.batch
        batch.put_back(self.start, worlds)
        batch.age[worlds], self.returns[worlds], self.terms[:, worlds] = 0, 0.0, 0.0
        for array in (batch.action, batch.action_before):
            array[worlds] = 0.0
        batch.look()
        batch.speeds_before = np.where(batch.age[:, None] == 0, batch.v, batch.speeds_before)
        for part in batch.parts:
            part.begin(batch, worlds)

    def observe(self, *, again: bool = False) -> np.ndarray:
        """(worlds, observations) in float32; a column's numbers lie side by side, as all that parts work on does."""
        seen = np.empty((len(self.observation_labels), self.batch.worlds), np.float32)
        first = 0
        for part in self.observations:
            values = part.observe(self.batch, again=again).T
            np.multiply(values, part.scale, out=seen[first : first + len(values)], casting="same_kind")
            first += len(values)
        return seen.T

    def act(self, actions: Any) -> None:
        """Takes the actions, clipped to -1 … 1, for the tick to come."""
        batch = self.batch
        given: np.ndarray = np.asarray(actions, batch.q.dtype)
        if given.shape != batch.action.shape:
            raise TaskError([Fault(f"actions must have shape {batch.action.shape}, not {given.shape}", self.task.name)])
        columns = np.empty(given.shape[::-1], given.dtype)
        if not take_actions(given, columns):
            worlds = np.flatnonzero(np.isnan(given).any(axis=1))[:5].tolist()
            raise TaskError([Fault(f"actions are not numbers in worlds {worlds}", self.task.name)])
        clipped = columns.T
        batch.action_before, batch.action = batch.action, clipped
        first = 0
        for part, width in zip(self.actions, self._widths):
            part.act(batch, clipped[:, first : first + width])
            first += width
        for change in self.changes:
            change.change(batch)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """A tick: rewards, which episodes are over for a reason, which because their time is up; is any of them?"""
        batch = self.batch
        self.act(actions)
        failed = batch.march(self.start)
        for row, part in zip(self._values, self.rewards):
            row[:] = part.value(batch)
        over, late = np.zeros(batch.worlds, bool), np.empty(batch.worlds, bool)
        for ending in self.terminations:
            over |= ending.over(batch)
        reward, terms = np.empty(batch.worlds), self.terms
        weights, most = self._weights, self.task.ticks
        ended = judge(self._values, weights, failed, over, batch.age, most, terms, self.returns, reward, late)
        return reward, over, late, ended

    def summary(self, worlds: np.ndarray) -> dict[str, np.ndarray]:
        """Return, length [ticks] and the terms of the reward of episodes that are over; 0 in the other worlds."""
        chosen = np.isin(np.arange(self.batch.worlds), worlds)
        found = {"return": np.where(chosen, self.returns, 0.0), "length": np.where(chosen, self.batch.age, 0)}
        return found | {name: np.where(chosen, term, 0.0) for name, term in zip(self.term_names, self.terms)}

    # ------------------------------------------------------------ state
    def save(self) -> Any:
        """Everything that decides how the episodes go on."""
        return self.sim.save(), self.batch.save(), self.returns.copy(), self.terms.copy()

    def restore(self, saved: Any) -> None:
        """Exactly as it was saved."""
        state, parts, self.returns, self.terms = saved[0], saved[1], saved[2].copy(), saved[3].copy()
        self.sim.restore(state)
        self.batch.restore(parts)
