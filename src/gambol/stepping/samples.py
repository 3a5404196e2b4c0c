"""The samples of a run on their way into its trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gambol.stepping.run import Run


class Samples:
    """The states of a run at its sample times, filled by the march."""

    def __init__(self, run: Run[Any], times: np.ndarray, watch: Mapping[str, Callable[[Any], Any]], cells: int):
        memory = run.memory
        self.run, self.times, self.watch = run, times, watch
        self._watched: dict[str, list] = {name: [] for name in watch}
        self.first_event = len(run.events)
        self.array = memory.record(len(times), cells)
        self.kept = 0

    def keep(self, count: int) -> None:
        """So many more samples were reached."""
        self.kept += count
        if count:
            for name, measure in self.watch.items():
                self._watched[name].append(measure(self.run))

    def finish(self) -> Any:
        """The part of the run that was reached."""
        kept = self.kept
        path = self.run._trajectory(self.array[:kept], self.times[:kept], self.run.events[self.first_event :])
        object.__setattr__(path, "watched", {name: np.array(rows) for name, rows in self._watched.items()})
        if kept < len(self.times) and path.events:
            object.__setattr__(path, "ended", path.events[-1].name)
        return path
