"""What is almost zero in float32 is zero while worlds march, and only then."""

import numpy as np
import pytest

from gambol import Simulation, Stepping, World, chain
from gambol.stepping.subnormals import TOLD

pytestmark = pytest.mark.skipif(not TOLD, reason="this processor is not told to, or nothing is compiled")
TINY = {np.float32: 1e-39, np.float64: 1e-310}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", TINY)
def test_subnormal_speeds_are_zero_in_float32_alone(dtype, threads):
    stepping = Stepping(method="semi-implicit-euler", step=1e-3)
    weightless = World(chain(2), gravity=(0.0, 0.0, 0.0))
    sim = Simulation(weightless, worlds=64, dtype=dtype, stepping=stepping, threads=threads)
    sim.v = np.full((64, 2), TINY[dtype])
    assert np.all(sim.v > 0.0)
    sim.run(2e-3)
    assert np.all(sim.v == 0.0) if dtype is np.float32 else np.all(sim.v > 0.0)
    assert np.all(np.full(16, 1e-39, np.float32) * np.float32(2.0) > 0.0)  # Python's own numbers are as they were
