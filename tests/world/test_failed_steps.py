"""What is left after a step that failed."""

import numpy as np
import pytest

from gambol import BallSpring, Simulation, StepError, Stepping, World, chain


@pytest.mark.filterwarnings("error::RuntimeWarning")  # what fails is said once, and not by numpy
def test_failed_step_leaves_nothing_behind():
    """After a step that was not finite, a restored state runs as if that had never been."""
    world = World(chain(2, "ball"), forces=(BallSpring(name="spring", joint="chain_1", stiffness=1e60),))
    q = (1.0, 0.0, 0.0, 0.0, 0.8, 0.6, 0.0, 0.0)
    ends = []
    for fails in (False, True):
        sim = Simulation(world, stepping=Stepping(method="rk4", step=0.1))
        sim.reset(q)
        start = sim.save()
        if fails:
            with pytest.raises(StepError, match="no longer finite"):
                sim.run(1.0)
        sim.restore(start)
        sim.elements["spring"].set("stiffness", 1.0)
        sim.run(1.0)
        ends.append(sim.save())
    assert np.all(np.isfinite(sim.v)) and ends[0].same(ends[1])
