"""Which parts of a task are done in one pass over the sheet, as the tables that the compiled passes go by."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gambol.learn.parts import Observation, Readout, SquaredTerm, Termination, Threshold
from gambol.learn.ticks import TERM_NEAR, TERM_OWN, TERM_SUM

if TYPE_CHECKING:
    from gambol.learn.episodes import Episodes


class Plan:
    """
    version   of the sheet whose rows it names
    shown     rows, middle and scale of every observed column (ticks.show)
    others    observations that are made by their own `observe`, and their first columns
    asked     actions, and their numbers (worlds, …) in the sheet
    most      ticks of a whole episode
    """

    def __init__(self, episodes: Episodes):
        batch = episodes.batch
        self.version, dtype = batch.sheet.version, batch.q.dtype
        count = len(episodes.observation_labels)
        self.shown = rows, middle, scale = np.full(count, -1), np.zeros(count, dtype), np.zeros(count, dtype)
        self.others: list[tuple[Observation, int]] = []
        first = 0
        for part in episodes.observations:
            own = slice(first, first + len(part.labels(batch)))
            if isinstance(part, Readout) and not part.delay and not np.any(part.noise):
                rows[own], middle[own], scale[own] = part.rows(batch), part.middle, part.scale
            else:
                self.others.append((part, first))
            first = own.stop
        self._episodes, self.most = episodes, episodes.task.ticks
        widths = [len(part.labels(batch)) for part in episodes.actions]
        self.asked = [(p, batch.action[:, p.first : p.first + width]) for p, width in zip(episodes.actions, widths)]

    @cached_property
    def judged(self) -> tuple[np.ndarray, ...]:
        """kinds, squares, factors, limits, bounds, weights."""
        episodes, batch, dtype = self._episodes, self._episodes.batch, self._episodes.batch.q.dtype
        kinds, squares, factors, limits = [], [], [], []
        for k, part in enumerate(episodes.rewards):
            kinds.append((TERM_NEAR if part.near else TERM_SUM) if isinstance(part, SquaredTerm) else TERM_OWN)
            if isinstance(part, SquaredTerm):
                for row, other, factor in part.squares(batch):
                    squares.append((k, row, other))
                    factors.append(factor)
        for ending in episodes.terminations:
            if isinstance(ending, Threshold):
                limits.append(ending.limit(batch))
        return (
            np.array(kinds),
            np.array(squares, np.int64).reshape(-1, 3),
            np.array(factors, dtype),
            np.array([limit[:2] for limit in limits], np.int64).reshape(-1, 2),
            np.array([limit[2] for limit in limits], dtype),
            np.array([part.weight * batch.tick for part in episodes.rewards], dtype),
        )

    @cached_property
    def judging(self) -> list[int]:
        """Numbers of the rewards whose `value` is asked."""
        return [k for k, part in enumerate(self._episodes.rewards) if not isinstance(part, SquaredTerm)]

    @cached_property
    def endings(self) -> list[Termination]:
        """Terminations whose `over` is asked."""
        return [ending for ending in self._episodes.terminations if not isinstance(ending, Threshold)]

    @cached_property
    def by_hand(self) -> bool:
        """Is there a reward or a termination that looks for itself, before the tick is judged?"""
        return bool(self.judging or self.endings)
