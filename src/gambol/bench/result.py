"""One measured line of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gambol.jit.machine import lanes_for, level


@dataclass(frozen=True)
class Floor:
    """What is asked of a case: `ratio` at least `value`, or `ours` at most `value`."""

    of: str
    value: float

    def met(self, result: Result) -> bool | None:
        """None where nothing can be said, because the peer is missing."""
        if self.of == "ours":
            return result.ours <= self.value
        return None if result.ratio is None else result.ratio >= self.value


@dataclass(frozen=True)
class Result:
    """What was measured. `ratio` is larger for the better: fastest peer / ours of times, the reverse of rates."""

    case: str
    metric: str
    unit: str
    ours: float
    peers: dict[str, float]
    ratio: float | None
    floor: Floor | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_times(cls, case, metric, unit, ours, peers, floor=None, notes=()) -> Result:
        """A result whose ratio is the fastest peer's time over ours."""
        return cls(case, metric, unit, ours, peers, min(peers.values()) / ours if peers else None, floor, notes)

    @classmethod
    def of_rates(cls, case, metric, unit, ours, peers, floor=None, notes=()) -> Result:
        """A result whose ratio is our rate over the fastest peer's."""
        return cls(case, metric, unit, ours, peers, ours / max(peers.values()) if peers else None, floor, notes)

    def data(self) -> dict[str, Any]:
        """As other programs read it."""
        return {
            "case": self.case,
            "metric": self.metric,
            "unit": self.unit,
            "ours": self.ours,
            "peers": dict(self.peers),
            "ratio": self.ratio,
            "machine": {"level": level(), "lanes": {"float64": lanes_for(8), "float32": lanes_for(4)}},
        }
