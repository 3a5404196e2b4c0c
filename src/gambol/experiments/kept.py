"""What a long search has measured, kept in a file: one that is interrupted goes on where it was."""

from collections.abc import Callable
from pathlib import Path

import numpy as np


class KeptValues:
    """Rows of numbers measured at points, by the bytes of the point."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._rows: dict[bytes, np.ndarray] = {}
        if path is not None and path.is_file():
            with np.load(path) as found:
                self._rows = {point.tobytes(): row for point, row in zip(found["points"], found["values"])}

    def __len__(self) -> int:
        return len(self._rows)

    def measure(self, points: np.ndarray, batch: int, how: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Values (points, columns): those that are kept, and what `how` gives for batches of the others."""
        points = np.ascontiguousarray(points, dtype=float)
        for k in range(0, len(points), batch):
            missing = [point for point in points[k : k + batch] if point.tobytes() not in self._rows]
            if missing:
                values = np.asarray(how(np.array(missing)), float)
                self._rows |= {point.tobytes(): row for point, row in zip(missing, values)}
                self._write()
        return np.array([self._rows[point.tobytes()] for point in points])

    def _write(self) -> None:
        if self.path is not None:
            every = np.array([np.frombuffer(key) for key in self._rows])
            np.savez(self.path, points=every, values=np.array(list(self._rows.values())))
