"""Episodes of a task in every world of a batch: what environments and a policy at work have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.errors import Fault, TaskError
from gambol.learn.parts import Action, Observation
from gambol.learn.plan import Plan
from gambol.learn.task import TaskParts
from gambol.learn.ticks import finish, show, take_actions


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
        for part, last, width in zip(self.actions, np.cumsum(self._widths), self._widths):
            part.first = int(last) - width
        batch.resize(action=sum(self._widths))
        self.changes = batch.bind(task.changes)
        self.observations: list[Observation] = batch.bind(task.observations)
        self.rewards, self.terminations = batch.bind(task.rewards), batch.bind(task.terminations)
        self.observation_labels = self._labels(self.observations)
        self.action_labels = self._labels(self.actions)
        self.start = sim.save()
        self.returns = np.zeros(batch.worlds)
        self.terms = np.zeros((len(self.rewards), batch.worlds))
        self._values = np.empty((len(self.rewards), batch.worlds), sim.memory.dtype)
        self._plan: Plan | None = None
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
        for part in (*self.actions, *self.changes):
            part.begin(batch, worlds)
        batch.speeds_before[worlds] = batch.v[worlds]
        for part in (*self.observations, *self.rewards, *self.terminations):
            part.begin(batch, worlds)

    @property
    def plan(self) -> Plan:
        """What is done in one pass each tick; made anew where rows of the sheet have moved."""
        if self._plan is None or self._plan.version != self.batch.sheet.version:
            self._plan = Plan(self)
        return self._plan

    def observe(self, *, again: bool = False) -> np.ndarray:
        """(worlds, observations) in float32; a column's numbers lie side by side, as all that parts work on does."""
        batch, plan = self.batch, self.plan
        seen, batch.shown = batch.shown, None
        if seen is None:
            seen = self._room()
            show(batch.sheet.numbers, plan.shown, seen)
        for part, first in plan.others:
            values = part.observe(batch, again=again).T
            np.multiply(values, part.scale, out=seen[first : first + len(values)], casting="same_kind")
        return seen.T

    def _room(self) -> np.ndarray:
        return np.empty((len(self.observation_labels), self.batch.worlds), np.float32)

    def act(self, actions: Any) -> None:
        """Takes the actions, clipped to -1 … 1, for the tick to come."""
        batch = self.batch
        given: np.ndarray = np.ascontiguousarray(actions, batch.q.dtype)
        if given.shape != batch.action.shape:
            raise TaskError([Fault(f"actions must have shape {batch.action.shape}, not {given.shape}", self.task.name)])
        rows = batch.rows
        if not take_actions(given, batch.sheet.numbers, rows["action"].start, rows["action before"].start):
            worlds = np.flatnonzero(np.isnan(given).any(axis=1))[:5].tolist()
            raise TaskError([Fault(f"actions are not numbers in worlds {worlds}", self.task.name)])
        for part, asked in self.plan.asked:
            part.act(batch, asked)
        for change in self.changes:
            change.change(batch)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """A tick: rewards, which episodes are over for a reason, which because their time is up; is any of them?"""
        batch = self.batch
        self.act(actions)
        failed = batch.march(self.start)
        plan = self.plan
        over, late, reward = np.zeros(batch.worlds, bool), np.empty(batch.worlds, bool), np.empty(batch.worlds)
        if plan.by_hand:
            sight = batch.look(moved=True)
            for k in plan.judging:
                self._values[k] = self.rewards[k].value(batch)
            for ending in plan.endings:
                over |= ending.over(batch)
        else:
            sight = batch.sight(moved=True)
        tallies = failed, batch.age, plan.most, self._values, self.terms, self.returns, reward, over, late
        seen = self._room()
        ended = finish(not plan.by_hand, sight, plan.judged, tallies, plan.shown, seen)
        batch.shown = seen
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
