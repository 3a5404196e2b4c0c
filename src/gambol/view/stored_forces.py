"""Forces that a recording holds: what contacts reported, as points and arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gambol.view.history import NO_FORCES

if TYPE_CHECKING:
    from gambol.record.recording import Recording

PLACE, FORCE = ("x", "y", "z"), ("force_x", "force_y", "force_z")


class StoredForces:
    """Points and forces (samples, contacts, 2, 3) [m, N] of every channel that reports both; none where none does."""

    def __init__(self, recording: Recording, world: int = 0):
        self.time = recording.time
        asked = (_of_channel(recording, name, world) for name in recording.channels)
        found = [arrows for arrows in asked if arrows is not None]
        self.arrows = np.concatenate(found, axis=1) if found else np.zeros((len(self.time), 0, 2, 3))

    def __bool__(self) -> bool:
        return self.arrows.shape[1] > 0

    def at(self, time: float) -> np.ndarray:
        """What acted at the last sample before a time [s]: (n, 2, 3), forces that are not zero."""
        if not self or not len(self.time):
            return NO_FORCES
        row = max(int(np.searchsorted(self.time, time + 1e-9)) - 1, 0)
        arrows = self.arrows[row]
        return arrows[np.any(arrows[:, 1] != 0.0, axis=1)]


def _of_channel(recording: Recording, name: str, world: int) -> np.ndarray | None:
    data = recording.dataset[name]
    report = f"{name}_report"
    if report not in data.dims or not {*PLACE, *FORCE} <= set(data[report].values.tolist()):
        return None
    data = data.isel(world=world) if "world" in data.dims else data
    ends = [data.sel({report: list(names)}).values for names in (PLACE, FORCE)]
    return np.stack(ends, axis=2).astype(float)
