"""What the hexapod's experiments share: batches of runs, and what is measured on them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol.experiments.registry import Desk, Finding
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.parameters import FALLEN, VELOCITY
from gambol.hybrid.path import HybridPath
from gambol.hybrid.run import HybridRun
from gambol.stepping.options import Stepping

SOURCE = "Saranli & Buehler"
# Halving eps or most changes mean speeds by less than a part in a thousand (test_hexapod_experiments).
ROUGH = Stepping(method="rk3", eps=1e-4, most=2e-3, step=1e-4, precision=1e-9)
FINE = Stepping(method="dormand-prince", eps=1e-8, most=2e-3, step=1e-4, precision=1e-11)


def judged(desk: Desk, statement: str, *, ok: Any, reason: str, **more: Any) -> Finding:
    """A finding with a verdict; the reason is given where it differs."""
    return desk.finding(statement, ok=bool(ok), reason="" if ok else reason, **more)


def threads() -> int:
    """Processors to use."""
    return max(1, os.cpu_count() or 1)


@dataclass(frozen=True)
class Trial:
    """Many runs of one hexapod: the path of all, and the times that count as settled."""

    path: HybridPath
    settled: float

    @property
    def fallen(self) -> np.ndarray:
        return self.path.chart[-1] == FALLEN

    def rate(self, quantity: str) -> np.ndarray:
        """Mean rate of a state over the settled part; nan for those that fell."""
        late = self.path.time >= self.settled - 1e-9
        values, time = self.path[quantity][late], self.path.time[late]
        return np.where(self.fallen, np.nan, (values[-1] - values[0]) / (time[-1] - time[0]))

    @property
    def speed(self) -> np.ndarray:
        """Mean forward speed [m/s]: the way along the ground, not along a curved track."""
        return self.rate("body y")

    @property
    def track_speed(self) -> np.ndarray:
        """Mean speed along the heading [m/s]; the same unless the robot turns."""
        late = self.path.time >= self.settled - 1e-9
        yaw = np.unwrap(self.path["yaw"][late], axis=0)
        vx, vy = (self.path.x[late][..., VELOCITY + k] for k in (0, 1))
        return np.where(self.fallen, np.nan, np.mean(vy * np.cos(yaw) - vx * np.sin(yaw), axis=0))


def run_trials(
    system: CompliantHexapod,
    parameters: dict[str, Any],
    *,
    worlds: int,
    duration: float,
    settled: float,
    every: float = 0.05,
    x: np.ndarray | None = None,
    stepping: Stepping = ROUGH,
) -> Trial:
    """Runs a batch and keeps it every so often."""
    run = HybridRun(
        system,
        x,
        parameters=parameters,
        worlds=worlds,
        stepping=stepping,
        threads=min(threads(), worlds),
        keep_changes=False,
    )
    return Trial(run.run(duration, every=every), settled)
