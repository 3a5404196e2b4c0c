"""Recordings of worlds of an environment, while it is stepped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gambol.record.recorder import Recorder
from gambol.world.simulation import Simulation


class EpisodeRecording:
    """A world of an environment as a recording: motion, parameters of its force elements, a sample a tick.

        with env.record("learned.gambol", world=3):
            for _ in range(500):
                seen, *_ = env.step(policy(seen))

    Time goes on from episode to episode; where one begins the figure is suddenly elsewhere. It ends with `close`, or
    with the environment.
    """

    def __init__(self, sim: Simulation, tick: float, path: str | Path, *, world: int = 0, **options: Any):
        self.source, self.tick, self.world, self.count = sim, tick, int(world), 0
        self.shown = Simulation(sim.world, stepping=sim.stepping, ledger=False)
        self._follow()
        options = {"reports": False, **options}
        self.recorder = Recorder(self.shown, path, every=tick, **options)
        self.recorder.sample()

    def _follow(self) -> None:
        """Brings the one world that is recorded to where the environment's is."""
        own, memory = self.shown.memory, self.source.memory
        for name in ("positions", "speeds", "parameters", "commands"):
            row = np.atleast_2d(memory.read(getattr(memory, name)))[self.world]
            own.write(getattr(own, name), row.astype(own.dtype), name)
        self.shown.shift_clock(self.count * self.tick - self.shown.latest_time)

    def take(self) -> None:
        """A tick has passed."""
        self.count += 1
        self._follow()
        self.recorder.sample()

    @property
    def is_open(self) -> bool:
        """Is it still being written?"""
        return self.recorder._open

    def close(self) -> None:
        """Ends the recording; the file is complete."""
        if self.is_open:
            self.recorder.close()

    def __enter__(self) -> EpisodeRecording:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
