"""Nothing is allocated inside a step: the count of allocations does not depend on the number of steps."""

import numpy as np
import pytest
from numba.core import config
from numba.core.runtime import _nrt_python, rtsys

from gambol import Anchor, Boundary, Simulation, Stepping, World, random_figure, random_positions


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="without the compiler every number is allocated")
@pytest.mark.parametrize("method", ["semi-implicit-euler", "rkf45", "implicit-pair"])
@pytest.mark.parametrize("worlds", [1, 5])
def test_allocations_do_not_grow_with_steps(method, worlds):
    rng = np.random.default_rng(2)
    figure = random_figure(rng, 9, root="free")
    q, v = random_positions(rng, figure), rng.normal(size=figure.speeds)
    never = Boundary(name="never", watch="position", body=figure.root.name, value=1e6)
    anchor = Anchor(body=figure.names[3], place=(0.0, 0.0, 0.0), stiffness=30.0, damping=1.0)
    world = World(figure, forces=[anchor], boundaries=[never] if worlds == 1 else [])
    stepping = Stepping(method=method, step=1e-4, max_step=1e-4, min_step=1e-5, eps=1.0)
    sim = Simulation(world, stepping=stepping, worlds=worlds)
    _nrt_python.memsys_enable_stats()
    made = []
    for duration in (0.02, 0.1):  # [s]: both long enough for a look at the end
        sim.reset(q, v)
        sim.run(duration)
        before = rtsys.get_allocation_stats()
        sim.reset(q, v)
        sim.run(duration)
        after = rtsys.get_allocation_stats()
        made.append(after.alloc - before.alloc)
        assert np.max(sim.counts["steps"]) >= duration / 1e-4 - 1
        assert after.alloc - after.free == before.alloc - before.free
    assert made[0] == made[1]
