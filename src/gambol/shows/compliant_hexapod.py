"""The compliant hexapod on show: a hybrid run that was computed a moment before (`gambol view hexapod-orbit`)."""

import numpy as np

from gambol import HybridRun
from gambol.draw import Motion
from gambol.experiments.compliant_hexapod.trials import BATCH_STEPPING
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod
from gambol.hybrid.models.compliant_hexapod.figure import compliant_hexapod_figure, figure_positions
from gambol.hybrid.models.compliant_hexapod.start import start
from gambol.shows.registry import show
from gambol.view import RecordedSource
from gambol.view.hybrids import HybridSource

SHOWN_SECONDS, SHOWN_SAMPLE = 12.0, 1 / 64  # [s]


def running(system: CompliantHexapod, x: np.ndarray | None = None, *, title: str) -> RecordedSource:
    """A run of a compliant hexapod, computed now, to be played."""
    path = HybridRun(system, x, stepping=BATCH_STEPPING, keep_changes=False).run(SHOWN_SECONDS, every=SHOWN_SAMPLE)
    figure = compliant_hexapod_figure(system.p)
    motion = Motion((figure,), path.time, figure_positions(path), title)
    return RecordedSource(motion, ground=float(system.p.ground), speed=0.5)


@show("simsect", also=("hexapod-orbit", "hexapod-energy"))
def orbit() -> HybridSource:
    """The compliant hexapod runs, computed as it is seen, with the chart it is in; change its clock and its ground."""
    system = CompliantHexapod(cycle=0.7, sweep=0.5)
    run = HybridRun(system, stepping=BATCH_STEPPING)
    ranges = {"cycle": (0.4, 1.2), "sweep": (0.2, 0.9), "friction": (0.0, 2.0), "slope_y": (-0.3, 0.3)}
    return HybridSource(
        run,
        turned=tuple(ranges),
        ranges=ranges,
        units={"cycle": "s", "sweep": "rad"},
        speed=0.5,
        ground=float(system.p.ground),
        title="hexapod",
    )


@show("hexapod-basin")
def basin() -> RecordedSource:
    """The compliant hexapod recovers from a push of 0.8 m/s to the side."""
    system = CompliantHexapod()
    return running(system, start(system.p, velocity=(0.8, 0.0))[1], title="hexapod, pushed")


@show("hexapod-coexisting")
def coexisting() -> RecordedSource:
    """The compliant hexapod with much grip and no cap on its torque: a gait of several cycles."""
    from gambol.experiments.compliant_hexapod.coexisting import HIGH_FRICTION_GAIT

    return running(CompliantHexapod(**HIGH_FRICTION_GAIT), title="hexapod, loose")
