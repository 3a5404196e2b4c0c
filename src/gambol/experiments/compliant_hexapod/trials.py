"""What the hexapod's experiments share: batches of runs, and what is measured on them."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from gambol import HybridRun, HybridTrajectory, Stepping
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.parameters import BODY_VELOCITY, FALLEN_CHART

# Halving eps or most changes mean speeds by less than a part in a thousand (test_compliant_hexapod_experiments).
BATCH_STEPPING = Stepping(method="rk3", eps=1e-4, max_step=2e-3, step=1e-4, precision=1e-9)
FINE_STEPPING = Stepping(method="dormand-prince", eps=1e-8, max_step=2e-3, step=1e-4, precision=1e-11)


def thread_count() -> int:
    """Processors to use."""
    return max(1, os.cpu_count() or 1)


@dataclass(frozen=True)
class HexapodTrials:
    """Many runs of one hexapod: the path of all, and the times that count as settled."""

    path: HybridTrajectory
    settled: float

    @property
    def fallen(self) -> np.ndarray:
        """Which of the runs ended in a fall."""
        return self.path.chart[-1] == FALLEN_CHART

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
        vx, vy = (self.path.x[late][..., BODY_VELOCITY + k] for k in (0, 1))
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
    stepping: Stepping = BATCH_STEPPING,
) -> HexapodTrials:
    """Runs a batch and keeps it every so often."""
    run = HybridRun(
        system,
        x,
        parameters=parameters,
        worlds=worlds,
        stepping=stepping,
        threads=min(thread_count(), worlds),
        keep_changes=False,
    )
    return HexapodTrials(run.run(duration, every=every), settled)
