"""The compliant hexapod's experiments: the tolerance they run with, and how they count periods."""

import numpy as np

from gambol import Stepping
from gambol.experiments.compliant_hexapod.coexisting import SAMPLES_PER_CYCLE, period_of
from gambol.experiments.compliant_hexapod.trials import BATCH_STEPPING, run_trials
from gambol.hybrid.models.compliant_hexapod import CompliantHexapod


def test_rough_steps_are_fine_enough():
    """Mean speeds of settled running do not depend on the tolerance."""
    parameters = {"cycle": np.array([0.6, 0.8, 1.0]), "sweep": np.array([0.3, 0.5, 0.4])}
    tight = Stepping(method="dormand-prince", eps=1e-7, max_step=1e-3, step=1e-4, precision=1e-11)
    speeds = [
        run_trials(CompliantHexapod(), parameters, worlds=3, duration=12.0, settled=6.0, stepping=s, every=1.2).speed
        for s in (BATCH_STEPPING, tight)
    ]
    print(speeds)
    assert np.allclose(*speeds, rtol=2e-3)


def test_periods():
    t = np.arange(40 * SAMPLES_PER_CYCLE) / SAMPLES_PER_CYCLE
    for period in (1, 2, 5):
        wave = np.sin(2 * np.pi * t) + 0.3 * np.sin(2 * np.pi * t / period)
        assert period_of(np.column_stack([wave, wave, wave])) == period
    drift = np.column_stack([t, t, t])
    assert period_of(drift) == 0
