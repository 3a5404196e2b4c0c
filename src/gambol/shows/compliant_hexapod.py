"""The compliant hexapod on show: a hybrid run that was computed a moment before (`gambol view hexapod-orbit`)."""

from __future__ import annotations

import numpy as np

from gambol.draw.motion import Motion, plain_placer
from gambol.experiments.hexapod.trials import ROUGH
from gambol.hybrid import HybridRun
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.figure import figure_positions, hexapod_figure
from gambol.hybrid.models.compliant_hexapod.start import start
from gambol.shows.registry import show
from gambol.view.recorded import RecordedSource

SECONDS, EVERY = 12.0, 1 / 64  # [s]


def running(system: CompliantHexapod, x: np.ndarray | None = None, *, title: str) -> RecordedSource:
    path = HybridRun(system, x, stepping=ROUGH, keep_changes=False).run(SECONDS, every=EVERY)
    figure = hexapod_figure(system.p)
    motion = Motion((figure,), path.time, figure_positions(path), plain_placer((figure,)), title)
    return RecordedSource(motion, ground=float(system.p.ground), speed=0.5)


@show("hexapod-orbit", "the compliant hexapod runs, one tripod after the other", also=("hexapod-energy",))
def orbit() -> RecordedSource:
    return running(CompliantHexapod(cycle=0.7, sweep=0.5), title="hexapod")


@show("hexapod-basin", "the compliant hexapod recovers from a push of 0.8 m/s to the side")
def basin() -> RecordedSource:
    system = CompliantHexapod()
    return running(system, start(system.p, velocity=(0.8, 0.0))[1], title="hexapod, pushed")


@show("hexapod-coexisting", "the compliant hexapod with much grip and no cap on its torque: a gait of several cycles")
def coexisting() -> RecordedSource:
    from gambol.experiments.hexapod.coexisting import LOOSE

    return running(CompliantHexapod(**LOOSE), title="hexapod, loose")
