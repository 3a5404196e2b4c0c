"""What the constraints of a run did, as channels over its samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gambol.world.constraints import Moment


@dataclass(frozen=True)
class Diagnosis:
    """Channels over the samples of a run; those of constraints by name, (samples, rows).

    force [N or N·m], deviation [m or rad], rate of it, residual ‖A F + B‖ [m/s²], rank, cuts (singular directions
    given up for a strength), singular_values (samples, rows) [1/kg], energies [J]: kinetic, gravity, stored.
    """

    time: np.ndarray
    force: dict[str, np.ndarray]
    deviation: dict[str, np.ndarray]
    rate: dict[str, np.ndarray]
    residual: np.ndarray
    rank: np.ndarray
    cuts: np.ndarray
    singular_values: np.ndarray
    energies: dict[str, np.ndarray]

    @classmethod
    def of(cls, time: np.ndarray, moments: Sequence[Moment], energies: Sequence[dict[str, float]]) -> Diagnosis:
        """From what was seen at each time [s]: arrays over the times, by constraint."""

        def stacked(part: str) -> dict[str, np.ndarray]:
            return {name: np.array([getattr(m, part)[name] for m in moments]) for name in moments[0].force}

        return cls(
            time=np.asarray(time),
            force=stacked("force"),
            deviation=stacked("deviation"),
            rate=stacked("rate"),
            residual=np.array([m.residual for m in moments]),
            rank=np.array([m.rank for m in moments]),
            cuts=np.array([m.cuts for m in moments]),
            singular_values=np.array([m.singular_values for m in moments]),
            energies={name: np.array([e[name] for e in energies]) for name in energies[0]},
        )

    def size(self, channel: dict[str, np.ndarray], name: str) -> np.ndarray:
        """Euclidean norm of a constraint's channel at every sample."""
        return np.linalg.norm(channel[name], axis=1)

    @property
    def total_energy(self) -> np.ndarray:
        """[J]: kinetic, of gravity, and stored in springs."""
        return sum(self.energies.values())  # type: ignore[return-value]
